"""Runs with and without something planted: what is said of them, and what may be.

Of runs without a delay, a wave, an imbalance, a phase or a pattern at most one in a
hundred may get the sentence; of those with one above a stated size 95 must.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import networkx as nx
import numpy as np
from handmade import handmade
from patterns import Stage, both_ways, run
from scipy.sparse import coo_array
from simulation import DISTRIBUTIONS, Delay, Program, silent_program, simulate
from traces import graph_topology

from topoview.model import Analysis, Clock, CommunicationMatrix, Topology, Trace
from topoview.pipeline import RESULTS, Result, Results
from topoview.report.advice import advice_of
from topoview.report.claims import (
    decay,
    front,
    late,
    phases,
    shape,
    speed,
    states_differ,
)
from topoview.topology import identify, lattice

TOPOLOGIES: Final = (
    ((16,), (True,)),
    ((20,), (False,)),
    ((4, 4), (True, True)),
    ((6, 4), (False, False)),
    ((4, 3, 2), (True, True, False)),
)
"""Lattices of 16 to 24 ranks: sizes, and which dimensions wrap."""

RANKS: Final = (16, 24)

LENGTHS: Final = (18, 27)
"""Numbers of ranks, where no topology tells it, and of iterations."""

PAIRS: Final = graph_topology(nx.from_edgelist([(k, k + 1) for k in range(0, 24, 2)]))
"""Ranks of which each has one partner."""

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
        "iterations": int(rng.choice(LENGTHS)),
        "noise": float(rng.choice(NOISES)),
        "allreduce_every": int(rng.choice([0, 0, 4])),
        "compute": COMPUTE,
        "distribution": distribution,
        "seed": seed,
    }
    return Program(**(fields | options))  # type: ignore[arg-type]


def reducing(seed: int, **options: object) -> Program:
    """Describe ranks that only reduce, with noise of any kind."""
    rng = np.random.default_rng(seed)
    fields = {
        "iterations": int(rng.choice(LENGTHS)),
        "noise": float(rng.choice(NOISES)),
        "distribution": str(rng.choice(sorted(DISTRIBUTIONS))),
        "allreduce_every": 1,
        "compute": COMPUTE,
        "seed": seed,
    }
    return silent_program(int(rng.choice(RANKS)), **(fields | options))


def pipeline(seed: int, starved: bool = False) -> Trace:
    """Simulate a pipeline: each rank computes what the one before it has sent.

    A starved one computes next to nothing: its ranks wait for messages all the time.
    """
    rng = np.random.default_rng(seed)
    ranks, items = int(rng.choice(RANKS)), int(rng.choice(LENGTHS))
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


def two_phases(seed: int) -> Trace:
    """Exchange messages on a torus, then between random partners."""
    rng = np.random.default_rng(seed)
    torus = both_ways(lattice((4, 4), (True, True)).edges)
    partner = rng.permutation(16)
    stages = [
        Stage(torus, int(rng.integers(4, 12))),
        Stage(list(enumerate(partner.tolist())), int(rng.integers(8, 16))),
    ]
    return run(len(partner), stages)[0]


def random_pattern(seed: int) -> Trace:
    """Exchange messages between random pairs of ranks."""
    rng = np.random.default_rng(seed)
    ranks = RANKS[0]
    graph = nx.gnm_random_graph(ranks, int(rng.integers(2, 5)) * ranks // 2, seed=seed)
    pattern = graph_topology(graph)
    return simulate(Program(pattern, ranks=ranks, iterations=2, noise=0.2, seed=seed))


def random_traffic(seed: int) -> CommunicationMatrix:
    """Let random pairs of 4 to 64 ranks exchange much, and others little.

    Half of the heavy graphs are connected; bytes are equal, or uniform, or lognormal.
    At most three quarters of all pairs communicate, or it is nearly an all-to-all.
    """
    rng = np.random.default_rng([seed, 4])
    ranks = int(rng.integers(4, 65))
    heavy: set[tuple[int, int]] = set()
    if rng.integers(2):
        place = rng.permutation(ranks)
        tree = ((place[k], place[rng.integers(k)]) for k in range(1, ranks))
        heavy = {(int(min(pair)), int(max(pair))) for pair in tree}
    every = rng.permutation(list(combinations(range(ranks), 2)))
    most = 3 * len(every) // 4
    wanted = min(max(int(rng.uniform(1.2, 6) * ranks / 2), ranks // 2), most)
    for u, v in every.tolist():
        if len(heavy) < wanted:
            heavy.add((u, v))
    rest = [(u, v) for u, v in every.tolist() if (u, v) not in heavy]
    light = rest[: min(int(rng.integers(len(heavy) + 1)), most - len(heavy))]
    spread = rng.integers(3)
    factor = {
        0: np.ones(len(heavy)),
        1: rng.uniform(1, 3, len(heavy)),
        2: rng.lognormal(0, 1, len(heavy)),
    }[int(spread)]
    amounts = {
        pair: (20, int(20 * 8192 * own))
        for pair, own in zip(sorted(heavy), factor.tolist(), strict=True)
    }
    return pair_matrix(ranks, amounts | dict.fromkeys(light, (1, 96)))


def heavy_lattice(seed: int) -> CommunicationMatrix:
    """Let neighbours in a lattice exchange much, and all others a little with one."""
    rng = np.random.default_rng([seed, 5])
    axes = int(rng.integers(1, 4))
    least, most = ((12, 64), (4, 8), (3, 5))[axes - 1]
    dims = tuple(rng.integers(least, most + 1, axes).tolist())
    made = lattice(dims, tuple(bool(wraps) for wraps in rng.integers(2, size=axes)))
    ranks = made.vertices
    place = rng.permutation(ranks)
    light = place[[(0, k) for k in range(1, ranks)]]
    amounts = {(min(p), max(p)): (1, 96) for p in light.tolist()}
    heavy = place[made.edges].tolist()
    amounts |= {(min(p), max(p)): (20, 20 * 8192) for p in heavy}
    return pair_matrix(ranks, amounts)


def pair_matrix(
    ranks: int, amounts: dict[tuple[int, int], tuple[int, int]]
) -> CommunicationMatrix:
    """Make the matrix of what pairs of ranks exchange: messages and bytes each way."""
    u, v = np.array(list(amounts)).T
    calls, volume = np.array(list(amounts.values())).T
    ends = np.concatenate((u, v)), np.concatenate((v, u))
    calls, volume = (
        coo_array((np.tile(amount, 2), ends), shape=(ranks, ranks)).tocsr()
        for amount in (calls, volume)
    )
    return CommunicationMatrix.of_sparse(calls, volume)


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
    return replace(program, delays=(late_once,)), late_once


def slow_ranks(program: Program, ranks: list[int], share: float) -> Program:
    """Let some ranks compute longer in each iteration."""
    delays = tuple(
        Delay(rank, turn, share * program.compute)
        for rank in ranks
        for turn in range(program.iterations)
    )
    return replace(program, delays=delays)


def undamped(seed: int) -> Trace:
    """Simulate a halo exchange without noise in which a rank is late once."""
    return simulate(replace(delayed(seed)[0], noise=0.0))


def imbalanced(seed: int, program: Program | None = None) -> Trace:
    """Simulate a run in which one rank always computes longer: a halo exchange."""
    rng = np.random.default_rng([seed, 2])
    if program is None:
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
    "collectives": lambda seed: simulate(reducing(seed)),
    "pipelines": pipeline,
    "starved ranks": lambda seed: pipeline(seed, starved=True),
}
"""Runs in which no delay, wave, imbalance, plane or iteration was planted."""


MADE: Final = (
    "profile",
    "overview",
    "identification",
    "logical",
    "delays",
    "wait_sums",
    "critical_path",
    "efficiencies",
)
"""Results that sentences are about."""

OF_CALLS: Final = ("identification", "logical", "positions")
"""Those that only depend on which calls there are, not on when."""

_KEPT: Final[dict[tuple[bytes, str], Any]] = {}
"""Results by the calls of their runs: they take most of the time, and runs that differ
by times alone have the same."""


def analysed(trace: Trace, names: Iterable[str] = MADE) -> Analysis:
    """Make the results that sentences are about."""
    calls, messages = trace.calls, trace.messages
    columns = (
        *(calls.offsets, calls.region, trace.collectives.call),
        *(messages.send_call, messages.receive_call, messages.size, messages.tag),
    )
    key = hashlib.sha256(b"|".join(c.tobytes() for c in columns)).digest()
    results = Results(trace, table=RESULTS | {n: _kept(key, n) for n in OF_CALLS})
    for name in names:
        results.make(name)
    return results.analysis()


def _kept(key: bytes, name: str) -> Result:
    """Give a result as it was made of other calls like these, or how to make it."""
    whole = RESULTS[name]
    if (key, name) in _KEPT:
        return replace(whole, make=lambda *_: _KEPT[key, name], of=())

    def make(*given: Any) -> Any:  # noqa: ANN401 - a result
        made = _KEPT[key, name] = whole.make(*given)
        return made

    return replace(whole, make=make)


def sentences(analysis: Analysis) -> set[str]:
    """Name what is claimed of a run, in the first line, advice, delays and report."""
    said, trace, delays = set(), analysis.trace, analysis.delays
    if delays is not None and len(delays):
        claims = (late, front, speed, decay)
        for delay in range(len(delays)):
            said |= {c.__name__ for c in claims if c(trace, delays, delay).holds}
    for finding in advice_of(analysis):
        said.add(finding.rule)
        evidence = dict(finding.claim.evidence)
        said |= {"last_rank"} & set(evidence)
        said |= {"computes_longer"} if "computation_seconds" in evidence else set()
    identification = analysis.identification
    if identification is not None:
        said |= {c.__name__ for c in (shape, phases) if c(identification).holds}
        kind = identification.best.topology.kind
        said |= {"name"} if kind not in ("none", "unknown") else set()
    view = analysis.overview
    if view is not None and states_differ(analysis, view.time).holds:
        said.add("states_differ")
    return said


FEW_RANKS: Final = 7
"""Of which random pairs are a topology to the last one now and then."""


def names(matrix: CommunicationMatrix) -> set[str]:
    """Say whether pairs are named, and not because they are a topology of one piece.

    Few ranks often are: each graph of four ranks has a name, and so has each tree of a
    few that the heavy pairs are.
    """
    best = identify(matrix).best
    if not best.topology.is_named:
        return set()
    left = matrix.calls.nnz // 2 - best.matched
    if matrix.ranks <= FEW_RANKS and best.topology.vertices == matrix.ranks:
        left = best.extra  # the light pairs may be others
    whole = not (left or best.missing or best.topology.factors)
    return {"whole"} if whole else {"topology"}


OTHER_NULLS: Final[dict[str, Callable[[int], Trace | CommunicationMatrix]]] = {
    "alike": alike,
    "delay without noise": undamped,
    "random pairs": random_pattern,
    "light and heavy pairs": random_traffic,
}
"""Runs in which all ranks are alike, no wave decays, or no pattern was planted."""

PLANTED: Final[dict[str, Callable[[int], Trace | CommunicationMatrix]]] = {
    "delay": lambda seed: simulate(delayed(seed)[0]),
    "delay before a reduction": lambda seed: simulate(delayed(seed, 1)[0]),
    "slow rank": imbalanced,
    "slow rank of reductions": lambda s: imbalanced(s, reducing(s, noise=0.05)),
    "slow rank of a pair": lambda s: imbalanced(
        s, noisy(s, "uniform", noise=0.05, topology=PAIRS, allreduce_every=0)
    ),
    "slow plane": slow_plane,
    "two phases": two_phases,
    "noise that is seen": NULLS["exponential noise"],
    "lattice": NULLS["uniform noise"],
    "heavy lattice": heavy_lattice,
}
"""Runs with something of the size that is stated."""

KINDS: Final = NULLS | OTHER_NULLS | PLANTED

ENOUGH: Final = {
    "alike": ("overview",),
    "random pairs": ("identification",),
    "two phases": ("parts",),
    "noise that is seen": ("overview",),
    "lattice": ("identification",),
}
"""Results of kinds of runs of which one sentence is looked for."""

ROWS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "late": ((*NULLS, "slow rank"), "delay"),
    "front": ((*NULLS, "delay before a reduction"), "delay"),
    "speed": ((*NULLS, "delay before a reduction"), "delay"),
    "decay": ((*NULLS, "delay without noise"), "delay"),
    "rank": (tuple(NULLS), "slow rank"),
    "computes_longer": (tuple(NULLS), "slow rank"),
    "imbalance": (tuple(NULLS), "slow rank"),
    "plane": (tuple(NULLS), "slow plane"),
    "last_rank": (tuple(NULLS), "slow rank of reductions"),
    "pair": (tuple(NULLS), "slow rank of a pair"),
    "iteration": (tuple(NULLS), "delay before a reduction"),
    "phases": (tuple(NULLS), "two phases"),
    "states_differ": (("alike",), "noise that is seen"),
    "shape": (("random pairs",), "lattice"),
    "topology": (("light and heavy pairs",), "heavy lattice"),
}
"""Of each sentence the runs without what it says, and those with it."""


def count_sentences(kind: str, seeds: Iterable[int]) -> Counter[str]:
    """Count the runs of a kind of which each sentence is said."""
    said: Counter[str] = Counter()
    for seed in seeds:
        run = KINDS[kind](seed)
        if isinstance(run, CommunicationMatrix):
            said.update(names(run))
        else:
            said.update(sentences(analysed(run, ENOUGH.get(kind, MADE))))
    return said
