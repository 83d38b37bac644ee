"""The 3D scene: ranks at their places, edges between them, messages in flight."""

from typing import Any

import numpy as np
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import (
    CommunicationMatrix,
    Floats,
    Geometry,
    Indices,
    Layout,
    Match,
)
from topoview.scene.camera import Pose
from topoview.scene.chain_lines import ChainLines
from topoview.scene.detail import FEW, FULL, Detail
from topoview.scene.forms import form_of, home_of
from topoview.scene.lattice_frame import LatticeFrame
from topoview.scene.message_lines import MessageLines
from topoview.scene.message_looks import NONE, Flying
from topoview.scene.palette import THEMES, rgb
from topoview.scene.parts import light
from topoview.scene.paths import Paths
from topoview.scene.ranks.parts import VANISH, RankParts
from topoview.scene.scene_camera import SceneCamera
from topoview.scene.scene_sight import SceneSight
from topoview.scene.shading import Shading
from topoview.scene.slices import flying_inside, inside_of, pairs_inside
from topoview.scene.traffic_lines import Traffic, TrafficLines

PLAIN = Geometry()

NO_CHAINS = (np.zeros((0, 2), np.int32),) * 3


class TopologyScene(SceneSight):
    """Draws ranks in the shape of their topology on any pyvista plotter.

    It holds no state of the program: what it shows is told, and what is not told
    again stays. Pixels are those of the view, `ratio` of the device's.

    Parameters
    ----------
    plotter : pyvista.BasePlotter
        Whose first renderer it draws in; it removes lights and camera habits.
    theme
        ``light`` or ``dark``.
    size
        Width and height of the view in pixels.
    ratio
        Device pixels a pixel.
    """

    def __init__(
        self,
        plotter: Any,  # noqa: ANN401 - pyvista's plotters have no common type
        theme: str = "light",
        size: tuple[float, float] = (960.0, 640.0),
        ratio: float = 1.0,
    ) -> None:
        self._renderer = plotter.renderer
        plotter.camera_set = True  # or its first frame would move the camera
        self._theme = THEMES[theme]
        super().__init__(SceneCamera(self._renderer, size))
        self.ratio = ratio
        self.detail = FULL
        self._messages = MessageLines()
        self._chains = ChainLines()
        self._traffic = TrafficLines()
        self._walls = self._vanish = False
        self._renderer.RemoveAllLights()
        self._renderer.AutomaticLightCreationOff()
        self._renderer.AddLight(light())
        for actor in self._lines:
            self._renderer.AddActor(actor)
        self._paint()

    def close(self) -> None:
        """Take everything out of the renderer."""
        self.clear()
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
        self._shown = self._to_see = None
        for actor in self._lines:
            actor.VisibilityOff()

    def show(
        self,
        match: Match,
        layout: Layout,
        matrix: CommunicationMatrix,
        geometry: Geometry = PLAIN,
    ) -> None:
        """Draw the ranks of a match at the places of a layout, seen from its home."""
        self.clear()
        self._shown = match, layout
        self.detail = FULL
        self._paths = Paths(layout, match, geometry)
        form = form_of(layout, self._paths.surface)
        self._home = home_of(layout, form)
        self._ranks = RankParts(
            layout, match, self._paths.surface, form, copies=geometry.copies
        )
        for actor in self._ranks.actors:
            self._renderer.AddActor(actor)
        found = self._paths.grid
        if found is not None and LatticeFrame.suits(found):
            self._frame = LatticeFrame(found)
            self._renderer.AddActor(self._frame.lines.actor)
        self.edges.show(self._paths, match, matrix, form, self.ratio)
        self._paint()
        self.slice(geometry)
        self.look_with(self.look("home"))

    def slice(self, geometry: Geometry) -> None:
        """Show what is in the ranges of a geometry."""
        if self._ranks is None or self._shown is None:
            return
        self._to_see = None
        match, layout = self._shown
        inside = inside_of(layout, match, geometry)
        shown = np.ones(self.ranks, bool) if inside is None else inside
        self._ranks.restrict(shown, ghosts=geometry.outside == "ghosts")
        self.edges.restrict(inside)
        if self._frame is not None:
            self._frame.restrict(geometry.ranges)
        self._words, self._outer = (None, []), None
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
        for actor in () if after is None else after.actors:
            self._renderer.AddActor(actor)

    def colour(self, shading: Shading) -> None:
        """Colour all ranks; those that do not stand out shrink, or vanish."""
        if self._ranks is not None:
            self._ranks.colour(shading, self.ratio)
            self._vanish = shading.stands_out is not None and self.ranks > VANISH
            self._rule()

    def _rule(self) -> None:
        """Rule the walls of a solid lattice whose ranks are not all drawn."""
        if self._ranks is not None:
            part = self._vanish or not self._ranks.inside.all()
            self._walls = part and self._ranks.form.name == "box"
            self._place_walls()

    def displace(self, places: Floats | None) -> None:
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
            self.show_messages(NONE)
            self.show_chains(NO_CHAINS)

    def set_theme(self, theme: str) -> None:
        """Take the colours of a theme."""
        self._theme = THEMES[theme]
        self._paint()

    def show_edges(self, *, shown: bool) -> None:
        """Draw the edges or leave them out."""
        shown = shown and self.detail.edges
        self.edges.visible(shown=shown and self._ranks is not None)

    def select_edges(self, edges: Indices | None) -> None:
        """Draw the ways between pairs of ranks in ink: int32, shape (n, 2)."""
        if self._paths is not None:
            self.edges.select(edges, self.ratio)

    @property
    def _thickness(self) -> float:
        """Factor for the widths of lines: less where ranks are near to each other."""
        return self.ratio * float(np.clip(self._unit / 48, 0.5, 1.0))

    def show_messages(self, flying: Flying, *, comets: bool = False) -> None:
        """Draw messages in flight."""
        if self._paths is None or self._ranks is None:
            return
        flying = flying if self.detail.messages else NONE
        reach = self._ranks.reach
        flying = flying_inside(flying, self._ends)
        self._messages.show(self._paths, flying, reach, self._thickness, comets=comets)

    def show_chains(self, pairs: tuple[Indices, ...]) -> None:
        """Draw who waits for whom: pairs of ranks for each kind of `ChainLines`."""
        if self._paths is not None and self._ranks is not None:
            pairs = pairs if self.detail.messages else NO_CHAINS
            seen = tuple(pairs_inside(some, self._ends) for some in pairs)
            self._chains.show(self._paths, seen, self.ratio)

    def show_traffic(self, traffic: Traffic | None) -> None:
        """Draw the traffic of a window instead of the edges; None: not."""
        if self._paths is not None and self._ranks is not None:
            traffic = traffic if self.detail.edges else None
            if traffic is not None:
                traffic = traffic.between(self._ends)
            self._traffic.show(self._paths, traffic, self._thickness)
            self.edges.give_way(gives=traffic is not None)

    def look_with(self, pose: Pose) -> None:
        """Move the camera; depths fade anew."""
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
        if self._ranks is not None and self.ranks > FEW:
            self._ranks.move(self._seen(), self.ratio, moving=not detail.glyphs)

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
