"""Undo and redo: one history of all that the user changes in the view of a trace."""

from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from topoview.session import (
    UNDONE_PARTS,
    Selection,
    Session,
    State,
    parts_of,
    picked_by_selecting,
)

STEP_PAUSE_SECONDS = 0.6
"""Seconds without a change after which the next one is a step of its own."""

MAX_STEPS = 200

RELEASE_MILLISECONDS = 50
"""Milliseconds between two looks at whether the mouse is still held."""


class History(QObject):
    """Remembers the views that were shown: time, selection, camera, panels, ...

    What changes while the mouse is held is one step, and so is all that playing
    changes; so are changes of the same parts that follow each other quickly (a
    turning wheel, a key that is held). What only follows from other changes
    (`Session.adjust`) belongs to them. A new trace begins a new history.
    """

    turned = Signal()
    """There is something to undo or to redo, or no longer."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._undo: list[dict[str, Any]] = []
        self._redo: list[dict[str, Any]] = []
        self._parts: frozenset[str] = frozenset()
        self._changed = -STEP_PAUSE_SECONDS
        self._moving = self._held = self._played = False
        self._release = QTimer(self)
        self._release.setInterval(RELEASE_MILLISECONDS)
        self._release.timeout.connect(self.look_at_mouse)
        session.subscribe(self._watch, to=("analysis", *UNDONE_PARTS))

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier view."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a step has been undone."""
        return bool(self._redo)

    def undo(self) -> None:
        """Show the view before the last step."""
        if self._undo:
            self._redo.append(parts_of(self._session.state, UNDONE_PARTS))
            self._show(self._undo.pop())

    def redo(self) -> None:
        """Redo what was undone."""
        if self._redo:
            self._undo.append(parts_of(self._session.state, UNDONE_PARTS))
            self._show(self._redo.pop())

    def correct_first(self, changes: dict[str, Any]) -> None:
        """Change the first view of a trace, of which more is known by now."""
        if not self._undo:
            return
        first = self._undo[0]
        first |= {name: it for name, it in changes.items() if name in UNDONE_PARTS}
        first["picked"] = picked_by_selecting(
            Selection(), first["selection"], first["picked"]
        )

    def _show(self, view: dict[str, Any]) -> None:
        self._moving = True
        try:
            self._session.update(playing=False, **view)
        finally:
            self._moving = False
        self._end_step()
        self.turned.emit()

    def _end_step(self) -> None:
        self._parts = frozenset()
        self._held = self._played = False

    def _watch(self, old: State, new: State) -> None:
        before, after = old.trace, new.trace
        if before is not after:
            self._undo.clear()
            self._redo.clear()
            self._end_step()
            self.turned.emit()
            return
        if after is None or self._moving or self._session.is_adjusted:
            return
        changed = (n for n in UNDONE_PARTS if getattr(old, n) != getattr(new, n))
        parts = frozenset(changed)
        if not parts:
            return
        now, is_held = monotonic(), is_mouse_held()
        is_soon = now - self._changed <= STEP_PAUSE_SECONDS
        goes_on = self._held or (self._played and old.playing)
        if not (self._parts and (goes_on or (is_soon and parts == self._parts))):
            self._undo.append(parts_of(old, UNDONE_PARTS))
            del self._undo[:-MAX_STEPS]
            self._redo.clear()
            self.turned.emit()
        self._parts, self._changed = parts, now
        self._held, self._played = is_held, old.playing or new.playing
        if is_held:
            self._release.start()

    def look_at_mouse(self) -> None:
        """End the step of a drag when the mouse is let go."""
        if not is_mouse_held():
            self._release.stop()
            self._end_step()


def is_mouse_held() -> bool:
    """Return whether a button of the mouse is pressed."""
    return QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
