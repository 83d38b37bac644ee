"""The files that the steps write and read, and how the ranks are cut."""

import contextlib
import errno
import os
import uuid
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.base.threads import equal_parts
from topoview.io.otf2 import DefinedTrace
from topoview.model import Ints
from topoview.store.integrity import open_private, write_all
from topoview.store.results import read_kept, write_kept

Range = tuple[int, int]
"""The first rank, and the one behind the last."""


def cut_ranks(defined: DefinedTrace, parts: int) -> list[Range]:
    """Cut the ranks of a trace into so many stretches of about as many bytes each."""
    if not defined.ranks:
        return [(0, 0)]
    sizes = np.zeros(defined.ranks + 1, np.int64)
    for place in defined.processes.locations:
        sizes[max(place.rank, 0) + 1] += defined.files.size(place.id)
    ends = np.cumsum(sizes + np.append(0, np.ones(defined.ranks, np.int64)))
    return [(part.start, part.stop) for part in equal_parts(ends, max(parts, 1))]


def size_of_events(defined: DefinedTrace) -> int:
    """Bytes of the files of all locations."""
    return sum(defined.files.size(place.id) for place in defined.processes.locations)


def make_once(file: Path, make: Callable[[], object]) -> None:
    """Write what is made to a file as a whole, unless a whole one is there.

    Raises `OSError` if there is no room for it.
    """
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, IndexError):
        read_kept(file)
        return
    write_whole(file, make())


def load_or_make(file: Path, make: Callable[[], object]) -> Any:  # noqa: ANN401 - as it was made
    """Read what a file holds, which is made if it is not there; see `make_once`."""
    make_once(file, make)
    return load_step(file)


def write_whole(file: Path, value: object) -> None:
    """Write a file as a whole, or not at all; one that is there is replaced.

    Raises `OSError` if there is no room for it.
    """
    beside = file.with_name(f"{uuid.uuid4().hex}.writing")
    try:
        write_kept(beside, value, of=file.name)
        beside.rename(file)
    finally:
        beside.unlink(missing_ok=True)


def load_step(file: Path, *, whole: bool = False) -> Any:  # noqa: ANN401 - as it was made
    """Map what a step that is done has written.

    Nothing is compared with checksums: many read a little of each file.

    Parameters
    ----------
    whole
        All of it will be read.
    """
    return read_kept(file, check=False, whole=whole)


def write_stretches(file: Path, begins: Ints, records: NDArray[np.void]) -> None:
    """Write records of which each part reads a stretch, all at once.

    A part that reads from each other part opens so many files: so this one is read by
    two calls of the system, `read_stretch`, without looking at the rest of it.

    Parameters
    ----------
    begins : int64, shape (parts + 1,)
        Where the records for each part begin.

    Raises `OSError` if there is no room for it.
    """
    beside = file.with_name(f"{uuid.uuid4().hex}.writing")
    try:
        with open_private(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL) as out:
            for array in (begins.astype(np.int64), records):
                write_all(out.fileno(), array.view(np.uint8).data)
            os.fsync(out.fileno())
        beside.rename(file)
    finally:
        beside.unlink(missing_ok=True)


def read_stretch(
    file: Path, parts: int, first: int, stop: int, kind: np.dtype[Any]
) -> NDArray[np.void]:
    """Read the records for some parts: from the first to the one behind the last.

    Raises `OSError` if the file is shorter than it tells.
    """
    with open_private(file) as source:
        raw = os.pread(source.fileno(), (stop - first + 1) * 8, first * 8)
        begins = np.frombuffer(raw, np.int64)
        begin, size = int(begins[0]), int(begins[-1] - begins[0]) * kind.itemsize
        at = (parts + 1) * 8 + begin * kind.itemsize
        result = np.empty(size // kind.itemsize, kind)
        done, room = 0, result.view(np.uint8).data
        while done < size:
            more = os.preadv(source.fileno(), [room[done:]], at + done)
            if not more:
                raise OSError(errno.EIO, f"{file} is cut")
            done += more
    return result


class Work(NamedTuple):
    """A trace that is read in parts, and where."""

    folder: Path
    """Folder for the files of all steps."""
    columns: Path
    """Folder for the columns of the trace."""
    defined: DefinedTrace
    """Its definitions."""
    parts: tuple[Range, ...]
    """Ranks of each part."""

    def file(self, step: str, part: int) -> Path:
        """Name the file of a step and a part."""
        return self.folder / f"{step}-{part}.kept"

    def column(self, name: str) -> Path:
        """Name the file of a column of the trace, such as ``calls.enter``."""
        return self.columns / f"{name}.npy"

    def finished(self, part: int) -> Path:
        """Name the file that says that a part is in the columns: it goes with them."""
        return self.columns / f"finished-{part}.kept"

    def rows(self, part: int) -> Ints:
        """Rows of the locations of a part's ranks: int64, ascending."""
        return self.all_rows()[part]

    def all_rows(self) -> list[Ints]:
        """Rows of the locations of each part."""
        stops = np.array([stop for _, stop in self.parts])
        rank = np.maximum(self.defined.rank_of_row, 0)
        part = np.searchsorted(stops, rank, side="right")
        order = np.argsort(part, kind="stable")
        cuts = np.searchsorted(part[order], np.arange(1, len(stops)))
        return np.split(order, cuts)


def columns_of(table: object) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table by name."""
    named = {field.name: getattr(table, field.name) for field in fields(table)}  # type: ignore[arg-type]
    return {name: one for name, one in named.items() if isinstance(one, np.ndarray)}


def renumber(calls: Ints, own: Ints, everywhere: Ints, sizes: Ints) -> Ints:
    """Renumber calls of a part as in the whole trace.

    Parameters
    ----------
    calls : int64
        Of records, location after location: -1 is none; what is below is a call, too,
        as -2 less its number (``c/messages.c``).
    own, everywhere : int64
        Where the calls of each location of the part begin there, and in the trace.
    sizes : int64
        How many records each location has.
    """
    moved = np.repeat(everywhere - own[:-1], sizes)
    return np.where(calls >= 0, calls + moved, calls - (calls < -1) * moved)


def runs_of(rows: Ints) -> list[slice]:
    """Return the runs of adjacent rows among some that ascend."""
    ends = np.append(np.flatnonzero(np.diff(rows) != 1) + 1, len(rows)).tolist()
    return [slice(*ends) for ends in pairwise([0, *ends]) if len(rows)]


def place_rows(
    whole: NDArray[Any],
    offsets: Ints,
    rows: Ints,
    own: Ints,
    column: NDArray[Any],
) -> None:
    """Copy the elements of some rows to where they are in the whole column.

    Parameters
    ----------
    offsets, own : int64
        Where the elements of each row begin: in `whole`, of all rows, and in `column`,
        of these ones.
    """
    for run in runs_of(rows):
        begin, stop = own[run.start], own[run.stop]
        at = offsets[rows[run.start]]
        whole[at : at + stop - begin] = column[begin:stop]
