"""Claims: said of what was planted, and not of runs in which nothing was."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from null_runs import (
    DELAY_SIZE,
    NULLS,
    OTHER_NULLS,
    ROWS,
    analysed,
    count_sentences,
    delayed,
)
from traces import Delay, silent_program, simulate, slow_tests_run

from topoview.model import MIN_SAMPLES, NOISE_RATIO, Claim, noise_limit
from topoview.report.claims import MIN_SHARE_APART, late, stands_out, states_differ

RUNS = 40 if slow_tests_run() else 5

KINDS = NULLS | OTHER_NULLS


@cache
def without(kind: str) -> Counter[str]:
    return count_sentences(KINDS[kind], range(RUNS))


@cache
def planted(kind: str) -> Counter[str]:
    made = {row[1]: row[2] for row in ROWS.values()}
    return count_sentences(made[kind], range(RUNS))


@pytest.mark.parametrize("sentence", ROWS)
def test_it_is_not_said_where_nothing_was_planted(sentence: str) -> None:
    for kind in ROWS[sentence][0] or NULLS:
        assert without(kind)[sentence] <= RUNS // 40


@pytest.mark.parametrize("sentence", ROWS)
def test_it_is_said_where_it_was_planted(sentence: str) -> None:
    assert planted(ROWS[sentence][1])[sentence] >= int(0.95 * RUNS)


def test_the_rank_that_was_late_is_named_with_how_long() -> None:
    for seed in range(RUNS):
        program, planted_delay = delayed(seed)
        analysis = analysed(simulate(program))
        assert analysis.delays is not None
        assert analysis.delays.rank[0] == planted_delay.rank
        claim = late(analysis, 0)
        assert claim.holds
        assert claim.number == pytest.approx(planted_delay.seconds, rel=0.1)
        assert planted_delay.seconds >= DELAY_SIZE * program.noise * program.compute


def test_a_claim_holds_above_its_least_beyond_its_error() -> None:
    assert Claim("a", 1.3, error=0.2, least=1.0).holds
    assert not Claim("a", 1.3, error=0.3, least=1.0).holds
    assert not Claim("a", float("nan")).holds
    assert not Claim("a", 1.0, error=float("inf")).holds
    assert Claim("a", 1.0, needs=(Claim("b", 1.0),)).holds
    assert not Claim("a", 1.0, needs=(Claim("b", 0.0),)).holds


def test_noise_reaches_some_times_as_far_as_few_numbers_do() -> None:
    """By hand: the lower median of 16 is 7, and the two largest do not count."""
    values = np.arange(MIN_SAMPLES)
    limit = 7 + NOISE_RATIO * (14 - 7)
    assert noise_limit(np.random.default_rng(0).permutation(values)) == limit
    beside = np.append(values[:-1], 10_000)  # what is looked for is no noise
    assert noise_limit(beside) == limit
    assert noise_limit(values[1:]) == float("inf")


@pytest.mark.parametrize(("most", "is_said"), [(59, False), (60, True)])
def test_one_rank_stands_out_beyond_noise(most: int, is_said: bool) -> None:
    values = np.append(np.arange(MIN_SAMPLES - 1), most)
    assert noise_limit(values) == 7 + NOISE_RATIO * 7 == 59.5
    assert stands_out("rank", values).holds == is_said
    assert not stands_out("rank", values, times_mean=20).holds


@pytest.mark.parametrize(("others", "is_said"), [(2, True), (1, False)])
def test_states_differ_where_a_tenth_of_ranks_is_in_another(
    others: int, is_said: bool
) -> None:
    """Of 16 ranks some compute on while all others wait."""
    late_ranks = tuple(Delay(rank, 5, 20e-3) for rank in range(others))
    program = silent_program(
        16, iterations=8, noise=0.0, allreduce_every=1, delays=late_ranks
    )
    analysis = analysed(simulate(program), "overview")
    assert analysis.delays is not None
    claim = states_differ(analysis, int(analysis.delays.end[0]) - 5_000_000)
    assert claim.number == pytest.approx(others / 16)
    assert claim.holds == is_said == (others / 16 > MIN_SHARE_APART)
