"""The window's whole state, and the one place that changes it."""

from topoview.session.choices import Choice, choices, shown_choice, shown_match
from topoview.session.holder import Session
from topoview.session.state import Opening, Selection, State, View

__all__ = [
    "Choice",
    "Opening",
    "Selection",
    "Session",
    "State",
    "View",
    "choices",
    "shown_choice",
    "shown_match",
]
