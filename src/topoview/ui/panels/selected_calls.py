"""What the selection means in the logical trace: calls, a loop, occurrences."""

from dataclasses import replace

import numpy as np

from topoview.base.text import grouped, tr
from topoview.live.moments.moment import calls_at
from topoview.live.picking.navigation import following
from topoview.live.picking.occurrences import (
    Occurrence,
    most_waiting,
    occurrences,
    step_to_occurrence,
)
from topoview.live.picking.selection import selected_calls
from topoview.model import Bools, LogicalTrace, Trace, statements_of_lines
from topoview.report.logical.lines import logical_lines
from topoview.session import CallFilter, Session, State


def call_filter(state: State) -> CallFilter:
    """Return which MPI calls the selection means, besides those of ranks and edges."""
    chosen = state.selection
    if chosen.query:
        return CallFilter(query=chosen.query, analysis=state.analysis)
    if chosen.operation:
        return CallFilter(operation=chosen.operation)
    if chosen.statement is not None:
        return CallFilter((chosen.statement,))
    lines = logical_lines(state.analysis)
    if chosen.lines is None or not lines:
        return CallFilter()
    return CallFilter(statements_of_lines(lines, *chosen.lines))


def selected_loop(state: State) -> int:
    """Return the number of the selected loop in order of lines, -1 for none.

    That of a selected statement is the innermost one around it.
    """
    lines, chosen = logical_lines(state.analysis), state.selection
    place = -1
    if chosen.lines is not None and chosen.lines[0] < len(lines):
        place = chosen.lines[0]
    elif chosen.statement is not None:
        own = (k for k, line in enumerate(lines) if line.kind == "call")
        place = next((k for k in own if lines[k].first == chosen.statement), -1)
    while place >= 0 and lines[place].kind != "loop":
        place = lines[place].parent
    if place < 0:
        return -1
    return sum(line.kind == "loop" for line in lines[:place])


def coloured_loop(state: State) -> int:
    """Return the loop that colours show: the selected one, else the main one."""
    chosen, analysis = selected_loop(state), state.analysis
    if chosen >= 0 or analysis is None or analysis.positions is None:
        return chosen
    return analysis.positions.main_loop


def ranks_in_selected_calls(state: State) -> Bools | None:
    """Return which ranks are in one of the selected calls now; None without any.

    Returns
    -------
    bool, shape (ranks,), or None
    """
    analysis, meant = state.analysis, call_filter(state)
    if analysis is None or not meant:
        return None
    trace = analysis.trace
    last, inside = calls_at(trace, state.time)
    calls = last[inside]
    if not meant.query and not meant.operation and analysis.logical is None:
        return None
    key, mask = selected_calls(trace, analysis.logical, meant)
    hits = mask[key[calls]]
    here = np.zeros(trace.ranks, bool)
    here[inside] = hits
    return here


def step_occurrence(session: Session, by: int) -> str:
    """Move the time cursor to the next or previous instance of what is selected.

    After the last one comes the first. Of the selected rank; if none is selected, of
    the rank of the instance stepped to before, else of the one that waits longest.

    Returns
    -------
    str
        What to tell the user.
    """
    state = session.state
    analysis = state.analysis
    if analysis is None or analysis.logical is None:
        return tr("There is no logical trace")
    if not call_filter(state):
        return tr("Select a statement, a loop or an operation first")
    rank = _stepped_rank(state, analysis.trace, analysis.logical)
    if rank is None:
        return tr("No rank runs it")
    occurrence = _next_occurrence(state, rank, by, state.time)
    around = (
        ""
        if occurrence
        else (tr(", from the first again") if by > 0 else tr(", from the last again"))
    )
    beyond = -1 if by > 0 else analysis.trace.clock.length + 1
    occurrence = occurrence or _next_occurrence(state, rank, by, beyond)
    if occurrence is None:
        return tr("Rank {rank} does not run it", rank=rank)
    window = following(state.window, occurrence.begin, analysis.trace.clock.whole)
    chosen = replace(state.selection, call=occurrence.call)
    session.update(
        time=occurrence.begin, window=window, playing=False, selection=chosen
    )
    text = tr(
        "{number} of {count} on rank {rank}{around}",
        number=grouped(occurrence.number),
        count=grouped(occurrence.count),
        rank=rank,
        around=around,
    )
    return tr("Iteration {text}", text=text) if _stepped_loop(state) >= 0 else text


def _next_occurrence(state: State, rank: int, by: int, ticks: int) -> Occurrence | None:
    """Find the instance next to a time."""
    analysis = state.analysis
    assert analysis is not None
    assert analysis.logical is not None
    own = occurrences(
        analysis.trace,
        analysis.logical,
        call_filter(state),
        rank,
        positions=analysis.positions,
        loop=_stepped_loop(state),
    )
    return step_to_occurrence(analysis.trace, own, rank, ticks, by)


def _stepped_loop(state: State) -> int:
    """Return the number of the loop that is stepped through, -1 for single calls."""
    lines = state.selection.lines
    return (
        selected_loop(state) if lines is not None and _is_loop_selected(state) else -1
    )


def _is_loop_selected(state: State) -> bool:
    chosen, lines = state.selection.lines, logical_lines(state.analysis)
    return bool(chosen and chosen[0] < len(lines) and lines[chosen[0]].kind == "loop")


def _stepped_rank(state: State, trace: Trace, logical: LogicalTrace) -> int | None:
    selection = state.selection
    if selection.ranks:
        return selection.ranks[0] if selection.ranks[0] < trace.ranks else None
    if selection.call is not None:
        offsets = trace.calls.offsets[: trace.ranks + 1]
        rank = int(offsets.searchsorted(selection.call, side="right")) - 1
        if 0 <= rank < trace.ranks:
            return rank
    return most_waiting(trace, logical, call_filter(state), state.time)
