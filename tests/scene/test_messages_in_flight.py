"""Which messages fly at a time, against looking at all of them."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
    columns = SimpleNamespace(
        sender=sender.astype(np.int32),
        receiver=receiver.astype(np.int32),
        send_time=sent,
        receive_time=received,
    )
    clock = SimpleNamespace(aligned=aligned)
    return cast("Any", SimpleNamespace(messages=columns, clock=clock))


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
