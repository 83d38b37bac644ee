"""The one place that changes the state."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from topoview.session.state import Selection, State

Subscriber = Callable[[State, State], None]


class Session:
    """Holds the `State`, replaces it, and tells the views.

    A view is called with the old and the new state. One that updates the
    session meanwhile has its change told after the present one has reached
    every view, so that all see the same sequence of states. One that fails does
    not keep the others from it: its exception is raised when all have been told.
    """

    def __init__(self) -> None:
        self.state = State()
        self._subscribers: list[Subscriber] = []
        self._pending: deque[tuple[State, State]] = deque()
        self._telling = False

    def subscribe(self, view: Subscriber) -> Callable[[], None]:
        """Call `view` at every change; returns what ends that."""
        self._subscribers.append(view)
        return lambda: self._subscribers.remove(view)

    def update(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Replace fields of the state; nothing happens if none changes."""
        old = self.state
        if all(getattr(old, name) == value for name, value in changes.items()):
            return
        self.state = replace(old, **changes)
        self._pending.append((old, self.state))
        if self._telling:
            return
        self._telling = True
        faults: list[Exception] = []
        while self._pending:
            before, after = self._pending.popleft()
            for view in tuple(self._subscribers):
                try:
                    view(before, after)
                except Exception as fault:  # noqa: BLE001 - raised below
                    faults.append(fault)
        self._telling = False
        if faults:
            raise faults[0]

    def view(self, **changes: Any) -> None:  # noqa: ANN401 - fields of View
        """Replace fields of the view options."""
        self.update(view=replace(self.state.view, **changes))

    def show(self, **changes: Any) -> None:  # noqa: ANN401 - fields of View
        """Show another match or layout: ranges of the old one's dimensions go."""
        view = self.state.view
        kept = {"geometry": view.geometry.elsewhere}
        if "match" in changes:
            kept["second_geometry"] = view.second_geometry.elsewhere
        self.view(**kept, **changes)

    def select(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select; what is not named is deselected."""
        self.update(selection=Selection(**changes))

    def choose(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select calls or messages; ranks and a stretch of time stay selected."""
        now = self.state.selection
        kept = Selection(ranks=now.ranks, window=now.window)
        self.update(selection=replace(kept, **changes))
