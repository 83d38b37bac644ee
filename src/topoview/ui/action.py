"""A row of the table of actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topoview.ui import conditions as given

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


@dataclass(frozen=True, slots=True)
class Action:
    """A thing that the user can do.

    Attributes
    ----------
    name
        Unique identifier.
    text
        What it is called in menus, palette and help.
    run
        Does it, in a window.
    keys
        Shortcuts, apart by spaces; the first one is shown.
    icon
        Name in the table of icons.
    when
        Whether it makes sense now.
    on
        Whether it is on, for those that are on or off.
    words
        Further words that the palette finds it by.
    """

    name: str
    text: str
    run: Callable[[MainWindow], None]
    keys: str = ""
    icon: str = ""
    when: Callable[[MainWindow], bool] = given.has_trace
    on: Callable[[MainWindow], bool] | None = None
    words: str = ""


LINE = "-"
"""Between groups of actions in a menu."""
