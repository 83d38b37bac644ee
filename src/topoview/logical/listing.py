"""The logical trace as it is read: words, lines, text, and an object for scripts.

A statement is a row of tokens (its words, and what each word is), and a line is a
statement with its place among the others. The listing, the window and the reports all
write these.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from topoview.base.text import (
    exact_size_text,
    exact_sizes_text,
    numbers_text,
    ordinal_text,
    plural,
    share_text,
)
from topoview.logical.calls.wildcards import ANY_SOURCE
from topoview.logical.functions.nesting import (
    FunctionPath,
    FunctionVisit,
    Nesting,
    calls_in,
    functions_text,
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Each,
    Ints,
    Line,
    LineKind,
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

if TYPE_CHECKING:  # expanding needs compiled code
    from topoview.logical.expansion import ExpandedCall

# The words of statements, and what each word is: one truth for all forms.

GROWTH_TEXTS = {1: "sizes grow", -1: "sizes shrink"}
"""What is said of the sizes of messages from turn to turn."""


def statement_tokens(statement: Statement, logical: LogicalTrace) -> tuple[Token, ...]:
    """Words of a statement, without those of its body, and without a colon."""
    match statement:
        case Call():
            return call_tokens(statement)
        case Each():
            return _each_tokens(statement, logical)
        case Loop():
            return _loop_tokens(statement, logical)
        case When(guard):
            return (("if", "operation"), (logical.guards[guard].text, "condition"))
        case Sometimes(_, pattern):
            return ((pattern_text(logical.patterns[pattern]), "count"),)
        case BlockCall(block):
            return (("subroutine", "operation"), (logical.blocks[block].name, "name"))


def call_tokens(call: Call) -> tuple[Token, ...]:
    """Words of a call: ``Isend to EAST 12 KiB``, ``Wait (Irecv from WEST)``."""
    words: list[Token] = [(call.operation, "operation")]
    if call.calls is not None:
        return _script_tokens(call)
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


def _script_tokens(call: Call) -> tuple[Token, ...]:
    """Words of calls without a rule: ``Send to 1..3 partners by table 8..64 B``."""
    assert call.calls is not None
    words: list[Token] = [(call.operation, "operation")]
    calls = f"{_often_text(call.calls)} {'call' if call.calls[1] == 1 else 'calls'}"
    if call.to is not None or call.source is not None:
        partners = call.partners or call.calls
        said = (
            f"{_often_text(partners)} {'partner' if partners[1] == 1 else 'partners'}"
        )
        words.append(("to" if call.to is not None else "from", "dim"))
        words.append((said if partners == call.calls else f"{said},", "direction"))
        if partners != call.calls:
            words.append((calls, "count"))
    elif " | " in call.operation or call.calls[1] > 1:
        words.append((calls, "count"))
    words.append(("by table", "detail"))
    size = _size_words(call.size, call.sizes) or _size_words(
        call.source_size, call.source_sizes
    )
    if size:
        words.append((size, "size"))
    return (*words, *_bracketed_words(call))


def _often_text(often: tuple[int, int]) -> str:
    least, most = often
    return str(most) if least == most else f"{least}..{most}"


MAX_NAMES_LISTED = 8
"""Partners of an exchange that are listed by name."""


def _each_tokens(each: Each, logical: LogicalTrace) -> tuple[Token, ...]:
    """Words of calls that are read as one: ``Send to each of the 26 neighbours``."""
    all_calls = list(calls_in(each.body))
    first = all_calls[0]
    calls = [call for call in all_calls if call.operation == first.operation]
    words: list[Token] = [(first.operation, "operation")]
    names = [call.to if call.to is not None else call.source for call in calls]
    waited = [call.awaits_to or call.awaits_source for call in calls]
    if each.neighbours and {*names, *waited} == {None, ANY_SOURCE}:
        names = waited = [None]  # from all of them, in any order
    if names[0] is not None:
        words.append(("to" if first.to is not None else "from", "dim"))
    elif waited[0] is not None:
        names = waited
        words.append((f"for {first.detail}", "dim"))
    if names[0] is not None:
        many = _calls_by_rank(each.body, first.operation, logical)
        words += _partner_words(names, each, int(many.max(initial=0)))
    if names[0] is None or (len(set(names)) == 1 and not names[0].endswith("k")):
        words += _often_words(each, logical)
    for side in ("size", "source_size"):
        sizes = [
            size
            for call in calls
            for size in (getattr(call, f"{side}s") or (getattr(call, side),) * 2)
            if size is not None
        ]
        if sizes and (side == "size" or first.to is None):
            low, high = min(sizes), max(sizes)
            text = exact_size_text(low) if low == high else exact_sizes_text(low, high)
            words.append((text, "size"))
    further = dict.fromkeys(call.operation for call in all_calls)
    if len(further) > 1:
        words[-1] = (f"{words[-1][0]},", words[-1][1])
        words += [("each with", "dim"), (", ".join([*further][1:]), "operation")]
    return tuple(words)


def _calls_by_rank(
    body: Sequence[Statement], operation: str, logical: LogicalTrace
) -> Ints:
    """Count the calls of an operation that each rank makes in what is read as one."""
    counts = np.zeros(logical.ranks, np.int64)
    for one in body:
        if isinstance(one, Call):
            counts += one.operation == operation
        elif isinstance(one, When):
            own = logical.guards[one.guard].ranks
            counts[own] += _calls_by_rank(one.body, operation, logical)[own]
        elif isinstance(one, Loop):
            by_rank = one.rank_trips >= 0
            trips = logical.rank_trips[one.rank_trips] if by_rank else one.count
            counts += trips * _calls_by_rank(one.body, operation, logical)
    return counts


def _partner_words(names: Sequence[str | None], each: Each, most: int) -> list[Token]:
    """Name the partners of calls that are read as one, or count them.

    Parameters
    ----------
    most
        Calls of the rank that makes most of them.
    """
    distinct = list(dict.fromkeys(name for name in names if name is not None))
    spelled = set(distinct)
    for loop in each.body:
        if isinstance(loop, Loop) and loop.over:
            numbers = numbers_text(loop.over)
            for name in distinct.copy():
                if name in _names_in(loop):
                    stem = name.removesuffix("k")
                    distinct[distinct.index(name)] = f"{stem}{numbers}"
                    spelled.remove(name)
                    spelled |= {f"{stem}{number}" for number in loop.over}
    if each.neighbours and len(spelled) > 1:
        many = min(len(spelled), most)
        return [(f"each of the {many} neighbours", "direction")]
    if len(distinct) == len(spelled) == 1:
        return [(distinct[0], "direction")]
    if len(distinct) <= MAX_NAMES_LISTED:
        return [("each of", "dim"), (_names_text(distinct), "direction")]
    return [(f"each of {len(spelled)} partners", "direction")]


def _names_text(names: Sequence[str]) -> str:
    """List names; those that differ only in a number in one: ``CHILD 0..3``."""
    stems = {name.rstrip("0123456789") for name in names}
    numbers = [name[len(min(stems, key=len)) :] for name in names]
    if len(names) > 1 and len(stems) == 1 and all(map(str.isdigit, numbers)):
        return f"{stems.pop()}{numbers_text(list(map(int, numbers)))}"
    return ", ".join(names)


def _names_in(loop: Loop) -> Iterator[str]:
    """Names of partners in a loop over numbers that hold its number."""
    for call in calls_in(loop.body):
        for name in (call.to, call.source, call.awaits_to, call.awaits_source):
            if name is not None and name.endswith("k"):
                yield name


def _often_words(each: Each, logical: LogicalTrace) -> list[Token]:
    """Describe how often ranks make a call that has no partner on record."""
    if each.neighbours:
        return [("for each neighbour", "dim")]
    loop = each.body[0]
    while isinstance(loop, When | Each):
        loop = loop.body[0]
    if not isinstance(loop, Loop):
        return []
    if loop.rank_trips >= 0:
        trips = logical.rank_trips[loop.rank_trips]
        return [(f"{trips[trips > 0].min()}..{trips.max()} times by rank", "count")]
    return [(f"{loop.count} times", "count")]


def pattern_text(pattern: Bools) -> str:
    """Describe which iterations run: ``every 10th``, ``30 %``.

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
    """Describe how often ranks run a loop: ``22..30 by rank``."""
    least, most = int(trips[trips > 0].min()), int(trips.max())
    return str(most) if least == most else f"{least}..{most} by rank"


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
    bodies = (logical.body, *(block.body for block in logical.blocks))
    spans = list(pairwise(accumulate(sum(1 for _ in calls_in(own)) for own in bodies)))
    writer = _LineWriter(logical, nesting, spans)
    within = nesting.program
    top = -1, 0, within
    writer.write(nesting.nest(logical.body, within), top, 0)
    for block, (begin, _) in zip(logical.blocks, spans, strict=True):
        head = (("subroutine", "operation"), (block.name, "name"))
        body = nesting.nest(block.body, within)
        writer.nest("block", head, None, top, begin, body)
    return tuple(writer.lines)


@dataclass(slots=True)
class _LineWriter:
    logical: LogicalTrace
    nesting: Nesting
    spans: list[tuple[int, int]]
    lines: list[Line] = field(default_factory=list)

    def write(
        self, body: Iterable[Statement | FunctionVisit], place: LinePlace, first: int
    ) -> int:
        """Write a body, nested already; returns the statement after its last."""
        parent, depth, within = place
        for statement in body:
            if isinstance(statement, FunctionVisit):
                head = ((statement.text, "name"),)
                around = parent, depth, statement.path
                own = len(self.lines)
                first = self.nest("function", head, None, around, first, statement.body)
                self.lines[own] = replace(self.lines[own], names=statement.names)
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
        kind: LineKind,
        words: tuple[Token, ...],
        statement: Statement | None,
        place: LinePlace,
        first: int,
        body: Iterable[Statement | FunctionVisit],
    ) -> int:
        """Write a head and its body; returns the statement after its last."""
        parent, depth, within = place
        number = len(self.lines)
        self._add(kind, words, statement, parent, depth, first, first)
        last = self.write(body, (number, depth + 1, within), first)
        self.lines[number] = replace(self.lines[number], last=last, end=len(self.lines))
        return last

    def _add(  # noqa: PLR0913
        self,
        kind: LineKind,
        words: tuple[Token, ...],
        statement: Statement | None,
        parent: int,
        depth: int,
        first: int,
        last: int,
    ) -> None:
        end = len(self.lines) + 1
        self.lines.append(
            Line(
                depth=depth,
                parent=parent,
                kind=kind,
                tokens=words,
                first=first,
                last=last,
                end=end,
                statement=statement,
            )
        )


KIND_OF_STATEMENT: Final[dict[type, LineKind]] = {
    Each: "each",
    Loop: "loop",
    When: "when",
    Sometimes: "sometimes",
}


# The logical trace as text.

INDENT = "    "


def listing(logical: LogicalTrace) -> str:
    """Write a logical trace for a reader: a statement a line, loops indented.

    Lines with ``#`` tell for how many ranks it is exact and what is left out.
    """
    output = [f"# {sentence}" for sentence in about(logical)]
    all_lines, at = lines(logical), 0
    while at < len(all_lines):
        line = all_lines[at]
        output += [""] * (line.kind == "block") + [INDENT * line.depth + line.text]
        at = line.end if line.kind == "each" else at + 1
    return "\n".join(output)


def spelled_out(logical: LogicalTrace) -> LogicalTrace:
    """Write calls that are read as one as a statement for each partner."""

    def spelled(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        statements: list[Statement] = []
        for statement in body:
            if isinstance(statement, Each):
                statements += spelled(statement.body)
            elif isinstance(statement, Call | BlockCall):
                statements.append(statement)
            else:
                statements.append(replace(statement, body=spelled(statement.body)))
        return tuple(statements)

    blocks = tuple(replace(block, body=spelled(block.body)) for block in logical.blocks)
    return replace(logical, body=spelled(logical.body), blocks=blocks)


def line_count(logical: LogicalTrace) -> int:
    """Count the lines of the listing, without what is told about it."""
    written = listing(logical).splitlines()
    return sum(1 for line in written if line and not line.startswith("#"))


def about(logical: LogicalTrace) -> list[str]:
    """Describe how many ranks it has, whether it is exact, and what is left out."""
    return _about_lines(Nesting(logical))


def statement_text(statement: Statement, logical: LogicalTrace) -> str:
    """Write one statement: ``Irecv from EAST 12 KiB``, ``repeat 200:``."""
    words = statement_tokens(statement, logical)
    return joined_text(
        words if isinstance(statement, Call | Each | BlockCall) else with_colon(words)
    )


def call_text(call: Call) -> str:
    """Write a call: ``Irecv from EAST 12 KiB``."""
    return joined_text(call_tokens(call))


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
        f"{_statements_text(logical)} for up to "
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


def _statements_text(logical: LogicalTrace) -> str:
    """Count the statements of the listing, and how many there are spelled out."""
    listed, spelled = logical.listed, logical.statements
    more = f" ({spelled} spelled out)" if spelled > listed else ""
    return f"{plural(listed, 'statement')}{more}"


def _maximal_text(maximal_process: MaximalProcess, ranks: int) -> str:
    said = f"rank {maximal_process.rank} alone, as the maximal process, would stand for"
    if not maximal_process.calls_excluded and maximal_process.ranks_exact == ranks:
        return f"{said} all"
    return (
        f"{said} {maximal_process.ranks_exact} of {ranks} and leave out "
        f"{share_text(maximal_process.calls_excluded)} of calls, "
        f"{share_text(maximal_process.bytes_excluded)} of point-to-point bytes"
    )


# The logical trace for scripts.


def logical_record(
    logical: LogicalTrace,
    expansions: Mapping[int, "Sequence[ExpandedCall]"] | None = None,
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
        "statements": logical.listed,
        "statements_spelled": logical.statements,
        "lines": line_count(logical),
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
        "spelled": listing(spelled_out(logical)),
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
