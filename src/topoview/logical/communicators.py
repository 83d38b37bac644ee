"""Communicators that play the same part at different ranks."""

import re
from itertools import combinations

import numpy as np

from topoview.logical.arrays import stretch
from topoview.logical.numbering import number
from topoview.model import Communicator, Ints, Match, Trace

LATTICES = frozenset({"lattice", "cg", "rook", "transpose"})
LINES = ("row", "column")
CROSSED = 16
"""Families of which it is seen whether two are the rows and columns of a grid."""
AXES = ("x", "y", "z", "w", "v", "u", "t", "s")
_GIVEN = re.compile(r"MPI_COMM_|communicator \d+$")
"""Begins of names that a tracer, or reading, gave what the program did not name."""
_NUMBER = re.compile(r"[\s_#:-]*\d+$")


def families(trace: Trace, match: Match | None = None) -> tuple[Ints, list[str]]:
    """Find the communicators that one call made for different ranks.

    The rows of a grid are one family, its columns another one: the parts that
    one ``Comm_split`` makes have no rank in common, so each communicator joins
    the first family that it has no rank in common with, those of its own size
    first. A communicator of all ranks is called after the world. Families that are
    called after no place have the name that the program gave all of their communicators
    (MPI_Comm_set_name), but for a number at its end; two that cross each other and have
    none are rows and columns; others have letters, in the order in which ranks come to
    use them.

    Parameters
    ----------
    match
        Where the ranks are: families that are lines or planes of a lattice are
        named so.

    Returns
    -------
    int64, shape (communicators,), and list of str
        Family of each communicator; its name, empty for that of all ranks.
    """
    found = np.zeros(len(trace.communicators), np.int64)
    names = ["", "self"]
    taken: list[set[int]] = []
    sizes: list[set[int]] = []
    for index, communicator in enumerate(trace.communicators):
        if len(communicator.ranks) == 0:
            found[index] = 1
        elif len(communicator.ranks) < trace.ranks:
            found[index] = 2 + _join(communicator, taken, sizes)
    names += [""] * len(sizes)
    if match is not None:
        for family, name in _placed(trace, match, found).items():
            names[family] = _unlike(name, names)
    for family, name in _own_names(trace, found).items():
        names[family] = names[family] or _unlike(name, names)
    if match is None or not _is_grid(match):
        _name_lines(names, _crossing(trace, found, len(names)))
    used = _first_uses(trace, found, len(names))
    unnamed = [family for family in range(2, len(names)) if not names[family]]
    unnamed.sort(key=lambda family: (int(used[family]), family))
    for family, letter in zip(unnamed, _letters(len(unnamed)), strict=True):
        least, most = min(sizes[family - 2]), max(sizes[family - 2])
        span = f"{least}" if least == most else f"{least} to {most}"
        names[family] = f"communicator {letter} of {span}"
    return found, names


def _name_lines(names: list[str], crossing: tuple[int, ...]) -> None:
    """Name two families rows and columns if neither has a name."""
    if not any(names[family] for family in crossing):
        for family, name in zip(crossing, LINES, strict=False):
            names[family] = name


def _unlike(name: str, names: list[str]) -> str:
    """Tell a name apart from those that are there."""
    known = sum(other.split(" #")[0] == name for other in names)
    return f"{name} #{known + 1}" if known else name


def _own_names(trace: Trace, found: Ints) -> dict[int, str]:
    """Name the families whose communicators the program gave one name."""
    stems: dict[int, set[str]] = {}
    for communicator, family in zip(trace.communicators, found.tolist(), strict=True):
        if family >= 2:
            own = communicator.name
            stem = "" if _GIVEN.match(own) else _NUMBER.sub("", own.strip())
            stems.setdefault(family, set()).add(stem)
    return {
        family: names.pop()
        for family, names in sorted(stems.items())
        if len(names) == 1 and names != {""}
    }


def _crossing(trace: Trace, found: Ints, families: int) -> tuple[int, ...]:
    """Find two families that are the rows and the columns of a grid.

    Each row must meet each column in one rank, and both have all ranks that they
    have. Rows are those whose members' ranks are nearest to each other.

    Parameters
    ----------
    found : int64, shape (communicators,)
        Family of each communicator.

    Returns
    -------
    tuple of int
        Families of rows and of columns; empty if there are none.
    """
    several = np.flatnonzero(np.bincount(found, minlength=families) > 1)
    tried = set(several[several > 1][:CROSSED].tolist())
    lines: dict[int, Ints] = {}
    reach: dict[int, int] = {}
    for index, communicator in enumerate(trace.communicators):
        family, ranks = int(found[index]), communicator.ranks
        if family not in tried or bool(np.any(ranks < 0)):
            continue
        own = lines.setdefault(family, np.full(trace.ranks, -1, np.int64))
        own[ranks] = index
        reach[family] = max(reach.get(family, 0), int(np.ptp(ranks)))
    for other, one in combinations(lines, 2):
        held = lines[one] >= 0
        if not np.array_equal(held, lines[other] >= 0):
            continue
        a, b = number(lines[one][held])[1], number(lines[other][held])[1]
        n, m = int(a.max()) + 1, int(b.max()) + 1
        if min(n, m) > 1 and n * m == len(a) == len(np.unique(a * m + b)):
            rows, columns = sorted((other, one), key=lambda f: (reach[f], f))
            return rows, columns
    return ()


def _first_uses(trace: Trace, family: Ints, families: int) -> Ints:
    """Fewest calls that a rank makes before it uses each family, int64."""
    parts, offsets = trace.collectives, trace.calls.offsets
    known = parts.call >= 0
    calls, own = parts.call[known], family[parts.communicator[known]]
    row = np.searchsorted(offsets, calls, side="right") - 1
    never = np.iinfo(np.int64).max
    least = np.full(families, never)
    stretch(least, np.zeros(families, np.int64), own, calls - offsets[row])
    return least


def _is_grid(match: Match) -> bool:
    """Whether the topology has rows and columns of its own."""
    return match.topology.kind in LATTICES and len(match.topology.dims) > 1


def _placed(trace: Trace, match: Match, found: Ints) -> dict[int, str]:
    """Name the families whose communicators are lines or planes of a lattice."""
    topology = match.topology
    d = len(topology.dims)
    if not _is_grid(match) or bool(np.any(match.vertex < 0)):
        return {}
    places = match.coordinates
    axes: dict[int, set[tuple[int, ...]]] = {}
    for index, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks
        if found[index] < 2 or len(ranks) < 2:
            continue
        own = places[ranks[ranks >= 0]]
        along = tuple(np.flatnonzero((own != own[:1]).any(axis=0)).tolist())
        whole = np.prod([topology.dims[axis] for axis in along]) == len(ranks)
        axes.setdefault(int(found[index]), set()).add(along if whole else ())
    return {
        family: name
        for family, kinds in sorted(axes.items())
        if len(kinds) == 1 and (name := _line_or_plane(next(iter(kinds)), d))
    }


def _line_or_plane(along: tuple[int, ...], d: int) -> str:
    if len(along) == 1:
        return LINES[along[0]] if d == 2 else f"line {AXES[along[0]]}"
    if len(along) == 2 and d == 3:
        (across,) = set(range(3)) - set(along)
        return f"plane {AXES[across]}"
    return " ".join(("space", *(AXES[axis] for axis in along))) if along else ""


def _join(
    communicator: Communicator, taken: list[set[int]], sizes: list[set[int]]
) -> int:
    members = set(communicator.ranks.tolist())
    free = [i for i, ranks in enumerate(taken) if ranks.isdisjoint(members)]
    if free:
        chosen = min(free, key=lambda i: len(members) not in sizes[i])
    else:
        chosen = len(taken)
        taken.append(set())
        sizes.append(set())
    taken[chosen] |= members
    sizes[chosen].add(len(members))
    return chosen


def _letters(count: int) -> list[str]:
    return [chr(ord("A") + i) if i < 26 else f"number {i + 1}" for i in range(count)]


def local_ranks(trace: Trace, communicator: Ints, rank: Ints) -> Ints:
    """Find ranks' own numbers in communicators.

    Parameters
    ----------
    communicator, rank : int64, shape (n,)
        Pairs of a communicator and a world rank.

    Returns
    -------
    int64, shape (n,)
        -1 where the rank is no member.
    """
    local = np.full(len(rank), -1, np.int64)
    order = np.argsort(communicator, kind="stable")
    used, first = np.unique(communicator[order], return_index=True)
    for index, asked in zip(used.tolist(), np.split(order, first[1:]), strict=False):
        members = trace.communicators[index].ranks
        own = np.full(trace.ranks, -1 if len(members) else 0, np.int64)
        known = np.flatnonzero(members >= 0)  # -1: no rank that the trace has
        own[members[known]] = known
        local[asked] = own[rank[asked]]
    return local
