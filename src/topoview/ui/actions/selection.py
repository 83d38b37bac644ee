"""Actions on the selection: related ranks, occurrences, selections kept under names."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.live.relations import RELATIONS, RelationRequest, related_ranks
from topoview.session import shown_match
from topoview.ui.actions.action import has_logical, has_match
from topoview.ui.widgets.formats import plural

if TYPE_CHECKING:
    from topoview.ui.shell.window import MainWindow


def select_related(name: str, w: MainWindow) -> None:
    """Add those that stand in a relation to the selected ranks."""
    state = w.session.state
    match = shown_match(state)
    if state.analysis is None or match is None or not _selected_ranks(w):
        return
    chosen = RelationRequest(
        state.analysis, match, np.array(_selected_ranks(w), np.int64), state.time
    )
    found = related_ranks(name, chosen)
    w.session.select(ranks=found)
    more = len(found) - len(chosen.ranks)
    w.say(f"{more} more ranks are selected" if more else "There are no such ranks")


def select_all(w: MainWindow) -> None:
    """Select all ranks."""
    known = w.session.state.analysis
    if known is not None:
        w.session.select(ranks=tuple(range(known.trace.ranks)))


def invert_selection(w: MainWindow) -> None:
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
    if (
        state.analysis is None
        or match is None
        or not has_match(w)
        or not _selected_ranks(w)
    ):
        return False
    return RELATIONS[name].given(state.analysis, match)


def step_occurrence(by: int, w: MainWindow) -> None:
    """Go to the next or previous time that what is selected is run."""
    from topoview.ui.panels.selection import step_occurrence

    w.say(step_occurrence(w.session, by))


def has_selected_calls(w: MainWindow) -> bool:
    """Tell whether a statement, a loop or an operation is selected."""
    chosen = w.session.state.selection
    selected = chosen.statement is not None or chosen.lines is not None
    return has_logical(w) and (selected or bool(chosen.operation))


def has_selected_ranks(w: MainWindow) -> bool:
    """Tell whether ranks are selected."""
    return has_match(w) and bool(_selected_ranks(w))


def _selected_ranks(w: MainWindow) -> tuple[int, ...]:
    selection = w.session.state.selection
    return selection.ranks or selection.edge or ()


NAMED_SELECTIONS_MENU = "Named selections"


def name_selection(w: MainWindow) -> None:
    """Ask for a name, and keep the selected ranks under it."""
    ranks = w.session.state.selection.ranks
    if not ranks:
        return
    text = f"Name of the {plural(len(ranks), 'selected rank')}:"
    name, agreed = QInputDialog.getText(w, "Name selection", text)
    if agreed and name.strip():
        keep_selection(name.strip(), w)


def keep_selection(name: str, w: MainWindow) -> None:
    """Keep the selected ranks under a name; the same name is taken anew."""
    known = kept_selections(w)
    known[name] = w.session.state.selection.ranks
    _store_selections(known, w)
    w.say(f"{plural(len(known[name]), 'rank')} can be selected again as {name}")


def recall_selection(name: str, w: MainWindow) -> None:
    """Select the ranks that were kept under a name, as far as there are such."""
    state = w.session.state
    count = state.analysis.trace.ranks if state.analysis else 0
    ranks = tuple(rank for rank in kept_selections(w).get(name, ()) if rank < count)
    w.session.select(ranks=ranks)


def forget_selection(name: str, w: MainWindow) -> None:
    """Keep a selection no longer."""
    known = kept_selections(w)
    known.pop(name, None)
    _store_selections(known, w)


def kept_selections(w: MainWindow) -> dict[str, tuple[int, ...]]:
    """Return the selections of the open trace by their names."""
    key = _settings_key(w)
    if not key:
        return {}
    try:
        told = json.loads(w.settings.text(key) or "{}")
        return {str(name): _parse_ranks(text) for name, text in told.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _store_selections(known: dict[str, tuple[int, ...]], w: MainWindow) -> None:
    told = {name: _ranks_text(ranks) for name, ranks in known.items()}
    w.settings.keep_text(_settings_key(w), json.dumps(told))


def _settings_key(w: MainWindow) -> str:
    known = w.session.state.analysis
    if known is None:
        return ""
    return f"selections/{known.trace.name}-{known.trace.ranks}"


def _ranks_text(ranks: tuple[int, ...]) -> str:
    """Write ranks as stretches: ``0-99 200``."""
    stretches: list[list[int]] = []
    for rank in ranks:
        if stretches and stretches[-1][1] == rank - 1:
            stretches[-1][1] = rank
        else:
            stretches.append([rank, rank])
    return " ".join(f"{a}-{b}" if a < b else str(a) for a, b in stretches)


def _parse_ranks(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for stretch in text.split():
        first, _, last = stretch.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)


def fill_named_selections(menu: QMenu, w: MainWindow) -> None:
    """List what can be recalled, and what can be forgotten."""
    menu.clear()
    known = kept_selections(w)
    for name, ranks in known.items():
        entry = menu.addAction(f"{name}  ({plural(len(ranks), 'rank')})")
        entry.triggered.connect(partial(_on_recall, name, w))
    if not known:
        menu.addAction("None yet").setEnabled(False)
        return
    menu.addSeparator()
    part = menu.addMenu("Forget")
    for name in known:
        part.addAction(name).triggered.connect(partial(_on_forget, name, w))


def _on_recall(name: str, w: MainWindow, checked: bool = False) -> None:
    del checked
    recall_selection(name, w)


def _on_forget(name: str, w: MainWindow, checked: bool = False) -> None:
    del checked
    forget_selection(name, w)
