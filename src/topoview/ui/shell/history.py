"""Back and forward through the time windows that were zoomed to."""

from time import monotonic

from topoview.session import Session, State

Window = tuple[int, int]

STEP_PAUSE_SECONDS = 0.6
"""Seconds without a change after which the next one is a step of its own."""

MAX_STEPS = 100


class ZoomHistory:
    """Remembers the time windows that were shown.

    Changes that follow each other quickly (a turning wheel) are one step;
    those that playing makes are none. A new trace begins a new history.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._undo: list[Window] = []
        self._redo: list[Window] = []
        self._changed = -STEP_PAUSE_SECONDS
        self._moving = False
        session.subscribe(self._watch, to=("analysis", "window"))

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier window."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a step has been undone."""
        return bool(self._redo)

    def undo(self) -> None:
        """Show the window before the last step."""
        if self._undo:
            self._redo.append(self._session.state.window)
            self._show(self._undo.pop())

    def redo(self) -> None:
        """Take back an undo."""
        if self._redo:
            self._undo.append(self._session.state.window)
            self._show(self._redo.pop())

    def _show(self, window: Window) -> None:
        self._moving = True
        try:
            self._session.update(window=window)
        finally:
            self._moving = False
        self._changed = -STEP_PAUSE_SECONDS

    def _watch(self, old: State, new: State) -> None:
        before = old.analysis.trace if old.analysis else None
        after = new.analysis.trace if new.analysis else None
        if before is not after:
            self._undo.clear()
            self._redo.clear()
            return
        if old.window == new.window or self._moving or new.playing:
            return
        now = monotonic()
        if now - self._changed > STEP_PAUSE_SECONDS:
            self._undo.append(old.window)
            del self._undo[:-MAX_STEPS]
            self._redo.clear()
        self._changed = now
