"""A digest in the window: what it holds is shown, what needs events says so."""

from collections.abc import Callable
from pathlib import Path

import traces
from pytestqt.qtbot import QtBot

from topoview.pipeline import Results
from topoview.scene.matrix_pixels import MatrixExtract
from topoview.ui.actions.appearance import colourings
from topoview.ui.panels.empty import EventsCover
from topoview.ui.panels.matrix.content import matrix_request
from topoview.ui.panels.network.content import network_asked
from topoview.ui.panels.options import NetworkOptions
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


def test_what_is_shown_of_a_digest_counts_the_whole_run(
    load: Callable[[Path], MainWindow], tmp_path: Path
) -> None:
    """What would go through the calls or messages of a part is not offered."""
    file = tmp_path / "run.topoview"
    trace = traces.simulated("torus", (4, 3), numbering=1)
    write_results(Results(trace), file)
    window = load(file)
    session = window.session
    known = session.state.analysis
    assert known is not None
    assert known.matrix is not None
    session.update(scope="window", window=(0, trace.clock.length // 2))
    session.change(NetworkOptions, collectives=True)
    asked = matrix_request(session.state, MatrixExtract(0, 0, 12), 1)
    assert asked is not None
    assert (asked.scope, asked.window) == ("run", None)
    on_links = network_asked(session.state)
    assert on_links is not None
    assert (on_links.window, on_links.collectives) == (None, False)
    offered = colourings(session.state)
    assert {"mpi", "sent"} <= set(offered)
    assert not {"done", "chosen", "late", "late-window", "progress"} & set(offered)


def covers(window: MainWindow) -> list[EventsCover]:
    return [one for one in window.findChildren(EventsCover) if one.isVisible()]
