"""Opening on a cluster: what is asked and made there, and that it can be given up."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import traces
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from topoview.base.progress import Cancelled, Report
from topoview.errors import TopoviewError
from topoview.ui.export.cluster import (
    HERE,
    ClusterChoice,
    ClusterDialog,
    last_cluster_choice,
)
from topoview.ui.shell.opening import CLUSTER_WEIGHTS, OverallProgress
from topoview.ui.shell.window import MainWindow
from topoview.worker.digest import digest_in_process

PATIENCE = 120_000


def asked(window: MainWindow, qtbot: QtBot) -> ClusterDialog:
    window.actions_shown.qt["on-cluster"].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(ClusterDialog)))
    return window.findChildren(ClusterDialog)[0]


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        (ClusterChoice(trace="/run/a.otf2"), "scheduler's address"),
        (ClusterChoice(HERE, trace="run/a.otf2"), "trace's full path"),
        (ClusterChoice(HERE, trace="/"), "trace's full path"),
        (ClusterChoice(HERE, trace="/run/a.topoview"), "digest already"),
        (ClusterChoice(HERE, trace="/run/a.otf2", digest="a"), "digest's full path"),
        (ClusterChoice(HERE, trace="/a.otf2", digest="/a.otf2"), "ends in .topoview"),
        (ClusterChoice(HERE, trace="/run/a.otf2"), ""),
        (ClusterChoice(address="tcp://a:1", trace="/run"), ""),
    ],
)
def test_what_is_missing_is_said(choice: ClusterChoice, fault: str) -> None:
    assert fault in choice.fault
    assert bool(fault) == bool(choice.fault)


def test_what_the_command_is_given() -> None:
    near = ClusterChoice(HERE, processes=3, trace="/run/traces.otf2", memory=1.5)
    assert near.output == "/run/traces.topoview"
    assert near.options == ["--workers", "3", "--memory", "1536M"]
    far = ClusterChoice(address="tcp://a:1", trace="/run", digest="/b.topoview")
    assert far.output == "/b.topoview"
    assert far.options == ["--scheduler", "tcp://a:1"]


def test_progress_on_a_cluster_never_goes_back() -> None:
    whole = OverallProgress(CLUSTER_WEIGHTS)
    stages = [("reading", 0.5), ("making results: waits", 0.2), ("starting", 0.0)]
    seen = [whole.after(*stage) for stage in stages]
    assert seen == sorted(seen)
    assert seen[1] > 0.4


def test_what_the_command_refuses_is_said(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(TopoviewError, match="is no whole number from 1 to 4096"):
        digest_in_process("/run", str(tmp_path / "f.topoview"), ["--workers", "0"],
                          lambda *_: None)  # fmt: skip


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Heed interrupts: in the background they are ignored, by children, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_cancelled_command_leaves_no_digest(tmp_path: Path) -> None:
    file = tmp_path / "f.topoview"

    def stop(_stage: str, _fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        digest_in_process(str(traces.real_path("sp-rowcol-6x4")), str(file), [], stop)
    from topoview.worker.process import wait_for_cleanup

    wait_for_cleanup()
    assert not file.exists()


def test_why_it_failed_is_shown(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, output: str, options: list[str], report: Report) -> None:
        report("reading", 0.5)
        raise TopoviewError(f"{path} {output} {' '.join(options)}")

    monkeypatch.setattr("topoview.worker.digest.digest_in_process", fail)
    dialog = asked(window, qtbot)
    dialog.address.setText("tcp://a:1")
    dialog.trace.setText("/run/traces.otf2")
    dialog.save.click()
    qtbot.waitUntil(lambda: bool(window.session.state.failure), timeout=20_000)
    wanted = "/run/traces.otf2 /run/traces.topoview --scheduler tcp://a:1"
    assert window.session.state.failure == wanted
    assert window.session.state.opening is None


def test_a_digest_that_is_there_is_not_replaced_unasked(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        window.context.opener,
        "open",
        lambda path, make=None: opened.append((path, make is not None)),
    )
    file = tmp_path / "run.topoview"
    file.write_bytes(b"a digest")
    for answer, made in (("Replace", True), ("Open it as it is", False)):
        dialog = ClusterDialog(window.context, window)
        dialog.address.setText("tcp://a:1")
        dialog.trace.setText("/run/traces.otf2")
        dialog.digest.setText(str(file))
        dialog.save.click()
        assert opened == []
        (box,) = dialog.findChildren(QMessageBox)
        assert f"{file} is there already" in box.informativeText()
        next(one for one in box.buttons() if one.text() == answer).click()
        assert opened == [(str(file), made)]
        opened.clear()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_trace_is_opened_on_a_cluster(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    window.context.settings.folder = str(tmp_path)
    file = tmp_path / "run.topoview"
    dialog = asked(window, qtbot)
    assert not dialog.save.isEnabled()
    dialog.cluster.setCurrentIndex(1)
    dialog.processes.setValue(1)
    dialog.trace.setText(str(traces.real_path("sp-rowcol-6x4")))
    dialog.digest.setText(str(file))
    dialog.memory.setValue(2.0)
    assert dialog.save.isEnabled()
    entered = dialog.choice()
    dialog.save.click()
    assert last_cluster_choice(window.settings) == entered
    stages: list[str] = []

    def note(_old: object, _new: object) -> None:
        opening = window.session.state.opening
        if opening is not None:
            stages.append(opening.stage.partition(":")[0])

    window.session.subscribe(note, to=("opening",))
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert not window.session.state.failure
    known = window.session.state.analysis
    assert known is not None
    assert known.trace.digest is not None
    assert known.trace.ranks == 24
    assert "making results" in stages
    assert file.exists()
    assert not Path(f"{file}.work").exists()
