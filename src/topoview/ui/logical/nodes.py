"""The logical trace as rows of a tree, and what the ranks are in at a time."""

import gc
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

import numpy as np

from topoview.logical.lines import Line
from topoview.logical.nesting import functions_text
from topoview.logical.tokens import Token, call_tokens
from topoview.model import Bools, Call, Ints

GROUP = 3
"""So many like calls to different partners in a row are folded into one."""

CUT = "…"
EDGE = re.compile(r"at ((?:\w+, )*(?:\w+ or )?\w+) edge\b")


@dataclass(slots=True, eq=False)
class Node:
    """A row of the tree; its words are written when it is looked at.

    Attributes
    ----------
    parent, row
        Number of the node above, -1 at the top, and the place under it.
    first, last
        The statements below are `first` to `last`, the last one excluded.
    state
        MPI state of the statement, -1 for what is no call.
    call
        Whether it is a single statement.
    line
        Number of its line in the logical trace, from 0; of a group that of its
        first call.
    kind
        `Line.kind`, or ``group`` of like calls.
    write
        Writes the words of the row.
    """

    parent: int
    row: int
    first: int
    last: int
    state: int
    call: bool
    line: int
    kind: str
    write: Callable[[], tuple[Token, ...]]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Words of the row."""
        return self.write()


class Tree:
    """All nodes of a logical trace, parents before their children.

    A condition on a single call is told in the call's row; calls that differ in
    their partner and condition only are folded into one.

    Attributes
    ----------
    nodes
        The nodes.
    children
        Numbers of the nodes under each node; under the last entry, index -1,
        those at the top.
    node_of
        Node of each statement, -1 where it is not shown; int64, shape
        (statements,).
    """

    def __init__(
        self, lines: Sequence[Line], statements: int, shown: Bools | None = None
    ) -> None:
        self.nodes: list[Node] = []
        self.children: list[list[int]] = []
        self.node_of: Ints = np.full(statements, -1, np.int64)
        self._lines = lines
        self._shown = shown
        top: list[int] = []
        collects = gc.isenabled()
        gc.disable()  # nothing here is garbage; looking for it takes most of the time
        try:
            self._add(0, len(lines), -1, top)
        finally:
            if collects:
                gc.enable()
        self.children.append(top)

    def _add(self, begin: int, end: int, parent: int, into: list[int]) -> None:
        """Add lines, those within them excluded, under a node."""
        own = []
        while begin < end:
            if self._shown is None or self._shown[begin]:
                own.append(begin)
            begin = self._lines[begin].end
        for _, run in groupby(own, self._likeness):
            like = list(run)
            partners = {_partners(self._call(number)) for number in like}
            if len(like) >= GROUP and len(partners) == len(like):
                self._group(like, parent, into)
            else:
                for number in like:
                    self._line(number, parent, into)

    def _group(self, like: list[int], parent: int, into: list[int]) -> None:
        call = self._call(like[0])
        assert call is not None
        first, last = self._lines[like[0]].first, self._lines[like[-1]].last
        node = len(self.nodes)
        line = self._lines[like[0]].end - 1
        write = partial(_together, call, len(like))
        self._new(
            Node(
                *(parent, len(into), first, last, int(call.state)),
                call=False,
                line=line,
                kind="group",
                write=write,
            ),
            into,
        )
        for number in like:
            self._line(number, node, self.children[node])

    def _line(self, number: int, parent: int, into: list[int]) -> None:
        line, node = self._lines[number], len(self.nodes)
        place = (parent, len(into), line.first, line.last)
        call = self._call(number)
        if call is not None:
            self.node_of[call.index] = node
            write = partial(_call_words, call, line)
            state = int(call.state)
            made = Node(*place, state, True, line.end - 1, "call", write)
            self._new(made, into)
            return
        head = Node(*place, -1, False, number, line.kind, partial(_head_words, line))
        self._new(head, into)
        if line.kind != "use":
            self._add(number + 1, line.end, node, self.children[node])

    def _new(self, node: Node, into: list[int]) -> None:
        into.append(len(self.nodes))
        self.nodes.append(node)
        self.children.append([])

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
            *(call.operation, call.to is None, call.source is None),
            *(call.size, call.sizes, call.source_size, call.source_sizes),
            call.detail,
        )


def called_in(line: Line) -> str:
    """Functions that a line's call is made in, as a line of its own."""
    call = line.statement
    path = call.path if isinstance(call, Call) else ()
    return f"\nin {functions_text(path)}" if path else ""


def _together(call: Call, count: int) -> tuple[Token, ...]:
    partners = f"{count} neighbours"
    return call_tokens(
        replace(
            call,
            to=None if call.to is None else partners,
            source=None if call.source is None else partners,
        )
    )


def _call_words(call: Call, line: Line) -> tuple[Token, ...]:
    words = call_tokens(call)
    return (*words, ("if", "dim"), line.tokens[1]) if line.kind == "when" else words


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
    steps = (_terse, _without("size"), _bare, _without_posted, _without("detail"))
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
            elif not left or left[-1][0] != CUT:
                left.append((CUT, "dim"))
        return tuple(left)

    return cut


def _terse(words: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(
        (EDGE.sub(r"\1", text) if kind == "condition" else text, kind)
        for text, kind in words
    )


def _bare(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Leave the ellipsis out, too: a whole condition tells more."""
    return tuple(word for word in words if word != (CUT, "dim"))


def _without_posted(words: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(
        (f"({CUT}{text.split()[-1]}" if kind == "dim" and " " in text else text, kind)
        for text, kind in words
    )
