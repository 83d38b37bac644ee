"""From the program's positions to a tree of statements."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.loops import Tokens, compress
from topoview.logical.records import Records
from topoview.logical.sizes import extent, size_table
from topoview.model import (
    Call,
    Ints,
    Loop,
    MPIState,
    SideTable,
    Statement,
    Trace,
)


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """Loops over statements that are only numbers yet.

    Attributes
    ----------
    body
        A statement's number, or a loop's count and body.
    statement : int64, shape (positions,)
        Statement of each position of the program.
    statements, loops, depth
        How many there are, and the deepest nesting.
    """

    body: "Body"
    statement: Ints
    statements: int
    loops: int
    depth: int


Body = tuple["int | tuple[int, Body]", ...]


def skeleton(kinds: Ints) -> Skeleton:
    """Find the loops of the program.

    Parameters
    ----------
    kinds : int64, shape (positions,)
        What each position says.
    """
    tokens, written = compress(kinds)
    builder = _Builder(tokens)
    body, statement, depth = builder.build(written)
    return Skeleton(body, statement, builder.statements, builder.loops, depth)


@dataclass(slots=True)
class _Builder:
    tokens: Tokens
    statements: int = 0
    loops: int = 0

    def build(self, written: tuple[int, ...]) -> tuple[Body, Ints, int]:
        """Make a body, its statements in order: body, positions, depth."""
        body: list[int | tuple[int, Body]] = []
        parts: list[Ints] = [np.zeros(0, np.int64)]
        depth = 0
        for token in written:
            if token < self.tokens.symbols:
                body.append(self.statements)
                parts.append(np.array([self.statements]))
                self.statements += 1
                continue
            count, inner = self.tokens.loops[token - self.tokens.symbols]
            self.loops += 1
            below, places, deep = self.build(inner)
            body.append((count, below))
            parts.append(np.tile(places, count))
            depth = max(depth, 1 + deep)
        return tuple(body), np.concatenate(parts), depth


def fill(
    trace: Trace, rows: Records, position: Ints, rank: int, frame: Skeleton
) -> tuple[tuple[Statement, ...], SideTable]:
    """Write the statements out: calls with directions and sizes.

    Parameters
    ----------
    position : int64, shape (rows,)
        Position of each row in the program.
    rank
        The maximal process.
    """
    statement = np.append(frame.statement, -1)[position]
    sent = extent(statement, rows.size, frame.statements)
    received = extent(statement, rows.source_size, frame.statements)
    varies = (sent[0] != sent[1], received[0] != received[1])
    first = np.zeros(frame.statements, np.int64)
    first[frame.statement[::-1]] = np.arange(len(frame.statement))[::-1]
    first += rows.offsets[rank]
    sizes = [
        list(zip(*(side.tolist() for side in pair), strict=True))
        for pair in (sent, received)
    ]
    calls = [
        _call(trace, rows, index, row, sizes[0][index], sizes[1][index])
        for index, row in enumerate(first.tolist())
    ]
    return _tree(frame.body, calls), size_table(rows, statement, varies)


def _tree(body: Body, calls: list[Call]) -> tuple[Statement, ...]:
    return tuple(
        calls[item] if isinstance(item, int) else Loop(item[0], _tree(item[1], calls))
        for item in body
    )


def _call(  # noqa: PLR0913
    trace: Trace,
    rows: Records,
    index: int,
    row: int,
    sent: tuple[int, int],
    received: tuple[int, int],
) -> Call:
    symbols, symbol = rows.symbols, int(rows.symbol[row])
    to, source = (
        rows.names[half // 2] if half >= 0 else None
        for half in (int(symbols.to[symbol]), int(symbols.source[symbol]))
    )
    waits = bool(symbols.awaited[symbol] >= 0)
    return Call(
        index=index,
        operation=trace.regions.operations[int(symbols.operation[symbol])],
        to=None if waits else to,
        source=None if waits else source,
        size=_only(sent),
        source_size=_only(received),
        detail=_detail(trace, rows, symbol),
        state=MPIState(int(trace.regions.state[trace.calls.region[rows.call[row]]])),
        sizes=_range(sent),
        source_sizes=_range(received),
        awaits_to=to if waits else None,
        awaits_source=source if waits else None,
    )


def _only(size: tuple[int, int]) -> int | None:
    return size[0] if size[0] == size[1] >= 0 else None


def _range(size: tuple[int, int]) -> tuple[int, int] | None:
    return size if size[0] != size[1] else None


def _detail(trace: Trace, rows: Records, symbol: int) -> str:
    symbols = rows.symbols
    words = []
    if symbols.root[symbol] >= 0:
        words.append(f"root {symbols.root[symbol]}")
    if symbols.family[symbol] > 0:
        words.append(rows.families[int(symbols.family[symbol])])
    if symbols.awaited[symbol] >= 0:
        words.append(trace.regions.operations[int(symbols.awaited[symbol])])
    return ", ".join(words)
