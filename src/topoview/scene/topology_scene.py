"""The 3D scene: ranks at their places, edges between them, messages in flight."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkRenderingCore import vtkProp

from topoview import model
from topoview.live.moments.messages import NO_MESSAGES, MessagesInFlight
from topoview.scene import camera
from topoview.scene.actors import scene_light
from topoview.scene.annotations import AxisLine, Label
from topoview.scene.axes import plane_sheet
from topoview.scene.axes.axis_labels import label_axes, off_ranks, vertex_labels
from topoview.scene.axes.curved_axes import body_outline, curved_axes, tree_labels
from topoview.scene.axes.flat_map import MapPlaces
from topoview.scene.axes.lattice_frame import LatticeFrame, layout_labels
from topoview.scene.level_of_detail import FULL_DETAIL, MAX_RANKS_NEVER_DOTS, Detail
from topoview.scene.lines.edge_lines import EdgeLines
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.lines.message_lines import MessageLines
from topoview.scene.lines.pair_lines import EdgeTraffic, TrafficLines, WaitChainLines
from topoview.scene.palette import THEMES, rgb
from topoview.scene.ranks import forms
from topoview.scene.ranks.glyphs import RankGlyphs
from topoview.scene.ranks.impostors import RayPicture, RayRequest
from topoview.scene.ranks.rank_actors import MAX_UNFOCUSED_RANKS, DepthView, RankActors
from topoview.scene.ranks.slices import messages_inside, pairs_inside, ranks_inside
from topoview.scene.shading import Shading

PLAIN_GEOMETRY = model.Geometry()

MAX_RANKS_SPARED = 1000
"""Most ranks that words are kept off one by one, beside the body of all of them."""

MAX_RANKS_WITH_INK = 3
"""Most selected ranks whose edges are drawn in ink."""

TREE_LAYOUTS = ("tree", "cone")
"""Layouts of trees whose levels are named."""

NO_WAIT_CHAINS = (np.zeros((0, 2), np.int32),) * 5


class TopologyScene:
    """Draws ranks in the shape of their topology in any renderer of VTK.

    It holds no state of the program: what it shows is told, and what is not told
    again stays. Pixels are those of the view, `ratio` of the device's.

    Parameters
    ----------
    renderer : vtkRenderer
        That it draws in; it removes its lights.
    theme
        ``scene_light`` or ``dark``.
    size
        Width and height of the view in pixels.
    ratio
        Device pixels a pixel.
    rays
        Whether very many ranks are drawn by rays, which takes less time than meshes;
        these are what pictures in files are made of.
    """

    def __init__(
        self,
        renderer: Any,  # noqa: ANN401 - VTK's types say little
        theme: str = "light",
        size: tuple[float, float] = (960.0, 640.0),
        ratio: float = 1.0,
        *,
        rays: bool = False,
    ) -> None:
        self._renderer = renderer
        self._theme = THEMES[theme]
        self._camera = camera.SceneCamera(self._renderer, size)
        self._camera.ratio = ratio
        self.edges = EdgeLines()
        self._ranks: RankActors | None = None
        self._frame: LatticeFrame | None = None
        self._shown: tuple[model.Match, model.Layout] | None = None
        self.planes: plane_sheet.SheetPlaces | None = None
        """Which rank is where in planes, and in a cut block; None in other layouts."""
        self.map: MapPlaces | None = None
        """Which rank is where on the flat map beside a torus; None where none is."""
        self._sheet: plane_sheet.PlaneSheet | None = None
        self._paths: EdgePaths | None = None
        self._words: tuple[object, list[Label], list[AxisLine]] = None, [], []
        self._outer: tuple[model.Floats, model.Floats] | None = None
        self._home = "box"
        self._to_see: camera.SceneExtent | None = None
        self._measure: forms.LayoutMeasure | None = None
        self.ratio = ratio
        self.detail = FULL_DETAIL
        self._messages = MessageLines()
        self._chains = WaitChainLines()
        self._traffic = TrafficLines()
        self._walls = self._vanish = False
        self._drawn = True
        """Whether the renderer draws ranks: not those that share pixels of planes."""
        self._shading: Shading | None = None
        self._nothing = np.zeros((0, 0, 4), np.uint8)
        self._renderer.RemoveAllLights()
        self._renderer.AutomaticLightCreationOff()
        self._renderer.AddLight(scene_light())
        for actor in self._lines:
            self._renderer.AddActor(actor)
        self._rays = rays
        self._observer = self._renderer.AddObserver("StartEvent", self._prepare)
        self._paint()

    def _prepare(self, *_: object) -> None:
        """Find by rays what the camera sees, before a frame is drawn."""
        impostors = None if self._ranks is None else self._ranks.impostors
        if impostors is not None and self._drawn:
            impostors.prepare(self._renderer)

    def pixels(self) -> model.Bytes | None:
        """Return the picture without VTK where it is of ranks by rays and nothing else.

        It is not smoothed: that is for frames in a motion.

        Returns
        -------
        uint8, shape (height, width, 4), or None
            Blue, green, red and opacity, the top row first; it is overwritten by the
            next one. None if VTK has to draw it.
        """
        impostors = None if self._ranks is None else self._ranks.impostors
        actors = self._renderer.GetActors()
        seen = [actor for actor in actors if actor.GetVisibility()]
        if not self._drawn and not seen:
            return self._ground()
        if impostors is None or self.detail.smooth or seen != impostors.actors:
            return None
        return impostors.pixels(self._renderer)

    def _ground(self) -> model.Bytes:
        """Return the picture of nothing, as `pixels` does; kept."""
        width, height = self._renderer.GetSize()
        red, green, blue = rgb(self._theme.panel)
        pixel = np.array([blue, green, red, 255], np.uint8)
        kept = self._nothing
        same = kept.shape == (height, width, 4) and kept.size > 0
        if not (same and (kept[0, 0] == pixel).all()):
            word = pixel.view(np.uint32)[0]
            whole = np.full((height, width, 1), word, np.uint32)
            self._nothing = whole.view(np.uint8)
        return self._nothing

    def ask_fine(self) -> RayRequest | None:
        """Ask for a finer picture of ranks by rays; None where there are none."""
        impostors = None if self._ranks is None else self._ranks.impostors
        if impostors is None or not self._drawn:
            return None
        impostors.prepare(self._renderer)
        return impostors.ask_fine()

    def take_fine(self, request: RayRequest, picture: RayPicture) -> bool:
        """Show it unless something else is to be seen by now; tells whether it is."""
        impostors = None if self._ranks is None else self._ranks.impostors
        return impostors is not None and impostors.take_fine(request, picture)

    def close(self) -> None:
        """Remove everything from the renderer."""
        self.clear()
        self._renderer.RemoveObserver(self._observer)
        for actor in self._lines:
            self._renderer.RemoveActor(actor)
        self._renderer.RemoveAllLights()

    @property
    def _lines(self) -> list[vtkProp]:
        parts = (self.edges, self._messages, self._chains, self._traffic)
        return [actor for part in parts for actor in part.actors]

    def clear(self) -> None:
        """Show nothing."""
        if self._ranks is not None:
            self.mark(())
            for actor in self._ranks.actors:
                self._renderer.RemoveActor(actor)
        if self._frame is not None:
            self._renderer.RemoveActor(self._frame.lines.actor)
        self._ranks = self._paths = self._frame = None
        self._shown = self._to_see = self.planes = self._sheet = self._shading = None
        self.map = None
        self.edges.clear()
        for actor in self._lines:
            actor.VisibilityOff()

    def show(
        self,
        match: model.Match,
        layout: model.Layout,
        matrix: model.CommunicationMatrix,
        geometry: model.Geometry = PLAIN_GEOMETRY,
        measure: forms.LayoutMeasure | None = None,
    ) -> None:
        """Draw the ranks of a match at the places of a layout, seen from its home.

        Parameters
        ----------
        measure
            What `measure_layout` found; None: it is found now.
        """
        self.clear()
        self._shown = match, layout
        self.detail = FULL_DETAIL
        if layout.shape in ("planes", "cut"):
            self.planes = plane_sheet.SheetPlaces(match, layout)
        elif MapPlaces.suits(match, layout):
            self.map = MapPlaces(match, layout)
        if layout.shape == "cut":  # which is painted with what is written over a scene
            self._home = "box"
            return
        self._measure = measure or forms.measure_layout(layout, match)
        self._paths = EdgePaths(layout, match, geometry)
        form = forms.choose_form(layout, self._paths.surface)
        self._home = forms.home_camera(layout, form)
        self._ranks = RankActors(
            layout,
            match,
            self._paths.surface,
            form,
            self._measure.spacing,
            copies=geometry.copies,
            rays=self._rays,
        )
        for actor in self._ranks.actors:
            self._renderer.AddActor(actor)
        self._drawn = True
        grid = self._paths.grid
        if grid is not None and LatticeFrame.suits(grid):
            self._frame = LatticeFrame(grid)
            self._renderer.AddActor(self._frame.lines.actor)
        self.edges.show(self._paths, match, matrix, form, self.ratio)
        self._paint()
        self.slice(geometry)
        self.look_with(self.look("home"))

    def sheet(
        self,
        selected: tuple[int, ...],
        cut: tuple[int, ...],
        rooms: plane_sheet.CutRooms | None,
        middle: int = -1,
    ) -> plane_sheet.PlaneSheet | None:
        """Find what is written over planes, or the map of a torus about a `middle`.

        None in other layouts.
        """
        if self.map is not None:
            self._sheet = self.map.sheet(self.size, middle)
        if self.planes is not None:
            self._sheet = self.planes.sheet(self.pose, self.size, rooms, selected, cut)
            # cells that share a pixel are painted with what is written over planes
            self._draw_ranks(plane_sheet.shared_side(self._sheet.cell, self.ratio) == 1)
        return self._sheet

    def _draw_ranks(self, drawn: bool) -> None:
        """Let the renderer draw ranks or not; actors may be hidden besides."""
        if self._ranks is None or drawn == self._drawn:
            return
        self._drawn = drawn
        change = self._renderer.AddActor if drawn else self._renderer.RemoveActor
        marks = self._ranks.marks
        for actor in (*self._ranks.actors, *(() if marks is None else marks.actors)):
            change(actor)
        if drawn and self._shading is not None:
            self.colour(self._shading)

    @property
    def is_cut(self) -> bool:
        """Whether three planes of a block are all that is seen."""
        return self._shown is not None and self._shown[1].shape == "cut"

    def slice(self, geometry: model.Geometry) -> None:
        """Show what is in the ranges of a geometry."""
        if self._ranks is None or self._shown is None:
            return
        self._to_see = None
        match, layout = self._shown
        inside = ranks_inside(layout, match, geometry)
        shown = np.ones(self.ranks, bool) if inside is None else inside
        self._ranks.restrict(
            shown,
            dimmed=geometry.outside == "dimmed" and layout.alone < 0,
            shrink=geometry.shrink,
        )
        self.edges.restrict(inside, geometry.diagonals)
        self.edges.paint(self._theme, self._ranks.form)
        if self._frame is not None:
            self._frame.restrict(geometry.ranges)
        self._words, self._outer = (None, [], []), None
        self.edges.fade(self.pose, *self._depths)
        self._rule()

    def mark(self, ranks: tuple[int, ...]) -> None:
        """Draw some ranks before all others, so that no block hides them."""
        if self._ranks is None:
            return
        before = self._ranks.marks
        for actor in () if before is None else before.actors:
            self._renderer.RemoveActor(actor)
        self._ranks.mark(ranks)
        after = self._ranks.marks
        for actor in () if after is None or not self._drawn else after.actors:
            self._renderer.AddActor(actor)

    def colour(self, shading: Shading) -> None:
        """Colour all ranks; those that do not stand out shrink, or vanish."""
        self._shading = shading
        if self._ranks is not None and self._drawn:
            self._ranks.colour(shading, self.ratio)
            self._vanish = (
                shading.stands_out is not None and self.ranks > MAX_UNFOCUSED_RANKS
            )
            self._rule()

    def _rule(self) -> None:
        """Rule the walls of a solid lattice whose ranks are not all drawn."""
        if self._ranks is not None:
            part = self._vanish or not self._ranks.inside.all()
            self._walls = part and self._ranks.form.name == "box"
            self._place_walls()

    def displace(self, places: model.Floats | None) -> None:
        """Draw ranks elsewhere for a while, and nothing between them.

        Parameters
        ----------
        places : float64, shape (ranks, 3)
            None puts them back.
        """
        shown = self._ranks
        if shown is None:
            return
        shown.glyphs.displace(shown.places if places is None else places)
        for part in (shown.copies, shown.marks):
            for actor in () if part is None else part.actors[:1]:
                actor.SetVisibility(places is None)
        if self._frame is not None:
            self._frame.lines.actor.SetVisibility(places is None)
        if places is not None:
            self.edges.visible(shown=False)
            self.show_messages(NO_MESSAGES)
            self.show_chains(NO_WAIT_CHAINS)

    def set_theme(self, theme: str) -> None:
        """Apply the colours of a theme."""
        self._theme = THEMES[theme]
        self._paint()

    def show_edges(self, *, shown: bool) -> None:
        """Draw the edges or leave them out."""
        shown = shown and self.detail.edges
        self.edges.visible(shown=shown and self._ranks is not None)

    def select_edges(self, edges: model.Indices | None) -> None:
        """Draw the ways between pairs of ranks in ink: int32, shape (n, 2)."""
        if self._paths is not None:
            self.edges.select(edges, self.ratio)

    @property
    def _thickness(self) -> float:
        """Factor for the widths of lines: less where ranks are near to each other."""
        return self.ratio * float(np.clip(self._unit / 48, 0.5, 1.0))

    def show_messages(self, flying: MessagesInFlight, *, trails: bool = False) -> None:
        """Draw messages in flight."""
        if self._paths is None or self._ranks is None:
            return
        flying = flying if self.detail.messages else NO_MESSAGES
        if len(flying.sender):  # seldom, while time runs
            flying = messages_inside(flying, self._ends)
        self._messages.show(
            self._paths,
            flying,
            self._ranks.reach,
            self._thickness,
            1 / max(self._unit, 1e-9),
            ranks=int(self._ends.sum()) if len(flying.sender) else 0,
            trails=trails,
            tiled=self.tiled,
        )

    def show_chains(self, pairs: tuple[model.Indices, ...]) -> None:
        """Draw who waits for whom: pairs of ranks for each kind of `WaitChainLines`."""
        if self._paths is not None and self._ranks is not None:
            pairs = pairs if self.detail.messages else NO_WAIT_CHAINS
            seen = tuple(pairs_inside(some, self._ends) for some in pairs)
            self._chains.show(self._paths, seen, self.ratio)

    def show_traffic(self, traffic: EdgeTraffic | None) -> None:
        """Draw the traffic of a window instead of the edges; None: not."""
        if self._paths is not None and self._ranks is not None:
            traffic = traffic if self.detail.edges else None
            if traffic is not None:
                traffic = traffic.between(self._ends)
            self._traffic.show(self._paths, traffic, self._thickness)
            self.edges.give_way(gives=traffic is not None)

    def look_with(self, pose: model.Pose) -> None:
        """Move the camera; depths fade anew."""
        if self.planes is not None:
            pose = replace(pose, parallel=True)  # whole pixels, and no plane is smaller
        seen = self._seen(pose)
        self._camera.place(pose, seen.near, seen.far)
        if self._ranks is not None:
            self._ranks.fade(seen)
            self.edges.fade(pose, seen.near, seen.far)
            self._place_walls()

    def _place_walls(self) -> None:
        """Rule the back walls if most ranks are not drawn."""
        if self._frame is not None:
            self._frame.show_walls(self.pose if self._walls else None, self.ratio)

    def reduce(self, detail: Detail) -> None:
        """Draw ranks in less detail; the rest of it holds from what is shown next."""
        self.detail = detail
        if self._ranks is not None and self.ranks > MAX_RANKS_NEVER_DOTS:
            self._ranks.move(self._seen(), self.ratio, moving=not detail.glyphs)
        if self._ranks is not None and self._ranks.impostors is not None:
            self._ranks.impostors.sharp = detail.sharp

    def enlarge(self, factor: float) -> None:
        """Draw lines wider, for a renderer that draws larger and shrinks that."""
        self.edges.enlarge(factor)
        self._messages.enlarge(factor)
        self._chains.enlarge(factor)
        self._traffic.enlarge(factor)
        if self._ranks is not None:
            self._ranks.second.enlarge(factor)
        if self._frame is not None:
            self._frame.lines.enlarge(factor)

    def resize(self, size: tuple[float, float], ratio: float, below: float) -> None:
        """Follow the view's size; pixels `below` are for more than one row of keys."""
        self._camera.size, self._camera.below, self.ratio = size, below, ratio
        self._camera.ratio = ratio

    def _paint(self) -> None:
        self._renderer.SetBackground(*(part / 255 for part in rgb(self._theme.panel)))
        self._messages.paint(self._theme)
        self._chains.paint(self._theme)
        self._traffic.paint(self._theme)
        if self._ranks is not None:
            self._ranks.paint(self._theme)
            self.edges.paint(self._theme, self._ranks.form)
        if self._frame is not None:
            self._frame.paint(self._theme)

    # What can be asked of it: where things are seen, between pixels and ranks.

    @property
    def pose(self) -> model.Pose:
        """Where the camera is."""
        return self._camera.pose

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the view in pixels."""
        return self._camera.size

    @property
    def below(self) -> float:
        """Pixels of its height that the keys take beyond a row."""
        return self._camera.below

    @property
    def width(self) -> float:
        """Width of the view in logical pixels."""
        return self._camera.size[0]

    @property
    def ranks(self) -> int:
        """Ranks that are shown."""
        if self._ranks is None:
            return 0 if self.planes is None else len(self.planes.plane)
        return len(self._ranks.places)

    @property
    def room_of_planes(self) -> tuple[float, float]:
        """Pixels that planes beside each other can fill."""
        return self._camera.room_of_planes

    @property
    def visible(self) -> model.Bools:
        """Ranks that are drawn: shape (ranks,)."""
        if self._ranks is None:
            shown = np.zeros(self.ranks, bool)
            for face in () if self._sheet is None else self._sheet.cut_faces:
                shown[face.ranks[face.ranks >= 0]] = True
            return shown
        return self._ranks.visible

    @property
    def _ends(self) -> model.Bools:
        """Ranks that lines may end at: those in the slices that are not left out."""
        return self.visible if self._ranks is None else self._ranks.ends

    @property
    def places(self) -> model.Floats:
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
        if self._sheet is not None:
            rank = self._sheet.rank_at(x, y)
            if rank is not None:
                return rank
        if self._ranks is None or not self._drawn:
            return None
        self._prepare()
        share = x / self.size[0], y / self.size[1]
        return self._ranks.pick(*camera.ray(self.pose, x, y, self.size), share)

    def pick_edge(self, x: float, y: float) -> tuple[int, int] | None:
        """Edge that is seen within a few pixels: its ranks, smaller first."""
        return self.edges.pick(self.pose, x, y, self.size)

    def edges_of(self, ranks: tuple[int, ...]) -> model.Indices | None:
        """Edges of a few ranks, which are drawn in ink with them; None of more."""
        if not 0 < len(ranks) <= MAX_RANKS_WITH_INK or self._paths is None:
            return None
        return self.edges.of(ranks)

    def stub_labels(self, ranks: tuple[int, ...]) -> list[Label]:
        """Write at stubs of wrapped edges of a few ranks where they lead to."""
        edges = self.edges_of(ranks)
        if edges is None or self._paths is None or not self.edges.shown:
            return []
        one, other = np.concatenate([edges, edges[:, ::-1]]).T
        own = np.isin(one, ranks) & (self._paths.kinds(one, other) == WRAPPED)
        if not own.any():
            return []
        tips = self._paths.stub_ends(one[own], other[own])
        pixels = camera.project(self.pose, tips, self.size).tolist()
        labels = [
            Label(x, y, str(to))
            for (x, y), to in zip(pixels, other[own].tolist(), strict=True)
        ]
        return self._off_ranks(labels)

    def pick_messages(self, x: float, y: float) -> tuple[int, int] | None:
        """Sender and receiver of the messages whose mark is seen there."""
        return self._messages.pick(self.pose, x, y, self.size)

    def project(self, ranks: model.Indices) -> model.Floats:
        """Pixels at which the centres of ranks are seen: shape (n, 2)."""
        block = None if self._sheet is None else self._sheet.block
        if self.is_cut and block is not None and self.planes is not None:
            middles = self.planes.coordinates[ranks] + 0.5
            return np.asarray(block.origin + middles @ block.steps)
        if self._ranks is None:
            return np.zeros((0, 2))
        return camera.project(self.pose, self._ranks.places[ranks], self.size)

    def centred(self, rank: int) -> model.Pose:
        """Pose that turns about a rank, which comes to the middle of the view."""
        assert self._ranks is not None
        x, y, z = map(float, self._ranks.places[rank])
        return replace(self.pose, focal=(x, y, z), shift=(0.0, 0.0))

    def outline(self, rank: int) -> model.Floats:
        """Rim of a rank as it is seen: pixels, shape (k, 2), in order around it."""
        outlines = self.outlines([rank])
        return outlines[0] if outlines else np.zeros((0, 2))

    def outlines(self, ranks: Sequence[int]) -> list[model.Floats]:
        """Rims of ranks as they are seen: pixels, each of shape (k, 2)."""
        if self.is_cut and self._sheet is not None:
            sheet = self._sheet
            return [cell for rank in ranks for cell in sheet.cells_of(rank)]
        if self._ranks is None:
            return []
        some = np.array(ranks, np.int64)
        return self._ranks.outlines(some, self.pose, self.size)

    @property
    def reach_pixels(self) -> float:
        """How far a glyph reaches from its middle, about, in pixels."""
        return 0.0 if self._ranks is None else self._ranks.reach * self._unit

    @property
    def rank_pixels(self) -> float:
        """How large a glyph is, or a tile of a surface, about, in pixels."""
        tile = 0.0 if self._ranks is None else self._ranks.tile_extent * self._unit
        return max(2 * self.reach_pixels, tile)

    @property
    def _unit(self) -> float:
        """Pixels that a unit of length takes in the middle of the scene."""
        focal = np.array([self.pose.focal])
        return float(camera.pixels_per_unit(self.pose, focal, self.size[1])[0])

    def look(self, name: str) -> model.Pose:
        """Pose of a camera of `CAMERAS` that shows everything."""
        return self._camera.look(name, self._extent())

    def fitted(self, side: model.Pose | None = None) -> model.Pose:
        """Pose that shows everything from where the camera is, or another one was."""
        return self._camera.fitted(self._extent(), side)

    def _extent(self) -> camera.SceneExtent:
        """Return what must be seen: glyphs, edges, the frame."""
        if self._ranks is None:
            return camera.EMPTY_EXTENT
        if self._to_see is None:
            self._to_see = self._find_extent(self._ranks)
        return self._to_see

    def _find_extent(self, ranks: RankActors) -> camera.SceneExtent:
        points, radii = self._solid
        lines = self.edges.ends_to_see.reshape(-1, 3)
        corners = np.zeros((0, 3)) if self._frame is None else self._frame.corners
        marks = np.zeros((0, 3))
        if self._shown is not None and self.planes is None:  # their names are seen, too
            marks = np.array([mark[:3] for mark in self._shown[1].marks]).reshape(-1, 3)
        further = np.concatenate([lines, corners, marks])
        points = np.concatenate([points, further])
        radii = np.concatenate([radii, np.zeros(len(further))])
        some = camera.outermost_points(points)
        name = "" if self._shown is None else self._shown[1].name
        framed = self._frame is not None or name in TREE_LAYOUTS
        ring = camera.RING_MARGINS if name in camera.NUMBERED_AROUND else camera.MARGINS
        if self.planes is not None:
            several = self.planes.counted >= 0
            ring = camera.PLANES_MARGINS if several else camera.ONLY_PLANE_MARGINS
        return camera.SceneExtent(
            home=self._home,
            places=ranks.places,
            reach=ranks.reach,
            points=points[some],
            radii=radii[some],
            margins=camera.FRAMED_MARGINS if framed else ring,
            has_inset=self.map is not None
            or (self.planes is not None and len(self.planes.dims) == 3),
        )

    def axis_labels(self) -> list[Label]:
        """Names and numbers of axes, of levels and of units, where they are seen."""
        return self._written()[0]

    def axis_lines(self) -> list[AxisLine]:
        """Lines of axes, and leaders from their names, where they are seen."""
        return self._written()[1]

    def _written(self) -> tuple[list[Label], list[AxisLine]]:
        key = (self.pose, self.size, self._camera.below, self._shown, self._frame)
        if key != self._words[0]:
            self._words = key, *self._write_axes()
        return self._words[1:]

    def _write_axes(self) -> tuple[list[Label], list[AxisLine]]:
        if self._shown is None or self._ranks is None:
            return [], []
        pose, size = self.pose, self.size
        match, layout = self._shown
        if self._frame is not None:
            axes, body = self._frame.axes(pose, size), self._frame.body(pose, size)
        else:
            surface = None if self._paths is None else self._paths.surface
            reach = 0.0 if self.tiled else self.reach_pixels
            axes = curved_axes(layout, surface, pose, size, reach)
            body = np.zeros((0, 2))
            if axes:
                body = body_outline(self._solid[0], pose, size, reach)
        free = (size[0], size[1] - self._camera.below)  # the rest is the key's
        words = label_axes(axes, free, body)
        labels = words.labels
        if match.topology.kind == "tree" and layout.name in TREE_LAYOUTS:
            labels += tree_labels(match, layout, pose, size, self.reach_pixels)
        labels += vertex_labels(match, layout, pose, size, self.reach_pixels)
        labels = self._off_ranks(labels)
        if layout.shape != "planes":  # whose names are painted with their frames
            labels += layout_labels(layout.marks, pose, size)
        return labels, words.lines

    def _off_ranks(self, labels: list[Label]) -> list[Label]:
        """Move words off ranks, unless there are very many."""
        shown = np.flatnonzero(self.visible).astype(np.int32)
        if self._ranks is None or len(shown) > MAX_RANKS_SPARED:
            return labels
        unit = camera.pixels_per_unit(
            self.pose, self._ranks.places[shown], self.size[1]
        )
        return off_ranks(labels, self.project(shown), self._ranks.reach * unit)

    @property
    def _solid(self) -> tuple[model.Floats, model.Floats]:
        """Points that the ranks lie within, about: the outermost of very many.

        And radii about them.
        """
        assert self._ranks is not None
        if self._outer is None:
            if self._measure is not None and self._ranks.whole:
                self._outer = self._ranks.bounds_of(self._measure.outermost)
            else:
                points, radii = self._ranks.bounds
                some = camera.outermost_points(points)
                self._outer = points[some], radii[some]
        return self._outer

    @property
    def _depths(self) -> tuple[float, float]:
        seen = self._seen()
        return seen.near, seen.far

    def _seen(self, pose: model.Pose | None = None) -> DepthView:
        pose = pose or self.pose
        if self._ranks is None or not self.ranks:
            return DepthView(pose, self.size, 1.0, 2 * pose.distance)
        places = self._ranks.places
        if self._measure is not None:
            places = places[self._measure.outermost]
        far = camera.depths(pose, places)
        return DepthView(pose, self.size, float(far.min()), float(far.max()))
