"""Compiles every kernel once, so that nobody waits for it later.

Compiled code is kept on disk; what takes a minute here is loaded in a second
afterwards. Each step is a small example of what users do.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array

from topoview.analysis.compiling_traces import (
    counted,
    looped,
    phased,
    related,
    unaligned,
    within_functions,
)
from topoview.analysis.readiness import make_ready
from topoview.analysis.simulation.program import Delay, Program
from topoview.analysis.simulation.simulate import simulate
from topoview.live.call_filter import CallFilter
from topoview.live.calls import awaited_partners, messages_of_call
from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import COLOURINGS, ColouringValues
from topoview.live.film_times import idle_periods
from topoview.live.selection import selected_messages, selected_spans
from topoview.live.window_sums import profile_within
from topoview.logical.merge.alignment import align, limit_for
from topoview.model import Analysis, CommunicationMatrix, Subset, Topology, Trace
from topoview.pipeline import analyse
from topoview.progress import Report, silent
from topoview.topology import (
    binomial_tree,
    cg,
    complete_tree,
    identify,
    lattice,
    lay_out,
    layout_names,
    none,
    star,
)
from topoview.topology.graph.graph import graph_of
from topoview.topology.identification.explanation import explain
from topoview.topology.kinds.butterfly import butterfly
from topoview.topology.kinds.mesh import hexagonal
from topoview.topology.kinds.rook import rook
from topoview.topology.kinds.sphere import sphere_of_triangles, sphere_of_vertices
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.lattices.unnamed_stencils import circulants
from topoview.topology.library import copies, product
from topoview.worker import open_trace, write_trace

LONG = 20_000
"""Iterations after which a rank's file has several chunks."""


def compile_kernels(report: Report = silent) -> Trace:
    """Compile what reading, identifying, logical traces and colourings need.

    Parameters
    ----------
    report
        Told which step is done; may raise `Cancelled`.

    Returns
    -------
    Trace
        An example as it was read, for who has more kernels to compile.
    """
    report("compiling, once", 0.0)
    make_ready()
    trace = _read()
    steps: list[Callable[[], object]] = [
        lambda: _analysed(trace),
        lambda: phased(trace),
        lambda: unaligned(trace),
        lambda: within_functions(trace),
        looped,
        related,
        _quiet,
        lambda: align(np.arange(9), np.arange(2, 9), limit_for(9)),
        *(lambda shape=shape: _identified(shape) for shape in _shapes()),
        _noisy,
        _unknown,
        _ringed,
    ]
    for done, step in enumerate(steps, 1):
        report("compiling, once", done / (len(steps) + 1))
        step()
    report("compiling, once", 1.0)
    return trace


def _read() -> Trace:
    """Write a trace and read it, all of it and in part."""
    torus = lattice((4, 3), (True, False))
    program = Program(
        torus,
        iterations=40,
        allreduce_every=8,
        size=(512, 100_000),
        delays=(Delay(3, 5, 1e-2),),
    )
    with tempfile.TemporaryDirectory(prefix="topoview-") as folder:
        path = write_trace(simulate(program), Path(folder) / "example")
        trace = open_trace(path)
        open_trace(path, subset=Subset(0.02, 0.06, ((0, 5),)))
        pair = Program(lattice((2,), (False,)), iterations=LONG)
        open_trace(write_trace(simulate(pair), Path(folder) / "long"))
    return trace


def _analysed(trace: Trace) -> None:
    *_, known = analyse(trace)
    _chosen(known)
    counted(known)
    values = ColouringValues()
    for name in COLOURINGS:
        values.of(
            name,
            ColouringRequest(known, trace.clock.length // 2, (0, trace.clock.length)),
        )


def _chosen(known: Analysis) -> None:
    """Select a statement and an operation, and profile a window."""
    trace = known.trace
    for wanted in (CallFilter((0,)), CallFilter(operation="Isend")):
        spans = selected_spans(trace, known.logical, wanted)
        selected_messages(trace, known.logical, wanted=wanted, ranks=(0,))
        profile_within(trace, (0, trace.clock.length), spans)
    selected_messages(trace, None, window=(0, trace.clock.length))
    profile_within(trace, (0, trace.clock.length))
    messages_of_call(known, int(trace.messages.send_call[0]))
    first = trace.calls.offsets[: trace.ranks]
    awaited_partners(known, np.arange(trace.ranks), first, 0)
    idle_periods(trace.timeline, (0, trace.clock.length), 100, 1.0)


def _quiet() -> None:
    """Analyse a program that sends no messages."""
    for _ in analyse(simulate(Program(none(), ranks=4, iterations=4))):
        pass


def _shapes() -> list[Topology]:
    """One topology for each way of recognising them."""
    return [
        lattice((5, 5), (True, True), STENCILS["6-point"](2)),
        lattice((6, 5), (False, False), STENCILS["box"](2)),
        lattice((5, 4, 4), (True,) * 3, STENCILS["19-point"](3)),
        complete_tree(15, 2),
        binomial_tree(32),
        star(8, 2),
        rook((4, 3)),
        cg(32),
        cg(512),
        lattice((70, 60), (True, False)),
        lattice((9, 7), (True, True), ((1, 0), (0, 1), (2, 1))),
        butterfly(3),
        hexagonal(3, 2),
        sphere_of_triangles(2),
        sphere_of_vertices(2),
        copies(4, lattice((6,), (True,))),
        product(lattice((6,), (True,)), star(4)),
    ]


def _identified(topology: Topology) -> None:
    matrix = _matrix(topology.vertices, topology.edges)
    found = identify(matrix)
    explain(matrix, found, spectrum=True)
    for name in layout_names(found.best):
        lay_out(found.best, matrix, name)


def _noisy() -> None:
    for topology in (
        lattice((12, 12), (True, True)),
        lattice((12, 12), (True, True), STENCILS["6-point"](2)),
        lattice((6, 6, 6), (True,) * 3),
        lattice((10, 10), (False, False), STENCILS["box"](2)),
        complete_tree(31, 2),
    ):
        kept = np.delete(topology.edges, [3, 40 % len(topology.edges)], axis=0)
        edges = np.concatenate([kept, [[0, topology.vertices // 2 + 1]]])
        identify(_matrix(topology.vertices, edges))


def _unknown() -> None:
    n = 60
    ends = np.random.default_rng(5).integers(0, n, (4 * n, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    _identified_edges(n, ends)


def _ringed() -> None:
    """Look for the steps of a ring that another way finds first."""
    ring = lattice((24,), (True,), ((1,), (5,)))
    circulants(graph_of(24, ring.edges))


def _identified_edges(n: int, edges: np.ndarray) -> None:
    matrix = _matrix(n, edges)
    found = identify(matrix)
    for name in layout_names(found.best):
        lay_out(found.best, matrix, name)


def _matrix(n: int, edges: np.ndarray) -> CommunicationMatrix:
    """Matrix of a program that sends one message each way, randomly numbered."""
    ends = np.random.default_rng(1).permutation(n)[edges]
    pairs = (np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate(ends.T[::-1]))
    calls = coo_array((np.ones(len(pairs[0]), np.int64), pairs), shape=(n, n)).tocsr()
    return CommunicationMatrix(calls, 4096 * calls)
