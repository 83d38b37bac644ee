"""Traces that tests use: simulated ones, real ones, and bad input."""

import functools
import os
import re
import tarfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import networkx as nx
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from simulation import DISTRIBUTIONS, Delay, Program, silent_program, simulate

from topoview.analysis.profile import profile
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.states import wait_states
from topoview.base.progress import Report, silent
from topoview.io.unrecorded import find_unrecorded
from topoview.model import (
    Analysis,
    Clock,
    Location,
    LogicalTrace,
    Match,
    Profile,
    Span,
    Topology,
    Trace,
    whole_part,
)
from topoview.pipeline import RESULTS, Options, Results, analyse, first_look
from topoview.pipeline.making import steps
from topoview.topology import communication_matrix, complete, identify, lattice, star

BUNDLED = Path(__file__).parent / "data"
"""Real traces that every clone has."""

REAL_TRACES = BUNDLED.parents[1].parent / "shared" / "traces"
"""Where more real traces may lie, beside the checkout."""

BUNDLED_NAMES = sorted(path.name.split(".")[0] for path in BUNDLED.glob("*.tar.xz"))
MORE_NAMES = sorted(
    {path.name.split(".")[0] for path in REAL_TRACES.glob("*.tar.xz")}
    - set(BUNDLED_NAMES)
)


EXAMPLES_LEFT_OUT = 8
"""Where slow tests do not run, of so many examples of `examples` one is tried."""

LARGE_NAMES = ("ez-cg-128", "ez-lu-128", "ez-mg-128", "sp-lu-32-W-full")
"""Real traces that take longer than all others together."""

EVERY_REAL = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE_NAMES))
    for name in [*BUNDLED_NAMES, *MORE_NAMES]
]
"""Each real trace, as a parameter."""


def examples(count: int, **options: Any) -> settings:  # noqa: ANN401 - of Hypothesis
    """Try so many examples where slow tests run, and a part of them elsewhere.

    For properties of which an example takes a tenth of a second or more.
    """
    few = 1 if slow_tests_run() else EXAMPLES_LEFT_OUT
    return settings(max_examples=-(-count // few), deadline=None, **options)


def texts(max_size: int | None = None) -> st.SearchStrategy[str]:
    """Draw any text; that of Hypothesis looks at all of Unicode first, for a second."""
    codes = (
        st.integers(0, 0x7F) | st.integers(0, 0xD7FF) | st.integers(0xE000, 0x10FFFF)
    )
    return st.lists(codes.map(chr), max_size=max_size).map("".join)


def slow_tests_run() -> bool:
    """Tell whether `scripts/check --slow` runs these tests."""
    return "TOPOVIEW_SLOW_TESTS" in os.environ


T = TypeVar("T")


def alternately(values: Sequence[T]) -> list[object]:
    """Give every other value, and the others where slow tests run."""
    return [
        pytest.param(value, marks=pytest.mark.slow) if number % 2 else value
        for number, value in enumerate(values)
    ]


def real_path(name: str) -> Path:
    """Find a real trace's archive."""
    for folder in (BUNDLED, REAL_TRACES):
        path = folder / f"{name}.tar.xz"
        if path.exists():
            return path
    pytest.fail(f"there is no real trace {name}: mark the test with `traces`")


def unpack(packed: Path, folder: Path) -> None:
    """Unpack an archive into a folder, with Python 3.11.2 of Debian 12, too."""
    with tarfile.open(packed) as archive:
        kept = getattr(tarfile, "data_filter", lambda found, _: found)  # from 3.11.4
        archive.extraction_filter = kept
        archive.extractall(folder)


def unpacked(name: str, folder: Path) -> Path:
    """Unpack a real trace's archive into a folder; gives its anchor file."""
    unpack(real_path(name), folder)
    return next(folder.rglob("*.otf2"))


def is_elsewhere(name: object) -> bool:
    """Tell whether this names a real trace that is not bundled."""
    if not (isinstance(name, str) and re.match("(app|ez|sp|public)-", name)):
        return False
    return name not in BUNDLED_NAMES


def made(ranks: int, ticks: int, resolution: int = 1000, **parts: Any) -> Trace:  # noqa: ANN401 - fields of a trace
    """Make a trace of parts that a test wrote, a main thread a rank."""
    unsaid = {"name": "made", "producer": "test", "topologies": (), "metrics": ()}
    return Trace(
        path="",
        clock=Clock(resolution, ticks),
        ranks=ranks,
        locations=tuple(Location(r, r, "Master thread") for r in range(ranks)),
        events=0,
        **(unsaid | parts),
    )


def logical_of(
    trace: Trace, functions: bool = False, files: Sequence[Path] = ()
) -> tuple[Match, LogicalTrace]:
    """Identify a trace's topology, and find its logical trace by it."""
    results = Results(trace, Options(patterns=tuple(files), functions=functions))
    return results.make("identification").best, results.make("logical")


def profile_of_run(trace: Trace, report: Report = silent) -> Profile:
    """Sum up the calls and times of all that a trace has."""
    part = whole_part(trace)
    span = Span("run", 0, max(trace.clock.length, 1))
    return profile(part, wait_states(trace), deduced_ends(part), span, report)


@functools.cache
def read_real(name: str) -> Trace:
    """Read a real trace, once a session."""
    from topoview.worker import open_trace

    return open_trace(real_path(name))


@functools.cache
def results_of_real(name: str) -> Results:
    """Hold what is made of a real trace, each result once a session."""
    return Results(read_real(name), caches=[])


def results_of_small(trace: Trace) -> Results:
    """Hold what is made of a small trace that is about waits.

    Partners are named in one way in its logical trace: to try all takes most of the
    time, and says nothing of waits.
    """

    def program(*given: Any) -> Any:  # noqa: ANN401 - as the step
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("topoview.logical.program.MAX_ROWS_NAMED_OTHERWISE", 0)
            return RESULTS["program"].make(*given)

    step = replace(RESULTS["program"], make=program)
    return Results(trace, caches=[], table=RESULTS | {"program": step})


@functools.cache
def identified(trace: Trace) -> Analysis:
    """Identify a trace's topology, and make no more of it, once a session."""
    matrix = communication_matrix(trace)
    return replace(first_look(trace), matrix=matrix, identification=identify(matrix))


@functools.cache
def analysis_of_real(name: str) -> Analysis:
    """Make all of a real trace that the window shows, once a session."""
    results = results_of_real(name)
    *_, analysis = steps(results, results.make)
    return analysis


@functools.cache
def analysed(trace: Trace) -> Analysis:
    """Make all of a trace that the window shows, once a session."""
    *_, analysis = analyse(trace)
    return analysis


@functools.cache
def simulated(
    kind: str = "torus",
    dims: tuple[int, ...] = (4, 3),
    *,
    numbering: int | None = None,
    iterations: int = 5,
    allreduce_every: int = 2,
    delays: tuple[Delay, ...] = (),
) -> Trace:
    """Simulate a common shape; `numbering` seeds a permutation."""
    topology = shape(kind, dims)
    n = topology.vertices
    return simulate(
        Program(
            topology,
            numbering=None if numbering is None else permutation(n, numbering),
            iterations=iterations,
            allreduce_every=allreduce_every,
            delays=delays,
        )
    )


def without_records(trace: Trace, operation: str, tracer: str = "EZTrace") -> Trace:
    """Make of a trace's sends another operation, of which no record is left."""
    known, regions = trace.messages, trace.regions
    none = {part.name: getattr(known, part.name)[:0] for part in fields(known)}

    def named(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name.replace("Isend", operation) for name in names)

    return as_read(
        replace(
            trace,
            producer=tracer,
            calls=replace(trace.calls),  # others have other messages in mind
            messages=replace(known, **none),
            regions=replace(
                regions,
                names=named(regions.names),
                operations=named(regions.operations),
            ),
        )
    )


def as_read(trace: Trace) -> Trace:
    """Let it be known which calls left no record, as if the trace were read."""
    found = find_unrecorded(trace, trace.producer == "EZTrace")
    return replace(trace, unrecorded=found)


def permutation(n: int, seed: int) -> np.ndarray:
    """Draw a random numbering of `n` ranks."""
    return np.random.default_rng(seed).permutation(n).astype(np.int32)


SIX_POINT = ((1, 0), (0, 1), (1, -1))
NINE_POINT = ((1, 0), (0, 1), (1, 1), (1, -1))


def shape(kind: str, dims: tuple[int, ...]) -> Topology:
    """Make a topology by a short name."""
    d = len(dims)
    makers = {
        "grid": lambda: lattice(dims, (False,) * d),
        "torus": lambda: lattice(dims, (True,) * d),
        "tube": lambda: lattice(dims, (True,) + (False,) * (d - 1)),
        "6-point": lambda: lattice(dims, (True,) * d, SIX_POINT),
        "9-point": lambda: lattice(dims, (False,) * d, NINE_POINT),
        "star": lambda: star(dims[0]),
        "complete": lambda: complete(dims[0]),
        "random": lambda: random_graph(dims[0], seed=1),
    }
    return makers[kind]()


def graph_topology(graph: nx.Graph) -> Topology:
    """Make a topology of a networkx graph of vertices 0 to n - 1."""
    n = graph.number_of_nodes()
    pairs = sorted(tuple(sorted(edge)) for edge in graph.edges)
    edges = np.array(pairs, np.int32).reshape(-1, 2)
    column = np.arange(n, dtype=np.int32)[:, None]
    return Topology("unknown", "unknown", edges, column)


def random_graph(n: int, seed: int, probability: float = 0.4) -> Topology:
    """Make a random graph."""
    return graph_topology(nx.gnp_random_graph(n, probability, seed=seed))


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Draw any small topology."""
    kind = draw(st.sampled_from(["lattice", "lattice", "star", "complete", "random"]))
    if kind == "star":
        return star(draw(st.integers(2, 6)))
    if kind == "complete":
        return complete(draw(st.integers(2, 5)))
    if kind == "random":
        return random_graph(draw(st.integers(2, 7)), draw(st.integers(0, 99)))
    dims = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    wraps = tuple(draw(st.booleans()) for _ in dims)
    if len(dims) == 2 and draw(st.booleans()):
        return lattice(dims, wraps, draw(st.sampled_from([SIX_POINT, NINE_POINT])))
    return lattice(dims, wraps)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw any small program."""
    options = {
        "iterations": draw(st.integers(0, 5)),
        "allreduce_every": draw(st.integers(0, 3)),
        "noise": draw(st.sampled_from([0.0, 0.1, 1.0])),
        "distribution": draw(st.sampled_from(sorted(DISTRIBUTIONS))),
        "seed": draw(st.integers(0, 2**32 - 1)),
        "ranks_per_node": draw(st.integers(1, 5)),
    }
    if draw(st.booleans()) and draw(st.booleans()):
        return silent_program(draw(st.integers(1, 6)), **options)
    topology = draw(topologies())
    n = topology.vertices
    order = draw(st.one_of(st.none(), st.permutations(range(n))))
    delay = st.builds(
        Delay, st.integers(0, n - 1), st.integers(0, 4), st.floats(1e-4, 1e-1)
    )
    return Program(
        topology,
        numbering=None if order is None else np.array(order, np.int32),
        size=draw(st.integers(0, 200_000)),
        delays=tuple(draw(st.lists(delay, max_size=2))),
        **options,
    )
