"""Expand the logical trace for every rank, and compare with what it did."""

from dataclasses import dataclass

import numpy as np

from topoview.base import progress
from topoview.base.progress import Report, batches, silent
from topoview.grouping import combined, factorize, index_in_run
from topoview.logical import kernels
from topoview.logical.calls.call_table import CallTable
from topoview.logical.expansion import RunColumns, StatementColumns, run_classes
from topoview.model import ROOT_OF_LOOP, Bools, Ints, LogicalTrace, Regions

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
    statements = StatementColumns(logical)
    counts = np.diff(rows.offsets)
    exact = np.zeros(len(counts), bool)
    own = slice(rows.first, rows.first + len(counts))
    differs: list[tuple[int, str]] = []
    done = 0
    for ranks, run in run_classes(logical, own):
        part = done / len(counts)
        done += len(ranks)
        report(VERIFYING, part)
        columns = _TraceColumns(statements, run, rows, regions)
        step = max(1, progress.BATCH_ROWS // max(len(run), 1))
        for begin in range(0, len(ranks), step):
            some = ranks[begin : begin + step]
            lengths = columns.calls_of_scripts(some)[1]
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


class _TraceColumns(RunColumns):
    """Calls that some ranks make, beside those that the trace has."""

    def __init__(
        self, statements: StatementColumns, run: Ints, rows: CallTable, regions: Regions
    ) -> None:
        super().__init__(statements, run)
        self.rows, self.operations = rows, regions.operations
        operation = {name: i for i, name in enumerate(regions.operations)}
        family = {name: i for i, name in enumerate(rows.families)} | {"": -1}
        said = [
            (operation.get(call.operation, -1), family[call.communicator], call.root)
            for call in statements.calls
        ]
        self.operands = np.array(said, np.int64).reshape(-1, 3)
        """int64, shape (statements, 3): operation, family and root."""
        root = self.operands[self.statement, 2]
        self.root = np.where(root == ROOT_OF_LOOP, run[:, 1], root)
        # Calls of one kind are alike at each rank, but for those with a table.
        varies = np.zeros(len(statements.calls), bool)
        for table in (statements.logical.peers, statements.logical.sizes):
            varies[table.statement] = True
        turn = np.where(varies[self.statement], self.turn + 1, 0)
        columns = (self.statement, self.root, *self.direction, turn)
        self.kind = combined(columns)
        """int64, shape (calls,)"""
        self.example = np.zeros(int(self.kind.max(initial=-1)) + 1, np.int64)
        """int64, shape (kinds,): a call of each."""
        self.example[self.kind[::-1]] = np.arange(len(self.kind))[::-1]

    def rows_at(self, ranks: Ints, lengths: Ints) -> Ints:
        """First row of each call of ranks: int64, shape (ranks, calls)."""
        rows = self.rows
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
        scripts, rows = self.of.logical.scripts, self.rows
        result = np.ones(len(ranks), bool)
        if not len(self.scripts):
            return result
        first, count = self.calls_of_scripts(ranks)
        within = index_in_run(count.ravel())
        call = np.repeat(first.ravel(), count.ravel()) + within
        row = np.repeat(at[:, self.scripts].ravel(), count.ravel()) + within
        names = {name: i for i, name in enumerate(scripts.operations)}
        operation = np.array([names[o] for o in self.operations], np.int64)
        symbol = rows.symbol[row]
        of_rank = np.repeat(np.arange(len(ranks)), count.sum(axis=1))
        made = scripts.made(ranks[of_rank], call)
        same = operation[rows.symbols.operation[symbol]] == made.operation
        for expected, real in (
            (made.communicator, rows.symbols.family[symbol]),
            (made.root, rows.symbols.root[symbol]),
            (made.receiver, rows.receiver[row]),
            (made.sender, rows.sender[row]),
            (made.size, rows.size[row]),
            (made.source_size, rows.source_size[row]),
        ):
            same &= expected == real
        result[of_rank[~same]] = False
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
        rows, symbols = self.rows, self.rows.symbols
        used, kind = factorize(self.kind[calls])
        example = self.example[used]
        statement = self.statement[example]
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
            np.column_stack((self.operands[statement, :2], self.root[example])),
            (rows.receiver, rows.size, rows.sender, rows.source_size),
            self.expected(ranks, example).reshape(-1, len(used)),
        )
        same[:, self.of.script[self.statement[calls]] >= 0] = True
        return same
