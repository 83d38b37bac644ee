"""Choosing a part of a trace: what is entered, and what is told."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from writer import write_trace

from topoview.model import Analysis, Subset, Trace, TraceExtent
from topoview.session import Session
from topoview.ui.shell.opening import Opener, TimeLeft, time_left_text
from topoview.ui.shell.subset_dialog import (
    SubsetDialog,
    SubsetSource,
    rounded_count_text,
)

EXTENT = TraceExtent("run", 64, 64, 310_000_000, 3 << 30, 120.0, 40.0, 6 << 30)


@pytest.fixture
def dialog(qtbot: QtBot) -> SubsetDialog:
    found = SubsetDialog(SubsetSource("run", 64, 120.0, EXTENT))
    qtbot.addWidget(found)
    return found


def test_all_is_offered_and_told(qtbot: QtBot, dialog: SubsetDialog) -> None:
    assert "310 million events of 64 ranks, about 120 s: 3 GiB" in dialog.summary.text()
    assert "40 s" in dialog.note.text()
    assert not dialog.save.isEnabled()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.all.click()
    assert chosen.args == [Subset()]


def test_a_subset(qtbot: QtBot, dialog: SubsetDialog) -> None:
    dialog.ranks.setText("0-7, 9")
    dialog.begin.setValue(10.0)
    dialog.end.setValue(20.0)
    assert "about 1 s" in dialog.note.text()
    dialog.begin.setValue(0.0)
    dialog.end.setValue(120.0)
    assert "6 s" in dialog.note.text()
    dialog.begin.setValue(10.0)
    dialog.end.setValue(20.0)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.save.click()
    assert chosen.args == [Subset(10.0, 20.0, ((0, 7), (9, 9)))]


@pytest.mark.parametrize(("ranks", "begin"), [("0-64", 0), ("x", 0), ("", 120)])
def test_nonsense_cannot_be_read(
    dialog: SubsetDialog, ranks: str, begin: float
) -> None:
    dialog.ranks.setText(ranks)
    dialog.begin.setValue(begin)
    dialog.end.setValue(begin / 2 or 120)
    assert not dialog.save.isEnabled()
    assert dialog.note.text().endswith(".")


def test_the_opener_asks_and_reads_the_answer(
    qtbot: QtBot,
    simulated: Callable[..., Trace],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anchor = write_trace(simulated("torus", (4, 3)), tmp_path / "run")
    from topoview import worker as io

    read = io.analyse_in_process

    def ask_first(
        path: Path, report: object, subset: object, decide: object
    ) -> Iterator[Analysis]:
        del subset
        part = decide(EXTENT)  # type: ignore[operator]
        return read(path, report, part)  # type: ignore[arg-type]

    monkeypatch.setattr(io, "analyse_in_process", ask_first)
    session = Session()
    opener = Opener(session)
    with qtbot.waitSignal(opener.requested, timeout=20_000) as asked:
        opener.open(str(anchor))
    assert asked.args == [EXTENT]
    with qtbot.waitSignal(opener.read, timeout=60_000):
        opener.answer(Subset.parse(ranks="1"))
    known = session.state.analysis
    assert known is not None
    assert "ranks 1" in known.trace.warnings[-1]
    opener.leave()


def test_words() -> None:
    assert [rounded_count_text(n) for n in (950, 12_000_000, 1_000_000_000)] == [
        "950",
        "12 million",
        "1 billion",
    ]
    assert [time_left_text(s) for s in (0.2, 40, 200)] == ["1 s", "40 s", "3 min"]


def test_time_left_begins_anew_with_a_stage() -> None:
    assert TimeLeft().after("", 0.4, 60_000.0) == -1  # nothing was seen before
    left = TimeLeft()
    assert left.after("reading", 0.0, 0.0) == -1
    assert left.after("reading", 0.5, 10.0) == 10
    assert left.after("saving to the cache", 0.5, 10.1) == -1
