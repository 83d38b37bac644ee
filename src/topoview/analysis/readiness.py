"""Has compiled code loaded before somebody waits for it."""

import threading

from topoview.analysis.pipeline import analyse
from topoview.analysis.simulation import Program, simulate

_LOCK = threading.Lock()
_DONE = threading.Event()


def make_ready() -> None:
    """Load the compiled kernels by analysing a tiny program; once a process.

    It takes about a second, or half a minute where they have never been compiled.
    Threads that come meanwhile wait for it: what they measure then is their own
    work.
    """
    with _LOCK:
        if _DONE.is_set():
            return
        from topoview.topology import lattice

        for _ in analyse(
            simulate(Program(lattice((4, 3), (True, False)), iterations=3))
        ):
            pass
        _DONE.set()
