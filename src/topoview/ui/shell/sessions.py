"""Keeps the view of each trace from one time to the next, in the user's data."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from topoview.base.text import tr
from topoview.errors import SessionError
from topoview.session import VIEW_PARTS, Session, State, view_of
from topoview.ui.session_file import (
    forget_old_sessions,
    kept_path,
    load_session,
    save_session,
)

SAVE_MILLISECONDS = 3000
"""Milliseconds from a change until it is kept, with all that came meanwhile."""

RESTORED = tr("Restored your last view; Undo shows the first view")


class SessionKeeper(QObject):
    """Shows a trace as the user left it, and keeps how she leaves it.

    A view that nobody has changed is not kept: what is shown at first may be better
    the next time.

    Parameters
    ----------
    say
        Shows a short message.
    """

    def __init__(
        self, session: Session, say: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._say = session, say
        self._is_new = False
        self._soon = QTimer(self, singleShot=True, interval=SAVE_MILLISECONDS)
        self._soon.timeout.connect(lambda: self._keep(session.state))
        session.subscribe(self._follow, to=("analysis", *VIEW_PARTS))

    def _follow(self, old: State, new: State) -> None:
        before, after = old.trace, new.trace
        if before is after:
            is_own = not self._is_new and not self._session.is_adjusted
            if is_own and view_of(old) != view_of(new):
                self._soon.start()
            return
        if before is not None and self._soon.isActive():
            self._keep(old)
        self._soon.stop()
        if after is not None:
            self._is_new = True  # what follows is the first view, not the user's
            QTimer.singleShot(0, self._end_opening)
            self._restore(new)

    def _end_opening(self) -> None:
        self._is_new = False

    def _restore(self, state: State) -> None:
        analysis = state.analysis
        assert analysis is not None
        path = kept_path(analysis.trace)
        if not path.is_file():
            return
        try:
            view = load_session(path, analysis)
        except SessionError as error:
            QTimer.singleShot(0, partial(self._say, str(error)))
            return
        self._session.update(**view)
        QTimer.singleShot(0, partial(self._say, RESTORED))

    def keep(self) -> None:
        """Keep the view now, if it has changed since it was kept."""
        if self._soon.isActive():
            self._soon.stop()
            self._keep(self._session.state)

    def _keep(self, state: State) -> None:
        if state.analysis is None:
            return
        try:
            save_session(state, kept_path(state.analysis.trace))
        except SessionError as error:
            self._say(str(error))
        else:
            forget_old_sessions()
