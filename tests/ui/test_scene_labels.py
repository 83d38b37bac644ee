"""Labels at the ranks: right ones, at their places, legible."""

from collections.abc import Callable

import numpy as np
import pytest
import traces
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.scene.topology_scene import TopologyScene
from topoview.session import SceneOptions, Selection, State
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.panels.scene.overlay.labels import (
    CHARACTER_WIDTH,
    LINE_HEIGHT,
    MAX_LABELS,
    rank_labels,
)
from topoview.ui.panels.scene.plotter import make_view


@pytest.mark.parametrize("dims", [(5, 4), (4, 4, 4), (12, 12, 12)])
@pytest.mark.parametrize("what", ["rank", "place"])
def test_labels_are_at_ranks_that_are_seen(
    qtbot: QtBot, simulated: Callable[..., Trace], dims: tuple[int, ...], what: str
) -> None:
    del qtbot
    trace = simulated("grid", dims, numbering=2)
    known = traces.identified(trace)
    chosen = trace.ranks // 2
    state = State(
        analysis=known,
        scene=SceneOptions(labels=what),
        selection=Selection(ranks=(chosen,)),
    )
    content = prepare_scene(state)
    assert content is not None
    view = make_view((900, 700))
    try:
        scene = TopologyScene(view.renderer, "light", (900.0, 700.0))
        scene.show(content.match, content.layout, content.matrix)
        labels = rank_labels(state, content, scene)
        pixels = scene.project(np.arange(trace.ranks))
        places = content.match.coordinates
        texts = {
            str(r) if what == "rank" else ", ".join(map(str, places[r].tolist())): r
            for r in range(trace.ranks)
        }
        assert labels
        assert len(labels) <= min(MAX_LABELS, trace.ranks)
        named = [texts[label.text] for label in labels]
        assert chosen in named
        for rank, label in zip(named, labels, strict=True):
            np.testing.assert_allclose((label.x, label.y), pixels[rank])
        if len(dims) == 2:
            assert sorted(named) == list(range(trace.ranks))
        else:
            seen = [scene.pick(*pixels[rank]) == rank for rank in named]
            assert np.mean(seen) > 0.8, "few are behind others"
        longest = max(map(len, texts))
        for i, one in enumerate(labels):
            for other in labels[:i]:
                apart = abs(one.x - other.x), abs(one.y - other.y)
                assert apart[0] >= CHARACTER_WIDTH * longest or apart[1] >= LINE_HEIGHT
        scene.close()
    finally:
        view.close()


def test_no_labels_unasked(simulated: Callable[..., Trace]) -> None:
    state = State(analysis=traces.identified(simulated("grid", (3, 3))))
    assert state.scene.labels == ""
