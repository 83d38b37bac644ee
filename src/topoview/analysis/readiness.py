"""Has compiled code loaded before somebody waits for it."""

import gc
import threading

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

    from topoview.analysis.overview import interesting_times
    from topoview.grouping import factorize
    from topoview.live.calls import messages_of
    from topoview.live.moment import calls_at, moment
    from topoview.live.navigation import working_window
    from topoview.live.wait_chains import wait_chains
    from topoview.live.window_sums import edge_bytes
    from topoview.topology import lattice

    trace = simulate(Program(lattice((4, 3), (True, False)), iterations=3))
    # What was read is read-only, which compiled code tells apart.
    *_, known = analyse(trace)
    moment(trace, 1, 0)
    calls_at(trace, 1)
    if known.waits is not None:
        wait_chains(trace, known.waits, 1)
    interesting_times(trace)
    working_window(trace)
    blocks = message_blocks(trace.messages)
    blocks.in_flight(0, 0)
    blocks.between(0, 1)
    edge_bytes(trace, (0, 1), np.array([[0, 1]], np.int32))
    messages_of(trace, 0, 0, 1)
    factorize(np.arange(1 << 15) << 20)
