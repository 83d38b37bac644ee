"""Groups of one-sided epochs: whom a rank reaches, and who reaches it.

``MPI_Win_start`` and ``MPI_Win_post`` are given groups, whose members are not read of a
trace (OTF2 has room for them in ``RmaGroupSync``). Whom a rank reaches between
``Win_start`` and ``Win_complete`` is recorded; the k-th post of a rank is taken to be
for the k-th start of those that then reach it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.operations import ONE_SIDED
from topoview.logical.skeleton.facts import Facts
from topoview.logical.skeleton.values import steps_between
from topoview.model import Call, Ints, Match

EPOCHS = frozenset({"Win_start", "Win_post", "Win_complete", "Win_wait"})
"""Operations of epochs with groups."""

UNEVEN = "ranks do not start and post equally often, so groups are not told"
CHANGING = "the group of a rank changes from turn to turn"


@dataclass(frozen=True, slots=True)
class Group:
    """The group of a start or post: steps on the lattice, or ranks.

    Attributes
    ----------
    steps
        Offsets, x first; None if they differ.
    by_rank
        Otherwise the members that each rank names.
    """

    steps: tuple[tuple[int, ...], ...] | None
    by_rank: tuple[tuple[int, ...], ...] = ()


def groups_of(
    known: Facts, match: Match, calls: Sequence[Call]
) -> tuple[dict[int, Group], str]:
    """Find the groups of a window's starts and posts.

    Parameters
    ----------
    calls
        The statements that concern the window.

    Returns
    -------
    dict, str
        Group by statement; why they are not found, empty if they are.
    """
    if not EPOCHS & {call.operation for call in calls}:
        return {}, ""
    started, posted = _epochs(known, calls)
    named = _named(started, posted)
    if named is None:
        return {}, UNEVEN
    found = {s: _group(match, members) for s, members in named.items()}
    if any(group is None for group in found.values()):
        return {}, CHANGING
    return {s: group for s, group in found.items() if group is not None}, ""


Named = dict[int, dict[int, list[frozenset[int]]]]
"""By statement and rank: the group that it names each time."""

Epochs = dict[int, list[tuple[int, set[int]]]]
"""By rank: statement and targets of each start."""


def _named(started: Epochs, posted: dict[int, list[int]]) -> Named | None:
    """Name the groups; None if it is not told which start is for which post."""
    counts = {len(own) for own in started.values()}
    counts |= {len(own) for own in posted.values()}
    if len(counts) > 1 or bool(started) != bool(posted):
        return None
    reached: dict[tuple[int, int], set[int]] = defaultdict(set)
    found: Named = {}
    for rank, epochs in started.items():
        for turn, (statement, targets) in enumerate(epochs):
            if not targets <= posted.keys():
                return None
            for target in targets:
                reached[target, turn].add(rank)
            own = found.setdefault(statement, {})
            own.setdefault(rank, []).append(frozenset(targets))
    for rank, statements in posted.items():
        for turn, statement in enumerate(statements):
            own = found.setdefault(statement, {})
            own.setdefault(rank, []).append(frozenset(reached[rank, turn]))
    return found


def _epochs(known: Facts, calls: Sequence[Call]) -> tuple[Epochs, dict[int, list[int]]]:
    """Find each rank's starts and whom they reach, and the statements of its posts."""
    rows: list[tuple[int, int, str, int, int]] = []
    for call in calls:
        if call.operation not in EPOCHS | ONE_SIDED:
            continue
        own = slice(*known.begins[call.index : call.index + 2].tolist())
        to, source = known.columns["to"][own], known.columns["source"][own]
        columns: list[Ints] = [known.rank[own], known.call[own], np.maximum(to, source)]
        for rank, at, partner in zip(*(c.tolist() for c in columns), strict=True):
            rows.append((rank, at, call.operation, call.index, partner))
    started: Epochs = {}
    posted: dict[int, list[int]] = {}
    within: set[int] = set()
    for rank, _, operation, statement, partner in sorted(rows):
        if operation == "Win_start":
            started.setdefault(rank, []).append((statement, set()))
            within.add(rank)
        elif operation == "Win_complete":
            within.discard(rank)
        elif operation == "Win_post":
            posted.setdefault(rank, []).append(statement)
        elif operation in ONE_SIDED and partner >= 0 and rank in within:
            started[rank][-1][1].add(partner)
    return started, posted


def _group(match: Match, members: dict[int, list[frozenset[int]]]) -> Group | None:
    """Tell a group by steps if they are the same for all, else by rank."""
    if any(len(set(own)) > 1 for own in members.values()):
        return None
    ranks = len(match.vertex)
    by_rank: list[tuple[int, ...]] = [()] * ranks
    for rank, own in members.items():
        by_rank[rank] = tuple(sorted(own[0]))
    steps = _steps(match, members)
    return Group(steps) if steps is not None else Group(None, tuple(by_rank))


def _steps(
    match: Match, members: dict[int, list[frozenset[int]]]
) -> tuple[tuple[int, ...], ...] | None:
    here = np.array([r for r, own in members.items() for _ in own[0]], np.int64)
    there = np.array([t for own in members.values() for t in sorted(own[0])], np.int64)
    steps = steps_between(match, here, there)
    if steps is None:
        return None
    distinct = np.unique(steps, axis=0)
    places = match.topology.coordinates[match.vertex].astype(np.int64)
    dims = np.array(match.topology.dims, np.int64)
    wraps = np.array(match.topology.periodic, bool)
    for rank, own in members.items():
        ends = places[rank] + distinct
        inside = (((ends >= 0) & (ends < dims)) | wraps).all(axis=1)
        if int(inside.sum()) != len(own[0]):
            return None  # it does not reach all that there are
    return tuple(tuple(step) for step in distinct.tolist())
