"""Advice: each sentence has numbers, and they are those of the commands."""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from null_runs import delayed as delayed_once
from simulation import Delay
from traces import (
    Program,
    analysis_of_real,
    examples,
    lattice,
    programs,
    simulate,
    simulated,
)

from topoview.live.waits.waits import changes_to_advice
from topoview.model import Analysis, Call, Each, TimeState
from topoview.pipeline import analyse
from topoview.report.advice import (
    LEAST_SHARE,
    RULES,
    _which_line,
    advice_of,
    advice_record,
)
from topoview.report.waits.pages import statement_texts
from topoview.session import State

WAVE = "sp-jacobi2d-8x4-periodic-idlewave"


@cache
def known_of(name: str) -> Analysis:
    return analysis_of_real(name)


def by_rule(known: Analysis) -> dict[str, dict]:  # type: ignore[type-arg]
    return {one["rule"]: one for one in reversed(advice_record(known))}


def test_the_injected_delay_is_told_with_its_numbers() -> None:
    known = known_of(WAVE)
    told = by_rule(known)["delay"]
    assert told["ranks"] == [5]
    assert told["iteration"] == 9
    assert told["evidence"]["seconds"] == pytest.approx(60e-3, rel=0.1)
    assert told["evidence"]["ranks_reached"] == 31
    assert "its wave reached 31 ranks at 1 hop per iteration" in told["text"]
    assert told["command"].startswith("topoview idle-waves ")
    page = (Path(__file__).parents[2] / "docs" / "methods" / "waits.md").read_text()
    heads = re.findall(r"^## (.*)$", page, re.M)
    anchors = {head.lower().replace(" ", "-") for head in heads}
    links = {one["link"].partition("#")[2] for one in advice_record(known)}
    assert links <= anchors


def test_the_costly_rank_is_compared_with_its_neighbours() -> None:
    known = known_of(WAVE)
    assert known.delays is not None
    assert known.profile is not None
    assert known.identification is not None
    told = by_rule(known)["rank"]
    assert told["ranks"] == [5]
    whole = known.delays.of_rank
    assert told["evidence"]["share"] == pytest.approx(
        whole[5] / known.delays.waiting, abs=1e-9
    )
    edges = known.identification.best.rank_edges.tolist()
    near = [sum(edge) - 5 for edge in edges if 5 in edge]
    assert len(near) == 4
    computed = known.profile.state_ticks[:, 1]
    assert told["evidence"]["ratio"] == pytest.approx(
        computed[5] / computed[near].mean()
    )


NAMES = (WAVE, "ez-cg-8", "app-pennant-12", "sp-rowcol-6x4")


def test_each_card_isolates_what_it_is_about() -> None:
    """Ranks, pair, statement and time: those of its sentence."""
    shown = set()
    late = (Delay(5, 3, 0.05),)
    *_, delayed = analyse(simulated("torus", (4, 3), iterations=12, delays=late))
    reduced = delayed_once(seed=0, allreduce_every=1)[0]
    *_, at_once = analyse(simulate(reduced))
    runs = (*map(known_of, NAMES), delayed, unbalanced(1.4), at_once)
    for known in (*runs, with_a_pair(), with_a_preemption()):
        begin, end = 0, known.trace.clock.length
        for one in advice_of(known):
            changed = changes_to_advice(State(analysis=known), one)
            chosen, window = changed["selection"], changed["window"]
            assert begin <= window[0] < window[1] <= end
            assert chosen.ranks == (() if one.pair else one.ranks)
            if one.delay < 0:
                assert chosen.isolated == one.ranks
            for rank in one.ranks if one.rule != "plane" else ():
                assert re.search(rf"[Rr]ank {rank}\b", one.text)
            assert chosen.edge == (one.pair and tuple(sorted(one.pair)))
            assert chosen.statement == (None if one.statement < 0 else one.statement)
            about = (one.ranks, one.pair, one.statement >= 0, one.iteration > 0)
            assert any(about) or one.rule in ("efficiency", "kind", "wrong_order")
            shown.add(one.rule)
    assert shown == set(RULES)


def with_a_pair() -> Analysis:
    """Let one pair of ranks have half of all waiting."""
    known = known_of(WAVE)
    sums = known.wait_sums
    assert sums is not None
    ticks = sums.pair_ticks.copy()
    ticks[7] = sums.total // 2
    return replace(known, wait_sums=replace(sums, pair_ticks=ticks))


def with_a_preemption() -> Analysis:
    """Let the delay be in a call."""
    known = known_of(WAVE)
    delays = known.delays
    assert delays is not None
    region = delays.region.copy()
    region[0] = known.trace.calls.region[0]
    return replace(known, delays=replace(delays, region=region))


@pytest.mark.parametrize("rule", ["pair", "inside_calls"])
def test_what_is_like_others_is_not_told(rule: str) -> None:
    """Half of the waiting, but of a kind of which there are too few to tell."""
    known = with_a_pair() if rule == "pair" else with_a_preemption()
    assert rule in by_rule(known)
    assert known.wait_sums is not None
    assert known.delays is not None
    few = known.wait_sums.pair_ticks[:9]
    noise = np.full(len(known.delays), np.inf)
    alike = replace(
        known,
        wait_sums=replace(known.wait_sums, pair_ticks=few),
        delays=replace(known.delays, noise=noise),
    )
    assert rule not in by_rule(alike)


def unbalanced(times: float) -> Analysis:
    """Let the ranks with z = 3 of a torus compute so many times as long."""
    more = tuple(
        Delay(rank, turn, (times - 1) * 3e-3)
        for rank in range(3 * 12, 4 * 12)
        for turn in range(10)
    )
    torus = Program(
        lattice((4, 3, 5), (True,) * 3), iterations=10, noise=0.01, delays=more
    )
    *_, known = analyse(simulate(torus))
    return known


def test_a_plane_that_computes_longer_is_told_with_its_ranks() -> None:
    told = by_rule(unbalanced(1.4))["plane"]
    assert told["ranks"] == list(range(36, 48))
    assert told["text"].startswith("The 12 ranks with z = 3 compute 1.")
    assert told["evidence"]["ratio"] == pytest.approx(1.4, abs=0.02)
    assert "plane" not in by_rule(unbalanced(1.02))


def test_a_plane_of_which_one_rank_computes_longer_is_not_told() -> None:
    late = tuple(Delay(7, turn, 3e-3) for turn in range(10))
    *_, known = analyse(simulated("torus", (4, 4), iterations=10, delays=late))
    assert "plane" not in by_rule(known)
    assert by_rule(known)["rank"]["ranks"] == [7]


def test_lines_that_read_alike_are_counted_as_they_are_read() -> None:
    """A line that is read in that of its head is none of those that one sees."""
    ways, state = ("EAST", "WEST"), TimeState.SEND
    one, other = (Call(0, "Send", way, None, None, None, "", state) for way in ways)
    logical = known_of("sp-rowcol-6x4").logical
    assert logical is not None
    logical = replace(logical, body=(one, Each((one, other), True), one), blocks=())
    directions = ("EAST", "EAST", "WEST", "EAST")
    assert statement_texts(logical) == [f"Send to {name}" for name in directions]
    told = [_which_line(logical, k) for k in range(4)]
    first, last = (
        f", number {n} of 2 such statements in the logical trace" for n in (1, 2)
    )
    assert told == [first, "", "", last]


def test_who_a_wave_reaches_stands_out_with_its_origin() -> None:
    """On a chain a wave ends at that of a longer delay: the rest stands back."""
    late = (Delay(2, 3, 20e-3), Delay(9, 3, 80e-3))
    chain = Program(lattice((12,), (False,)), iterations=12, noise=0.0, delays=late)
    *_, known = analyse(simulate(chain))
    delays = known.delays
    assert delays is not None
    some = [one for one in advice_of(known) if one.delay >= 0]
    assert some
    for one in some:
        chosen = changes_to_advice(State(analysis=known), one)["selection"]
        own = slice(delays.offsets[one.delay], delays.offsets[one.delay + 1])
        there = {*delays.wait_rank[own].tolist(), int(delays.rank[one.delay])}
        everybody = len(there) == known.trace.ranks
        assert set(chosen.isolated) == (set() if everybody else there)


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_has_a_number_and_a_command(name: str) -> None:
    known = known_of(name)
    told = advice_of(known)
    assert told
    assert all(a.ticks >= b.ticks for a, b in pairwise(told))
    for one in told:
        assert one.rule in RULES
        assert re.search(r"\d", one.text)
        assert one.claim.evidence
        assert all(np.isfinite(value) for _, value in one.claim.evidence)
        assert one.command.startswith("topoview ")
        assert all(0 <= rank < known.trace.ranks for rank in one.ranks)


@pytest.mark.parametrize(("share", "is_told"), [(0.9, False), (1.1, True)])
def test_what_is_less_than_the_least_share_is_not_told(
    share: float, is_told: bool
) -> None:
    known = known_of(WAVE)
    sums = known.wait_sums
    assert sums is not None
    wrong = np.zeros((2, known.trace.ranks), np.int64)
    wrong[1, 3] = round(share * LEAST_SHARE * sums.total)
    of = replace(sums, wrong_order=wrong)
    assert ("wrong_order" in by_rule(replace(known, wait_sums=of))) == is_told


def test_nothing_is_told_where_nobody_waited() -> None:
    known = known_of(WAVE)
    assert advice_of(replace(known, wait_sums=None)) == ()
    assert advice_of(replace(known, delays=None)) == ()


@examples(15)
@given(programs())
def test_shares_are_shares(program: Program) -> None:
    *_, known = analyse(simulate(program))
    for one in advice_of(known):
        for name, value in one.claim.evidence:
            if name.endswith("share"):
                assert 0 <= value <= 1.001
