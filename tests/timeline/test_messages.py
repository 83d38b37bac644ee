"""Messages of an edge, against looking at every message."""

from collections.abc import Callable

import pytest

from topoview.live.timeline import selected_messages as timeline_messages
from topoview.live.timeline.selected_messages import edge_messages
from topoview.model import Trace
from topoview.pipeline import first_look


def test_messages_of_an_edge_go_both_ways(simulated: Callable[..., Trace]) -> None:
    trace = simulated("torus", (4, 3), numbering=1)
    messages = trace.messages
    edge = tuple(sorted((int(messages.sender[0]), int(messages.receiver[0]))))
    rows = zip(
        messages.sender.tolist(),
        messages.receiver.tolist(),
        messages.send_time.tolist(),
        messages.receive_time.tolist(),
        strict=True,
    )
    expected = [row for row in rows if set(row[:2]) == set(edge)]
    found = edge_messages(first_look(trace), edge)
    columns = (found.sender, found.receiver, found.sent, found.received)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == expected
    window = expected[3][2], expected[6][3]
    shown = found.within(window)
    assert [
        (int(t), int(u)) for t, u in zip(shown.sent, shown.received, strict=True)
    ] == [(t, u) for _, _, t, u in expected if t < window[1] and u > window[0]]


def test_too_many_messages_are_not_drawn(
    simulated: Callable[..., Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = simulated("torus", (4, 3), numbering=1)
    edge = int(trace.messages.sender[0]), int(trace.messages.receiver[0])
    found = edge_messages(first_look(trace), edge)
    monkeypatch.setattr(timeline_messages, "MAX_MESSAGES_IN_WINDOW", 1)
    assert len(found.within((0, trace.clock.length)).sent) == 0
