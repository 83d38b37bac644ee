"""Logical traces held against each other."""

from dataclasses import replace

import traces

from topoview.model import Call, LogicalTrace, Loop, Statement, TimeState, Trace
from topoview.pipeline import analyse
from topoview.report.logical.comparison import (
    compare,
    comparison_record,
    comparison_text,
)


def logical(trace: Trace) -> LogicalTrace:
    *_, known = analyse(trace)
    assert known.logical is not None
    return known.logical


def made(*body: Statement) -> LogicalTrace:
    known = logical(traces.simulated("torus", (4, 3)))
    return replace(known, body=body, blocks=(), guards=())


def call(index: int, operation: str, to: str, size: int) -> Call:
    return Call(index, operation, to, None, size, None, "", TimeState.SEND)


def test_a_trace_is_the_same_as_itself() -> None:
    known = logical(traces.simulated("grid", (4, 3)))
    found = compare(known, known)
    assert found.equal
    assert found.alike == 1
    assert "the same" in comparison_text(found, ("a", "b"))


def test_a_program_is_the_same_on_more_ranks() -> None:
    small = logical(traces.simulated("grid", (4, 3)))
    large = logical(traces.simulated("grid", (6, 5)))
    found = compare(small, large)
    assert found.ranks == (12, 30)
    assert found.count("added") == found.count("removed") == 0


def test_each_kind_of_change_is_told() -> None:
    one = made(
        Loop(5, (call(0, "Send", "EAST", 8), call(1, "Send", "WEST", 8))),
        call(2, "Bsend", "EAST", 1),
    )
    other = made(
        Loop(5, (call(0, "Send", "EAST", 16), call(1, "Send", "WEST", 8))),
        call(2, "Ssend", "NORTH", 1),
    )
    found = compare(one, other)
    kinds = [(c.kind, c.text_a.strip(), c.text_b.strip()) for c in found.changes]
    assert kinds == [
        ("same", "repeat 5:", "repeat 5:"),
        ("changed", "Send to EAST 8 B", "Send to EAST 16 B"),
        ("same", "Send to WEST 8 B", "Send to WEST 8 B"),
        ("removed", "Bsend to EAST 1 B", ""),
        ("added", "", "Ssend to NORTH 1 B"),
    ]
    text = comparison_text(found, ("a", "b"))
    assert "-     Send to EAST 8 B" in text
    assert "+     Send to EAST 16 B" in text
    record = comparison_record(found, ("a", "b"))
    assert record["changed"] == record["removed"] == record["added"] == 1
    assert [change["a"] for change in record["changes"]] == [1, 2, 3, 4, None]


def test_a_loop_in_another_loop_is_one_difference() -> None:
    """The loop around is added; what it holds is in both, deeper."""
    body = (call(0, "Send", "EAST", 8), call(1, "Send", "WEST", 8))
    one = made(Loop(5, body))
    other = made(Loop(3, (Loop(5, body),)))
    found = compare(one, other)
    kinds = [(c.kind, c.text_a.strip(), c.text_b.strip()) for c in found.changes]
    assert kinds == [
        ("added", "", "repeat 3:"),
        ("indented", "repeat 5:", "repeat 5:"),
        ("indented", "Send to EAST 8 B", "Send to EAST 8 B"),
        ("indented", "Send to WEST 8 B", "Send to WEST 8 B"),
    ]
    assert not found.equal
    assert found.count("changed") == found.count("removed") == 0
    text = comparison_text(found, ("a", "b"), 0).splitlines()
    assert text[2:] == [
        "+ repeat 3:",
        ">     repeat 5:",
        "@@ 2 lines the same but for the indentation @@",
        "85.7 % alike: 0 changed, 0 removed, 1 added, 3 only indented differently",
    ]
