"""Phases are those that a program went through, to the message."""

import numpy as np
import pytest
import traces
from hypothesis import given, settings
from hypothesis import strategies as st
from parts import parts_of
from patterns import Stage, both_ways, run
from same import assert_same

from topoview.analysis.parts.identified import phase_parts
from topoview.analysis.parts.partner_cuts import move_edges, round_starts, whole_rounds
from topoview.analysis.parts.phase_facts import Blocks, joined_facts, phase_facts
from topoview.analysis.parts.phases import (
    _BYTES_A_CALL,
    Phases,
    _place_by_time,
    find_phases,
)
from topoview.base import progress, scratch
from topoview.base.memory import granted_memory
from topoview.model import Topology, whole_part
from topoview.report.identification.parts import part_lines
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


def stencil_rounds(dims: tuple[int, int], order: list[int]) -> list[tuple[int, int]]:
    """Send to the 8 neighbours of a torus, axis after axis in this order, and back."""
    m, n = dims
    offsets = [((0, 1), (1, 0), (1, 1), (1, -1))[i] for i in order]
    return [
        (x * n + y, (x + sign * a) % m * n + (y + sign * b) % n)
        for x in range(m)
        for y in range(n)
        for a, b in offsets
        for sign in (1, -1)
    ]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(2, 8), (2, 16), (2, 32), (3, 8), (2, 5)]),
    st.permutations(range(4)),
    st.integers(2, 25),
    st.booleans(),
)
def test_one_exchange_is_never_cut(
    dims: tuple[int, int], order: list[int], times: int, receives: bool
) -> None:
    """Both neighbours along a short axis are one rank: windows in it differ."""
    stage = Stage(stencil_rounds(dims, order), times)
    trace, _ = run(dims[0] * dims[1], [stage], receives=receives, waits=True)
    assert find_phases(trace) is None


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 99),
    st.lists(st.integers(4, 12), min_size=2, max_size=7),
    st.booleans(),
)
def test_phases_of_whole_exchanges(
    seed: int, counts: list[int], receives: bool
) -> None:
    """Phases begin where a rank has waited for all, and follow each other in time."""
    order = np.random.default_rng(seed).permutation(25)
    made = stages(5, order, counts)
    trace, truth = run(25, made, receives=receives, waits=True)
    found = find_phases(trace)
    assert found is not None
    assert np.array_equal(found.of_message, truth)
    assert (found.begin[1:] >= found.end[:-1]).all()
    assert (found.begin < found.end).all()


def test_rounds_end_where_nothing_is_under_way() -> None:
    call = np.array([0, 1, 2, 5, 6, 0, 3, 4])
    done = np.array([3, 1, 4, 7, 6, 2, 3, 9])
    starts = round_starts(np.array([0, 5, 8]), call, done)
    assert starts.tolist() == [True, False, False, True, False, True, True, True]


def test_many_repetitions_are_told_by_kind() -> None:
    trace, truth = run(36, stages(6, np.arange(36), [2, 8] * 40))
    found = find_phases(trace)
    assert found is not None
    assert found.kind.tolist() == [0, 1]
    assert found.times.tolist() == [40, 40]
    assert np.array_equal(found.of_message, truth % 2)
    assert found.end[0] <= found.begin[1]  # the first time of each


@pytest.mark.traces
@pytest.mark.parametrize("name", ["ez-bt-16", "sp-bt-16", "ez-sp-16"])
def test_the_sweeps_along_each_axis_are_told_by_kind(name: str) -> None:
    """As `adi` of BT and SP calls them: copy_faces, x_solve, y_solve, z_solve."""
    parts = phase_parts(traces.read_real(name))
    torus, *sweeps = [part.matches[0].topology.name for part in parts]
    assert torus == "2D torus 4x4, 6-point stencil"
    assert sweeps == ["4 x ring 4"] * 3
    assert [part.remark for part in parts] == ["22 times"] + ["21 times"] * 3


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


@pytest.mark.parametrize("parts", [2, 3, 7, 36])
@pytest.mark.parametrize("by_regions", [True, False])
def test_phases_do_not_depend_on_memory(
    parts: int, by_regions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locations are looked at some after the other; columns are files."""
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    whole = find_phases(trace, by_regions=by_regions)
    calls = len(trace.calls) // parts + 1
    monkeypatch.setattr(scratch, "_SMALL_BYTES", 0)
    monkeypatch.setattr(progress, "BATCH_ROWS", 1000)
    with granted_memory(_BYTES_A_CALL * calls):
        assert parts <= len(Blocks(trace, calls)) <= 2 * parts
        found = find_phases(trace, by_regions=by_regions)
    assert isinstance(found, Phases)
    assert_same(found, whole)


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 6), st.integers(0, 99), st.sampled_from([1, 2, 3, 7]))
def test_alternating_stretches_do_not_depend_on_memory(
    n: int, seed: int, parts: int
) -> None:
    order = np.random.default_rng(seed).permutation(n * n)
    trace, _ = run(n * n, stages(n, order, [5] * 20), receives=bool(seed % 2))
    whole = find_phases(trace)
    with granted_memory(_BYTES_A_CALL * (len(trace.calls) // parts + 1)):
        assert_same(find_phases(trace), whole)


def test_messages_in_no_stretch_are_placed_by_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a search among all others says, however few are looked at at once."""
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    random = np.random.default_rng(1)
    places = random.integers(-1, 4, len(trace.messages)).astype(np.int32)
    times = trace.messages.times
    placed, unknown = np.flatnonzero(places >= 0), np.flatnonzero(places < 0)
    order = placed[np.argsort(times[placed], kind="stable")]
    at = np.searchsorted(times[order], times[unknown], side="right") - 1
    wanted = places.copy()
    wanted[unknown] = places[order[at.clip(0)]]
    monkeypatch.setattr(progress, "BATCH_ROWS", 11)
    _place_by_time(trace, places, len(unknown))
    np.testing.assert_array_equal(places, wanted)


def test_the_same_without_the_users_regions() -> None:
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    by_region = find_phases(trace)
    by_partners = find_phases(trace, by_regions=False)
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
    starts = np.ones(len(symbol), bool)
    move_edges(np.array([0, len(symbol)]), symbol, starts, kind)
    assert kind.tolist() == wanted.tolist()


def test_rounds_move_whole() -> None:
    """Kind 1 begins with a 2 that may join kind 0, but for the rest of its round."""
    symbol = np.array([0, 1, 2, 0, 1, 2, 3, 3], np.int32)
    kind = np.array([0, 0, 0, 0, 0, 1, 1, 1], np.int32)
    starts = np.array([1, 0, 0, 1, 0, 1, 0, 1], bool)
    move_edges(np.array([0, 8]), symbol, starts, kind)
    assert kind.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    alone = np.array([1, 0, 0, 1, 0, 1, 1, 1], bool)
    move_edges(np.array([0, 8]), symbol, alone, kind)
    assert kind.tolist() == [0, 0, 0, 0, 0, 0, 1, 1]


def test_cuts_move_to_the_nearest_round() -> None:
    starts = np.array([1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0], bool)
    begins = np.array([0, 9, 11])
    cuts = whole_rounds(begins, starts, np.array([1, 3, 5, 7, 10]))
    assert cuts.tolist() == [4, 6]  # 5 falls on 4; others are at a location's ends


@pytest.mark.parametrize("name", ["sp-twophase-6x6-user-metrics", "ez-cg-8"])
@pytest.mark.parametrize("count", [2, 3])
def test_facts_of_parts_are_those_of_the_whole(name: str, count: int) -> None:
    trace = traces.read_real(name)
    found = [phase_facts(part) for part in parts_of(trace, count)]
    whole = phase_facts(whole_part(trace))
    assert whole.cuts.any()
    tree = [joined_facts(found[:2], trace.regions), *found[2:]]
    assert_same(joined_facts(tree, trace.regions), whole)
