"""The session tells every view of every state, in order."""

import pytest

from topoview.session import Selection, Session, State


def test_tells_old_and_new_state() -> None:
    session = Session()
    told: list[tuple[int, int]] = []
    session.subscribe(lambda old, new: told.append((old.time, new.time)))
    session.update(time=3)
    session.update(time=3)
    session.update(time=5)
    assert told == [(0, 3), (3, 5)]


def test_a_change_made_by_a_view_comes_after_the_one_it_is_told() -> None:
    session = Session()
    told: list[int] = []

    def follow(_: State, new: State) -> None:
        if new.time == 1:
            session.update(time=2)

    session.subscribe(follow)
    session.subscribe(lambda _, new: told.append(new.time))
    session.update(time=1)
    assert told == [1, 2]
    assert session.state.time == 2


def test_a_view_that_fails_keeps_no_other_from_the_state() -> None:
    session = Session()
    told: list[int] = []

    def fail(_: State, new: State) -> None:
        if new.time == 1:
            session.update(time=2)
            raise ValueError("at one")

    session.subscribe(fail)
    session.subscribe(lambda _, new: told.append(new.time))
    with pytest.raises(ValueError, match="at one"):
        session.update(time=1)
    assert told == [1, 2]
    session.update(time=3)
    assert told == [1, 2, 3]


def test_ends_a_subscription() -> None:
    session = Session()
    told: list[int] = []
    end = session.subscribe(lambda _, new: told.append(new.time))
    session.update(time=1)
    end()
    session.update(time=2)
    assert told == [1]


def test_selecting_deselects_what_is_not_named() -> None:
    session = Session()
    session.select(ranks=(1, 2))
    session.select(edge=(0, 1))
    assert session.state.selection == Selection(edge=(0, 1))


def test_view_options_are_replaced_one_by_one() -> None:
    session = Session()
    session.update(theme="dark")
    session.change("timeline", order="rank")
    assert (session.state.theme, session.state.timeline.order) == ("dark", "rank")
