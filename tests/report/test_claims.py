"""Claims: said of what was planted, and not of runs in which nothing was."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from handmade import handmade
from null_runs import DELAY_SIZE, KINDS, ROWS, analysed, count_sentences, delayed
from plain_archive import Archive
from traces import Delay, silent_program, simulate, slow_tests_run

from topoview.io.archive.finding import open_trace
from topoview.model import (
    MIN_EXPLAINED,
    MIN_SAMPLES,
    MIN_SHARE_OF_NOISE,
    NOISE_RATIO,
    Analysis,
    Claim,
    TimeState,
    Trace,
    noise_limit,
)
from topoview.pipeline import first_look
from topoview.report import claims
from topoview.report.advice import advice_of
from topoview.report.claims import (
    MIN_SHARE_APART,
    front,
    late,
    speed,
    stands_out,
    states_differ,
)
from topoview.report.waits.delays import delay_facts, delay_headline, delays_table
from topoview.report.waits.pages import delays_page
from topoview.report.write import page_text

RUNS = 40 if slow_tests_run() else 8
"""Of each kind; `scripts/null_tests.py` makes a thousand."""
FEW_RUNS = 8
US = 1000


@cache
def said_of(kind: str) -> Counter[str]:
    """Count sentences once for all tests: many kinds are looked at by several."""
    return count_sentences(kind, range(RUNS))


@pytest.mark.parametrize("sentence", ROWS)
def test_it_is_not_said_where_nothing_was_planted(sentence: str) -> None:
    for kind in ROWS[sentence][0]:
        assert said_of(kind)[sentence] <= RUNS // 40, kind


def test_states_are_compared_once_for_all_that_is_made_of_a_trace() -> None:
    early = first_look(simulate(silent_program(6, allreduce_every=1)))
    later = replace(early, notes=("One more.",))
    assert states_differ(later, 5) is states_differ(early, 5)
    assert states_differ(later, 6) is not states_differ(early, 5)


@pytest.mark.parametrize("sentence", ROWS)
def test_it_is_said_where_it_was_planted(sentence: str) -> None:
    assert said_of(ROWS[sentence][1])[sentence] >= int(0.95 * RUNS)


def test_the_rank_that_was_late_is_named_with_how_long() -> None:
    for seed in range(FEW_RUNS):
        program, planted_delay = delayed(seed)
        analysis = analysed(simulate(program))
        assert analysis.delays is not None
        assert analysis.delays.rank[0] == planted_delay.rank
        claim = late(analysis.trace, analysis.delays, 0)
        assert claim.holds
        noise = program.noise * program.compute  # hardly ever more than 30 times that
        assert claim.number == pytest.approx(planted_delay.seconds, abs=30 * noise)
        assert planted_delay.seconds >= DELAY_SIZE * noise


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
    analysis = analysed(simulate(program))
    assert analysis.delays is not None
    claim = states_differ(analysis, int(analysis.delays.end[0]) - 5_000_000)
    assert claim.number == pytest.approx(others / 16)
    assert claim.holds == is_said == (others / 16 > MIN_SHARE_APART)


def test_of_very_many_ranks_some_tell_whether_states_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Drawn at random, so that ranks in step with their numbers do not matter."""
    program = silent_program(
        300, iterations=2, allreduce_every=1, delays=(Delay(4, 1, 20e-3),)
    )
    analysis = first_look(simulate(program))
    assert analysis.overview is not None
    times = np.linspace(0, analysis.trace.clock.length, 40).astype(int).tolist()
    exact = [states_differ(analysis, ticks).number for ticks in times]
    assert max(exact) > 0.1
    monkeypatch.setattr(claims, "MAX_RANKS_COMPARED", 200)
    again = replace(analysis, trace=replace(analysis.trace))
    drawn = [states_differ(again, ticks).number for ticks in times]
    assert drawn != exact
    for share, one in zip(exact, drawn, strict=True):
        assert one == pytest.approx(share, abs=4 * (max(share, 0.01) / 200) ** 0.5)


@cache
def analysed_run(kind: str, seed: int) -> Analysis:
    return analysed(KINDS[kind](seed))


@pytest.mark.parametrize("kind", ["delay", "slow rank", "lognormal noise"])
def test_what_is_listed_of_a_front_is_claimed_and_runs_forward(kind: str) -> None:
    for seed in range(FEW_RUNS):
        analysis = analysed_run(kind, seed)
        trace, delays = analysis.trace, analysis.delays
        assert delays is not None
        table = delays_table(trace, delays)
        for delay, hops in enumerate(table["hops_per_iteration"].tolist()):
            claim = speed(trace, delays, delay)
            assert claim.holds == (hops > 0)
            assert not claim.holds or claim.number > claim.error
            if not front(trace, delays, delay).holds:
                assert np.isnan([hops, table["decay_seconds_per_hop"][delay]]).all()


def test_noise_is_listed_only_where_much_is_due_to_it() -> None:
    """Of many delays that are like others the rest is a sum."""
    for kind, seed in product(("starved ranks", "exponential noise"), range(FEW_RUNS)):
        delays = analysed_run(kind, seed).delays
        assert delays is not None
        noise = delays.excess <= delays.noise
        least = MIN_SHARE_OF_NOISE * delays.waiting
        assert (delays.caused[noise] >= least).all()
        assert noise.sum() <= 1 / MIN_SHARE_OF_NOISE
        # nobody waits for long because of what took hardly longer
        longest = delays.excess * (len(delays.of_rank) - 1)
        assert (MIN_EXPLAINED * delays.caused <= longest).all()
        assert delays.caused.sum() + delays.left_out_caused <= delays.waiting


def test_no_computation_is_told_to_be_longer_that_is_not() -> None:
    """Ratios of computation are truth: of the noise, and of what was planted."""
    for kind, seed in product(("slow rank", "delay", "uniform noise"), range(FEW_RUNS)):
        analysis = analysed_run(kind, seed)
        assert analysis.profile is not None
        computed = analysis.profile.state_ticks[:, TimeState.COMPUTE]
        for finding in advice_of(analysis):
            ratio = dict(finding.claim.evidence).get("ratio")
            if finding.rule == "rank" and ratio is not None:
                assert ratio > 1
                assert computed[finding.ranks[0]] > np.median(computed)


def test_a_rank_that_is_always_slow_was_not_late() -> None:
    """Not in its first computation either, of which each rank has one."""
    analysis = analysed_run("slow rank", 19)
    assert "was late" not in delay_headline(analysis, 0)


def test_states_are_compared_once() -> None:
    analysis = analysed_run("delay", 0)
    assert states_differ(analysis, 1000) is states_differ(analysis, 1000)


def test_the_list_says_first_whether_a_rank_was_late() -> None:
    program, planted = delayed(0)
    _, first, *_ = page_text(delays_page(analysed(simulate(program)))).splitlines()
    assert first.startswith(f"Rank {planted.rank} was late by")
    assert "1 hop per iteration" in first
    page = page_text(delays_page(analysed_run("lognormal noise", 0)))
    first = page.splitlines()[1]
    assert first.startswith("No rank was late")


def relayed(stuck: dict[int, int]) -> Trace:
    """Make two lines of three ranks; middle ranks are stuck in a Recv of some turn.

    What they receive was sent long before: they could go on.
    """
    ranks: list[list[tuple[str, int, int]]] = [[] for _ in range(6)]
    messages = []
    now = [0] * 6
    for turn, line in product(range(40), (0, 3)):
        first, middle, last = line, line + 1, line + 2
        rng = np.random.default_rng([turn, line])
        begin = max(now[first], now[middle], now[last]) + 50
        received = begin + 30 + int(rng.integers(5))
        if stuck.get(middle) == turn:
            received += 5000
        ranks[first].append(("Send", begin, begin + 2))
        ranks[middle].append(("Recv", begin + 10, received))
        ranks[middle].append(("Send", received + 10, received + 12))
        ranks[last].append(("Recv", begin + 10, received + 14))
        place = 2 * turn
        messages.append(((first, turn), (middle, place), (middle, place)))
        messages.append(((middle, place + 1), (last, turn), (last, turn)))
        for rank, end in ((first, begin + 2), (middle, received + 12)):
            now[rank] = end + int(rng.integers(5))
        now[last] = received + 14
    return handmade(ranks, messages)


def test_ranks_that_stand_still_together_were_not_late() -> None:
    alone = analysed(relayed({1: 20}))
    headline = delay_headline(alone, 0)
    assert headline.startswith("Rank 1 was late by")
    assert " in Recv, in iteration 21." in headline
    assert "same time" not in delay_facts(alone, 0)
    both = analysed(relayed({1: 20, 4: 20}))
    assert both.delays is not None
    assert both.delays.beside[:2].tolist() == [1, 1]
    page = page_text(delays_page(both))
    assert "was late" not in page
    assert (
        "kept others waiting in Recv, in iteration 21. At the same time 1 other "
        in page
    )
    assert not {"delay", "rank"} & {advice.rule for advice in advice_of(both)}


def test_a_delay_by_the_tracer_is_told_as_that(tmp_path: Path) -> None:
    """The remedy is beside it; the program is not less efficient for it."""
    archive = Archive(2)
    for turn in range(10):
        begin = 1000 * US * (turn + 1) + 5000 * US * (turn > 5)
        sent = begin + 100, "MpiSend", 1, 0, 0, 8
        archive.call(0, begin, begin + 500, "MPI_Send", sent)
        posted = begin - 5000 * US * (turn == 6)
        received = begin + 600, "MpiRecv", 0, 0, 0, 8
        archive.call(1, posted, begin + 700, "MPI_Recv", received)
    flushed = 7000 * US + 1000
    archive.event(0, flushed, "BufferFlush", flushed + 5000 * US - 2000)
    known = analysed(open_trace(archive.write(tmp_path / "trace")))
    assert delay_headline(known, 0) == "Rank 0 was late by 5 ms in iteration 7."
    facts = delay_facts(known, 0)
    assert facts.startswith("Its tracer kept it for 5 ms, ")
    assert "SCOREP_TOTAL_MEMORY" in facts
    assert delays_table(known.trace, known.delays)["call"][0] == "measurement"
    advice = next(each for each in advice_of(known) if each.rule == "delay")
    assert "SCOREP_TOTAL_MEMORY" in advice.text
    assert known.efficiencies is not None
    exchange = known.efficiencies.exchange[0]
    assert exchange.parallel > 0.99
    assert max(exchange.transfer, exchange.serialisation) <= 1


def test_the_delay_that_is_named_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though others cost more, and the list has no room for all."""
    known = analysed(relayed({1: 5, 4: 39}))
    delays = known.delays
    assert delays is not None
    assert delays.rank[:2].tolist() == [1, 4]
    noise = np.append(np.inf, delays.noise[1:])  # the first one is as usual there
    known = replace(known, delays=replace(delays, noise=noise))
    monkeypatch.setattr("topoview.report.waits.pages.MAX_LINES", 1)
    _, first, _, _, *rows = page_text(delays_page(known)).splitlines()
    assert first.startswith("Rank 4 was late by")
    assert [row.split()[0] for row in rows[:2]] == ["1", "4"]
