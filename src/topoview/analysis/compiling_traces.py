"""Examples of traces that not every program makes, for compiling beforehand.

Clocks that are not aligned, counters, functions around calls, Waits of one request,
loops within loops, a pattern that changes.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from topoview.analysis.logical.statements import metric_figures
from topoview.analysis.phases import find_phases
from topoview.io.matching import Ends, match_in_order
from topoview.live.counters import rate_in, series_of, value_at
from topoview.logical.calls.messages import completions
from topoview.logical.loops.compression import compress
from topoview.logical.loops.repetitions import MIN_LENGTH_SHORTENED, cycle_length
from topoview.model import Analysis, CallPaths, EventRecords, MetricCounter, Trace
from topoview.topology import lattice
from topoview.topology.graph.graph import graph_of
from topoview.topology.matrix import matrix_of
from topoview.topology.noise.fit import regrown
from topoview.worker import open_trace, write_trace

PATHS = 48
"""Call paths of a location that are more than its table has room for at first."""


def unaligned(trace: Trace) -> None:
    """Read what a tracer wrote whose clocks are not aligned."""
    with tempfile.TemporaryDirectory(prefix="topoview-") as folder:
        path = Path(folder) / "example"
        open_trace(write_trace(replace(trace, producer="EZTrace"), path))
    # Ranks of receives that a tracer numbered in another communicator are matched so.
    ranks = np.arange(4, dtype=np.int32)
    ends = Ends(ranks, ranks[::-1].copy(), np.zeros(4, np.int32), ranks.view(np.uint32))
    match_in_order(ends, ends)


def phased(trace: Trace) -> None:
    """Look for phases where the first half has other receivers than the second.

    Only senders tell who they are, so that nothing speaks against the cut.
    """
    messages = trace.messages
    early = messages.send_time < trace.clock.length // 2
    other = np.where(early, messages.receiver, (messages.sender + 6) % trace.ranks)
    unseen = np.full(len(early), -1, np.int64)
    find_phases(
        replace(
            trace,
            messages=replace(
                messages, receiver=other.astype(np.int32), receive_call=unseen
            ),
        )
    )


def counted(known: Analysis) -> None:
    """Compute figures of counters, and how fast they grow."""
    trace = known.trace
    counters = (
        MetricCounter(0, 0, "PAPI_TOT_INS", "#", "grows"),
        MetricCounter(0, 1, "PAPI_TOT_CYC", "#", "grows"),
    )
    entered, offsets = trace.calls.enter, trace.calls.offsets
    number = np.arange(2 * len(entered))
    values = np.stack(
        (np.zeros_like(number), number % 2, np.full_like(number, 8), number), axis=1
    )
    records = EventRecords(
        "Metric",
        ("metric", "place", "type", "value"),
        2 * offsets,
        np.repeat(entered, 2),
        values,
    )
    trace = replace(trace, further=(records,), counters=counters)
    if known.logical is not None:
        metric_figures(trace, known.logical)
    series = series_of(trace, counters[0])
    if series is not None:
        value_at(trace, series, trace.clock.length // 2)
        rate_in(trace, series, counters[0], (0, trace.clock.length))


def within_functions(trace: Trace) -> None:
    """Read calls of many functions; look for what each Wait completes."""
    regions, calls = trace.regions, trace.calls
    names = [f"function {i}" for i in range(PATHS)]
    more = np.zeros(PATHS, np.int32)
    own = np.arange(len(regions.names), len(regions.names) + PATHS)
    row = np.repeat(np.arange(len(calls.offsets) - 1), np.diff(calls.offsets))
    path = (np.arange(len(calls)) + row) % PATHS + 1  # each rank begins with another
    called = replace(
        trace,
        regions=replace(
            regions,
            names=(*regions.names, *names),
            operation=np.append(regions.operation, more - 1),
            state=np.append(regions.state, more.astype(np.uint8)),
            files=(),
            lines=np.zeros((0, 2), np.int32),
        ),
        paths=CallPaths(np.append(-1, more).astype(np.int32), np.append(-1, own)),
        calls=replace(calls, path=path.astype(np.int32)),
    )
    with tempfile.TemporaryDirectory(prefix="topoview-") as folder:
        open_trace(write_trace(called, Path(folder) / "example"))
    operations = ["Wait" if name == "Waitall" else name for name in regions.operations]
    waiting = replace(trace, regions=replace(regions, operations=tuple(operations)))
    last = int(calls.offsets[trace.ranks])
    completions(waiting, regions.operation[calls.region[:last]].astype(np.int64))


def looped() -> None:
    """Find loops within loops, and what comes again and again."""
    body = np.array([0, 1, 1, 2] * 5 + [3, 4] * 7 + [0, 5], np.int64)
    compress(
        np.concatenate(
            [np.tile(body, MIN_LENGTH_SHORTENED // 10), [6], np.tile(body[::-1], 4)]
        )
    )
    cycle_length(np.tile(body, 3))


def related() -> None:
    """Add up traffic by other numbers, and mend a growth that went wrong."""
    ends = np.arange(3, dtype=np.int32)
    one = np.ones(3, np.int64)
    matrix_of(3, ends, ends[::-1].copy(), one, one)
    matrix_of(3, ends.astype(np.int64), ends[::-1].astype(np.int64), one, one)
    torus = lattice((8, 8), (True, True))
    graph = graph_of(64, torus.edges)
    vertex = np.arange(64)
    vertex[[9, 30]] = vertex[[30, 9]]
    regrown(graph, graph, vertex)
