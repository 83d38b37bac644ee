"""Opening traces in the real window: from files to what is told if there is nothing."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QProgressBar
from pytestqt.qtbot import QtBot
from simulation import silent_program, simulate
from writer import write_trace

from topoview.model import Trace
from topoview.pipeline import STEPS, Results, analyse
from topoview.session import Opening
from topoview.store.traces import user_store
from topoview.ui.actions import general
from topoview.ui.shell.opening import STAGE_WEIGHTS, OverallProgress
from topoview.ui.shell.status_bar import StatusBar
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs
from topoview.worker import process, results

PATIENCE = 60_000


def test_cancel_leaves_nothing_behind(
    window: MainWindow, archive: Callable[[Trace], Path], qtbot: QtBot
) -> None:
    path = archive(traces.simulated("torus", (4, 3)))
    window.open(str(path))
    assert window.pages.currentWidget() is window.progress
    window.progress.cancel_asked.emit()
    assert window.session.state.opening is None
    assert window.pages.currentWidget() is window.welcome
    qtbot.wait(500)
    assert window.session.state.analysis is None
    assert not window.session.state.failure


@pytest.mark.usefixtures("started_workers")  # what others are forked from begins long
def test_leaving_waits_until_reading_has_given_up(
    window_anew: MainWindow,
    archive: Callable[[Trace], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("topoview.ui.shell.opening.MAX_SECONDS_TO_LEAVE", 60.0)
    path = archive(traces.simulated("torus", (4, 3)))
    before = set(threading.enumerate())  # a window of other tests may leave, too
    window_anew.open(str(path))
    begun = set(threading.enumerate()) - before
    (opening,) = (thread for thread in begun if thread.name == "opening")
    window_anew.close()
    assert not opening.is_alive()


def test_the_last_of_two_openings_counts(
    window: MainWindow, archive: Callable[[Trace], Path], qtbot: QtBot, tmp_path: Path
) -> None:
    path = archive(traces.simulated("torus", (4, 3)))
    window.open(str(path))
    window.open(str(tmp_path / "nothing.otf2"))
    qtbot.waitUntil(lambda: bool(window.session.state.failure), timeout=PATIENCE)
    qtbot.wait(300)
    assert window.session.state.analysis is None
    assert window.pages.currentWidget() is window.failure


def test_a_worker_that_is_killed_is_one_sentence(
    window: MainWindow,
    archive: Callable[[Trace], Path],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The window lives on, and shows all of the trace when it is opened again."""
    started: list[process.ProcessWorker] = []

    def start(task: results.Task) -> process.ProcessWorker:
        started.append(process.ProcessWorker(task))
        return started[-1]

    monkeypatch.setattr(results, "start", start)
    path = archive(traces.simulated("torus", (4, 3)))
    window.open(str(path))
    qtbot.waitUntil(lambda: len(started) == 1, timeout=PATIENCE)
    child = started[0]._process.child
    assert child is not None
    child.kill()
    qtbot.waitUntil(lambda: bool(window.session.state.failure), timeout=PATIENCE)
    assert "killed" in window.session.state.failure
    assert "\n" not in window.session.state.failure
    assert window.pages.currentWidget() is window.failure
    window.open(str(path))
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert not window.session.state.failure
    known = window.session.state.analysis
    assert known is not None
    assert known.waits is not None


def test_at_any_time_of_an_opening_there_is_one_bar_and_one_button_to_cancel(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """On a page of their own first, then in the line below what is there already."""
    places = set()

    def look(*_: object) -> None:
        bars = [bar for bar in window.findChildren(QProgressBar) if bar.isVisible()]
        buttons = window.findChildren(QAbstractButton)
        cancels = [b for b in buttons if b.isVisible() and b.text() == "Cancel"]
        going = window.session.state.opening is not None
        assert len(bars) == len(cancels) == going
        places.update(type(bar.parent()) for bar in bars)

    window.session.subscribe(look)
    for side in (3, 4):  # the second one is opened over the first
        trace = traces.simulated("torus", (4, side))
        window.open(str(write_trace(trace, tmp_path / str(side))))
        qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
        assert window.session.state.analysis is not None
    assert StatusBar in places
    assert len(places) == 2


@pytest.mark.parametrize("place", ["none", "small"])
def test_all_is_shown_where_nothing_can_be_kept(
    window: MainWindow,
    archive: Callable[[Trace], Path],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    place: str,
) -> None:
    """In a home that cannot be written, or in too little room; one note tells it."""
    (tmp_path / "none").write_text("no folder")
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / place))
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", "1K")
    window.open(str(archive(traces.simulated("torus", (4, 3)))))
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    known = window.session.state.analysis
    assert known is not None
    assert known.waits is not None
    assert sum("not kept in the cache" in told for told in known.trace.warnings) == 1


def test_two_windows_on_one_trace(
    window: MainWindow, archive: Callable[[Trace], Path], qtbot: QtBot
) -> None:
    """Both show it, one entry is kept, and one lives on when all of it is removed."""
    other = MainWindow()
    assert not other.tool_bar.speed_box.isEnabled()  # as after a failure
    qtbot.addWidget(other)
    other.show()
    other.start()
    qtbot.waitUntil(lambda: other.workspace is not None, timeout=PATIENCE)
    path = archive(traces.simulated("torus", (4, 3)))
    both = [window, other]
    for one in both:
        one.open(str(path))
    for one in both:
        qtbot.waitUntil(lambda o=one: o.session.state.opening is None, timeout=PATIENCE)  # type: ignore[misc]
        known = one.session.state.analysis
        assert known is not None
        assert known.logical is not None
        assert known.logical.ranks_verified == 12
        assert not one.session.state.failure
    store = user_store()
    assert store is not None
    assert len(store.entries()) == 1
    window.close()
    store.clear()
    length = known.trace.clock.length
    other.session.update(time=length // 3, window=(length // 4, length // 2))
    other.grab()
    assert not other.session.state.failure
    other.close()


def test_bars_tell_nothing_of_a_trace_behind_a_failure(
    load: Callable[[Path], MainWindow], no_reading: Trace, tmp_path: Path
) -> None:
    window = load(tmp_path)
    status, tools = window.statusBar(), window.tool_bar
    assert isinstance(status, StatusBar)
    assert window.trace_name.text() == no_reading.name
    assert tools.layouts.isEnabled()
    window.session.update(failure="another trace is damaged")
    assert not window.trace_name.text()
    assert not window.tool_bar.time_box.text() + window.tool_bar.speed_box.text()
    assert not window.tool_bar.speed_box.isEnabled()
    assert not window.actions_shown.qt["undo"].isEnabled()
    assert not tools.layouts.isEnabled()
    assert not tools.colourings.isEnabled()
    window.session.update(failure="")
    assert window.trace_name.text() == no_reading.name
    assert tools.colourings.isEnabled()


def bad_inputs(tmp_path: Path) -> dict[str, Path]:
    text = tmp_path / "notes.txt"
    text.write_text("no trace")
    damaged = tmp_path / "damaged.otf2"
    damaged.write_bytes(b"\x03BOTF2\x00")
    folder = tmp_path / "empty"
    folder.mkdir()
    return {
        "missing": tmp_path / "missing.otf2",
        "text": text,
        "damaged": damaged,
        "folder": folder,
    }


@pytest.mark.parametrize("kind", ["missing", "text", "damaged", "folder"])
def test_bad_input_is_told_in_a_line(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    path = bad_inputs(tmp_path)[kind]
    window.open(str(path))
    qtbot.waitUntil(lambda: bool(window.session.state.failure), timeout=PATIENCE)
    line = window.failure.line.text()
    assert path.name in line
    assert "\n" not in line
    assert "fault" not in line
    assert window.pages.currentWidget() is window.failure
    window.failure.copy_button.click()
    assert QGuiApplication.clipboard().text().startswith(line)
    window.failure.back_button.click()
    assert window.pages.currentWidget() is window.welcome


def test_a_fault_is_told_and_can_be_copied(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("topoview.worker.analyse_in_process", broken)
    window.open("somewhere/trace.otf2")
    qtbot.waitUntil(lambda: bool(window.session.state.failure), timeout=PATIENCE)
    assert "fault in topoview" in window.failure.line.text()
    window.failure.copy_button.click()
    assert "of our own making" in QGuiApplication.clipboard().text()


@pytest.mark.usefixtures("window")
def test_uncaught_faults_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        raise ZeroDivisionError("nobody caught me")  # noqa: TRY301
    except ZeroDivisionError as error:
        dialogs._show_exception(type(error), error, error.__traceback__)
        dialogs._show_exception(type(error), error, error.__traceback__)
    (box,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox)]
    assert "nobody caught me" in box.informativeText()
    assert "Traceback" in capsys.readouterr().err
    box.close()


@pytest.mark.usefixtures("no_reading")
def test_dropped_files_are_opened(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two was lost, and nothing said that a drop was possible."""
    started: list[str] = []
    monkeypatch.setattr(general, "open_windows", started.extend)
    paths = [str(tmp_path / name) for name in ("dropped.otf2", "other.otf2")]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    how = (
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter = QDragEnterEvent(QPoint(50, 50), *how)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    assert window.statusBar().currentMessage().startswith("Drop to open")
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), *how))
    assert isinstance(window.session.state.opening, Opening)
    assert started == paths[1:]
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert window.session.state.analysis is not None


def test_closing_the_trace_welcomes_again(loaded: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(loaded, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert loaded.pages.currentWidget() is loaded.welcome
    assert loaded.session.state.analysis is None


@pytest.mark.parametrize(
    ("ranks", "title"), [(4, "No point-to-point messages"), (1, "One rank")]
)
def test_panels_say_why_they_are_empty(
    load: Callable[[Path], MainWindow],
    monkeypatch: pytest.MonkeyPatch,
    ranks: int,
    title: str,
) -> None:
    trace = simulate(silent_program(ranks))
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: analyse(trace))
    window = load(Path("silent.otf2"))
    assert window.workspace is not None
    window.workspace.open_panel("topology", shown=True)
    panel = window.workspace.panel("topology")
    assert panel.empty.isVisible()
    assert panel.empty.title.text() == title
    window.grab()


@given(st.lists(st.tuples(st.sampled_from([*STAGE_WEIGHTS, "?"]), st.floats(0, 1))))
def test_one_fraction_never_goes_back(reports: list[tuple[str, float]]) -> None:
    whole = OverallProgress()
    found = [whole.after(*report) for report in reports]
    assert found == sorted(found)
    assert all(0 <= fraction <= 1 for fraction in found)


def test_each_stage_of_an_opening_that_takes_long_is_known() -> None:
    """Told are the stages in which the results of a trace are made here."""
    told: dict[str, None] = {}
    results = Results(traces.simulated("torus", (4, 3)))
    for name in (name for step in STEPS for name in step):
        results.make(name, lambda stage, _: told.setdefault(stage))
    order = [stage for stage in told if stage in STAGE_WEIGHTS]
    assert set(STAGE_WEIGHTS) - set(order) <= {
        *("starting", "unpacking", "reading definitions", "reading"),
        *("matching messages", "saving to the cache"),
    }
