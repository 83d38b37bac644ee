"""The traffic of a window: its bytes against a plain sum, and its lines."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scene_cases import MakeStage, Stage, matched

from topoview.live.moments.messages import NO_MESSAGES
from topoview.live.moments.window_sums import edge_bytes
from topoview.model import Geometry, TimeState, Trace
from topoview.pipeline import first_look
from topoview.scene.export_shapes import read_renderer as drawn_of
from topoview.scene.lines import pair_lines
from topoview.scene.lines.pair_lines import busiest_edges, communicating_pairs
from topoview.scene.palette import THEMES
from topoview.scene.shading import shade_by_state
from topoview.topology import lattice


def test_bytes_of_a_window(real_trace: Callable[[str], Trace]) -> None:
    for name in ("ez-cg-8", "sp-jacobi2d-8x4-periodic-idlewave"):
        trace = real_trace(name)
        messages, known = trace.messages, first_look(trace)
        pairs = np.stack([messages.sender, messages.receiver], axis=1)
        edges = np.unique(np.sort(pairs, axis=1), axis=0)[::-1].astype(np.int32)
        length = trace.clock.length
        for window in ((0, length + 1), (length // 2, length), (5, 6)):
            found = edge_bytes(known, window, edges)
            inside = (messages.send_time >= window[0]) & (
                messages.send_time < window[1]
            )
            for (a, b), volume in zip(edges.tolist(), found.tolist(), strict=True):
                there = (pairs == (a, b)).all(axis=1) | (pairs == (b, a)).all(axis=1)
                if a != b:
                    assert volume == messages.size[there & inside].sum()


def test_edges_with_most_bytes_are_kept(monkeypatch) -> None:  # noqa: ANN001
    monkeypatch.setattr(pair_lines, "MAX_TRAFFIC_EDGES", 3)
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]], np.int32)
    found = busiest_edges(edges, np.array([5, 0, 9, 7, 1]))
    assert sorted(found.volume.tolist()) == [5, 7, 9]
    assert found.total == 4
    assert (found.values.low, found.values.high) == (1, 9)
    nothing = busiest_edges(edges, np.zeros(5, np.int64))
    assert nothing.values.low <= nothing.values.high


def test_edges_give_way_to_the_traffic(stage: MakeStage) -> None:
    case = matched(lattice((4, 1), (False, False)), "flat")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    before = drawn.picture()
    edges = communicating_pairs(case.match)
    drawn.scene.show_traffic(busiest_edges(edges, np.array([1, 1000, 10])))
    after = drawn.picture()
    changed = (before != after).any(axis=2)
    areas = []
    for pair in edges.tolist():
        x, y = drawn.scene.project(np.array(pair, np.int32)).mean(axis=0)
        near = changed[int(y) - 9 : int(y) + 9, int(x) - 4 : int(x) + 4]
        areas.append(int(near.sum()))
    assert areas[1] > areas[0]
    drawn.scene.show_traffic(None)
    np.testing.assert_array_equal(drawn.picture(), before)


def test_nothing_is_drawn_between_ranks_that_are_hidden(stage: MakeStage) -> None:
    case = matched(lattice((9, 5), (False,) * 2), "flat")
    drawn = stage()
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix, Geometry(wrap="none"))
    scene.show_edges(shown=False)
    codes = np.full(45, TimeState.COMPUTE, np.uint8)
    scene.colour(shade_by_state(THEMES["light"], codes, frozenset()))
    edges = communicating_pairs(case.match)
    traffic = busiest_edges(edges, np.arange(1, len(edges) + 1))
    pairs = np.concatenate([edges, edges[:, ::-1]]).astype(np.int32)
    flying = replace(
        NO_MESSAGES,
        message=np.arange(len(edges)),
        sender=edges[:, 0],
        receiver=edges[:, 1],
        share=np.full(len(edges), 0.5),
        early=np.zeros(len(edges), bool),
        awaited=np.zeros(len(edges), bool),
        marked=np.zeros(len(edges), bool),
        total=len(edges),
        codes=np.zeros(len(edges), np.uint16),
        colours=("#000000",),
    )

    def show_all() -> None:
        scene.show_traffic(traffic)
        scene.show_messages(flying)
        scene.show_chains((pairs, *[pairs[:0]] * 4))

    y = case.match.coordinates[:, 1]
    for geometry in (
        Geometry(ranges=((1, 1, 2),), outside="hidden"),
        Geometry(ranges=((1, 1, 2),), outside="dimmed"),
    ):
        scene.slice(geometry)
        show_all()
        own = case.layout.positions[(y == 1) | (y == 2), 1]
        ends = drawn_lines(drawn)
        assert len(ends) > 100
        assert ends[..., 1].min() > own.min() - 0.3
        assert ends[..., 1].max() < own.max() + 0.3
    scene.slice(Geometry())
    show_all()
    assert np.ptp(drawn_lines(drawn)[..., 1]) > 3


def drawn_lines(drawn: Stage) -> np.ndarray:
    """Find the ends of all lines: shape (n, 2, 3)."""
    return drawn_of(drawn.view.renderer).strokes.ends
