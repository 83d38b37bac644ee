"""What a delay costs the exchange: as much as the same program without it tells."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from traces import (
    BUNDLED_NAMES,
    Delay,
    Program,
    lattice,
    results_of_real,
    results_of_small,
    simulate,
)

from topoview.analysis.waits.costs.replay import replay_of, ticks_saved
from topoview.model import Ints, Trace

RANK, ITERATION = 9, 6

RUNS: tuple[dict[str, Any], ...] = tuple(
    {
        "topology": lattice(*shape),
        "noise": noise,
        "distribution": distribution,
        "eager_limit": eager,
        "allreduce_every": every,
        "seed": seed,
    }
    for seed, (shape, noise, distribution, eager, every) in enumerate(
        [
            (((32,), (True,)), 0.0, "exponential", 65536, 0),
            (((32,), (False,)), 0.05, "exponential", 65536, 0),
            (((64,), (True,)), 0.2, "uniform", 1024, 0),
            (((6, 6), (True, True)), 0.0, "exponential", 1024, 0),
            (((6, 6), (False, False)), 0.05, "lognormal", 65536, 5),
            (((8, 4), (True, False)), 0.2, "half-normal", 65536, 0),
            (((8, 4), (True, True)), 0.5, "exponential", 1024, 4),
            (((4, 4, 4), (False,) * 3), 0.05, "uniform", 65536, 0),
            (((4, 4, 4), (True,) * 3), 0.2, "exponential", 1024, 0),
            (((16, 16), (False, False)), 0.5, "uniform", 65536, 7),
        ]
    )
)


@pytest.mark.parametrize("seconds", [5e-3, 30e-3])
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_a_delay_costs_what_the_run_without_it_is_shorter_by(
    number: int, seconds: float
) -> None:
    """Compare with the same program and the same noise without the delay."""
    program = Program(delays=(Delay(RANK, ITERATION, seconds),), **RUNS[number])
    late, other = simulate(program), simulate(replace(program, delays=()))
    results = results_of_small(late)
    longer = _computation(late) - _computation(other)
    piece, second = 2 * int(longer.argmax()), late.clock.resolution
    less = int(longer.max())
    assert less == pytest.approx(seconds * second, abs=1)
    end = results.make("outline").exchange[1]
    replay = replay_of(late, results.make("waits"), end)
    saved = ticks_saved(replay, np.array([piece]), np.array([less]))[0]
    shorter = late.clock.length - other.clock.length
    assert saved == pytest.approx(shorter, rel=0.05, abs=0.02 * less)
    delays = results.make("delays")
    if delays.excess[0] > 0.8 * less and delays.rank[0] == RANK:
        told = late.clock.length - int(delays.saved[0])
        assert told == pytest.approx(other.clock.length, rel=0.05)


def _computation(trace: Trace) -> Ints:
    """Ticks between each call and the end of the one before it."""
    calls = trace.calls
    return np.r_[0, calls.enter[1:] - calls.leave[:-1]]


@pytest.mark.parametrize("name", BUNDLED_NAMES)
def test_what_is_not_changed_ends_when_it_did(name: str) -> None:
    results = results_of_real(name)
    trace, waits = results.trace, results.make("waits")
    if waits is None:
        return
    replay = replay_of(trace, waits, trace.clock.length)
    some = np.flatnonzero(np.diff(replay.offsets))
    ends = replay.without(0, 0)[some].tolist()
    assert ends == replay.leave[replay.offsets[some + 1] - 1].tolist()
