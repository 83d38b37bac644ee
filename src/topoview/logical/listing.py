"""The logical trace as text."""

from collections.abc import Iterable

import numpy as np

from topoview.logical.nesting import Nesting, Path, Visit, functions_text
from topoview.logical.words import (
    numbers_text,
    ordinal,
    plural,
    share,
    size_text,
    sizes_text,
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Ints,
    LogicalTrace,
    Loop,
    MaximalProcess,
    Sometimes,
    Statement,
    When,
)

INDENT = "    "

GROWTH = {1: "sizes grow", -1: "sizes shrink"}
"""What is said of the sizes of messages from turn to turn."""


def listing(logical: LogicalTrace) -> str:
    """Write a logical trace for a reader: a statement a line, loops indented.

    Lines with ``#`` tell for how many ranks it is exact and what is left out.
    """
    nesting = Nesting(logical)
    within = nesting.program
    lines = [*_head(logical)]
    if within and nesting.tells:
        lines.append(f"# all calls are in {functions_text(within)}")
    lines += _lines(nesting.nest(logical.body, within), nesting, "", within)
    for block in logical.blocks:
        lines += ["", f"block {block.name}:"]
        lines += _lines(nesting.nest(block.body, within), nesting, INDENT, within)
    return "\n".join(lines)


def statement_text(statement: Statement, logical: LogicalTrace) -> str:
    """Write one statement: ``Irecv from EAST 12 KiB``, ``repeat 200:``."""
    if isinstance(statement, Loop):
        return _loop_text(statement, logical)
    if isinstance(statement, When):
        return f"if {logical.guards[statement.guard].text}:"
    if isinstance(statement, Sometimes):
        return f"{pattern_text(logical.patterns[statement.pattern])}:"
    if isinstance(statement, BlockCall):
        return f"block {logical.blocks[statement.block].name}"
    return call_text(statement)


def call_text(call: Call) -> str:
    """Write a call: ``Irecv from EAST 12 KiB``."""
    words = [call.operation]
    if call.to is not None:
        words.append(f"to {call.to}")
    sent = _size(call.size, call.sizes)
    received = _size(call.source_size, call.source_sizes)
    if sent and not (call.source is not None and sent == received):
        words.append(sent)
    if call.source is not None:
        words.append(f"{',' if call.to is not None else ''}from {call.source}")
    if received:
        words.append(received)
    return " ".join(words).replace(" ,", ", ") + _aside(call)


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
        return f"every {ordinal(count)}"
    if len(runs) == 1 and runs[0] == 0 and count > 1:
        return f"every {ordinal(count)} from the first"
    steps = np.unique(np.diff(runs))
    if len(steps) == 1 and steps[0] > 1 and runs[0] < steps[0]:
        start = "" if runs[0] == steps[0] - 1 else f" from number {runs[0] + 1}"
        if runs[-1] + steps[0] >= count:
            return f"every {ordinal(int(steps[0]))}{start}"
    return share_


def rank_trips_text(trips: Ints) -> str:
    """Tell how often ranks run a loop: ``22..30 by rank``."""
    return f"{trips[trips > 0].min()}..{trips.max()} by rank"


def _loop_text(loop: Loop, logical: LogicalTrace) -> str:
    if loop.over:
        return f"for k in {numbers_text(loop.over)}:"
    if loop.trips >= 0:
        trips = logical.trips[loop.trips]
        return f"repeat {trips.min()}..{trips.max()}:"
    if loop.rank_trips >= 0:
        return f"repeat {rank_trips_text(logical.rank_trips[loop.rank_trips])}:"
    said = f", {GROWTH[loop.growth]}" if loop.growth else ""
    return f"repeat {loop.count}{said}:"


def _aside(call: Call) -> str:
    names = [("to", call.awaits_to), ("from", call.awaits_source)]
    awaited = " ".join(f"{word} {name}" for word, name in names if name is not None)
    aside = " ".join(word for word in (call.detail, awaited) if word)
    return f" ({aside})" if aside else ""


def _size(size: int | None, sizes: tuple[int, int] | None) -> str:
    if sizes is not None:
        return sizes_text(*sizes)
    return "" if size is None else size_text(size)


def _lines(
    body: Iterable[Statement | Visit], nesting: Nesting, indent: str, within: Path
) -> list[str]:
    """Write a body, nested already; `within` are the functions around it."""
    lines: list[str] = []
    deeper = indent + INDENT
    for statement in body:
        if isinstance(statement, Visit):
            lines.append(f"{indent}{statement.text}:")
            lines += _lines(statement.body, nesting, deeper, statement.path)
            continue
        lines.append(indent + statement_text(statement, nesting.logical))
        if isinstance(statement, Loop | When | Sometimes):
            inner = nesting.nest(statement.body, within)
            lines += _lines(inner, nesting, deeper, within)
    return lines


def _head(logical: LogicalTrace) -> list[str]:
    exact, ranks = logical.ranks_verified, logical.ranks
    if logical.groups > 1:
        alike = f" in {logical.groups} groups, each of ranks that do the same"
    else:
        alike = " that all do the same" if ranks > 1 else ""
    if not logical.records:
        notes = [f"# {note}" for note in logical.notes]
        return [f"# {plural(ranks, 'rank')}; no MPI calls are recorded", *notes]
    lines = [
        f"# {plural(ranks, 'rank')}{alike}; exact for {exact} of {ranks}",
        f"# {plural(logical.statements, 'statement')} for up to "
        f"{plural(logical.records, 'MPI call')} of a rank",
    ]
    if logical.calls_excluded or logical.bytes_excluded:
        lines.append(
            f"# left out: {share(logical.calls_excluded)} of calls, "
            f"{share(logical.bytes_excluded)} of point-to-point bytes"
        )
    if logical.maximal is not None:
        lines.append(f"# {_maximal(logical.maximal, ranks)}")
    return lines + [f"# {note}" for note in logical.notes]


def _maximal(found: MaximalProcess, ranks: int) -> str:
    said = f"rank {found.rank} alone, as the maximal process, would stand for"
    if not found.calls_excluded and found.ranks_exact == ranks:
        return f"{said} all"
    return (
        f"{said} {found.ranks_exact} of {ranks} and leave out "
        f"{share(found.calls_excluded)} of calls, "
        f"{share(found.bytes_excluded)} of point-to-point bytes"
    )
