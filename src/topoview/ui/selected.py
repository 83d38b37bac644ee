"""What the selection means in the logical trace: calls, and a loop."""

from weakref import WeakKeyDictionary

import numpy as np

from topoview.analysis import Analysis
from topoview.analysis.moment import calls_at
from topoview.analysis.wanted import Wanted, statements_of_lines
from topoview.logical.lines import Line, lines
from topoview.model import Bools
from topoview.session import State


def wanted(state: State) -> Wanted:
    """Tell which MPI calls the selection means, besides those of ranks and edges."""
    chosen = state.selection
    if chosen.operation:
        return Wanted(operation=chosen.operation)
    if chosen.statement is not None:
        return Wanted((chosen.statement,))
    lines = lines_of(state.analysis)
    if chosen.lines is None or not lines:
        return Wanted()
    return Wanted(statements_of_lines(lines, *chosen.lines))


def chosen_loop(state: State) -> int:
    """Give the number of the selected loop in order of lines, -1 for none.

    That of a selected statement is the innermost one around it.
    """
    lines, chosen = lines_of(state.analysis), state.selection
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


def told_loop(state: State) -> int:
    """Give the loop that colours tell of: the selected one, else the longest; or -1.

    The longest is the outermost loop in whose calls all ranks together spend most
    time; the first of several.
    """
    chosen, known = chosen_loop(state), state.analysis
    if chosen >= 0 or known is None or known.logical is None:
        return chosen
    if known not in _LONGEST:  # it is asked for in each frame
        _LONGEST[known] = _longest(known)
    return _LONGEST[known]


_LONGEST: WeakKeyDictionary[Analysis, int] = WeakKeyDictionary()


def _longest(known: Analysis) -> int:
    """Give the longest outermost loop, -1 if there is none."""
    found, most, until, number = -1, -1, 0, 0
    lines = lines_of(known)
    for at, line in enumerate(lines):
        if line.kind != "loop":
            continue
        if at >= until and known.logical is not None:
            until = line.end
            own = list(statements_of_lines(lines, at, line.end))
            ticks = int(known.logical.ticks[own].sum())
            if ticks > most:
                found, most = number, ticks
        number += 1
    return found


def lines_of(known: Analysis | None) -> tuple[Line, ...]:
    """Lines of the logical trace, none before there is one."""
    if known is None or known.logical is None:
        return ()
    if known.measured is not None:
        return known.measured.lines
    return lines(known.logical)


def ranks_in(state: State) -> Bools | None:
    """Tell which ranks are in one of the selected calls now; None if none are.

    Returns
    -------
    bool, shape (ranks,), or None
    """
    known, meant = state.analysis, wanted(state)
    if known is None or not meant:
        return None
    trace = known.trace
    last, inside = calls_at(trace, state.time)
    calls = last[inside]
    if meant.operation:
        regions = trace.regions
        names = np.array([name == meant.operation for name in regions.operations])
        operation = regions.operation[trace.calls.region[calls]]
        found = (operation >= 0) & names[operation]
    elif known.logical is not None:
        found = np.isin(known.logical.statement_of_call[calls], meant.statements)
    else:
        return None
    here = np.zeros(trace.ranks, bool)
    here[inside] = found
    return here
