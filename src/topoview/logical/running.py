"""Write a logical trace out, for all ranks at once."""

from dataclasses import dataclass, field

import numpy as np

from topoview.model import (
    Bools,
    Call,
    Ints,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    When,
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
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


def run(logical: LogicalTrace) -> Run:
    """Run a logical trace: loops and blocks written out, conditions kept."""
    runner = _Runner(logical)
    table = runner.body(logical.body, 0, 0)
    paths = list(runner.paths)
    return Run(table[:, 0], table[:, 1], table[:, 2], paths, runner.counted)


def calls_of(logical: LogicalTrace) -> list[Call]:
    """All calls of a logical trace, by index."""
    found: dict[int, Call] = {}

    def collect(body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Call):
                found[statement.index] = statement
            elif isinstance(statement, Loop | When | Sometimes):
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
        if isinstance(statement, When):
            return self._is_fixed(statement.body)
        return self._is_fixed(self.logical.blocks[statement.block].body)
