"""Marks of messages: one for a pair and direction, on its edge, wider for more."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_cases import MakeStage, matched

from topoview.live.moments.messages import NO_MESSAGES, MessagesInFlight, marks_of
from topoview.scene.camera import project
from topoview.scene.lines.edge_paths import EdgePaths
from topoview.scene.lines.message_lines import MAX_MARKS_PER_RANK, is_crowded
from topoview.scene.palette import THEMES
from topoview.scene.ranks.picking import pixels_to_segments
from topoview.topology import complete, lattice

rows = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 3),
        st.floats(0, 1),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    max_size=40,
)


def flying_of(
    found: list[tuple[int, int, float, bool, bool, bool]],
) -> MessagesInFlight:
    columns = [list(column) for column in zip(*found, strict=True)] or [[]] * 6
    n = len(found)
    return replace(
        NO_MESSAGES,
        message=np.arange(n),
        sender=np.array(columns[0], np.int32),
        receiver=np.array(columns[1], np.int32),
        share=np.array(columns[2], float),
        awaited=np.array(columns[3], bool),
        early=np.array(columns[4], bool),
        marked=np.array(columns[5], bool),
        codes=np.zeros(n, np.uint16),
        colours=(THEMES["light"].ink,),
        total=n,
    )


@given(rows)
def test_a_mark_for_each_pair_and_direction(
    found: list[tuple[int, int, float, bool, bool, bool]],
) -> None:
    flying = flying_of(found)
    marks = marks_of(flying)
    wanted = defaultdict(list)
    for number, row in enumerate(found):
        wanted[row[:2]].append(number)
    pairs = list(
        zip(flying.sender[marks.first], flying.receiver[marks.first], strict=True)
    )
    assert pairs == sorted(wanted)
    for pair, first, count, tail, head in zip(
        pairs, marks.first, marks.count, marks.tail, marks.head, strict=True
    ):
        own = wanted[pair]
        shares = [found[k][2] for k in own]
        assert (count, tail, head) == (len(own), min(shares), max(shares))

        def weight(k: int) -> tuple[int, float]:
            _, _, share, late, early, told = found[k]
            return 2 * (told and late) + (told and early), share

        assert weight(first) == max(map(weight, own))


def test_more_than_two_marks_a_rank_are_too_many() -> None:
    assert not is_crowded(int(MAX_MARKS_PER_RANK) * 10, 10)
    assert is_crowded(int(MAX_MARKS_PER_RANK) * 10 + 1, 10)


CASES = [
    (lattice((8, 4), (True, True)), "torus"),
    (lattice((8, 4), (True, True)), "flat"),
    (lattice((4, 3, 3), (False,) * 3), "grid"),
    (lattice((5, 4), (True, False)), "tube"),
]


@pytest.mark.parametrize(("topology", "layout"), CASES)
def test_marks_are_on_their_edges_and_are_found_there(
    stage: MakeStage, topology: object, layout: str
) -> None:
    """Also on curved ones; the truth is the way of the edge itself."""
    case = matched(topology, layout)  # type: ignore[arg-type]
    drawn = stage()
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    paths = EdgePaths(case.layout, case.match)
    for first, second in case.match.rank_edges[::7].tolist():
        for sender, receiver in ((first, second), (second, first)):
            flying = flying_of([(sender, receiver, 0.35, False, False, False)])
            scene.show_messages(flying)
            mark = scene._messages._ends
            seen = project(scene.pose, mark.reshape(-1, 3), scene.size)
            steps = np.linspace(0, 1, 201)[None]
            one, other = np.array([[sender], [receiver]], np.int32)
            way = paths.points(one, other, steps)[0]
            line = project(scene.pose, way, scene.size)
            ends = np.stack([line[:-1], line[1:]], axis=1)
            apart = [pixels_to_segments(x, y, ends).min() for x, y in seen]
            assert max(apart) < 3, "pixels from its edge"
            x, y = seen[len(seen) // 2]
            assert scene.pick_messages(x, y) == (sender, receiver)
            assert scene.pick_messages(x + 40, y + 40) is None
    scene.show_messages(NO_MESSAGES)
    assert scene.pick_messages(x, y) is None


def test_more_messages_make_a_wider_mark(stage: MakeStage) -> None:
    case = matched(lattice((2, 1), (False, False)), "flat")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    dark = []
    for count in (0, 1, 2, 4, 8):
        drawn.scene.show_messages(flying_of([(0, 1, 0.5, False, False, False)] * count))
        dark.append(int((drawn.picture().sum(axis=2) < 250).sum()))
    assert dark == sorted(set(dark))


def test_marks_that_are_too_many_are_faint(stage: MakeStage) -> None:
    """But for those that tell something, as those of selected ranks do."""
    case = matched(complete(6), "circle")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    pairs = [(a, b) for a in range(6) for b in range(6) if a != b]

    def black(rows: list[tuple[int, int, float, bool, bool, bool]]) -> bool:
        drawn.scene.show_messages(flying_of(rows))
        return bool((drawn.picture().sum(axis=2) < 100).any())

    assert black([(*pair, 0.4, False, False, False) for pair in pairs[:12]])
    assert not black([(*pair, 0.4, False, False, False) for pair in pairs[:13]])
    assert black([(*pair, 0.4, False, False, pair[0] == 1) for pair in pairs[:13]])
