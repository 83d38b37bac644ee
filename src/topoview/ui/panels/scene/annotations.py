"""What is written over the scene: headings, cards, rings, legends, and their room."""

import math
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from topoview import model
from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.call_facts import path_text, ranks_text, tags_text
from topoview.live.delays import shown_front
from topoview.live.moments.messages import MANY_RANKS, MAX_MESSAGES_MANY_RANKS
from topoview.live.moments.moment import call_at
from topoview.live.moments.wait_chains import awaited_by
from topoview.report.identification.answer import title_of
from topoview.report.identification.parts import part_name
from topoview.report.info import UNALIGNED_CLOCKS, clock_remarks
from topoview.report.write import card
from topoview.scene.annotations import (
    Annotations,
    Card,
    Footer,
    Label,
    LegendLine,
    RankRing,
)
from topoview.scene.axes.axis_labels import label_width
from topoview.scene.axes.plane_sheet import PlaneSheet, SheetMoment
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
from topoview.ui.panels.picked.words import page_of, place_text
from topoview.ui.panels.scene import legend
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.cut_sliders import cut_rooms
from topoview.ui.panels.scene.labels import rank_labels
from topoview.ui.panels.scene.moment import SceneMoment, shows_messages
from topoview.ui.panels.scene.overlay import how_much_less, leave_out, room_below
from topoview.ui.widgets.formats import name_text, relative_time_text, time_text
from topoview.version import __version__

MAX_NAME_LENGTH = 48
"""Characters of a name or a place in a source that are written."""


def rank_lines(
    state: State, content: SceneContent, shown: SceneMoment, rank: int
) -> tuple[str, ...]:
    """Describe a rank: who and where it is, its state, its call, its numbers."""
    trace, now = content.analysis.trace, shown.now
    interval = now.interval_of(rank)
    lines = [
        tr(
            "rank {rank}  {place}", rank=rank, place=place_text(content.match, rank)
        ).strip()
    ]
    place = trace.locations[rank]
    if place.node and _has_several_nodes(trace):
        lines.append(tr("node {node}", node=place.node))
    label = model.TimeState(now.state[rank]).label
    if now.state[rank] == model.TimeState.OUTSIDE:
        lines.append(tr("outside of the recorded time"))
    else:
        since = int(now.timeline.time[interval])
        so_far = duration_text(trace.clock.seconds(now.ticks - since))
        span, clock = state.window[1] - state.window[0], trace.clock
        at = relative_time_text(since, state.time_zero, clock, span, state.unit)
        text = tr(
            "{label}, {so_far} so far, since {at}", so_far=so_far, label=label, at=at
        )
        if now.ticks == since:
            text = tr("{label}, just entered", label=label)
        lines.append(text)
    region = int(now.timeline.region[interval])
    if region >= 0:
        name = trace.regions.title(region)
        lines.append(
            name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"
        )
        source = trace.regions.source(region)
        if source:
            end = source[1 - MAX_NAME_LENGTH :]
            lines.append(source if len(source) <= MAX_NAME_LENGTH else f"…{end}")
    lines += _call_lines(content.analysis, shown, rank)
    view = state.scene
    for of, values, colouring in (
        ("", shown.channels.fill, "" if state.highlighted >= 0 else view.colouring),
        ("outline, ", shown.channels.outline, view.outline),
        ("size, ", shown.channels.size, view.size),
    ):
        if values is not None:
            lines.append(of + _number_line(state, values, colouring, rank))
    return tuple(lines)


@model.kept_with_source()
def _has_several_nodes(trace: model.Trace) -> bool:
    return len(set(trace.hosts)) > 1


def _number_line(state: State, values: model.RankValues, name: str, rank: int) -> str:
    number = legend.number_text(values, float(values.values[rank]))
    return f"{legend.colouring_text(state, name)}: {number}"


def _tag_words(tags: tuple[int, ...]) -> str:
    text = tags_text(tags)
    if len(tags) == 1:
        return tr("tag {tag}", tag=text)
    return tr("tags {tags}", tags=text) if "," in text else text


def _call_lines(analysis: model.Analysis, shown: SceneMoment, rank: int) -> list[str]:
    """Describe the present call's partners and bytes, and whom it waits for."""
    trace, ticks, look = analysis.trace, shown.now.ticks, shown.look
    call = call_at(trace, rank, ticks)
    if call is None:
        return []
    path = path_text(trace, call)
    facts = look.facts(analysis, rank, call)
    words = []
    if facts.to:
        words.append(tr("to {ranks}", ranks=ranks_text(facts.to)))
    if facts.source:
        words.append(tr("from {ranks}", ranks=ranks_text(facts.source)))
    if facts.root >= 0:
        words.append(tr("root {root}", root=facts.root))
    if facts.size is not None and (facts.size or facts.to or facts.source):
        words.append(size_text(facts.size))
    if facts.tags:
        words.append(_tag_words(facts.tags))
    if facts.communicator > 0:
        name = trace.communicators[facts.communicator].name
        words.append(tr("in {name}", name=name or facts.communicator))
    inner = path if len(path) <= MAX_NAME_LENGTH else f"…{path[1 - MAX_NAME_LENGTH :]}"
    lines = [tr("in {inner}", inner=inner)] if path else []
    lines += [", ".join(words)] if words else []
    if analysis.waits is not None:
        whom = awaited_by(trace, analysis.waits, rank, ticks)
        if whom >= 0:
            lines.append(tr("waits for rank {whom}", whom=grouped(whom)))
    return lines


MAX_CARDS = 3
WIDTH_PER_CARD = 280
"""Pixels of the scene's width for each card: more would hide the ranks."""

MAX_RINGS, MAX_RINGS_MOVING = 300, 50
"""Rings that are drawn, and those that are left while it moves too slowly."""

MAX_OBSTACLES = 1500
"""Ranks that cards are kept off, about."""

LETTERS_SPARED = 24.0
"""Pixels between the places of a word that cards are kept off."""


@dataclass(frozen=True, slots=True)
class Hover:
    """What the pointer is over, and where it is.

    A rank, an edge, or messages from one rank to another; a tip tells about it.
    """

    x: float
    y: float
    rank: int | None = None
    edge: tuple[int, int] | None = None
    flow: tuple[int, int] | None = None
    tip: bool = False

    @property
    def thing(self) -> int | tuple[int, int, bool] | None:
        """What it is over; None for nothing."""
        if self.flow is not None:
            return (*self.flow, True)
        return self.rank if self.edge is None else (*self.edge, False)


def annotate(  # noqa: PLR0913 - what a picture is made of
    state: State,
    content: SceneContent,
    scene: TopologyScene,
    shown: SceneMoment,
    *,
    hover: Hover | None = None,
    footer: bool = False,
    keyed: bool = True,
) -> Annotations:
    """Describe what is to be written over the scene, its key too if it has one."""
    sheet, sheet_moment = _sheet(state, scene, shown)
    labels = (
        *scene.axis_labels(),
        *scene.stub_labels(state.selection.ranks),
        *rank_labels(state, content, scene),
    )
    cards = tuple(_cards(state, content, scene, shown, hover))
    title, subtitle = heading_of(content, state.derived.choice)
    return Annotations(
        theme=state.theme,
        title=title,
        subtitle=subtitle,
        key=legend.legend_entries(state, content, shown) if keyed else (),
        legends=(
            *(symbol_legends(state, content, scene, shown) if keyed else ()),
            *_copies_legend(state, content, scene),
            *_omission_legends(state, scene),
        ),
        rings=tuple(_rings(state, scene, hover, sheet)),
        cards=cards,
        labels=labels,
        obstacles=_obstacles(scene, labels, sheet) if cards else NO_PLACES,
        clearance=min(max(scene.reach_pixels + 6, 14.0), 60.0),
        footer=footer_of(state, content) if footer else None,
        scales=legend.colour_scales(state, shown) if keyed else (),
        lines=tuple(scene.axis_lines()),
        sheet=sheet,
        sheet_moment=sheet_moment,
    )


def _sheet(
    state: State, scene: TopologyScene, shown: SceneMoment
) -> tuple[PlaneSheet | None, SheetMoment | None]:
    """Find what is written over planes, and over a cut block."""
    rooms = None
    if scene.planes is not None and scene.is_cut:
        rooms = cut_rooms(scene.planes.dims, scene.size, scene.below)
    front, now, reached, left = shown_front(state), shown.now.ticks, None, None
    middle = -1 if front is None else front.rank
    sheet = scene.sheet(state.selection.ranks, state.scene.cut, rooms, middle)
    places = scene.planes or scene.map
    if sheet is None or places is None:
        return None, None
    if front is not None:
        reached = (front.arrival >= 0) & (front.arrival <= now)
        reached[front.rank] = front.begin <= now
        left = (front.end >= 0) & (front.end <= now)
        left[front.rank] = left.any()
    return sheet, places.moment(
        sheet,
        (shown, front),
        states=shown.now.state,
        codes=shown.shading.codes,
        colours=shown.shading.palette.colours,
        reached=reached,
        left=left,
        stands_out=shown.shading.stands_out,
    )


def _obstacles(
    scene: TopologyScene, labels: tuple[Label, ...], sheet: PlaneSheet | None
) -> model.Floats:
    """Find the places that cards had better not hide: of ranks, words and a block."""
    ranks = np.flatnonzero(scene.visible)
    some = model.evenly(ranks, MAX_OBSTACLES)
    words = [(label.x + x, label.y) for label in labels for x in _letters(label.text)]
    places = [scene.project(some.astype(np.int32)), np.reshape(words, (-1, 2))]
    if sheet is not None and sheet.block is not None:
        edges = np.concatenate([sheet.block.before, sheet.block.behind]).reshape(-1, 2)
        places.append(_spread(edges.min(axis=0), edges.max(axis=0)))
    if sheet is not None and sheet.flat_map is not None:
        corners = sheet.flat_map.outline
        places.append(_spread(corners.min(axis=0), corners.max(axis=0)))
    return np.concatenate(places)


BLOCK_STEP = 8.0
"""Pixels between places of a block that cards do not hide."""

NO_PLACES = np.zeros((0, 2))


def _spread(low: model.Floats, high: model.Floats) -> model.Floats:
    """Return places all over a rectangle: float64, shape (n, 2)."""
    axes = (np.arange(*ends, BLOCK_STEP) for ends in zip(low, high, strict=True))
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


def _letters(text: str) -> model.Floats:
    """Return places along a word, from its middle, that a card had better not hide."""
    wide = label_width(text)
    return np.linspace(-wide / 2, wide / 2, 2 + int(wide / LETTERS_SPARED))


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
        legends += _column_legend(content)
    return legends


def _column_legend(content: SceneContent) -> tuple[LegendLine, ...]:
    """Explain the corners at the place of a selected rank in other planes."""
    several = len(content.layout.axes) > 2
    return (LegendLine("column", tr("same x, y")),) if several else ()


def _copies_legend(
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


def _omission_legends(state: State, scene: TopologyScene) -> tuple[LegendLine, ...]:
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
    chosen, most = len(state.selection.ranks), _max_rings(scene)
    if chosen > most:
        text = tr(
            "rings at {most} of {chosen} selected ranks",
            most=grouped(most),
            chosen=grouped(chosen),
        )
        legends.append(LegendLine("", text))
    return tuple(legends)


def _rings(
    state: State, scene: TopologyScene, hover: Hover | None, sheet: PlaneSheet | None
) -> list[RankRing]:
    """Outline ranks that are selected or hovered; on the map of a torus, too."""
    ranks, most = scene.ranks, _max_rings(scene)
    mapped = sheet if sheet is not None and sheet.flat_map is not None else None
    result = []
    pair = state.selection.edge or state.selection.flow or ()
    chosen = (*state.selection.ranks, *pair)
    some = list(islice((rank for rank in chosen if rank < ranks), most))
    looks = [(some, "selected")]
    if hover is not None and hover.rank is not None and hover.rank < ranks:
        looks.append(([hover.rank], "hovered"))
    for which, look in looks:
        outlines = scene.outlines(which)
        if mapped is not None:
            outlines += [cell for rank in which for cell in mapped.cells_of(rank)]
        result += [RankRing(outline, look) for outline in outlines]
    return result


def _max_rings(scene: TopologyScene) -> int:
    return MAX_RINGS if scene.detail.labels else MAX_RINGS_MOVING


CARD_KINDS = ("call", "collective", "message", "pair")
"""Of these the card says what the panel does; of ranks also what colours mean."""


def _lead_lines(state: State, shown: SceneMoment) -> tuple[str, ...]:
    """Return the card's lines about what was clicked; none if shown elsewhere."""
    if state.picked.kind not in CARD_KINDS:
        return ()
    of = (state.analysis, state.picked, state.match, state.time_zero, state.unit)
    if shown.look.told[0] != of:
        page = page_of(state)
        shown.look.told = of, card(page) if page is not None else ()
    return shown.look.told[1]


def _cards(
    state: State,
    content: SceneContent,
    scene: TopologyScene,
    shown: SceneMoment,
    hover: Hover | None,
) -> list[Card]:
    lead = _lead_lines(state, shown)
    result = _rank_cards(state, content, scene, shown, lead)
    if state.selection.edge is not None and scene.ranks:
        middle = scene.project(np.array(state.selection.edge, np.int32)).mean(axis=0)
        lines = lead or edge_lines(content, state.selection.edge)
        result.append(Card(float(middle[0]), float(middle[1]), lines))
    result += _note_cards(state, scene)
    if hover is not None and hover.tip:
        lines = ()
        if hover.rank is not None and hover.rank not in _with_cards(state, scene):
            lines = rank_lines(state, content, shown, hover.rank)
        elif hover.flow is not None:
            lines = flow_lines(content, shown, hover.flow)
        elif hover.edge is not None and hover.edge != state.selection.edge:
            lines = edge_lines(content, hover.edge)
        if lines:
            result.append(Card(hover.x, hover.y, lines, leader=False))
    return result


def _with_cards(state: State, scene: TopologyScene) -> list[int]:
    """List the selected ranks that have cards: of very many none, of a cut block none.

    Planes and sliders leave no free side beside that.
    """
    few = state.selection.ranks[: MAX_CARDS + 1]
    chosen = [rank for rank in few if rank < scene.ranks]
    room = max(1, min(MAX_CARDS, int(scene.width / WIDTH_PER_CARD)))
    return [] if scene.is_cut or len(chosen) > room else chosen


def _rank_cards(
    state: State,
    content: SceneContent,
    scene: TopologyScene,
    shown: SceneMoment,
    lead: tuple[str, ...],
) -> list[Card]:
    """Write cards at selected ranks; `lead` is what was clicked, if it is written."""
    chosen = _with_cards(state, scene)
    places = scene.project(np.array(chosen, np.int32))
    if lead and len(chosen) > 1:  # one card for what all of them take part in
        places = places.mean(axis=0)[None]
    return [
        Card(float(x), float(y), lead or rank_lines(state, content, shown, rank))
        for rank, (x, y) in zip(chosen, places, strict=False)
    ]


MAX_NOTES, MAX_NOTE_LINES = 3, 4
"""Notes that the scene has room for, those nearest to the cursor, and their lines."""


def _note_cards(state: State, scene: TopologyScene) -> list[Card]:
    """Show the notes of the time window beside the ranks that they are about."""
    begin, end = state.window
    seen = (note for note in state.notes if begin <= note.time <= end)
    near = sorted(seen, key=lambda note: abs(note.time - state.time))[:MAX_NOTES]
    near = [note for note in near if note.rank < scene.ranks]
    places = scene.project(np.array([note.rank for note in near], np.int32))
    result = []
    for note, (x, y) in zip(near, places, strict=True):
        lines = [line[:MAX_NAME_LENGTH] for line in note.text.splitlines()]
        shown_lines = tuple(lines[:MAX_NOTE_LINES])
        result.append(
            Card(
                float(x),
                float(y),
                (tr("Note, rank {rank}", rank=note.rank), *shown_lines),
            )
        )
    return result


def edge_lines(content: SceneContent, edge: tuple[int, int]) -> tuple[str, ...]:
    """Describe an edge: messages, one-sided transfers and bytes, both ways."""
    lines = [tr("edge {first} – {second}", first=edge[0], second=edge[1])]
    analysis = content.analysis
    for sender, receiver in (edge, edge[::-1]):
        way = f"{sender} \u2192 {receiver}"
        phrases = [_traffic_text(content.matrix, sender, receiver)]
        if analysis.one_sided is not None and analysis.one_sided is not content.matrix:
            phrases.append(_traffic_text(analysis.one_sided, sender, receiver))
        lines.append(f"{way}: {'; '.join(filter(None, phrases)) or 'nothing'}")
    return tuple(lines)


def flow_lines(
    content: SceneContent, shown: SceneMoment, flow: tuple[int, int]
) -> tuple[str, ...]:
    """Describe messages that are under way from one rank to another."""
    flying, messages = shown.flying, content.analysis.trace.messages
    own = np.flatnonzero((flying.sender == flow[0]) & (flying.receiver == flow[1]))
    size = size_text(int(messages.size[flying.message[own]].sum()))
    lines = [
        tr("rank {first} → rank {second}", first=flow[0], second=flow[1]),
        tr(
            "{messages} under way, {size}",
            messages=plural(len(own), "message"),
            size=size,
        ),
    ]
    for some, text in (
        (flying.awaited, tr("late: the receiver waits")),
        (flying.early, tr("unexpected: no receive posted")),
    ):
        count = int(some[own].sum())
        if count:
            lines.append(f"{grouped(count)} {text}")
    return tuple(lines)


def _traffic_text(matrix: model.CommunicationMatrix, sender: int, receiver: int) -> str:
    calls = int(matrix.calls[sender, receiver])
    volume = int(matrix.volume[sender, receiver])
    return f"{plural(calls, matrix.noun)}, {size_text(volume)}" if calls else ""


def footer_of(state: State, content: SceneContent) -> Footer:
    """Return what a line below a picture says of it."""
    trace = content.analysis.trace
    span = state.window[1] - state.window[0]
    return Footer(
        trace.name,
        (
            name_text(title_of(content.analysis.identification, content.match)),
            plural(trace.ranks, "rank"),
            f"t = {time_text(state.time, trace.clock, span, state.unit)}",
            *clock_remarks(trace.clock, trace.ranks),
        ),
        tr(
            "{producer}, drawn by topoview {version}",
            producer=trace.producer,
            version=__version__,
        ),
    )


FLYING_STYLES = ("message", "awaited", "early")

USUAL_MESSAGE_LEGENDS = (
    LegendLine("message", tr("message in flight  000")),
    LegendLine("awaited", tr("late sender  000")),
    LegendLine("early", tr("unexpected message  000")),
)
"""What is told of messages now and then; there is always room for it."""

MANY_MESSAGE_LEGENDS = (
    LegendLine(
        "message",
        tr(
            "message in flight  {max_messages_many_ranks} of 00\u2009000",
            max_messages_many_ranks=grouped(MAX_MESSAGES_MANY_RANKS),
        ),
    ),
    *USUAL_MESSAGE_LEGENDS[1:],
)
"""The same where not all of them are drawn."""


class LegendRoom:
    """Keeps room below a scene: as much as was ever needed while it means the same.

    The camera stands further away for it. It must not come and go with messages that
    are in flight now and then.

    Parameters
    ----------
    keyed, yields
        Whether there is a key, and whether it leaves something out of small scenes.
    """

    def __init__(
        self, scene: TopologyScene, *, keyed: bool = True, yields: bool = False
    ) -> None:
        self._scene, self.keyed, self._yields = scene, keyed, yields
        self.less = 0
        """What key and legends leave out, as of `leave_out`."""
        self.pixels = 0.0
        """That are needed beyond those that are free anyway."""
        self._of: tuple[object, ...] = ()

    def changes(
        self,
        state: State,
        content: SceneContent,
        shown: SceneMoment,
        size: tuple[float, float],
    ) -> bool:
        """Find the room that is needed now; tells whether it is another."""
        if not self.keyed:
            return False
        view = state.scene
        options = (
            view.colouring,
            view.outline,
            view.size,
            view.message_colour,
            view.edges,
        )
        of = (
            content,
            size,
            *options,
            view.traffic,
            shows_messages(state, content),
            view.chains,
        )
        before, same = (self.pixels, self.less), of == self._of
        least, self.less = before if same else (0.0, 0)
        scales, key = (
            legend.colour_scales(state, shown),
            legend.legend_entries(state, content, shown),
        )
        legends = self._legends(state, content, shown)
        if self._yields:
            self.less = max(self.less, how_much_less(scales, key, legends, size))
            key, legends = leave_out(self.less, key, legends)
        wanted = room_below(scales, key, legends, size[0])
        self._of, self.pixels = of, max(least, wanted)
        return (self.pixels, self.less) != before

    def _legends(
        self, state: State, content: SceneContent, shown: SceneMoment
    ) -> tuple[LegendLine, ...]:
        if state.playing and state.scene.hold_short and shown.now.begin is None:
            # the next frame tells of all since this one
            shown = replace(shown, now=replace(shown.now, begin=shown.now.ticks))
        result = symbol_legends(state, content, self._scene, shown)
        if content.is_sheet and not state.selection.ranks:  # or a click would move it
            result += _column_legend(content)
        if not (shows_messages(state, content) and len(content.matrix.counts)):
            return result
        named = [each for each in result if each.look in FLYING_STYLES and each.colour]
        lasting = [each for each in result if each.look not in FLYING_STYLES]
        many = content.analysis.trace.ranks > MANY_RANKS
        return (
            *lasting,
            *(MANY_MESSAGE_LEGENDS if many else USUAL_MESSAGE_LEGENDS),
            *named,
        )
