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
    from dataclasses import replace

    import numpy as np

    from topoview.analysis.overview import remember_sums, scan_timeline
    from topoview.live.call_filter import CallFilter
    from topoview.live.selection import selected_spans
    from topoview.live.timeline.raster import (
        mark_pixels,
        raster,
        raster_bands,
        state_shares,
    )
    from topoview.scene.lines.messages_in_flight import (
        MESSAGE_COLOURINGS,
        message_flights,
    )
    from topoview.scene.matrix_pixels import MatrixExtract, extract_cells, order_matrix
    from topoview.topology import communication_matrix

    rows = np.arange(trace.timeline.rows, dtype=np.int32)
    bounds = np.arange(len(rows) + 1)
    window = (0, max(1, trace.clock.length))
    timeline = trace.timeline
    raster(timeline, rows, *window, 100)
    state_shares(timeline, rows, *window, 100)
    summed = replace(timeline)
    known = scan_timeline(summed, trace.ranks, every=1, few=1)
    remember_sums(summed, known.sums)
    for rough in (False, True):
        raster_bands(summed, rows, bounds, *window, 2, rough=rough)
    spans = selected_spans(trace, None, CallFilter(operation="Isend"))
    given = (spans.offsets, spans.enter, spans.leave, spans.state)
    mark_pixels(*given, rows, bounds, *window, 100)
    flying = message_flights(trace).at(trace.clock.length // 2)
    for look in MESSAGE_COLOURINGS.values():
        look.values(flying, trace, trace.clock.length // 2)
    numbers = communication_matrix(trace).calls
    extract_cells(
        numbers, order_matrix("rank", trace, None), MatrixExtract(0, 0, trace.ranks), 8
    )
