"""Which messages fly at a time, against looking at all of them."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.analysis.message_index import message_index
from topoview.live.moments.messages import (
    MAX_MESSAGES_DRAWN,
    MAX_MESSAGES_MANY_RANKS,
    draws_messages,
    message_flights,
    messages_between,
    messages_of_flow,
    thin_out,
    too_many_messages,
)
from topoview.model import MESSAGES_PER_BLOCK, Messages
from topoview.session import SceneOptions

Row = tuple[int, int, int, int]

messages = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, 4),
        st.integers(-1, 300),
        st.one_of(st.integers(-1, 300), st.integers(0, 100_000)),
    ),
    max_size=60,
)


def trace_of(rows: list[Row], *, aligned: bool = True) -> Any:  # noqa: ANN401
    table = np.array(rows, np.int64).reshape(-1, 4)
    sender, receiver, sent, received = np.ascontiguousarray(table.T)
    none = np.zeros(len(rows), np.int64)
    columns = Messages(
        sender=sender.astype(np.int32),
        receiver=receiver.astype(np.int32),
        size=none,
        tag=none.astype(np.int32),
        communicator=none.astype(np.int32),
        send_call=none,
        receive_call=none,
        completion_call=none,
        send_completion_call=none,
        send_time=sent,
        receive_time=received,
    )
    clock = SimpleNamespace(aligned=aligned)
    calls = SimpleNamespace(enter=np.array([50]), leave=np.array([200]))
    trace = SimpleNamespace(messages=columns, clock=clock, calls=calls, ranks=5)
    return cast("Any", trace)


def known_of(rows: list[Row], *, aligned: bool = True) -> Any:  # noqa: ANN401
    trace = trace_of(rows, aligned=aligned)
    return SimpleNamespace(trace=trace, message_index=message_index(trace.messages))


@given(st.lists(st.integers(0, 3), max_size=2100), st.integers(0, 3))
def test_finds_all_between(senders: list[int], one: int) -> None:
    """Over several blocks."""
    assert MESSAGES_PER_BLOCK < 1000
    rows = [(sender, (sender * k) % 5, k, k + 1) for k, sender in enumerate(senders)]
    other = 4
    found = messages_between(known_of(rows), one, other)
    wanted = [
        k
        for k, row in enumerate(rows)
        if set(row[:2]) == {one, other} and len(row) == 4
    ]
    assert found.tolist() == wanted


@given(messages, st.integers(0, 3), st.integers(0, 4), st.integers(-5, 400))
def test_finds_the_messages_of_a_mark(
    rows: list[Row], one: int, other: int, ticks: int
) -> None:
    """Those under way; without any those sent last before and first after."""
    found, now = messages_of_flow(known_of(rows), one, other, ticks)
    own = [k for k, row in enumerate(rows) if row[:2] == (one, other) and row[2] >= 0]
    own.sort(key=lambda k: rows[k][2])
    flying = [k for k in own if rows[k][2] <= ticks < rows[k][3]]
    assert now == bool(flying)
    if flying:
        assert found.tolist() == flying
        return
    before = [k for k in own if rows[k][2] <= ticks][-1:]
    assert found.tolist() == before + [k for k in own if rows[k][2] > ticks][:1]


@given(messages, st.integers(-5, 400))
def test_finds_all_in_flight(rows: list[Row], ticks: int) -> None:
    found = message_flights(known_of(rows)).at(ticks)
    wanted = sorted(
        (a, b, (ticks - sent) / (received - sent))
        for a, b, sent, received in rows
        if a != b and 0 <= sent <= ticks < received
    )
    columns = (found.sender, found.receiver, found.share)
    assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == wanted
    assert found.early.tolist() == [ticks < 50] * len(wanted)  # all have call 0
    assert found.awaited.tolist() == [ticks >= 50] * len(wanted)


@given(messages, st.integers(0, 300), st.integers(0, 40))
def test_finds_all_since_the_last_frame(rows: list[Row], since: int, by: int) -> None:
    found = message_flights(known_of(rows)).at(since + by, since)
    wanted = [
        k
        for k, (a, b, sent, received) in enumerate(rows)
        if a != b and 0 <= sent <= since + by and max(since, sent) < received
    ]
    assert found.message.tolist() == wanted
    assert ((found.share >= 0) & (found.share <= 1)).all()


def test_too_many_are_thinned_alike_and_told() -> None:
    rows = [(k % 4, 4, 0, 1000 + k) for k in range(2 * MAX_MESSAGES_DRAWN)]
    known = known_of(rows)
    found = message_flights(known).at(500)
    assert found.total == len(rows)
    assert len(found.message) == MAX_MESSAGES_DRAWN
    again = message_flights(known).at(501)
    np.testing.assert_array_equal(found.message, again.message)
    own = message_flights(known).at(500, None, (3,))
    assert (own.sender == 3).sum() == len(rows) // 4


def test_unaligned_clocks_have_none() -> None:
    rows = [(0, 1, 5, 10)]
    assert len(message_flights(known_of(rows)).at(7).message) == 1
    assert len(message_flights(known_of(rows, aligned=False)).at(7).message) == 0


@pytest.mark.parametrize("count", [1999, 2001, 4100, 300_000])
@pytest.mark.parametrize("first", [(), (3,)])
def test_of_very_many_always_the_same_messages_are_drawn(
    count: int, first: tuple[int, ...]
) -> None:
    """Those of the least hashes of all, which a sort of all finds."""
    rng = np.random.default_rng(4)
    at = np.sort(rng.choice(10**7, count, replace=False))
    ends = rng.integers(0, 10_000, (2, 10**7), dtype=np.int32)
    some = SimpleNamespace(sender=ends[0], receiver=ends[1])
    hashed = [number * 2654435761 % 2**32 for number in at.tolist()]
    if first:
        own = (ends[:, at] == 3).any(axis=0)
        hashed = [-1 if mine else n for n, mine in zip(hashed, own, strict=True)]
    order = sorted(range(count), key=hashed.__getitem__)[:MAX_MESSAGES_MANY_RANKS]
    found = thin_out(cast("Messages", some), at, 10_000, first)
    assert found.tolist() == sorted(at[order].tolist())


@pytest.mark.parametrize(
    ("ranks", "flying", "drawn"), [(5, 10, True), (5, 11, False), (1001, 3, False)]
)
def test_messages_are_drawn_unasked_where_they_can_be_told_apart(
    monkeypatch: pytest.MonkeyPatch, ranks: int, flying: int, drawn: bool
) -> None:
    """More than two a rank, or ranks of a few pixels: off until they are asked for."""
    analysis = known_of([(k % 5, (k + 1) % 5, 10, 90) for k in range(flying)])
    analysis.trace.ranks = ranks
    view = SimpleNamespace(time=50)
    monkeypatch.setattr("topoview.live.moments.messages.first_view", lambda _: view)
    options = SceneOptions()
    state: Any = SimpleNamespace(analysis=Holder(analysis), scene=options)
    assert draws_messages(state) == drawn
    assert bool(too_many_messages(state.analysis)) != drawn
    for chosen in (True, False):
        state.scene = SceneOptions(messages=chosen)
        assert draws_messages(state) == chosen


class Holder:
    """What is known of messages; unlike a namespace something can be kept with it."""

    def __init__(self, analysis: Any) -> None:  # noqa: ANN401
        self.trace, self.message_index = analysis.trace, analysis.message_index


def test_those_of_selected_ranks_alone() -> None:
    analysis = known_of([(0, 1, 10, 90), (1, 2, 10, 90), (2, 3, 10, 90)])
    flights = message_flights(analysis)
    assert flights.at(50, first=(2,), only=True).message.tolist() == [1, 2]
    assert flights.at(50, first=(0,), only=True).message.tolist() == [0]
    assert flights.at(50, first=(2,)).message.tolist() == [0, 1, 2]
