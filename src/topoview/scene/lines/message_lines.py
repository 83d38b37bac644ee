"""Messages in flight drawn: a mark for a pair and direction, on its edge.

A mark is a dash with a fading tail and a head; it is as wide as there are messages.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkProp

from topoview import model
from topoview.base.text import tr
from topoview.live.moments.messages import (
    NO_RANKS,
    MessageMarks,
    MessagesInFlight,
    marks_of,
)
from topoview.scene.actors import (
    Lines,
    colour_by_codes,
    draw_nearer,
    shared_array,
    vtk_cells,
    vtk_points,
)
from topoview.scene.camera import project
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.palette import (
    MESSAGE_COLOURING_TEXTS,
    STATE_COLOURS,
    Theme,
    mix_colours,
)
from topoview.scene.ranks.picking import pixels_to_segments
from topoview.scene.shading import (
    DEPTH_LEVELS,
    fading_table,
    fill_lookup,
    shade_by_values,
)

DASH_PIECES = 8
"""Pieces of a dash, each fainter than the one before it."""

TRAIL_PIECES = 14

DASH_LENGTH = 0.3
"""Length of a dash; of the way at most so much."""

PIPE_CLEARANCE = 1.04
"""Thickness of a pipe of tiles that messages run along: they are seen above it."""

MARK_WIDTHS = ((1, 2.4), (2, 3.6), (4, 5.0), (8, 6.6))
"""Messages from which a mark is so many pixels wide."""

HEAD_PIXELS, LATE_HEAD_PIXELS, UNEXPECTED_HEAD_PIXELS = 3.0, 9.0, 7.0
"""Pixels by which a head is wider than its mark; sizes of late and unexpected ones."""

MAX_MARKS_PER_RANK = 2.0
"""Marks a rank from which those that are not asked for are faint."""

FAINT_SHARE = 0.5
"""Share of the edge's colour in that of a faint mark."""

EDGE_STRENGTH = 0.7
"""Share of the edges' colour that tails fade to; the rest is the background."""

PICKING_PIXELS = 5.0
"""Pixels from which a mark counts as under the mouse."""

NEARER = 4
"""Steps by which marks are drawn before the edges that they are on."""


def is_crowded(marks: int, ranks: int) -> bool:
    """Return whether there are too many marks to tell them apart."""
    return marks > MAX_MARKS_PER_RANK * ranks


class MessageHeads:
    """Points of one size, round or square, each of its own colour."""

    def __init__(self, lookup: vtkLookupTable, *, round_: bool) -> None:
        self._data = vtkPolyData()
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._data)
        colour_by_codes(mapper, lookup)
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.GetProperty().LightingOff()
        self.actor.GetProperty().SetRenderPointsAsSpheres(round_)
        self.actor.ForceOpaqueOn()
        self._size, self._enlarged = 1.0, 1.0

    def enlarge(self, factor: float) -> None:
        """Draw all larger by a factor, from now on."""
        self._enlarged = factor
        self.actor.GetProperty().SetPointSize(self._size * factor)

    def show(self, places: model.Floats, codes: model.Shorts, size: float) -> None:
        """Draw points at places, shape (n, 3), with codes of the look-up table."""
        self.actor.SetVisibility(len(places) > 0)
        if not len(places):
            return
        self._data.SetPoints(vtk_points(places))
        self._data.SetVerts(vtk_cells(np.arange(len(places))[:, None]))
        self._data.GetPointData().SetScalars(shared_array(codes.copy(), "code"))
        self._data.Modified()
        self._size = size
        self.enlarge(self._enlarged)


class MessageLines:
    """Draws marks of messages on their edges, and finds those under the mouse."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = [Lines(self._lookup) for _ in MARK_WIDTHS]
        for lines in self._lines:
            draw_nearer(lines.actor, NEARER)
        self._heads = [MessageHeads(self._lookup, round_=True) for _ in MARK_WIDTHS]
        self._awaited = MessageHeads(self._lookup, round_=True)
        self._early = MessageHeads(self._lookup, round_=False)
        self._theme: Theme | None = None
        self._colours: tuple[str, ...] = ()
        self._pairs: model.Indices = np.zeros((0, 2), np.int32)
        self._ends: model.Floats = np.zeros((0, 2, 3))
        self._owner: model.Ints = np.zeros(0, np.int64)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [each.actor for each in self._parts]

    @property
    def _parts(self) -> list[Lines | MessageHeads]:
        return [*self._lines, *self._heads, self._awaited, self._early]

    def paint(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self._theme, self._colours = theme, ()
        self._fill((theme.ink,))

    def _fill(self, colours: tuple[str, ...]) -> None:
        """Fill in colours, then the same ones, faint; all fade to an edge's."""
        if colours != self._colours and self._theme is not None:
            self._colours = colours
            edge = mix_colours(self._theme.panel, self._theme.edge, EDGE_STRENGTH)
            faint = [mix_colours(colour, edge, FAINT_SHARE) for colour in colours]
            every = [*colours, *faint]
            fill_lookup(self._lookup, fading_table(every, [0.95] * len(every), edge))

    def enlarge(self, factor: float) -> None:
        """Draw everything wider by a factor, from now on."""
        for each in self._parts:
            each.enlarge(factor)

    def hide(self) -> None:
        """Draw none."""
        for actor in self.actors:
            actor.SetVisibility(False)
        self._pairs = np.zeros((0, 2), np.int32)

    def show(  # noqa: PLR0913 - sizes in space and on the screen
        self,
        paths: EdgePaths,
        flying: MessagesInFlight,
        reach: float,
        scale: float,
        pixel: float,
        *,
        ranks: int,
        trails: bool = False,
        tiled: bool = False,
    ) -> None:
        """Draw messages between ranks.

        Parameters
        ----------
        paths
            Their ways.
        flying
            What is drawn.
        reach
            How far glyphs reach from their places: marks run from rim to rim.
        scale
            Of widths in device pixels.
        pixel
            Length of a pixel in space.
        ranks
            That are seen: of many marks those that do not tell anything are faint.
        trails
            Whether marks have a tail all the way from the sender.
        tiled
            Whether ranks are tiles of a surface: marks stand out of it.
        """
        if not len(flying.sender):  # often, while time runs
            self.hide()
            return
        if flying.colours:
            self._fill(flying.colours)
        marks = marks_of(flying)
        some = marks.first
        sender, receiver = flying.sender[some], flying.receiver[some]
        grade = np.digitize(marks.count, [least for least, _ in MARK_WIDTHS]) - 1
        width = np.array([wide for _, wide in MARK_WIDTHS])[grade]
        share = _mark_shares(paths, sender, receiver, marks, reach, trails=trails)
        points = paths.points(sender, receiver, share, PIPE_CLEARANCE if tiled else 1.0)
        points += ((width / 2 * pixel)[:, None] * _rightward(points))[:, None]
        selected = flying.marked[some]
        crowded = is_crowded(len(some), ranks) and flying.values is None
        faint = ~selected if crowded else np.zeros(len(some), bool)
        colour = flying.codes[some] + np.uint16(len(self._colours)) * faint
        own = (colour * DEPTH_LEVELS).astype(np.uint16)
        keep = _unwrapped_pieces(paths, sender, receiver, share)
        level = np.linspace(DEPTH_LEVELS - 1, 0, keep.shape[1]).round()
        codes = (own[:, None] + level).astype(np.uint16)
        ends = np.stack([points[:, :-1], points[:, 1:]], axis=2)
        early = selected & flying.early[some]
        late = selected & flying.awaited[some] & ~early
        for number, (lines, heads) in enumerate(
            zip(self._lines, self._heads, strict=True)
        ):
            wide = MARK_WIDTHS[number][1]
            drawn = keep & (grade == number)[:, None]
            lines.set(ends[drawn], codes[drawn], wide * scale)
            plain = (grade == number) & ~faint & ~early & ~late
            heads.show(points[plain, -1], own[plain], (wide + HEAD_PIXELS) * scale)
        self._awaited.show(points[late, -1], own[late], LATE_HEAD_PIXELS * scale)
        self._early.show(points[early, -1], own[early], UNEXPECTED_HEAD_PIXELS * scale)
        self._pairs = np.stack([sender, receiver], axis=1)
        self._ends = ends[keep]
        self._owner = np.broadcast_to(np.arange(len(some))[:, None], keep.shape)[keep]

    def pick(
        self, pose: model.Pose, x: float, y: float, size: tuple[float, float]
    ) -> tuple[int, int] | None:
        """Sender and receiver of the mark that is seen within a few pixels."""
        if not len(self._pairs) or not len(self._ends):
            return None
        ends = project(pose, self._ends.reshape(-1, 3), size)
        apart = pixels_to_segments(x, y, ends.reshape(-1, 2, 2))
        nearest = int(apart.argmin())
        if apart[nearest] > PICKING_PIXELS:
            return None
        sender, receiver = self._pairs[self._owner[nearest]].tolist()
        return sender, receiver


def _mark_shares(  # noqa: PLR0913 - ways, and what is seen of them
    paths: EdgePaths,
    sender: model.Indices,
    receiver: model.Indices,
    marks: MessageMarks,
    reach: float,
    *,
    trails: bool,
) -> model.Floats:
    """Shares of the way at which the pieces of marks begin and end: (n, pieces + 1).

    From the message that is furthest to the one that is least far, and a dash more.
    """
    steps = np.linspace(0, 1, (TRAIL_PIECES if trails else DASH_PIECES) + 1)
    length = paths.lengths(sender, receiver)
    rim = np.clip(reach / length, 0, 0.3)
    head = rim + (1 - 2 * rim) * marks.head
    tail = 0.8 * rim
    if not trails:
        dash = np.clip(DASH_LENGTH / length, 0.08, DASH_LENGTH)
        tail = np.maximum(rim + (1 - 2 * rim) * marks.tail - dash, tail)
    return np.asarray(tail[:, None] * (1 - steps) + head[:, None] * steps)


def _unwrapped_pieces(
    paths: EdgePaths,
    sender: model.Indices,
    receiver: model.Indices,
    share: model.Floats,
) -> model.Bools:
    """Pieces that do not leap from one side of the lattice to the other."""
    keep = np.ones((len(share), share.shape[1] - 1), bool)
    wrapped = paths.kinds(sender, receiver) == WRAPPED
    keep[wrapped] = (share[wrapped, :-1] < 0.5) == (share[wrapped, 1:] < 0.5)
    return keep


def _rightward(points: model.Floats) -> model.Floats:
    """Directions to the right of ways as seen from above: shape (n, 3).

    Marks stand half of their width beside the line: both directions are seen.
    """
    ahead = points[:, -1] - points[:, 0]
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    steep = np.abs(ahead[:, 2:]) > 0.9
    up = np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0])
    side = np.cross(ahead, up)
    length = np.linalg.norm(side, axis=1, keepdims=True)
    return np.asarray(side / np.maximum(length, 1e-9))


# What the colours of messages in flight tell.


def _message_sizes(
    messages: MessagesInFlight, analysis: model.Analysis, _: int
) -> model.RankValues:
    trace, index = analysis.trace, analysis.message_index
    low, high = (0, 0) if index is None else index.sizes.tolist()
    sizes = trace.messages.size[messages.message].astype(np.float64)
    return model.RankValues(sizes, max(low, 1), max(high, 1), "B", log=True)


def _message_tags(
    messages: MessagesInFlight, analysis: model.Analysis, _: int
) -> model.RankValues:
    trace, index = analysis.trace, analysis.message_index
    tags = NO_RANKS if index is None else index.tags
    own = trace.messages.tag[messages.message]
    at = model.places_among(tags, own)
    names = tuple(tr("tag {tag}", tag=tag) for tag in tags.tolist())
    return model.RankValues(
        np.where(at >= 0, at, np.nan), 0, len(names), names=names, none=tr("other tags")
    )


def _receiver_waits(
    messages: MessagesInFlight, analysis: model.Analysis, ticks: int
) -> model.RankValues:
    trace = analysis.trace
    call = trace.messages.completion_call[messages.message]
    waited = ticks - trace.calls.enter[np.maximum(call, 0)]
    seconds = np.where(messages.awaited, waited / trace.clock.resolution, np.nan)
    high = max(float(np.nanmax(seconds, initial=0.0)), 1e-6)
    return model.RankValues(
        seconds, high / 1000, high, "s", log=True, none=tr("not waited for")
    )


@dataclass(frozen=True, slots=True)
class MessageColouring:
    """What messages' colours can tell: its name, and what finds the numbers."""

    text: str
    values: Callable[[MessagesInFlight, model.Analysis, int], model.RankValues]


MESSAGE_COLOURINGS: dict[str, MessageColouring] = {
    "size": MessageColouring(MESSAGE_COLOURING_TEXTS["size"], _message_sizes),
    "tag": MessageColouring(MESSAGE_COLOURING_TEXTS["tag"], _message_tags),
    "late": MessageColouring(MESSAGE_COLOURING_TEXTS["late"], _receiver_waits),
}
"""What the colours of messages can tell. To add one is a function, a line, and its
text in `channel_names`."""


def colour_messages(  # noqa: PLR0913 - all that decides colours
    messages: MessagesInFlight,
    name: str,
    analysis: model.Analysis,
    theme: Theme,
    ticks: int,
    chosen: tuple[int, ...] = (),
) -> MessagesInFlight:
    """Colour messages by what a row of `MESSAGE_COLOURINGS` tells; without one in ink.

    Messages of chosen ranks show whether they are late or unexpected, those of all
    ranks if that is what colours are to tell (``status``). Late ones have the colour
    of waiting then.
    """
    selected = np.full(len(messages.message), name == "status")
    if chosen:
        selected |= np.isin(messages.sender, chosen) | np.isin(
            messages.receiver, chosen
        )
    look = MESSAGE_COLOURINGS.get(name)
    if look is None:
        colours: tuple[str, ...] = theme.ink, STATE_COLOURS[model.TimeState.WAIT]
        codes = (selected & messages.awaited).astype(np.uint16)
        return replace(messages, marked=selected, codes=codes, colours=colours)
    values = look.values(messages, analysis, ticks)
    shading = shade_by_values(theme, values)
    colours = (theme.edge, *shading.palette.colours[1:])
    return replace(
        messages, marked=selected, codes=shading.codes, colours=colours, values=values
    )
