"""Where the events of an archive are, and which of them are wanted."""

from dataclasses import dataclass
from pathlib import Path

from topoview.model import Subset


@dataclass(frozen=True, slots=True)
class Source:
    """Where the events of an archive are.

    Attributes
    ----------
    folder
        Folder of the locations' files.
    event_chunk, definition_chunk
        Bytes of the chunks of files.
    silent
        Locations that have no events, by the definitions: no file is missed.
    subset
        Which ranks are to be read.
    begin, until
        Ticks from the trace's beginning: what begins before or not before them is not
        wanted; None: all.
    """

    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    subset: Subset
    begin: int = 0
    until: int | None = None
