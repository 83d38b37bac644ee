"""Remembering a topology under a name, so that it is found in other traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from topoview.errors import TopoviewError
from topoview.session import shown_match
from topoview.ui import dialogs

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


def can_remember(w: MainWindow) -> bool:
    """Tell whether a topology with edges is shown."""
    match = shown_match(w.session.state)
    return w.workspace is not None and match is not None and bool(match.matched)


def remember(w: MainWindow) -> None:
    """Ask for a name and save the topology that is shown under it."""
    from topoview.topology import save_pattern

    match = shown_match(w.session.state)
    known = w.session.state.analysis
    if match is None or known is None:
        return
    strange = match.topology.kind == "unknown"
    proposed = known.trace.name if strange else match.topology.name
    name, agreed = QInputDialog.getText(
        w, "Remember this topology", "Its name in other traces:", text=proposed
    )
    if not agreed:
        return
    try:
        path = save_pattern(match, name)
    except TopoviewError as error:
        dialogs.complain(w, "The topology could not be remembered", str(error))
    else:
        w.say(f"Remembered as {name.strip()}, in {path}")
