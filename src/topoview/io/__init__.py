"""Reading and writing OTF2 traces: the only place that knows the format.

`open_trace` and `write_trace` are imported when they are first used: what they
need takes a second, which a process that waits for a child does not have to spend.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from topoview.io.process import read_in_process

if TYPE_CHECKING:
    from topoview.io.reader import open_trace
    from topoview.io.writer.write import write_trace

__all__ = ["open_trace", "read_in_process", "write_trace"]

_MODULES = {
    "open_trace": "topoview.io.reader",
    "write_trace": "topoview.io.writer.write",
}


def __getattr__(name: str) -> object:
    """Import what is asked for (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
