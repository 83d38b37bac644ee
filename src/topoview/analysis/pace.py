"""How fast playing and films go through a run; no compiled code."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Trace

DEAD, NEAR = 0.5, 0.1
"""Seconds of playing without an event from which they are left out, and that are
left before the next event."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a film goes through a stretch of time.

    Attributes
    ----------
    seconds
        That it lasts.
    calls
        MPI calls of `rank` that it shows in a second, whatever `seconds` says; 0 for
        an even pace.
    rank
        Whose calls they are.
    skip
        Whether times in which nothing happens are left out; not where calls count.
    """

    seconds: float = 10.0
    calls: float = 0.0
    rank: int = 0
    skip: bool = False


def busiest(trace: Trace) -> int:
    """Give the rank that makes most MPI calls, the first of several."""
    return int(np.diff(trace.calls.offsets[: trace.ranks + 1]).argmax())
