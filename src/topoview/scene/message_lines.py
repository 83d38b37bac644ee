"""Messages in flight: which at a time, and dashes with a fading tail."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkProp

from topoview.analysis.message_blocks import MessageBlocks, message_blocks
from topoview.model import Floats, Indices, Trace
from topoview.scene.fading import LEVELS, fading_table, fill
from topoview.scene.palette import Theme
from topoview.scene.parts import Lines, cells_of, points_of
from topoview.scene.paths import WRAPPED, Paths

MOST = 20_000
"""Most messages that are drawn at once."""

MOST_RANKS = 1000
"""Messages between more ranks are not drawn: they would hide them."""

PIECES = 6
"""Pieces of a dash, each fainter than the one before it."""

TAIL = 0.3
"""Length of a dash; of the way at most so much."""

ABOVE = 1.04
"""Thickness of the pipe that messages on a torus or a tube run along."""

ASIDE = 0.11
"""Distance to the right of the edge, and above the middle of flat glyphs."""


@dataclass(frozen=True, slots=True, eq=False)
class Flights:
    """Messages whose two times can be compared.

    Attributes
    ----------
    blocks
        What is known about them; None if the clocks are not aligned.
    """

    blocks: MessageBlocks | None

    def at(self, ticks: int) -> tuple[Indices, Indices, Floats]:
        """Messages in flight at a time: senders, receivers, share of the way."""
        if self.blocks is None:
            none = np.zeros(0, np.int32)
            return none, none, np.zeros(0)
        messages, at = self.blocks.messages, self.blocks.in_flight(ticks)
        sent = messages.send_time[at]
        share = (ticks - sent) / (messages.receive_time[at] - sent)
        return messages.sender[at], messages.receiver[at], share


def flights(trace: Trace) -> Flights:
    """Look through the messages, so that those at a time are found at once."""
    return Flights(message_blocks(trace.messages) if trace.clock.aligned else None)


class MessageLines:
    """Draws messages as dashes beside their edges."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = Lines(self._lookup)
        self._heads = vtkPolyData()
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._heads)
        self._head_actor = vtkActor()
        self._head_actor.SetMapper(mapper)
        self._head_actor.GetProperty().LightingOff()
        self._head_actor.GetProperty().RenderPointsAsSpheresOn()
        self._head_actor.ForceOpaqueOn()
        self._head, self._enlarged = 1.0, 1.0

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._lines.actor, self._head_actor]

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        fill(self._lookup, fading_table([theme.ink], [0.92], theme.panel))
        red, green, blue = (int(theme.ink[k : k + 2], 16) / 255 for k in (1, 3, 5))
        self._head_actor.GetProperty().SetColor(red, green, blue)

    def enlarge(self, factor: float) -> None:
        """Draw everything wider by a factor, from now on."""
        self._enlarged = factor
        self._lines.enlarge(factor)
        self._head_actor.GetProperty().SetPointSize(self._head * factor)

    def show(
        self,
        paths: Paths,
        flying: tuple[Indices, Indices, Floats],
        reach: float,
        scale: float,
    ) -> None:
        """Draw messages between ranks: senders, receivers, share of the way.

        They run from rim to rim of glyphs that reach so far from their places;
        `scale` is that of widths in device pixels.
        """
        sender, receiver = flying[0][:MOST], flying[1][:MOST]
        done = flying[2][:MOST]
        steps = np.linspace(0, 1, PIECES + 1)
        length = paths.lengths(sender, receiver)
        rim = np.clip(reach / length, 0, 0.3)
        head = rim + (1 - 2 * rim) * done
        tail = np.maximum(head - np.clip(TAIL / length, 0.08, TAIL), 0.8 * rim)
        share = tail[:, None] * (1 - steps) + head[:, None] * steps
        points = _aside(paths, sender, receiver, share)
        ends = np.stack([points[:, :-1], points[:, 1:]], axis=2)
        keep = np.ones(ends.shape[:2], bool)
        wrapped = paths.kinds(sender, receiver) == WRAPPED
        keep[wrapped] = (share[wrapped, :-1] < 0.5) == (share[wrapped, 1:] < 0.5)
        level = np.rint((1 - steps[1:]) * (LEVELS - 1)).astype(np.uint8)
        codes = np.broadcast_to(level, keep.shape)[keep]
        self._lines.set(ends[keep], codes, 3.0 * scale)
        self._heads.SetPoints(points_of(points[:, -1]))
        self._heads.SetVerts(cells_of(np.arange(len(points))[:, None]))
        self._head = 6.0 * scale
        self.enlarge(self._enlarged)
        self._head_actor.SetVisibility(len(points) > 0)


def _aside(paths: Paths, sender: Indices, receiver: Indices, share: Floats) -> Floats:
    """Points on the ways, to the right of them as seen from above."""
    points = paths.points(sender, receiver, share, ABOVE)
    if not len(points):
        return points
    ahead = points[:, -1] - points[:, 0]
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    steep = np.abs(ahead[:, 2:]) > 0.9
    up = np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0])
    side = np.cross(ahead, up)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    lift = np.array([0.0, 0.0, ASIDE if paths.flat else 0.0])
    return np.asarray(points + ASIDE * side[:, None] + lift)
