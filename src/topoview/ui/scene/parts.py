"""A frame that takes long, drawn part after part so that the window does not stall."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from topoview.scene.frame_parts import Part


class PartDrawing(QObject):
    """Draws a VTK window's only renderer in some turns of the event loop.

    Each part is drawn over those before it, with their depths: opaque things look as
    if they were drawn at once. Between the turns everything is as it was.

    Signals
    -------
    done
        All are drawn; in how many seconds.
    """

    done = Signal(float)

    def __init__(self, window: Any, renderer: Any, parent: QObject) -> None:  # noqa: ANN401
        super().__init__(parent)
        self._window, self._renderer = window, renderer
        self._parts: list[Part] = []
        self._first, self._seconds = True, 0.0
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._draw)

    @property
    def busy(self) -> bool:
        """Whether parts are still to be drawn."""
        return bool(self._parts)

    def start(self, parts: Sequence[Part]) -> None:
        """Begin; each part is entered while it is drawn."""
        self._parts, self._first, self._seconds = list(parts), True, 0.0
        self._next.start()

    def stop(self) -> None:
        """Give the rest up."""
        self._parts = []
        self._next.stop()

    def close(self) -> None:
        """Give the rest up, and let the window go."""
        self.stop()
        self._window = self._renderer = None

    def _draw(self) -> None:
        if not self._parts:
            return
        begin = perf_counter()
        blurs = bool(self._renderer.GetUseFXAA())
        part = self._parts.pop(0)
        self._keep(kept=not self._first)
        self._renderer.SetUseFXAA(blurs and not self._parts)
        with part():
            self._window.Render()
        self._renderer.SetUseFXAA(blurs)
        self._keep(kept=False)
        self._first = False
        self._seconds += perf_counter() - begin
        if self._parts:
            self._next.start()
        else:
            self.done.emit(self._seconds)

    def _keep(self, *, kept: bool) -> None:
        """Draw over what is drawn, or begin anew."""
        self._renderer.SetPreserveColorBuffer(kept)
        self._renderer.SetPreserveDepthBuffer(kept)
