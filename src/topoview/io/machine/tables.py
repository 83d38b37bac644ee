"""Tables of where ranks run, with a header, their columns apart by a character.

That is a comma, a semicolon or a tab::

    rank,node,socket        rank,x,y,z          node,x,y,z
    0,kn01,0                0,3,0,1             kn01,0,0,3
    1,kn01,1                1,3,0,1             kn02,1,0,3

Placement files, which layouts take, need ``rank``. ``x``, ``y`` and ``z`` (or ``x``
and ``y``) are numbers: places in a physical network. Every other column is a level of
the machine, the outermost first. A file may have both. Lines that begin with ``#`` and
empty ones are skipped. For the network a table may do without ranks, and name more
coordinates: ``x, y, z, w, v, u`` or, as Blue Gene does, ``a, b, c, d, e``.
"""

import csv
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import plural
from topoview.errors import PlacementError
from topoview.model import Floats, Machine, MachineFacts

AXES = ("x", "y", "z")

MAX_FILE_BYTES = 256 * 2**20
"""Bytes of the largest file that is read."""

MAX_RANKS: Final = 1 << 24
"""Ranks that a file may name."""


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
    """Return whether a file names levels of the machine, and places in it."""
    return _tells_at(path, placement_stamp(path)) if path else (False, False)


def placement_stamp(path: str) -> tuple[int, int]:
    """Time of the last change in ns, and bytes: (0, 0) if there is no such file."""
    if not path:
        return 0, 0
    try:
        status = Path(path).stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _tells_at(path: str, stamp: tuple[int, int]) -> tuple[bool, bool]:
    """Return what `placement_tells` does, for a file as it was at a time."""
    del stamp  # another one is read anew
    try:
        number, header = next(_lines(Path(path)))
        columns = _columns(Path(path), number, header)
    except (PlacementError, StopIteration):
        return False, False
    return bool(columns.levels), bool(columns.places)


def placement_text(path: Path) -> str:
    """Read a file about a machine.

    Raises `PlacementError`: it cannot be read.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise PlacementError(f"{path} is no placement file: it is too large")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise PlacementError(
            f"{path} cannot be read ({error.strerror}): check the name"
        ) from error
    except UnicodeDecodeError as error:
        raise PlacementError(f"{path} is no text: write a CSV file") from error
    except ValueError as error:  # a NUL, pasted or from a session file
        raise PlacementError(f"{str(path)!r} is no name of a file") from error


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbers and cells of the lines that tell something."""
    try:
        yield from _cells(placement_text(path))
    except ValueError as error:
        raise PlacementError(f"{path}, {error}") from error


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    apart = ","
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if number == 1 or apart not in line:
            apart = next((c for c in ",;\t" if c in line), ",")
        try:
            cells = next(csv.reader([line], delimiter=apart))
        except csv.Error as error:
            raise ValueError(f"line {number}: {error}; write shorter cells") from error
        yield number, cells


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
    if not (text.isascii() and text.isdigit() and len(text) < _MAX_DIGITS):
        raise PlacementError(
            f"{path}, line {number}: {text[:60]!r} is no rank; write its number"
        )
    return int(text)


def _place(
    path: Path, number: int, cells: list[str], columns: PlacementColumns
) -> Floats:
    result = np.full(3, np.nan)
    for axis, column in enumerate(columns.places):
        text = cells[column].strip()
        try:
            result[axis] = float(text)
        except ValueError:
            result[axis] = np.inf
        if not np.isfinite(result[axis]):
            raise PlacementError(
                f"{path}, line {number}: {text!r} is no number; write the place's "
                "coordinates"
            )
    if columns.places:
        result[len(columns.places) :] = 0.0
    return result


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
        seen: dict[tuple[int, str], int] = {}
        for rank, word in enumerate(level):
            if word:
                key = (int(outer[rank]), word)
                units[number, rank] = seen.setdefault(key, len(seen))
        names.append(tuple(word for _, word in seen))
        outer = units[number].astype(np.int64)
    given = places if columns.places else np.zeros((0, 3))
    return Machine(levels, units, tuple(names), places=given)


# Tables about the network.

_HOSTS: Final = ("node", "host", "hostname", "nodename", "nid")
_GRID_AXES: Final = (*"xyzwvu", *"abcde")


def is_machine_table(text: str) -> bool:
    """Return whether a text has a header with ranks, or with hosts and coordinates."""
    _, header = next(_cells(text), (0, []))
    names = _names(header)
    axes = any(name in _GRID_AXES for name in names)
    hosts = any(name in _HOSTS for name in names)
    return ("rank" in names and (axes or hosts)) or (hosts and axes)


def machine_table(text: str) -> MachineFacts:
    """Read hosts, their coordinates, ranks on them: what the header names.

    Without hosts, ranks with equal coordinates are on one node.
    """
    lines = list(_cells(text))
    names = _names(lines[0][1])
    rank = names.index("rank") if "rank" in names else -1
    host = next((names.index(name) for name in _HOSTS if name in names), -1)
    axes = [names.index(name) for name in _GRID_AXES if name in names]
    wanted = 1 + max(rank, host, *axes, 0)
    hosts: dict[str, int] = {}
    place_of: dict[int, list[int]] = {}
    host_of: dict[int, int] = {}
    for number, cells in lines[1:]:
        if len(cells) < wanted:
            raise ValueError(
                f"line {number}: {len(cells)} columns, {wanted} are needed"
            )
        place = [_whole(number, cells[axis]) for axis in axes]
        name = cells[host].strip() if host >= 0 else "-".join(map(str, place))
        own = hosts.setdefault(name, len(hosts))
        if place_of.setdefault(own, place) != place:
            raise ValueError(f"line {number}: {name} has another place above")
        if rank >= 0:
            at = _whole(number, cells[rank])
            if at >= MAX_RANKS:
                raise ValueError(f"line {number}: there are {MAX_RANKS} ranks at most")
            if at in host_of:
                raise ValueError(f"line {number}: rank {at} stands there already")
            host_of[at] = own
    if not hosts:
        raise ValueError("there is nothing below the header")
    table = np.full(1 + max(host_of, default=-1), -1, np.int32)
    table[list(host_of)] = list(host_of.values())
    remarks = [plural(len(hosts), "node")]
    if rank >= 0:
        remarks.append(plural(len(host_of), "rank"))
    if axes:
        remarks.append(f"coordinates {', '.join(names[axis] for axis in axes)}")
    rows = [place_of[k] for k in range(len(hosts))]
    return MachineFacts(
        "table",
        tuple(hosts),
        table,
        np.array(rows, np.int32).reshape(len(hosts), len(axes)),
        sources=(", ".join(remarks),),
    )


_MAX_DIGITS: Final = 10
"""Digits, less than that, of a rank or a coordinate."""


def _names(header: list[str]) -> list[str]:
    return [name.strip().lower().removesuffix("_coord") for name in header]


def _whole(number: int, cell: str) -> int:
    text = cell.strip()
    if not (text.isascii() and text.isdigit() and len(text) < _MAX_DIGITS):
        raise ValueError(f"line {number}: {text[:60]!r} is no whole number")
    return int(text)
