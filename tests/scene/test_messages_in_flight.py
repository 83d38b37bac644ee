"""Which messages fly at a time, against looking at all of them."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.analysis import message_blocks as blocks_module
from topoview.analysis.message_blocks import message_blocks
from topoview.model import Messages
from topoview.scene.message_lines import flights

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
    sender, receiver, sent, received = np.array(rows, np.int64).reshape(-1, 4).T
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
        send_time=sent,
        receive_time=received,
    )
    clock = SimpleNamespace(aligned=aligned)
    return cast("Any", SimpleNamespace(messages=columns, clock=clock))


@given(st.lists(st.integers(0, 3), max_size=2100), st.integers(0, 3))
def test_finds_all_between(senders: list[int], one: int) -> None:
    """Over several blocks."""
    assert blocks_module._BLOCK < 1000
    rows = [(sender, (sender * k) % 5, k, k + 1) for k, sender in enumerate(senders)]
    other = 4
    found = message_blocks(trace_of(rows).messages).between(one, other)
    wanted = [
        k
        for k, row in enumerate(rows)
        if set(row[:2]) == {one, other} and len(row) == 4
    ]
    assert found.tolist() == wanted


@given(messages, st.integers(-5, 400))
def test_finds_all_in_flight(rows: list[Row], ticks: int) -> None:
    found = flights(trace_of(rows)).at(ticks)
    wanted = sorted(
        (a, b, (ticks - sent) / (received - sent))
        for a, b, sent, received in rows
        if a != b and 0 <= sent <= ticks < received
    )
    assert sorted(zip(*(column.tolist() for column in found), strict=True)) == wanted


def test_unaligned_clocks_have_none() -> None:
    rows = [(0, 1, 5, 10)]
    assert len(flights(trace_of(rows)).at(7)[0]) == 1
    assert len(flights(trace_of(rows, aligned=False)).at(7)[0]) == 0
