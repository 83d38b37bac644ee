"""Which step of reading follows which, for any number of parts and any executor."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from topoview.base.tasks import Graph

Work = TypeVar("Work")
Settled = TypeVar("Settled")
Clocks = TypeVar("Clocks")
Laid = TypeVar("Laid")
Result = TypeVar("Result")

Pairs = tuple[tuple[int, int], ...]
"""Communicators that are one between two groups of ranks."""


class Steps(NamedTuple, Generic[Work, Settled, Clocks, Laid, Result]):
    """The steps, as functions of a reading and of what other steps gave.

    Both readers give them: one that holds a trace in memory, and one of parts that
    exchange files. What `settle`, `correct` and `lay_out` return is their own affair.
    """

    parts: Callable[[Work], int]
    """Count the parts."""
    decode: Callable[[Work, int], object]
    """Decode a part."""
    settle: Callable[[Work], Settled]
    """Lay parts that are decoded side by side."""
    groups: Callable[[Settled], int]
    """Count the groups of parts whose receives are matched together."""
    match: Callable[[Work, Settled, int], object]
    """Match the receives of a group."""
    between: Callable[[Work, Settled], Pairs]
    """Name communicators that are one between two groups of ranks."""
    joined: Callable[[Work, Pairs], Work]
    """Begin to read once more, with these communicators taken for one."""
    complete: Callable[[Work, Settled, int], object]
    """Gather what a part knows of clocks."""
    correct: Callable[[Work, Settled], Clocks]
    """Find how to align the clocks."""
    lay_out: Callable[[Work, Settled, Clocks], Laid]
    """Allocate the columns."""
    finish: Callable[[Work, Settled, Clocks, Laid, int], object]
    """Write a part to its places in the columns."""
    join: Callable[[Work, Settled, Clocks, Laid], Result]
    """Join finished parts into the trace."""


class ReadTrace(NamedTuple):
    """What reading gives: futures of its executor."""

    parts: int
    work: Any
    settled: Any
    """`work` and `settled`: as `Steps` have them."""
    trace: Any
    """What `Steps.join` gives."""


def read_on(
    graph: Graph,
    steps: Steps[Work, Settled, Clocks, Laid, Result],
    work: Any,  # noqa: ANN401 - a reading, or a future of one
) -> ReadTrace:
    """Read a trace.

    Raises what the steps raise.
    """
    submit, value = graph.submit, graph.value
    parts = range(value(submit("reading definitions", steps.parts, work)))
    while True:
        decoded = [submit("reading", steps.decode, work, part) for part in parts]
        settled = submit("laying parts side by side", steps.settle, work, after=decoded)
        count = submit("laying parts side by side", steps.groups, settled)
        matched = [
            submit("matching messages", steps.match, work, settled, group)
            for group in range(value(count))
        ]
        between = submit(
            "matching messages", steps.between, work, settled, after=matched
        )
        if not value(between):
            break
        # Partners were taken for ranks of the wrong group: read once more.
        work = submit("reading definitions", steps.joined, work, between)
    of_part = "matching messages", steps.complete, work, settled
    complete = [submit(*of_part, part, after=[between]) for part in parts]
    clocks = submit("aligning clocks", steps.correct, work, settled, after=complete)
    laid = submit("aligning clocks", steps.lay_out, work, settled, clocks)
    placed = work, settled, clocks, laid
    finished = [
        submit("writing columns", steps.finish, *placed, part) for part in parts
    ]
    trace = submit("joining parts", steps.join, *placed, after=finished)
    return ReadTrace(len(parts), work, settled, trace)
