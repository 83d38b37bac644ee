"""The window: everything that needs Qt."""

import gc
from collections.abc import Sequence


def run(paths: Sequence[str] = ()) -> int:
    """Open a window for each trace, or an empty one; returns the exit status."""
    # Modules are no garbage: looking through them takes an eighth of the start.
    gc.disable()
    try:
        from topoview.ui.shell.app import run as start

        return start(paths)
    finally:
        gc.enable()
