"""Playing the visits of a region: they are looked for in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoview.model import Trace
    from topoview.ui.window import MainWindow


def play_region(w: MainWindow) -> None:
    """Ask for a region, and play from its first visit to the end of its last."""
    from shiboken6 import isValid

    from topoview.analysis.region_visits import is_known, visited
    from topoview.ui.latest_only import LatestOnly

    known = w.session.state.analysis
    if known is None:
        return
    if is_known(known.trace):
        _ask(visited(known.trace), w)
        return

    def take(trace: Trace, names: list[str]) -> None:
        finder.stop()
        now = w.session.state.analysis if isValid(w) else None
        if now is not None and now.trace is trace:
            _ask(names, w)

    finder: LatestOnly[Trace, list[str]] = LatestOnly(
        lambda trace, _: visited(trace), take
    )
    finder.ask(known.trace)


def _ask(names: list[str], w: MainWindow) -> None:
    from PySide6.QtWidgets import QInputDialog

    name, agreed = QInputDialog.getItem(
        w, "Play the visits of a region", "From its first visit to its last:", names
    )
    if agreed:
        play_visits(name, w)


def play_visits(name: str, w: MainWindow) -> None:
    """Play from the first visit of a region to the end of the last."""
    from topoview.analysis.region_visits import visits_of
    from topoview.ui.time_commands import go_to

    known = w.session.state.analysis
    if known is None:
        return
    found = visits_of(known.trace, name)
    if found is None:
        w.say(f"No rank is ever in {name} itself")
        return
    w.session.update(bounds=found)
    if not found[0] <= w.session.state.time <= found[1]:
        go_to(found[0], w)
