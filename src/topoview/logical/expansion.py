"""Expand a logical trace to the calls of one rank, or of all ranks at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topoview.model import (
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


def expand(logical: LogicalTrace, rank: int) -> list[ExpandedCall]:
    """Write out a rank's calls.

    Returns
    -------
    list of (operation, to, bytes, source)
        World ranks or None, in program order. Bytes are those sent, or of the
        collective; those received where nothing is sent; None if there are none.
    """
    interpreter = Interpreter(logical, rank)
    return [
        entry
        for call, number in interpreter.calls()
        for entry in interpreter.entries(call, number)
    ]


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
            bool(len(g.ranks)) and bool(g.ranks[_table_place(g.ranks, rank)] == rank)
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

    def entries(self, call: Call, number: int = 0) -> list[ExpandedCall]:
        """Resolve a statement to the calls that it stands for."""
        if call.calls is None:
            return [self.entry(call, number)]
        turn = self._turns.get(("call", call.index), 0)
        self._turns["call", call.index] = turn + 1
        return self._script(call.index, turn)

    def _script(self, index: int, turn: int) -> list[ExpandedCall]:
        known = self.logical.scripts
        cell = int(np.searchsorted(known.statement, index))
        cell = cell * self.logical.ranks + self.rank
        begin, end = known.turns[cell : cell + 2].tolist()
        at = begin + turn % (end - begin)
        found: list[ExpandedCall] = []
        for call in range(*known.calls[at : at + 2].tolist()):
            to, source = int(known.receiver[call]), int(known.sender[call])
            size = int((known.source_size if to < 0 <= source else known.size)[call])
            found.append(
                (
                    known.operations[known.operation[call]],
                    to if to >= 0 else None,
                    size if size >= 0 else None,
                    source if source >= 0 else None,
                )
            )
        return found

    def entry(self, call: Call, number: int = 0) -> ExpandedCall:
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
            size = _cells_taken(cell, turn)
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
        partner = self._partners.get(with_number(name, number))
        cell = self._tables[2 + side].get(index)
        if partner == -1 and cell is not None:
            return _cells_taken(cell, turn)
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
            elif isinstance(statement, Each):
                yield from self._body(statement.body, number)
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


def with_number(name: str, number: int) -> str:
    """Put the number of a loop over numbers into a name: ``EXCHANGE k``."""
    if not name.endswith("k"):
        return name
    return f"{name[:-1]}{number}".removesuffix(" x1")


def _table_place(ranks: Ints | np.ndarray, rank: int) -> int:
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


def _cells_taken(cell: Ints, turn: int) -> int | None:
    return int(cell[turn % len(cell)]) if len(cell) else None


@dataclass(frozen=True, slots=True, eq=False)
class RunOfAllRanks:
    """Every call that any rank makes, in order.

    Attributes
    ----------
    statement : int64, shape (positions,)
        `Call.index`.
    number : int64, shape (positions,)
        Number that the loop over numbers around it is at; 0 elsewhere.
    path : int64, shape (positions,)
        Index into `paths`.
    paths
        Guards that must all hold; those from ``len(logical.guards)`` on are `counted`.
    counted
        bool, shape (ranks,): ranks that run further iterations of a loop whose count
        varies by rank.
    """

    statement: Ints
    number: Ints
    path: Ints
    paths: list[tuple[int, ...]]
    counted: list[Bools]

    def holds(self, logical: LogicalTrace) -> Bools:
        """Whether each rank goes each path, bool, shape (paths, ranks)."""
        guards = len(logical.guards)
        member = np.zeros((guards + len(self.counted), logical.ranks), bool)
        for index, guard in enumerate(logical.guards):
            member[index, guard.ranks] = True
        for index, ranks in enumerate(self.counted):
            member[guards + index] = ranks
        found = np.ones((len(self.paths), logical.ranks), bool)
        for index, path in enumerate(self.paths):
            for number in path:
                found[index] &= member[number]
        return found


def run_all_ranks(logical: LogicalTrace) -> RunOfAllRanks:
    """Run a logical trace: loops and blocks written out, conditions kept."""
    runner = _Runner(logical)
    table = runner.body(logical.body, 0, 0)
    paths = list(runner.paths)
    return RunOfAllRanks(table[:, 0], table[:, 1], table[:, 2], paths, runner.counted)


def calls_by_index(logical: LogicalTrace) -> list[Call]:
    """All calls of a logical trace, by index."""
    found: dict[int, Call] = {}

    def collect(body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Call):
                found[statement.index] = statement
            elif isinstance(statement, Each | Loop | When | Sometimes):
                collect(statement.body)

    collect(logical.body)
    for block in logical.blocks:
        collect(block.body)
    return [found[index] for index in sorted(found)]


@dataclass(slots=True)
class _Runner:
    logical: LogicalTrace
    paths: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})
    turns: dict[tuple[str, int], int] = field(default_factory=dict)
    known: dict[tuple[int, int, int], Ints] = field(default_factory=dict)
    fixed: dict[int, bool] = field(default_factory=dict)
    counted: list[Bools] = field(default_factory=list)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def body(self, body: tuple[Statement, ...], number: int, path: int) -> Ints:
        """Write a body out: statement, number and path of each call."""
        if not self._is_fixed(body):
            return self._write(body, number, path)
        key = (id(body), number, path)
        if key not in self.known:
            self.known[key] = self._write(body, number, path)
        return self.known[key]

    def _write(self, body: tuple[Statement, ...], number: int, path: int) -> Ints:
        parts: list[Ints] = [np.zeros((0, 3), np.int64)]
        for statement in body:
            if isinstance(statement, Call):
                parts.append(np.array([(statement.index, number, path)], np.int64))
            elif isinstance(statement, Loop):
                parts += self._loop(statement, number, path)
            elif isinstance(statement, Each):
                parts.append(self.body(statement.body, number, path))
            elif isinstance(statement, When):
                within = self._under(path, statement.guard)
                parts.append(self.body(statement.body, number, within))
            elif isinstance(statement, Sometimes):
                pattern = self.logical.patterns[statement.pattern]
                if self._next("pattern", statement.pattern, pattern):
                    parts.append(self.body(statement.body, number, path))
            else:
                block = self.logical.blocks[statement.block]
                parts.append(self.body(block.body, number, path))
        return np.concatenate(parts)

    def _under(self, path: int, guard: int) -> int:
        under = (*list(self.paths)[path], guard)
        return self.paths.setdefault(under, len(self.paths))

    def _by_rank(self, loop: Loop, number: int, path: int) -> list[Ints]:
        """Run a loop whose count varies by rank: stretches that the same ranks run."""
        trips = self.logical.rank_trips[loop.rank_trips]
        parts: list[Ints] = []
        done = 0
        for count in np.unique(trips[trips > 0]).tolist():
            key = (loop.rank_trips, count)
            if key not in self.counts:
                self.counts[key] = len(self.logical.guards) + len(self.counted)
                self.counted.append(trips >= count)
            within = self._under(path, self.counts[key])
            stretch = Loop(count - done, loop.body)
            parts += self._loop(stretch, number, within)
            done = count
        return parts

    def _loop(self, loop: Loop, number: int, path: int) -> list[Ints]:
        if loop.rank_trips >= 0:
            return self._by_rank(loop, number, path)
        count = loop.count
        if loop.trips >= 0:
            count = self._next("trips", loop.trips, self.logical.trips[loop.trips])
        if loop.over:
            return [self.body(loop.body, k, path) for k in loop.over[:count]]
        if self._is_fixed(loop.body):
            return [np.tile(self.body(loop.body, number, path), (count, 1))]
        return [self.body(loop.body, number, path) for _ in range(count)]

    def _next(self, kind: str, table: int, values: Ints | Bools) -> int:
        turn = self.turns.get((kind, table), 0)
        self.turns[kind, table] = turn + 1
        return int(values[turn % len(values)])

    def _is_fixed(self, body: tuple[Statement, ...]) -> bool:
        """Whether a body does the same each time that it runs."""
        if id(body) not in self.fixed:
            self.fixed[id(body)] = all(self._same(statement) for statement in body)
        return self.fixed[id(body)]

    def _same(self, statement: Statement) -> bool:
        if isinstance(statement, Call):
            return True
        if isinstance(statement, Sometimes):
            return False
        if isinstance(statement, Loop):
            return statement.trips < 0 and self._is_fixed(statement.body)
        if isinstance(statement, Each | When):
            return self._is_fixed(statement.body)
        return self._is_fixed(self.logical.blocks[statement.block].body)
