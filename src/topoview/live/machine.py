"""On which node each rank ran: of the system tree, or of a placement file.

A placement file is a table with a header, its columns apart by commas, semicolons or
tabs::

    rank,node,socket        rank,x,y,z
    0,kn01,0                0,3,0,1
    1,kn01,1                1,3,0,1

``rank`` is needed. ``x``, ``y`` and ``z`` (or ``x`` and ``y``) are numbers: places
in a physical network. Every other column is a level of the machine, the outermost
first. A file may have both. Lines that begin with ``#`` and empty ones are skipped.
"""

import csv
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from topoview.errors import PlacementError
from topoview.model import Floats, Indices, Machine, Trace

AXES = ("x", "y", "z")

MAX_FILE_BYTES = 256 * 2**20
"""Bytes of the largest file that is read."""


def machine_of(trace: Trace, placement: str = "") -> Machine:
    """Find the units that ranks ran on.

    Parameters
    ----------
    trace
        With its system tree, if it has one.
    placement
        Path of a placement file, which goes before the trace; may be empty.

    Raises
    ------
    PlacementError
        The file cannot be read.
    """
    if placement:
        found = read_placement(Path(placement), trace.ranks)
        if not found.levels:
            found = replace(_machine_of_trace(trace), places=found.places)
    else:
        found = _machine_of_trace(trace)
    return replace(found, communicator=_smallest_communicators(trace))


def _machine_of_trace(trace: Trace) -> Machine:
    """Take nodes, and what they are in, if it parts them."""
    names = [place.node for place in trace.locations[: trace.ranks]]
    if not any(names):
        return Machine()
    number: dict[str, int] = {}
    leaf = np.array([number.setdefault(n, len(number)) for n in names], np.int32)
    levels, units, words = ["node"], [leaf], [tuple(number)]
    above, kind = _units_above(trace, tuple(number))
    if above:
        outer: dict[str, int] = {}
        racks = np.array([outer.setdefault(a, len(outer)) for a in above], np.int32)
        if 1 < len(outer) < len(number):
            levels.insert(0, kind)
            units.insert(0, racks[leaf])
            words.insert(0, tuple(outer))
    return Machine(tuple(levels), np.stack(units), tuple(words))


def _units_above(trace: Trace, nodes: tuple[str, ...]) -> tuple[list[str], str]:
    """Name what each node is in, and what that is called; empty if it is not known."""
    by_name = {node.name: node for node in trace.nodes}
    if len(by_name) < len(trace.nodes) or not all(name in by_name for name in nodes):
        return [], ""
    found = [by_name[name].parent for name in nodes]
    if min(found) < 0:
        return [], ""
    return [trace.nodes[k].name for k in found], trace.nodes[found[0]].kind or "rack"


def _smallest_communicators(trace: Trace) -> Indices:
    """Find the smallest communicator that a rank shares with some, not with all."""
    size = np.full(trace.ranks, trace.ranks, np.int64)
    found = np.full(trace.ranks, -1, np.int32)
    for number, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks[communicator.ranks >= 0]
        if 1 < len(ranks) < trace.ranks:
            smaller = ranks[size[ranks] > len(ranks)]
            size[smaller], found[smaller] = len(ranks), number
    return found if (found >= 0).any() else np.zeros(0, np.int32)


# Placement files.


class PlacementColumns(NamedTuple):
    """What a file tells.

    `number` is the line of the header, `rank` the column of the ranks, `levels`
    those of the machine's levels by name, `places` those of x, y, z.
    """

    number: int
    rank: int
    levels: dict[str, int]
    places: tuple[int, ...]


def read_placement(path: Path, ranks: int) -> Machine:
    """Read where ranks run.

    Parameters
    ----------
    path
        Of the file.
    ranks
        Number of ranks of the trace; lines about others are skipped.

    Raises
    ------
    PlacementError
        It cannot be read, or is wrong: the text names the line.
    """
    lines = list(_lines(path))
    if not lines:
        raise PlacementError(f"{path} is empty: write a header such as rank,node")
    columns = _columns(path, *lines[0])
    words = [[""] * ranks for _ in columns.levels]
    places = np.full((ranks, 3), np.nan)
    seen = np.zeros(ranks, np.int64)
    for number, cells in lines[1:]:
        rank = _rank(path, number, cells, columns)
        if rank >= ranks:
            continue
        if seen[rank]:
            raise PlacementError(
                f"{path}, line {number}: rank {rank} stands in line {seen[rank]} "
                "already; remove one of them"
            )
        seen[rank] = number
        for level, column in zip(words, columns.levels.values(), strict=True):
            level[rank] = cells[column].strip()
        places[rank] = _place(path, number, cells, columns)
    if not seen.any():
        raise PlacementError(
            f"{path} names none of the {ranks} ranks of this trace, which are "
            f"counted from 0 to {ranks - 1}"
        )
    return _machine(tuple(columns.levels), words, places, columns)


def placement_tells(path: str) -> tuple[bool, bool]:
    """Tell whether a file names levels of the machine, and places in it."""
    return _tells_at(path, placement_stamp(path)) if path else (False, False)


def placement_stamp(path: str) -> tuple[int, int]:
    """Time of the last change in ns, and bytes: (0, 0) if there is no such file."""
    if not path:
        return 0, 0
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _tells_at(path: str, stamp: tuple[int, int]) -> tuple[bool, bool]:
    """Tell the same of a file as it was at a time."""
    del stamp  # another one is read anew
    try:
        number, header = next(_lines(Path(path)))
        columns = _columns(Path(path), number, header)
    except (PlacementError, StopIteration):
        return False, False
    return bool(columns.levels), bool(columns.places)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbers and cells of the lines that tell something."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise PlacementError(f"{path} is no placement file: it is too large")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise PlacementError(
            f"{path} cannot be read ({error.strerror}): check the name"
        ) from error
    except UnicodeDecodeError as error:
        raise PlacementError(f"{path} is no text: write a CSV file") from error
    apart = ","
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if number == 1 or apart not in line:
            apart = next((c for c in ",;\t" if c in line), ",")
        yield number, next(csv.reader([line], delimiter=apart))


def _columns(path: Path, number: int, header: list[str]) -> PlacementColumns:
    names = [name.strip().lower() for name in header]
    if "rank" not in names:
        raise PlacementError(
            f"{path}, line {number}: there is no column rank; begin with a header "
            "such as rank,node or rank,x,y,z"
        )
    for name in names:
        if not name or names.count(name) > 1:
            raise PlacementError(
                f"{path}, line {number}: column {name or 'without a name'} "
                "stands there twice or says nothing; name each column once"
            )
    places = tuple(names.index(axis) for axis in AXES if axis in names)
    levels = {
        name: column
        for column, name in enumerate(names)
        if name != "rank" and name not in AXES
    }
    if not levels and not places:
        raise PlacementError(
            f"{path}, line {number}: nothing but ranks; add a column such as node, "
            "or x, y and z"
        )
    return PlacementColumns(number, names.index("rank"), levels, places)


def _rank(path: Path, number: int, cells: list[str], columns: PlacementColumns) -> int:
    wanted = 1 + max(columns.rank, *columns.levels.values(), *columns.places)
    if len(cells) < wanted:
        raise PlacementError(
            f"{path}, line {number}: {len(cells)} columns, {wanted} are needed"
        )
    text = cells[columns.rank].strip()
    if not (text.isascii() and text.isdigit()):
        raise PlacementError(
            f"{path}, line {number}: {text!r} is no rank; write its number"
        )
    return int(text)


def _place(
    path: Path, number: int, cells: list[str], columns: PlacementColumns
) -> Floats:
    found = np.full(3, np.nan)
    for axis, column in enumerate(columns.places):
        text = cells[column].strip()
        try:
            found[axis] = float(text)
        except ValueError:
            found[axis] = np.inf
        if not np.isfinite(found[axis]):
            raise PlacementError(
                f"{path}, line {number}: {text!r} is no number; write the place's "
                "coordinates"
            )
    if columns.places:
        found[len(columns.places) :] = 0.0
    return found


def _machine(
    levels: tuple[str, ...],
    words: list[list[str]],
    places: Floats,
    columns: PlacementColumns,
) -> Machine:
    ranks = len(places)
    units = np.full((len(levels), ranks), -1, np.int32)
    names = []
    outer = np.zeros(ranks, np.int64)
    for number, level in enumerate(words):
        known: dict[tuple[int, str], int] = {}
        for rank, word in enumerate(level):
            if word:
                key = (int(outer[rank]), word)
                units[number, rank] = known.setdefault(key, len(known))
        names.append(tuple(word for _, word in known))
        outer = units[number].astype(np.int64)
    given = places if columns.places else np.zeros((0, 3))
    return Machine(levels, units, tuple(names), places=given)
