"""Expand the logical trace for every rank, and compare with what it did."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview import progress
from topoview.grouping import counting_sort, factorize
from topoview.kernels import kernel
from topoview.logical.arrays import index_in_run
from topoview.logical.calls.call_table import CallTable
from topoview.logical.expansion import (
    RunOfAllRanks,
    calls_by_index,
    run_all_ranks,
    with_number,
)
from topoview.model import Bools, Ints, LogicalTrace, Regions, SideTable
from topoview.progress import Report, batches, silent

VERIFYING = "verifying"

MAX_DIFFERENCES_NOTED = 3
"""Ranks of which it is told where they differ."""

_PATHS_AT_ONCE = 40
"""Paths whose ranks are told apart at once: with a rank's number, 63 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the comparison found.

    Attributes
    ----------
    exact : bool, shape (ranks,)
        Ranks whose calls the logical trace expands to exactly.
    differs
        Of the first ranks that are not: where they differ first.
    """

    exact: Bools
    differs: tuple[str, ...]


def verify(
    logical: LogicalTrace, rows: CallTable, regions: Regions, report: Report = silent
) -> Verdict:
    """Compare each rank's calls with the trace's, one by one.

    Compared are operation, partners, bytes, communicator, root, and the order.

    Parameters
    ----------
    logical
        Its `ranks_verified` and `differs` are not read.

    Raises
    ------
    Cancelled
        From `report`.
    """
    report(VERIFYING, 0.0)
    told = _ExpandedColumns(logical, rows, regions)
    report(VERIFYING, 0.0)
    exact = np.zeros(logical.ranks, bool)
    counts = np.diff(rows.offsets)
    differs: list[str] = []
    for done, (ranks, positions) in enumerate(told.classes(report)):
        part = min(done / max(logical.groups, 1), 1.0)
        report(VERIFYING, part)
        columns = told.columns(positions)
        lengths = told.lengths(ranks, positions, columns.turn)
        total = (
            lengths.sum(axis=1) if len(lengths) else np.full(len(ranks), len(positions))
        )
        fits = counts[ranks] == total
        for rank, made in zip(
            ranks[~fits].tolist(), total[~fits].tolist(), strict=True
        ):
            differs.append(f"rank {rank} made {counts[rank]} calls, not {made}")
        able, lengths = ranks[fits], lengths[fits] if len(lengths) else lengths
        step = max(1, progress.BATCH_ROWS // max(len(positions), 1))
        for begin in range(0, len(able), step):
            some = able[begin : begin + step]
            at = rows.offsets[some][:, None]
            if len(lengths):
                own = lengths[begin : begin + step]
                at = at + np.cumsum(own, axis=1) - own
            else:
                at = at + np.arange(len(positions))
            same = np.ones(len(some), bool)
            for calls in batches(len(positions), report, VERIFYING, (part, part)):
                fits = columns.compare(some, at[:, calls], calls)
                for row in np.flatnonzero(same & ~fits.all(axis=1)).tolist()[
                    :MAX_DIFFERENCES_NOTED
                ]:
                    call = calls.start + int(np.argmin(fits[row])) + 1
                    differs.append(f"rank {some[row]} differs at its call {call}")
                same &= fits.all(axis=1)
            if len(lengths):
                same &= told.scripts_hold(some, at, positions, columns.turn)
            exact[some] = same
    return Verdict(exact, tuple(differs[:MAX_DIFFERENCES_NOTED]))


class _ExpandedColumns:
    """What the logical trace says, as arrays."""

    def __init__(
        self, logical: LogicalTrace, rows: CallTable, regions: Regions
    ) -> None:
        self.logical, self.rows = logical, rows
        self.run: RunOfAllRanks = run_all_ranks(logical)
        calls = calls_by_index(logical)
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
        names = {name: i for i, name in enumerate(logical.partners.names)}
        code = self.run.statement * (int(self.run.number.max(initial=0)) + 1)
        distinct, which = factorize(code + self.run.number)
        first = np.zeros(len(distinct), np.int64)
        first[which] = np.arange(len(which))
        self.direction = []
        for side in ("to", "source"):
            found = np.full(len(distinct), -1, np.int64)
            for index, position in enumerate(first.tolist()):
                call = calls[int(self.run.statement[position])]
                name = getattr(call, side)
                if name is not None and call.calls is None:
                    full = with_number(name, int(self.run.number[position]))
                    found[index] = names[full]
            self.direction.append(found[which])
        self.member = np.zeros((len(logical.guards) + 1, logical.ranks), bool)
        self.member[-1] = True
        for index, guard in enumerate(logical.guards):
            self.member[index, guard.ranks] = True

    def classes(self, report: Report) -> Iterator[tuple[Ints, Ints]]:
        """Go through the ranks that make the same calls, and their positions."""
        holds = self.run.holds(self.logical)
        which, kinds = np.zeros(self.logical.ranks, np.int64), 1
        for begin in range(0, len(holds), _PATHS_AT_ONCE):
            for path in holds[begin : begin + _PATHS_AT_ONCE]:
                which = which * 2 + path
            report(VERIFYING, 0.0)
            codes, which = factorize(which)
            kinds = len(codes)
        order, begins = counting_sort(which, kinds)
        for ranks in np.split(order, begins[1:-1]):
            if len(ranks):
                yield ranks, np.flatnonzero(holds[self.run.path, ranks[0]])

    def lengths(self, ranks: Ints, positions: Ints, turn: Ints) -> Ints:
        """Count the calls of each rank at each position: none where all are one.

        Returns
        -------
        int64, shape (ranks, positions) or (0,)
        """
        script = self.script[self.run.statement[positions]]
        own = np.flatnonzero(script >= 0)
        if not len(own):
            return np.zeros(0, np.int64)
        found = np.ones((len(ranks), len(positions)), np.int64)
        for row, rank in enumerate(ranks.tolist()):
            first, last = self._calls_of_turns(script[own], rank, turn[own])
            found[row, own] = last - first
        return found

    def _calls_of_turns(self, script: Ints, rank: int, turn: Ints) -> tuple[Ints, Ints]:
        known = self.logical.scripts
        cell = script * self.logical.ranks + rank
        begin = known.turns[cell]
        at = begin + turn % np.maximum(known.turns[cell + 1] - begin, 1)
        return known.calls[at], known.calls[at + 1]

    def scripts_hold(self, ranks: Ints, at: Ints, positions: Ints, turn: Ints) -> Bools:
        """Compare the calls that follow no rule with those of ranks.

        Parameters
        ----------
        at : int64, shape (ranks, positions)
            First row of each rank's calls at each position.
        """
        known, rows = self.logical.scripts, self.rows
        script = self.script[self.run.statement[positions]]
        own = np.flatnonzero(script >= 0)
        found = np.ones(len(ranks), bool)
        names = {name: i for i, name in enumerate(known.operations)}
        operation = np.array([names[o] for o in self.operations], np.int64)
        for index, rank in enumerate(ranks.tolist()):
            first, last = self._calls_of_turns(script[own], rank, turn[own])
            within = index_in_run(last - first)
            call = np.repeat(first, last - first) + within
            row = np.repeat(at[index, own], last - first) + within
            symbol = rows.symbol[row]
            same = operation[rows.symbols.operation[symbol]] == known.operation[call]
            for told, real in (
                (known.communicator, rows.symbols.family[symbol]),
                (known.root, rows.symbols.root[symbol]),
                (known.receiver, rows.receiver[row]),
                (known.sender, rows.sender[row]),
                (known.size, rows.size[row]),
                (known.source_size, rows.source_size[row]),
            ):
                same &= told[call] == real
            found[index] = same.all()
        return found

    def columns(self, positions: Ints) -> "_TraceColumns":
        """Prepare the calls at some positions."""
        return _TraceColumns(self, positions)


class _TraceColumns:
    def __init__(self, told: _ExpandedColumns, positions: Ints) -> None:
        self.told = told
        self.statement = told.run.statement[positions]
        self.direction = [side[positions] for side in told.direction]
        self.kinds = [factorize(side + 1) for side in self.direction]
        self.turn = _turns(self.statement, len(told.operation))

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
        told, rows, statement = self.told, self.told.rows, self.statement[calls]
        at = np.minimum(at, len(rows.symbol) - 1)  # a script may be empty at the end
        symbol = rows.symbol[at]
        symbols = rows.symbols
        same: Bools = symbols.operation[symbol] == told.operation[statement]
        same &= symbols.root[symbol] == told.root[statement]
        family = symbols.family[symbol]
        same &= np.where(family > 0, family, -1) == told.family[statement]
        for side, (partner, size) in enumerate(
            ((rows.receiver, rows.size), (rows.sender, rows.source_size))
        ):
            has = told.member[told.guards[side][statement]][:, ranks].T
            wanted = self._partners(ranks, calls, side)
            wanted = np.where(has, wanted, -1)
            same &= wanted == partner[at]
            bytes_ = self._numbers(
                told.logical.sizes, side, told.sizes[side][statement], ranks, calls
            )
            lone = (self.direction[side][calls] >= 0) & ~has
            same &= np.where(lone, -1, bytes_) == size[at]
        return same | (told.script[statement] >= 0)

    def _partners(self, ranks: Ints, calls: slice, side: int) -> Ints:
        known = self.told.logical.partners
        used, which = self.kinds[side]
        column = np.full(len(known.names) + 1, -1, np.int64)
        column[used - 1] = np.arange(len(used))
        column[-1] = -1  # that of no direction
        begins = known.offsets[ranks]
        counts = known.offsets[ranks + 1] - begins
        own = np.repeat(begins, counts) + index_in_run(counts)
        place = column[known.direction[own]]
        fits = place >= 0
        table = np.full((len(ranks), len(used)), -1, np.int64)
        row = np.repeat(np.arange(len(ranks)), counts)[fits]
        table[row, place[fits]] = known.partner[own[fits]]
        found = table[:, which[calls]]
        return self._numbers(self.told.logical.peers, side, found, ranks, calls)

    def _numbers(
        self, table: SideTable, side: int, constant: Ints, ranks: Ints, calls: slice
    ) -> Ints:
        """Numbers of each call: the constant, or those of the table in turn."""
        statement, turn = self.statement[calls], self.turn[calls]
        found = np.empty((len(ranks), len(statement)), np.int64)
        found[:] = constant
        column = np.full(len(self.told.operation), -1, np.int64)
        own = np.flatnonzero(table.received == bool(side))
        column[table.statement[own]] = own
        varying = np.flatnonzero(column[statement] >= 0)
        if not len(varying):
            return found
        values = table.values if len(table.values) else np.full(1, -1)
        cell = column[statement[varying]] * self.told.logical.ranks
        cell = cell[None, :] + ranks[:, None]
        begin = table.offsets[cell]
        length = table.offsets[cell + 1] - begin
        place = begin + turn[varying] % np.maximum(length, 1)
        value = values[np.where(length > 0, place, 0)]
        found[:, varying] = np.where(length > 0, value, -1)
        return found


@kernel
def _turns(statement: Ints, statements: int) -> Ints:
    """How often each position's statement has come before it."""
    count = np.zeros(statements, np.int64)
    turn = np.empty(len(statement), np.int64)
    for k in range(len(statement)):
        turn[k] = count[statement[k]]
        count[statement[k]] += 1
    return turn
