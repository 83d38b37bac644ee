"""Runs with and without something planted: what is said of them, and what may be.

Of runs without a delay, a wave, an imbalance, a phase or a pattern at most one in a
hundred may get the sentence; of those with one above a stated size 95 must.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import networkx as nx
import numpy as np
from handmade import handmade
from patterns import Stage, both_ways, run
from simulation import DISTRIBUTIONS, Delay, Program, silent_program, simulate
from traces import graph_topology

from topoview.model import MIN_SAMPLES, Analysis, Clock, Topology, Trace
from topoview.pipeline import Results
from topoview.report.advice import advice_of
from topoview.report.claims import decay, front, late, shape, speed, states_differ
from topoview.topology import lattice

TOPOLOGIES: Final = (
    ((16,), (True,)),
    ((20,), (False,)),
    ((4, 4), (True, True)),
    ((6, 4), (False, False)),
    ((4, 3, 2), (True, True, False)),
)
"""Lattices of 16 to 24 ranks: sizes, and which dimensions wrap."""

NOISES: Final = (0.05, 0.2, 1.0)
"""Means of the random time of each computation, as shares of it."""

COMPUTE: Final = 3e-3
"""Seconds that an iteration computes."""

DELAY_SIZE: Final = 100
"""Means of the noise from which on a delay is said."""

IMBALANCE_SIZE: Final = 0.3
"""Share by which a rank that is told computes longer than others."""


def _lattice(rng: np.random.Generator) -> Topology:
    dims, periodic = TOPOLOGIES[rng.integers(len(TOPOLOGIES))]
    return lattice(dims, periodic)


def noisy(seed: int, distribution: str, **options: object) -> Program:
    """Describe a halo exchange with noise, on one of the lattices."""
    rng = np.random.default_rng(seed)
    fields = {
        "topology": _lattice(rng),
        "iterations": int(rng.integers(16, 28)),
        "noise": float(rng.choice(NOISES)),
        "allreduce_every": int(rng.choice([0, 0, 4])),
        "compute": COMPUTE,
        "distribution": distribution,
        "seed": seed,
    }
    return Program(**(fields | options))  # type: ignore[arg-type]


def collectives(seed: int) -> Trace:
    """Simulate ranks that only reduce, with noise of any kind."""
    rng = np.random.default_rng(seed)
    return simulate(
        silent_program(
            int(rng.integers(16, 25)),
            iterations=int(rng.integers(16, 28)),
            noise=float(rng.choice(NOISES)),
            distribution=str(rng.choice(sorted(DISTRIBUTIONS))),
            allreduce_every=1,
            compute=COMPUTE,
            seed=seed,
        )
    )


def pipeline(seed: int, starved: bool = False) -> Trace:
    """Simulate a pipeline: each rank computes what the one before it has sent.

    A starved one computes next to nothing: its ranks wait for messages all the time.
    """
    rng = np.random.default_rng(seed)
    ranks, items = int(rng.integers(16, 25)), int(rng.integers(16, 28))
    draw = DISTRIBUTIONS[str(rng.choice(sorted(DISTRIBUTIONS)))]
    mean, latency = (2e3, 2e5) if starved else (3e6, 2e3)  # in nanoseconds
    noise = mean * float(rng.choice(NOISES))
    calls: list[list[tuple[str, int, int]]] = [[] for _ in range(ranks)]
    messages = []
    now = rng.integers(1000, 20_000, ranks)
    for _ in range(items):
        arrival = 0
        computed = (mean + noise * draw(rng, ranks)).astype(np.int64)
        for rank in range(ranks):
            if rank:
                begin = int(now[rank])
                now[rank] = max(begin, arrival) + 400
                place = rank, len(calls[rank])
                messages.append(((rank - 1, len(calls[rank - 1]) - 1), place, place))
                calls[rank].append(("Recv", begin, int(now[rank])))
            now[rank] += computed[rank]
            if rank + 1 < ranks:
                calls[rank].append(("Send", int(now[rank]), int(now[rank]) + 400))
                now[rank] += 500
                arrival = int(now[rank] + latency * (1 + 0.2 * rng.exponential()))
    trace = handmade(calls, messages)
    return replace(trace, clock=Clock(10**9, trace.clock.length))


def phases(seed: int, count: int = 2) -> Trace:
    """Exchange messages on a torus, then with partners across it; or only there."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    torus = both_ways(lattice((n, n), (True, True)).edges)
    here = np.arange(n * n)
    across = list(zip(here.tolist(), (here % n * n + here // n).tolist(), strict=True))
    stages = [Stage(torus, int(rng.integers(4, 12)))]
    if count > 1:
        stages.append(Stage(across, int(rng.integers(8, 16))))
    return run(n * n, stages)[0]


def random_pattern(seed: int) -> Trace:
    """Exchange messages between random pairs of ranks."""
    rng = np.random.default_rng(seed)
    ranks = int(rng.integers(16, 25))
    graph = nx.gnm_random_graph(ranks, int(rng.integers(2, 5)) * ranks // 2, seed=seed)
    pattern = graph_topology(graph)
    return simulate(Program(pattern, ranks=ranks, iterations=6, noise=0.2, seed=seed))


def alike(seed: int) -> Trace:
    """Let all ranks do the same at the same time."""
    rng = np.random.default_rng(seed)
    return simulate(
        Program(
            _lattice(rng),
            iterations=int(rng.integers(4, 28)),
            noise=0.0,
            latency=0.0,
            allreduce_every=int(rng.integers(0, 3)),
            seed=seed,
        )
    )


def delayed(seed: int, allreduce_every: int = 0) -> tuple[Program, Delay]:
    """Describe a halo exchange in which a rank is late once, as long as is stated."""
    rng = np.random.default_rng([seed, 1])
    distribution = sorted(DISTRIBUTIONS)[seed % len(DISTRIBUTIONS)]
    noise = float(rng.choice((0.02, 0.05)))
    program = noisy(seed, distribution, noise=noise, allreduce_every=allreduce_every)
    size = DELAY_SIZE * noise * COMPUTE * float(rng.uniform(1, 3))
    rank = int(rng.integers(program.ranks))
    late_once = Delay(rank, int(rng.integers(4, 8)), size)
    program = replace(program, iterations=max(program.iterations, MIN_SAMPLES + 2))
    return replace(program, delays=(late_once,)), late_once


def slow_ranks(program: Program, ranks: list[int], share: float) -> Program:
    """Let some ranks compute longer in each iteration."""
    delays = tuple(
        Delay(rank, turn, share * program.compute)
        for rank in ranks
        for turn in range(program.iterations)
    )
    return replace(program, delays=delays)


def imbalanced(seed: int) -> Trace:
    """Simulate a halo exchange in which one rank always computes longer."""
    rng = np.random.default_rng([seed, 2])
    distribution = sorted(DISTRIBUTIONS)[seed % len(DISTRIBUTIONS)]
    program = noisy(seed, distribution, noise=0.05)
    share = IMBALANCE_SIZE * float(rng.uniform(1, 3))
    return simulate(slow_ranks(program, [int(rng.integers(program.ranks))], share))


def slow_plane(seed: int) -> Trace:
    """Simulate a halo exchange in which all ranks with x = 0 compute longer."""
    rng = np.random.default_rng([seed, 3])
    distribution = sorted(DISTRIBUTIONS)[seed % len(DISTRIBUTIONS)]
    program = noisy(
        seed, distribution, noise=0.05, topology=lattice((6, 4), (False, False))
    )
    ranks = np.flatnonzero(program.topology.coordinates[:, 0] == 0).tolist()
    return simulate(slow_ranks(program, ranks, IMBALANCE_SIZE * rng.uniform(1, 3)))


NULLS: Final[dict[str, Callable[[int], Trace]]] = {
    **{
        f"{name} noise": lambda seed, name=name: simulate(noisy(seed, name))  # type: ignore[misc]
        for name in sorted(DISTRIBUTIONS)
    },
    "collectives": collectives,
    "pipelines": pipeline,
    "starved ranks": lambda seed: pipeline(seed, starved=True),
}
"""Runs in which no delay, wave, imbalance, plane or iteration was planted."""


RESULTS: Final = (
    "profile",
    "identification",
    "logical",
    "delays",
    "wait_sums",
    "critical_path",
)
"""What sentences are about."""


def analysed(trace: Trace, *more: str) -> Analysis:
    """Make the results that sentences are about, and some more."""
    results = Results(trace)
    for name in (*RESULTS, *more):
        results.make(name)
    return results.analysis()


def sentences(analysis: Analysis) -> set[str]:
    """Name what is claimed of a run, in the first line, advice and report."""
    said = set()
    if analysis.delays is not None and len(analysis.delays):
        claims = (late, front, speed, decay)
        said |= {claim.__name__ for claim in claims if claim(analysis, 0).holds}
    for finding in advice_of(analysis):
        said.add(finding.rule)
        evidence = dict(finding.claim.evidence)
        said |= {"direction_share", "last_rank"} & set(evidence)
        said |= {"computes_longer"} if "computation_seconds" in evidence else set()
    identification = analysis.identification
    assert identification is not None
    if shape(identification).holds:
        said.add("shape")
    if sum(part.by == "phase" for part in identification.parts) > 1:
        said.add("phases")
    view = analysis.overview
    if view is not None and states_differ(analysis, view.time).holds:
        said.add("states_differ")
    return said


ROWS: Final[dict[str, tuple[tuple[str, ...], str, Callable[[int], Trace]]]] = {
    "late": ((), "delay", lambda seed: simulate(delayed(seed)[0])),
    "front": ((), "delay", lambda seed: simulate(delayed(seed)[0])),
    "speed": ((), "delay", lambda seed: simulate(delayed(seed)[0])),
    "rank": ((), "slow rank", imbalanced),
    "computes_longer": ((), "slow rank", imbalanced),
    "imbalance": ((), "slow rank", imbalanced),
    "plane": ((), "slow plane", slow_plane),
    "iteration": ((), "delay before a reduction", lambda s: simulate(delayed(s, 1)[0])),
    "states_differ": (("alike",), "noise that is seen", NULLS["exponential noise"]),
    "phases": (("one phase",), "two phases", phases),
    "shape": (("random pairs",), "lattice", NULLS["uniform noise"]),
}
"""Of each sentence the runs without what it says, all of `NULLS` where none is named;
and those with it."""

OTHER_NULLS: Final[dict[str, Callable[[int], Trace]]] = {
    "alike": alike,
    "one phase": lambda seed: phases(seed, 1),
    "random pairs": random_pattern,
}


def count_sentences(simulate_run: Callable[[int], Trace], seeds: range) -> Counter[str]:
    """Count the runs of which each sentence is said."""
    said: Counter[str] = Counter()
    more = []
    if simulate_run in (alike, ROWS["states_differ"][2]):
        more = ["overview"]
    elif simulate_run in (phases, OTHER_NULLS["one phase"]):
        more = ["parts"]
    for seed in seeds:
        said.update(sentences(analysed(simulate_run(seed), *more)))
    return said
