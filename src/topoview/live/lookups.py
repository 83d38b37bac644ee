"""What a view looks up in a trace again and again: kept by whoever asks."""

from functools import cached_property

from topoview.live.calls import CallFacts, facts_of, messages_of
from topoview.live.colourings.scales import WAITING
from topoview.live.counters import CounterSeries, series_of
from topoview.live.moment import TimeCursor
from topoview.live.selection import CallFinder
from topoview.live.window_sums import longest_ticks
from topoview.model import Analysis, MetricCounter, Trace

MAX_FACTS_KEPT = 64
"""Calls of which it is kept what they did."""


class Lookups:
    """What is looked up in a trace again and again; whoever asks keeps its own.

    Parameters
    ----------
    trace
        The trace.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.cursor = TimeCursor(trace)
        self.calls = CallFinder()
        self._facts: dict[int, CallFacts] = {}
        self._series: dict[MetricCounter, CounterSeries | None] = {}

    @cached_property
    def longest_wait(self) -> int:
        """Of any rank in the run, in ticks."""
        return longest_ticks(self.trace, WAITING)

    def facts(self, known: Analysis, rank: int, call: int) -> CallFacts:
        """Tell what a call of a rank did."""
        if call not in self._facts:
            if len(self._facts) >= MAX_FACTS_KEPT:
                del self._facts[next(iter(self._facts))]
            near = messages_of(known, rank, call, call + 1)
            self._facts[call] = facts_of(self.trace, near, call)
        return self._facts[call]

    def series(self, counter: MetricCounter) -> CounterSeries | None:
        """Values of a counter; None without any."""
        if counter not in self._series:
            self._series[counter] = series_of(self.trace, counter)
        return self._series[counter]
