"""How fast waves travel: predicted and measured, beside a simulation in plain loops."""

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from handmade import handmade
from traces import alternately, results_of_small

from topoview.analysis.waits.costs.replay import replay_of
from topoview.analysis.waits.fronts import predicted_front
from topoview.model import Clock, Floats, Trace
from topoview.pipeline import Results
from topoview.report.claims import pace, predicted_pace, speed

COMPUTE, LATENCY, OVERHEAD = 3_000_000, 4_000, 500
"""Nanoseconds that ranks compute, a message is under way, and a call takes."""

Place = tuple[int, ...]


@dataclass
class Exchange:
    """A program on a lattice, whose ranks send to neighbours at some distances.

    `waits` are `grouped` (one Waitall), or `separate` (one for each way and distance).
    """

    dims: Place
    periodic: bool = False
    distances: Place = (1,)
    both_ways: bool = True
    rendezvous: bool = False
    waits: str = "grouped"
    noise: float = 0.0
    iterations: int = 24
    late: tuple[int, int, int] | None = None
    """Rank, iteration, nanoseconds."""
    seed: int = 0
    calls: list[list[tuple[str, int, int]]] = field(default_factory=list)
    messages: list[list[Any]] = field(default_factory=list)

    def neighbours(self, rank: int, distance: int, sign: int) -> list[int]:
        """List those to one side of a rank, axis by axis."""
        there, before = [], 1
        for side in self.dims:
            x = rank // before % side + sign * distance
            if self.periodic or 0 <= x < side:
                there.append(rank + (x % side - rank // before % side) * before)
            before *= side
        return there

    def hops(self, origin: int) -> dict[int, int]:
        found, queue = {origin: 0}, deque([origin])
        while queue:
            rank = queue.popleft()
            for distance, sign in product(self.distances, (1, -1)):
                for other in self.neighbours(rank, distance, sign):
                    if other not in found:
                        found[other] = found[rank] + 1
                        queue.append(other)
        return found

    def program(self, rank: int) -> list[tuple[Any, ...]]:
        """List what a rank does in an iteration."""
        signs = (1, -1) if self.both_ways else (1,)
        steps: list[tuple[Any, ...]] = [("compute",)]
        groups = [[each] for each in product(self.distances, signs)]
        if self.waits != "separate":
            groups = [[each for group in groups for each in group]]
        for every in groups:
            for d, s in every:
                steps += [("Irecv", n, d * s) for n in self.neighbours(rank, d, -s)]
            for d, s in every:
                steps += [("Isend", n, d * s) for n in self.neighbours(rank, d, s)]
            steps.append(("Waitall",))
        return steps

    def run(self) -> list[list[int]]:  # noqa: C901 - what ranks do, line by line
        """Go through all; return when each rank ends each iteration."""
        n = int(np.prod(self.dims))
        rng = np.random.default_rng(self.seed)
        noise = rng.exponential(self.noise, (self.iterations, n))
        work = (COMPUTE * (1 + noise)).astype(int).tolist()
        if self.late:
            work[self.late[1]][self.late[0]] += self.late[2]
        todo = [self.program(rank) * self.iterations for rank in range(n)]
        self.calls, self.messages = [[] for _ in range(n)], []
        place, now, turn = [0] * n, [1000] * n, [0] * n
        ends: list[list[int]] = [[] for _ in range(n)]
        sent: dict[Any, int] = {}
        posted: dict[Any, int] = {}
        of: dict[Any, list[Any]] = {}
        open_: list[list[tuple[bool, Any]]] = [[] for _ in range(n)]
        moved = True

        def complete(sends: bool, key: Any) -> int | None:  # noqa: ANN401
            """Tell when a request completes; None if that is not known yet."""
            if sends and not self.rendezvous:
                return sent[key]
            if key not in sent or (self.rendezvous and key not in posted):
                return None
            if self.rendezvous:
                return max(sent[key], posted[key]) + 3 * LATENCY
            return sent[key] + LATENCY

        while moved:
            moved = False
            for r in range(n):
                while place[r] < len(todo[r]):
                    name, *more = todo[r][place[r]]
                    end = now[r] + OVERHEAD
                    if name == "compute":
                        now[r] += work[turn[r]][r]
                    elif name in ("Irecv", "Isend"):
                        to_r = name == "Irecv"
                        pair = (more[0], r) if to_r else (r, more[0])
                        key = (*pair, more[1], turn[r])
                        (posted if to_r else sent).setdefault(key, end)
                        row = of.setdefault(key, [None] * 4)
                        row[1 if to_r else 0] = (r, len(self.calls[r]))
                        open_[r].append((not to_r, key))
                        self.calls[r].append((name, now[r], end))
                        now[r] = end + OVERHEAD
                    else:
                        times = [complete(*each) for each in open_[r]]
                        if None in times:
                            break
                        end = max([end, *times])  # type: ignore[list-item]
                        for sends, key in open_[r]:
                            of[key][3 if sends else 2] = (r, len(self.calls[r]))
                        open_[r].clear()
                        self.calls[r].append((name, now[r], end))
                        now[r] = end + OVERHEAD
                    place[r] += 1
                    moved = True
                    if place[r] % (len(todo[r]) // self.iterations) == 0:
                        ends[r].append(now[r])
                        turn[r] += 1
        assert all(len(each) == self.iterations for each in ends)
        self.messages = list(of.values())
        return ends

    def trace(self) -> Trace:
        """Make a trace of what was run."""
        trace = handmade(self.calls, [tuple(row) for row in self.messages])
        size = 1 << 20 if self.rendezvous else 8
        messages = replace(
            trace.messages, size=np.full(len(trace.messages), size, np.int64)
        )
        clock = Clock(10**9, trace.clock.length)
        return replace(trace, messages=messages, clock=clock)

    def speeds(self, with_: list[list[int]]) -> tuple[float, float]:
        """Tell how many hops a front travels an iteration and a second.

        `with_` are the ends of its iterations, of which without the delay are made.
        """
        assert self.late is not None
        without = replace(self, late=None, calls=[], messages=[]).run()
        hops = self.hops(self.late[0])
        rows = []
        for rank, (late, usual) in enumerate(zip(with_, without, strict=True)):
            behind = [
                a - b > self.late[2] // 2 for a, b in zip(late, usual, strict=True)
            ]
            if hops[rank] and any(behind):
                turn = behind.index(True)
                rows.append((hops[rank], turn, late[turn]))
        h = sorted({row[0] for row in rows})
        turn, end = (
            [np.median([row[k] for row in rows if row[0] == hop]) for hop in h]
            for k in (1, 2)
        )
        return 1 / np.polyfit(h, turn, 1)[0], 1e9 / np.polyfit(h, end, 1)[0]


LATE = 20 * COMPUTE
SHAPES = {
    "open": ((40,), False, 14),
    "ring": ((40,), True, 14),
    "torus": ((12, 12), True, 9),
}
"""Sizes of lattices, whether they are periodic, and iterations."""


def program(
    shape: str, distances: Place, ways: str, protocol: str, waits: str, noise: float
) -> Exchange:
    dims, periodic, iterations = SHAPES[shape]
    middle = sum(side // 2 * dims[0] ** k for k, side in enumerate(dims))
    return Exchange(
        dims=dims,
        periodic=periodic,
        distances=distances,
        both_ways=ways == "both ways",
        rendezvous=protocol == "rendezvous",
        waits=waits,
        noise=noise,
        iterations=iterations,
        late=(middle, 3, LATE),
    )


KINDS = list(
    product(
        SHAPES,
        ((1,), (1, 2)),
        ("both ways", "one way"),
        ("eager", "rendezvous"),
        ("grouped", "separate"),
    )
)


MANY_SPEEDS = (
    ("torus", (1,), "both ways", "eager", "separate"),
    ("torus", (1, 2), "one way", "eager", "grouped"),
)
"""In some directions waves are faster: no one speed is predicted."""

COMES_BACK = (
    ("ring", (1, 2), "one way", "eager", "separate"),
    ("torus", (1, 2), "both ways", "eager", "separate"),
)
"""The wave is soon back, and seen to travel nowhere."""


# of each four: eager and grouped, rendezvous and separate; the other two slowly
@pytest.mark.parametrize(
    "kind", alternately([KINDS[k ^ (k >> 1 & 1)] for k in range(len(KINDS))])
)
def test_speeds_are_predicted_and_measured(
    kind: tuple[str, Place, str, str, str],
) -> None:
    one = program(*kind, noise=0.05)
    truth = np.array(one.speeds(one.run()))
    results = results_of_small(one.trace())
    trace, delays = results.trace, results.make("delays")
    assert one.late is not None
    assert delays.rank[0] == one.late[0]
    predicted = predicted_of(results)[0]
    if kind[-1] == "grouped" or kind[1] == (1,):
        assert np.isnan(predicted).any() == (kind in MANY_SPEEDS)
    said = ~np.isnan(predicted)
    assert predicted[said] == pytest.approx(truth[said], rel=0.05)
    measured = [speed(trace, delays, 0), pace(trace, delays, 0)]
    travels = kind not in COMES_BACK
    assert [each.holds for each in measured] == [travels] * 2
    if travels:
        numbers = [each.number for each in measured]
        assert numbers == pytest.approx(truth, rel=0.05)
    both = not np.isnan(predicted).any()
    assert predicted_pace(trace, delays, 0).holds == both


def predicted_of(results: Results) -> Floats:
    """Predict the speeds, whether or not a front is seen to travel."""
    trace, edges = results.trace, results.make("identification").best.rank_edges
    replay = replay_of(
        trace, results.make("waits"), results.make("outline").exchange[1]
    )
    predicted = predicted_front(trace, replay, results.make("positions"), edges)
    predicted[:, 1] *= trace.clock.resolution
    return predicted


@pytest.mark.parametrize("distances", [(1,), (1, 2)])
@pytest.mark.parametrize("ways", ["both ways", "one way"])
@pytest.mark.parametrize("protocol", ["eager", "rendezvous"])
@pytest.mark.parametrize("waits", ["grouped", "separate"])
def test_without_noise_it_is_the_formula(
    distances: Place, ways: str, protocol: str, waits: str
) -> None:
    """Sigma hops over the time of an iteration; each as far as the farthest neighbour.

    Sigma is 2 where sends wait for receives, and one way is waited for after the other.
    """
    if waits == "separate" and len(distances) > 1:
        return
    one = program("ring", distances, ways, protocol, waits, 0.0)
    ends = replace(one, late=None).run()[0]
    seconds = (ends[-1] - ends[4]) / (len(ends) - 5) / 1e9
    twice = (ways, protocol, waits) == ("both ways", "rendezvous", "separate")
    sigma = 2 if twice else 1
    one.run()
    predicted = predicted_of(results_of_small(one.trace()))[0]
    assert predicted == pytest.approx([sigma, sigma / seconds], rel=0.02)
