"""The subcommand that compiles all kernels, so that nobody waits for it: compile."""

import argparse
import time
from typing import TYPE_CHECKING

from topoview.cli.printing import progress, put

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
    import numpy as np

    from topoview.live.call_filter import CallFilter
    from topoview.live.messages import message_flights
    from topoview.live.selection import selected_spans
    from topoview.live.timeline.raster import (
        mark_pixels,
        plan_render,
        raster,
        raster_bands,
        state_shares,
    )
    from topoview.pipeline import first_look
    from topoview.scene.lines.message_colours import MESSAGE_COLOURINGS
    from topoview.scene.matrix_pixels import MatrixExtract, extract_cells, order_matrix
    from topoview.topology import communication_matrix

    rows = np.arange(trace.timeline.rows, dtype=np.int32)
    bounds = np.arange(len(rows) + 1)
    window = (0, max(1, trace.clock.length))
    timeline = trace.timeline
    raster(timeline, rows, *window, 100)
    known = first_look(trace)
    for rough in (False, True):
        plan = plan_render(timeline, known.sums, rows, window, 2, rough=rough)
        state_shares(plan)
        raster_bands(plan, bounds)
    spans = selected_spans(trace, None, CallFilter(operation="Isend"))
    given = (spans.offsets, spans.enter, spans.leave, spans.state)
    mark_pixels(*given, rows, bounds, *window, 100)
    flying = message_flights(known).at(trace.clock.length // 2)
    for look in MESSAGE_COLOURINGS.values():
        look.values(flying, known, trace.clock.length // 2)
    numbers = communication_matrix(trace).calls
    extract_cells(
        numbers, order_matrix("rank", trace, None), MatrixExtract(0, 0, trace.ranks), 8
    )
