"""The tree of the logical trace, and who is where."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import traces
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.logical.listing import call_tokens, lines
from topoview.model import (
    Analysis,
    Bools,
    Call,
    LogicalTrace,
    Loop,
    Statement,
    TimeState,
)
from topoview.ui.panels.logical.tree import (
    ELLIPSIS,
    RankPositions,
    StatementTree,
    shortened,
    statements_of_edge,
)

NAMES = ("EAST", "WEST", "NORTH", "SOUTH")


def call(index: int, operation: str = "Isend", to: str | None = None) -> Call:
    return Call(index, operation, to, None, 8, None, "", TimeState.SEND)


def logical_trace(body: tuple[Statement, ...], statements: int) -> LogicalTrace:
    known = torus_analysis().logical
    assert known is not None
    ticks = np.zeros(statements, np.int64)
    return replace(known, body=body, blocks=(), statements=statements, ticks=ticks)


def tree_of(logical: LogicalTrace, shown: Bools | None = None) -> StatementTree:
    return StatementTree(lines(logical), logical.statements, shown)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[tuple[Statement, ...], int]:
    """Draw nested statements, numbered in order."""
    count = 0

    def body(depth: int) -> tuple[Statement, ...]:
        nonlocal count
        made: list[Statement] = []
        for _ in range(draw(st.integers(1, 5))):
            if depth < 3 and draw(st.booleans()):
                made.append(Loop(draw(st.integers(2, 9)), body(depth + 1)))
            else:
                made.append(call(count, to=draw(st.sampled_from(NAMES))))
                count += 1
        return tuple(made)

    found = body(0)
    return found, count


@given(bodies())
def test_every_statement_has_one_node(drawn: tuple[tuple[Statement, ...], int]) -> None:
    body, count = drawn
    tree = tree_of(logical_trace(body, count))
    leaves = [i for i, node in enumerate(tree.nodes) if node.call]
    assert [tree.nodes[i].first for i in leaves] == list(range(count))
    assert tree.node_of.tolist() == leaves
    for number, node in enumerate(tree.nodes):
        assert tree.children[node.parent][node.row] == number
        below = [tree.nodes[child] for child in tree.children[number]]
        if below:
            assert node.first == below[0].first
            assert node.last == below[-1].last
            for one, other in pairwise(below):
                assert one.last == other.first


def test_like_calls_to_many_partners_are_one_group() -> None:
    body = tuple(call(i, to=name) for i, name in enumerate(NAMES))
    tree = tree_of(logical_trace((Loop(5, (*body, call(4, "Waitall"))), call(5)), 6))
    texts = [" ".join(word for word, _ in node.tokens) for node in tree.nodes]
    assert texts[:3] == ["repeat 5:", "Isend to 4 neighbours 8 B", "Isend to EAST 8 B"]
    assert texts[-2:] == ["Waitall 8 B", "Isend 8 B"]


def test_calls_to_the_same_partner_are_no_group() -> None:
    body = tuple(call(i, to="EAST") for i in range(4))
    assert all(node.call for node in tree_of(logical_trace(body, 4)).nodes)


def test_words_of_an_exchange() -> None:
    both = Call(0, "Sendrecv", "EAST", "WEST", 2048, 2048, "", TimeState.SEND)
    assert [word for word, _ in call_tokens(both)] == [
        *("Sendrecv", "to", "EAST,", "from", "WEST", "2 KiB")
    ]


@settings(max_examples=25)
@given(st.data())
def test_ranks_in_statements_as_looked_up_call_by_call(data: st.DataObject) -> None:
    known = torus_analysis()
    logical, trace = known.logical, known.trace
    assert logical is not None
    edges = np.concatenate([trace.calls.enter, trace.calls.leave])
    ticks = int(data.draw(st.sampled_from(edges.tolist()))) + data.draw(
        st.integers(-1, 1)
    )
    here, past = Counter[int](), Counter[int]()
    for rank in range(trace.ranks):
        left = -1
        for i in range(trace.calls.offsets[rank], trace.calls.offsets[rank + 1]):
            if trace.calls.enter[i] <= ticks:
                statement = left = int(logical.statement_of_call[i])
                if ticks < trace.calls.leave[i]:
                    here[statement] += 1
                    left = -1
        past[left] += 1
    positions = RankPositions(logical.statements)
    positions.move(trace, logical, ticks, ())
    tree = StatementTree(lines(logical), logical.statements)
    del here[-1]
    assert dict(positions.occupied()) == here
    own = [node for node in tree.nodes if node.call]
    assert [positions.after(node) for node in own] == [past[n.first] for n in own]


def test_statements_of_an_edge_send_or_receive_on_it(torus: Analysis) -> None:
    assert torus.logical is not None
    messages = torus.trace.messages
    edge = (int(messages.sender[0]), int(messages.receiver[0]))
    found = statements_of_edge(torus, edge)
    assert torus.logical.statement_of_call[messages.send_call[0]] in found
    assert not len(statements_of_edge(torus, (0, 0)))


def torus_analysis() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), numbering=1))


def words(call: Call, most: int) -> str:
    """Words of a call in at most so many letters."""
    kept = shortened(
        call_tokens(call), lambda some: len(" ".join(word for word, _ in some)) <= most
    )
    return " ".join(word for word, _ in kept)


def test_a_statement_gives_up_its_size_first_and_never_its_partner() -> None:
    both = Call(0, "Sendrecv", "EAST", "WEST", 2048, None, "", TimeState.SEND)
    assert words(both, 80) == "Sendrecv to EAST 2 KiB, from WEST"
    assert words(both, 30) == f"Sendrecv to EAST {ELLIPSIS} from WEST"
    wait = replace(
        both, operation="Wait", to=None, source=None, size=None, awaits_source="WEST"
    )
    wait = replace(wait, detail="Irecv")
    assert words(wait, 80) == "Wait (Irecv from WEST)"
    assert words(wait, 18) == words(wait, 1) == f"Wait ({ELLIPSIS}from WEST)"
    part = replace(both, operation="Alltoall", to=None, source=None, detail="comm A")
    assert words(part, 80) == "Alltoall 2 KiB (comm A)"
    assert words(part, 19) == f"Alltoall {ELLIPSIS} (comm A)"
    assert words(part, 10) == f"Alltoall {ELLIPSIS}"


@pytest.mark.parametrize(
    ("condition", "short"),
    [
        ("not at north edge", "not north"),
        ("at west or east edge", "west or east"),
        ("x odd and not at east edge", "x odd and not east"),
        ("not at top, west or north edge", "not top, west or north"),
    ],
)
def test_conditions_on_edges_are_cut_in_one_way(condition: str, short: str) -> None:
    tokens = (("Recv", "operation"), ("from NORTH", "direction"))
    cut = shortened((*tokens, (condition, "condition")), lambda _: False)
    assert cut[-1] == (short, "condition")


def test_rows_whose_numbers_change_are_told() -> None:
    known = torus_analysis()
    logical, trace = known.logical, known.trace
    assert logical is not None
    nodes = tree_of(logical).nodes
    where = RankPositions(logical.statements)

    def numbers() -> list[tuple[int, ...]]:
        return [(where.here(n), where.after(n), where.chosen(n)) for n in nodes]

    before = numbers()
    some = False
    for ticks in np.linspace(0, trace.clock.length, 23).astype(int).tolist():
        changed = where.move(trace, logical, ticks, (0, 3))
        after = numbers()
        moved = [where.moved(node) for node in nodes]
        assert moved == [a != b for a, b in zip(before, after, strict=True)]
        assert changed or not any(moved)
        some, before = some or any(moved), after
    assert some
