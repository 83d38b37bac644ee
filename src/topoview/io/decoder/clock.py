"""Corrections of a location's clock, by its local definitions.

Between two measured offsets the offset is interpolated; before and after it is
extrapolated. A single one corrects nothing (libotf2 3.2, source of
``OTF2_EvtReader.c`` and ``otf2_archive_location.c``).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg,unreachable"
# ruff: noqa: ANN001, ANN201 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.memory import load64, load_real

WORDS: Final = 4
"""Words of an interval: begin, end, offset at its begin, slope (a float64)."""


@numba.njit(nogil=True)
def corrected(frame, time):
    """Correct a time, the next one of the location."""
    at = frame.clock
    interval = frame.clocks + 8 * WORDS * at
    while at + 1 < frame.clock_count and np.uint64(time) > np.uint64(
        load64(interval + 8)
    ):
        at += 1
        interval += 8 * WORDS
    frame.clock = at
    begin = load64(interval)
    if np.uint64(time) >= np.uint64(begin):
        passed = np.float64(np.uint64(time - begin))
    else:
        passed = -np.float64(np.uint64(begin - time))
    moved = np.rint(load_real(interval + 24) * passed)
    return time + load64(interval + 16) + np.int64(moved)
