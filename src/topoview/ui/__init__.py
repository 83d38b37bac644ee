"""The window: everything that needs Qt."""

from collections.abc import Sequence


def run(paths: Sequence[str] = ()) -> int:
    """Open a window for each trace, or an empty one; returns the exit status."""
    from topoview.ui.shell.app import run as start

    return start(paths)
