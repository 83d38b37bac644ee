"""Collective operations in which ranks took part while they were not recorded.

The k-th part of each rank in a group belongs to its k-th operation there (MPI 4.1,
section 6.1). Behind a gap of a rank k is not known: its first parts there are held
against those of ranks that were recorded meanwhile, of the same operation and root, and
are taken to belong to those that ended at about the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from topoview.grouping import factorize
from topoview.io.repairs.gaps import NEVER
from topoview.model import PARTS_MISSED, EarlierRecords, Ints, Trace
from topoview.model.trace import FIRST_WITHOUT_DATA

_COMPARED: Final = 16
"""Parts behind a gap that are held against those of others."""


class MissedParts(NamedTuple):
    """What gaps cost in collective operations."""

    missed: tuple[EarlierRecords, ...]
    """Parts that are missing, before some of the calls: for `Trace.earlier`."""
    incomplete: int
    """Operations of which some members' parts are not recorded."""


def find_missed_parts(trace: Trace, gaps: Ints) -> MissedParts:
    """Find how many operations ranks missed, and how many are incomplete.

    Parameters
    ----------
    gaps : int64, shape (n, 3)
        From `topoview.io.repairs.gaps`.
    """
    parts = _parts_of_groups(trace)
    if parts is None:
        return MissedParts((), 0)
    rows: list[tuple[int, int, int, int, int]] = []
    incomplete = 0
    for group, members in _uneven_groups(trace, parts):
        columns = [parts.of(group, rank) for rank in members]
        turns = _turns(trace, columns, _cuts(trace, columns, members, gaps))
        end = 1 + max(int(turn.max(initial=-1)) for turn in turns)
        for rank, own, turn in zip(members, columns, turns, strict=True):
            off = bool((gaps[gaps[:, 0] == rank, 2] == NEVER).any())
            bounds = np.append(turn, end) if off else turn
            jump = np.diff(bounds, prepend=-1) - 1
            for place in np.flatnonzero(jump).tolist():
                call = (
                    int(trace.collectives.call[own[place]]) if place < len(own) else -1
                )
                first = int(bounds[place] - jump[place])
                rows.append((rank, group, call, first, int(jump[place])))
        seen = np.concatenate([np.zeros(0, np.int64), *turns])
        _, times = np.unique(seen, return_counts=True)
        incomplete += int(np.count_nonzero(times < trace.communicator_sizes[group]))
    table = np.array(sorted(rows, key=lambda row: row[2]), np.int64).reshape(-1, 5)
    missed = EarlierRecords(
        name=PARTS_MISSED,
        fields=("communicator", "call", "turn"),
        rank=table[:, 0].copy(),
        region=np.full(len(table), -1, np.int64),
        values=table[:, 1:4].copy(),
        count=table[:, 4].copy(),
    )
    return MissedParts((missed,) * bool(len(missed)), incomplete)


class _Parts(NamedTuple):
    """Parts in operations of several ranks: rows of the trace's collectives."""

    row: Ints
    """By group and rank, then call."""
    keys: Ints
    offsets: Ints
    """`keys` and `offsets`: groups times the number of ranks, plus the rank, ascending,
    and where the parts of each begin."""
    ranks: int

    def of(self, group: int, rank: int) -> Ints:
        """List the parts of a rank in operations of a group."""
        at = int(np.searchsorted(self.keys, group * self.ranks + rank))
        if at == len(self.keys) or self.keys[at] != group * self.ranks + rank:
            return np.zeros(0, np.int64)
        return self.row[self.offsets[at] : self.offsets[at + 1]]


def _parts_of_groups(trace: Trace) -> _Parts | None:
    table, sizes = trace.collectives, trace.communicator_sizes
    group = table.communicator.astype(np.int64)
    valid = (group >= 0) & (table.call >= 0) & (table.operation < FIRST_WITHOUT_DATA)
    valid &= sizes[group] > 1
    rows = np.flatnonzero(valid)
    rank = trace.ranks_of_calls(table.call[rows])
    rows, rank = rows[rank >= 0], rank[rank >= 0]
    if not len(rows):
        return None
    keys, number = factorize(group[rows] * trace.ranks + rank)
    order = np.argsort(number, kind="stable")
    offsets = np.append(0, np.cumsum(np.bincount(number, minlength=len(keys))))
    return _Parts(rows[order], keys, offsets, trace.ranks)


def _uneven_groups(trace: Trace, parts: _Parts) -> list[tuple[int, list[int]]]:
    """List groups whose members have not equally many parts, and the members."""
    group = parts.keys // parts.ranks
    counts = np.diff(parts.offsets)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    members = np.diff(first, append=len(group))
    equal = np.minimum.reduceat(counts, first) == np.maximum.reduceat(counts, first)
    equal &= members == trace.communicator_sizes[group[first]]
    return [
        (int(group[at]), (parts.keys[at : at + size] % parts.ranks).tolist())
        for at, size in zip(
            first[~equal].tolist(), members[~equal].tolist(), strict=True
        )
    ]


def _cuts(
    trace: Trace, columns: Sequence[Ints], members: Sequence[int], gaps: Ints
) -> list[Ints]:
    """Find before which of its parts each member was not recorded for a while."""
    enter = trace.calls.enter
    cuts = []
    for rank, own in zip(members, columns, strict=True):
        begins = gaps[gaps[:, 0] == rank, 1]
        at = np.searchsorted(enter[trace.collectives.call[own]], begins)
        cuts.append(np.unique(at[at < len(own)]))
    return cuts


@dataclass(slots=True)
class _Run:
    """Parts of a rank without a gap between them."""

    member: int
    first: int
    parts: Ints
    enter: Ints
    leave: Ints
    kind: Ints
    """`enter`, `leave` and `kind`: of the parts: ticks; operation and root."""
    turn: int
    """Which operation the first one is of; -1 where unknown."""


def _turns(trace: Trace, columns: Sequence[Ints], cuts: Sequence[Ints]) -> list[Ints]:
    """Enumerate the operations of a group, as each member's parts belong to them."""
    table, calls = trace.collectives, trace.calls
    runs = []
    for member, (own, at) in enumerate(zip(columns, cuts, strict=True)):
        ends = np.unique(np.concatenate(([0], at, [len(own)]))).tolist()
        for low, high in pairwise(ends):
            some = own[low:high]
            call, done = table.call[some], table.completion_call[some]
            done = np.where(done >= 0, done, call)
            kind = table.operation[some].astype(np.int64) << 32
            kind |= table.root[some].view(np.uint32)
            runs.append(
                _Run(
                    member=member,
                    first=low,
                    parts=some,
                    enter=calls.enter[call],
                    leave=calls.leave[done],
                    kind=kind,
                    turn=0 if low == 0 and 0 not in at else -1,
                )
            )
    turns = [np.zeros(len(own), np.int64) for own in columns]
    placed: list[_Run] = []
    last = [0] * len(columns)
    for run in sorted(runs, key=lambda one: (one.turn < 0, int(one.leave[0]))):
        if run.turn < 0:
            run.turn = max(_turn_of(run, placed), last[run.member])
        turns[run.member][run.first : run.first + len(run.parts)] = (
            run.turn + np.arange(len(run.parts))
        )
        last[run.member] = run.turn + len(run.parts)
        placed.append(run)
    return turns


def _turn_of(run: _Run, placed: Sequence[_Run]) -> int:
    """Find which operation the first part of a run belongs to."""
    votes: list[int] = []
    for other in placed:
        if other.member == run.member or other.leave[-1] < run.enter[0]:
            continue
        for place in range(min(_COMPARED, len(run.parts))):
            same = np.flatnonzero(other.kind == run.kind[place])
            meets = (other.enter[same] <= run.leave[place]) & (
                other.leave[same] >= run.enter[place]
            )
            same = same[meets]
            if len(same):
                nearest = same[np.argmin(np.abs(other.leave[same] - run.leave[place]))]
                votes.append(other.turn + int(nearest) - place)
        if votes:
            break
    if votes:
        turns, times = np.unique(votes, return_counts=True)
        return int(turns[np.argmax(times)])
    # Nobody was recorded when this rank came back.
    before = [
        one.turn + int(np.searchsorted(one.leave, run.leave[0])) for one in placed
    ]
    return max(before, default=0)
