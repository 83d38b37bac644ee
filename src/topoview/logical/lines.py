"""The logical trace as lines: what the listing, the window and reports show."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from topoview.logical.nesting import Nesting, Path, Visit
from topoview.logical.tokens import Token, as_head, joined, statement_tokens
from topoview.model import (
    BlockCall,
    Call,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    When,
)

Place = tuple[int, int, Path]
"""Line that others belong to, how deep they stand, and functions that are told."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the logical trace.

    Attributes
    ----------
    depth
        How deep it stands.
    parent
        Number of the line that it belongs to, -1 at the top.
    kind
        ``call``, ``loop``, ``when``, ``sometimes``, ``use`` (of a block), ``block``
        (its head) or ``function`` (a visit of it).
    tokens
        Its words, without a colon.
    first, last
        Statements below it, the last one excluded; of a use: those of the block.
    end
        The line after those that belong to it.
    statement
        What it shows; None for the head of a block, and for a function.
    names
        Of a function: those that are entered, the outermost first.
    """

    depth: int
    parent: int
    kind: str
    tokens: tuple[Token, ...]
    first: int
    last: int
    end: int
    statement: Statement | None
    names: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[Token, ...]:
        """Its words, with a colon where others belong to it."""
        return self.tokens if self.kind in ("call", "use") else as_head(self.tokens)

    @property
    def text(self) -> str:
        """The line in words, without indentation: as the listing has it."""
        return joined(self.words)


def lines(logical: LogicalTrace) -> tuple[Line, ...]:
    """List a logical trace line by line: the body, then the blocks.

    Lines are numbered by their place in the list; a line's own lines follow it.
    """
    nesting = Nesting(logical)
    writer = _Writer(logical, nesting)
    spans: list[tuple[int, int]] = []
    first = count_calls(logical.body)
    for block in logical.blocks:
        after = first + count_calls(block.body)
        spans.append((first, after))
        first = after
    writer.spans = spans
    within = nesting.program
    top = -1, 0, within
    writer.write(nesting.nest(logical.body, within), top, 0)
    for block, (begin, _) in zip(logical.blocks, spans, strict=True):
        head = (("block", "operation"), (block.name, "name"))
        body = nesting.nest(block.body, within)
        writer.nest("block", head, None, top, begin, body)
    return tuple(writer.found)


def count_calls(body: tuple[Statement, ...]) -> int:
    """Count the calls of a body, those of its blocks not."""
    return sum(1 for _ in calls_of(body))


def calls_of(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Go through the calls of a body, each once, those of its blocks not."""
    stack = [iter(body)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
        elif isinstance(statement, Call):
            yield statement
        elif not isinstance(statement, BlockCall):
            stack.append(iter(statement.body))


@dataclass(slots=True)
class _Writer:
    logical: LogicalTrace
    nesting: Nesting
    found: list[Line] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def write(self, body: Iterable[Statement | Visit], place: Place, first: int) -> int:
        """Write a body, nested already; returns the statement after its last."""
        parent, depth, within = place
        for statement in body:
            if isinstance(statement, Visit):
                head = ((statement.text, "name"),)
                around = parent, depth, statement.path
                own = len(self.found)
                first = self.nest("function", head, None, around, first, statement.body)
                self.found[own] = replace(self.found[own], names=statement.names)
                continue
            words = statement_tokens(statement, self.logical)
            if isinstance(statement, Call):
                self._add("call", words, statement, parent, depth, first, first + 1)
                first += 1
            elif isinstance(statement, BlockCall):
                begin, end = self.spans[statement.block]
                self._add("use", words, statement, parent, depth, begin, end)
            else:
                kind = KINDS[type(statement)]
                inner = self.nesting.nest(statement.body, within)
                first = self.nest(kind, words, statement, place, first, inner)
        return first

    def nest(  # noqa: PLR0913
        self,
        kind: str,
        words: tuple[Token, ...],
        statement: Statement | None,
        place: Place,
        first: int,
        body: Iterable[Statement | Visit],
    ) -> int:
        """Write a head and its body; returns the statement after its last."""
        parent, depth, within = place
        number = len(self.found)
        self._add(kind, words, statement, parent, depth, first, first)
        last = self.write(body, (number, depth + 1, within), first)
        self.found[number] = Line(
            depth, parent, kind, words, first, last, len(self.found), statement
        )
        return last

    def _add(  # noqa: PLR0913
        self,
        kind: str,
        words: tuple[Token, ...],
        statement: Statement | None,
        parent: int,
        depth: int,
        first: int,
        last: int,
    ) -> None:
        end = len(self.found) + 1
        self.found.append(Line(depth, parent, kind, words, first, last, end, statement))


KINDS = {Loop: "loop", When: "when", Sometimes: "sometimes"}
