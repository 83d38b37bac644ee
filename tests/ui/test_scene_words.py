"""What is written over the scene about the trace."""

from dataclasses import replace

from topoview.analysis import Analysis
from topoview.session import State
from topoview.ui.scene.content import prepare
from topoview.ui.scene.notes import UNALIGNED, footer_of, heading


def test_clocks_that_are_not_aligned_are_told(torus: Analysis) -> None:
    for aligned in (True, False):
        clock = replace(torus.trace.clock, aligned=aligned)
        known = replace(torus, trace=replace(torus.trace, clock=clock))
        state = State(analysis=known)
        content = prepare(state)
        assert content is not None
        title, subtitle = heading(content)
        assert title == "2D torus 4\u00d73"
        assert subtitle.startswith("12 ranks, 24 edges")
        assert (UNALIGNED in subtitle) is not aligned
        assert (UNALIGNED in footer_of(state, content).facts) is not aligned
