"""Expand the logical trace for every rank, and compare with what it did."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import number
from topoview.logical.expansion import numbered
from topoview.logical.records import Records
from topoview.logical.running import Run, calls_of, run
from topoview.model import Bools, Ints, LogicalTrace, Regions, SideTable
from topoview.progress import Report, silent

CELLS = 2_000_000
"""Calls that are compared at once."""

TOLD = 3
"""Ranks of which it is told where they differ."""


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
    logical: LogicalTrace, rows: Records, regions: Regions, report: Report = silent
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
    told = _Told(logical, rows, regions)
    exact = np.zeros(logical.ranks, bool)
    counts = np.diff(rows.offsets)
    differs: list[str] = []
    for done, (ranks, positions) in enumerate(told.classes()):
        report("verifying", min(done / max(logical.groups, 1), 1.0))
        able = ranks[counts[ranks] == len(positions)]
        for rank in ranks[counts[ranks] != len(positions)][:TOLD].tolist():
            differs.append(
                f"rank {rank} made {counts[rank]} calls, not {len(positions)}"
            )
        columns = told.columns(positions)
        step = max(1, CELLS // max(len(positions), 1))
        for begin in range(0, len(able), step):
            if begin:
                report("verifying", min(done / max(logical.groups, 1), 1.0))
            some = able[begin : begin + step]
            same = columns.compare(some)
            exact[some] = same.all(axis=1)
            for rank in np.flatnonzero(~exact[some])[:TOLD].tolist():
                call = int(np.argmin(same[rank]))
                differs.append(f"rank {some[rank]} differs at its call {call + 1}")
    return Verdict(exact, tuple(differs[:TOLD]))


class _Told:
    """What the logical trace says, as arrays."""

    def __init__(self, logical: LogicalTrace, rows: Records, regions: Regions) -> None:
        self.logical, self.rows = logical, rows
        self.run: Run = run(logical)
        calls = calls_of(logical)
        operation = {name: i for i, name in enumerate(regions.operations)}
        family = {name: i for i, name in enumerate(rows.families)}
        self.operation = np.array([operation[c.operation] for c in calls], np.int64)
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
        distinct, which = number(code + self.run.number)
        first = np.zeros(len(distinct), np.int64)
        first[which] = np.arange(len(which))
        self.direction = []
        for side in ("to", "source"):
            found = np.full(len(distinct), -1, np.int64)
            for index, position in enumerate(first.tolist()):
                name = getattr(calls[int(self.run.statement[position])], side)
                if name is not None:
                    full = numbered(name, int(self.run.number[position]))
                    found[index] = names[full]
            self.direction.append(found[which])
        self.member = np.zeros((len(logical.guards) + 1, logical.ranks), bool)
        self.member[-1] = True
        for index, guard in enumerate(logical.guards):
            self.member[index, guard.ranks] = True

    def classes(self) -> Iterator[tuple[Ints, Ints]]:
        """Go through the ranks that make the same calls, and their positions."""
        holds = self.run.holds(self.logical)
        _, which = np.unique(holds, axis=1, return_inverse=True)
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        for ranks in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
            if len(ranks):
                yield ranks, np.flatnonzero(holds[self.run.path, ranks[0]])

    def columns(self, positions: Ints) -> "_Columns":
        """Prepare the calls at some positions."""
        return _Columns(self, positions)


class _Columns:
    def __init__(self, told: _Told, positions: Ints) -> None:
        self.told = told
        self.statement = told.run.statement[positions]
        self.direction = [side[positions] for side in told.direction]
        self.turn = _turns(self.statement)

    def compare(self, ranks: Ints) -> Bools:
        """Compare these calls with those of ranks, bool, shape (ranks, calls)."""
        told, rows, statement = self.told, self.told.rows, self.statement
        at = rows.offsets[ranks][:, None] + np.arange(len(statement))
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
            wanted = self._partners(ranks, side)
            wanted = np.where(has, wanted, -1)
            same &= wanted == partner[at]
            bytes_ = self._numbers(
                told.logical.sizes, side, told.sizes[side][statement], ranks
            )
            lone = (self.direction[side] >= 0) & ~has
            same &= np.where(lone, -1, bytes_) == size[at]
        return same

    def _partners(self, ranks: Ints, side: int) -> Ints:
        known = self.told.logical.partners
        used, which = np.unique(self.direction[side], return_inverse=True)
        table = np.full((len(ranks), len(used)), -1, np.int64)
        for row, rank in enumerate(ranks.tolist()):
            own = slice(*known.offsets[rank : rank + 2].tolist())
            place = np.searchsorted(used, known.direction[own])
            fits = place < len(used)
            fits[fits] = used[place[fits]] == known.direction[own][fits]
            table[row, place[fits]] = known.partner[own][fits]
        found = table[:, which]
        return self._numbers(self.told.logical.peers, side, found, ranks)

    def _numbers(
        self, table: SideTable, side: int, constant: Ints, ranks: Ints
    ) -> Ints:
        """Numbers of each call: the constant, or those of the table in turn."""
        found = np.empty((len(ranks), len(self.statement)), np.int64)
        found[:] = constant
        column = np.full(len(self.told.operation), -1, np.int64)
        own = np.flatnonzero(table.received == bool(side))
        column[table.statement[own]] = own
        varying = np.flatnonzero(column[self.statement] >= 0)
        if not len(varying):
            return found
        cell = column[self.statement[varying]] * self.told.logical.ranks
        cell = cell[None, :] + ranks[:, None]
        begin = table.offsets[cell]
        length = table.offsets[cell + 1] - begin
        place = begin + self.turn[varying] % np.maximum(length, 1)
        found[:, varying] = np.append(table.values, -1)[np.where(length > 0, place, -1)]
        return found


def _turns(statement: Ints) -> Ints:
    """How often each position's statement has come before it."""
    order = np.argsort(statement, kind="stable")
    ordered = statement[order]
    begins = np.searchsorted(ordered, ordered)
    turn = np.empty(len(statement), np.int64)
    turn[order] = np.arange(len(statement)) - begins
    return turn
