"""What is written over the scene about the trace."""

from dataclasses import replace

from topoview.model import Analysis
from topoview.report.info import UNALIGNED_CLOCKS
from topoview.session import State
from topoview.ui.panels.scene.annotations import footer_of, heading_of
from topoview.ui.panels.scene.content import prepare_scene


def test_clocks_that_are_not_aligned_are_told(torus: Analysis) -> None:
    for aligned in (True, False):
        clock = replace(torus.trace.clock, aligned=aligned)
        known = replace(torus, trace=replace(torus.trace, clock=clock))
        state = State(analysis=known)
        content = prepare_scene(state)
        assert content is not None
        title, subtitle = heading_of(content)
        assert title == "2D torus 4\u00d73"
        assert subtitle.startswith("12 ranks, 24 edges")
        assert (UNALIGNED_CLOCKS in subtitle) is not aligned
        assert (UNALIGNED_CLOCKS in footer_of(state, content).facts) is not aligned
