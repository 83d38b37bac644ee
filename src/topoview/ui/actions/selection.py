"""Actions on the selection: related ranks, occurrences, selections kept under names."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.base.text import plural, tr
from topoview.live.picking.relations import RELATIONS, RelationRequest, related_ranks
from topoview.session import Selection
from topoview.ui.actions import action
from topoview.ui.actions.layout import geometry_of, turn_alone


def select_related(name: str, c: action.Context) -> None:
    """Add those that stand in a relation to the selected ranks."""
    state = c.state
    match = state.derived.match
    if state.analysis is None or match is None or not _selected_ranks(c):
        return
    chosen = RelationRequest(
        state.analysis, match, np.array(_selected_ranks(c), np.int64), state.time
    )
    related = related_ranks(name, chosen)
    c.session.select(ranks=related)
    more = len(related) - len(chosen.ranks)
    c.say(
        tr("{more} more ranks are selected", more=more)
        if more
        else tr("There are no such ranks")
    )


def select_all(c: action.Context) -> None:
    """Select all ranks."""
    analysis = c.state.analysis
    if analysis is not None:
        c.session.select(ranks=tuple(range(analysis.trace.ranks)))


def invert_selection(c: action.Context) -> None:
    """Select the ranks that are not selected."""
    analysis = c.state.analysis
    if analysis is not None:
        chosen = set(c.state.selection.ranks)
        others = (r for r in range(analysis.trace.ranks) if r not in chosen)
        c.session.select(ranks=tuple(others))


def can_select(name: str, c: action.Context) -> bool:
    """Return whether ranks are selected that others may be found by."""
    state = c.state
    match = state.derived.match
    if (
        state.analysis is None
        or match is None
        or not action.has_match(c)
        or not _selected_ranks(c)
    ):
        return False
    return RELATIONS[name].given(state.analysis, match)


def clear_selection(c: action.Context) -> None:
    """Clear selection and focus; without any show all planes again."""
    if action.has_selection(c):
        c.session.update(selection=Selection(), focus=frozenset())
    else:
        turn_alone(c)


def has_anything_to_leave(c: action.Context) -> bool:
    """Return whether anything is selected, or one plane alone is shown."""
    return action.has_selection(c) or (
        action.has_scene(c) and geometry_of(c).alone >= 0
    )


def step_occurrence(by: int, c: action.Context) -> None:
    """Go to the next or previous time that what is selected is run."""
    from topoview.ui.panels.picked.panel import step_picked

    c.say(step_picked(c.session, by))


def has_selected_calls(c: action.Context) -> bool:
    """Return whether anything is selected that can come again."""
    chosen = c.state.selection
    if chosen.lines is not None or chosen.operation or chosen.query:
        return action.has_logical(c)
    return action.has_trace(c) and bool(c.state.picked)


def has_selected_ranks(c: action.Context) -> bool:
    """Return whether ranks are selected."""
    return action.has_match(c) and bool(_selected_ranks(c))


def _selected_ranks(c: action.Context) -> tuple[int, ...]:
    selection = c.state.selection
    return selection.ranks or selection.edge or ()


NAMED_SELECTIONS_MENU = tr("Named selections")


def name_selection(c: action.Context) -> None:
    """Ask for a name, and keep the selected ranks under it."""
    ranks = c.state.selection.ranks
    if not ranks:
        return
    text = tr(
        "Name of the {selected_ranks}:",
        selected_ranks=plural(len(ranks), "selected rank"),
    )
    name, agreed = QInputDialog.getText(c.window, tr("Name selection"), text)
    if agreed and name.strip():
        keep_selection(name.strip(), c)


def keep_selection(name: str, c: action.Context) -> None:
    """Keep the selected ranks under a name; the same name is taken anew."""
    selections = kept_selections(c)
    selections[name] = c.state.selection.ranks
    c.session.update(names=tuple(selections.items()))
    c.say(
        tr(
            "{ranks} can be selected again as {name}",
            ranks=plural(len(selections[name]), "rank"),
            name=name,
        )
    )


def recall_selection(name: str, c: action.Context) -> None:
    """Select the ranks that were kept under a name, as far as there are such."""
    state = c.state
    count = state.analysis.trace.ranks if state.analysis else 0
    ranks = tuple(rank for rank in kept_selections(c).get(name, ()) if rank < count)
    c.session.select(ranks=ranks)


def forget_selection(name: str, c: action.Context) -> None:
    """Keep a selection no longer."""
    selections = kept_selections(c)
    selections.pop(name, None)
    c.session.update(names=tuple(selections.items()))


def kept_selections(c: action.Context) -> dict[str, tuple[int, ...]]:
    """Return the selections of the open trace by their names."""
    return dict(c.state.names)


def fill_named_selections(menu: QMenu, c: action.Context) -> None:
    """List what can be recalled, and what can be forgotten."""
    menu.clear()
    selections = kept_selections(c)
    for name, ranks in selections.items():
        entry = menu.addAction(f"{name}  ({plural(len(ranks), 'rank')})")
        entry.triggered.connect(lambda _=False, name=name: recall_selection(name, c))
    if not selections:
        menu.addAction(tr("None yet")).setEnabled(False)
        return
    menu.addSeparator()
    part = menu.addMenu(tr("Delete"))
    for name in selections:
        entry = part.addAction(name)
        entry.triggered.connect(lambda _=False, name=name: forget_selection(name, c))


RELATED_MENU = tr("Select with the selected ranks")

SELECTION_ACTIONS: action.Menu = (
    action.Action(
        "clear", tr("Clear selection"), clear_selection, "Esc", has_anything_to_leave
    ),
    action.Action("select-all", tr("Select all ranks"), select_all, "Ctrl+A"),
    action.Action(
        "select-others",
        tr("Invert selection"),
        invert_selection,
        when=has_selected_ranks,
    ),
    RELATED_MENU,
    action.Action(
        "name-selection", tr("Name selection…"), name_selection, when=has_selected_ranks
    ),
    NAMED_SELECTIONS_MENU,
    action.SEPARATOR,
)

SELECTION_MENUS: dict[str, action.Menu] = {
    RELATED_MENU: tuple(
        action.Action(
            f"select-{name}",
            row.text,
            partial(select_related, name),
            when=partial(can_select, name),
            words="select ranks add",
        )
        for name, row in RELATIONS.items()
    ),
    NAMED_SELECTIONS_MENU: (),
}

_STEP_WORDS = "step instance iteration statement"

OCCURRENCE_ACTIONS = (
    action.Action(
        "next-instance",
        tr("Next occurrence"),
        partial(step_occurrence, 1),
        "I",
        has_selected_calls,
        words=_STEP_WORDS,
    ),
    action.Action(
        "previous-instance",
        tr("Previous occurrence"),
        partial(step_occurrence, -1),
        "Shift+I",
        has_selected_calls,
        words=f"back {_STEP_WORDS}",
    ),
)
