"""An archive that libotf2 has opened."""

from pathlib import Path
from typing import NamedTuple

from topoview.io.library import Handle, Library


class Archive(NamedTuple):
    """An open archive.

    Attributes
    ----------
    library, reader
        libotf2 and its reader.
    folder
        Folder of the locations' files.
    event_chunk, definition_chunk
        Bytes of the chunks of files.
    silent
        Locations that have no events, by the definitions: no file is missed.
    resolution
        Ticks a second.
    """

    library: Library
    reader: Handle
    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    resolution: int
