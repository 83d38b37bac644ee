"""Clean up after a worker process, in the background.

To end a process that has gigabytes mapped, and to remove its files, takes longer than
somebody who cancels should wait. If this process is killed before that is done, the
next one that reads a trace removes what is left.
"""

import threading
from collections.abc import Callable
from typing import Final

from topoview.store.temporary import remove_abandoned_folders
from topoview.store.traces import Store

_jobs: Final[list[threading.Thread]] = []


def run_now(work: Callable[[], None]) -> None:
    """Do some work here and now."""
    work()


def run_in_background(work: Callable[[], None]) -> None:
    """Do some work in a thread that this process does not end before."""
    _jobs[:] = [job for job in _jobs if job.is_alive()]
    job = threading.Thread(target=work, name="sweeping", daemon=False)
    try:
        job.start()
    except RuntimeError:  # the interpreter is about to end, or has no thread left
        work()
    else:
        _jobs.append(job)


def wait_for_cleanup(seconds: float | None = None) -> None:
    """Wait until nothing is left to do, or for some seconds."""
    for job in list(_jobs):
        job.join(seconds)


def clean_up(store: Store | None) -> None:
    """Remove what processes left that were killed."""
    if store is not None:
        store.sweep()
    remove_abandoned_folders()
