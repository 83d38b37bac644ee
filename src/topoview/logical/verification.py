"""Expand the logical trace for every rank, and compare with what it did."""

from dataclasses import dataclass

import numpy as np

from topoview.base import progress
from topoview.base.progress import Report, batches, silent
from topoview.grouping import factorize
from topoview.logical import kernels
from topoview.logical.arrays import index_in_run, run_rows, turns
from topoview.logical.calls.call_table import CallTable
from topoview.logical.expansion import calls_by_index, run_classes, with_number
from topoview.model import ROOT_OF_LOOP, Bools, Ints, LogicalTrace, Regions, SideTable

VERIFYING = "verifying"

MAX_DIFFERENCES_NOTED = 3
"""Ranks of which it is told where they differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the comparison found."""

    exact: Bools
    """bool, shape (ranks of the rows,): ranks whose calls the logical trace expands to
    exactly."""
    differs: tuple[str, ...]
    """Of the first ranks that are not: where they differ first."""


def verify(
    logical: LogicalTrace, rows: CallTable, regions: Regions, report: Report = silent
) -> Verdict:
    """Compare each rank's calls with the trace's, one by one.

    Compared are operation, partners, bytes, communicator, root, and the order.

    Parameters
    ----------
    logical
        Its `ranks_verified` and `differs` are not read.
    rows
        Rows of some ranks.

    Raises
    ------
    Cancelled
        From `report`.
    """
    report(VERIFYING, 0.0)
    expanded = _ExpandedColumns(logical, rows, regions)
    counts = np.diff(rows.offsets)
    exact = np.zeros(len(counts), bool)
    own = slice(rows.first, rows.first + len(counts))
    differs: list[tuple[int, str]] = []
    done = 0
    for ranks, run in run_classes(logical, own):
        part = done / len(counts)
        done += len(ranks)
        report(VERIFYING, part)
        columns = _TraceColumns(expanded, run)
        step = max(1, progress.BATCH_ROWS // max(len(run), 1))
        for begin in range(0, len(ranks), step):
            some = ranks[begin : begin + step]
            lengths = columns.lengths(some)
            total = lengths.sum(axis=1) + len(run) - lengths.shape[1]
            fits = counts[some - rows.first] == total
            for rank, made in zip(some[~fits], total[~fits], strict=True):
                calls_made = counts[rank - rows.first]
                differs.append((rank, f"made {calls_made} calls, not {made}"))
            some = some[fits]
            at = columns.rows_at(some, lengths[fits])
            same = columns.scripts_hold(some, at)
            for calls in batches(len(run), report, VERIFYING, (part, part)):
                fits = columns.compare(some, at[:, calls], calls)
                for row in np.flatnonzero(same & ~fits.all(axis=1)).tolist()[
                    :MAX_DIFFERENCES_NOTED
                ]:
                    call = calls.start + int(np.argmin(fits[row])) + 1
                    differs.append((some[row], f"differs at its call {call}"))
                same &= fits.all(axis=1)
            exact[some - rows.first] = same
    first = sorted(differs)[:MAX_DIFFERENCES_NOTED]
    return Verdict(exact, tuple(f"rank {rank} {how}" for rank, how in first))


class _ExpandedColumns:
    """What the logical trace says, as arrays."""

    def __init__(
        self, logical: LogicalTrace, rows: CallTable, regions: Regions
    ) -> None:
        self.logical, self.rows = logical, rows
        self.calls = calls = calls_by_index(logical)
        operation = {name: i for i, name in enumerate(regions.operations)}
        family = {name: i for i, name in enumerate(rows.families)}
        self.operations = regions.operations
        self.operation = np.array(
            [-1 if c.calls else operation[c.operation] for c in calls], np.int64
        )
        self.script = np.full(len(calls), -1, np.int64)
        self.script[logical.scripts.statement] = np.arange(
            len(logical.scripts.statement)
        )
        self.root = np.array([c.root for c in calls], np.int64)
        self.family = np.array(
            [family[c.communicator] if c.communicator else -1 for c in calls], np.int64
        )
        self.guards = [
            np.array([getattr(c, side) for c in calls], np.int64)
            for side in ("to_guard", "source_guard")
        ]
        self.sizes = [
            np.array([-1 if s is None else s for s in values], np.int64)
            for values in ([c.size for c in calls], [c.source_size for c in calls])
        ]
        self.names = {name: i for i, name in enumerate(logical.partners.names)}
        self.member = np.zeros((len(logical.guards) + 1, logical.ranks), bool)
        self.member[-1] = True
        for index, guard in enumerate(logical.guards):
            self.member[index, guard.ranks] = True

    def directions(self, statement: Ints, number: Ints, side: str) -> Ints:
        """Look up the direction of each call of a run, -1 for none."""
        width = int(number.max(initial=0)) + 1
        distinct, which = factorize(statement * width + number)
        numbers = np.full(len(distinct), -1, np.int64)
        for index, code in enumerate(distinct.tolist()):
            call = self.calls[code // width]
            name = getattr(call, side)
            if name is not None and call.calls is None:
                numbers[index] = self.names[with_number(name, code % width)]
        return numbers[which]


class _TraceColumns:
    """Calls that some ranks make, as arrays."""

    def __init__(self, expanded_columns: _ExpandedColumns, run: Ints) -> None:
        self.expanded = expanded_columns
        self.statement = np.ascontiguousarray(run[:, 0])
        root = expanded_columns.root[self.statement]
        self.root = np.where(root == ROOT_OF_LOOP, run[:, 1], root)
        self.direction = [
            expanded_columns.directions(self.statement, run[:, 1], side)
            for side in ("to", "source")
        ]
        self.kinds = [factorize(side + 1) for side in self.direction]
        self.turn = turns(self.statement, len(expanded_columns.operation))
        self.scripts = np.flatnonzero(expanded_columns.script[self.statement] >= 0)
        # Calls of one kind are alike at each rank, but for those with a table.
        logical = expanded_columns.logical
        varies = np.zeros(len(expanded_columns.operation), bool)
        for table in (logical.peers, logical.sizes):
            varies[table.statement] = True
        turn = np.where(varies[self.statement], self.turn + 1, 0)
        kind = np.zeros(len(run), np.int64)
        for column in (self.statement, self.root + 1, *self.direction, turn):
            kind = factorize(kind * (int(column.max(initial=0)) + 2) + column + 1)[1]
        self.kind = kind
        """int64, shape (calls,)"""
        self.example = np.zeros(int(kind.max(initial=-1)) + 1, np.int64)
        """int64, shape (kinds,): a call of each."""
        self.example[kind[::-1]] = np.arange(len(kind))[::-1]

    def _calls_of_scripts(self, ranks: Ints) -> tuple[Ints, Ints]:
        """First call without a rule, and how many, of ranks and visits to scripts."""
        own, expanded = self.scripts, self.expanded
        cell = (
            expanded.script[self.statement[own]] * expanded.logical.ranks
            + ranks[:, None]
        )
        visit = np.broadcast_to(self.turn[own], cell.shape).ravel()
        first, count = expanded.logical.scripts.calls_of(cell.ravel(), visit)
        return first.reshape(cell.shape), count.reshape(cell.shape)

    def lengths(self, ranks: Ints) -> Ints:
        """Count calls without a rule: int64, shape (ranks, visits to scripts)."""
        return self._calls_of_scripts(ranks)[1]

    def rows_at(self, ranks: Ints, lengths: Ints) -> Ints:
        """First row of each call of ranks: int64, shape (ranks, calls)."""
        rows = self.expanded.rows
        begin = rows.offsets[ranks - rows.first]
        at: Ints = begin[:, None] + np.arange(len(self.turn))
        if lengths.shape[1]:
            more = np.zeros((len(ranks), len(self.turn) + 1), np.int64)
            more[:, self.scripts + 1] = lengths - 1
            at += np.cumsum(more, axis=1)[:, :-1]
        return at

    def scripts_hold(self, ranks: Ints, at: Ints) -> Bools:
        """Compare the calls that follow no rule with those of ranks.

        Parameters
        ----------
        at : int64, shape (ranks, calls)
            First row of each call.
        """
        scripts, rows = self.expanded.logical.scripts, self.expanded.rows
        result = np.ones(len(ranks), bool)
        if not len(self.scripts):
            return result
        first, count = self._calls_of_scripts(ranks)
        within = index_in_run(count.ravel())
        call = np.repeat(first.ravel(), count.ravel()) + within
        row = np.repeat(at[:, self.scripts].ravel(), count.ravel()) + within
        names = {name: i for i, name in enumerate(scripts.operations)}
        operation = np.array([names[o] for o in self.expanded.operations], np.int64)
        symbol = rows.symbol[row]
        same = operation[rows.symbols.operation[symbol]] == scripts.operation[call]
        for expected, real in (
            (scripts.communicator, rows.symbols.family[symbol]),
            (scripts.root, rows.symbols.root[symbol]),
            (scripts.receiver, rows.receiver[row]),
            (scripts.sender, rows.sender[row]),
            (scripts.size, rows.size[row]),
            (scripts.source_size, rows.source_size[row]),
        ):
            same &= expected[call] == real
        result[np.repeat(np.arange(len(ranks)), count.sum(axis=1))[~same]] = False
        return result

    def compare(self, ranks: Ints, at: Ints, calls: slice) -> Bools:
        """Compare some of these calls with those of ranks; scripts hold.

        Parameters
        ----------
        at : int64, shape (ranks, calls)
            Row of each call.

        Returns
        -------
        bool, shape (ranks, calls)
        """
        expanded, rows, symbols = (
            self.expanded,
            self.expanded.rows,
            self.expanded.rows.symbols,
        )
        used, kind = factorize(self.kind[calls])
        example = self.example[used]
        statement = self.statement[example]
        expected = []
        for side, sizes in enumerate(expanded.sizes):
            has = expanded.member[expanded.guards[side][statement]][:, ranks].T
            partner = self._partners(ranks, example, side)
            expected.append(np.where(has, partner, -1))
            bytes_ = self._numbers(
                expanded.logical.sizes, side, sizes[statement], ranks, example
            )
            lone = (self.direction[side][example] >= 0) & ~has
            expected.append(np.where(lone, -1, bytes_))
        same: Bools = kernels.calls_hold(
            # a script may be empty at the end
            np.minimum(at, len(rows.symbol) - 1),
            kind,
            rows.symbol,
            np.column_stack(
                (
                    symbols.operation,
                    np.where(symbols.family > 0, symbols.family, -1),
                    symbols.root,
                )
            ),
            np.column_stack(
                (
                    expanded.operation[statement],
                    expanded.family[statement],
                    self.root[example],
                )
            ),
            (rows.receiver, rows.size, rows.sender, rows.source_size),
            np.concatenate(expected),
        )
        same[:, expanded.script[self.statement[calls]] >= 0] = True
        return same

    def _partners(self, ranks: Ints, calls: Ints, side: int) -> Ints:
        partners = self.expanded.logical.partners
        used, which = self.kinds[side]
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
        return self._numbers(self.expanded.logical.peers, side, values, ranks, calls)

    def _numbers(
        self, table: SideTable, side: int, constant: Ints, ranks: Ints, calls: Ints
    ) -> Ints:
        """Numbers of each call: the constant, or those of the table in turn."""
        statement, turn = self.statement[calls], self.turn[calls]
        result = np.empty((len(ranks), len(statement)), np.int64)
        result[:] = constant
        column = np.full(len(self.expanded.operation), -1, np.int64)
        own = np.flatnonzero(table.received == bool(side))
        column[table.statement[own]] = own
        varying = np.flatnonzero(column[statement] >= 0)
        if not len(varying):
            return result
        values = table.values if len(table.values) else np.full(1, -1)
        cell = column[statement[varying]] * self.expanded.logical.ranks
        cell = cell[None, :] + ranks[:, None]
        begin = table.offsets[cell]
        length = table.offsets[cell + 1] - begin
        place = begin + turn[varying] % np.maximum(length, 1)
        value = values[np.where(length > 0, place, 0)]
        result[:, varying] = np.where(length > 0, value, -1)
        return result
