"""The subcommand that compiles all kernels, so that nobody waits for it: compile."""

import argparse
import time
from typing import TYPE_CHECKING

from topoview.commands.printing import progress, put

if TYPE_CHECKING:
    from topoview.model import Trace


def compile_all(args: argparse.Namespace) -> None:
    """Compile what is compiled once (a minute or two), so that no start takes long."""
    from topoview.analysis.compiling import compile_kernels

    began = time.perf_counter()
    _draw(compile_kernels(progress()))
    seconds = time.perf_counter() - began
    put(
        args,
        lambda: {"seconds": seconds},
        lambda: f"All that topoview compiles is there after {seconds:.1f} s.",
    )


def _draw(trace: "Trace") -> None:
    """Compute the pixels of a timeline."""
    from dataclasses import replace

    import numpy as np

    from topoview.analysis.chosen import chosen_spans
    from topoview.analysis.state_sums import look_through, remember_sums
    from topoview.analysis.wanted import Wanted
    from topoview.scene.matrix_order import arrange
    from topoview.scene.matrix_pixels import Extract, cells
    from topoview.scene.message_looks import LOOKS, flights
    from topoview.scene.timeline.raster import marks, raster, raster_bands, shares
    from topoview.topology import communication_matrix

    rows = np.arange(trace.timeline.rows, dtype=np.int32)
    bounds = np.arange(len(rows) + 1)
    window = (0, max(1, trace.clock.length))
    timeline = trace.timeline
    raster(timeline, rows, *window, 100)
    shares(timeline, rows, *window, 100)
    summed = replace(timeline)
    known = look_through(summed, trace.ranks, every=1, few=1)
    remember_sums(summed, known.sums)
    for rough in (False, True):
        raster_bands(summed, rows, bounds, *window, 2, rough=rough)
    spans = chosen_spans(trace, None, Wanted(operation="Isend"))
    given = (spans.offsets, spans.enter, spans.leave, spans.state)
    marks(*given, rows, bounds, *window, 100)
    flying = flights(trace).at(trace.clock.length // 2)
    for look in LOOKS.values():
        look.values(flying, trace, trace.clock.length // 2)
    numbers = communication_matrix(trace).calls
    cells(numbers, arrange("rank", trace, None), Extract(0, 0, trace.ranks), 8)
