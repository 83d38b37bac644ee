"""Which step of reading follows which, for any number of parts and any executor."""

from collections.abc import Callable
from typing import Any, NamedTuple

from topoview.base.tasks import Graph


class Steps(NamedTuple):
    """The steps, as functions of a reading (`work`) and of what others gave."""

    parts: Callable[..., int]
    """Count the parts."""
    decode: Callable[..., object]
    """Decode a part."""
    settle: Callable[..., object]
    """Lay parts that are decoded side by side."""
    groups: Callable[..., int]
    """Count the groups of parts whose receives are matched together."""
    match: Callable[..., object]
    """Match the receives of a group."""
    between: Callable[..., tuple[tuple[int, int], ...]]
    """Name communicators that are one between two groups of ranks."""
    joined: Callable[..., object]
    """Begin to read once more, with these communicators taken for one."""
    complete: Callable[..., object]
    """Gather what a part knows of clocks."""
    correct: Callable[..., object]
    """Find how to align the clocks."""
    lay_out: Callable[..., object]
    """Make room for the columns."""
    finish: Callable[..., object]
    """Write a part to its places in the columns."""
    join: Callable[..., object]
    """Make the trace of finished parts."""


class ReadTrace(NamedTuple):
    """What reading gives: futures of its executor."""

    parts: int
    work: Any
    settled: Any
    """`work` and `settled`: as `Steps` have them."""
    trace: Any
    """What `Steps.join` gives."""


def read_on(graph: Graph, steps: Steps, work: Any) -> ReadTrace:  # noqa: ANN401 - a future
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
