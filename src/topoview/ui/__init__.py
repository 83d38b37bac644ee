"""The window: everything that needs Qt."""

import gc
from collections.abc import Sequence

from topoview.extras import need

need("window")


def run(paths: Sequence[str] = (), *, draws: bool = True) -> int:
    """Open a window for each trace, or an empty one; returns the exit status.

    Parameters
    ----------
    draws
        Whether there is a 3D scene: what draws it is not even loaded else.
    """
    # Modules are no garbage: looking through them takes an eighth of the start.
    gc.disable()
    try:
        from topoview.ui.shell.app import run as start

        return start(paths, draws=draws)
    finally:
        gc.enable()
