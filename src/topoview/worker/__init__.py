"""Runs what takes long behind the wall: in a process of its own.

`read_in_process` reads a trace there, `results_of` and `analyse_in_process` have
results of it made; `open_trace` reads it here, for tests and benchmarks. Everything is
imported when it is first used: what reads takes a second, which a process that waits
for a worker does not have to spend.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoview.io.reader import open_trace
    from topoview.worker.results import (
        analyse_in_process,
        read_in_process,
        results_of,
    )

__all__ = [
    "analyse_in_process",
    "open_trace",
    "read_in_process",
    "results_of",
]

_MODULES = {
    "analyse_in_process": "topoview.worker.results",
    "open_trace": "topoview.io.reader",
    "read_in_process": "topoview.worker.results",
    "results_of": "topoview.worker.results",
}


def __getattr__(name: str) -> object:
    """Import what is asked for (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
