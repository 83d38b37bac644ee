"""What is written over the scene: found from the session's state and the scene."""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from topoview import __version__
from topoview.model import CommunicationMatrix, Trace
from topoview.scene.annotations import (
    Annotations,
    Card,
    Footer,
    Legend,
    Ring,
)
from topoview.scene.edge_lines import FAINT_LOOK, STRENGTHS, WIDTHS
from topoview.scene.palette import THEMES
from topoview.scene.ranks.copies import MOST_RANKS
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Choice, State, shown_choice
from topoview.ui.formats import (
    grouped,
    name_text,
    plural,
    size_text,
    time_text,
)
from topoview.ui.rank_words import rank_lines
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.keys import key_of, scales_of
from topoview.ui.scene.labels import rank_labels
from topoview.ui.scene.legends import channel_legends, message_legends
from topoview.ui.scene.moment import SceneMoment
from topoview.ui.selected import ranks_in

MOST_CARDS = 3
CARD_ROOM = 280
"""Pixels of the scene's width for each card: more would hide the ranks."""

MOST_RINGS, FEW_RINGS = 300, 50
"""Rings that are drawn, and those that are left while it moves too slowly."""

MOST_OBSTACLES = 1500

UNALIGNED = "clocks not aligned between ranks"
"""What is said where states of different ranks are shown at one time."""


@dataclass(frozen=True, slots=True)
class Hover:
    """What the pointer is over: where it is, a rank or an edge, and whether to tell."""

    x: float
    y: float
    rank: int | None = None
    edge: tuple[int, int] | None = None
    tip: bool = False


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
    ranks = np.flatnonzero(scene.visible)
    some = ranks[:: max(1, len(ranks) // MOST_OBSTACLES)]
    labels = (
        *scene.axis_labels(),
        *rank_labels(state, content, scene),
    )
    words = np.array([(label.x, label.y) for label in labels]).reshape(-1, 2)
    places = np.concatenate([scene.project(some.astype(np.int32)), words])
    return Annotations(
        state.view.theme,
        *heading(content, shown_choice(state)),
        key_of(state, content, shown) if keyed else (),
        (
            *(legends_of(state, content, scene, shown) if keyed else ()),
            *_copies(state, content, scene),
            *_left_out(state, scene),
        ),
        tuple(_rings(state, scene, hover)),
        tuple(_cards(state, content, scene, shown, hover)),
        labels,
        places,
        min(max(scene.reach_pixels + 6, 14.0), 60.0),
        footer_of(state, content) if footer else None,
        scales_of(state, shown) if keyed else (),
    )


def heading(content: SceneContent, shown: Choice | None = None) -> tuple[str, str]:
    """Title and subtitle: the topology's name, how much there is of what."""
    matrix, match = content.matrix, content.match
    facts = [plural(content.known.trace.ranks, "rank")]
    if shown is not None and shown.part is not None:
        part = shown.part
        facts = [f"{part.by} {part.name}", plural(len(part.ranks), "rank")]
        facts.append(plural(len(match.topology.edges), "edge"))
    elif matrix.calls.nnz:
        facts.append(plural(len(match.topology.edges), "edge"))
        facts.append(plural(int(matrix.calls.sum()), matrix.noun))
        facts.append(size_text(int(matrix.volume.sum())))
    facts += arrangement_words(content)
    facts += clock_words(content.known.trace)
    return name_text(match.topology.name), ", ".join(facts)


def arrangement_words(content: SceneContent) -> tuple[str, ...]:
    """Tell about the layout what is not seen in it."""
    layout, found = content.layout, []
    if layout.free and layout.empty:
        places = grouped(len(layout.positions) + layout.empty)
        found.append(f"{grouped(layout.empty)} of {places} places empty")
    if content.fault:
        found.append(content.fault)
    return tuple(found)


def clock_words(trace: Trace) -> tuple[str, ...]:
    """Tell how far times of different ranks can be compared, if not fully."""
    if trace.ranks > 1 and not trace.clock.aligned:
        return (UNALIGNED,)
    if trace.clock.alignment is not None:
        within = trace.clock.words(trace.clock.alignment.widest)
        return (f"clocks aligned to within {within}",)
    return ()


def legends_of(
    state: State, content: SceneContent, scene: TopologyScene, shown: SceneMoment
) -> tuple[Legend, ...]:
    """Tell what lines and messages of the scene mean."""
    found = channel_legends(content.known.trace, shown)
    found += (
        message_legends(shown.flying, THEMES[state.view.theme].ink)
        if state.view.messages
        else []
    )
    if state.view.edges and len(scene.edges.edges):
        if scene.edges.limits is not None and shown.traffic is None:
            low, high = scene.edges.limits
            texts = (
                f"< {size_text(low)}",
                f"< {size_text(high)}",
                f"≥ {size_text(high)} on an edge",
            )
            looks = zip(texts, WIDTHS, STRENGTHS, strict=True)
            found += [Legend("edge", text, width, part) for text, width, part in looks]
        if content.match.missing:
            text = f"not seen  {grouped(content.match.missing)}"
            found.append(Legend("missing", text))
        if content.match.extra:
            text = f"not in the topology  {grouped(content.match.extra)}"
            found.append(Legend("extra", text))
        if scene.edges.faint:
            text = f"fewer bytes, not in the topology  {grouped(scene.edges.faint)}"
            found.append(Legend("edge", text, *FAINT_LOOK))
    return tuple(found)


def _copies(
    state: State, content: SceneContent, scene: TopologyScene
) -> tuple[Legend, ...]:
    """Tell why there are no copies around it: no room is kept."""
    grid = content.layout.grid
    wraps = grid is not None and bool(grid.tables) and any(grid.periodic)
    if not (state.view.geometry.copies and wraps and scene.ranks > MOST_RANKS):
        return ()
    return (Legend("", f"no copies around more than {plural(MOST_RANKS, 'rank')}"),)


def _left_out(state: State, scene: TopologyScene) -> tuple[Legend, ...]:
    """Tell what is not drawn of very much, or while it moves: no room is kept."""
    found = []
    missing = [name for name in scene.detail.left_out if getattr(state.view, name)]
    dots = scene.glyphs is not None and scene.glyphs.moving
    rougher = ["ranks are dots"] if dots else []
    if missing:
        rougher.append(f"without {', '.join(missing)}")
    if rougher:
        found.append(Legend("", f"while it moves, {', '.join(rougher)}"))
    chosen, most = len(state.selection.ranks), _most_rings(scene)
    if chosen > most:
        text = f"rings at {grouped(most)} of {grouped(chosen)} selected ranks"
        found.append(Legend("", text))
    return tuple(found)


def _rings(state: State, scene: TopologyScene, hover: Hover | None) -> list[Ring]:
    ranks, most = scene.ranks, _most_rings(scene)
    found = []
    here = ranks_in(state)
    if here is not None:
        marked = np.flatnonzero(here[:ranks])[:most].tolist()
        found += [Ring(rim, "marked") for rim in scene.outlines(marked)]
    chosen = (*state.selection.ranks, *(state.selection.edge or ()))
    some = list(islice((rank for rank in chosen if rank < ranks), most))
    found += [Ring(rim, "selected") for rim in scene.outlines(some)]
    if hover is not None and hover.rank is not None and hover.rank < ranks:
        found.append(Ring(scene.outline(hover.rank), "hovered"))
    return found


def _most_rings(scene: TopologyScene) -> int:
    return MOST_RINGS if scene.detail.labels else FEW_RINGS


def _cards(
    state: State,
    content: SceneContent,
    scene: TopologyScene,
    shown: SceneMoment,
    hover: Hover | None,
) -> list[Card]:
    found = []
    # Of very many none has a card.
    ranks, few = scene.ranks, state.selection.ranks[: MOST_CARDS + 1]
    chosen = [rank for rank in few if rank < ranks]
    if len(chosen) <= max(1, min(MOST_CARDS, int(scene.width / CARD_ROOM))):
        places = scene.project(np.array(chosen, np.int32))
        for rank, (x, y) in zip(chosen, places, strict=True):
            found.append(
                Card(float(x), float(y), rank_lines(state, content, shown, rank))
            )
    if state.selection.edge is not None and scene.ranks:
        middle = scene.project(np.array(state.selection.edge, np.int32)).mean(axis=0)
        lines = edge_lines(content, state.selection.edge)
        found.append(Card(float(middle[0]), float(middle[1]), lines))
    if hover is not None and hover.tip:
        lines = ()
        if hover.rank is not None and hover.rank not in chosen:
            lines = rank_lines(state, content, shown, hover.rank)
        elif hover.edge is not None and hover.edge != state.selection.edge:
            lines = edge_lines(content, hover.edge)
        if lines:
            found.append(Card(hover.x, hover.y, lines, leader=False))
    return found


def edge_lines(content: SceneContent, edge: tuple[int, int]) -> tuple[str, ...]:
    """Tell about an edge: messages, one-sided transfers and bytes, both ways."""
    lines = [f"edge {edge[0]} \u2013 {edge[1]}"]
    known = content.known
    for sender, receiver in (edge, edge[::-1]):
        way = f"{sender} \u2192 {receiver}"
        told = [_traffic(content.matrix, sender, receiver)]
        if known.one_sided is not None and known.one_sided is not content.matrix:
            told.append(_traffic(known.one_sided, sender, receiver))
        lines.append(f"{way}: {'; '.join(filter(None, told)) or 'nothing'}")
    return tuple(lines)


def _traffic(matrix: CommunicationMatrix, sender: int, receiver: int) -> str:
    calls = int(matrix.calls[sender, receiver])
    volume = int(matrix.volume[sender, receiver])
    return f"{plural(calls, matrix.noun)}, {size_text(volume)}" if calls else ""


def footer_of(state: State, content: SceneContent) -> Footer:
    """Say below a picture what it shows."""
    trace = content.known.trace
    return Footer(
        trace.name,
        (
            name_text(content.match.topology.name),
            plural(trace.ranks, "rank"),
            f"t = {time_text(state.time, trace.clock, trace.clock.length)}",
            *clock_words(trace),
        ),
        f"{trace.producer}, drawn by topoview {__version__}",
    )
