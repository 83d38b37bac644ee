"""The logical trace as rows of a tree, and what the ranks are in at a time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from topoview.analysis.message_blocks import message_blocks
from topoview.model import Call, Ints, LogicalTrace, Loop, Statement, Trace
from topoview.ui.formats import grouped, size_text

GROUP = 3
"""So many like calls to different partners in a row are folded into one."""

Token = tuple[str, str]
"""A word and what it is.

``operation``, ``direction``, ``count``, ``size``, ``detail``, or ``dim``, the words
before a direction.
"""

CUT = "…"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A row of the tree.

    Attributes
    ----------
    parent, row
        Number of the node above, -1 at the top, and the place under it.
    first, last
        The statements below are `first` to `last`, the last one excluded.
    tokens
        Words of the row.
    state
        MPI state of the statement, -1 for a loop.
    call
        Whether it is a single statement.
    """

    parent: int
    row: int
    first: int
    last: int
    tokens: tuple[Token, ...]
    state: int
    call: bool


class Tree:
    """All nodes of a logical trace, parents before their children.

    Attributes
    ----------
    nodes
        The nodes.
    children
        Numbers of the nodes under each node; under the last entry, index -1,
        those at the top.
    node_of
        Node of each statement, int64, shape (statements,).
    """

    def __init__(self, logical: LogicalTrace) -> None:
        self.nodes: list[Node] = []
        self.children: list[list[int]] = []
        self.node_of: Ints = np.zeros(logical.statements, np.int64)
        top: list[int] = []
        self._add(logical.body, -1, 0, top)
        self.children.append(top)

    def _add(
        self, body: tuple[Statement, ...], parent: int, first: int, into: list[int]
    ) -> int:
        """Add statements under a node; returns the statement after the last."""
        for _, run in groupby(body, _likeness):
            like = list(run)
            partners = {(c.to, c.source) for c in like if isinstance(c, Call)}
            if len(like) >= GROUP and len(partners) == len(like):
                node = self._new(parent, into, _together(like), first, like[0])
                for call in like:
                    first = self._statement(call, node, first, self.children[node])
                self._close(node, first)
            else:
                for statement in like:
                    first = self._statement(statement, parent, first, into)
        return first

    def _statement(
        self, statement: Statement, parent: int, first: int, into: list[int]
    ) -> int:
        if isinstance(statement, Call):
            node = self._new(parent, into, tokens(statement), first, statement)
            self.node_of[first] = node
            return first + 1
        words = (("repeat", "operation"), (grouped(statement.count), "count"))
        node = self._new(parent, into, words, first, None)
        end = self._add(statement.body, node, first, self.children[node])
        self._close(node, end)
        return end

    def _new(
        self,
        parent: int,
        into: list[int],
        words: tuple[Token, ...],
        first: int,
        like: Statement | None,
    ) -> int:
        state = int(like.state) if isinstance(like, Call) else -1
        node = len(self.nodes)
        self.nodes.append(Node(parent, len(into), first, first + 1, words, state, True))
        self.children.append([])
        into.append(node)
        return node

    def _close(self, node: int, end: int) -> None:
        was = self.nodes[node]
        self.nodes[node] = Node(
            was.parent, was.row, was.first, end, was.tokens, was.state, False
        )


def tokens(call: Call) -> tuple[Token, ...]:
    """Words of a statement: ``Isend to EAST 12 KiB``, ``Wait Irecv from WEST``."""
    words: list[Token] = [(call.operation, "operation")]
    sent = _size_words(call.size, call.sizes)
    received = _size_words(call.source_size, call.source_sizes)
    if call.to is not None:
        words += [("to", "dim"), (call.to, "direction")]
    if sent and not (call.source is not None and sent == received):
        words.append((sent, "size"))
    if call.source is not None:
        words += [("from", "dim"), (call.source, "direction")]
    if received:
        words.append((received, "size"))
    if call.awaits_to is not None:
        posted = call.detail or "send"
        words += [(f"{posted} to", "dim"), (call.awaits_to, "direction")]
    if call.awaits_source is not None:
        posted = call.detail or "recv"
        words += [(f"{posted} from", "dim"), (call.awaits_source, "direction")]
    if call.detail and call.awaits_to is None and call.awaits_source is None:
        words.append((call.detail, "detail"))
    return tuple(words)


def shortened(
    words: tuple[Token, ...], fits: Callable[[tuple[Token, ...]], bool]
) -> tuple[Token, ...]:
    """Leave out what a statement can do without, until it fits.

    First the sizes, then what was posted (``Irecv from``), then details; what is
    left out becomes an ellipsis. Operation and directions always stay.
    """
    for step in (_without("size"), _without_posted, _without("detail")):
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
            elif not left or left[-1][0] != CUT:
                left.append((CUT, "dim"))
        return tuple(left)

    return cut


def _without_posted(words: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(
        (f"{CUT}{text.split()[-1]}" if kind == "dim" and " " in text else text, kind)
        for text, kind in words
    )


def statements_now(trace: Trace, logical: LogicalTrace, ticks: int) -> Ints:
    """Statement that each rank is in at a time, -1 if it is in none.

    One binary search for all ranks at once: O(ranks log calls).

    Returns
    -------
    int64, shape (ranks,)
    """
    calls = trace.calls
    low = calls.offsets[: trace.ranks].copy()
    begin = low.copy()
    high = calls.offsets[1 : trace.ranks + 1].copy()
    last = max(len(calls) - 1, 0)
    while np.any(low < high):
        middle = (low + high) >> 1
        before = (low < high) & (calls.enter[np.minimum(middle, last)] <= ticks)
        high = np.where((low < high) & ~before, middle, high)
        low = np.where(before, middle + 1, low)
    found = np.full(trace.ranks, -1, np.int64)
    latest = low - 1
    inside = (latest >= begin) & (low > begin)
    inside[inside] = calls.leave[latest[inside]] > ticks
    found[inside] = logical.statement_of_call[latest[inside]]
    return found


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


def _size_words(size: int | None, sizes: tuple[int, int] | None) -> str:
    if sizes is not None:
        return f"{size_text(sizes[0])} to {size_text(sizes[1])}"
    return "" if size is None else size_text(size)


def _likeness(statement: Statement) -> object:
    """Key that like calls to different partners share."""
    if isinstance(statement, Loop) or (
        statement.to is None and statement.source is None
    ):
        return id(statement)
    return replace(statement, index=0, to=None, source=None), (
        statement.to is None,
        statement.source is None,
    )


def _together(like: list[Statement]) -> tuple[Token, ...]:
    call = like[0]
    assert isinstance(call, Call)
    partners = f"{len(like)} neighbours"
    return tokens(
        replace(
            call,
            to=None if call.to is None else partners,
            source=None if call.source is None else partners,
        )
    )
