"""Calls and targets of one-sided records, against looking at each by itself."""

# ruff: noqa: ANN001 - plain numbers all

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.calls.one_sided import calls_around, window_members, world_targets
from topoview.model import Communicator, EventRecords

RANKS = 4
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, RANKS)), max_size=20)
groups = st.dictionaries(
    st.integers(0, 3), st.lists(st.integers(0, RANKS - 1), unique=True), max_size=3
)


@given(rows, groups)
def test_targets_are_members_of_their_window(records, members) -> None:
    table = np.array(records, np.int64).reshape(-1, 2)
    known = {key: np.array(group, np.int64) for key, group in members.items()}
    found = world_targets(table[:, 0], table[:, 1], known, RANKS)
    expected = []
    for window, remote in records:
        group = members.get(window, list(range(RANKS)))
        expected.append(group[remote] if 0 <= remote < len(group) else -1)
    assert found.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, RANKS - 1), st.integers(0, 3)), max_size=20))
def test_members_are_those_who_made_a_window(made) -> None:
    made = sorted(made)
    records = EventRecords(
        "RmaWinCreate",
        ("window",),
        np.searchsorted([rank for rank, _ in made], np.arange(RANKS + 1)),
        np.arange(len(made)),
        np.array([[window] for _, window in made], np.int64).reshape(-1, 1),
    )
    even = Communicator("even", np.array([2, 0], np.int32))
    trace = SimpleNamespace(
        windows={}, earlier=(), ranks=RANKS, further=(records,), communicators=(even,)
    )
    expected = {}
    for window in {window for _, window in made}:
        own = {rank for rank, other in made if other == window}
        if len(own) < RANKS:
            expected[window] = [2, 0] if own == {0, 2} else []
    found = window_members(trace)
    assert {key: group.tolist() for key, group in found.items()} == expected


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(0, 12))
def test_the_call_around_a_time(moments, first) -> None:
    """Two ranks with the same times, of which the first has some calls."""
    bounds = sorted(set(moments))
    calls = list(zip(bounds[::2], bounds[1::2], strict=False))
    own = min(first, len(calls))
    enter, leave = np.array(calls, np.int64).reshape(-1, 2).T.copy()
    trace = SimpleNamespace(
        calls=SimpleNamespace(
            offsets=np.array([0, own, len(calls)]), enter=enter, leave=leave
        )
    )
    rank = np.repeat([0, 1], 31)
    time = np.tile(np.arange(31), 2)
    found = calls_around(trace, rank, time)
    for row, now, call in zip(rank, time, found, strict=True):
        some = range(own) if row == 0 else range(own, len(calls))
        inside = [k for k in some if enter[k] <= now <= leave[k]]
        assert call == (inside[0] if inside else -1)
