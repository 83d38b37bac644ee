"""Communicators that play the same part at different ranks, and calls on them.

Communicators that one call made for different ranks are one family, which is named
after the program, or after the rows, columns and planes of the topology that they
are. A collective call is told by its family, and by the root's rank in the
communicator.
"""

import re
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from topoview.grouping import factorize
from topoview.logical.calls.operations import carries_no_data, sizes_of_parts
from topoview.model import (
    AXES,
    Communicator,
    Ints,
    Match,
    Part,
    Plan,
    Trace,
    taken,
    whole_part,
)

LINE_NAMES = ("row", "column")
MAX_FAMILIES_CROSSED = 16
"""Families of which it is seen whether two are the rows and columns of a grid."""
_GIVEN_NAME = re.compile(r"MPI_COMM_|communicator \d+$")
"""Begins of names that a tracer, or reading, gave what the program did not name."""
_TRAILING_NUMBER = re.compile(r"[\s_#:-]*\d+$")


def families(
    trace: Trace,
    match: Match | None = None,
    first_use: Ints | None = None,
    plan: Plan | None = None,
) -> tuple[Ints, list[str]]:
    """Find the communicators that one call made for different ranks.

    The rows of a grid are one family, its columns another one: the parts that
    one ``Comm_split`` makes have no rank in common, so each communicator joins
    the first family that it has no rank in common with, those of its own size
    first. A communicator of all ranks is called after the world. Families that are
    called after no place have the name that the program gave all of their communicators
    (MPI_Comm_set_name), but for a number at its end, or that of an axis of the plan;
    two that cross each other and have none are rows and columns; others have letters,
    in the order in which ranks come to use them.

    Parameters
    ----------
    match
        Where the ranks are: families that are lines or planes of a lattice are
        named so.
    first_use : int64, shape (communicators,)
        As `first_uses`, of all ranks.
    plan
        Whose axes the communicators may be.

    Returns
    -------
    int64, shape (communicators,), and list of str
        Family of each communicator; its name, empty for that of all ranks.
    """
    family_of = np.zeros(len(trace.communicators), np.int64)
    names = ["", "self"]
    taken: list[set[int]] = []
    sizes: list[set[int]] = []
    for index, communicator in enumerate(trace.communicators):
        if len(communicator.ranks) == 0:
            family_of[index] = 1
        elif len(communicator.ranks) < trace.ranks:
            family_of[index] = 2 + _join(communicator, taken, sizes)
    names += [""] * len(sizes)
    for named in (
        _name_by_place(trace, match, family_of),
        _own_names(trace, family_of),
        _name_by_axis(trace, plan, family_of),
    ):
        for family, name in named.items():
            names[family] = names[family] or _distinct_name(name, names)
    if match is None or not match.topology.has_rows:
        _name_lines(names, _crossing(trace, family_of, len(names)))
    used = np.full(len(names), NEVER_USED)
    if first_use is None:
        first_use = first_uses(whole_part(trace))
    np.minimum.at(used, family_of, first_use)
    unnamed = [family for family in range(2, len(names)) if not names[family]]
    unnamed.sort(key=lambda family: (int(used[family]), family))
    for family, letter in zip(unnamed, _letters(len(unnamed)), strict=True):
        least, most = min(sizes[family - 2]), max(sizes[family - 2])
        span = f"{least}" if least == most else f"{least} to {most}"
        names[family] = f"communicator {letter} of {span}"
    return family_of, names


def _name_lines(names: list[str], crossing: tuple[int, ...]) -> None:
    """Name two families rows and columns if neither has a name."""
    if not any(names[family] for family in crossing):
        for family, name in zip(crossing, LINE_NAMES, strict=False):
            names[family] = name


def _distinct_name(name: str, names: list[str]) -> str:
    """Return a name that differs from those that are there."""
    repeats = sum(other.split(" #")[0] == name for other in names)
    return f"{name} #{repeats + 1}" if repeats else name


def given_stem(name: str) -> str:
    """Return a communicator's name without its number; empty if a tracer gave it."""
    return "" if _GIVEN_NAME.match(name) else _TRAILING_NUMBER.sub("", name.strip())


def _own_names(trace: Trace, family_of: Ints) -> dict[int, str]:
    """Name the families whose communicators the program gave one name."""
    stems: dict[int, set[str]] = {}
    for communicator, family in zip(
        trace.communicators, family_of.tolist(), strict=True
    ):
        if family >= 2:
            stems.setdefault(family, set()).add(given_stem(communicator.name))
    return {
        family: names.pop()
        for family, names in sorted(stems.items())
        if len(names) == 1 and names != {""}
    }


def _crossing(trace: Trace, family_of: Ints, families: int) -> tuple[int, ...]:
    """Find two families that are the rows and the columns of a grid.

    Each row must meet each column in one rank, and both have all ranks that they
    have. Rows are those whose members' ranks are nearest to each other.

    Parameters
    ----------
    family_of : int64, shape (communicators,)
        Family of each communicator.

    Returns
    -------
    tuple of int
        Families of rows and of columns; empty if there are none.
    """
    several = np.flatnonzero(np.bincount(family_of, minlength=families) > 1)
    tried = set(several[several > 1][:MAX_FAMILIES_CROSSED].tolist())
    lines: dict[int, Ints] = {}
    reach: dict[int, int] = {}
    for index, communicator in enumerate(trace.communicators):
        family, ranks = int(family_of[index]), communicator.ranks
        if family not in tried or bool(np.any(ranks < 0)):
            continue
        own = lines.setdefault(family, np.full(trace.ranks, -1, np.int64))
        own[ranks] = index
        reach[family] = max(reach.get(family, 0), int(np.ptp(ranks)))
    for other, one in combinations(lines, 2):
        held = lines[one] >= 0
        if not np.array_equal(held, lines[other] >= 0):
            continue
        a, b = factorize(lines[one][held])[1], factorize(lines[other][held])[1]
        n, m = int(a.max()) + 1, int(b.max()) + 1
        if min(n, m) > 1 and n * m == len(a) == len(np.unique(a * m + b)):
            rows, columns = sorted((other, one), key=lambda f: (reach[f], f))
            return rows, columns
    return ()


NEVER_USED: Final = np.iinfo(np.int64).max


def first_uses(part: Part) -> Ints:
    """Fewest calls that a rank of a part makes before it uses each communicator.

    Returns
    -------
    int64, shape (communicators,)
    """
    parts, offsets = part.trace.collectives, part.trace.calls.offsets
    calls = taken(parts.call, part.collectives)
    valid = calls >= 0
    calls, own = calls[valid], taken(parts.communicator, part.collectives)[valid]
    row = np.searchsorted(offsets, calls, side="right") - 1
    least = np.full(len(part.trace.communicators) + 1, NEVER_USED)  # -1: none
    np.minimum.at(least, own, calls - offsets[row])
    return least[:-1]


def _name_by_place(
    trace: Trace, match: Match | None, family_of: Ints
) -> dict[int, str]:
    """Name the families whose communicators are lines or planes of a lattice."""
    if match is None or not match.topology.has_rows:
        return {}
    d = len(match.topology.dims)
    along = _axes_of_families(trace, match, family_of)
    names = {family: _line_or_plane(axes, d) for family, axes in along.items()}
    return {family: name for family, name in names.items() if name}


def _name_by_axis(trace: Trace, plan: Plan | None, family_of: Ints) -> dict[int, str]:
    """Name the families whose communicators are groups along axes of a plan."""
    if plan is None or plan.is_grid:
        return {}
    along = _axes_of_families(trace, plan.match, family_of)
    return {
        family: " x ".join(plan.axes[axis].name for axis in axes)
        for family, axes in along.items()
    }


def _axes_of_families(
    trace: Trace, match: Match, family_of: Ints
) -> dict[int, tuple[int, ...]]:
    """Find the axes along which the communicators of families have all ranks."""
    topology, places = match.topology, match.coordinates
    if bool(np.any(match.vertex < 0)):
        return {}
    axes: dict[int, set[tuple[int, ...]]] = {}
    for index, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks
        if family_of[index] < 2 or len(ranks) < 2:
            continue
        own = places[ranks[ranks >= 0]]
        along = tuple(np.flatnonzero((own != own[:1]).any(axis=0)).tolist())
        whole = np.prod([topology.dims[axis] for axis in along]) == len(ranks)
        axes.setdefault(int(family_of[index]), set()).add(along if whole else ())
    return {
        family: along
        for family, several in sorted(axes.items())
        if len(several) == 1 and (along := next(iter(several)))
    }


def _line_or_plane(along: tuple[int, ...], d: int) -> str:
    if len(along) == 1:
        return LINE_NAMES[along[0]] if d == 2 else f"line {AXES[along[0]]}"
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
    for index, rows in zip(used.tolist(), np.split(order, first[1:]), strict=False):
        members = trace.communicators[index].ranks
        own = np.full(trace.ranks, -1 if len(members) else 0, np.int64)
        present = np.flatnonzero(members >= 0)  # -1: no rank that the trace has
        own[members[present]] = present
        local[rows] = own[rank[rows]]
    return local


# Collective operations: the part that each call takes in one.


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveRoles:
    """The part of each call; -1 where it is no collective."""

    family: Ints
    root: Ints
    size: Ints
    """`family`, `root` and `size`: int64, shape (calls,): family of the communicator,
    root's rank in the communicator, bytes."""


def collective_roles(trace: Trace, ranks: slice, family_of: Ints) -> CollectiveRoles:
    """Find the part that each call of some ranks takes in a collective.

    Parameters
    ----------
    family_of : int64, shape (communicators,)
        As `families`.
    """
    parts = trace.collectives
    first, last = trace.calls.offsets[[ranks.start, ranks.stop]].tolist()
    chosen = slice(*np.searchsorted(parts.call, (first, last)).tolist())
    call = parts.call[chosen] - first
    family, root, size = np.full((3, last - first), -1)
    communicator = parts.communicator[chosen].astype(np.int64)
    family[call] = np.append(family_of, 0)[communicator]
    root_of = parts.root[chosen].astype(np.int64)
    rooted = np.flatnonzero((root_of >= 0) & (communicator >= 0))
    root[call[rooted]] = local_ranks(trace, communicator[rooted], root_of[rooted])
    operation = trace.regions.operation[trace.calls.region[first + call]]
    size[call] = sizes_of_parts(parts, chosen, trace.regions, operation)
    size[call[carries_no_data(trace.regions)[operation]]] = -1
    return CollectiveRoles(family, root, size)
