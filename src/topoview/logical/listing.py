"""The logical trace as it is read: words, lines, text, and an object for scripts.

A statement is a row of tokens (its words, and what each word is), and a line is a
statement with its place among the others. The listing, the window and the reports all
write these.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from topoview.logical.expansion import ExpandedCall
from topoview.logical.functions.nesting import (
    FunctionPath,
    FunctionVisit,
    Nesting,
    functions_text,
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Ints,
    Line,
    LogicalTrace,
    Loop,
    MaximalProcess,
    Sometimes,
    Statement,
    Token,
    When,
    joined_text,
    with_colon,
)
from topoview.text import (
    exact_size_text,
    exact_sizes_text,
    numbers_text,
    ordinal_text,
    plural,
    share_text,
)

# The words of statements, and what each word is: one truth for all forms.

GROWTH_TEXTS = {1: "sizes grow", -1: "sizes shrink"}
"""What is said of the sizes of messages from turn to turn."""


def statement_tokens(statement: Statement, logical: LogicalTrace) -> tuple[Token, ...]:
    """Words of a statement, without those of its body, and without a colon."""
    match statement:
        case Call():
            return call_tokens(statement)
        case Loop():
            return _loop_tokens(statement, logical)
        case When(guard):
            return (("if", "operation"), (logical.guards[guard].text, "condition"))
        case Sometimes(_, pattern):
            return ((pattern_text(logical.patterns[pattern]), "count"),)
        case BlockCall(block):
            return (("block", "operation"), (logical.blocks[block].name, "name"))


def call_tokens(call: Call) -> tuple[Token, ...]:
    """Words of a call: ``Isend to EAST 12 KiB``, ``Wait (Irecv from WEST)``."""
    words: list[Token] = [(call.operation, "operation")]
    sent = _size_words(call.size, call.sizes)
    received = _size_words(call.source_size, call.source_sizes)
    if call.to is not None:
        words += [("to", "dim"), (call.to, "direction")]
    if sent and not (call.source is not None and sent == received):
        words.append((sent, "size"))
    if call.source is not None:
        if call.to is not None:
            words[-1] = (f"{words[-1][0]},", words[-1][1])
        words += [("from", "dim"), (call.source, "direction")]
    if received:
        words.append((received, "size"))
    return (*words, *_bracketed_words(call))


def pattern_text(pattern: Bools) -> str:
    """Tell which iterations run: ``every 10th``, ``30 %``.

    A share is cut off, not rounded up: what is left out at times is never 100 %.
    """
    count, runs = len(pattern), np.flatnonzero(pattern)
    share_ = f"{1000 * len(runs) // count / 10:.1f}".removesuffix(".0") + " %"
    if len(runs) == count - 1 and not pattern[0]:
        return f"{share_}, all but the first"
    if len(runs) == count - 1 and not pattern[-1]:
        return f"{share_}, all but the last"
    if len(runs) == 1 and runs[0] == count - 1 and count > 1:
        return f"every {ordinal_text(count)}"
    if len(runs) == 1 and runs[0] == 0 and count > 1:
        return f"every {ordinal_text(count)} from the first"
    steps = np.unique(np.diff(runs))
    if len(steps) == 1 and steps[0] > 1 and runs[0] < steps[0]:
        start = "" if runs[0] == steps[0] - 1 else f" from number {runs[0] + 1}"
        if runs[-1] + steps[0] >= count:
            return f"every {ordinal_text(int(steps[0]))}{start}"
    return share_


def _loop_tokens(loop: Loop, logical: LogicalTrace) -> tuple[Token, ...]:
    if loop.over:
        numbers = numbers_text(loop.over)
        return (("for", "operation"), ("k in", "dim"), (numbers, "count"))
    said = str(loop.count)
    if loop.trips >= 0:
        trips = logical.trips[loop.trips]
        said = f"{trips.min()}..{trips.max()}"
    elif loop.rank_trips >= 0:
        said = _rank_trips_text(logical.rank_trips[loop.rank_trips])
    elif loop.growth:
        grows = (GROWTH_TEXTS[loop.growth], "dim")
        return (("repeat", "operation"), (f"{said},", "count"), grows)
    return (("repeat", "operation"), (said, "count"))


def _rank_trips_text(trips: Ints) -> str:
    """Tell how often ranks run a loop: ``22..30 by rank``."""
    return f"{trips[trips > 0].min()}..{trips.max()} by rank"


def _bracketed_words(call: Call) -> list[Token]:
    """Words in brackets: what a call completes, its root, its communicator."""
    partners = [("to", call.awaits_to), ("from", call.awaits_source)]
    words: list[Token] = []
    detail = call.detail
    for way, name in partners:
        if name is not None:
            words.append((f"{detail} {way}" if detail else way, "dim"))
            words.append((name, "direction"))
            detail = ""
    if detail:
        words.append((detail, "detail"))
    if words:
        words[0] = (f"({words[0][0]}", words[0][1])
        words[-1] = (f"{words[-1][0]})", words[-1][1])
    return words


def _size_words(size: int | None, sizes: tuple[int, int] | None) -> str:
    if sizes is not None:
        return exact_sizes_text(*sizes)
    return "" if size is None else exact_size_text(size)


# The logical trace as lines: what the listing, the window and reports show.

LinePlace = tuple[int, int, FunctionPath]
"""Line that others belong to, how deep they stand, and functions that are told."""


def lines(logical: LogicalTrace) -> tuple[Line, ...]:
    """List a logical trace line by line: the body, then the blocks.

    Lines are numbered by their place in the list; a line's own lines follow it.
    """
    nesting = Nesting(logical)
    writer = _LineWriter(logical, nesting)
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
    return sum(1 for _ in calls_in(body))


def calls_in(body: tuple[Statement, ...]) -> Iterator[Call]:
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
class _LineWriter:
    logical: LogicalTrace
    nesting: Nesting
    found: list[Line] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def write(
        self, body: Iterable[Statement | FunctionVisit], place: LinePlace, first: int
    ) -> int:
        """Write a body, nested already; returns the statement after its last."""
        parent, depth, within = place
        for statement in body:
            if isinstance(statement, FunctionVisit):
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
                kind = KIND_OF_STATEMENT[type(statement)]
                inner = self.nesting.nest(statement.body, within)
                first = self.nest(kind, words, statement, place, first, inner)
        return first

    def nest(  # noqa: PLR0913
        self,
        kind: str,
        words: tuple[Token, ...],
        statement: Statement | None,
        place: LinePlace,
        first: int,
        body: Iterable[Statement | FunctionVisit],
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


KIND_OF_STATEMENT = {Loop: "loop", When: "when", Sometimes: "sometimes"}


# The logical trace as text.

INDENT = "    "


def listing(logical: LogicalTrace) -> str:
    """Write a logical trace for a reader: a statement a line, loops indented.

    Lines with ``#`` tell for how many ranks it is exact and what is left out.
    """
    nesting = Nesting(logical)
    within = nesting.program
    lines = [f"# {sentence}" for sentence in _about_lines(nesting)]
    lines += _body_lines(nesting.nest(logical.body, within), nesting, "", within)
    for block in logical.blocks:
        lines += ["", f"block {block.name}:"]
        lines += _body_lines(nesting.nest(block.body, within), nesting, INDENT, within)
    return "\n".join(lines)


def about(logical: LogicalTrace) -> list[str]:
    """Say of how many ranks it is, whether it is exact, and what is left out."""
    return _about_lines(Nesting(logical))


def statement_text(statement: Statement, logical: LogicalTrace) -> str:
    """Write one statement: ``Irecv from EAST 12 KiB``, ``repeat 200:``."""
    words = statement_tokens(statement, logical)
    return joined_text(
        words if isinstance(statement, Call | BlockCall) else with_colon(words)
    )


def call_text(call: Call) -> str:
    """Write a call: ``Irecv from EAST 12 KiB``."""
    return joined_text(call_tokens(call))


def _body_lines(
    body: Iterable[Statement | FunctionVisit],
    nesting: Nesting,
    indent: str,
    within: FunctionPath,
) -> list[str]:
    """Write a body, nested already; `within` are the functions around it."""
    lines: list[str] = []
    deeper = indent + INDENT
    for statement in body:
        if isinstance(statement, FunctionVisit):
            lines.append(f"{indent}{statement.text}:")
            lines += _body_lines(statement.body, nesting, deeper, statement.path)
            continue
        lines.append(indent + statement_text(statement, nesting.logical))
        if isinstance(statement, Loop | When | Sometimes):
            inner = nesting.nest(statement.body, within)
            lines += _body_lines(inner, nesting, deeper, within)
    return lines


def _about_lines(nesting: Nesting) -> list[str]:
    logical = nesting.logical
    exact, ranks = logical.ranks_verified, logical.ranks
    if logical.groups > 1:
        alike = f" in {logical.groups} groups, each of ranks that do the same"
    else:
        alike = " that all do the same" if ranks > 1 else ""
    if not logical.records:
        nothing = f"{plural(ranks, 'rank')}; no MPI calls are recorded"
        return [nothing, *logical.notes]
    said = [
        f"{plural(ranks, 'rank')}{alike}; exact for {exact} of {ranks}",
        f"{plural(logical.statements, 'statement')} for up to "
        f"{plural(logical.records, 'MPI call')} of a rank",
    ]
    if logical.calls_excluded or logical.bytes_excluded:
        said.append(
            f"left out: {share_text(logical.calls_excluded)} of calls, "
            f"{share_text(logical.bytes_excluded)} of point-to-point bytes"
        )
    if logical.maximal is not None:
        said.append(_maximal_text(logical.maximal, ranks))
    said += logical.notes
    if nesting.program and nesting.tells:
        said.append(f"all calls are in {functions_text(nesting.program)}")
    return said


def _maximal_text(found: MaximalProcess, ranks: int) -> str:
    said = f"rank {found.rank} alone, as the maximal process, would stand for"
    if not found.calls_excluded and found.ranks_exact == ranks:
        return f"{said} all"
    return (
        f"{said} {found.ranks_exact} of {ranks} and leave out "
        f"{share_text(found.calls_excluded)} of calls, "
        f"{share_text(found.bytes_excluded)} of point-to-point bytes"
    )


# The logical trace for scripts.


def logical_record(
    logical: LogicalTrace,
    expansions: Mapping[int, Sequence[ExpandedCall]] | None = None,
) -> dict[str, Any]:
    """Describe a logical trace as JSON-able values: what ``topoview logical`` prints.

    Parameters
    ----------
    expansions
        Calls of ranks, from `expand`, to add.
    """
    record: dict[str, Any] = {
        "ranks": logical.ranks,
        "maximal_rank": logical.maximal_rank,
        "records": logical.records,
        "statements": logical.statements,
        "loops": logical.loops,
        "depth": logical.depth,
        "calls_excluded": logical.calls_excluded,
        "bytes_excluded": logical.bytes_excluded,
        "ranks_verified": logical.ranks_verified,
        "groups": logical.groups,
        "blocks": len(logical.blocks),
        "conditions": len(logical.guards),
        "notes": list(logical.notes),
        "listing": listing(logical),
        "seconds": logical.seconds,
    }
    if logical.maximal is not None:
        record["maximal"] = asdict(logical.maximal)
    if expansions:
        record["expansion"] = {
            str(rank): [list(entry) for entry in entries]
            for rank, entries in expansions.items()
        }
    return record
