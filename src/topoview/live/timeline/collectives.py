"""Collective operations of a window: who came when, and who came last."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import grouped, plural, tr
from topoview.live.tables.parts.parts import CollectiveOperations, collective_operations
from topoview.model import Analysis, Frozen, Indices, Ints, Trace

MAX_ARRIVALS_DRAWN: Final = 8192
"""Arrivals of ranks that are drawn: of more operations those that took longest to be
complete."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowCollectives(Frozen):
    """Collective operations of a window that are drawn."""

    offsets: Ints
    """int64, shape (operations + 1,): operation ``k`` owns the arrivals ``offsets[k]``
    to ``offsets[k + 1]``."""
    rank: Indices
    """int32, shape (arrivals,)"""
    enter: Ints
    """int64, shape (arrivals,): when each came, in ticks."""
    call: Ints
    """int64, shape (operations,): call of the rank that came last."""
    last: Indices
    """int32, shape (operations,): that rank; the lowest one of several."""
    begin: Ints
    complete: Ints
    """`begin` and `complete`: int64, shape (operations,): when the first and the last
    came, in ticks."""
    total: int
    """How many there are in the window."""

    def __len__(self) -> int:
        """Count those that are drawn."""
        return len(self.call)

    @property
    def words(self) -> str:
        """How many of how many are drawn: ``64 of 1,024 collective operations ...``."""
        if self.total == len(self):
            return tr(
                "{collective_operations} drawn",
                collective_operations=plural(self.total, "collective operation"),
            )
        return tr(
            "{drawn} of {total} collective operations "
            "drawn: those that ranks came to most apart",
            drawn=grouped(len(self)),
            total=grouped(self.total),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Operations:
    """All operations of a trace of more than one member; ticks in their order."""

    trace: Trace
    operations: CollectiveOperations
    ends: Ints
    begin: Ints
    complete: Ints
    end: Ints


class CollectiveFinder:
    """Finds the operations of windows; keeps which calls belong together."""

    def __init__(self) -> None:
        self._kept: _Operations | None = None

    def find(
        self, analysis: Analysis, window: tuple[int, int], ranks: Indices
    ) -> WindowCollectives | None:
        """Find the operations that are open in a window, as far as some ranks are in.

        None where clocks are not aligned: who came last is not known then. Operations
        of which fewer than two of the ranks are members have no arrivals to compare.
        """
        trace = analysis.trace
        if not trace.clock.aligned:
            return None
        if self._kept is None or self._kept.trace is not trace:
            self._kept = _operations(trace)
        every = self._kept
        seen = (every.begin < window[1]) & (every.end > window[0])
        chosen = np.flatnonzero(seen)
        shown = np.zeros(trace.ranks, bool)
        shown[ranks] = True
        first, call = every.operations.first, every.operations.call
        rank = trace.ranks_of_calls(call)
        number = np.repeat(np.arange(len(every.ends)), every.ends - first)
        members = np.bincount(number[shown[rank]], minlength=len(every.ends))
        chosen = chosen[members[chosen] > 1]
        total = len(chosen)
        spread = every.complete[chosen] - every.begin[chosen]
        chosen = chosen[np.argsort(-spread, kind="stable")]
        arrivals = np.cumsum(members[chosen])
        kept = max(int(np.searchsorted(arrivals, MAX_ARRIVALS_DRAWN, "right")), 1)
        return _drawn(every, np.sort(chosen[:kept]), shown, total)


def _operations(trace: Trace) -> _Operations:
    operations = collective_operations(trace)
    calls, first = trace.calls, operations.first
    ends = np.append(first[1:], len(operations.call)).astype(np.int64)[: len(first)]
    if not len(first):
        nothing = np.zeros(0, np.int64)
        return _Operations(
            trace=trace,
            operations=operations,
            ends=ends,
            begin=nothing,
            complete=nothing,
            end=nothing,
        )
    enter, leave = calls.enter[operations.call], calls.leave[operations.call]
    return _Operations(
        trace=trace,
        operations=operations,
        ends=ends,
        begin=np.minimum.reduceat(enter, first),
        complete=np.maximum.reduceat(enter, first),
        end=np.maximum.reduceat(leave, first),
    )


def _drawn(
    every: _Operations, chosen: Ints, shown: np.ndarray, total: int
) -> WindowCollectives:
    """Gather arrivals and last ones of some operations."""
    trace, operations = every.trace, every.operations
    enters, ranks, last_calls, lasts, offsets = [], [], [], [], [0]
    for k in chosen.tolist():
        call = operations.call[operations.first[k] : every.ends[k]]
        rank, enter = trace.ranks_of_calls(call), trace.calls.enter[call]
        latest = int(np.lexsort((rank, -enter))[0])
        last_calls.append(int(call[latest]))
        lasts.append(int(rank[latest]))
        inside = shown[rank]
        ranks.append(rank[inside])
        enters.append(enter[inside])
        offsets.append(offsets[-1] + int(inside.sum()))
    return WindowCollectives(
        offsets=np.array(offsets, np.int64),
        rank=np.concatenate([np.zeros(0, np.int64), *ranks]).astype(np.int32),
        enter=np.concatenate([np.zeros(0, np.int64), *enters]),
        call=np.array(last_calls, np.int64),
        last=np.array(lasts, np.int32),
        begin=every.begin[chosen],
        complete=every.complete[chosen],
        total=total,
    )
