"""Messages in flight drawn: dashes or comets with a fading tail, heads that tell."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkProp

from topoview.live.messages import MessagesInFlight
from topoview.model import Bools, Floats, Indices, Shorts
from topoview.scene.actors import (
    Lines,
    colour_by_codes,
    shared_array,
    vtk_cells,
    vtk_points,
)
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.palette import Theme
from topoview.scene.shading import DEPTH_LEVELS, fading_table, fill_lookup

DASH_PIECES = 6
"""Pieces of a dash, each fainter than the one before it."""

TRAIL_PIECES = 14

DASH_LENGTH = 0.3
"""Length of a dash; of the way at most so much."""

PIPE_CLEARANCE = 1.04
"""Thickness of the pipe that messages on a torus or a tube run along."""

LANE_DISTANCE = 0.11
"""Distance to the right of the edge, and above the middle of flat glyphs."""

UNEXPECTED_LANE = 1.9
"""Times that distance for messages that nobody expects: others overtake them."""

HEAD_PIXELS, LATE_HEAD_PIXELS, UNEXPECTED_HEAD_PIXELS = 6.0, 9.0, 7.0
"""Pixels of a head; of one whose receiver waits; of one that nobody expects."""


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

    def show(self, places: Floats, codes: Shorts, size: float) -> None:
        """Draw points at places, shape (n, 3), with codes of the look-up table."""
        self._data.SetPoints(vtk_points(places))
        self._data.SetVerts(vtk_cells(np.arange(len(places))[:, None]))
        self._data.GetPointData().SetScalars(shared_array(codes.copy(), "code"))
        self._data.Modified()
        self._size = size
        self.enlarge(self._enlarged)
        self.actor.SetVisibility(len(places) > 0)


class MessageLines:
    """Draws messages as dashes or comets beside their edges."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = Lines(self._lookup)
        self._heads = MessageHeads(self._lookup, round_=True)
        self._awaited = MessageHeads(self._lookup, round_=True)
        self._early = MessageHeads(self._lookup, round_=False)
        self._theme: Theme | None = None
        self._colours: tuple[str, ...] = ()

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        heads = (self._heads, self._awaited, self._early)
        return [self._lines.actor, *(each.actor for each in heads)]

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme, self._colours = theme, ()
        self._fill((theme.ink,))

    def _fill(self, colours: tuple[str, ...]) -> None:
        if colours != self._colours and self._theme is not None:
            self._colours = colours
            faint = [0.92] * len(colours)
            fill_lookup(self._lookup, fading_table(colours, faint, self._theme.panel))

    def enlarge(self, factor: float) -> None:
        """Draw everything wider by a factor, from now on."""
        for each in (self._lines, self._heads, self._awaited, self._early):
            each.enlarge(factor)

    def show(
        self,
        paths: EdgePaths,
        flying: MessagesInFlight,
        reach: float,
        scale: float,
        *,
        trails: bool = False,
    ) -> None:
        """Draw messages between ranks.

        They run from rim to rim of glyphs that reach so far from their places;
        `scale` is that of widths in device pixels. Comets have a tail all the way
        from their sender.
        """
        if not len(flying.sender):  # often, while time runs
            for actor in self.actors:
                actor.SetVisibility(False)
            return
        if flying.colours:
            self._fill(flying.colours)
        sender, receiver = flying.sender, flying.receiver
        pieces = TRAIL_PIECES if trails else DASH_PIECES
        steps = np.linspace(0, 1, pieces + 1)
        length = paths.lengths(sender, receiver)
        rim = np.clip(reach / length, 0, 0.3)
        head = rim + (1 - 2 * rim) * flying.share
        tail = 0.8 * rim
        if not trails:
            tail = np.maximum(
                head - np.clip(DASH_LENGTH / length, 0.08, DASH_LENGTH), tail
            )
        share = tail[:, None] * (1 - steps) + head[:, None] * steps
        lane = np.where(flying.early, UNEXPECTED_LANE, 1.0)
        points = _lane_points(paths, sender, receiver, share, lane)
        keep = _unwrapped_pieces(paths, sender, receiver, share)
        level = np.rint((1 - steps[1:]) * (DEPTH_LEVELS - 1)).astype(np.uint16)
        own = flying.codes.astype(np.uint16) * np.uint16(DEPTH_LEVELS)
        ends = np.stack([points[:, :-1], points[:, 1:]], axis=2)
        codes = np.asarray(own[:, None] + level, np.uint16)[keep]
        self._lines.set(ends[keep], codes, 3.0 * scale)
        plain = ~flying.awaited & ~flying.early
        late = flying.awaited & ~flying.early
        for heads, some, size in (
            (self._heads, plain, HEAD_PIXELS),
            (self._awaited, late, LATE_HEAD_PIXELS),
            (self._early, flying.early, UNEXPECTED_HEAD_PIXELS),
        ):
            heads.show(points[some, -1], own[some], size * scale)


def _unwrapped_pieces(
    paths: EdgePaths, sender: Indices, receiver: Indices, share: Floats
) -> Bools:
    """Pieces that do not leap from one side of the lattice to the other."""
    keep = np.ones((len(share), share.shape[1] - 1), bool)
    wrapped = paths.kinds(sender, receiver) == WRAPPED
    keep[wrapped] = (share[wrapped, :-1] < 0.5) == (share[wrapped, 1:] < 0.5)
    return keep


def _lane_points(
    paths: EdgePaths, sender: Indices, receiver: Indices, share: Floats, lane: Floats
) -> Floats:
    """Points on the ways, to the right of them as seen from above, in lanes."""
    points = paths.points(sender, receiver, share, PIPE_CLEARANCE)
    if not len(points):
        return points
    ahead = points[:, -1] - points[:, 0]
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    steep = np.abs(ahead[:, 2:]) > 0.9
    up = np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0])
    side = np.cross(ahead, up)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    lift = np.array([0.0, 0.0, LANE_DISTANCE if paths.flat else 0.0])
    return np.asarray(points + (LANE_DISTANCE * lane[:, None] * side)[:, None] + lift)
