"""Actions on files, pictures, panels, camera, matches and the logical trace."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QProcess, QProcessEnvironment, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QInputDialog

from topoview.base.resources import demo_trace
from topoview.base.text import plural, tr
from topoview.errors import TopoviewError
from topoview.live.colourings.table import STATE
from topoview.session import Camera, Selection, choices
from topoview.ui.actions import action
from topoview.ui.panels.options import (
    ComparisonOptions,
    LogicalOptions,
    TopologyOptions,
)
from topoview.ui.panels.scene.view_slots import active_view
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.model import Analysis, LevelSteps

# Files and the window


def ask_for_trace(c: action.Context, *, folder: bool) -> None:
    """Let the user choose a trace, or a folder that holds one, and open it."""
    chosen = dialogs.ask_for_trace(c.window, c.settings.folder, folder=folder)
    if chosen:
        c.settings.folder = str(Path(chosen).parent)
        open_trace(chosen, c)


WINDOW_NUMBER = "TOPOVIEW_WINDOW"
"""Variable of the environment that says how many windows were opened before one."""


def open_windows(paths: Sequence[str], options: Sequence[str] = ()) -> None:
    """Open traces in windows, and processes, of their own, each beside the last."""
    for number, path in enumerate(paths, 1):
        process, around = QProcess(), QProcessEnvironment.systemEnvironment()
        around.insert(WINDOW_NUMBER, str(number))
        process.setProcessEnvironment(around)
        process.setProgram(sys.executable)
        # absolute: a trace may be called like a subcommand
        absolute_path = str(Path(path).absolute())
        process.setArguments(["-P", "-m", "topoview", *options, absolute_path])
        process.startDetached()


def open_trace(path: str, c: action.Context) -> None:
    """Open a trace."""
    c.opener.open(str(Path(path).absolute()))


def open_demo(name: str, c: action.Context) -> None:
    """Open a sample trace."""
    c.opener.open(str(demo_trace(name)))


def copy_picture(c: action.Context) -> None:
    """Copy the picture of the scene."""
    from topoview.ui.export import picture_dialog

    picture_dialog.copy_picture(c, picture_dialog.last_picture_choice(c.settings))


def export_panel(c: action.Context) -> None:
    """Ask how and where to save a picture of the panel that was used last."""
    from topoview.ui.export.picture_dialog import ask_for_picture

    panels = c.panels()
    if panels is not None:
        ask_for_picture(c, panels.used)


FIRST_PAGE = "index.md"


def show_preferences(c: action.Context) -> None:
    """Open the dialog of preferences."""
    from topoview.ui.actions.preferences import PreferencesDialog

    PreferencesDialog(c).open()


def show_log(c: action.Context) -> None:
    """Open the log file with the desktop's program for texts, and say where it is.

    Some desktops answer that they opened it where they have no such program.
    """
    path = dialogs.log_path()
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
    c.say(tr("The log is {path}", path=path))


def open_manual(c: action.Context, page: str = FIRST_PAGE) -> None:
    """Show a page of the documentation in a window of its own."""
    from topoview.ui.widgets.manual import Manual

    manual = c.window.findChild(Manual) or Manual(c.session, c.window)
    manual.open_page(page)


def open_panel_page(c: action.Context) -> None:
    """Show the page about the panel that was used last; without a trace the first."""
    from topoview.ui.widgets.manual import page_of_panel

    panels = c.panels()
    open_manual(
        c, page_of_panel(panels.used) if panels and action.has_trace(c) else FIRST_PAGE
    )


def add_key_frame(c: action.Context) -> None:
    """Let films show the scene from here at this time."""
    from topoview.scene.camera import with_key_frame

    if c.scene is None:
        return
    path = with_key_frame(c.state.film_path, c.state.time, c.scene.scene.pose)
    c.session.update(film_path=path)
    c.say(
        tr(
            "Films follow {camera_key_frames} from now on",
            camera_key_frames=plural(len(path), "camera key frame"),
        )
    )


def clear_key_frames(c: action.Context) -> None:
    """Let films be seen from where the scene is seen."""
    c.session.update(film_path=())
    c.say(tr("Films are seen from where the scene is seen"))


def close_trace(c: action.Context) -> None:
    """Show the welcome page."""
    c.opener.cancel()
    c.session.update(
        analysis=None, failure="", playing=False, selection=Selection(), time=0
    )


def toggle_full_screen(_: bool, c: action.Context) -> None:
    """Fill the screen, or no longer."""
    if c.window.isFullScreen():
        c.window.showNormal()
    else:
        c.window.showFullScreen()


def open_panel(name: str, shown: bool, c: action.Context) -> None:
    """Open or close a panel."""
    panels = c.panels()
    if panels is not None:
        panels.open_panel(name, shown=shown)


def is_panel_open(name: str, c: action.Context) -> bool:
    """Return whether a panel is open."""
    panels = c.panels()
    return panels is not None and panels.is_open(name)


def panel_action(name: str, title: str) -> action.Action:
    """Return the action that opens and closes a panel."""
    setting = action.Setting(partial(is_panel_open, name), partial(open_panel, name))
    words = "panel show hide close open"
    return action.flag(f"panel-{name}", title, setting=setting, words=words)


def reset_panels(c: action.Context) -> None:
    """Reset the panel layout."""
    panels = c.panels()
    if panels is not None:
        panels.arrange()


def views_of(c: action.Context) -> str:
    """Return which of scene and timeline are shown; empty before they are there."""
    panels = c.panels()
    return "" if panels is None else panels.views


def show_views(views: str, c: action.Context) -> None:
    """Show the scene only, both, or the timeline only."""
    panels = c.panels()
    if panels is not None:
        panels.show_views(views)


_VIEWS = action.Setting(views_of, show_views)

VIEW_ACTIONS = tuple(
    action.Action(
        name=f"views-{views}",
        text=text,
        run=partial(_VIEWS.put, views),
        keys=str(key),
        on=action.HasValue(_VIEWS, views),
        icon=views,
        words="view show hide split panels large",
    )
    for key, (views, text) in enumerate(
        {
            "scene": tr("Scene only"),
            "both": tr("Scene and timeline"),
            "timeline": tr("Timeline only"),
        }.items(),
        1,
    )
)

# Scene


def camera_of(c: action.Context) -> Camera:
    """Return the camera of the view that is used."""
    return active_view(c.state).seen(c.state).camera


def look(c: action.Context, **changes: object) -> None:
    """Change the camera of the view that is used."""
    camera = replace(camera_of(c), **changes)  # type: ignore[arg-type]
    active_view(c.state).look(c.session, camera)


def look_from(preset: str, c: action.Context) -> None:
    """Turn the camera to one of its places: a name in `scene.camera.CAMERAS`."""
    look(c, preset=preset, pose=None, whole=True, turned=False)


# Analysis


def step_match(by: int, c: action.Context) -> None:
    """Show the next or previous match."""
    analysis = c.state.analysis
    if analysis is not None and analysis.identification is not None:
        count = len(choices(analysis.identification))
        c.session.show_match((c.state.match + by) % count)


def fold_loops(folded: bool, c: action.Context) -> None:
    """Unfold or fold the loops of the logical trace."""
    c.session.change(LogicalOptions, folded=folded, turned=frozenset())


def find_logical(c: action.Context) -> None:
    """Let the user type what the logical trace's panel shows."""
    panels = c.panels()
    if panels is not None:
        panels.open_panel("logical", shown=True)
        c.session.change(
            LogicalOptions, finding=c.state.of(LogicalOptions).finding or ""
        )
        panels.focus("logical")


def compare_window(c: action.Context) -> None:
    """Compare all further windows with the selected time, else with the shown one."""
    state = c.state
    base = state.selection.window or state.window
    c.session.change(ComparisonOptions, window=base)
    scene = replace(state.scene, colouring="difference")
    c.session.update(scene=scene, scope="window")
    panels = c.panels()
    if panels is not None:
        panels.open_panel("statistics", shown=True)
    c.say(tr("Go to another window: statistics and colours tell how it differs"))


def is_window_compared(c: action.Context) -> bool:
    """Return whether windows are compared."""
    return c.state.of(ComparisonOptions).window is not None


def end_comparison(c: action.Context) -> None:
    """Compare windows no longer."""
    c.session.change(ComparisonOptions, window=None)
    if c.state.scene.colouring == "difference":
        c.session.change("scene", colouring=STATE)


def find_calls(c: action.Context) -> None:
    """Let the user type which calls of all ranks are looked for."""
    panels = c.panels()
    if panels is not None:
        panels.open_panel("find", shown=True)
        panels.focus("find")


def copy_logical(c: action.Context) -> None:
    """Copy the logical trace as text."""
    from topoview.ui.panels.logical.view import copy_listing

    analysis = c.state.analysis
    copy_listing(analysis.logical if analysis else None)
    c.say(tr("The logical trace is on the clipboard"))


def copy_explanation(c: action.Context) -> None:
    """Copy why the topology is the answer, as text; show it, too."""
    from topoview.report.identification.steps import steps_page
    from topoview.report.write import page_text
    from topoview.ui.panels.topology.panel import find_steps
    from topoview.ui.widgets.latest_only import LatestOnly

    c.session.change(TopologyOptions, page="why")
    if c.state.analysis is None:
        return

    def take(analysis: Analysis, steps: tuple[LevelSteps, ...]) -> None:
        worker.stop()
        assert analysis.identification is not None
        text = page_text(steps_page(steps, analysis.identification))
        QGuiApplication.clipboard().setText(text)
        c.say(tr("The reasons are on the clipboard"))

    worker: LatestOnly[Analysis, tuple[LevelSteps, ...]] = LatestOnly(
        lambda analysis, _: find_steps(analysis), take
    )
    worker.ask(c.state.analysis)


def can_save_pattern(c: action.Context) -> bool:
    """Return whether a topology with edges is shown."""
    match = c.state.derived.match
    return c.panels() is not None and match is not None and bool(match.matched)


def ask_for_pattern_name(c: action.Context) -> None:
    """Ask for a name and save the topology that is shown under it."""
    from topoview.pipeline import save_pattern

    match, analysis = c.state.derived.match, c.state.analysis
    if match is None or analysis is None:
        return
    strange = match.topology.is_unknown
    proposed = analysis.trace.name if strange else match.topology.name
    name, agreed = QInputDialog.getText(
        c.window,
        tr("Save as named pattern"),
        tr("Its name in other traces:"),
        text=proposed,
    )
    if not agreed:
        return
    try:
        path = save_pattern(match, name)
    except TopoviewError as error:
        dialogs.show_fault(c.window, tr("The pattern could not be saved"), str(error))
    else:
        c.say(tr("Saved as {name}, in {path}", name=name.strip(), path=path))
