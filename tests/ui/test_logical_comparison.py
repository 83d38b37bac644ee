"""Comparing with another trace in the window."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from traces import logical_of

from topoview.analysis.comparing.lines import align_listings
from topoview.errors import TopoviewError
from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import COLOURINGS
from topoview.model import Analysis, Call
from topoview.pipeline import Results
from topoview.report.logical.comparison import (
    DIFFERING_KINDS,
    SkippedLines,
    compare,
    shorten,
)
from topoview.report.run_comparison import (
    BY,
    RUN_RESULTS,
    ComparedRuns,
    compare_results,
    comparison_table,
    headline,
    run_comparison_record,
    run_table,
)
from topoview.session import ComparedRun, Selection, Session
from topoview.ui.panels.logical.comparison import COLUMNS, CompareJob, ComparisonDialog
from topoview.ui.panels.logical.timelines import TimelinesPage
from topoview.ui.panels.logical.times import TimesPage
from topoview.ui.panels.options import ProfileOptions
from topoview.ui.panels.profile.panel import (
    PROFILE_KINDS,
    ProfilePanel,
    profile_request,
)
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs


@pytest.fixture(scope="module")
def other() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), allreduce_every=3))


@pytest.fixture
def dialog(
    session: Session, torus: Analysis, other: Analysis, qtbot: QtBot
) -> ComparisonDialog:
    assert torus.logical is not None
    assert other.logical is not None
    found = compare(torus.logical, other.logical)
    made = ComparisonDialog(session, torus.logical, found, ("one", "other"))
    qtbot.addWidget(made)
    made.show()
    return made


def test_to_open_it_selects_nothing(
    dialog: ComparisonDialog, session: Session, qtbot: QtBot
) -> None:
    with qtbot.waitActive(dialog):
        dialog.activateWindow()
    dialog.view.setFocus()
    assert session.state.selection.statement is None


def test_rows_are_the_lines_of_both(dialog: ComparisonDialog, torus: Analysis) -> None:
    model = dialog.model
    assert torus.measured is not None
    ours, signs, theirs = (
        [model.index(k, COLUMNS.index(name)).data() for k in range(model.rowCount())]
        for name in ("text_a", "sign", "text_b")
    )
    assert [text.strip() for text in ours if text] == [
        line.text for line in torus.measured.lines
    ]
    assert "+" in signs
    added = [text for text, sign in zip(theirs, signs, strict=True) if sign == "+"]
    assert any("Allreduce" in text for text in added)
    assert "same" in dialog.summary.text()


def test_differences_alone_count_what_is_left_out(dialog: ComparisonDialog) -> None:
    changes = tuple(
        row for row in dialog.model.changes if not isinstance(row, SkippedLines)
    )
    dialog.only.click()
    rows = dialog.model.changes
    left_out = sum(row.lines for row in rows if isinstance(row, SkippedLines))
    kept = [row for row in rows if not isinstance(row, SkippedLines)]
    assert left_out + len(kept) == len(changes)
    assert [c for c in kept if c.kind in DIFFERING_KINDS] == [
        c for c in changes if c.kind in DIFFERING_KINDS
    ]
    assert shorten(tuple(c for c in changes if c.kind == "same"))[:1] != ()


def test_buttons_go_from_difference_to_difference(dialog: ComparisonDialog) -> None:
    places = dialog.model.differing()
    for place in [*places, places[0]]:
        dialog.next.click()
        assert dialog.view.currentIndex().row() == place
    dialog.previous.click()
    assert dialog.view.currentIndex().row() == places[-1]


def test_a_line_selects_its_statement_and_is_copied(
    dialog: ComparisonDialog, session: Session, torus: Analysis, qtbot: QtBot
) -> None:
    assert torus.measured is not None
    for row, change in enumerate(dialog.model.changes):
        if isinstance(change, SkippedLines) or change.a is None:
            continue
        statement = torus.measured.lines[change.a].statement
        if isinstance(statement, Call):
            dialog.view.go_to(row)
            assert session.state.selection.statement == statement.index
    place = dialog.model.differing()[0]
    dialog.view.go_to(place)
    with qtbot.waitActive(dialog):
        dialog.activateWindow()
    dialog.view.setFocus()
    qtbot.keyClick(dialog.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith(("+ ", "- "))


def test_another_trace_is_read_beside_the_window(
    loaded: MainWindow,
    other: Analysis,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    found = Results(other.trace)
    found.make("logical")
    monkeypatch.setattr("topoview.worker.results.results_of", lambda *_, **__: found)
    job = CompareJob(loaded.context, str(tmp_path / "other.otf2"))
    with qtbot.waitSignal(job.finished, timeout=60_000) as ended:
        job.start()
    shown = ended.args[0]
    assert isinstance(shown, ComparisonDialog)
    assert shown.isVisible()
    assert other.trace.name in shown.windowTitle()
    page = shown.findChild(TimelinesPage)
    assert isinstance(page, TimelinesPage)
    beside = page.sessions[1].state.analysis  # of which no more is made than is drawn
    assert beside is not None
    assert beside.profile is not None
    assert beside.identification is not None
    assert beside.spectral is beside.symmetry is beside.critical_path is None
    loaded.session.update(theme="dark")
    shown.close()
    loaded.session.update(theme="light")


@pytest.mark.parametrize("cancel", [False, True])
def test_what_cannot_be_read_is_told(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, cancel: bool
) -> None:
    told: list[str] = []
    monkeypatch.setattr(dialogs, "show_fault", lambda *words: told.append(words[2]))

    def fail(*_: object, **__: object) -> None:
        raise TopoviewError("other.otf2 is not there: check its name")

    monkeypatch.setattr("topoview.worker.results.results_of", fail)
    job = CompareJob(loaded.context, "other.otf2")
    with qtbot.waitSignal(job.finished, timeout=60_000) as ended:
        job.start()
        if cancel:
            job.dialog.canceled.emit()
    assert ended.args == [None]
    assert told == ([] if cancel else ["other.otf2 is not there: check its name"])


def test_the_same_program_has_the_same_logical_trace() -> None:
    one, other = (
        logical_of(traces.simulated("torus", dims))[1] for dims in ((4, 3), (5, 4))
    )
    assert compare(one, other).equal


@pytest.fixture
def runs(torus: Analysis, other: Analysis) -> ComparedRuns:
    """Compare two runs in time."""
    results = []
    for known in (torus, other):
        results.append(Results(known.trace))
        for name in RUN_RESULTS:
            results[-1].make(name)
    aligned = align_listings(results[0]["logical"], results[1]["logical"])
    return compare_results(results[0], results[1], aligned, ("one", "other"))


def test_the_profile_shows_both_runs_and_their_difference(
    session: Session, torus: Analysis, runs: ComparedRuns, qtbot: QtBot
) -> None:
    """A row a function, as command and Python say, what differs most first."""
    panel = ProfilePanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    panel.show()
    session.update(analysis=torus, scope="exchange")
    qtbot.waitUntil(lambda: panel.result is not None)
    assert list(panel.kinds._buttons) == [
        kind for kind in PROFILE_KINDS if kind != "compared"
    ]
    session.update(
        compared=ComparedRun(
            trace=torus.trace,
            name="other",
            path="",
            computation=runs.computation,
            functions=run_table(runs, "function"),
        )
    )
    session.change(ProfileOptions, kind="compared")
    told = comparison_table(runs, "function").to_pandas().query("measure == 'time'")
    record = run_comparison_record(runs)["by_function"]
    assert list(told.function) == [row["function"] for row in record]
    assert list(told.difference) == [row["time"]["difference"] for row in record]
    assert list(told.difference.abs()) == sorted(told.difference.abs(), reverse=True)
    rows = range(panel.model.rowCount())
    shown = [
        tuple(panel.model.value(row, name) for name in ("function", "time_difference"))
        for row in rows
    ]
    assert shown == list(zip(told.function, told.difference, strict=True))
    panel.choose(0)
    assert session.state.selection.operation == told.function.iloc[0]
    assert panel.remark()[0] == "A is this run, B is other"
    session.update(compared=None)
    assert panel._kind() == "account"


def test_times_of_both_runs(session: Session, runs: ComparedRuns, qtbot: QtBot) -> None:
    found = runs
    page = TimesPage(found, session)
    qtbot.addWidget(page)
    assert page.headline.text() == headline(found)
    for by in BY:
        page.by.setCurrentIndex(page.by.findData(by))
        if page.by.currentData() == by:
            rows = run_table(found, by).texts()
            model = page.model
            assert rows == [
                tuple(str(model.index(k, c).data() or "") for c in range(len(row)))
                for k, row in enumerate(rows)
            ]
    page.colour.click()
    assert session.state.scene.colouring == "compared"


def test_ranks_are_coloured_by_what_their_counterparts_compute() -> None:
    """One rank of another numbering is late: its counterpart alone stands out."""
    late = (traces.Delay(5, 9, 30e-3),)
    results = []
    for numbering, delays in ((1, ()), (2, late)):
        trace = traces.simulated(
            "grid", (4, 3), numbering=numbering, iterations=20, delays=delays
        )
        results.append(Results(trace))
        for name in RUN_RESULTS:
            results[-1].make(name)
    aligned = align_listings(results[0]["logical"], results[1]["logical"])
    found = compare_results(results[0], results[1], aligned, ("one", "other"))
    known, row = Analysis(results[0].trace), COLOURINGS["compared"]
    asked = ColouringRequest(known, 0, (0, 1))
    assert np.isnan(row.values(asked).values).all()
    run = ComparedRun(
        trace=known.trace,
        name="other",
        path="",
        computation=found.computation,
        functions=run_table(found, "function"),
    )
    values = row.values(replace(asked, compared=run))
    assert values.low == -values.high
    (rank,) = np.flatnonzero(values.values > values.high / 2)
    ours, theirs = (one["identification"].best for one in results)
    assert ours.coordinates[rank].tolist() == theirs.coordinates[5].tolist()
    assert np.delete(values.values, rank) == pytest.approx(0, abs=values.high / 4)
    elsewhere = replace(run, trace=results[1].trace)
    assert np.isnan(row.values(replace(asked, compared=elsewhere)).values).all()


@pytest.fixture
def page(
    session: Session, torus: Analysis, other: Analysis, qtbot: QtBot
) -> TimelinesPage:
    """Show two runs below each other; the second has ticks four times as fine."""
    clock = other.trace.clock
    finer = replace(clock, resolution=4 * clock.resolution)
    fine = replace(other, trace=replace(other.trace, clock=finer))
    made = TimelinesPage(session, (torus, fine))
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    return made


def seconds_seen(page: TimelinesPage, side: int) -> tuple[float, ...]:
    """Give begin and end of a timeline, and its cursor, from the first call on."""
    own = page.sessions[side].state
    assert own.analysis is not None
    assert own.analysis.overview is not None
    assert own.analysis.overview.communication is not None
    zero, clock = own.analysis.overview.communication[0], own.analysis.trace.clock
    return tuple(clock.seconds(t - zero) for t in (*own.window, own.time))


def test_two_timelines_begin_with_the_first_communication_on_one_scale(
    page: TimelinesPage,
) -> None:
    a, b = (seconds_seen(page, side) for side in (0, 1))
    assert a == pytest.approx(b, abs=1e-8)
    assert a[0] == 0
    ends = []
    for own in page.sessions:
        known = own.state.analysis
        assert known is not None
        assert known.overview is not None
        assert known.overview.communication is not None
        begin, end = known.overview.communication
        ends.append(known.trace.clock.seconds(end - begin))
    assert a[1] == pytest.approx(max(ends), abs=1e-8)
    frames = [view.frame for view in page.views]
    assert frames[0].rows.width() == frames[1].rows.width()


@pytest.mark.parametrize("side", [0, 1])
def test_two_timelines_zoom_and_order_their_rows_together(
    page: TimelinesPage, side: int
) -> None:
    own = page.sessions[side]
    begin, end = own.state.window
    quarter = (end - begin) // 4
    own.update(window=(begin + quarter, end - quarter), time=begin + 2 * quarter)
    a, b = (seconds_seen(page, each) for each in (0, 1))
    assert a == pytest.approx(b, abs=1e-7)
    own.order_rows("rank")
    assert [s.state.timeline.order for s in page.sessions] == ["rank", "rank"]
    assert own.state.window == (begin + quarter, end - quarter)
    own.change("timeline", colour="function", collectives=True)
    for other in page.sessions:
        shown = other.state.timeline
        assert (shown.colour, shown.collectives) == ("function", True)


def test_timelines_follow_the_theme_and_leave_the_window_alone(
    page: TimelinesPage, session: Session
) -> None:
    before = session.state.window
    page.sessions[0].update(window=(5, 99))
    assert session.state.window == before
    session.update(theme="dark")
    assert {own.state.theme for own in page.sessions} == {"dark"}


def test_a_selection_is_in_both_timelines_and_in_the_window(
    page: TimelinesPage, session: Session, torus: Analysis
) -> None:
    """Ranks and a stretch of time; the other run's clock has ticks as fine as four."""
    first, second = page.sessions
    begin, end = first.state.window
    stretch = begin + (end - begin) // 4, begin + (end - begin) // 2
    first.update(selection=Selection(ranks=(3,), window=stretch), time=stretch[0])
    assert session.state.selection == Selection(ranks=(3,), window=stretch)
    assert session.state.time == stretch[0]
    assert second.state.selection.ranks == (3,)
    assert second.state.selection.window is not None
    seen = [seconds_of(page, 1, ticks) for ticks in second.state.selection.window]
    assert seen == pytest.approx([seconds_of(page, 0, t) for t in stretch], abs=1e-7)
    session.select(ranks=(5,))
    assert [own.state.selection.ranks for own in page.sessions] == [(5,), (5,)]
    second.select(ranks=(7,))
    assert session.state.selection.ranks == (7,)
    request = profile_request(replace(session.state, scope="selected"))
    assert request is not None
    assert request.ranks == (7,)
    session.update(analysis=replace(torus, trace=replace(torus.trace)))
    second.select(ranks=(1,))
    assert session.state.selection.ranks != (1,), "it shows another trace"


def seconds_of(page: TimelinesPage, side: int, ticks: int) -> float:
    """Count from the first communication of a run."""
    analysis = page.sessions[side].state.analysis
    assert analysis is not None
    assert analysis.overview is not None
    assert analysis.overview.communication is not None
    return analysis.trace.clock.seconds(ticks - analysis.overview.communication[0])
