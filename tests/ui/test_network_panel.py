"""The network panel: what is seen, what a click selects, what a dialog tells."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from topoview.analysis.network import mappings
from topoview.analysis.network.traffic import collective_matrix
from topoview.model import Analysis, IdentifiedPart, MachineChoice, Trace
from topoview.report.network import MAPPING_FILES
from topoview.scene.palette import THEMES
from topoview.session import CallFilter, Session
from topoview.topology import communication_matrix
from topoview.ui.panels.network.content import (
    LISTING_TEXTS,
    NetworkAsked,
    NetworkMaker,
    Target,
)
from topoview.ui.panels.network.dialog import MachineDialog
from topoview.ui.panels.network.panel import NetworkPanel
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.session_file import read_session, session_text
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.theme import apply_theme

PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def few_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anneal for a moment: how good mappings become is tested elsewhere."""
    monkeypatch.setattr(mappings, "MOVES", 200_000)


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> Iterator[NetworkPanel]:
    application()
    made = NetworkPanel(session)
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made._worker.stop()


@pytest.fixture
def shown(panel: NetworkPanel, qtbot: QtBot) -> NetworkPanel:
    """Put its 4x3 ranks on a mesh of 3x4."""
    panel.take_machine(MachineChoice(kind="mesh", dims="3x4"))
    settle(panel, qtbot)
    return panel


def settle(panel: NetworkPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)


def options(panel: NetworkPanel) -> NetworkOptions:
    return panel.session.state.of(NetworkOptions)


def cells(panel: NetworkPanel) -> list[tuple[str, ...]]:
    return panel.model.table.texts()


def targets(panel: NetworkPanel) -> tuple[Target, ...]:
    assert panel.result is not None
    return panel.result.listed.targets


def test_without_a_machine_it_asks(panel: NetworkPanel, qtbot: QtBot) -> None:
    settle(panel, qtbot)
    assert panel.empty.title.text() == "The network is not known"
    assert "--" not in panel.empty.text.text()
    assert panel.ask_button.isVisible()


def test_loads_are_listed_hottest_first(shown: NetworkPanel) -> None:
    picture = shown.result
    assert picture is not None
    assert picture.traffic is not None
    loads = picture.traffic.loads
    sizes = [loads.bytes[row.link] for row in targets(shown)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == loads.hottest_bytes
    assert picture.colours is not None
    assert len(targets(shown)) == np.count_nonzero(picture.colours.amount)


def test_collectives_count_on_request(shown: NetworkPanel, qtbot: QtBot) -> None:
    assert shown.result is not None
    assert shown.result.traffic is not None
    without = shown.result.traffic
    assert shown.collectives.isVisible()
    shown.collectives.click()
    settle(shown, qtbot)
    found = shown.result.traffic
    assert found is not None
    known = shown.session.state.analysis
    assert known is not None
    expected, told = collective_matrix(known.trace)
    assert found.matrix.modelled == told != ()
    assert told[0] in shown.collectives.toolTip()
    difference = found.matrix.volume - without.matrix.volume - expected.volume
    assert not difference.count_nonzero()
    shown.collectives.click()
    settle(shown, qtbot)
    assert shown.result.traffic is not None
    assert shown.result.traffic.loads.hop_bytes == without.loads.hop_bytes


def middle_of(panel: NetworkPanel, link: int) -> QPoint:
    picture = panel.result
    assert picture is not None
    assert picture.shape is not None
    shape = picture.shape
    cable = int(np.flatnonzero((shape.cables == link).any(1))[0])
    piece = shape.pieces[np.flatnonzero(shape.cable == cable)[0]]
    points, _ = panel.network.projection(shape).points(piece)
    return QPointF(*points.mean(0).tolist()).toPoint()


def test_a_click_on_a_link_lists_its_pairs(shown: NetworkPanel, qtbot: QtBot) -> None:
    link = targets(shown)[0].link
    QTest.mouseClick(shown.network, LEFT, pos=middle_of(shown, link))
    assert options(shown).link == link
    assert options(shown).listing == "pairs"
    settle(shown, qtbot)
    picture = shown.result
    assert picture is not None
    assert picture.traffic is not None
    pairs = [row.pair for row in targets(shown)]
    assert pairs
    # a click on a pair selects it everywhere, and shows its route
    shown.view.chosen.emit(0)
    chosen = shown.session.state.selection.edge
    assert chosen == (min(pairs[0]), max(pairs[0]))
    settle(shown, qtbot)
    assert shown.result is not None
    assert link in shown.result.route.tolist()
    QTest.mouseClick(shown.network, LEFT, pos=QPoint(4, shown.network.height() // 2))
    assert options(shown).link == -1


def test_calls_and_communicators_of_a_link(shown: NetworkPanel, qtbot: QtBot) -> None:
    link = targets(shown)[0].link
    for listing in ("statements", "communicators"):
        shown.session.change(NetworkOptions, link=link, listing=listing)
        settle(shown, qtbot)
        shares = [float(row[2].rstrip(" %")) for row in cells(shown)]
        assert sum(shares) == pytest.approx(100, abs=len(shares))
    assert [row[0] for row in cells(shown)] == ["MPI_COMM_CART"]
    shown.session.change(NetworkOptions, listing="statements")
    settle(shown, qtbot)
    assert all("Isend" in row[0] for row in cells(shown))
    shown.view.chosen.emit(0)
    assert shown.session.state.selection.statement is not None


def test_what_becomes_known_later_is_listed(torus: Analysis) -> None:
    early = replace(torus, logical=None, identification=None)
    machine, maker = MachineChoice(kind="mesh", dims="3x4"), NetworkMaker()
    asked = NetworkAsked(early, machine, None, (), CallFilter(), -1, "statements", None)
    assert not maker.picture(asked).listed.targets
    assert maker.picture(replace(asked, analysis=torus)).listed.targets
    asked = replace(asked, listing="mappings")
    methods = [
        [
            row.mapping
            for row in maker.picture(replace(asked, analysis=known)).listed.targets
        ]
        for known in (early, torus)
    ]
    assert set(methods[0]) < set(methods[1])


@pytest.mark.parametrize("listing", LISTING_TEXTS)
def test_a_single_node_has_no_links(torus: Analysis, listing: str) -> None:
    machine = MachineChoice(kind="torus", dims="1", per_node=torus.trace.ranks)
    asked = NetworkAsked(torus, machine, None, (), CallFilter(), -1, listing, (0, 1))
    picture = NetworkMaker().picture(asked)
    assert not picture.fault
    assert not any(row.link >= 0 or row.pair for row in picture.listed.targets)


def test_nothing_is_listed_of_a_link_that_no_message_takes(
    panel: NetworkPanel, qtbot: QtBot
) -> None:
    panel.take_machine(MachineChoice(kind="mesh", dims="5x5"))
    settle(panel, qtbot)
    assert panel.result is not None
    assert panel.result.traffic is not None
    idle = int(np.flatnonzero(panel.result.traffic.loads.bytes == 0)[-1])
    for listing in ("pairs", "statements", "communicators"):
        panel.session.change(NetworkOptions, link=idle, listing=listing)
        settle(panel, qtbot)
        assert panel.result.request.listing == listing
        assert cells(panel) == []


def test_communicators_on_the_machine(shown: NetworkPanel, qtbot: QtBot) -> None:
    shown.session.change(NetworkOptions, listing="communicators")
    settle(shown, qtbot)
    world = next(row for row in cells(shown) if row[0] == "MPI_COMM_WORLD")
    assert world[1:3] == ("12", "3x4")
    shown.view.chosen.emit(0)
    assert shown.session.state.selection.ranks == tuple(range(12))


def test_mappings_are_listed_as_run_first(shown: NetworkPanel, qtbot: QtBot) -> None:
    shown.session.change(NetworkOptions, listing="mappings")
    settle(shown, qtbot)
    assert cells(shown)[0][0] == "as run"
    assert any(row[0].startswith("tiling") for row in cells(shown))
    assert "hop-bytes" in shown.verdict.text()


def test_a_mapping_is_shown_and_saved(
    shown: NetworkPanel, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown.session.change(NetworkOptions, listing="mappings")
    settle(shown, qtbot)
    assert shown.result is not None
    assert shown.result.traffic is not None
    before = shown.result.traffic.loads.hop_bytes
    row = next(k for k, one in enumerate(cells(shown)) if one[0].startswith("tiling"))
    shown.view.chosen.emit(row)
    settle(shown, qtbot)
    chosen = shown.result.mapping
    assert chosen is not None
    assert chosen.method == cells(shown)[row][0]
    after = shown.result.traffic.loads.hop_bytes
    assert after == chosen.loads.hop_bytes < before
    file = tmp_path / "ranks"
    for what, text in MAPPING_FILES.values():
        kind = f"{what[:1].upper()}{what[1:]} (*)"
        monkeypatch.setattr(
            *(QFileDialog, "getSaveFileName"), lambda *_, k=kind: (str(file), k)
        )
        shown.save_mapping()
        assert file.read_text() == text(chosen)
    shown.view.chosen.emit(0)  # as run
    settle(shown, qtbot)
    assert shown.result.traffic.loads.hop_bytes == before


def test_colours_of_counters_where_there_are_some(
    shown: NetworkPanel, qtbot: QtBot
) -> None:
    names = [shown.colours.itemData(k) for k in range(shown.colours.count())]
    assert names == ["load", "communicators", "times"]
    for name in (*names, "ratio"):  # also from a session of another trace
        shown.session.change(NetworkOptions, colour=name)
        settle(shown, qtbot)
        assert shown.result is not None
        assert not shown.result.fault
        shown.network.grab()


def test_communicators_are_plotted_against_their_extent(
    real_trace: Callable[[str], Trace], qtbot: QtBot
) -> None:
    """Rows and columns of 6x4: a click on a point selects their ranks."""
    trace = real_trace("sp-rowcol-6x4")
    session = Session()
    session.update(analysis=Analysis(trace, matrix=communication_matrix(trace)))
    made = NetworkPanel(session)
    qtbot.addWidget(made)
    made.resize(760, 600)
    made.show()
    qtbot.waitExposed(made)
    made.take_machine(MachineChoice(kind="torus", dims="4x3x2"))
    session.change(NetworkOptions, listing="communicators")
    settle(made, qtbot)
    plot = made.plot
    assert plot.isVisible()
    assert {plot.measures.itemData(k) for k in range(plot.measures.count())} == {
        *("x", "y", "z", "hops", "diameter", "holes", "nodes")
    }
    row = next(k for k, one in enumerate(targets(made)) if len(one.ranks) == 6)
    QTest.mouseClick(plot, LEFT, pos=plot.point(row).toPoint())
    chosen = session.state.selection.ranks
    assert chosen in [one.ranks for one in targets(made)]
    plot.measures.activated.emit(plot.measures.findData("z"))
    settle(made, qtbot)
    assert made.result is not None
    assert made.result.request.extent == "z"
    # in place: communicators that share no rank, each in its own colour
    session.change(NetworkOptions, colour="communicators")
    settle(made, qtbot)
    colours = made.result.colours
    assert colours is not None
    assert len(np.unique(colours.node)) == len(colours.node) == 24
    groups = [set(colours.node[colours.node_tone == k]) for k in range(4)]
    assert sorted(map(len, groups)) in ([6, 6, 6, 6], [4, 4, 4, 4])
    made.network.grab()
    session.change(NetworkOptions, listing="links")
    settle(made, qtbot)
    assert plot.isHidden()
    made._worker.stop()


def test_what_is_selected_counts_alone(shown: NetworkPanel, qtbot: QtBot) -> None:
    picture = shown.result
    assert picture is not None
    assert picture.traffic is not None
    whole = picture.traffic.loads.total_bytes
    shown.session.select(ranks=(0,))
    shown.session.update(scope="selected")
    settle(shown, qtbot)
    assert shown.result is not None
    assert shown.result.traffic is not None
    assert 0 < shown.result.traffic.loads.total_bytes < whole
    shown.session.update(scope="run")
    settle(shown, qtbot)
    assert shown.result.traffic.loads.total_bytes == whole


def test_a_phase_counts_alone_for_links_and_mappings(
    shown: NetworkPanel, torus: Analysis, qtbot: QtBot
) -> None:
    assert shown.result is not None
    assert shown.result.traffic is not None
    assert shown.phases.isHidden()
    whole = shown.result.traffic.loads.total_bytes
    found = torus.identification
    assert found is not None
    half = torus.trace.clock.length // 2
    everybody = np.arange(torus.trace.ranks, dtype=np.int32)
    parts = [
        IdentifiedPart("phase", name, *ends, everybody, found.matches[:1])
        for name, ends in (("first", (0, half)), ("second", (half, 2 * half + 2)))
    ]
    known = replace(torus, identification=replace(found, parts=tuple(parts)))
    shown.session.update(analysis=known)
    settle(shown, qtbot)
    assert shown.phases.isVisible()
    sent = []
    for row in (1, 2):
        shown.phases.activated.emit(row)
        shown.session.change(NetworkOptions, listing="mappings")
        settle(shown, qtbot)
        loads = shown.result.traffic.loads
        sent.append(loads.total_bytes)
        assert shown.result.mappings[0].loads.hop_bytes == loads.hop_bytes
    assert 0 < sent[0] < whole
    assert sum(sent) == whole
    shown.phases.activated.emit(0)
    settle(shown, qtbot)
    assert shown.result.traffic.loads.total_bytes == whole


def test_a_drag_turns_and_keys_do(shown: NetworkPanel) -> None:
    before = options(shown)
    view = shown.network
    QTest.mousePress(view, LEFT, pos=QPoint(60, 100))
    QTest.mouseMove(view, QPoint(100, 110))
    QTest.mouseRelease(view, LEFT, pos=QPoint(100, 110))
    after = options(shown)
    assert after.azimuth < before.azimuth
    assert after.elevation > before.elevation
    assert after.link == before.link
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert options(shown).azimuth == after.azimuth - 15
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert options(shown).zoom > after.zoom


def test_slices_and_thresholds(shown: NetworkPanel, qtbot: QtBot) -> None:
    assert shown.slices.count() == 1 + 3 + 4
    row = shown.slices.findText("y = 2")
    shown.slices.activated.emit(row)
    assert (options(shown).axis, options(shown).place) == (1, 2)
    shown.shares.activated.emit(0)
    assert options(shown).share == 0.0
    settle(shown, qtbot)
    shown.take_machine(MachineChoice(kind="fat tree", dims="4x3"))
    settle(shown, qtbot)
    assert options(shown).axis == -1
    assert shown.slices.isHidden()


@pytest.mark.parametrize(
    ("kind", "dims"),
    [
        ("torus", "2x2x3"),
        ("torus", "2x2x3x1x1"),
        ("fat tree", "4x3"),
        ("dragonfly", "2x3x3"),
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_network_is_drawn(
    panel: NetworkPanel, qtbot: QtBot, kind: str, dims: str, theme: str
) -> None:
    panel.session.update(theme=theme)
    panel.take_machine(MachineChoice(kind=kind, dims=dims))
    settle(panel, qtbot)
    image = panel.network.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    colours = {
        image.pixel(x, y)
        for x in range(0, image.width(), 2)
        for y in range(60, image.height() - 40, 2)
    }
    assert len(colours) > 30  # tubes


def test_the_dialog_tells_what_it_understands(
    torus: Analysis, qtbot: QtBot, tmp_path: Path
) -> None:
    application()
    dialog = MachineDialog(torus.trace, MachineChoice())
    qtbot.addWidget(dialog)
    assert not dialog.save.isEnabled()
    dialog.kind.setCurrentIndex(dialog.kind.findData("torus"))
    assert dialog.dims.text() == "3x2x2"
    assert dialog.save.isEnabled()
    assert "assumed" in dialog.note.text()
    dialog.dims.setText("2x")
    assert not dialog.save.isEnabled()
    assert "extents" in dialog.note.text()
    dialog.dims.setText("3x2x2")
    dialog.counters.setText("xmit")
    assert not dialog.save.isEnabled()
    assert "no counter 'xmit'" in dialog.note.text()
    dialog.counters.clear()
    file = tmp_path / "machine.csv"
    file.write_text(
        "rank,x,y\n" + "".join(f"{r},{r % 4},{r // 4}\n" for r in range(12))
    )
    dialog.kind.setCurrentIndex(0)
    dialog.file.setText(str(file))
    assert "2D mesh 4x3" in dialog.note.text()
    assert "wraps" in dialog.note.text()
    with qtbot.waitSignal(dialog.chosen) as told:
        dialog.save.click()
    assert told.args == [MachineChoice(file=str(file))]


def test_the_dialog_offers_a_network_of_the_nodes_that_the_trace_names(
    torus: Analysis, qtbot: QtBot
) -> None:
    places = torus.trace.locations
    pairs = tuple(replace(one, node=f"node{one.rank // 2}") for one in places)
    dialog = MachineDialog(replace(torus.trace, locations=pairs), MachineChoice())
    qtbot.addWidget(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData("torus"))
    assert math.prod(map(int, dialog.dims.text().split("x"))) == 6
    QApplication.sendEvent(dialog.dims, QFocusEvent(QEvent.Type.FocusIn))
    qtbot.waitUntil(lambda: dialog.dims.selectedText() == dialog.dims.text())


def test_the_fields_of_the_dialog_look_alike(torus: Analysis, qtbot: QtBot) -> None:
    """Text begins at the same column in a field for a number as in one for words."""
    apply_theme("light")
    dialog = MachineDialog(torus.trace, MachineChoice())
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    dialog.dims.setEnabled(True)
    dialog.dims.setText("7")
    dialog.per_node.setValue(7)
    assert dialog.per_node.height() == dialog.dims.height()
    begins = [_first_ink(field) for field in (dialog.dims, dialog.per_node)]
    assert abs(begins[0] - begins[1]) <= 3


def _first_ink(field: QWidget) -> int:
    """Column of the first dark pixel within the frame of a field."""
    image = field.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = range(6, image.height() - 6)
    return next(
        x
        for x in range(3, image.width())
        if any(image.pixelColor(x, y).lightness() < 110 for y in rows)
    )


def test_it_is_kept_with_the_session(session: Session, torus: Analysis) -> None:
    session.change(
        NetworkOptions, kind="torus", dims="4x3", file="m.csv", listing="pairs"
    )
    read = read_session(session_text(session.state), torus, "here")
    kept = read["panels"][NetworkOptions]
    assert (kept.kind, kept.dims, kept.listing) == ("torus", "4x3", "pairs")


@pytest.mark.usefixtures("qtbot")
def test_in_the_window(loaded: MainWindow, qtbot: QtBot) -> None:
    from topoview.ui.actions.general import open_panel

    assert loaded.workspace is not None
    open_panel("network", True, loaded.context)
    found = loaded.workspace.panel("network")
    assert isinstance(found, NetworkPanel)
    found.take_machine(MachineChoice(kind="torus", dims="4x3"))
    settle(found, qtbot)
    assert found.result is not None
    assert not found.result.fault


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_high_loads_stand_out_from_the_ground_as_elsewhere(
    shown: NetworkPanel, theme: str
) -> None:
    """On a light ground the hottest link was the palest."""
    shown.session.update(theme=theme)
    view, ground = shown.network, QColor(THEMES[theme].panel).lightness()
    view.repaint()
    colours = view._colours()
    away = [abs(colour.lightness() - ground) for colour in colours]
    assert away[-1] == max(away)
    assert away[0] == min(away)
