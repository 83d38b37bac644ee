"""What is written over the scene: cards, rings, tips, and the room of legends."""

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from topoview import model
from topoview.base.text import grouped, tr
from topoview.live.moments.messages import MANY_RANKS, MAX_MESSAGES_MANY_RANKS
from topoview.live.waits.delays import shown_front
from topoview.report.write import card
from topoview.scene.annotations import Annotations, Card, Label, LegendLine, RankRing
from topoview.scene.axes.axis_labels import label_width
from topoview.scene.axes.plane_sheet import PlaneSheet, SheetMoment
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.panels.picked.words import page_of
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import SceneMoment, shows_messages
from topoview.ui.panels.scene.overlay import legend
from topoview.ui.panels.scene.overlay.below import how_much_less, leave_out, room_below
from topoview.ui.panels.scene.overlay.card_lines import (
    MAX_NAME_LENGTH,
    edge_lines,
    flow_lines,
    footer_of,
    rank_lines,
)
from topoview.ui.panels.scene.overlay.cut_sliders import cut_rooms
from topoview.ui.panels.scene.overlay.labels import rank_labels
from topoview.ui.panels.scene.overlay.symbols import (
    column_legend,
    copies_legend,
    heading_of,
    max_rings,
    omission_legends,
    symbol_legends,
)

MAX_CARDS = 3
WIDTH_PER_CARD = 280
"""Pixels of the scene's width for each card: more would hide the ranks."""

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
            *copies_legend(state, content, scene),
            *omission_legends(state, scene),
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


def _rings(
    state: State, scene: TopologyScene, hover: Hover | None, sheet: PlaneSheet | None
) -> list[RankRing]:
    """Outline ranks that are selected or hovered; on the map of a torus, too."""
    ranks, most = scene.ranks, max_rings(scene)
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


CARD_KINDS = ("call", "collective", "message", "pair")
"""Of these the card says what the panel does; of ranks also what colours mean."""


def _lead_lines(state: State, shown: SceneMoment) -> tuple[str, ...]:
    """Return the card's lines about what was clicked; none if shown elsewhere."""
    if state.picked.kind not in CARD_KINDS:
        return ()
    of = (state.analysis, state.picked, state.match, state.time_zero, state.unit)
    if shown.look.card_of[0] != of:
        page = page_of(state)
        shown.look.card_of = of, card(page) if page is not None else ()
    return shown.look.card_of[1]


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
            result += column_legend(content)
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
