"""The logical trace as rows of a tree, and where the ranks are in it at a time."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import overload

import numpy as np

from topoview.base.text import grouped, plural, tr
from topoview.base.threads import equal_parts, in_parts
from topoview.live.kernels import count_statements
from topoview.live.moments.messages import messages_between
from topoview.live.moments.moment import ROWS_A_THREAD, TimeCursor
from topoview.model import Analysis, Bools, Call, Ints, Line, LogicalTrace, Token, Trace
from topoview.report.logical.lines import call_words, folded_heads, grouped_call_words
from topoview.session import Selection

MIN_CALLS_FOLDED = 3
"""So many like calls to different partners in a row are folded into one."""

ELLIPSIS = "…"
EDGE_PATTERN = re.compile(r"at ((?:\w+, )*(?:\w+ or )?\w+) edge\b")


@dataclass(slots=True, eq=False)
class TreeNode:
    """A row of the tree; its words are written when it is looked at."""

    parent: int
    row: int
    """`parent` and `row`: number of the node above, -1 at the top, and the place under
    it."""
    first: int
    last: int
    """`first` and `last`: the statements below are `first` to `last`, the last one
    excluded."""
    state: int
    """State of the statement, or of all calls that are read as one here; -1 for
    others."""
    call: bool
    """Whether it is a single statement."""
    line: int
    """Number of its line in the logical trace, from 0; of a group that of its first
    call."""
    kind: str
    """`Line.kind`, or ``group`` of like calls."""
    write: Callable[[], tuple[Token, ...]]
    """Writes the words of the row."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Words of the row."""
        return self.write()


class _Children(dict[int, list[int]]):
    """Numbers of the nodes under a node; most have none."""

    def __missing__(self, node: int) -> list[int]:
        return []


class StatementTree:
    """All nodes of a logical trace, parents before their children.

    A condition on a single call is told in the call's row; calls that differ in
    their partner and condition only are folded into one.

    Nodes are kept as plain tuples of numbers, and made when they are looked at:
    hundreds of thousands of objects would keep the garbage collector busy.
    """

    def __init__(
        self, lines: Sequence[Line], statements: int, shown: Bools | None = None
    ) -> None:
        self.children = _Children()
        """Numbers of the nodes under each node; at -1 those at the top."""
        self.node_of: Ints = np.full(statements, -1, np.int64)
        """Node of each statement, -1 where it is not shown; int64, shape
        (statements,)."""
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._lines = lines
        self._shown = shown
        self._heads = frozenset(folded_heads(lines, shown))
        self.folded: list[int] = []
        """Numbers of the nodes that are folded at first: calls that are read as one."""
        self.inside = 0
        """How many nodes stand below those."""
        self._add(0, len(lines), -1)

    @property
    def nodes(self) -> "TreeNodes":
        """The nodes."""
        return TreeNodes(self)

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self._rows)

    def place(self, number: int) -> tuple[int, int]:
        """Return the node above, -1 at the top, and the place under it."""
        return self._rows[number][:2]

    def node(self, number: int) -> TreeNode:
        """Build a node."""
        parent, row, begin, end, like = self._rows[number]
        line, call = self._lines[begin], self._call(begin)
        node = partial(
            TreeNode,
            parent=parent,
            row=row,
            first=line.first,
            last=self._lines[end].last,
        )
        if call is None:
            return node(
                state=self._state_of_each(begin) if line.kind == "each" else -1,
                call=False,
                line=begin,
                kind=line.kind,
                write=partial(_head_words, line),
            )
        # a condition on a single call is written in its row
        return node(
            state=int(call.state),
            call=not like,
            line=line.end - 1,
            kind="group" if like else "call",
            write=partial(grouped_call_words, call, like)
            if like
            else partial(call_words, call, line),
        )

    def _state_of_each(self, number: int) -> int:
        """State of calls that are read as one, which have one operation."""
        while not isinstance(call := self._lines[number].statement, Call):
            number += 1
        return int(call.state)

    def _add(self, begin: int, end: int, parent: int, *, fold: bool = True) -> None:
        """Add lines, those within them excluded, under a node; folds like calls."""
        own = []
        while begin < end:
            if self._shown is None or self._shown[begin]:
                own.append(begin)
            begin = self._lines[begin].end
        for _, run in groupby(own, self._likeness):
            like = list(run)
            partners = {_partners(self._call(number)) for number in like}
            under = parent
            if fold and MIN_CALLS_FOLDED <= len(like) == len(partners):
                under = self._new(parent, like[0], like[-1], len(like))
            for number in like:
                self._line(number, under, fold=fold)

    def _line(self, number: int, parent: int, *, fold: bool) -> None:
        line, call = self._lines[number], self._call(number)
        node = self._new(parent, number, number, 0)
        if call is not None:
            self.node_of[call.index] = node
        elif line.kind == "each":  # folded itself
            if number in self._heads:
                self.folded.append(node)
            self._add(number + 1, line.end, node, fold=False)
            self.inside += (len(self._rows) - node - 1) * (number in self._heads)
        elif line.kind != "use":
            self._add(number + 1, line.end, node, fold=fold)

    def _new(self, parent: int, begin: int, end: int, like: int) -> int:
        """Add a node of some lines, of which so many are folded into one."""
        node, into = len(self._rows), self.children.setdefault(parent, [])
        self._rows.append((parent, len(into), begin, end, like))
        into.append(node)
        return node

    def _call(self, number: int) -> Call | None:
        """Call of a line, or the only one under a condition."""
        line = self._lines[number]
        if line.kind == "when" and line.end == number + 2:
            line = self._lines[number + 1]
        return line.statement if isinstance(line.statement, Call) else None

    def _likeness(self, number: int) -> object:
        """Key that like calls to different partners share."""
        call = self._call(number)
        if call is None or (call.to is None and call.source is None):
            return number
        return (
            call.operation,
            call.to is None,
            call.source is None,
            call.size,
            call.sizes,
            call.source_size,
            call.source_sizes,
            call.detail,
        )


class TreeNodes(Sequence[TreeNode]):
    """The nodes of a tree."""

    def __init__(self, tree: StatementTree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self._tree)

    @overload
    def __getitem__(self, number: int) -> TreeNode: ...

    @overload
    def __getitem__(self, number: slice) -> list[TreeNode]: ...

    def __getitem__(self, number: int | slice) -> TreeNode | list[TreeNode]:
        """Build a node, or some."""
        if isinstance(number, slice):
            return [self._tree.node(each) for each in range(len(self))[number]]
        return self._tree.node(range(len(self))[number])


def _head_words(line: Line) -> tuple[Token, ...]:
    return line.words


def _partners(call: Call | None) -> object:
    return None if call is None else (call.to, call.source)


def shortened(
    words: tuple[Token, ...], fits: Callable[[tuple[Token, ...]], bool]
) -> tuple[Token, ...]:
    """Leave out what a statement can do without, until it fits.

    First words of conditions (``not at north or west edge`` becomes ``not north or
    west``), then sizes, then what was posted (``Irecv from``), then details; what is
    left out becomes an ellipsis. Operation and directions always stay.
    """
    steps = (
        _terse_condition,
        _without("size"),
        _without_ellipsis,
        _without_posted,
        _without("detail"),
    )
    for step in steps:
        if fits(words):
            break
        words = step(words)
    return words


def _without(kind: str) -> Callable[[tuple[Token, ...]], tuple[Token, ...]]:
    def cut(words: tuple[Token, ...]) -> tuple[Token, ...]:
        left: list[Token] = []
        for word in words:
            if word[1] != kind:
                left.append(word)
            elif not left or left[-1][0] != ELLIPSIS:
                left.append((ELLIPSIS, "dim"))
        return tuple(left)

    return cut


def _terse_condition(words: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(
        (EDGE_PATTERN.sub(r"\1", text) if kind == "condition" else text, kind)
        for text, kind in words
    )


def _without_ellipsis(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Leave the ellipsis out, too: a whole condition tells more."""
    return tuple(word for word in words if word != (ELLIPSIS, "dim"))


def _without_posted(words: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(
        (
            f"({ELLIPSIS}{text.split()[-1]}" if kind == "dim" and " " in text else text,
            kind,
        )
        for text, kind in words
    )


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """What is selected: a statement, -1 for none, and lines, none if (0, 0)."""

    statement: int = -1
    lines: tuple[int, int] = (0, 0)


def selected_rows(logical: LogicalTrace | None, selection: Selection) -> SelectedRows:
    """Find the rows of a selection: a call's statement if no other is selected."""
    call, statement = selection.call, selection.statement
    if call is not None and logical is not None and statement is None:
        of_call = logical.statement_of_call
        statement = int(of_call[call]) if call < len(of_call) else -1
    number = -1 if statement is None else statement
    return SelectedRows(number, selection.lines or (0, 0))


def count_up_to(
    logical: LogicalTrace, begin: Ints, call: Ints, inside: Bools
) -> tuple[Ints, Ints]:
    """Count the ranks up to each statement that are in it, or compute after it.

    Parameters
    ----------
    begin : int64, shape (ranks,)
        The first call of each.
    call, inside
        As of `topoview.live.moments.moment.calls_at`.

    Returns
    -------
    here, past : int64, shape (statements + 1,)
    """

    def count(some: slice) -> Ints:
        result = np.zeros((2, logical.statements + 1), np.int64)
        of = begin[some], logical.statement_of_call, call[some], inside[some]
        count_statements(*of, result)
        return result

    parts = equal_parts(len(call), least=ROWS_A_THREAD) or [slice(0)]
    both = np.sum(in_parts(count, parts), axis=0)
    both[:, 0] = 0  # of no statement
    here, past = np.cumsum(both, axis=1)
    return here, past


class RankPositions:
    """How many ranks are where at the time that it was moved to last."""

    def __init__(self, statements: int) -> None:
        self._counts = np.zeros((3, statements + 1), np.int64)
        self._change = self._counts.T
        """Of the three counts, of each statement, by the last move."""
        self._cursor: TimeCursor | None = None

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
        if self._cursor is None or self._cursor.trace is not trace:
            self._cursor = TimeCursor(trace)
        begin = trace.calls.offsets[: trace.ranks]
        call, inside = self._cursor.calls(ticks)
        some = np.array(ranks, np.int64)
        of_all = count_up_to(logical, begin, call, inside)
        chosen, _ = count_up_to(logical, begin[some], call[some], inside[some])
        before, self._counts = self._counts, np.stack([*of_all, chosen])
        self._change = np.ascontiguousarray((self._counts - before).T)
        return bool(self._change.any())

    def moved(self, node: TreeNode) -> bool:
        """Return whether the last move has changed any number of a row."""
        first, last = self._change[[node.first, node.last]]
        return bool(first.tobytes() != last.tobytes())

    def here(self, node: TreeNode) -> int:
        """Count the ranks in any statement of a row."""
        return self._between(0, node)

    def occupied(self) -> list[tuple[int, int]]:
        """Return the statements that ranks are in, and how many are in each."""
        count = np.diff(self._counts[0])
        statements = np.flatnonzero(count)
        return list(zip(statements.tolist(), count[statements].tolist(), strict=True))

    def after(self, node: TreeNode) -> int:
        """Count those that compute after any of them."""
        return self._between(1, node)

    def chosen(self, node: TreeNode) -> int:
        """Count the selected ranks in any of them."""
        return self._between(2, node)

    def _between(self, which: int, node: TreeNode) -> int:
        count = self._counts[which]
        return int(count[node.last] - count[node.first])


def here_text(here: int, after: int) -> str:
    """Write how many ranks are in a statement, and how many compute after it."""
    past = f"\u2193{grouped(after)}" if after else ""
    return f"{grouped(here) if here else ''} {past}".strip()


def here_words(here: int, after: int) -> str:
    """Return the same in words."""
    words = []
    if here:
        words.append(tr("{ranks} in it now", ranks=plural(here, "rank")))
    if after:
        words.append(tr("{ranks} past it, computing", ranks=plural(after, "rank")))
    return "\n".join(words)


def statements_of_edge(analysis: Analysis, edge: tuple[int, int]) -> Ints:
    """Statements that send or receive the messages between two ranks, sorted."""
    messages, logical = analysis.trace.messages, analysis.logical
    assert logical is not None
    between = messages_between(analysis, *edge)
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
    statements = np.unique(logical.statement_of_call[calls[calls >= 0]]).astype(
        np.int64
    )
    return statements[statements >= 0]
