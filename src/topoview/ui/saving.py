"""Saving and copying pictures of the scene, and the key frames of films."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from topoview.errors import TopoviewError
from topoview.scene.camera_path import with_frame
from topoview.ui import dialogs
from topoview.ui.formats import plural
from topoview.ui.picture_dialog import Choice, PictureDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from topoview.ui.recipe import Recipe
    from topoview.ui.window import MainWindow


def ask_for_picture(w: MainWindow) -> None:
    """Ask how and where the scene is to be saved, and do it."""
    if w.session.state.analysis is None:
        return
    dialog = PictureDialog(w.settings, w)
    dialog.chosen.connect(partial(_ask_where, w))
    dialog.copied.connect(partial(copy, w))
    dialog.open()


def _ask_where(w: MainWindow, choice: Choice) -> None:
    known = w.session.state.analysis
    if known is None:
        return
    folder = Path(w.settings.folder or Path.home())
    suggestion = folder / f"{known.trace.name}{choice.suffix}"
    chosen = dialogs.ask_for_picture(w, suggestion)
    if chosen:
        save(w, Path(chosen), choice)


def save(w: MainWindow, path: Path, choice: Choice) -> None:
    """Save the scene as it is seen; what goes wrong is told.

    The picture is drawn anew off-screen: what a widget shows comes out cropped or
    blank after its panel was torn off.
    """
    from topoview.ui import export

    def act(recipe: Recipe) -> None:
        assert w.workspace is not None
        assert w.session.state.analysis is not None
        content = w.workspace.active.content
        export.save(w.session.state.analysis, recipe, path, content)

    if _drawn(w, choice, act):
        w.say(f"Picture saved: {path}")


def copy(w: MainWindow, choice: Choice) -> None:
    """Put a picture of the scene on the clipboard."""
    from topoview.ui import export

    def act(recipe: Recipe) -> None:
        assert w.workspace is not None
        assert w.session.state.analysis is not None
        content = w.workspace.active.content
        image = export.make(w.session.state.analysis, recipe, content)
        QGuiApplication.clipboard().setImage(image)

    if _drawn(w, choice, act):
        w.say("The picture of the scene is on the clipboard")


def _drawn(w: MainWindow, choice: Choice, act: Callable[[Recipe], None]) -> bool:
    """Do something with the recipe of what is seen; tells whether that went well."""
    from topoview.ui.overlay.paint import FOOTER
    from topoview.ui.recipe import recipe_of

    if w.workspace is None:
        return False
    view = w.workspace.active
    size = (view.width(), view.height() + (FOOTER if choice.footer else 0))
    seen = recipe_of(view.state, size, view.scene.pose, footer=True)
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        act(choice.apply(seen))
    except (TopoviewError, OSError) as error:
        QGuiApplication.restoreOverrideCursor()
        dialogs.complain(w, "The picture could not be saved", str(error))
        return False
    QGuiApplication.restoreOverrideCursor()
    return True


def add_key_frame(w: MainWindow) -> None:
    """Let films be seen from here at this time."""
    if w.workspace is None:
        return
    pose, time = w.workspace.active.scene.pose, w.session.state.time
    w.workspace.camera_path = with_frame(w.workspace.camera_path, time, pose)
    count = len(w.workspace.camera_path)
    w.say(f"Films follow {plural(count, 'camera key frame')} from now on")


def clear_key_frames(w: MainWindow) -> None:
    """Let films be seen from where the scene is seen."""
    if w.workspace is not None:
        w.workspace.camera_path = ()
        w.say("Films are seen from where the scene is seen")


def filmed(w: MainWindow, recipe: Recipe) -> Recipe:
    """Recipe of a film that follows the key frames."""
    path = () if w.workspace is None else w.workspace.camera_path
    return replace(recipe, path=path)
