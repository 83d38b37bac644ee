"""What is written over the scene about the trace."""

from dataclasses import replace

import pytest

from topoview.model import Analysis, IdentifiedPart
from topoview.report.identification.parts import part_name
from topoview.report.info import UNALIGNED_CLOCKS
from topoview.scene.annotations import LegendLine
from topoview.session import State
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.panels.scene.overlay.below import LEGEND_TIPS, legend_tip, place_below
from topoview.ui.panels.scene.overlay.card_lines import footer_of
from topoview.ui.panels.scene.overlay.symbols import heading_of


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


@pytest.mark.parametrize(
    ("by", "name", "told"),
    [
        ("communicator", "rows", "communicator rows"),
        (
            "communicator",
            "4 communicators of 6 and 6 of 4",
            "4 communicators of 6 and 6 of 4",
        ),
        ("phase", "2", "phase 2"),
    ],
)
def test_a_part_is_named_once(torus: Analysis, by: str, name: str, told: str) -> None:
    assert torus.identification is not None
    part = IdentifiedPart(by, name, 0, 1, range(3), torus.identification.matches)  # type: ignore[arg-type]
    assert part_name(part) == told


@pytest.mark.usefixtures("window")
def test_every_line_of_the_legend_is_explained_where_it_is() -> None:
    lines = tuple(LegendLine(look, f"a {look}") for look in LEGEND_TIPS)
    below = place_below((), (), lines, 700.0)
    for x, up, line in below.legends:
        assert legend_tip(below, x + 20, up) == LEGEND_TIPS[line.look]
    assert legend_tip(below, 650, 300) == ""
