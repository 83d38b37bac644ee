"""Saving a report as a user does: from the menu, into a file."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from topoview.model import Subset
from topoview.session import Bookmark, ComparedRun
from topoview.ui.export.report.job import ReportJob, report_command
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs
from topoview.ui.widgets.table import NO_TABLE

PATIENCE = 120_000
TRACE = "ez-cg-8"


@pytest.fixture
def part(
    window: MainWindow, qtbot: QtBot, real_path: Callable[[str], Path]
) -> MainWindow:
    """Open a part of a trace."""
    window.opener.open(str(real_path(TRACE)), Subset(0.3, 0.9))
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert not window.session.state.failure
    return window


def save(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, target: Path
) -> ReportJob:
    """Click the action, and choose a file."""
    monkeypatch.setattr(dialogs, "ask_where", lambda *_: str(target))
    window.actions_shown.qt["report"].trigger()
    return window.findChildren(ReportJob)[-1]


@pytest.mark.slow
def test_a_report_is_saved_of_the_part_that_is_open_with_its_bookmarks(
    part: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    faults: list[str] = []
    monkeypatch.setattr(dialogs, "show_fault", lambda *words: faults.append(words[2]))
    window = part
    known, target = window.session.state.analysis, tmp_path / "a report.html"
    assert known is not None
    assert known.trace.clock.seconds(known.trace.clock.length) < 1.0  # of 1.25 s
    window.session.update(bookmarks=(Bookmark("the tail", 100, (0, 1000)),))
    job = save(window, monkeypatch, target)
    with qtbot.waitSignal(job.finished, timeout=PATIENCE) as ended:
        qtbot.waitUntil(job.dialog.isVisible, timeout=PATIENCE)
    assert faults == []
    assert ended.args == [True]
    assert str(target) in window.statusBar().currentMessage()
    text = target.read_text("utf-8")
    assert "the tail" in text
    # what cannot be written is said, with the reason
    job = save(window, monkeypatch, tmp_path / "nowhere" / "a.html")
    with qtbot.waitSignal(job.finished, timeout=PATIENCE) as ended:
        pass
    assert ended.args == [False]
    assert "nowhere" in faults[0]


def test_a_report_can_be_cancelled(
    loaded: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    faults: list[str] = []
    monkeypatch.setattr(dialogs, "show_fault", lambda *words: faults.append(words[2]))
    job = save(loaded, monkeypatch, tmp_path / "a.html")
    with qtbot.waitSignal(job.finished, timeout=PATIENCE) as ended:
        job.dialog.cancel()
    assert ended.args == [False]
    assert faults == []
    assert list(tmp_path.glob("*.html")) == []


def test_a_report_tells_of_the_run_that_was_compared_with(
    loaded: MainWindow, tmp_path: Path
) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    target = tmp_path / "a.html"
    plain = report_command(loaded.session.state, tmp_path, target)
    assert "--compare" not in plain
    other = ComparedRun(
        trace=known.trace,
        name="other",
        path="/b.otf2",
        computation=np.zeros(known.trace.ranks),
        functions=NO_TABLE,
    )
    loaded.session.update(compared=other)
    told = report_command(loaded.session.state, tmp_path, target)
    assert told == [*plain, "--compare", "/b.otf2"]
