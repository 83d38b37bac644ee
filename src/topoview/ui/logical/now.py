"""Where the ranks are in the logical trace at a time, and what belongs to an edge."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.message_blocks import message_blocks
from topoview.analysis.moment import calls_at
from topoview.model import Ints, LogicalTrace, Trace
from topoview.session import Selection
from topoview.ui.formats import grouped, plural
from topoview.ui.logical.nodes import Node


@dataclass(frozen=True, slots=True)
class Framed:
    """What is selected: a statement, -1 for none, and lines, none if (0, 0)."""

    statement: int = -1
    lines: tuple[int, int] = (0, 0)


def framed(logical: LogicalTrace | None, selection: Selection) -> Framed:
    """Find the rows of a selection: a call's statement if no other is selected."""
    call, statement = selection.call, selection.statement
    if call is not None and logical is not None and statement is None:
        of_call = logical.statement_of_call
        statement = int(of_call[call]) if call < len(of_call) else -1
    number = -1 if statement is None else statement
    return Framed(number, selection.lines or (0, 0))


def statements_now(
    trace: Trace, logical: LogicalTrace, ticks: int
) -> tuple[Ints, Ints]:
    """Find the statement that each rank is in at a time, or computes after.

    One binary search for all ranks at once: O(ranks log calls).

    Returns
    -------
    now, past : int64, shape (ranks,)
        Statement of the call that the rank is in, -1 if it is in none; statement of
        the call that it has left last, -1 if it is in a call or has left none.
    """
    last, inside = calls_at(trace, ticks)
    begun = last >= trace.calls.offsets[: trace.ranks]
    found = np.full((2, trace.ranks), -1, np.int64)
    for row, some in enumerate((inside, begun & ~inside)):
        found[row, some] = logical.statement_of_call[last[some]]
    return found[0], found[1]


def counted(statement: Ints, statements: int) -> Ints:
    """Count ranks up to each statement, int64, shape (statements + 1,)."""
    count = np.bincount(statement[statement >= 0], minlength=statements)
    return np.concatenate([[0], np.cumsum(count)])


class Whereabouts:
    """How many ranks are where at the time that it was moved to last."""

    def __init__(self, statements: int) -> None:
        nobody = np.zeros(statements + 1, np.int64)
        self._counts = [nobody, nobody, nobody]
        self._before = self._counts

    def move(
        self,
        trace: Trace,
        logical: LogicalTrace,
        ticks: int,
        ranks: tuple[int, ...],
    ) -> bool:
        """Count the ranks at a time; tells whether anything changed.

        `ranks` are the selected ones, counted for themselves as well.
        """
        now, past = statements_now(trace, logical, ticks)
        some = (now, past, now[list(ranks)])
        self._before = self._counts
        self._counts = [counted(each, logical.statements) for each in some]
        return not all(map(np.array_equal, self._before, self._counts))

    def moved(self, node: Node) -> bool:
        """Tell whether the last move has changed any number of a row."""
        return any(
            count[node.last] - count[node.first] != old[node.last] - old[node.first]
            for count, old in zip(self._counts, self._before, strict=True)
        )

    def here(self, node: Node) -> int:
        """Count the ranks in any statement of a row."""
        return self._between(0, node)

    def after(self, node: Node) -> int:
        """Count those that compute after any of them."""
        return self._between(1, node)

    def chosen(self, node: Node) -> int:
        """Count the selected ranks in any of them."""
        return self._between(2, node)

    def _between(self, which: int, node: Node) -> int:
        count = self._counts[which]
        return int(count[node.last] - count[node.first])


def here_text(here: int, after: int) -> str:
    """Write how many ranks are in a statement, and how many compute after it."""
    past = f"\u2193{grouped(after)}" if after else ""
    return f"{grouped(here) if here else ''} {past}".strip()


def here_words(here: int, after: int) -> str:
    """Say the same in words."""
    words = []
    if here:
        words.append(f"{plural(here, 'rank')} in it now")
    if after:
        words.append(f"{plural(after, 'rank')} past it, computing")
    return "\n".join(words)


def statements_of_edge(
    trace: Trace, logical: LogicalTrace, edge: tuple[int, int]
) -> Ints:
    """Statements that send or receive the messages between two ranks, sorted."""
    messages = trace.messages
    between = message_blocks(messages).between(*edge)
    calls = np.concatenate(
        [
            column[between]
            for column in (
                messages.send_call,
                messages.receive_call,
                messages.completion_call,
            )
        ]
    )
    found = np.unique(logical.statement_of_call[calls[calls >= 0]]).astype(np.int64)
    return found[found >= 0]
