"""Phases are those that a program went through, to the message."""

import numpy as np
import pytest
import traces
from hypothesis import given, settings
from hypothesis import strategies as st
from patterns import Stage, both_ways, run

from topoview.analysis.partner_cuts import move_edges
from topoview.analysis.parts import phase_parts
from topoview.analysis.phases import Phases, find_phases
from topoview.model import Topology
from topoview.report.identification import part_lines
from topoview.topology import lattice


def stages(n: int, order: np.ndarray, counts: list[int]) -> list[Stage]:
    """Alternate between a torus and exchanges with a partner across it."""
    torus = both_ways(order[lattice((n, n), (True, True)).edges])
    here = np.arange(n * n)
    there = (here % n) * n + here // n
    across = [(int(order[a]), int(order[b])) for a, b in zip(here, there, strict=True)]
    return [
        Stage(torus if i % 2 == 0 else across, times) for i, times in enumerate(counts)
    ]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(4, 7),
    st.integers(0, 99),
    st.lists(st.integers(4, 12), min_size=2, max_size=7),
    st.booleans(),
)
def test_every_message_is_in_its_phase(
    n: int, seed: int, counts: list[int], receives: bool
) -> None:
    order = np.random.default_rng(seed).permutation(n * n)
    counts = [c if i % 2 == 0 else c + 2 for i, c in enumerate(counts)]
    trace, truth = run(n * n, stages(n, order, counts), receives=receives)
    found = find_phases(trace)
    assert found is not None
    assert found.kind.tolist() == [i % 2 for i in range(len(counts))]
    assert np.array_equal(found.of_message, truth)
    assert (found.begin < found.end).all()


@settings(max_examples=25, deadline=None)
@given(traces.topologies(), st.integers(3, 30), st.integers(0, 99))
def test_one_pattern_has_no_phases(pattern: Topology, times: int, seed: int) -> None:
    ranks = pattern.vertices
    order = np.random.default_rng(seed).permutation(ranks)
    trace, _ = run(ranks, [Stage(both_ways(order[pattern.edges]), times)])
    assert find_phases(trace) is None


def test_many_repetitions_are_told_by_kind() -> None:
    trace, truth = run(36, stages(6, np.arange(36), [2, 8] * 40))
    found = find_phases(trace)
    assert found is not None
    assert found.kind.tolist() == [0, 1]
    assert found.times.tolist() == [40, 40]
    assert np.array_equal(found.of_message, truth % 2)


def test_regions_of_the_user_name_phases() -> None:
    made = stages(4, np.arange(16), [1, 1, 1, 1])
    named = [
        Stage(s.messages, s.times, ("halo", "turn")[i % 2]) for i, s in enumerate(made)
    ]
    trace, truth = run(16, named)
    found = find_phases(trace)
    assert found is not None
    assert found.names == ("halo", "turn")
    assert np.array_equal(found.of_message, truth)


def test_regions_with_the_same_pattern_are_no_phases() -> None:
    halo = stages(4, np.arange(16), [3])[0]
    trace, _ = run(16, [Stage(halo.messages, 3, name) for name in ("a", "b", "a")])
    assert find_phases(trace) is None


def test_ranks_that_take_part_in_one_phase_only() -> None:
    """The upper half also exchanges rings; the lower half knows one phase."""
    torus = both_ways(lattice((6, 6), (True, True)).edges)
    ring = [(r, (r + 7) % 36) for r in range(36)]
    some = [pair for pair in ring if pair[0] % 6 < 4]
    trace, truth = run(36, [Stage(torus, 6), Stage(some, 12), Stage(torus, 6)])
    found = find_phases(trace)
    assert found is None or np.mean(found.of_message == truth) > 0.95


@pytest.mark.parametrize("name", ["sp-twophase-6x6-user-metrics"])
def test_a_real_program_with_two_phases(name: str) -> None:
    trace = traces.read_real(name)
    parts = phase_parts(trace)
    assert [part.name for part in parts] == [str(i) for i in range(1, 9)]
    assert [part.remark for part in parts] == ["halo", "transpose"] * 4
    assert {p.matches[0].topology.name for p in parts[::2]} == {"2D torus 6x6"}
    (line,) = part_lines(parts)
    assert line.startswith("2D torus 6x6 in phases 1, 3, 5, 7 (halo); ")


def test_the_same_without_the_users_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    by_region = find_phases(trace)
    monkeypatch.setattr("topoview.analysis.phases._by_region", lambda *_: None)
    by_partners = find_phases(trace)
    assert isinstance(by_region, Phases)
    assert isinstance(by_partners, Phases)
    assert np.array_equal(by_region.of_message, by_partners.of_message)


@pytest.mark.parametrize(
    "name", ["ez-cg-8", "ez-mg-16", "sp-lu-32", "sp-halo3d27-3x3x4"]
)
def test_real_programs_without_phases(name: str) -> None:
    assert find_phases(traces.read_real(name)) is None


@pytest.mark.traces
def test_a_stretch_of_one_exchange_is_cut_out_alone() -> None:
    """CG's transposes lie between exchanges along the rows of the processes."""
    parts = phase_parts(traces.read_real("sp-cg-32"))
    assert [part.matches[0].topology.name for part in parts] == [
        "4 x hypercube 2^3",
        "12 x chain 2",
    ]


@pytest.mark.parametrize(
    ("symbols", "kinds", "expected"),
    [
        # 2 is in the midst of kind 0, and at the edges of kind 1
        ("01201 2332 01201 23 0", "00000 1111 00000 11 0", "00000 0110 00000 01 0"),
        # either kind may have 2: nothing tells which
        ("0102 2343", "0000 1111", "0000 1111"),
        # nothing is left of kind 1 without 2
        ("01202 2 01202", "00000 1 00000", "00000 1 00000"),
        # 2 is in the midst of both
        ("01200 32423", "00000 11111", "00000 11111"),
    ],
)
def test_edges_join_the_kind_that_has_them_inside(
    symbols: str, kinds: str, expected: str
) -> None:
    symbol, kind, wanted = (
        np.array([int(c) for c in text.replace(" ", "")], np.int32)
        for text in (symbols, kinds, expected)
    )
    move_edges(np.array([0, len(symbol)]), symbol, kind)
    assert kind.tolist() == wanted.tolist()
