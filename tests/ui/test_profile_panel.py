"""The profile as a user works with it."""

from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.base.text import share_text
from topoview.live.picking.selection import selected_spans
from topoview.model import Table, TimeState, Trace
from topoview.report.logical.lines import logical_lines
from topoview.report.profile import CLASSES_BY_NAME, account_table, group_table
from topoview.session import Selection
from topoview.ui.panels.options import ProfileOptions
from topoview.ui.panels.profile.panel import ProfilePanel, calls_of_line
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.table import BAR_GAP, BAR_WIDTH
from topoview.ui.widgets.theme import font

PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton


def trace_of(window: MainWindow) -> Trace:
    known = window.session.state.analysis
    assert known is not None
    return known.trace


@pytest.fixture
def profile(loaded: MainWindow, qtbot: QtBot) -> ProfilePanel:
    assert loaded.workspace is not None
    loaded.session.change(ProfileOptions, kind="functions")
    loaded.workspace.open_panel("profile", shown=True)
    panel: ProfilePanel = loaded.workspace.panel("profile")
    qtbot.waitUntil(lambda: panel.result is not None, timeout=PATIENCE)
    return panel


def test_a_line_of_the_profile_brings_its_calls_out(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    loaded.session.select()
    view = profile.view
    index = profile.model.index(place_of(profile, "Isend"), 0)
    view.scrollTo(index)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    assert loaded.session.state.selection.operation == "Isend"
    assert profile.bars.bars is not None
    assert profile.bars.bars.title == "Isend"
    trace = trace_of(loaded)
    spans = selected_spans(trace, None, call_filter(loaded.session.state))
    found = profile.result
    assert found is not None
    line = next(line for line in found.functions if line["name"] == "Isend")
    assert len(spans.call) == line["calls"]
    timeline = loaded.workspace.panel("timeline") if loaded.workspace else None
    assert timeline is not None
    qtbot.waitUntil(lambda: timeline.settled, timeout=PATIENCE)
    assert timeline._rows_asked.wanted == call_filter(loaded.session.state)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    assert loaded.session.state.selection == Selection()


def test_the_profile_is_sorted_searched_and_copied(
    profile: ProfilePanel, qtbot: QtBot
) -> None:
    model = profile.model
    profile.view.horizontalHeader().sectionClicked.emit(model.names.index("seconds"))
    times = model.rows()["seconds"].tolist()
    assert times == sorted(times, reverse=True)
    profile.view.horizontalHeader().sectionClicked.emit(0)
    names = [name.lower() for name in model.rows()["name"]]
    assert names == sorted(names)
    qtbot.keyClicks(profile.field, "MPI_Wai")
    qtbot.waitUntil(lambda: list(model.rows()["name"]) == ["Waitall"])
    profile.view.copy()
    text = QGuiApplication.clipboard().text().splitlines()
    assert text[0].startswith("name\tcalls")
    assert text[1].startswith("Waitall\t")
    profile.field.clear()
    qtbot.waitUntil(lambda: model.rowCount() > 1)


def test_the_account_is_shown_first_and_is_that_of_the_commands(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    assert ProfileOptions().kind == "account"
    loaded.session.change(ProfileOptions, kind="account")
    qtbot.waitUntil(lambda: "class" in profile.model.names)
    analysis, model = loaded.session.state.analysis, profile.model
    assert analysis is not None
    assert analysis.profile is not None
    table = account_table(analysis.trace, analysis.profile)
    assert list(model.rows()["class"]) == list(table["class"])
    np.testing.assert_array_equal(model.rows()["seconds"], table["seconds"])
    np.testing.assert_array_equal(model.rows()["most_rank"], table["most_rank"])
    assert model.rows()["share"].sum() == pytest.approx(1)
    groups = list(dict.fromkeys(model.rows()["group"]))
    assert groups == ["useful", "communication", "waiting", "other"][: len(groups)]
    place = place_of(profile, "late_sender")
    assert model.text(place, "class") == "late sender"
    profile.view.chosen.emit(place)
    assert loaded.session.state.focus == {TimeState.LATE_SENDER}
    assert "calls" not in model.names
    bars = profile.bars.bars
    assert bars is not None
    assert bars.title == "late sender"
    column = analysis.profile.classes.tolist().index(CLASSES_BY_NAME["late_sender"])
    ticks = analysis.profile.class_ticks[: analysis.trace.ranks, column]
    assert np.allclose(bars.seconds * analysis.trace.clock.resolution, ticks)


def place_of(profile: ProfilePanel, name: str) -> int:
    names = list(profile.model.rows()[profile.model.lead])
    return names.index(name) if name in names else -1


def marked(profile: ProfilePanel) -> set[str]:
    return {profile.model.table["name"][row] for row in profile.model.marked}


def test_waits_of_the_account_have_the_colour_of_what_they_are_for(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    """As in the key: what is waited for is at the foot of the swatch."""
    loaded.session.change(ProfileOptions, kind="account")
    qtbot.waitUntil(lambda: "class" in profile.model.names)
    names, theme = profile.model.rows()["class"].tolist(), profile.model.theme
    for name, has_foot in (("late_sender", True), ("receive", False)):
        index = profile.model.index(names.index(name), 0)
        profile.view.scrollTo(index)
        cell = profile.view.visualRect(index)
        image = profile.view.viewport().grab(cell).toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(16)
            for y in range(image.height())
        }
        assert theme.state_colour(TimeState.RECEIVE) in colours
        assert (theme.state_colour(TimeState.LATE_SENDER) in colours) == has_foot


def test_a_bar_selects_its_rank(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: profile.bars.bars is not None, timeout=PATIENCE)
    bars = profile.bars
    pitch = (bars.width() - 24) / 12
    middle = bars.height() // 2
    at = QPoint(round(12 + 7.5 * pitch), middle)
    QTest.mouseClick(bars, LEFT, pos=at)
    assert loaded.session.state.selection.ranks == (7,)
    QTest.mousePress(bars, LEFT, pos=QPoint(round(12 + 2.5 * pitch), middle))
    QTest.mouseMove(bars, QPoint(round(12 + 4.5 * pitch), middle))
    QTest.mouseRelease(bars, LEFT, pos=QPoint(round(12 + 4.5 * pitch), middle))
    assert loaded.session.state.selection == Selection(ranks=(2, 3, 4))


def test_a_selected_loop_marks_its_functions(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    lines = logical_lines(known)
    loop = next(k for k, line in enumerate(lines) if line.kind == "loop")
    loaded.session.choose(lines=(loop, lines[loop].end))
    assert known.logical is not None
    own = np.isin(
        known.logical.statement_of_call, call_filter(loaded.session.state).statements
    )
    regions = known.trace.regions
    called = regions.operation[known.trace.calls.region[own]]
    inside = {regions.operations[operation] for operation in called.tolist()}
    assert len(inside) > 1
    qtbot.waitUntil(lambda: marked(profile) == inside, timeout=PATIENCE)
    spans = selected_spans(
        known.trace, known.logical, call_filter(loaded.session.state)
    )
    ticks = np.add.reduceat(np.append(spans.leave - spans.enter, 0), spans.offsets[:-1])
    bars = profile.bars.bars
    assert bars is not None
    seconds = ticks / known.trace.clock.resolution
    assert np.allclose(bars.seconds, seconds)
    assert bars.calls is not None
    assert bars.calls.sum() == len(spans.call)
    loaded.session.select(call=int(spans.call[0]))
    region = known.trace.calls.region[spans.call[0]]
    name = regions.operations[regions.operation[region]]
    assert marked(profile) == {name}
    loaded.session.select()
    assert not marked(profile)


def test_the_heading_tells_what_lines_are_sorted_by(
    loaded: MainWindow, profile: ProfilePanel
) -> None:
    del loaded

    def headings() -> list[str]:
        across = Qt.Orientation.Horizontal
        return [str(profile.model.headerData(k, across)) for k in range(8)]

    assert not any("\u2193" in text for text in headings())
    profile.view.horizontalHeader().sectionClicked.emit(
        profile.model.names.index("seconds")
    )
    assert [text for text in headings() if "\u2193" in text] == ["time \u2193"]
    for _ in range(2):
        profile.view.horizontalHeader().sectionClicked.emit(1)
    assert [text for text in headings() if "\u2191" in text] == ["calls \u2191"]
    assert not any("\u2193" in text for text in headings())


def wait_for(qtbot: QtBot, profile: ProfilePanel) -> None:
    qtbot.waitUntil(lambda: profile.settled, timeout=PATIENCE)
    assert profile.result is not None


def test_headline_table_and_bars_are_of_one_population(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    """Whatever counts: the run, a window, some ranks, or some ranks in a window."""
    trace, session = trace_of(loaded), loaded.session
    length = trace.clock.length
    part = (length // 3, length // 2)
    analysis = session.state.analysis
    assert analysis is not None
    assert analysis.overview is not None
    exchange, loop = analysis.overview.exchange, analysis.profile_of_loop
    assert loop is not None
    for scope, window, selection, ranks, within in (
        ("exchange", (0, length), Selection(), range(12), exchange),
        ("run", (0, length), Selection(), range(12), (0, length)),
        ("loop", (0, length), Selection(), range(12), loop.span.window),
        ("window", part, Selection(), range(12), part),
        ("selected", (0, length), Selection(ranks=(2, 7)), (2, 7), exchange),
        ("selected", (0, length), Selection(ranks=(2, 7), window=part), (2, 7), part),
    ):
        session.update(scope=scope, window=window, selection=selection)
        wait_for(qtbot, profile)
        inside = mpi_ticks(trace, list(ranks), within)
        found = profile.result
        assert found is not None
        groups = group_table(trace, found.profile, np.array(ranks))
        share = {row["group"]: row["share"] for row in groups}
        told = profile.dock_bar.remark.text()
        useful, waiting = (share_text(share[of], 0) for of in ("useful", "waiting"))
        assert told == f"Useful {useful}, Waiting {waiting}"
        assert found.profile.span.window == within or scope == "run"
        assert found is not None
        second = trace.clock.resolution
        assert found.functions["seconds"].sum() * second == pytest.approx(inside)
        bars = profile.bars.bars
        assert bars is not None
        assert bars.ranks.tolist() == list(ranks)
        assert len(bars.seconds) == len(ranks)
        assert bars.seconds.sum() == pytest.approx(found.functions["seconds"][0])


def mpi_ticks(trace: Trace, ranks: list[int], within: tuple[int, int]) -> int:
    """Sum up the time in MPI call by call."""
    calls, total = trace.calls, 0
    for rank in ranks:
        for call in range(*calls.offsets[rank : rank + 2].tolist()):
            begin = max(int(calls.enter[call]), within[0])
            total += max(min(int(calls.leave[call]), within[1]) - begin, 0)
    return total


def test_bars_never_run_into_their_numbers(
    loaded: MainWindow, profile: ProfilePanel
) -> None:
    """A gap of some pixels stands between a bar and its number at every width."""
    del loaded
    view, model = profile.view, profile.model
    table, names = model.table, model.names
    metrics = QFontMetrics(font(12))
    column = names.index("seconds")
    for scale, width in product((1, 117, 1600), (340, 388, 520, 700)):
        seconds = table["seconds"] / table["seconds"].max() * scale
        model.show(
            Table(table.schema, {**table.data, "seconds": seconds}), columns=names
        )
        view.resize(width, 200)
        assert not view.isColumnHidden(column), (scale, width)
        for place in range(model.rowCount()):
            text = metrics.horizontalAdvance(model.text(place, "seconds"))
            room = view.columnWidth(column) - text
            assert room >= BAR_WIDTH + BAR_GAP, (scale, width)
            for other, name in enumerate(model.names):
                if other and not view.isColumnHidden(other):
                    text = metrics.horizontalAdvance(model.text(place, name))
                    assert text < view.columnWidth(other), (scale, width)


def test_what_is_counted_is_said_where_nothing_is_selected(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    """*Selected* is lit, and nothing is selected any more: the numbers are of all."""
    session = loaded.session
    session.update(scope="selected", selection=Selection(ranks=(1, 2)))
    wait_for(qtbot, profile)
    assert "nothing is selected" not in profile.remark()[0]
    session.select(ranks=())
    wait_for(qtbot, profile)
    assert profile.remark()[0] == "nothing is selected: the exchange is counted"
    assert profile.dock_bar.remark.text() == profile.remark()[0]


def test_a_line_of_the_call_tree_selects_its_calls(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    loaded.session.change(ProfileOptions, kind="tree")
    qtbot.waitUntil(
        lambda: profile.result is not None and profile.result.tree is not None
    )
    assert profile.model.lead == "function"
    index = profile.model.index(place_of(profile, "Isend"), 0)
    QTest.mouseClick(
        profile.view.viewport(), LEFT, pos=profile.view.visualRect(index).center()
    )
    assert profile.result is not None
    assert profile.result.tree is not None
    table = profile.result.tree.table
    line = list(table["function"]).index("Isend")
    assert loaded.session.state.selection.query == calls_of_line(
        trace_of(loaded), table, line
    )
    trace = trace_of(loaded)
    spans = selected_spans(trace, None, call_filter(loaded.session.state))
    assert len(spans.call) == table.cell(line, "visits")
    bars = profile.bars.bars
    assert bars is not None
    assert bars.seconds.sum() == pytest.approx(table.cell(line, "seconds"))
