"""Selections of ranks under names: kept for each trace, and recalled from a menu."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.ui.formats import plural

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow

MENU = "Named selections"


def name_selection(w: MainWindow) -> None:
    """Ask for a name, and keep the selected ranks under it."""
    ranks = w.session.state.selection.ranks
    if not ranks:
        return
    text = f"Name of the {plural(len(ranks), 'selected rank')}:"
    name, agreed = QInputDialog.getText(w, "Name selection", text)
    if agreed and name.strip():
        keep(name.strip(), w)


def keep(name: str, w: MainWindow) -> None:
    """Keep the selected ranks under a name; the same name is taken anew."""
    known = kept(w)
    known[name] = w.session.state.selection.ranks
    _store(known, w)
    w.say(f"{plural(len(known[name]), 'rank')} can be selected again as {name}")


def recall(name: str, w: MainWindow) -> None:
    """Select the ranks that were kept under a name, as far as there are such."""
    state = w.session.state
    count = state.analysis.trace.ranks if state.analysis else 0
    ranks = tuple(rank for rank in kept(w).get(name, ()) if rank < count)
    w.session.select(ranks=ranks)


def forget(name: str, w: MainWindow) -> None:
    """Keep a selection no longer."""
    known = kept(w)
    known.pop(name, None)
    _store(known, w)


def kept(w: MainWindow) -> dict[str, tuple[int, ...]]:
    """Return the selections of the open trace by their names."""
    key = _key(w)
    if not key:
        return {}
    try:
        told = json.loads(w.settings.text(key) or "{}")
        return {str(name): _ranks(text) for name, text in told.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _store(known: dict[str, tuple[int, ...]], w: MainWindow) -> None:
    told = {name: _text(ranks) for name, ranks in known.items()}
    w.settings.keep_text(_key(w), json.dumps(told))


def _key(w: MainWindow) -> str:
    known = w.session.state.analysis
    if known is None:
        return ""
    return f"selections/{known.trace.name}-{known.trace.ranks}"


def _text(ranks: tuple[int, ...]) -> str:
    """Write ranks as stretches: ``0-99 200``."""
    stretches: list[list[int]] = []
    for rank in ranks:
        if stretches and stretches[-1][1] == rank - 1:
            stretches[-1][1] = rank
        else:
            stretches.append([rank, rank])
    return " ".join(f"{a}-{b}" if a < b else str(a) for a, b in stretches)


def _ranks(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for stretch in text.split():
        first, _, last = stretch.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)


def fill(menu: QMenu, w: MainWindow) -> None:
    """List what can be recalled, and what can be forgotten."""
    menu.clear()
    known = kept(w)
    for name, ranks in known.items():
        entry = menu.addAction(f"{name}  ({plural(len(ranks), 'rank')})")
        entry.triggered.connect(partial(_recall, name, w))
    if not known:
        menu.addAction("None yet").setEnabled(False)
        return
    menu.addSeparator()
    part = menu.addMenu("Forget")
    for name in known:
        part.addAction(name).triggered.connect(partial(_forget, name, w))


def _recall(name: str, w: MainWindow, checked: bool = False) -> None:
    del checked
    recall(name, w)


def _forget(name: str, w: MainWindow, checked: bool = False) -> None:
    del checked
    forget(name, w)
