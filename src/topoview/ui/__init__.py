"""The window: everything that needs Qt."""

from collections.abc import Sequence


def run(paths: Sequence[str] = ()) -> int:
    """Open the window, with a trace if one is given; returns the exit status."""
    from topoview.ui.app import run as start

    return start(paths)
