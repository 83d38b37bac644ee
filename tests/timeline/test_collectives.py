"""Collective operations over the rows: against loops over the parts, and the mouse."""

from collections import defaultdict

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from topoview.live.timeline import collectives
from topoview.live.timeline.collectives import CollectiveFinder
from topoview.model import Analysis, Trace
from topoview.pipeline import first_look
from topoview.session import Session
from topoview.ui.panels.timeline.hover import operation_near, operation_words
from topoview.ui.panels.timeline.paint import operation_lines
from topoview.ui.panels.timeline.view import TimelineView


@pytest.fixture(scope="module")
def known() -> Analysis:
    return first_look(traces.simulated("torus", (4, 3), numbering=1))


def operations_of(trace: Trace) -> list[list[tuple[int, int, int, int]]]:
    """Operations: call, rank, begin and end of each part; a loop over the parts."""
    turns: dict[tuple[int, int], int] = defaultdict(int)
    found = defaultdict(list)
    for part, call in enumerate(trace.collectives.call.tolist()):
        row = int(np.searchsorted(trace.calls.offsets, call, "right")) - 1
        communicator = int(trace.collectives.communicator[part])
        turn = turns[row, communicator]
        turns[row, communicator] += 1
        times = int(trace.calls.enter[call]), int(trace.calls.leave[call])
        rank = int(trace.rank_of_location[row])
        found[communicator, turn].append((call, rank, *times))
    return [found[key] for key in sorted(found)]


@given(
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    some=st.sets(st.integers(0, 11), min_size=1),
    most=st.sampled_from([5, 20, 10_000]),
)
def test_operations_equal_a_loop_over_the_parts(
    known: Analysis, ends: tuple[float, float], some: set[int], most: int
) -> None:
    torus = known.trace
    low, high = sorted(round(share * torus.clock.length) for share in ends)
    window = low, high + 1
    expected = {}
    for parts in operations_of(torus):
        begin, end = min(p[2] for p in parts), max(p[3] for p in parts)
        inside = sorted((p[1], p[2]) for p in parts if p[1] in some)
        if begin < window[1] and end > window[0] and len(inside) > 1:
            complete = max(p[2] for p in parts)
            last = min(p[1] for p in parts if p[2] == complete)
            call = next(p[0] for p in parts if p[1] == last)
            expected[call] = (begin, complete, last, inside)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collectives, "MAX_ARRIVALS_DRAWN", most)
        ranks = np.array(sorted(some), np.int32)
        found = CollectiveFinder().find(known, window, ranks)
    assert found is not None
    assert found.total == len(expected)
    for k, call in enumerate(found.call.tolist()):
        begin, complete, last, inside = expected[call]
        own = slice(*found.offsets[k : k + 2].tolist())
        told = sorted(zip(found.rank[own].tolist(), found.enter[own].tolist()))  # noqa: B905
        assert told == inside
        assert int(found.begin[k]) == begin
        assert int(found.complete[k]) == complete
        assert int(found.last[k]) == last
    if len(found) == found.total:
        assert "drawn" in found.words
        return
    # those that ranks came to most apart
    assert len(found.rank) <= max(most, 12)
    drawn = set(found.call.tolist())
    apart = {call: c - b for call, (b, c, *_) in expected.items()}
    left = [apart[call] for call in expected if call not in drawn]
    assert max(left) <= min(apart[call] for call in drawn)
    assert f"{len(found)} of {found.total}" in found.words


def test_an_operation_is_told_and_selected_with_the_mouse(
    known: Analysis, qtbot: QtBot
) -> None:
    session, length = Session(), known.trace.clock.length
    session.update(analysis=known, window=(0, length), time=length // 2)
    session.change("timeline", order="rank")
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    session.change("timeline", collectives=True)
    qtbot.waitUntil(
        lambda: view.settled and view.operations is not None, timeout=20_000
    )
    found, frame = view.operations, view.frame
    assert found is not None
    drawn = operation_lines(found, frame, view.bands)
    number = int(np.argmax(found.complete))
    _, upright, at = drawn[number]
    place = QPoint(round(upright.x1()), round(at.y()))
    near = operation_near(view, place.toPointF())
    assert near is not None
    assert abs(drawn[near][1].x1() - place.x()) <= 1
    words = operation_words(session.state, frame, found, near)
    assert f"rank {found.last[near]} came last" in words
    region = int(known.trace.calls.region[found.call[near]])
    assert known.trace.regions.title(region) in words
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert session.state.picked.kind == "collective"
    assert session.state.selection.call == int(found.call[near])
    assert session.state.selection.ranks == (int(found.last[near]),)
    session.change("timeline", collectives=False)
    qtbot.waitUntil(lambda: view.settled and view.operations is None, timeout=20_000)
