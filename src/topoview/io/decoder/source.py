"""Which events are to be decoded."""

from pathlib import Path

from topoview.model import Subset


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

    __slots__ = (
        *("begin", "definition_chunk", "event_chunk", "folder", "silent", "subset"),
        "until",
    )

    def __init__(  # noqa: PLR0913
        self,
        folder: Path,
        event_chunk: int,
        definition_chunk: int,
        silent: frozenset[int],
        subset: Subset,
        begin: int = 0,
        until: int | None = None,
    ) -> None:
        self.folder, self.silent, self.subset = folder, silent, subset
        self.event_chunk, self.definition_chunk = event_chunk, definition_chunk
        self.begin, self.until = begin, until
