"""What the logical trace says that a rank does."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topoview.model import (
    Bools,
    Call,
    Ints,
    LogicalTrace,
    Loop,
    SideTable,
    Sometimes,
    Statement,
    When,
)

Entry = tuple[str, int | None, int | None, int | None]


def expand(logical: LogicalTrace, rank: int) -> list[Entry]:
    """Write out a rank's calls.

    Returns
    -------
    list of (operation, to, bytes, source)
        World ranks or None, in program order. Bytes are those sent, or of the
        collective; those received where nothing is sent; None if there are none.
    """
    interpreter = Interpreter(logical, rank)
    return [interpreter.entry(call, number) for call, number in interpreter.calls()]


@dataclass(slots=True)
class Interpreter:
    """Runs a logical trace for a rank, statement by statement.

    Attributes
    ----------
    logical, rank
        What is run, and for whom.
    """

    logical: LogicalTrace
    rank: int
    _inside: list[bool] = field(init=False)
    _partners: dict[str, int] = field(init=False)
    _tables: list[dict[int, Ints]] = field(init=False)
    _turns: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look up what holds for the rank."""
        logical, rank = self.logical, self.rank
        self._inside = [
            bool(len(g.ranks)) and bool(g.ranks[_place(g.ranks, rank)] == rank)
            for g in logical.guards
        ]
        known = logical.partners
        own = slice(*known.offsets[rank : rank + 2].tolist())
        self._partners = {
            known.names[direction]: partner
            for direction, partner in zip(
                known.direction[own].tolist(), known.partner[own].tolist(), strict=True
            )
        }
        self._tables = [
            _cells(table, logical.ranks, rank, received=received)
            for table in (logical.sizes, logical.peers)
            for received in (False, True)
        ]

    def calls(self) -> Iterator[tuple[Call, int]]:
        """Go through the rank's calls, each with the number of its loop."""
        return self._body(self.logical.body, 0)

    def entry(self, call: Call, number: int = 0) -> Entry:
        """Resolve a call; each time it takes the next numbers of its tables."""
        turn = self._turns.get(("call", call.index), 0)
        self._turns["call", call.index] = turn + 1
        to = self._partner(call.to, call.to_guard, number, call.index, turn, 0)
        source = self._partner(
            call.source, call.source_guard, number, call.index, turn, 1
        )
        side = 1 if to is None and source is not None else 0
        cell = self._tables[side].get(call.index)
        size = (call.size, call.source_size)[side]
        if cell is not None:
            size = _taken(cell, turn)
        elif (call.to, call.source)[side] is not None and (to, source)[side] is None:
            size = None
        return call.operation, to, size, source

    def _partner(  # noqa: PLR0913
        self,
        name: str | None,
        guard: int,
        number: int,
        index: int,
        turn: int,
        side: int,
    ) -> int | None:
        if name is None or (guard >= 0 and not self._inside[guard]):
            return None
        partner = self._partners.get(numbered(name, number))
        cell = self._tables[2 + side].get(index)
        if partner == -1 and cell is not None:
            return _taken(cell, turn)
        return partner

    def _body(
        self, body: tuple[Statement, ...], number: int
    ) -> Iterator[tuple[Call, int]]:
        logical = self.logical
        for statement in body:
            if isinstance(statement, Call):
                yield statement, number
            elif isinstance(statement, Loop):
                for trip in range(self._count(statement)):
                    k = statement.over[trip] if statement.over else number
                    yield from self._body(statement.body, k)
            elif isinstance(statement, When):
                if self._inside[statement.guard]:
                    yield from self._body(statement.body, number)
            elif isinstance(statement, Sometimes):
                pattern = logical.patterns[statement.pattern]
                if self._next("pattern", statement.pattern, pattern):
                    yield from self._body(statement.body, number)
            else:
                yield from self._body(logical.blocks[statement.block].body, number)

    def _count(self, loop: Loop) -> int:
        if loop.trips >= 0:
            return self._next("trips", loop.trips, self.logical.trips[loop.trips])
        if loop.rank_trips >= 0:
            return int(self.logical.rank_trips[loop.rank_trips][self.rank])
        return loop.count

    def _next(self, kind: str, table: int, values: Ints | Bools) -> int:
        turn = self._turns.get((kind, table), 0)
        self._turns[kind, table] = turn + 1
        return int(values[turn % len(values)])


def numbered(name: str, number: int) -> str:
    """Put the number of a loop over numbers into a name: ``EXCHANGE k``."""
    if not name.endswith("k"):
        return name
    return f"{name[:-1]}{number}".removesuffix(" x1")


def _place(ranks: Ints | np.ndarray, rank: int) -> int:
    return min(int(np.searchsorted(ranks, rank)), len(ranks) - 1)


def _cells(
    table: SideTable, ranks: int, rank: int, *, received: bool
) -> dict[int, Ints]:
    found = {}
    for column in np.flatnonzero(table.received == received).tolist():
        cell = column * ranks + rank
        found[int(table.statement[column])] = table.values[
            table.offsets[cell] : table.offsets[cell + 1]
        ]
    return found


def _taken(cell: Ints, turn: int) -> int | None:
    return int(cell[turn % len(cell)]) if len(cell) else None
