"""What is shown of waits: by kind and distance for a delay, of a window, of advice."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from topoview.live.picking.navigation import Window
from topoview.live.waits.delays import changes_to_delay, front_of
from topoview.model import (
    WAIT_KINDS,
    Analysis,
    Efficiency,
    Floats,
    Frozen,
    Indices,
    Ints,
    UsefulWork,
    WaitSums,
    whole_part,
)
from topoview.report.advice import Advice
from topoview.report.claims import front
from topoview.session import Selection, State


@dataclass(frozen=True, slots=True, eq=False)
class KindSums(Frozen):
    """Waiting by kind, and what of it is due to a delay."""

    kind: Ints
    """int64, shape (n,): index into `WAIT_KINDS`; those that are there, most waiting
    first."""
    ticks: Ints
    due: Ints
    """`ticks` and `due`: int64, shape (n,): all waiting, and what is due to the
    delay."""


def kind_sums(analysis: Analysis, delay: int) -> KindSums:
    """Sum up waiting by kind; due to a delay, -1 for none."""
    sums, delays, waits = analysis.wait_sums, analysis.delays, analysis.waits
    assert sums is not None
    ticks = sums.suffered.sum(axis=1)
    due = np.zeros(len(WAIT_KINDS) + 1)
    if delays is not None and waits is not None and 0 <= delay < len(delays):
        own = slice(int(delays.offsets[delay]), int(delays.offsets[delay + 1]))
        kinds = waits.kind[delays.wait_call[own]]
        due += np.bincount(kinds, delays.wait_due[own], len(due))
    there = np.argsort(-ticks, kind="stable")
    there = there[ticks[there] > 0]
    return KindSums(there, ticks[there], due[there].astype(np.int64))


def hop_waits(analysis: Analysis, delay: int) -> Floats:
    """Compute what ranks first wait for a delay, by their distance from it.

    Returns
    -------
    float64, shape (hops,)
        Median of the seconds that are due to it in the first wait of the ranks at a
        distance of 1, 2, ...; NaN where it comes to none.
    """
    delays = analysis.delays
    assert delays is not None
    own = slice(int(delays.offsets[delay]), int(delays.offsets[delay + 1]))
    ranks, first = np.unique(delays.wait_rank[own], return_index=True)
    first = first[ranks != delays.rank[delay]]
    hops, due = delays.wait_hops[own][first], delays.wait_due[own][first]
    medians = np.full(max(int(hops.max(initial=0)), 0), np.nan)
    for hop in range(len(medians)):
        if (hops == hop + 1).any():
            medians[hop] = np.median(due[hops == hop + 1])
    return medians / analysis.trace.clock.resolution


def iterations_of_delay(analysis: Analysis, delay: int) -> tuple[int, int]:
    """Return the first and last iteration of its wave, from 1; (0, 0) for none."""
    delays, parts = analysis.delays, analysis.efficiencies
    if delays is None or parts is None or not 0 <= delay < len(delays):
        return 0, 0
    if not front(analysis.trace, delays, delay).holds:
        return 0, 0
    first = int(delays.iteration[delay])
    own = slice(int(delays.offsets[delay]), int(delays.offsets[delay + 1]))
    if not first or own.start == own.stop:
        return first, first
    arrival = delays.arrivals(delay, analysis.trace.ranks)
    ends = parts.iterations[:, 0]
    last = int(np.searchsorted(ends, arrival.max(), side="right"))
    return first, max(first, last)


def wait_sums_within(
    analysis: Analysis, window: Window, ranks: tuple[int, ...]
) -> WaitSums | None:
    """Sum up waiting in a window, of some ranks or all; None without common clocks."""
    from topoview.analysis.waits.deduced import deduced_ends
    from topoview.analysis.waits.operations.collective_times import collective_times
    from topoview.analysis.waits.operations.windows import window_waits
    from topoview.analysis.waits.sums import wait_sums  # compiled code

    assert analysis.logical is not None
    assert analysis.positions is not None
    assert analysis.identification is not None
    part = whole_part(analysis.trace)
    return wait_sums(
        part,
        analysis.waits,
        analysis.logical,
        analysis.positions,
        analysis.identification,
        collective_times(part),
        deduced_ends(part),
        window_waits(analysis.trace),
        analysis.outline,
        window=window,
        some_ranks=ranks,
    )


def window_efficiency(analysis: Analysis, window: Window) -> Efficiency:
    """Find the efficiencies of a window: a pass over all calls, but for known spans."""
    from topoview.analysis.waits.efficiency import efficiency_of  # compiled code
    from topoview.live.moments.window_sums import profile_within

    spans = (analysis.profile, analysis.profile_of_run, analysis.profile_of_loop)
    same = (each for each in spans if each is not None and each.span.window == window)
    profile = next(same, None) or profile_within(analysis, window)
    return efficiency_of(analysis.trace, profile)


def window_work(analysis: Analysis, window: Window) -> UsefulWork | None:
    """Count what ranks compute in a window; None without counters that add up."""
    if all(counter.mode == "value" for counter in analysis.trace.counters):
        return None
    from topoview.analysis.logical.counters import useful_work  # compiled code

    return useful_work(analysis.trace, window)


def waits_of_functions(
    analysis: Analysis, window: Window, ranks: tuple[int, ...]
) -> tuple[dict[str, int], dict[str, int]]:
    """Sum up by MPI function what its calls waited, and what it caused.

    Parameters
    ----------
    window, ranks
        What counts; empty: all ranks. What was caused is known of the exchange of all
        ranks only.

    Returns
    -------
    dict, dict
        Ticks by name; empty where unknown.
    """
    if analysis.waits is None:
        return {}, {}
    from topoview.analysis.waits.states import lateness  # compiled code

    trace = analysis.trace
    calls, regions = trace.calls, trace.regions
    last = int(calls.offsets[trace.ranks])
    enter = calls.enter[:last]
    late = np.maximum(lateness(trace, analysis.waits)[:last], 0)
    late = np.clip(enter + late, *window) - np.clip(enter, *window)
    if ranks:
        counts = np.zeros(trace.ranks, bool)
        counts[list(ranks)] = True
        late = late * np.repeat(counts, np.diff(calls.offsets[: trace.ranks + 1]))
    operation = regions.operation[calls.region[:last]]
    names = regions.operations

    def by_name(where: Ints | Indices, ticks: Ints) -> dict[str, int]:
        sums = np.bincount(where[where >= 0], ticks[where >= 0], len(names))
        return dict(zip(names, sums.astype(np.int64).tolist(), strict=True))

    waited = by_name(operation, late)
    exchange = None if analysis.profile is None else analysis.profile.span.window
    if (
        window != exchange
        or ranks
        or analysis.delays is None
        or analysis.logical is None
    ):
        return waited, {}
    statement = analysis.logical.statement_of_call[:last]
    of = np.full(analysis.logical.statements, -1, np.int64)
    of[statement[statement >= 0]] = operation[statement >= 0]
    return waited, by_name(of, analysis.delays.of_statement)


def changes_to_advice(state: State, advice: Advice) -> dict[str, Any]:
    """Return what changes in the state when a finding is shown.

    Its ranks, pair and statement are selected, its time is the window; of a delay all
    that is shown of delays. Ranks that it is not about stand back: of a delay those
    that its wave does not reach.
    """
    analysis = state.analysis
    assert analysis is not None
    if advice.delay >= 0:
        result = changes_to_delay(state, advice.delay)
        assert analysis.delays is not None
        front = front_of(analysis.delays, advice.delay, analysis.trace.ranks)
        reached = np.append(np.flatnonzero(front.arrival >= 0), front.rank)
        own = tuple(sorted(set(reached.tolist())))
        own = () if len(own) == analysis.trace.ranks else own
        result["selection"] = replace(result["selection"], isolated=own)
        return result
    pair = advice.pair
    chosen = Selection(
        ranks=advice.ranks if pair is None else (),
        edge=None if pair is None else (min(pair), max(pair)),
        statement=advice.statement if advice.statement >= 0 else None,
        isolated=advice.ranks,
    )
    result = {"selection": chosen, "delay": -1, "playing": False}
    window = _window(analysis, advice)
    if window is not None:
        result |= {"window": window, "time": window[0]}
    rows = state.timeline
    if len(advice.ranks) == 1 and rows.order == "distance":
        result["timeline"] = replace(rows, origin=advice.ranks)
    return result


def _window(analysis: Analysis, advice: Advice) -> Window | None:
    """Find the time that a finding is about: its iteration, else all iterations."""
    parts = analysis.efficiencies
    if parts is None:
        return None
    spans = parts.iterations
    if 0 < advice.iteration <= len(spans):
        begin, end = spans[advice.iteration - 1].tolist()
        return begin, end
    return parts.exchange_window
