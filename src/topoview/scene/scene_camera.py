"""The camera of a scene: where it stands, and how VTK's follows it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from topoview.model import Floats
from topoview.scene.camera import CAMERAS, FIELD_OF_VIEW, HALF, HOMES, Margins, Pose
from topoview.scene.framing import clearest, fit

SEARCHED = ("torus", "tube", "graph", "star")
"""Homes about which a direction is searched in which few ranks hide others."""

MARGINS = Margins()
FRAMED = Margins(bottom=84.0)
"""Margins of scenes with names of coordinates around them."""


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """What the camera must see.

    Attributes
    ----------
    home
        Form in `HOMES`.
    places, reach
        Places of the ranks, and how far their glyphs reach.
    points, radii
        Points that must be seen, and radii about them: shapes (n, 3) and (n,).
    framed
        Whether there are names of coordinates around it.
    """

    home: str
    places: Floats
    reach: float
    points: Floats
    radii: Floats
    framed: bool


NOTHING = Extent(
    "box", np.zeros((0, 3)), 1.0, np.zeros((0, 3)), np.zeros(0), framed=False
)


class SceneCamera:
    """Moves the camera of a renderer; knows the view's size in pixels."""

    def __init__(self, renderer: Any, size: tuple[float, float]) -> None:  # noqa: ANN401
        self._renderer = renderer
        self.size = size
        self.below = 0.0  # pixels that are to be free at the lower end, too
        self.pose = Pose(*HOMES["box"], 10.0, (0.0, 0.0, 0.0))
        self._last: tuple[Extent, tuple[object, ...], Pose] | None = None

    def place(self, pose: Pose, near: float, far: float) -> None:
        """Take a pose; what there is to see lies between two depths."""
        self.pose = pose
        camera = self._renderer.GetActiveCamera()
        camera.SetFocalPoint(*pose.focal)
        camera.SetPosition(*pose.eye)
        camera.SetViewUp(*pose.axes[1])
        camera.SetViewAngle(FIELD_OF_VIEW)
        camera.SetWindowCenter(-pose.shift[0], -pose.shift[1])
        camera.SetParallelProjection(pose.parallel)
        camera.SetParallelScale(pose.distance * HALF)
        span = max(far - near, 1.0)
        camera.SetClippingRange(
            max(near - span - 2, 0.01 * pose.distance), far + span + 2
        )

    def look(self, name: str, extent: Extent) -> Pose:
        """Pose of a camera of `CAMERAS` that shows everything."""
        angles = CAMERAS[name]
        if angles is None:
            angles = HOMES[extent.home]
            if extent.home in SEARCHED:
                angles = clearest(extent.places, extent.reach, *angles)
        return self._fitted(*angles, extent)

    def fitted(self, extent: Extent, side: Pose | None = None) -> Pose:
        """Pose that shows everything from where the camera is, or another one was."""
        side = side or self.pose
        return self._fitted(
            side.azimuth, side.elevation, extent, parallel=side.parallel
        )

    def _fitted(
        self,
        azimuth: float,
        elevation: float,
        extent: Extent,
        *,
        parallel: bool | None = None,
    ) -> Pose:
        """Fit; the last answer is kept, as what is shown anew asks more than once."""
        parallel = self.pose.parallel if parallel is None else parallel
        margins = FRAMED if extent.framed else MARGINS
        margins = replace(margins, bottom=margins.bottom + self.below)
        asked = (azimuth, elevation, self.size, margins, parallel)
        last = self._last
        if last is not None and last[0] is extent and last[1] == asked:
            return last[2]
        pose = fit(
            extent.points,
            extent.radii,
            azimuth,
            elevation,
            self.size,
            margins,
            parallel=parallel,
        )
        self._last = extent, asked, pose
        return pose
