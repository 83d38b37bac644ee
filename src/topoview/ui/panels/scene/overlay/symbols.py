"""Legends and headings of a scene: what its symbols mean, and what it leaves out."""

import math

from topoview import model
from topoview.base.text import grouped, plural, size_text, tr
from topoview.live.waits.delays import shown_front
from topoview.report.identification.answer import title_of
from topoview.report.identification.parts import part_name
from topoview.report.info import UNALIGNED_CLOCKS
from topoview.scene.annotations import LegendLine
from topoview.scene.lines.edge_lines import (
    DIAGONAL_WIDTH,
    FAINT_EDGE_LOOK,
    VOLUME_STRENGTHS,
    VOLUME_WIDTHS,
)
from topoview.scene.palette import THEMES
from topoview.scene.ranks.rank_actors import MAX_RANKS_WITH_IMAGES
from topoview.scene.topology_scene import TopologyScene
from topoview.session import MatchChoice, State
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import SceneMoment, shows_messages
from topoview.ui.panels.scene.overlay import legend
from topoview.ui.widgets.formats import name_text

MAX_RINGS, MAX_RINGS_MOVING = 300, 50
"""Rings that are drawn, and those that are left while it moves too slowly."""


def heading_of(
    content: SceneContent, shown: MatchChoice | None = None
) -> tuple[str, str]:
    """Title and subtitle: the topology's name, how much there is of what."""
    matrix, match = content.matrix, content.match
    facts = [plural(content.analysis.trace.ranks, "rank")]
    if shown is not None and shown.part is not None:
        part = shown.part
        facts = [part_name(part), plural(len(part.ranks), "rank")]
        facts.append(plural(len(match.topology.edges), "edge"))
    elif len(matrix.counts):
        facts.append(plural(len(match.topology.edges), "edge"))
        # of a sheet its planes are told instead
        several = content.is_sheet and len(match.topology.dims) > 2
        facts += () if several else _traffic_words(matrix)
    identification = content.analysis.identification
    if (
        identification is not None
        and identification.unrecorded
        and not match.topology.is_empty
    ):
        calls = [
            tr(
                "{calls} of MPI_{operation}",
                calls=plural(it.calls, "call"),
                operation=it.operation,
            )
            for it in identification.unrecorded
        ]
        facts.append(tr("partners not recorded: {calls}", calls=", ".join(calls)))
    facts += layout_remarks(content)
    trace = content.analysis.trace
    if trace.ranks > 1 and not trace.clock.aligned:
        facts.append(UNALIGNED_CLOCKS)
    return name_text(title_of(identification, match)), ", ".join(facts)


@model.kept_with_source()
def _traffic_words(matrix: model.CommunicationMatrix) -> tuple[str, str]:
    """Describe how many messages there are in all, and how much they hold."""
    calls, volume = int(matrix.counts.sum()), int(matrix.sizes.sum())
    return plural(calls, matrix.noun), size_text(volume)


def layout_remarks(content: SceneContent) -> tuple[str, ...]:
    """Describe what is not seen in the layout."""
    layout, remarks = content.layout, []
    dims, axes = content.match.topology.dims, content.match.topology.axes
    if layout.shape == "cut":
        drawn = sum(math.prod(dims) // extent for extent in dims) - sum(dims) + 1
        remarks.append(
            tr("three cut planes, {ranks} are drawn", ranks=plural(drawn, "rank"))
        )
    elif len(layout.axes) > 2:
        wide, high, *counts = layout.on_sheet(dims)
        remarks.append(
            tr(
                "{planes} across {axis} of {across}×{along}",
                planes=plural(math.prod(counts), "plane"),
                axis=", ".join(axes[axis] for axis in layout.axes[2:]),
                across=wide,
                along=high,
            )
        )
    if layout.shape == "planes" and layout.cell < 1:
        side = math.ceil(1 / layout.cell)
        remarks.append(tr("a pixel is {side}×{side} ranks", side=side))
    if layout.free and layout.empty:
        places = grouped(len(layout.positions) + layout.empty)
        remarks.append(
            tr(
                "{empty} of {places} places empty",
                empty=grouped(layout.empty),
                places=places,
            )
        )
    if content.fault:
        remarks.append(content.fault)
    return tuple(remarks)


def symbol_legends(
    state: State, content: SceneContent, scene: TopologyScene, shown: SceneMoment
) -> tuple[LegendLine, ...]:
    """Explain lines and messages of the scene."""
    legends = legend.channel_legends(content.analysis.trace, shown)
    legends += (
        legend.message_legends(shown.flying, THEMES[state.theme].ink)
        if shown.flying.total or shows_messages(state, content)
        else []
    )
    if shown.small:
        legends.append(LegendLine("", tr("ranks are too small for their messages")))
    if content.is_sheet:
        legends += _sheet_legends(state, content)
    if state.scene.edges and len(scene.edges.edges):
        if scene.edges.limits is not None and shown.traffic is None:
            low, high = scene.edges.limits
            texts = (
                f"< {size_text(low)}",
                f"< {size_text(high)}",
                tr("≥ {high} on an edge", high=size_text(high)),
            )
            looks = zip(texts, VOLUME_WIDTHS, VOLUME_STRENGTHS, strict=True)
            legends += [
                LegendLine("edge", text, width, part) for text, width, part in looks
            ]
        if scene.edges.has_diagonals:
            part = state.scene.geometry.diagonals
            legends.append(LegendLine("edge", tr("diagonal"), DIAGONAL_WIDTH, part))
        if scene.edges.has_stubs and state.scene.geometry.wrap == "stubs":
            legends.append(LegendLine("wrap", tr("wrap, to the opposite side")))
        if content.match.missing:
            text = tr("not seen  {missing}", missing=grouped(content.match.missing))
            legends.append(LegendLine("missing", text))
        if content.match.extra:
            text = tr(
                "not in the topology  {extra}", extra=grouped(content.match.extra)
            )
            legends.append(LegendLine("extra", text))
        if scene.edges.faint:
            text = tr(
                "fewer bytes, not in the topology  {faint}",
                faint=grouped(scene.edges.faint),
            )
            legends.append(LegendLine("edge", text, *FAINT_EDGE_LOOK))
    return tuple(legends)


def _sheet_legends(state: State, content: SceneContent) -> list[LegendLine]:
    """Explain lines and corners on planes."""
    legends = []
    if shown_front(state) is not None:
        legends.append(LegendLine("extra", tr("front of the delay"), 2.0))
        legends.append(LegendLine("end", tr("end of the wait"), 2.0))
    if state.selection.ranks:
        legends += column_legend(content)
    return legends


def column_legend(content: SceneContent) -> tuple[LegendLine, ...]:
    """Explain the corners at the place of a selected rank in other planes."""
    several = len(content.layout.axes) > 2
    return (LegendLine("column", tr("same x, y")),) if several else ()


def copies_legend(
    state: State, content: SceneContent, scene: TopologyScene
) -> tuple[LegendLine, ...]:
    """Explain why there are no copies around it: no room is kept."""
    grid = content.layout.grid
    wraps = grid is not None and bool(grid.tables) and any(grid.periodic)
    if not (
        state.scene.geometry.copies and wraps and scene.ranks > MAX_RANKS_WITH_IMAGES
    ):
        return ()
    return (
        LegendLine(
            "",
            tr(
                "no copies around more than {ranks}",
                ranks=plural(MAX_RANKS_WITH_IMAGES, "rank"),
            ),
        ),
    )


def omission_legends(state: State, scene: TopologyScene) -> tuple[LegendLine, ...]:
    """Explain what is not drawn of very much, or while it moves: no room is kept."""
    legends = []
    missing = [name for name in scene.detail.left_out if getattr(state.scene, name)]
    dots = scene.glyphs is not None and scene.glyphs.moving
    rougher = [tr("ranks are dots")] if dots else []
    if missing:
        rougher.append(tr("without {missing}", missing=", ".join(missing)))
    if rougher:
        legends.append(
            LegendLine("", tr("while it moves, {rougher}", rougher=", ".join(rougher)))
        )
    chosen, most = len(state.selection.ranks), max_rings(scene)
    if chosen > most:
        text = tr(
            "rings at {most} of {chosen} selected ranks",
            most=grouped(most),
            chosen=grouped(chosen),
        )
        legends.append(LegendLine("", text))
    return tuple(legends)


def max_rings(scene: TopologyScene) -> int:
    """Return how many ranks get rings: fewer while the camera moves."""
    return MAX_RINGS if scene.detail.labels else MAX_RINGS_MOVING
