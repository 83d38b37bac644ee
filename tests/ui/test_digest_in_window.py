"""A digest in the window: what it holds is shown, what needs events says so."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from same import assert_same

from topoview.errors import TopoviewError
from topoview.io.archive.finding import open_trace
from topoview.live.tables.iteration_grid import (
    AMOUNTS,
    amounts_of,
    iteration_grid,
    outlier_groups,
)
from topoview.model import Subset
from topoview.pipeline import RESULTS, Results, analyse
from topoview.scene.flat.matrix_pixels import MatrixExtract
from topoview.store.digest import read_digest, read_results
from topoview.ui.actions.appearance import colourings
from topoview.ui.export.cluster import FetchDialog, window_file
from topoview.ui.panels.empty import EventsCover
from topoview.ui.panels.matrix.content import matrix_request
from topoview.ui.panels.network.content import network_asked
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.panels.table import PANELS
from topoview.ui.shell.subset_dialog import SubsetDialog
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
    assert (asked.scope, asked.window) == ("exchange", None)
    on_links = network_asked(session.state)
    assert on_links is not None
    assert (on_links.window, on_links.collectives) == (None, False)
    offered = colourings(session.state)
    assert {"mpi", "sent"} <= set(offered)
    assert not {"done", "chosen", "late", "late-window", "progress"} & set(offered)


def test_iterations_of_a_digest_are_those_of_its_trace(tmp_path: Path) -> None:
    file, trace = tmp_path / "run.topoview", traces.read_real("sp-rowcol-6x4")
    write_results(Results(trace), file)
    *_, whole = analyse(trace)
    digest = read_digest(file)
    results = Results(digest, caches=[])
    for name, packed in read_results(file).items():
        results._results[name] = RESULTS[name].unpack(packed, results.__getitem__)
    known = results.analysis()
    assert known.trace.digest is not None
    assert list(amounts_of(known)) == list(AMOUNTS)
    for amount in AMOUNTS:
        found, expected = iteration_grid(known, amount), iteration_grid(whole, amount)
        assert expected is not None
        assert found is not None
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.begin, expected.begin)
        causes = [
            [(one.delay, one.total) for one in outlier_groups(by, grid)]
            for by, grid in ((known, found), (whole, expected))
        ]
        assert causes[0] == causes[1]
    assert iteration_grid(known, loop=len(known.positions.loops)) is None


def test_the_window_that_is_shown_is_fetched(
    load: Callable[[Path], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    """By the button that covers a panel; the trace is on this machine."""
    path, file = traces.real_path("sp-rowcol-6x4"), tmp_path / "run.topoview"
    write_results(Results(traces.read_real("sp-rowcol-6x4")), file)
    window = load(file)
    session, clock = window.session, traces.read_real("sp-rowcol-6x4").clock
    assert window.workspace is not None
    assert window.actions_shown.qt["fetch"].isEnabled()
    session.update(window=(clock.length // 4, clock.length // 2))
    window.workspace.open_panel("find", shown=True)
    qtbot.waitUntil(lambda: bool(covers(window)), timeout=20_000)
    qtbot.mouseClick(covers(window)[0].fetch, Qt.MouseButton.LeftButton)

    def is_fetched() -> bool:
        known = session.state.analysis
        over = session.state.opening is None and known is not None
        return over and known.trace.digest is None

    qtbot.waitUntil(is_fetched, timeout=60_000)
    begin, end = (clock.seconds(clock.length // part) for part in (4, 2))
    expected = open_trace(path, subset=Subset(begin, end))
    known = session.state.analysis
    assert known is not None
    assert_same(
        replace(known.trace, name="", path=""), replace(expected, name="", path="")
    )
    window.actions_shown.refresh()
    assert not window.actions_shown.qt["fetch"].isEnabled()
    qtbot.waitUntil(lambda: not covers(window), timeout=20_000)


def test_a_window_of_a_trace_elsewhere_is_fetched_by_its_cluster(
    load: Callable[[Path], MainWindow],
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[object, ...]] = []

    def note(*told: object) -> None:
        asked.append((*told[:3], *told[4:]))
        raise TopoviewError("it was asked for")

    monkeypatch.setattr("topoview.worker.digest.digest_in_process", note)
    file, trace = tmp_path / "run.topoview", traces.simulated("torus", (4, 3))
    write_results(Results(replace(trace, path="/not/here.otf2")), file)
    window = load(file)
    window.actions_shown.qt["open-part"].trigger()
    (part_dialog,) = window.findChildren(SubsetDialog)
    part_dialog.ranks.setText("0-3")
    part_dialog.save.click()
    (dialog,) = window.findChildren(FetchDialog)
    assert "ranks 0-3" in dialog.note.text()
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(FetchDialog), timeout=20_000)
    session, ticks = window.session, trace.clock.length // 2
    session.select(window=(0, ticks))
    window.actions_shown.qt["fetch"].trigger()
    (dialog,) = window.findChildren(FetchDialog)
    assert "/not/here.otf2 is not on this machine" in dialog.note.text()
    assert not dialog.save.isEnabled()
    dialog.address.setText("tcp://a:1")
    dialog.save.click()
    qtbot.waitUntil(lambda: bool(session.state.failure), timeout=20_000)
    end = trace.clock.seconds(ticks)
    output = tmp_path / window_file("run", Subset(None, end))
    assert output.name.startswith(f"run-to-{end:g}-s-")
    part = ["--to", repr(end), "--scheduler", "tcp://a:1"]
    assert asked == [(str(file), str(output), part, "fetch")]


def test_windows_that_are_alike_in_six_digits_have_files_of_their_own() -> None:
    parts = [Subset(1.2345671, 2.0), Subset(1.2345674, 2.0), Subset(1.2345671, 2.0)]
    one, other, again = (window_file("run", part) for part in parts)
    assert one == again != other
    many = Subset(ranks=tuple((rank, rank) for rank in range(0, 4000, 2)))
    assert len(window_file("run", many)) < 120


def covers(window: MainWindow) -> list[EventsCover]:
    return [one for one in window.findChildren(EventsCover) if one.isVisible()]
