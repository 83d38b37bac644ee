"""Selecting ranks by others: what actions do, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topoview.analysis.related import RELATIONS, Chosen, related
from topoview.session import shown_match
from topoview.ui.conditions import has_logical, has_match

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


def select_related(name: str, w: MainWindow) -> None:
    """Add those that stand in a relation to the selected ranks."""
    state = w.session.state
    match = shown_match(state)
    if state.analysis is None or match is None or not _ranks(w):
        return
    chosen = Chosen(state.analysis, match, np.array(_ranks(w), np.int64), state.time)
    found = related(name, chosen)
    w.session.select(ranks=found)
    more = len(found) - len(chosen.ranks)
    w.say(f"{more} more ranks are selected" if more else "There are no such ranks")


def select_all(w: MainWindow) -> None:
    """Select all ranks."""
    known = w.session.state.analysis
    if known is not None:
        w.session.select(ranks=tuple(range(known.trace.ranks)))


def select_others(w: MainWindow) -> None:
    """Select the ranks that are not selected."""
    known = w.session.state.analysis
    if known is not None:
        chosen = set(w.session.state.selection.ranks)
        others = (r for r in range(known.trace.ranks) if r not in chosen)
        w.session.select(ranks=tuple(others))


def can_select(name: str, w: MainWindow) -> bool:
    """Tell whether ranks are selected that others may be found by."""
    state = w.session.state
    match = shown_match(state)
    if state.analysis is None or match is None or not has_match(w) or not _ranks(w):
        return False
    return RELATIONS[name].given(state.analysis, match)


def step_through(by: int, w: MainWindow) -> None:
    """Go to the next or previous time that what is selected is run."""
    from topoview.ui.instances import step_instance

    w.say(step_instance(w.session, by))


def has_calls(w: MainWindow) -> bool:
    """Tell whether a statement, a loop or an operation is selected."""
    chosen = w.session.state.selection
    selected = chosen.statement is not None or chosen.lines is not None
    return has_logical(w) and (selected or bool(chosen.operation))


def has_ranks(w: MainWindow) -> bool:
    """Tell whether ranks are selected."""
    return has_match(w) and bool(_ranks(w))


def _ranks(w: MainWindow) -> tuple[int, ...]:
    selection = w.session.state.selection
    return selection.ranks or selection.edge or ()
