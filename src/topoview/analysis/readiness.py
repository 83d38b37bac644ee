"""Has compiled code loaded before somebody waits for it."""

import gc
import threading

from topoview.analysis.simulation.program import Program
from topoview.analysis.simulation.simulate import simulate
from topoview.pipeline import analyse
from topoview.progress import Report, reporting_compilation, silent

_LOCK = threading.Lock()
_DONE = threading.Event()


def make_ready(report: Report = silent) -> None:
    """Load the compiled kernels by analysing a tiny program; once a process.

    It takes about a second, or half a minute where they have never been compiled.
    Threads that come meanwhile wait for it: what they measure then is their own
    work. `report` is told if they must be compiled.
    """
    with reporting_compilation(report), _LOCK:
        if _DONE.is_set():
            return
        collects = gc.isenabled()
        gc.disable()
        try:
            _load()
        finally:
            # Modules and compiled code stay: looking through them again and again
            # would stop the window for 60 ms each time.
            gc.freeze()
            if collects:
                gc.enable()
        _DONE.set()


def _load() -> None:
    """Use what is compiled."""
    import numpy as np

    from topoview.live.calls import messages_of
    from topoview.live.messages import message_flights, messages_between
    from topoview.live.moment import TimeCursor
    from topoview.live.wait_chains import wait_chains
    from topoview.live.window_sums import edge_bytes
    from topoview.logical.arrays import factorize
    from topoview.topology import lattice

    trace = simulate(Program(lattice((4, 3), (True, False)), iterations=3))
    # What was read is read-only, which compiled code tells apart.
    *_, known = analyse(trace)
    cursor = TimeCursor(trace)
    cursor.moment(1, 0)
    if known.waits is not None:
        wait_chains(cursor, known.waits, 1)
    message_flights(known).at(0)
    messages_between(known, 0, 1)
    edge_bytes(known, (0, 1), np.array([[0, 1]], np.int32))
    messages_of(known, 0, 0, 1)
    factorize(np.arange(1 << 15) << 20)
