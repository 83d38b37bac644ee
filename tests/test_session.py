"""The session tells every view of every state, in order."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from topoview.session import Camera, Picked, Selection, Session, State


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


def test_what_is_new_in_a_selection_was_clicked() -> None:
    session = Session()
    session.select(ranks=(2,), call=7)
    assert session.state.picked == Picked("call", 7)
    session.choose(statement=3)
    assert session.state.picked == Picked("statement", 3)
    session.select(ranks=(2,))
    assert session.state.picked == Picked("rank", 2)
    session.select(ranks=(2,), window=(1, 5))
    assert session.state.picked == Picked("rank", 2)
    session.select(edge=(1, 4))
    assert session.state.picked == Picked("pair", 1, 4)
    session.update(picked=Picked("message", 9))
    assert session.state.selection == Selection(edge=(1, 4))
    session.update(selection=Selection())
    assert not session.state.picked


def test_view_options_are_replaced_one_by_one() -> None:
    session = Session()
    session.update(theme="dark")
    session.change("timeline", order="rank")
    assert (session.state.theme, session.state.timeline.order) == ("dark", "rank")


@dataclass(frozen=True)
class PanelOptions:
    amount: str = "calls"


@dataclass(frozen=True)
class TraceOptions:
    OF_TRACE: ClassVar[bool] = True
    rows: int = 0


def test_a_view_hears_of_the_parts_that_it_follows_only() -> None:
    session = Session()
    times: list[int] = []
    options: list[str] = []
    session.subscribe(lambda _, new: times.append(new.time), to=("time", "theme"))
    session.subscribe(
        lambda _, new: options.append(new.of(PanelOptions).amount), to=(PanelOptions,)
    )
    session.update(playing=True)
    session.update(time=3)
    session.change("scene", edges=False)
    session.change(PanelOptions, amount="bytes")
    session.change(PanelOptions, amount="bytes")
    session.update(theme="dark")
    assert times == [3, 3]
    assert options == ["bytes"]


def test_a_part_that_there_is_not_cannot_be_followed() -> None:
    with pytest.raises(AttributeError):
        Session().subscribe(lambda *_: None, to=("tiem",))


def test_another_trace_keeps_what_is_not_about_the_one_before() -> None:
    session = Session()
    session.change("scene", colouring="wait", layout="flat")
    session.change(PanelOptions, amount="bytes")
    session.change(TraceOptions, rows=7)
    session.update(match=2, camera=Camera("above", parallel=True))
    session.show_trace(time=5)
    state = session.state
    assert (state.scene.colouring, state.scene.layout) == ("wait", "")
    assert state.of(PanelOptions) == PanelOptions("bytes")
    assert state.of(TraceOptions) == TraceOptions()
    assert (state.match, state.time) == (0, 5)
    assert state.camera == Camera(parallel=True)


def test_another_trace_picks_what_is_selected_at_first() -> None:
    session = Session()
    for _ in range(2):  # of another trace that rank is another one
        session.show_trace(selection=Selection(ranks=(5,)))
        assert session.state.picked == Picked("rank", 5)
    session.show_trace()
    assert session.state.picked == Picked()


def test_another_trace_is_compared_with_nothing() -> None:
    session = Session()
    session.change("scene", colouring="difference", size="compared", outline="wait")
    session.show_trace()
    scene = session.state.scene
    assert (scene.colouring, scene.size, scene.outline) == ("state", "", "wait")
    assert session.state.compared is None
