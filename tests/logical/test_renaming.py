"""Other names of partners: ranks that do the same are read again once."""

from dataclasses import fields

import numpy as np
import pytest
import traces
from parts import compared_by, logicalise
from programs import Grid, Step, trace_of

from topoview.logical import renaming
from topoview.logical.calls.partners import Naming, Neighbours, Shifts, neighbour_pairs
from topoview.logical.calls.wildcards import WILDCARD_RULES
from topoview.logical.listing import listing
from topoview.logical.merge.classes import RanksCompared
from topoview.logical.program import MIN_CALLS_UNRULED
from topoview.logical.renaming import OtherNames
from topoview.model import Match, Trace, parts_of, row_numbers
from topoview.topology import directions, lattice


def halves(ranks: int) -> Trace:
    """Exchange along a chain, ahead and back: half a Sendrecv at either end."""
    steps = []
    for rank in range(ranks):
        own = []
        for ahead in (1, -1):
            to, source = rank + ahead, rank - ahead
            sends = ((to, 8),) if 0 <= to < ranks else ()
            receives = (source,) if 0 <= source < ranks else ()
            own += [Step("Sendrecv", sends, receives)] * 3
        steps.append(own)
    return trace_of(steps)


TRACES = {
    "torus": lambda: traces.simulated("torus", (4, 3)),
    "renumbered": lambda: traces.simulated("torus", (5, 5), numbering=3),
    "mesh": lambda: traces.simulated("random", (24,)),
    "complete": lambda: traces.simulated("complete", (9,)),
    "star": lambda: traces.simulated("star", (7,)),
    "halves": lambda: halves(8),
}


def assert_alike(one: RanksCompared, other: RanksCompared) -> None:
    """Compare all arrays, of the examples, too."""
    for left, right in ((one, other), (one.examples, other.examples)):
        for field in fields(left):
            value, wanted = (getattr(each, field.name) for each in (left, right))
            if isinstance(value, np.ndarray):
                assert np.array_equal(value, wanted), field.name
    for field in fields(one.examples.symbols):
        value, wanted = (
            getattr(each.examples.symbols, field.name) for each in (one, other)
        )
        assert np.array_equal(value, wanted), field.name


@pytest.mark.parametrize("rule", [None, *range(len(WILDCARD_RULES))])
@pytest.mark.parametrize("name", TRACES)
def test_one_rank_of_each_class_says_what_all_would(
    name: str, rule: int | None
) -> None:
    trace = TRACES[name]()
    arrives = None if rule is None else WILDCARD_RULES[rule]
    first = compared_by(trace, Grid((trace.ranks,), periodic=True))
    reader = OtherNames(trace, *first, np.zeros(0, np.int64))
    for names in (
        Neighbours.of(first[1].met, trace.ranks),
        Shifts.around(np.arange(trace.ranks)),
        Grid((trace.ranks,), periodic=True),
    ):
        known = reader.read(Naming(names), arrives=arrives)
        assert known is not None
        facts, compared = compared_by(trace, names, arrives=arrives)
        assert known[0].names == facts.names
        assert_alike(known[1], compared)


def torus_match(x: int, y: int) -> Match:
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(x * y, dtype=np.int32)
    return Match(lattice((x, y), (True, True)), vertex, 0, none, none, 1.0, 1.0)


def test_no_more_calls_are_read_again_than_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a torus that is one class one rank is read: its calls are the limit."""
    trace, match = traces.simulated("torus", (5, 5)), torus_match(5, 5)
    first = compared_by(trace, directions(match), match)
    assert len(first[1].first) == 1
    reader = OtherNames(trace, *first, neighbour_pairs(match, 25))
    names = Naming(Neighbours.of(first[1].met, 25), match)
    one = int(trace.calls.offsets[1])
    monkeypatch.setattr(renaming, "MAX_CALLS_READ_AGAIN", one)
    known = reader.read(names)
    assert known is not None
    assert len(known[1].first) == 1
    monkeypatch.setattr(renaming, "MAX_CALLS_READ_AGAIN", one - 1)
    assert reader.read(names) is None


def test_stretches_of_ranks_have_their_rows() -> None:
    trace = traces.simulated("torus", (4, 3))
    for part in parts_of(trace, [slice(1, 3), slice(5, 6), slice(9, 12)]):
        inside = range(part.ranks.start, part.ranks.stop)
        for rows, ranks in (
            (part.sent, trace.messages.sender),
            (part.received, trace.messages.receiver),
        ):
            wanted = [k for k, rank in enumerate(ranks.tolist()) if rank in inside]
            assert row_numbers(rows).tolist() == wanted
        calls = range(*trace.calls.offsets[[inside[0], inside[-1] + 1]].tolist())
        wanted = [k for k, call in enumerate(trace.collectives.call) if call in calls]
        assert row_numbers(part.collectives).tolist() == wanted
    assert parts_of(trace, []) == []


def scattered(turns: int, regular: int) -> Trace:
    """Exchange on a torus, then with partners of each rank's own, always the same."""
    ranks, grid = 16, Grid((4, 4), periodic=True)
    around = np.random.default_rng(1).permutation(ranks).tolist()
    steps = []
    for rank in range(ranks):
        near = [grid.towards(rank, step) for step in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        at = around.index(rank)
        far = [around[(at + step) % ranks] for step in (1, -1, 2, -2)]
        own: list[Step] = []
        for partners, often in ((near, regular), (far, turns)):
            exchange = [Step("Irecv", receives=(one,)) for one in partners]
            exchange += [Step("Send", sends=((one, 8),)) for one in partners]
            own += [*exchange, Step("Barrier", part=(0, -1, 0))] * often
        steps.append(own)
    return trace_of(steps)


@pytest.mark.parametrize("regular", [0, 200])
def test_partners_are_numbered_where_many_calls_follow_no_rule_in_a_lattice(
    regular: int,
) -> None:
    """Else the directions stay, and what follows no rule is a table."""
    turns = 20
    trace, match = scattered(turns, regular), torus_match(4, 4)
    logical = logicalise(trace, directions(match), match=match)
    assert logical.ranks_verified == 16
    share = turns / (turns + regular)
    text = listing(logical)
    assert ("EAST" in text) == (share < MIN_CALLS_UNRULED)
    assert (not len(logical.scripts.statement)) == (share > MIN_CALLS_UNRULED)
