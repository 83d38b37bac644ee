"""How each form of layout is drawn: glyph, sizes, fading, edges."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Floats, Ints, Layout, Match, nearest_distances
from topoview.scene.camera import outermost_points
from topoview.scene.ranks.glyphs import GlyphShape, ball, rounded_box
from topoview.scene.ranks.surfaces import Surface, fit_surface

MAX_BALLS = 256
"""Most ranks on a torus or a tube that are drawn as balls; more are tiles."""


BALL_LEVELS = ((300, 3), (2000, 2), (20_000, 1), (np.inf, 0))
"""Numbers of balls, and how finely up to so many are drawn."""

BALL_SIZE_IN_SPACE = 0.75
"""Size of balls that fill space, of that in a plane: they hide each other."""


FLAT_HEIGHT, FLAT_BEVEL = 0.01, 1e-4
"""Height and bevel of a rank in a plane: it has no light and shade."""

LEAST_GAPPED = 6
"""Pixels of a rank in a plane from which on there is one between ranks."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a form of layout is drawn."""

    name: str
    """Name in `FORMS`."""
    home: str
    """Form in `camera.HOMES` that it is seen from."""
    size: float
    """Size of a glyph, neighbours being 1 apart."""
    fade_compute: float
    fade_state: float
    fade_edge: float
    """`fade_compute`, `fade_state` and `fade_edge`: share of the background in the
    colour of what is furthest."""
    edge_width: float
    edge_strength: float
    """`edge_width` and `edge_strength`: pixels, and share of the edge colour in it."""
    halo: bool = False
    """Whether glyphs are parted by a hull in the background's colour."""
    shrinks: float = 0.0
    """Power of the chosen shrinking that ranks which compute have: 1 where they hide
    others behind them, less on surfaces, 0 in the plane."""

    def size_computing(self, shrink: float, ranks: int) -> float:
        """Share of its size that a rank has which computes, of so many ranks."""
        return shrink**self.shrinks if ranks <= MAX_RANKS_RESIZED else 1.0


MAX_RANKS_RESIZED = 300_000
"""Most ranks of which each is drawn in a size of its own while time runs: which of
more is seen in a pixel would have to be found anew in each frame."""


FORMS = {
    form.name: form
    for form in (
        Form("box", "box", 0.5, 0.25, 0.12, 0.5, 1.5, 0.8, halo=True, shrinks=1.0),
        Form("flat", "flat", 1.0, 0.2, 0.2, 0.2, 1.2, 0.6),
        Form("planes", "planes", 1.0, 0.0, 0.0, 0.0, 1.2, 0.6),
        Form("torus", "torus", 0.47, 0.55, 0.22, 0.8, 1.6, 1.0, shrinks=0.5),
        Form("tube", "tube", 0.5, 0.55, 0.22, 0.8, 1.6, 1.0, shrinks=0.5),
        Form("tiles", "torus", 1.0, 0.0, 0.0, 0.0, 1.2, 0.5),
        Form("graph", "graph", 0.5, 0.4, 0.22, 0.6, 1.4, 0.9, shrinks=0.5),
        Form("star", "star", 0.5, 0.3, 0.22, 0.4, 1.3, 1.0, shrinks=0.5),
    )
}


def choose_form(layout: Layout, surface: Surface | None) -> Form:
    """Choose the form of a layout."""
    if layout.shape == "sphere":
        return FORMS["tiles"]
    if surface is not None:
        return FORMS[layout.shape if len(surface.on) <= MAX_BALLS else "tiles"]
    if layout.shape == "planes":
        return FORMS["planes"]
    if layout.shape == "lattice":
        flat = not len(layout.positions) or np.ptp(layout.positions[:, 2]) < 1e-3
        return FORMS["flat" if flat else "box"]
    return FORMS["star" if layout.shape == "star" else "graph"]


def home_camera(layout: Layout, form: Form) -> str:
    """Form in `camera.HOMES` whose camera suits a layout."""
    if form.name == "tiles":
        return layout.shape
    if form.home not in ("graph", "flat"):
        return form.home
    # a column after the other: of all at once NumPy is slow
    extent = [np.ptp(axis) if len(axis) else 0.0 for axis in layout.positions.T]
    if extent[2] < 1e-3:
        return "line" if extent[1] < 1e-3 else "flat"
    if extent[1] < 1e-3:
        return "upright"
    return form.home


def glyph_shape(form: Form, count: int) -> GlyphShape:
    """Glyph of a form; coarser for many ranks."""
    if form.name == "flat":
        return rounded_box().scaled(0.5, 0.5, 0.22)
    if form.name == "planes":
        return rounded_box(FLAT_BEVEL).scaled(1.0, 1.0, FLAT_HEIGHT)
    if form.name == "box":
        return rounded_box()
    return ball(next(level for most, level in BALL_LEVELS if count <= most))


def glyph_sizes(form: Form, layout: Layout, match: Match, spacing: float) -> Floats:
    """Size of each rank's glyph: shape (ranks,)."""
    sizes = np.full(len(layout.positions), form.size)
    if form.name == "planes":
        gap = 1 / layout.cell if layout.cell >= LEAST_GAPPED else 0.0
        return sizes - gap
    if form.name in ("flat", "box"):
        return sizes
    sizes *= spacing
    if form.name == "graph" and np.ptp(layout.positions[:, 2]) > 1e-3:
        sizes *= BALL_SIZE_IN_SPACE
    if form.name == "star":
        sizes[match.coordinates[:, 0] == 0] = 0.9
    return sizes


@dataclass(frozen=True, slots=True, eq=False)
class LayoutMeasure:
    """What takes long to find of a layout of many ranks."""

    outermost: Ints
    """int64, shape (n,): ranks that lie furthest in some direction."""
    spacing: float
    """Distance that glyphs must share: the tenth that are nearest, within bounds."""


def measure_layout(layout: Layout, match: Match) -> LayoutMeasure:
    """Measure a layout; not in the window's thread if there are many ranks."""
    places = layout.positions.astype(np.float64)
    outermost = outermost_points(places)
    surface = fit_surface(layout, (match.vertex >= 0) | layout.free)
    if choose_form(layout, surface).name in ("flat", "box", "planes"):
        return LayoutMeasure(outermost, 1.0)
    near = places if surface is None else places[surface.on]
    return LayoutMeasure(outermost, _measure_spacing(near))


def _measure_spacing(places: Floats) -> float:
    if len(places) < 2:
        return 1.0
    near = nearest_distances(places)
    least = 0.035 * float(np.linalg.norm(np.ptp(places, axis=0)))
    return float(min(1.0, max(np.percentile(near, 10), least)))
