"""Conditions say just the ranks that they stand for, read word by word."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.logical.conditions.conditions import Conditions, condition_of
from topoview.logical.conditions.predicates import places_of, predicates_of
from topoview.model import Match, Topology
from topoview.topology import lattice
from topoview.topology.kinds.composite import copies

EDGES = {
    "west": ("x", 0),
    "east": ("x", -1),
    "north": ("y", 0),
    "south": ("y", -1),
    "bottom": ("z", 0),
    "top": ("z", -1),
}


def read(text: str, place: dict[str, int], dims: dict[str, int]) -> bool:
    """Evaluate a condition's words for one rank, apart from how they were made."""
    text = re.sub(
        r"at ((?:\w+, )*\w+ or \w+) edge",
        lambda some: f"at {re.sub(', | or ', '|', some[1])} edge",
        text,
    )
    if found := re.fullmatch(r"not \((.*)\)", text):
        return not read(found[1], place, dims)
    if " or " in text:
        return any(read(part, place, dims) for part in text.split(" or "))
    if " and " in text:
        return all(read(part, place, dims) for part in text.split(" and "))
    return simple(text, place, dims)


def simple(text: str, place: dict[str, int], dims: dict[str, int]) -> bool:
    """Evaluate a condition without ``and``, ``or`` and brackets around it."""
    if found := re.fullmatch(r"(not )?at ([\w|]+) edge", text):
        ends = [EDGES[name] for name in found[2].split("|")]
        at = any(place[a] == (end if end == 0 else dims[a] - 1) for a, end in ends)
        return at != bool(found[1])
    if found := re.fullmatch(r"(not )?(\w+) & (\d+)", text):
        return bool(place[found[2]] & int(found[3])) != bool(found[1])
    if found := re.fullmatch(r"(\w+) (not )?in (.*)", text):
        values: set[int] = set()
        for part in found[3].split(", "):
            low, _, high = part.partition("..")
            values |= set(range(int(low), int(high or low) + 1))
        return (place[found[1]] in values) != bool(found[2])
    for pattern, formula in FORMULAS.items():
        text = re.sub(pattern, formula, text)
    return bool(eval(text, {}, dict(place)))


FORMULAS = {
    r"^rank (\d+)$": r"rank == \1",
    r" even$": " % 2 == 0",
    r" odd$": " % 2 == 1",
    r"a multiple of (\d+)": r"% \1 == 0",
    r" = ": " == ",
}


def placed(dims: tuple[int, ...], seed: int) -> Match:
    found = lattice(dims, (False,) * len(dims))
    n = found.vertices
    vertex = np.random.default_rng(seed).permutation(n).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    return Match(found, vertex, 0, none, none, 1.0, 1.0)


def holds(text: str, match: Match) -> list[bool]:
    topology: Topology = match.topology
    dims = dict(zip("xyz", topology.dims, strict=False))
    found = []
    for rank, place in enumerate(match.coordinates.tolist()):
        own = dict(zip("xyz", place, strict=False)) | {"rank": rank}
        found.append(read(text, own, dims))
    return found


DIMS = st.sampled_from(
    [(5,), (2, 2), (4, 4), (5, 2), (6, 3), (8, 8), (3, 3, 4), (4, 4, 4)]
)


@settings(max_examples=200)
@given(DIMS, st.integers(0, 99), st.data())
def test_a_condition_is_true_just_where_it_should_be(
    dims: tuple[int, ...], seed: int, data: st.DataObject
) -> None:
    """Random sets are mostly lists; boxes, their rests and unions are words."""
    match = placed(dims, seed)
    n = len(match.vertex)
    boxes = st.tuples(
        *(st.tuples(st.integers(0, d - 1), st.integers(1, d)) for d in dims)
    )
    chosen = np.zeros(n, bool)
    for box in data.draw(st.lists(boxes, min_size=1, max_size=3)):
        inside = np.ones(n, bool)
        for axis, (low, size) in enumerate(box):
            x = match.coordinates[:, axis]
            inside &= (x >= low) & (x < low + size)
        chosen ^= inside
    if data.draw(st.booleans()):
        chosen &= match.coordinates.sum(axis=1) % 2 == 0
    ranks = np.flatnonzero(chosen)
    if not len(ranks):
        return
    conditions = Conditions.at(places_of(match, n))
    number = conditions.guard(ranks)
    if len(ranks) == n:
        assert number == -1
        return
    guard = conditions.guards[number]
    assert guard.ranks.tolist() == ranks.tolist()
    if "..." not in guard.text:
        assert holds(guard.text, match) == chosen.tolist()
    assert conditions.guard(ranks) == number


WORDS = {
    "not at west edge": "x > 0",
    "at south edge": "y == 5",
    "x even": "x % 2 == 0",
    "x = y": "x == y",
    "x != y": "x != y",
    "x < y": "x < y",
    "y = 3": "y == 3",
    "(x + y) even": "(x + y) % 2 == 0",
    "not at west or east edge": "0 < x < 5",
    "not at west, east or north edge": "0 < x < 5 and y > 0",
    "at west or east edge": "x in (0, 5)",
    "at west or east edge and not at north edge": "x in (0, 5) and y > 0",
    "at west edge and at north edge": "x == y == 0",
    "x + y = 5": "x + y == 5",
    "not (at west edge and at north edge)": "x > 0 or y > 0",
    "x a multiple of 3": "x % 3 == 0",
}


@pytest.mark.parametrize("text", WORDS)
def test_words_of_a_grid(text: str) -> None:
    match = placed((6, 6), 1)
    x, y = match.coordinates.T
    chosen = np.array(
        [
            bool(eval(WORDS[text], {}, {"x": a, "y": b}))
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]
    )
    assert condition_of(chosen, places_of(match, 36)) == text


def test_an_axis_of_two_places_is_told_as_longer_ones_are() -> None:
    match = placed((6, 2), 1)
    y = match.coordinates[:, 1]
    places = places_of(match, 12)
    assert condition_of(y == 1, places) == "not at north edge"
    assert condition_of(y == 0, places) == "not at south edge"


@pytest.mark.parametrize(("rows", "tells"), [(2, False), (3, True)])
def test_two_places_make_no_diagonal(rows: int, tells: bool) -> None:
    match = placed((4, rows), 1)
    x, y = match.coordinates.T
    places = places_of(match, 4 * rows)
    assert (condition_of(x == y + 1, places) == "x = y + 1") == tells
    assert (condition_of(x + y == 2, places) == "x + y = 2") == tells


@pytest.mark.parametrize("wraps", [False, True])
def test_one_of_two_ranks_is_named(wraps: bool) -> None:
    none = np.zeros((0, 2), np.int32)
    vertex = np.array([1, 0], np.int32)
    match = Match(lattice((2,), (wraps,)), vertex, 0, none, none, 1.0, 1.0)
    places = places_of(match, 2)
    for rank in range(2):
        assert condition_of(np.arange(2) == rank, places) == f"rank {rank}"


def test_copies_of_a_lattice_have_its_words_and_their_number() -> None:
    none = np.zeros((0, 2), np.int32)
    vertex = np.random.default_rng(1).permutation(24).astype(np.int32)
    topology = copies(6, lattice((4,), (False,)))
    match = Match(topology, vertex, 0, none, none, 1.0, 1.0)
    x, copy = match.coordinates.T
    places = places_of(match, 24)
    assert condition_of(x < 3, places) == "not at east edge"
    assert condition_of(x % 2 == 1, places) == "x odd"
    assert condition_of(copy == 2, places) == "copy = 2"
    assert condition_of((copy >= 2) & (x == 0), places) == "at west edge and copy >= 2"


def test_two_ranks_are_named_rather_than_told_by_bits() -> None:
    chosen = np.isin(np.arange(10), [1, 8])
    places = places_of(None, 10)
    assert condition_of(chosen, places) is None
    assert condition_of(~np.isin(np.arange(10), [4, 5]), places) == "rank not in 4..5"


def test_what_has_no_words_is_a_list() -> None:
    conditions = Conditions.at(places_of(None, 12))
    number = conditions.guard(np.array([0, 3, 4, 5, 6, 10]))
    assert conditions.guards[number].text == "rank in 0, 3..6, 10"
    assert not conditions.guards[number].closed


def test_directions_are_words_where_places_are_none() -> None:
    has = np.array([True, False, False, True, True, False, True])
    places = places_of(None, 7, (("CHILD 0", has),))
    assert condition_of(has, places) == "has CHILD 0"
    assert condition_of(~has, places) == "has no CHILD 0"


@settings(max_examples=300)
@given(
    st.sampled_from([(24,), (6, 5), (4, 4), (3, 4, 5), (9, 2)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_a_set_has_a_condition_just_if_all_that_hold_for_it_tell_it(
    dims: tuple[int, ...], placed_ranks: bool, named: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n = int(np.prod(dims))
    has = (("EAST", rng.random(n) < 0.8), ("SELF", rng.random(n) < 0.2))
    match = placed(dims, seed) if placed_ranks else None
    places = places_of(match, n, has if named else ())
    chosen = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    for _ in range(int(rng.integers(4))):
        chosen[rng.integers(n)] = True
        held = [atom.holds for atom in predicates_of(chosen, places)]
        for holds in rng.permutation(np.array(held))[:3]:  # what few of them tell
            chosen = chosen | holds if rng.random() < 0.3 else holds & (chosen | holds)
    chosen[0] = True
    told = np.ones(n, bool)
    for atom in predicates_of(chosen, places):
        told &= atom.holds
    guards = Conditions.at(places)
    held = guards.widened(chosen, ~chosen)
    if not chosen.all():
        tells = held is not None and places.names != ("rank",)
        for _ in range(2):  # what values hold is kept
            assert guards.may_tell(np.flatnonzero(chosen)) == tells
    if np.array_equal(told, chosen) and not chosen.all():
        assert held is not None
        assert held.tolist() == chosen.tolist()
    else:
        assert held is None
