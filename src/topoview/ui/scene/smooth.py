"""Draws a scene coarsely while it changes, and smoothly when it stands still."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from topoview.scene.detail import FULL, Detail, DetailRule
from topoview.scene.frame_parts import Part, frame_parts
from topoview.scene.topology_scene import TopologyScene
from topoview.ui.scene.canvas import OVERSAMPLED, SceneCanvas

AFTER = 200
"""Milliseconds after the last frame until a still picture is smoothed."""

MOST = 2000
"""Most ranks of which a still picture is smoothed."""


class SceneSmooth(QObject):
    """Draws a scene on its canvas, again and smoothly after a while.

    In a motion, which `move` begins and rest ends, detail is dropped as
    `DetailRule` finds by the time that frames take.

    Parameters
    ----------
    scene, canvas
        What is drawn, and where.
    again
        Called when edges and messages must be shown anew: there is more detail, or
        less.
    parent
        Owner.
    """

    def __init__(
        self,
        scene: TopologyScene,
        canvas: SceneCanvas,
        again: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._scene, self._canvas, self._again = scene, canvas, again
        self._rule = DetailRule()
        self._moving = self._fine = False
        self._spent, self._frames = 0.0, 0
        self._later = QTimer(self, singleShot=True, interval=AFTER)
        self._later.timeout.connect(self._smooth)
        canvas.rendered.connect(self._rendered)

    @property
    def busy(self) -> bool:
        """Whether what is drawn is still to be smoothed."""
        return self._later.isActive() or self._canvas.drawing

    def move(self) -> None:
        """Draw one of many frames, in as much detail as there is time for."""
        ranks = self._scene.ranks
        if not self._moving or self._rule.ranks != ranks:
            self._moving = True
            self._rule.begin(ranks)
        elif self._canvas.frames != self._frames:
            self._rule.took(self._spent)
        if self._canvas.frames != self._frames:
            self._spent, self._frames = 0.0, self._canvas.frames
        self._reduce(self._rule.detail)
        self.draw()

    def draw(self) -> None:
        """Draw in as much detail as before; what takes long at rest, in parts."""
        self._set_fine(fine=False)
        self._canvas.redraw_in_parts(() if self._moving else self._parts)
        self._later.start()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time of a block as the frame's."""
        begin = perf_counter()
        try:
            yield
        finally:
            self._spent += perf_counter() - begin

    def stop(self) -> None:
        """Leave it as it is."""
        self._later.stop()
        self._canvas.rendered.disconnect(self._rendered)

    def _rendered(self, seconds: float) -> None:
        self._spent += seconds
        if not self._moving and not self._fine and self._scene.detail == FULL:
            self._rule.rested(self._scene.ranks, seconds)
        if self._later.isActive():
            self._later.start()  # a slow frame is no rest

    def _reduce(self, detail: Detail) -> bool:
        if detail == self._scene.detail:
            return False
        self._scene.reduce(detail)
        self._again()
        return True

    def _smooth(self) -> None:
        if self._canvas.dragging:
            self._later.start()
            return
        self._moving = False
        restored = self._reduce(FULL)
        fine = self._scene.ranks <= MOST
        if restored or fine:  # else it is drawn already
            self._set_fine(fine=fine)
            self._canvas.redraw_in_parts(self._parts)

    @property
    def _parts(self) -> list[Part]:
        return frame_parts(self._canvas.renderer, self._scene.glyphs)

    def _set_fine(self, *, fine: bool) -> None:
        # each time: a scene that is filled anew has all detail without being told
        self._canvas.set_smooth(fine=fine, fast=not self._scene.detail.smooth)
        if fine != self._fine:
            self._fine = fine
            self._scene.enlarge(OVERSAMPLED if fine else 1.0)
