"""Functions of libotf2 that only reading events needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from otf2_reader import libotf2
from otf2_reader.libotf2 import Handle, Library
from topoview.io.otf2 import DefinedTrace


class OpenArchive(NamedTuple):
    """An archive that libotf2 has open; see `topoview.io.otf2.EventFiles`."""

    library: Library
    reader: Handle
    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    resolution: int


@contextmanager
def open_archive(defined: DefinedTrace) -> Iterator[OpenArchive]:
    """Open a trace's archive with libotf2."""
    with libotf2.open_archive(defined.anchor.file) as (library, reader):
        yield OpenArchive(library, reader, *defined.files)
