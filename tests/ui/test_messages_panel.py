"""The panel Messages, against the trace's own columns; why searches find nothing."""

from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from topoview.live.tables.calls import Search
from topoview.live.tables.search.query import parse_query, parse_terms, why_nothing
from topoview.session import Session
from topoview.ui.panels.lists.find import FindPanel
from topoview.ui.panels.lists.messages import MessagesPanel
from topoview.ui.panels.options import FindOptions, MessageOptions
from topoview.ui.shell.tool_bar import clock_text

PATIENCE = 60_000


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> Iterator[MessagesPanel]:
    made = MessagesPanel(session)
    qtbot.addWidget(made)
    made.resize(500, 500)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: made.result is not None and made.settled, timeout=PATIENCE)
    yield made
    made.close()


def type_text(qtbot: QtBot, panel: MessagesPanel, text: str) -> None:
    panel.field.clear()
    qtbot.keyClicks(panel.field, text)
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.answered is not None
            and panel.answered.query == parse_query(text)
        ),
        timeout=PATIENCE,
    )


def test_all_messages_to_a_rank_are_listed(
    panel: MessagesPanel, session: Session, qtbot: QtBot
) -> None:
    assert session.state.analysis is not None
    trace = session.state.analysis.trace
    messages = trace.messages
    assert panel.model.rowCount() == len(messages)
    type_text(qtbot, panel, "to 5")
    wanted = np.flatnonzero(messages.receiver == 5)
    assert panel.model.rowCount() == len(wanted) > 0
    assert panel.result is not None
    table = panel.result.table
    assert sorted(table["message"].tolist()) == wanted.tolist()
    scale = trace.clock.resolution
    by_number = np.argsort(table["message"])
    for name, column in (
        ("sent", messages.send_time),
        ("received", messages.receive_time),
    ):
        np.testing.assert_allclose(table[name][by_number], column[wanted] / scale)
    volume = int(messages.size[wanted].sum())
    assert panel.result.volume == volume
    assert panel.remark()[0].startswith(f"{len(wanted)} messages, ")


def test_a_click_on_a_row_shows_its_message(
    panel: MessagesPanel, session: Session, qtbot: QtBot
) -> None:
    type_text(qtbot, panel, "to 5")
    panel.choose(2)
    picked = session.state.picked
    assert picked.kind == "message"
    assert picked.number == panel.model.table["message"][panel.model.row(2)]


def test_where_messages_are_looked_for(
    panel: MessagesPanel, session: Session, qtbot: QtBot
) -> None:
    assert session.state.analysis is not None
    messages = session.state.analysis.trace.messages
    session.select(ranks=(3,))
    panel.scopes._buttons["ranks"].click()
    own = (messages.sender == 3) | (messages.receiver == 3)
    qtbot.waitUntil(lambda: panel.model.rowCount() == own.sum(), timeout=PATIENCE)
    length = session.state.window[1]
    session.update(window=(length // 4, length // 2))
    panel.scopes._buttons["window"].click()
    within = messages.send_time < length // 2
    within &= messages.receive_time >= length // 4
    qtbot.waitUntil(lambda: panel.model.rowCount() == within.sum(), timeout=PATIENCE)
    assert 0 < within.sum() < len(messages)


def test_what_is_not_understood_is_said_and_rows_stay(
    panel: MessagesPanel, session: Session
) -> None:
    rows = panel.model.rowCount()
    session.change(MessageOptions, text="to NORHT")
    assert panel.wrong.isVisible()
    assert "NORTH" in panel.wrong.text()
    assert panel.model.rowCount() == rows


def test_terms_are_told_one_by_one_and_alternatives_together() -> None:
    text = 'Waitall isend to EAST to 5 from "4" > 1 ms on world rank 0-3'
    terms = parse_terms(text)
    assert list(terms) == [
        "Waitall isend",
        "to EAST to 5",
        'from "4"',
        "> 1 ms",
        "on world",
        "rank 0-3",
    ]
    whole = parse_query(text)
    for query in terms.values():
        for name in ("functions", "bounds", "partners", "communicators", "regions"):
            assert set(getattr(query, name)) <= set(getattr(whole, name))
    assert sum(len(q.partners) for q in terms.values()) == len(whole.partners)


def test_an_empty_answer_says_what_each_term_finds(
    session: Session, qtbot: QtBot
) -> None:
    """A call that sends to 5 and receives from 4: of Isend and Irecv there is none."""
    analysis = session.state.analysis
    assert analysis is not None
    search = Search(analysis)
    text = "isend to 5 from 4"

    def count(query: object) -> int:
        return len(search.calls(query))  # type: ignore[arg-type]

    assert count(parse_query(text)) == 0
    said = why_nothing(text, "call", count)
    for term in ("isend", "to 5", "from 4"):
        assert f"{term}: {count(parse_query(term))} call" in said
    assert why_nothing("isend > 100 s", "call", count).startswith("Each alone finds ")
    assert why_nothing("isend", "call", count) == ""
    panel = FindPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.change(FindOptions, text=text)
    qtbot.waitUntil(
        lambda: panel.settled and panel.result is not None, timeout=PATIENCE
    )
    assert panel.why_empty(session.state) == ("No such calls", said)
    assert panel.empty.isVisible()
    # In a window without any call that fits it leads to the run.
    length = session.state.window[1]
    session.update(window=(length - 2, length))
    session.change(FindOptions, text="isend", scope="window")
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.window is not None
        ),
        timeout=PATIENCE,
    )
    assert "choose Run" in panel.why_empty(session.state)[1]
    panel.close()


def test_messages_outside_of_the_window_are_said_to_be_there(
    panel: MessagesPanel, session: Session, qtbot: QtBot
) -> None:
    """That terms exclude each other would be wrong: elsewhere they do not."""
    length = session.state.window[1]
    session.update(window=(length - 2, length))
    session.change(MessageOptions, text="from 0 > 1 B", scope="window")
    qtbot.waitUntil(
        lambda: (
            panel.settled and panel.result is not None and bool(panel.result.reason)
        ),
        timeout=PATIENCE,
    )
    assert panel.result is not None
    assert panel.result.reason.endswith("messages fit: choose Run.")


def test_times_have_the_digits_of_what_is_shown(
    panel: MessagesPanel, session: Session, qtbot: QtBot
) -> None:
    """At 300 ns the cursor told nanoseconds, and tables microseconds."""
    assert session.state.analysis is not None
    clock = session.state.analysis.trace.clock
    time, step = session.state.time, clock.ticks(3e-7)
    session.update(window=(0, clock.length))
    before, wide = panel.model.text(0, "sent"), panel.view.columnWidth(4)
    session.update(window=(time, time + step))
    after = panel.model.text(0, "sent")
    assert len(after) > len(before)
    wanted = clock_text(session.state, session.state.analysis)
    digits = [text.partition(".")[2] for text in (after, wanted)]
    assert len(digits[0]) >= len(digits[1])
    assert panel.view.columnWidth(4) >= wide
    qtbot.waitUntil(lambda: panel.settled)
    session.update(window=(0, clock.length))
    assert panel.model.text(0, "sent") == before
