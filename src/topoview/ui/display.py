"""Whether there is a screen; light, so that it can be asked before Qt is there."""

import os
import sys


def has_display() -> bool:
    """Tell whether a window can be shown here."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
