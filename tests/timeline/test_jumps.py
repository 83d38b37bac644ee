"""Jumps from a message's end to the other, and from a wait to its cause."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from topoview.analysis.message_index import message_index
from topoview.model import Messages, WaitStates
from topoview.session import Picked, Selection, Session
from topoview.ui.actions.rows import (
    follow_wait,
    go_to_end,
    show_selected_only,
    turn_groups,
    turn_track,
)


@pytest.fixture
def context(session: Session) -> Any:  # noqa: ANN401 - as much of it as is asked for
    """Stand for the window, as far as actions on rows need it."""
    said: list[str] = []

    class Standing:
        panels = SimpleNamespace()
        say = staticmethod(said.append)
        told = said

        @property
        def session(self) -> Session:
            return session

        @property
        def state(self) -> Any:  # noqa: ANN401
            return session.state

    return Standing()


def with_one_message(context: Any, sent: int, received: int) -> None:  # noqa: ANN401
    known = context.state.analysis
    narrow, none = np.zeros(1, np.int32), np.full(1, -1)
    ends = np.array([3], np.int32), np.array([5], np.int32)
    messages = Messages(
        *(*ends, np.array([8]), narrow, narrow, none, none, none, none),
        *(np.array([sent]), np.array([received])),
    )
    trace = replace(known.trace, messages=messages)
    index = message_index(messages)
    context.session.update(analysis=replace(known, trace=trace, message_index=index))


def test_brackets_jump_along_a_message(context: Any) -> None:  # noqa: ANN401
    with_one_message(context, 700, 910)
    context.session.update(picked=Picked("message", 0))
    for end, ticks in ((1, 910), (0, 700)):
        go_to_end(end, context)
        assert context.state.time == ticks
        assert context.state.picked == Picked("message", 0)
    with_one_message(context, 700, -1)
    context.session.update(picked=Picked("message", 0))
    go_to_end(1, context)
    assert context.told == ["When the message was received is not recorded"]


def test_a_wait_is_followed_from_call_to_call(context: Any) -> None:  # noqa: ANN401
    known = context.state.analysis
    calls = known.trace.calls
    cause, until = np.full(len(calls), -1), np.full(len(calls), -1)
    late, later, root = (int(calls.offsets[r]) + k for r, k in ((1, 3), (4, 2), (7, 1)))
    for call, by in ((late, later), (later, root)):
        cause[call], until[call] = by, calls.enter[call] + 1
    waits = WaitStates(
        until,
        np.full(len(calls), -1, np.int32),
        cause,
        np.zeros(len(calls), np.uint8),
        np.zeros(len(calls), np.int32),
        np.zeros((3, 0), np.int64),
    )
    context.session.update(analysis=replace(known, waits=waits))
    context.session.update(selection=Selection((1,), call=late))
    for wanted, rank in ((later, 4), (root, 7)):
        follow_wait(context)
        assert context.state.selection.call == wanted
        assert context.state.selection.ranks == (rank,)
        assert context.state.time == calls.enter[wanted]
    follow_wait(context)
    assert context.state.selection.call == root
    assert "waits for nobody" in context.told[-1]


def test_tracks_groups_and_rows_are_turned(context: Any) -> None:  # noqa: ANN401
    options = lambda: context.state.timeline  # noqa: E731
    turn_track("states", context)
    turn_track("stack", context)
    assert options().tracks == ("states", "stack")
    turn_track("states", context)
    assert options().tracks == ("stack",)
    context.session.select(ranks=(2, 3))
    show_selected_only(context)
    assert options().only == (2, 3)
    show_selected_only(context)
    assert options().only == ()
    turn_groups(context)
    assert options().turned
    turn_groups(context)
    assert not options().turned
