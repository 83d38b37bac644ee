"""Expand a logical trace to the calls of one rank, or of ranks that do the same."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.grouping import counting_sort, factorize
from topoview.logical.loops.kernels import CALL, SCRIPT, SOMETIMES, WHEN
from topoview.logical.loops.words import WordWriter
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Each,
    Ints,
    LogicalTrace,
    Loop,
    SideTable,
    Sometimes,
    Statement,
    When,
)

ExpandedCall = tuple[str, int | None, int | None, int | None]


@dataclass(slots=True)
class StatementWriter(WordWriter):
    """Writes statements as words: patterns are the first tables, then trips."""

    patterns: int = 0

    @staticmethod
    def of(logical: LogicalTrace) -> "StatementWriter":
        """Write a logical trace."""
        tables: list[Ints | Bools] = [*logical.patterns, *logical.trips]
        writer = StatementWriter(tables, patterns=len(logical.patterns))
        blocks = [block.body for block in logical.blocks]
        writer.program(logical.body, blocks)
        return writer

    def node(self, node: object) -> None:
        """Write a statement."""
        match node:
            case Call(index):
                what = (CALL, 0) if node.calls is None else (SCRIPT, node.calls[1])
                self.words.append((what[0], index, 0, what[1]))
            case Each(body):
                self.body(body)
            case BlockCall(block):
                self.use(block)
            case When(guard, body):
                with self.under(WHEN, guard):
                    self.body(body)
            case Sometimes(_, pattern, body):
                with self.under(SOMETIMES, pattern):
                    self.body(body)
            case Loop(count, body, over, trips, by_rank):
                trips = trips if trips < 0 else trips + self.patterns
                with self.loop(count, trips, by_rank, np.array(over, np.int64)):
                    self.body(body)


def membership(logical: LogicalTrace) -> tuple[Bools, Ints]:
    """Find which conditions hold for each rank, and how often it runs loops.

    Returns
    -------
    bool, shape (ranks, guards), and int64, shape (ranks, tables of counts by rank)
    """
    inside = np.zeros((logical.ranks, len(logical.guards)), bool)
    for number, guard in enumerate(logical.guards):
        inside[guard.ranks, number] = True
    counts = np.zeros((logical.ranks, len(logical.rank_trips)), np.int64)
    for number, trips in enumerate(logical.rank_trips):
        counts[:, number] = trips
    return inside, counts


def run_classes(
    logical: LogicalTrace, some: slice = slice(None)
) -> Iterator[tuple[Ints, Ints]]:
    """Run a logical trace for each class of ranks that make the same calls.

    Parameters
    ----------
    some
        The ranks.

    Yields
    ------
    ranks : int64, shape (n,)
    calls : int64, shape (calls, 2)
        `Call.index`, and the number that the loop over numbers around it is at.
    """
    writer = StatementWriter.of(logical)
    inside, counts = membership(logical)
    guards = np.packbits(inside[some], axis=1)
    of = np.zeros(len(guards), np.int64)
    for column in (*guards.T, *counts[some].T):
        values, value = factorize(column.astype(np.int64))
        of = factorize(of * len(values) + value)[1]
    order, begins = counting_sort(of, int(of.max(initial=-1)) + 1)
    order += some.start or 0
    for ranks in np.split(order, begins[1:-1]):
        if len(ranks):
            yield ranks, writer.run(inside[ranks[0]], counts[ranks[0]])


def expand(logical: LogicalTrace, rank: int) -> list[ExpandedCall]:
    """Write out a rank's calls.

    Returns
    -------
    list of (operation, to, bytes, source)
        World ranks or None, in program order. Bytes are those sent, or of the
        collective; those received where nothing is sent; None if there are none.
    """
    resolver = _Resolver(logical, rank)
    inside, counts = membership(logical)
    run = StatementWriter.of(logical).run(inside[rank], counts[rank])
    calls = calls_by_index(logical)
    turns = [0] * len(calls)
    result: list[ExpandedCall] = []
    for index, number in run.tolist():
        call, turn = calls[index], turns[index]
        turns[index] += 1
        if call.calls is None:
            result.append(resolver.entry(call, number, turn))
        else:
            result += resolver.script(index, turn)
    return result


class _Resolver:
    """Resolves the calls of a rank: names to ranks, tables to numbers."""

    def __init__(self, logical: LogicalTrace, rank: int) -> None:
        self.logical, self.rank = logical, rank
        self.inside = [rank in guard.ranks for guard in logical.guards]
        partners = logical.partners
        own = slice(*partners.offsets[rank : rank + 2].tolist())
        names = (
            partners.names[direction] for direction in partners.direction[own].tolist()
        )
        self.partners = dict(zip(names, partners.partner[own].tolist(), strict=True))
        self.tables = [
            _cells(table, logical.ranks, rank, received=received)
            for table in (logical.sizes, logical.peers)
            for received in (False, True)
        ]

    def script(self, index: int, turn: int) -> list[ExpandedCall]:
        """Look up what a rank does without a rule."""
        scripts = self.logical.scripts
        cell = int(np.searchsorted(scripts.statement, index)) * self.logical.ranks
        (at,) = scripts.turn_of(np.array([cell + self.rank]), np.array([turn])).tolist()
        result: list[ExpandedCall] = []
        for call in range(*scripts.calls[at : at + 2].tolist()) if at >= 0 else ():
            to, source = int(scripts.receiver[call]), int(scripts.sender[call])
            size = int(
                (scripts.source_size if to < 0 <= source else scripts.size)[call]
            )
            fields = [value if value >= 0 else None for value in (to, size, source)]
            result.append((scripts.operations[scripts.operation[call]], *fields))
        return result

    def entry(self, call: Call, number: int, turn: int) -> ExpandedCall:
        """Resolve a call that is made for the so manieth time."""
        to = self._partner(call, call.to, call.to_guard, number, turn, 0)
        source = self._partner(call, call.source, call.source_guard, number, turn, 1)
        side = 1 if to is None and source is not None else 0
        cell = self.tables[side].get(call.index)
        size = (call.size, call.source_size)[side]
        if cell is not None:
            size = _cells_taken(cell, turn)
        elif (call.to, call.source)[side] is not None and (to, source)[side] is None:
            size = None
        return call.operation, to, size, source

    def _partner(  # noqa: PLR0913
        self,
        call: Call,
        name: str | None,
        guard: int,
        number: int,
        turn: int,
        side: int,
    ) -> int | None:
        if name is None or (guard >= 0 and not self.inside[guard]):
            return None
        partner = self.partners.get(with_number(name, number))
        cell = self.tables[2 + side].get(call.index)
        if partner == -1 and cell is not None:
            return _cells_taken(cell, turn)
        return partner


def with_number(name: str, number: int) -> str:
    """Put the number of a loop over numbers into a name: ``EXCHANGE k``."""
    if not name.endswith("k"):
        return name
    return f"{name[:-1]}{number}".removesuffix(" x1")


def _cells(
    table: SideTable, ranks: int, rank: int, *, received: bool
) -> dict[int, Ints]:
    result = {}
    for column in np.flatnonzero(table.received == received).tolist():
        cell = column * ranks + rank
        result[int(table.statement[column])] = table.values[
            table.offsets[cell] : table.offsets[cell + 1]
        ]
    return result


def _cells_taken(cell: Ints, turn: int) -> int | None:
    return int(cell[turn % len(cell)]) if len(cell) else None


def calls_by_index(logical: LogicalTrace) -> list[Call]:
    """All calls of a logical trace, by index."""
    calls: dict[int, Call] = {}

    def collect(body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Call):
                calls[statement.index] = statement
            elif isinstance(statement, Each | Loop | When | Sometimes):
                collect(statement.body)

    collect(logical.body)
    for block in logical.blocks:
        collect(block.body)
    return [calls[index] for index in sorted(calls)]
