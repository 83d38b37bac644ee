"""What analysts ask first, each with the mouse in at most three clicks.

None takes more clicks than when panels were tabs, and four take fewer: the direction
that waits (1, then 3), members of a communicator (2, then 3), a picture (3, then 4),
the hottest link of an assumed machine (5, then 6).

The program of the trace is known: rank 5 computes 60 ms longer in iteration 9, on a
torus of 4 x 8 ranks; its wave travels one hop in an iteration. Clicks go to what is
seen, and what is asked is read where it is written.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtCore import QPoint, QPointF, QRect, QSettings, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from topoview.live.waits.delays import changes_at_first
from topoview.model import WAIT_KINDS, Analysis, TimeState
from topoview.report.write import page_text
from topoview.scene.camera import project
from topoview.scene.palette import STATE_COLOURS
from topoview.session import Picked, Selection
from topoview.ui.export.picture_choice import CM_PER_INCH
from topoview.ui.export.picture_dialog import PictureDialog
from topoview.ui.export.render_spec import read_render_spec
from topoview.ui.panels.network.dialog import MachineDialog
from topoview.ui.panels.options import ComparisonOptions
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.settings import Settings
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs

pytestmark = pytest.mark.usefixtures("with_smoothing")

WAVE = "sp-jacobi2d-8x4-periodic-idlewave"
LATE, ITERATION, DIMS = 5, 9, (4, 8)
MOST_CLICKS = 3
PATIENCE = 60_000
CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
DIRECTIONS = {(1, 0): "EAST", (-1, 0): "WEST", (0, 1): "SOUTH", (0, -1): "NORTH"}


def wait(ready: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(PATIENCE // 20):
        if ready():
            return
        QTest.qWait(20)
    raise AssertionError(ready)


class Hand:
    """A hand on the mouse and the keyboard, which counts what it does."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.clicks, self.most = window, 0, MOST_CLICKS

    def click(self, widget: QWidget, at: QPoint | QRect | None = None) -> None:
        """Click where one sees something."""
        self.clicks += 1
        assert widget.isVisible()
        at = widget.rect() if at is None else at
        pos = at.center() if isinstance(at, QRect) else at
        assert widget.rect().contains(pos)
        QTest.mouseClick(widget, LEFT, NO_KEYS, pos)
        self.settle()

    def menu(self, title: str, entry: str) -> None:
        """Click a menu, and an entry of it."""
        bar, menu = self.window.menuBar(), self.window.menus[title]
        self.click(bar, bar.actionGeometry(menu.menuAction()))
        wait(menu.isVisible)
        (action,) = (
            act for act in menu.actions() if act.text().replace("&", "") == entry
        )
        self.click(menu, menu.actionGeometry(action))

    def rail(self, title: str) -> None:
        """Click a panel's name."""
        rows = self.window.workspace.rail.rows.values()
        (row,) = (row for row in rows if row.text() == title)
        self.click(row)

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
        """Press a key."""
        self.clicks += 1
        QTest.keyClick(self.window, key, keys)
        self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is shown."""
        wait(lambda: self.window.workspace.settled)


@pytest.fixture(scope="module")
def wave() -> Analysis:
    return traces.analysis_of_real(WAVE)


@pytest.fixture(scope="module")
def opened(
    qapp: QApplication, wave: Analysis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """Open the trace in a window of 1280x800, with its panels as they are at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("topoview.worker.analyse_in_process", lambda *_: iter([wave]))
        kept = str(tmp_path_factory.mktemp("settings") / "topoview.ini")
        window = MainWindow(Settings(QSettings(kept, QSettings.Format.IniFormat)))
        window.resize(1280, 800)
        window.show()
        window.activateWindow()
        window.start()
        wait(lambda: window.workspace is not None and window.workspace.complete)
        window.open(f"{WAVE}.otf2")
        wait(lambda: window.session.state.opening is None)
        yield window
        window.close()
        qapp.processEvents()


@pytest.fixture
def hand(opened: MainWindow) -> Iterator[Hand]:
    """Show what is shown first of the trace; count clicks from there."""
    session = opened.session
    session.update(**changes_at_first(session.state), picked=Picked("rank", LATE))
    workspace = opened.workspace
    workspace.arrange()
    made = Hand(opened)
    made.settle()
    yield made
    assert made.clicks <= made.most


def written(widget: QWidget) -> str:
    assert widget.isVisible()
    return widget.text()


def test_origin_of_the_wave(hand: Hand) -> None:
    told = written(hand.window.workspace.reason.sentence)
    assert told.startswith(f"Rank {LATE} was late by 59.8 ms in iteration {ITERATION}")
    assert hand.clicks == 0


def test_speed_of_the_wave(hand: Hand) -> None:
    assert "1 hop per iteration" in written(hand.window.workspace.reason.facts)
    assert hand.clicks == 0


def test_slowest_rank(hand: Hand, wave: Analysis) -> None:
    """The rank that waits least is the one that the others wait for."""
    hand.window.session.update(selection=Selection(), picked=Picked())
    hand.rail("Profile")
    panel = hand.window.workspace.panel("profile")
    place = next(
        place
        for place in range(panel.model.rowCount())
        if panel.model.value(place, "class") == "late_sender"
    )
    row = panel.model.index(place, 0)
    hand.click(panel.view.viewport(), panel.view.visualRect(row))
    wait(lambda: panel.bars.bars is not None)
    calls, waits = wave.trace.calls, wave.waits
    late = np.minimum(waits.until, calls.leave) - calls.enter
    late = np.maximum(late, 0) * (waits.kind == WAIT_KINDS.index("late_sender"))
    rank = np.repeat(np.arange(wave.trace.ranks), np.diff(calls.offsets[:33]))
    took = np.bincount(rank, late[: len(rank)])
    pitch = (panel.bars.width() - 24) / wave.trace.ranks
    lowest = QPoint(round(12 + (took.argmin() + 0.5) * pitch), panel.bars.height() // 2)
    hand.click(panel.bars, lowest)
    assert hand.window.session.state.selection.ranks == (LATE,) == (took.argmin(),)


def test_slowest_iteration(hand: Hand, wave: Analysis) -> None:
    hand.menu("Timeline", "Slowest iteration")
    loops, state = wave.measured.loops, hand.window.session.state
    longest = int(loops.iterations.argmax())
    assert loops.begin[longest] <= state.time <= loops.end[longest]
    told = hand.window.statusBar().currentMessage()
    assert told.startswith(f"Iteration {loops.slowest[longest]} of rank ")


def test_direction_that_waits(hand: Hand, wave: Analysis) -> None:
    """Click the call of a neighbour of the late rank: it waits towards that one."""
    session, view = hand.window.session, hand.window.workspace.panel("timeline")
    assert isinstance(view, TimelineView)
    line, now = wave.trace.timeline, session.state.time
    waits = line.state[line.at(now)[: wave.trace.ranks]] == TimeState.LATE_SENDER
    here = wave.identification.best.coordinates
    steps = (here[LATE] - here + np.array(DIMS) // 2) % DIMS - np.array(DIMS) // 2
    rank = next(
        rank for rank in np.flatnonzero(waits) if np.abs(steps[rank]).sum() == 1
    )
    band = int(view.bands.index_of_rank((rank,))[0])
    y = view.frame.y(float((view.bands.top[band] + view.bands.bottom[band]) / 2))
    hand.click(view, QPointF(view.frame.x(now), y).toPoint())
    panel = hand.window.workspace.panel("picked")
    assert not panel.visibleRegion().isEmpty(), "it comes to the front"
    told = page_text(panel.result)
    assert panel.result.title == f"Waitall, rank {rank}"
    assert f"rank {LATE}" in told
    assert hand.clicks == 1
    assert DIRECTIONS[tuple(steps[rank].tolist())] in told


def test_partner_of_a_message(hand: Hand) -> None:
    scene = hand.window.workspace.scene
    drawn = scene.scene
    marks = project(drawn.pose, drawn._messages._ends.mean(axis=1), drawn.size)
    points = [QPoint(round(x), round(y)) for x, y in marks]
    seen = next(
        at
        for at in points
        if drawn.pick_messages(*at.toTuple()) and drawn.pick(*at.toTuple()) is None
    )
    hand.click(scene.canvas, seen)
    sender, receiver = hand.window.session.state.selection.flow
    card = scene.messages
    assert card.isVisible()
    ends = [link.to for link in card.page.links]
    assert Picked("rank", sender) in ends
    number = ends.index(Picked("rank", receiver))
    hand.click(card.list, _place_of(card.list, str(number)))
    assert hand.window.session.state.selection.ranks == (receiver,)


def _place_of(label: QLabel, to: str) -> QPoint:
    """Where a link of a label is: found by hovering, as a hand does."""
    hovered: list[str] = []
    label.linkHovered.connect(hovered.append)
    places: list[QPoint] = []

    def is_found() -> bool:
        if label.height() < label.heightForWidth(label.width()):
            return False  # it is still laid out
        for y in range(4, label.height(), 6):
            for x in range(4, label.width(), 6):
                QTest.mouseMove(label, QPoint(x, y))
                if hovered and hovered[-1] == to:
                    places.append(QPoint(x, y))
                    return True
        return False

    wait(is_found)
    return places[0]


def test_picture_for_a_paper(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`Ctrl+S`, for paper, *Save*: as wide as it says, with as many dots."""
    target = tmp_path / "wave.png"
    monkeypatch.setattr(dialogs, "ask_where", lambda *_: str(target))
    hand.key(Qt.Key.Key_S, CONTROL)
    (dialog,) = hand.window.findChildren(PictureDialog)
    hand.click(dialog.paper, QPoint(8, dialog.paper.height() // 2))
    hand.click(dialog.save)
    wait(target.is_file)
    image = QImage(str(target))
    inches = image.width() / (image.dotsPerMeterX() * CM_PER_INCH / 100)
    assert inches * CM_PER_INCH == pytest.approx(dialog.wide_cm.value(), rel=0.01)
    assert image.dotsPerMeterX() * CM_PER_INCH / 100 > 250


def test_figure_of_scene_and_timeline(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One tick more than a picture for a paper: rows that wait are seen below it."""
    hand.most, target = 4, tmp_path / "wave.png"
    monkeypatch.setattr(dialogs, "ask_where", lambda *_: str(target))
    hand.key(Qt.Key.Key_S, CONTROL)
    (dialog,) = hand.window.findChildren(PictureDialog)
    if not dialog.paper.isChecked():  # as it was chosen last
        hand.click(dialog.paper, QPoint(8, dialog.paper.height() // 2))
    hand.click(dialog.timeline, QPoint(8, dialog.timeline.height() // 2))
    hand.click(dialog.save)
    wait(target.is_file)
    image = QImage(str(target))
    spec = read_render_spec(target)
    assert spec.rows == hand.window.session.state.timeline
    assert spec.delay == 0
    wait_colour = QColor(STATE_COLOURS[TimeState.WAIT])
    lower = range(image.height() * 2 // 3, image.height() * 9 // 10, 8)
    across = image.width() * 3 // 5
    assert any(image.pixelColor(across, y) == wait_colour for y in lower)


def test_a_trace_is_as_it_was_left(hand: Hand) -> None:
    window = hand.window
    state = window.session.state
    window.session.update(time=state.time + 1000, selection=Selection(ranks=(7,)))
    window.session.change("scene", colouring="wait")
    left = window.session.state
    window.actions_shown.qt["close"].trigger()
    wait(lambda: window.session.state.analysis is None)
    window.open(f"{WAVE}.otf2")
    wait(lambda: window.session.state.opening is None)
    hand.settle()
    now = window.session.state
    assert (now.time, now.selection.ranks) == (left.time, (7,))
    assert now.scene.colouring == "wait"
    assert hand.clicks == 0


def test_members_of_a_communicator(hand: Hand, wave: Analysis) -> None:
    """The panel, the row: 2 clicks, 3 when panels were tabs."""
    hand.rail("Communicators")
    panel = hand.window.workspace.panel("communicators")
    wait(lambda: panel.model.rowCount() > 0)
    row = panel.model.index(panel.model.rowCount() - 1, 0)
    number = int(panel.model.table["communicator"][panel.model.row(row.row())])
    hand.click(panel.view.viewport(), panel.view.visualRect(row))
    members = wave.trace.communicator_sizes[number]
    assert len(hand.window.session.state.selection.ranks) == members > 1
    assert hand.clicks == 2


def test_who_sends_to_a_rank(hand: Hand, wave: Analysis) -> None:
    """As messages with both ends: the panel, then words."""
    hand.rail("Messages")
    panel = hand.window.workspace.panel("messages")
    QTest.keyClicks(panel.field, f"to {LATE}")
    wait(lambda: panel.result is not None and panel.requested.text == f"to {LATE}")
    hand.settle()
    receivers = wave.trace.messages.receiver
    wait(lambda: len(panel.result.table) == int((receivers == LATE).sum()))
    assert set(panel.result.table["receiver"]) == {LATE}
    assert hand.clicks == 1


def test_waits_over_a_limit(hand: Hand, wave: Analysis) -> None:
    hand.key(Qt.Key.Key_F, CONTROL)
    panel = hand.window.workspace.panel("find")
    QTest.keyClicks(panel.field, "waitall > 20 ms")
    calls, regions = wave.trace.calls, wave.trace.regions
    named = np.array([n == "MPI_Waitall" for n in regions.names])[calls.region]
    took = (calls.leave - calls.enter) / wave.trace.clock.resolution
    wanted = int((named & (took > 0.02)).sum())
    wait(lambda: panel.result is not None and panel.result.count == wanted)
    assert hand.clicks == 1


def test_statement_in_scene_and_timeline(hand: Hand) -> None:
    """Its row in the logical trace, which is open at first: 1 click."""
    tree = hand.window.workspace.panel("logical").view
    index = tree.model().index_of(0)
    hand.click(tree.viewport(), tree.visualRect(index))
    assert hand.window.session.state.selection.statement == 0
    assert hand.clicks == 1


def test_pair_of_the_matrix(hand: Hand) -> None:
    """The panel, the cell: 2 clicks, as when panels were tabs."""
    hand.rail("Matrix")
    view = hand.window.workspace.panel("matrix").view
    wait(lambda: view.picture is not None)
    hand.click(view, view.frame.box(6, LATE, 7, LATE + 1).center().toPoint())
    assert hand.window.session.state.selection.edge == (LATE, 6)
    assert hand.clicks == 2


def test_two_iterations(hand: Hand) -> None:
    """The panel, a cell, *Compare with this window* (2), the next: 5, as before."""
    hand.most = 5
    session = hand.window.session
    hand.rail("Iterations")
    panel = hand.window.workspace.panel("iterations")
    wait(lambda: panel.result is not None)
    hand.click(panel.map, panel.map.box(0, ITERATION - 1).center().toPoint())
    first = session.state.selection.window or session.state.window
    hand.menu("Analysis", "Compare with this window")
    hand.key(Qt.Key.Key_Comma, CONTROL)
    statistics = hand.window.workspace.panel("statistics")
    assert not statistics.visibleRegion().isEmpty()
    assert session.state.of(ComparisonOptions).window == first
    assert hand.clicks == 5
    session.change(ComparisonOptions, window=None)
    session.change("scene", colouring="state")


def test_hottest_link_of_an_assumed_machine(hand: Hand) -> None:
    """The panel, its button, the list, *torus*, *Show*: 5 clicks, 6 with tabs."""
    hand.most = 5
    hand.rail("Network")
    panel = hand.window.workspace.panel("network")
    hand.click(panel.ask_button)
    (dialog,) = hand.window.findChildren(MachineDialog)
    hand.click(dialog.kind)
    entries, place = dialog.kind.view(), dialog.kind.findData("torus")
    wait(entries.isVisible)
    QTest.qWait(QApplication.doubleClickInterval())  # until then Qt takes no release
    row = entries.visualRect(dialog.kind.model().index(place, 0))
    for x in (4, 8):  # the list follows the pointer
        QTest.mouseMove(entries.viewport(), row.topLeft() + QPoint(x, 4))
        QTest.qWait(20)
    hand.click(entries.viewport(), row)
    assert dialog.choice().kind == "torus"
    hand.click(dialog.save)
    wait(lambda: panel.settled and panel.model.rowCount() > 1)
    volumes = panel.model.table["bytes"]
    assert panel.model.row(0) == volumes.argmax(), "it is listed first"


def test_dark_theme(hand: Hand) -> None:
    """The menu, the entry: the submenu between opens below the pointer."""
    view, theme = hand.window.menus["View"], hand.window.menus["Theme"]
    bar = hand.window.menuBar()
    hand.click(bar, bar.actionGeometry(view.menuAction()))
    wait(view.isVisible)
    at = view.actionGeometry(theme.menuAction()).center()
    QTest.mouseMove(view, at - QPoint(3, 0))
    QTest.mouseMove(view, at)
    wait(theme.isVisible)
    (dark,) = (act for act in theme.actions() if act.text().replace("&", "") == "Dark")
    hand.click(theme, theme.actionGeometry(dark))
    assert hand.window.session.state.theme == "dark"
    assert hand.clicks == 2
    hand.window.actions_shown.qt["theme-light"].trigger()


@pytest.mark.parametrize(
    ("asks", "entry"),
    [
        ("ask_where", "Save report…"),
        ("ask_for_trace", "Compare with another trace…"),
    ],
)
def test_report_and_two_runs(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, asks: str, entry: str
) -> None:
    """The menu, the entry; then it asks for a file."""
    asked: list[str] = []
    monkeypatch.setattr(dialogs, asks, lambda *_, **__: asked.append(entry))
    hand.menu("File", entry)
    wait(lambda: asked == [entry])
    assert hand.clicks == 2


def test_playing(hand: Hand) -> None:
    session = hand.window.session
    before = session.state.time
    hand.clicks += 1
    QTest.keyClick(hand.window, Qt.Key.Key_Space)
    wait(lambda: session.state.time != before)
    session.update(playing=False)
    assert hand.clicks == 1
