"""The window: everything that needs Qt."""

import builtins
import gc
from collections.abc import Sequence

from topoview.base.extras import need

need("window")


def hasten_imports() -> None:
    """Keep imports from doing what the window has no use for.

    Modules are no garbage: looking through them takes an eighth of the start. PySide
    reads the source of all that is imported, in case it asks for names in snake case:
    that takes a quarter.
    """
    import PySide6  # puts its own import in the place of Python's

    del PySide6
    gc.disable()
    builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)


def run(paths: Sequence[str] = (), *, draws: bool = True, language: str = "") -> int:
    """Open a window for each trace, or an empty one; returns the exit status.

    Parameters
    ----------
    draws
        Whether there is a 3D scene: what draws it is not even loaded else.
    language
        What the window speaks: one of `resources.languages`, ``system``, or empty
        for what is preferred.
    """
    hasten_imports()
    try:
        from topoview.ui.language import speak_language

        speak_language(language)
        from topoview.ui.shell.app import run as start

        return start(paths, draws=draws, language=language)
    finally:
        gc.enable()
