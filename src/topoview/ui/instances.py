"""Stepping through the times that a statement, a loop or an operation is run."""

from dataclasses import replace

from topoview.analysis.logical.instances import (
    Instance,
    instances,
    most_waiting,
    step_to,
)
from topoview.analysis.navigation import following
from topoview.model import LogicalTrace, Trace
from topoview.session import Session, State
from topoview.ui.formats import grouped
from topoview.ui.selected import chosen_loop, lines_of, wanted


def step_instance(session: Session, by: int) -> str:
    """Move the time cursor to the next or previous instance of what is selected.

    After the last one comes the first. Of the selected rank; if none is selected, of
    the rank of the instance stepped to before, else of the one that waits longest.

    Returns
    -------
    str
        What to tell the user.
    """
    state = session.state
    known = state.analysis
    if known is None or known.logical is None:
        return "There is no logical trace"
    if not wanted(state):
        return "Select a statement, a loop or an operation first"
    rank = _rank(state, known.trace, known.logical)
    if rank is None:
        return "No rank runs it"
    found = _found(state, rank, by, state.time)
    around = "" if found else f", from the {'first' if by > 0 else 'last'} again"
    beyond = -1 if by > 0 else known.trace.clock.length + 1
    found = found or _found(state, rank, by, beyond)
    if found is None:
        return f"Rank {rank} does not run it"
    window = following(state.window, found.begin, (0, max(known.trace.clock.length, 1)))
    chosen = replace(state.selection, call=found.call)
    session.update(time=found.begin, window=window, playing=False, selection=chosen)
    told = f"{grouped(found.number)} of {grouped(found.count)} on rank {rank}{around}"
    return f"Iteration {told}" if _loop(state) >= 0 else told


def _found(state: State, rank: int, by: int, ticks: int) -> Instance | None:
    """Find the instance next to a time."""
    known = state.analysis
    assert known is not None
    assert known.logical is not None
    own = instances(
        known.trace,
        known.logical,
        wanted(state),
        rank,
        known=known.positions,
        loop=_loop(state),
    )
    return step_to(known.trace, own, rank, ticks, by)


def _loop(state: State) -> int:
    """Give the number of the loop that is stepped through, -1 for single calls."""
    lines = state.selection.lines
    return chosen_loop(state) if lines is not None and _is_loop(state) else -1


def _is_loop(state: State) -> bool:
    chosen, lines = state.selection.lines, lines_of(state.analysis)
    return bool(chosen and chosen[0] < len(lines) and lines[chosen[0]].kind == "loop")


def _rank(state: State, trace: Trace, logical: LogicalTrace) -> int | None:
    selection = state.selection
    if selection.ranks:
        return selection.ranks[0] if selection.ranks[0] < trace.ranks else None
    if selection.call is not None:
        offsets = trace.calls.offsets[: trace.ranks + 1]
        rank = int(offsets.searchsorted(selection.call, side="right")) - 1
        if 0 <= rank < trace.ranks:
            return rank
    return most_waiting(trace, logical, wanted(state), state.time)
