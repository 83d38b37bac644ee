"""What was clicked: where and when it is, how it is shown, and what comes next."""

from dataclasses import replace
from typing import Any

import numpy as np

from topoview.live.moments.messages import messages_between
from topoview.live.picking.details.calls import calls_alike, rank_of_call
from topoview.live.picking.details.collectives import operations_on
from topoview.live.picking.details.messages import messages_alike
from topoview.live.picking.navigation import following, next_event, previous_event
from topoview.live.picking.occurrences import neighbour
from topoview.model import Analysis, Ints, Trace
from topoview.session import Picked, Selection, State


def is_there(analysis: Analysis, picked: Picked) -> bool:
    """Return whether a trace has what is meant: it may be of another one."""
    trace, logical = analysis.trace, analysis.logical
    if picked.kind == "pair" and not 0 <= picked.other < trace.ranks:
        return False
    if picked.kind == "collective":
        at = int(np.searchsorted(trace.collectives.call, picked.number))
        if at >= len(trace.collectives) or trace.collectives.call[at] != picked.number:
            return False
    counts = {
        "call": len(trace.calls),
        "collective": len(trace.calls),
        "message": len(trace.messages),
        "pair": trace.ranks,
        "rank": trace.ranks,
        "statement": 0 if logical is None else logical.statements,
        "communicator": len(trace.communicators),
    }
    return 0 <= picked.number < counts.get(picked.kind, 0)


def span_of(trace: Trace, picked: Picked) -> tuple[int, int] | None:
    """Begin and end in ticks of a call or message; None for what has no time."""
    if picked.kind in ("call", "collective"):
        calls = trace.calls
        return int(calls.enter[picked.number]), int(calls.leave[picked.number])
    if picked.kind == "message":
        them = trace.messages
        ends = int(them.send_time[picked.number]), int(them.receive_time[picked.number])
        times = [time for time in ends if time >= 0]
        return (times[0], times[-1]) if times else None
    return None


def selection_of(state: State, picked: Picked) -> Selection:
    """Return the selection that goes with it, so that all views show it."""
    assert state.analysis is not None
    trace, number = state.analysis.trace, picked.number
    if picked.kind in ("call", "collective"):
        rank = rank_of_call(trace, number)
        return Selection(ranks=(rank,) if rank >= 0 else (), call=number)
    if picked.kind == "message":
        them = trace.messages
        ends = {int(them.sender[number]), int(them.receiver[number])}
        return Selection(ranks=tuple(sorted(r for r in ends if 0 <= r < trace.ranks)))
    if picked.kind == "pair":
        low, high = sorted((number, picked.other))
        return Selection(edge=(low, high)) if low < high else Selection(ranks=(low,))
    if picked.kind == "rank":
        return Selection(ranks=(number,))
    if picked.kind == "statement":
        return replace(
            Selection(ranks=state.selection.ranks, window=state.selection.window),
            statement=number,
        )
    members = trace.communicators[number].ranks
    return Selection(ranks=tuple(sorted(r for r in members.tolist() if r >= 0)))


def changes_to_pick(
    state: State, picked: Picked, ticks: int | None = None
) -> dict[str, Any]:
    """Return what changes in the state when something is shown that was clicked.

    The selection goes to it; the time cursor goes into it, unless it is there.

    Parameters
    ----------
    ticks
        Where the cursor is to go, whatever the thing is.
    """
    analysis = state.analysis
    if analysis is None or not is_there(analysis, picked):
        return {}
    changes: dict[str, Any] = {
        "picked": picked,
        "selection": selection_of(state, picked),
    }
    span = span_of(analysis.trace, picked)
    if ticks is None and span is not None and not span[0] <= state.time <= span[1]:
        ticks = span[0]
    if ticks is not None:
        whole = 0, max(analysis.trace.clock.length, 1)
        changes["time"] = ticks
        changes["window"] = following(state.window, ticks, whole)
        changes["playing"] = False
    return changes


def changes_to_step(state: State, by: int) -> dict[str, Any]:
    """Return what changes when the next (`by` above 0) or previous one is shown.

    The next call of the same statement on the same rank; the next message from the
    same sender to the same receiver; the next operation on the communicator that the
    rank takes part in. Of a rank, a pair or a communicator the time goes to what it
    does next.

    Returns
    -------
    dict
        Empty if there is none, or if it is a matter of statements.
    """
    analysis, picked = state.analysis, state.picked
    if analysis is None or not is_there(analysis, picked):
        return {}
    if picked.kind in ("call", "message", "collective"):
        alike = _alike(analysis, picked)
        at = int(np.searchsorted(alike, picked.number)) + (1 if by > 0 else -1)
        if not 0 <= at < len(alike):
            return {}
        return changes_to_pick(state, replace(picked, number=int(alike[at])))
    ticks = _next_time(analysis, picked, state.time, by)
    return {} if ticks is None else changes_to_pick(state, picked, ticks)


def _alike(analysis: Analysis, picked: Picked) -> Ints:
    if picked.kind == "call":
        return calls_alike(analysis, picked.number)
    if picked.kind == "message":
        return messages_alike(analysis, picked.number)
    return _operations_alike(analysis.trace, picked.number)


def _next_time(analysis: Analysis, picked: Picked, ticks: int, by: int) -> int | None:
    """When a rank, a pair or a communicator does something next, or did last."""
    trace, number = analysis.trace, picked.number
    if picked.kind == "rank":
        find = next_event if by > 0 else previous_event
        return find(trace, ticks, np.array([number], np.int32))
    if picked.kind == "pair":
        times = trace.messages.send_time[
            messages_between(analysis, number, picked.other)
        ]
    elif picked.kind == "communicator":
        every, _ = operations_on(trace, number)
        times = trace.calls.enter[trace.collectives.call[every]]
    else:
        return None
    return neighbour(np.unique(times[times >= 0]), ticks, by)


def _operations_alike(trace: Trace, call: int) -> Ints:
    """Find the calls by which a rank takes part in operations of a communicator."""
    parts = trace.collectives
    part = int(np.searchsorted(parts.call, call))
    every, rank = operations_on(trace, int(parts.communicator[part]))
    return np.asarray(parts.call[every[rank == rank_of_call(trace, call)]])
