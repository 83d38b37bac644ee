"""What is seen of a scene, and where: between pixels and ranks; draws nothing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoview.model import Bools, Floats, Indices, Layout, Match
from topoview.scene.annotations import Label
from topoview.scene.axis_words import write_axes
from topoview.scene.bent_axes import bent_axes, levels, rim_of
from topoview.scene.camera import Pose, depths, pixels_per_unit, project, ray
from topoview.scene.edge_lines import EdgeLines
from topoview.scene.framing import outermost, outermost_of
from topoview.scene.lattice_frame import LatticeFrame, mark_labels
from topoview.scene.message_lines import ASIDE, OUTER
from topoview.scene.paths import Paths
from topoview.scene.place_words import place_words
from topoview.scene.ranks.glyphs import RankGlyphs
from topoview.scene.ranks.parts import RankParts, Seen
from topoview.scene.scene_camera import NOTHING, Extent, SceneCamera


class SceneSight:
    """The parts of a scene, and what can be asked of them.

    Parameters
    ----------
    camera
        Where it is seen from.
    """

    def __init__(self, camera: SceneCamera) -> None:
        self._camera = camera
        self.edges = EdgeLines()
        self._ranks: RankParts | None = None
        self._frame: LatticeFrame | None = None
        self._shown: tuple[Match, Layout] | None = None
        self._paths: Paths | None = None
        self._words: tuple[object, list[Label]] = None, []
        self._outer: tuple[Floats, Floats] | None = None
        self._home = "box"
        self._to_see: Extent | None = None

    @property
    def pose(self) -> Pose:
        """Where the camera is."""
        return self._camera.pose

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the view in pixels."""
        return self._camera.size

    @property
    def width(self) -> float:
        """Width of the view in logical pixels."""
        return self._camera.size[0]

    @property
    def ranks(self) -> int:
        """Ranks that are shown."""
        return 0 if self._ranks is None else len(self._ranks.places)

    @property
    def visible(self) -> Bools:
        """Ranks that are drawn: shape (ranks,)."""
        return np.ones(0, bool) if self._ranks is None else self._ranks.visible

    @property
    def _ends(self) -> Bools:
        """Ranks that lines may end at: those in the slices that are not left out."""
        return (
            self.visible if self._ranks is None else self._ranks.inside & self.visible
        )

    @property
    def places(self) -> Floats:
        """Middle of each rank: shape (ranks, 3)."""
        return np.zeros((0, 3)) if self._ranks is None else self._ranks.places

    @property
    def glyphs(self) -> RankGlyphs | None:
        """What draws the ranks that are no tiles."""
        return None if self._ranks is None else self._ranks.glyphs

    @property
    def tiled(self) -> bool:
        """Whether ranks are tiles of a surface, which stay where they are."""
        return self._ranks is not None and self._ranks.tiles is not None

    def pick(self, x: float, y: float) -> int | None:
        """Rank that is seen at a pixel."""
        if self._ranks is None:
            return None
        return self._ranks.pick(*ray(self.pose, x, y, self.size))

    def pick_edge(self, x: float, y: float) -> tuple[int, int] | None:
        """Edge that is seen within a few pixels: its ranks, smaller first."""
        return self.edges.pick(self.pose, x, y, self.size)

    def project(self, ranks: Indices) -> Floats:
        """Pixels at which the centres of ranks are seen: shape (n, 2)."""
        if self._ranks is None:
            return np.zeros((0, 2))
        return project(self.pose, self._ranks.places[ranks], self.size)

    def centred(self, rank: int) -> Pose:
        """Pose that turns about a rank, which comes to the middle of the view."""
        assert self._ranks is not None
        x, y, z = map(float, self._ranks.places[rank])
        return replace(self.pose, focal=(x, y, z), shift=(0.0, 0.0))

    def outline(self, rank: int) -> Floats:
        """Rim of a rank as it is seen: pixels, shape (k, 2), in order around it."""
        found = self.outlines([rank])
        return found[0] if found else np.zeros((0, 2))

    def outlines(self, ranks: Sequence[int]) -> list[Floats]:
        """Rims of ranks as they are seen: pixels, each of shape (k, 2)."""
        if self._ranks is None:
            return []
        some = np.array(ranks, np.int64)
        return self._ranks.outlines(some, self.pose, self.size)

    @property
    def reach_pixels(self) -> float:
        """How far a glyph reaches from its middle, about, in pixels."""
        return 0.0 if self._ranks is None else self._ranks.reach * self._unit

    @property
    def _unit(self) -> float:
        """Pixels that a unit of length takes in the middle of the scene."""
        focal = np.array([self.pose.focal])
        return float(pixels_per_unit(self.pose, focal, self.size[1])[0])

    def look(self, name: str) -> Pose:
        """Pose of a camera of `CAMERAS` that shows everything."""
        return self._camera.look(name, self._extent())

    def fitted(self, side: Pose | None = None) -> Pose:
        """Pose that shows everything from where the camera is, or another one was."""
        return self._camera.fitted(self._extent(), side)

    def _extent(self) -> Extent:
        """Tell what must be seen: glyphs, edges with messages beside, the frame."""
        if self._ranks is None:
            return NOTHING
        if self._to_see is None:
            self._to_see = self._find_extent(self._ranks)
        return self._to_see

    def _find_extent(self, ranks: RankParts) -> Extent:
        points, radii = self._solid
        lines = self.edges.drawn_ends.reshape(-1, 3)
        corners = np.zeros((0, 3)) if self._frame is None else self._frame.corners
        points = np.concatenate([points, lines, corners])
        beside = np.full(len(lines), ASIDE * OUTER), np.zeros(len(corners))
        radii = np.concatenate([radii, *beside])
        some = outermost(points)
        framed = self._frame is not None
        return Extent(
            self._home,
            ranks.places,
            ranks.reach,
            points[some],
            radii[some],
            framed=framed,
        )

    def axis_labels(self) -> list[Label]:
        """Names and numbers of axes, of levels and of units, where they are seen."""
        key = (self.pose, self.size, self._camera.below, self._shown, self._frame)
        if key != self._words[0]:
            self._words = key, self._axis_labels()
        return self._words[1]

    def _axis_labels(self) -> list[Label]:
        if self._shown is None or self._ranks is None:
            return []
        pose, size = self.pose, self.size
        match, layout = self._shown
        if self._frame is not None:
            axes, body = self._frame.axes(pose, size), self._frame.body(pose, size)
        else:
            surface = None if self._paths is None else self._paths.surface
            reach = 0.0 if self.tiled else self.reach_pixels
            axes = bent_axes(layout, surface, pose, size, reach)
            body = np.zeros((0, 2))
            if axes:
                body = rim_of(self._solid[0], pose, size, reach)
        free = (size[0], size[1] - self._camera.below)  # the rest is the key's
        found = write_axes(axes, free, body)
        if match.topology.kind == "tree" and layout.name == "tree":
            found += levels(match, layout, pose, size)
        found += place_words(match, layout, pose, size, self.reach_pixels)
        return found + mark_labels(layout.marks, pose, size)

    @property
    def _solid(self) -> tuple[Floats, Floats]:
        """Points that the ranks lie within, about: the outermost of very many.

        And radii about them.
        """
        assert self._ranks is not None
        if self._outer is None:
            points, radii = self._ranks.bounds
            if self._shown is not None and self._ranks.whole:
                some = outermost_of(self._shown[1])
            else:
                some = outermost(points)
            self._outer = points[some], radii[some]
        return self._outer

    @property
    def _depths(self) -> tuple[float, float]:
        seen = self._seen()
        return seen.near, seen.far

    def _seen(self, pose: Pose | None = None) -> Seen:
        pose = pose or self.pose
        if self._ranks is None or not self.ranks:
            return Seen(pose, self.size, 1.0, 2 * pose.distance)
        far = depths(pose, self._ranks.places)
        return Seen(pose, self.size, float(far.min()), float(far.max()))
