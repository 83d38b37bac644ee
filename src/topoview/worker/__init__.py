"""Runs what takes long behind the wall: in a process of its own.

`read_in_process` reads a trace there, `results_of` and `analyse_in_process` have
results of it made, which `user_store` keeps; `open_trace` reads it here, for tests and
benchmarks.
"""

from typing import TYPE_CHECKING

from topoview.base.lazy import on_first_use

if TYPE_CHECKING:
    from topoview.io.archive.finding import open_trace
    from topoview.store.traces import user_store
    from topoview.worker.results import analyse_in_process, read_in_process, results_of

__getattr__ = on_first_use(
    __name__,
    {
        "analyse_in_process": "worker.results",
        "open_trace": "io.archive.finding",
        "read_in_process": "worker.results",
        "results_of": "worker.results",
        "user_store": "store.traces",
    },
)
