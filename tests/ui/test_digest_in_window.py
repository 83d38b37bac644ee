"""A digest in the window: what it holds is shown, what needs events says so."""

from collections.abc import Callable
from pathlib import Path

import traces
from pytestqt.qtbot import QtBot

from topoview.pipeline import Results
from topoview.ui.panels.empty import EventsCover
from topoview.ui.panels.table import PANELS
from topoview.ui.shell.window import MainWindow
from topoview.worker.digest import write_results


def test_a_digest_is_shown(
    load: Callable[[Path], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "run.topoview"
    write_results(Results(traces.simulated("torus", (4, 3), numbering=1)), file)
    window = load(file)
    known = window.session.state.analysis
    assert known is not None
    assert known.trace.digest is not None
    assert known.identification is not None
    assert known.identification.best.topology.name == "2D torus 4x3"
    assert known.logical is not None
    assert known.delays is not None or known.waits is not None
    assert known.notes == ()
    assert window.workspace is not None
    for name, row in PANELS.items():
        if row.events:
            window.workspace.open_panel(name, shown=True)
            qtbot.waitUntil(lambda: bool(covers(window)), timeout=20_000)
    assert all("Open " in cover.text.text() for cover in covers(window))


def covers(window: MainWindow) -> list[EventsCover]:
    return [one for one in window.findChildren(EventsCover) if one.isVisible()]
