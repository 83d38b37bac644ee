"""Runs what takes long in a process of its own.

`read_in_process` reads a trace behind the wall; `open_trace` reads it here, for tests
and benchmarks. It is imported when it is first used: what it needs takes a second,
which a process that waits for a worker does not have to spend.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from topoview.worker.process import read_in_process

if TYPE_CHECKING:
    from topoview.io.reader import open_trace

__all__ = ["open_trace", "read_in_process"]

_MODULES = {"open_trace": "topoview.io.reader"}


def __getattr__(name: str) -> object:
    """Import what is asked for (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
