"""Expand a logical trace to the calls of one rank, or of ranks that do the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from topoview.grouping import (
    combined,
    counting_sort,
    factorize,
    index_in_run,
    run_offsets,
    run_rows,
    turns,
)
from topoview.logical.functions.nesting import calls_in
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
    ones = np.zeros(len(guards), np.int64)
    of = combined([ones, *guards.T.astype(np.int64), *counts[some].T])
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
    inside, counts = membership(logical)
    run = StatementWriter.of(logical).run(inside[rank], counts[rank])
    ranks, scripts = np.array([rank]), logical.scripts
    columns = RunColumns(StatementColumns(logical), run)
    to, size, source, received = columns.expected(ranks, np.arange(len(run)))[:, 0]
    size = np.where((to < 0) & (source >= 0), received, size)
    operations = [call.operation for call in columns.of.calls]
    result = [
        [_expanded_call(operations[statement], own)]
        for statement, own in zip(
            run[:, 0].tolist(), np.stack((to, size, source), 1).tolist(), strict=True
        )
    ]
    first, count = (own[0] for own in columns.calls_of_scripts(ranks))
    entry = np.repeat(first, count) + index_in_run(count)
    made = scripts.made(np.full(len(entry), rank), entry)
    numbers = np.stack((made.receiver, made.bytes_told, made.sender), 1).tolist()
    scripted = [
        _expanded_call(scripts.operations[operation], own)
        for operation, own in zip(made.operation.tolist(), numbers, strict=True)
    ]
    ends = pairwise(run_offsets(count).tolist())
    for at, (begin, end) in zip(columns.scripts.tolist(), ends, strict=True):
        result[at] = scripted[begin:end]
    return [call for calls in result for call in calls]


def _expanded_call(operation: str, numbers: list[int]) -> ExpandedCall:
    to, size, source = (int(one) if one >= 0 else None for one in numbers)
    return operation, to, size, source


class StatementColumns:
    """What the statements of a logical trace say, as arrays."""

    def __init__(self, logical: LogicalTrace) -> None:
        self.logical = logical
        """The logical trace."""
        self.calls = calls = calls_by_index(logical)
        """Its calls."""
        self.script = np.full(len(calls), -1, np.int64)
        """int64, shape (statements,): number of those that are calls without a rule."""
        self.script[logical.scripts.statement] = np.arange(
            len(logical.scripts.statement)
        )
        self.guards = [
            np.array([getattr(c, side) for c in calls], np.int64)
            for side in ("to_guard", "source_guard")
        ]
        self.sizes = [
            np.array([-1 if s is None else s for s in values], np.int64)
            for values in ([c.size for c in calls], [c.source_size for c in calls])
        ]
        """`guards` and `sizes`: those of what is sent, and of what is received."""
        self.member = np.vstack(
            (membership(logical)[0].T, np.ones((1, logical.ranks), bool))
        )
        """bool, shape (guards + 1, ranks): where each holds, the last everywhere."""
        self._names = {name: i for i, name in enumerate(logical.partners.names)}

    def directions(self, statement: Ints, number: Ints, side: str) -> Ints:
        """Look up the direction of each call of a run, -1 for none."""
        width = int(number.max(initial=0)) + 1
        distinct, which = factorize(statement * width + number)
        numbers = np.full(len(distinct), -1, np.int64)
        for index, code in enumerate(distinct.tolist()):
            call = self.calls[code // width]
            name = getattr(call, side)
            if name is not None and call.calls is None:
                numbers[index] = self._names[with_number(name, code % width)]
        return numbers[which]


class RunColumns:
    """Calls that some ranks make, as arrays."""

    def __init__(self, statements: StatementColumns, run: Ints) -> None:
        self.of = statements
        """What the statements say."""
        self.statement = np.ascontiguousarray(run[:, 0])
        """int64, shape (calls,): statement of each call."""
        self.direction = [
            statements.directions(self.statement, run[:, 1], side)
            for side in ("to", "source")
        ]
        """two of int64, shape (calls,): whom it sends to, and receives from."""
        self.turn = turns(self.statement, len(statements.calls))
        """int64, shape (calls,): how often its statement has come before."""
        self.scripts = np.flatnonzero(statements.script[self.statement] >= 0)
        """int64, shape (visits,): visits to calls without a rule."""
        self._kinds = [factorize(side + 1) for side in self.direction]

    def calls_of_scripts(self, ranks: Ints) -> tuple[Ints, Ints]:
        """First entry of calls without a rule, and how many, of ranks and visits."""
        own, logical = self.scripts, self.of.logical
        cell = self.of.script[self.statement[own]] * logical.ranks + ranks[:, None]
        visit = np.broadcast_to(self.turn[own], cell.shape).ravel()
        first, count = logical.scripts.calls_of(cell.ravel(), visit)
        return first.reshape(cell.shape), count.reshape(cell.shape)

    def expected(self, ranks: Ints, calls: Ints) -> Ints:
        """Write partners and bytes of some of the calls, as each rank makes them.

        Returns
        -------
        int64, shape (4, ranks, calls)
            Receiver, bytes sent, sender and bytes received; -1 where there is none.
        """
        statement, columns = self.statement[calls], []
        for side, sizes in enumerate(self.of.sizes):
            has = self.of.member[self.of.guards[side][statement]][:, ranks].T
            partner = self._partners(ranks, calls, side)
            columns.append(np.where(has, partner, -1))
            table = self.of.logical.sizes
            bytes_ = self._numbers(table, side, sizes[statement], ranks, calls)
            lone = (self.direction[side][calls] >= 0) & ~has
            columns.append(np.where(lone, -1, bytes_))
        return np.stack(columns)

    def _partners(self, ranks: Ints, calls: Ints, side: int) -> Ints:
        partners = self.of.logical.partners
        used, which = self._kinds[side]
        column = np.full(len(partners.names) + 1, -1, np.int64)
        column[used - 1] = np.arange(len(used))
        column[-1] = -1  # that of no direction
        own = run_rows(partners.offsets, ranks)
        counts = np.diff(partners.offsets)[ranks]
        place = column[partners.direction[own]]
        fits = place >= 0
        table = np.full((len(ranks), len(used)), -1, np.int64)
        row = np.repeat(np.arange(len(ranks)), counts)[fits]
        table[row, place[fits]] = partners.partner[own[fits]]
        values = table[:, which[calls]]
        return self._numbers(self.of.logical.peers, side, values, ranks, calls)

    def _numbers(
        self, table: SideTable, side: int, constant: Ints, ranks: Ints, calls: Ints
    ) -> Ints:
        """Numbers of each call: the constant, or those of the table in turn."""
        statement, turn = self.statement[calls], self.turn[calls]
        result = np.empty((len(ranks), len(statement)), np.int64)
        result[:] = constant
        column = np.full(len(self.of.calls), -1, np.int64)
        own = np.flatnonzero(table.received == bool(side))
        column[table.statement[own]] = own
        varying = np.flatnonzero(column[statement] >= 0)
        if not len(varying):
            return result
        values = table.values if len(table.values) else np.full(1, -1)
        cell = column[statement[varying]] * self.of.logical.ranks
        cell = cell[None, :] + ranks[:, None]
        begin = table.offsets[cell]
        length = table.offsets[cell + 1] - begin
        place = begin + turn[varying] % np.maximum(length, 1)
        value = values[np.where(length > 0, place, 0)]
        result[:, varying] = np.where(length > 0, value, -1)
        return result


def with_number(name: str, number: int) -> str:
    """Put the number of a loop over numbers into a name: ``EXCHANGE k``."""
    if not name.endswith("k"):
        return name
    return f"{name[:-1]}{number}".removesuffix(" x1")


def calls_by_index(logical: LogicalTrace) -> list[Call]:
    """All calls of a logical trace, by index."""
    bodies = (logical.body, *(block.body for block in logical.blocks))
    calls = (call for body in bodies for call in calls_in(body))
    return sorted(calls, key=lambda call: call.index)
