"""A row of the table of actions, what actions get, and conditions for them.

An action is a function that takes a `Context` last. Most rows are radio buttons and
switches on one field of the state: `choice` and `flag` make them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from topoview.session import Selection, Session, State, trace_notes

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from topoview.model import Analysis, Table
    from topoview.ui.panels.scene.view import SceneView
    from topoview.ui.playback import Playback
    from topoview.ui.settings import Settings
    from topoview.ui.shell.history import History
    from topoview.ui.shell.opening import Opener
    from topoview.ui.widgets.panel import Panel


class Panels(Protocol):
    """Scene and panels of the window."""

    used: str
    """Name of the panel that was used last."""

    def panel(self, name: str) -> Panel:
        """Return the widget of a panel."""

    def listing(self) -> Table | None:
        """Return the table of the panel that was used last; None if it has none."""

    @property
    def views(self) -> str:
        """Which of scene and timeline are shown: ``scene``, ``both``, ``timeline``."""

    def show_views(self, views: str) -> None:
        """Show the scene only, both, or the timeline only."""

    @property
    def active(self) -> SceneView | None:
        """The view of the ranks that actions are about; None without a 3D scene."""

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""

    def is_open(self, name: str) -> bool:
        """Return whether a panel is open."""

    def open_panel(self, name: str, *, shown: bool) -> None:
        """Open or close a panel."""

    def focus(self, name: str) -> None:
        """Move the keyboard to a panel."""

    def arrange(self) -> None:
        """Put all panels where they are at first."""


@dataclass(frozen=True, slots=True)
class Context:
    """What actions work with."""

    session: Session
    settings: Settings
    """`session` and `settings`: the state, and what is remembered from one run to the
    next."""
    opener: Opener
    playback: Playback
    history: History
    """`opener`, `playback` and `history`: opening traces, playing, undoing what was
    changed."""
    say: Callable[[str], None]
    """Shows a short message in the status bar."""
    show: Callable[[str], None]
    """Shows a part of the window by its name: a key of `MainWindow.parts`."""
    panels: Callable[[], Panels | None]
    """Scene and panels, None until they have been loaded."""
    window: QWidget
    """Parent of dialogs."""

    @property
    def state(self) -> State:
        """The session's state."""
        return self.session.state

    @property
    def scene(self) -> SceneView | None:
        """The view of the ranks that actions are about, None before there is any."""
        panels = self.panels()
        return None if panels is None else panels.active


Run = Callable[[Context], Any]
Condition = Callable[[Context], bool]

# When an action makes sense


def always(_: Context) -> bool:
    """Return True: the action always makes sense."""
    return True


def has_trace(c: Context) -> bool:
    """Return whether a trace is shown."""
    has_analysis = c.state.analysis is not None and c.panels() is not None
    return has_analysis and not c.state.derived.is_page_shown


def has(part: Callable[[Analysis], object]) -> Condition:
    """Return the condition that a trace is shown, and that this is there of it."""

    def there(c: Context) -> bool:
        analysis = c.state.analysis
        return has_trace(c) and analysis is not None and bool(part(analysis))

    return there


has_match = has(lambda analysis: analysis.identification)
"""Whether the topology has been identified."""
has_logical = has(lambda analysis: analysis.logical)
"""Whether there is a logical trace."""
has_critical_path = has(lambda analysis: analysis.critical_path)
"""Whether the critical path is known."""
has_digest = has(lambda analysis: analysis.trace.digest)
"""Whether a digest is shown, which lacks most events."""


def has_scene(c: Context) -> bool:
    """Return whether the ranks are shown in 3D."""
    return has_match(c) and c.scene is not None


def has_selection(c: Context) -> bool:
    """Return whether anything is selected or in focus."""
    state = c.state
    return state.selection != Selection() or bool(state.picked or state.focus)


def has_selected_time(c: Context) -> bool:
    """Return whether a time interval is selected."""
    return has_trace(c) and c.state.selection.window is not None


def has_notes(c: Context) -> bool:
    """Return whether there are notes on the trace."""
    return has_trace(c) and bool(trace_notes(c.state))


def has_health(c: Context) -> bool:
    """Return whether it is known how completely the trace was read."""
    analysis = c.state.analysis
    return analysis is not None and analysis.trace.health is not None


def is_zoomed(c: Context) -> bool:
    """Return whether the timeline shows less than the whole run."""
    analysis = c.state.analysis
    if analysis is None or not has_trace(c):
        return False
    return c.state.window != analysis.trace.clock.whole


@dataclass(frozen=True, slots=True)
class Action:
    """A thing that the user can do."""

    name: str
    """Unique identifier."""
    text: str
    """What it is called in menus, palette and help."""
    run: Run
    """Does it."""
    keys: str = ""
    """Shortcuts, apart by spaces; the first one is shown."""
    when: Condition = has_trace
    """Whether it makes sense now."""
    on: Condition | None = None
    """Whether it is on, for those that are on or off."""
    icon: str = ""
    """Name in the table of icons."""
    words: str = ""
    """Further words that the palette finds it by; `table.SEARCH_WORDS` has those of
    single actions."""


@dataclass(frozen=True, slots=True)
class Later:
    """Does what a function says whose module is imported when it is done first."""

    path: str
    """Module in `topoview.ui`, and the function: ``export.listing.copy_csv``."""

    @property
    def function(self) -> Run:
        """Import it."""
        module, _, name = self.path.rpartition(".")
        function: Run = getattr(import_module(f"topoview.ui.{module}"), name)
        return function

    def __call__(self, context: Context) -> None:
        """Call it."""
        self.function(context)


SEPARATOR = "-"
"""Between groups of actions in a menu."""

Menu = tuple[Action | str, ...]
"""Actions, separators, and names of menus within."""

# Switches and radio buttons on a field of the state


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Something that the user chooses: how it is read, and how it is changed."""

    get: Callable[[Context], Any]
    put: Callable[[Any, Context], Any]


def field(name: str, of: str | type = "scene") -> Setting:
    """Return a field of a part of the state; of the state itself if `of` is empty."""

    def get(c: Context) -> Any:  # noqa: ANN401 - any field's
        return getattr(c.state.part(of) if of else c.state, name)

    def put(value: Any, c: Context) -> None:  # noqa: ANN401
        if of:
            c.session.change(of, **{name: value})
        else:
            c.session.update(**{name: value})

    return Setting(get, put)


@dataclass(frozen=True, slots=True)
class HasValue:
    """Condition that a setting has a value."""

    setting: Setting
    value: object

    def __call__(self, context: Context) -> bool:
        """Return whether it has."""
        return bool(self.setting.get(context) == self.value)


def switch(setting: Setting, c: Context) -> None:
    """Turn something on or off."""
    setting.put(not setting.get(c), c)


def flag(  # noqa: PLR0913 - a row
    name: str,
    text: str,
    keys: str = "",
    setting: Setting | None = None,
    when: Condition = has_trace,
    icon: str = "",
    words: str = "",
) -> Action:
    """Return an action that is on or off: by default the scene's option of its name."""
    of = setting or field(name)
    run, on = partial(switch, of), HasValue(of, True)
    return Action(
        name=name,
        text=text,
        run=run,
        keys=keys,
        when=when,
        on=on,
        icon=icon,
        words=words,
    )


def choice(  # noqa: PLR0913 - a row
    name: str,
    texts: Mapping[str, str],
    words: str = "",
    setting: Setting | None = None,
    when: Condition = has_match,
    can: Callable[[str, Context], bool] | None = None,
    none: str = "none",
) -> tuple[Action, ...]:
    """Return radio buttons: by default of the scene's option of their name.

    Parameters
    ----------
    can
        Whether a single one of them makes sense now, in place of `when`.
    none
        What the empty choice is called in its action's name.
    """
    of = setting or field(name)
    return tuple(
        Action(
            f"{name}-{value or none}",
            text,
            partial(of.put, value),
            when=partial(can, value) if can else when,
            on=HasValue(of, value),
            words=words,
        )
        for value, text in texts.items()
    )
