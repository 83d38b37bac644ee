"""Whom calls wait for, and what messages a call has, against a look at all messages."""

from collections.abc import Callable

import numpy as np
import pytest

from topoview.live.call_facts import (
    awaited_partners,
    edges_of_call,
    messages_of_call,
    pairs_of_call,
)
from topoview.live.moments.moment import calls_at
from topoview.model import Trace
from topoview.pipeline import first_look

REAL = ("sp-masterworker-24", "ez-mg-16", "sp-jacobi2d-8x4-periodic-idlewave")


@pytest.fixture(params=("torus", *REAL))
def trace(
    request: pytest.FixtureRequest,
    simulated: Callable[..., Trace],
    real_trace: Callable[[str], Trace],
) -> Trace:
    if request.param == "torus":
        return simulated("torus", (5, 4), numbering=2)
    return real_trace(request.param)


def test_the_awaited_are_those_of_all_open_messages(trace: Trace) -> None:
    messages, random = trace.messages, np.random.default_rng(5)
    known = first_look(trace)
    some = 0
    for ticks in random.integers(0, trace.clock.length, 40).tolist():
        last, inside = calls_at(trace, ticks)
        picked = random.random(trace.ranks) < random.choice([0.1, 0.5, 1.0])
        ranks = np.flatnonzero(inside & picked)
        calls = last[ranks]
        is_open = (messages.receive_time < 0) | (messages.receive_time > ticks)
        expected = np.zeros(trace.ranks, bool)
        incoming = is_open & np.isin(messages.completion_call, calls)
        expected[messages.sender[incoming]] = True
        expected[messages.receiver[is_open & np.isin(messages.send_call, calls)]] = True
        found = awaited_partners(known, ranks, calls, ticks)
        assert found.tolist() == expected.tolist()
        some += int(expected.sum())
    assert some


def test_a_call_has_the_messages_that_name_it(trace: Trace) -> None:
    messages, calls, known = trace.messages, trace.calls, first_look(trace)
    random = np.random.default_rng(6)
    main = int(calls.offsets[trace.ranks])
    for call in random.integers(0, main, 60).tolist():
        meant = {call, int(calls.completes[call])} - {-1}
        columns = (messages.send_call, messages.receive_call, messages.completion_call)
        own = np.zeros(len(messages), bool)
        for column in columns:
            own |= np.isin(column, list(meant))
        assert messages_of_call(known, call).tolist() == np.flatnonzero(own).tolist()
        ends = np.stack([messages.sender[own], messages.receiver[own]], axis=1)
        pairs = {tuple(pair) for pair in ends.tolist()}
        assert {tuple(pair) for pair in pairs_of_call(known, call).tolist()} == pairs
        edges = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
        assert {tuple(edge) for edge in edges_of_call(known, call).tolist()} == edges
    assert not len(messages_of_call(known, len(calls)))
    assert not len(messages_of_call(known, -1))
