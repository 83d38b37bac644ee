"""One program for all ranks: the logical trace."""

import time

import numpy as np

from topoview.logical.arrays import added
from topoview.logical.notes import notes
from topoview.logical.placement import place
from topoview.logical.projection import classes, maximal_rank, partners, program
from topoview.logical.records import Records, records
from topoview.logical.sizes import extent, split_by_size
from topoview.logical.statements import fill, skeleton
from topoview.logical.verification import verified
from topoview.model import Directions, Indices, Ints, LogicalTrace, Trace
from topoview.progress import Report, silent


def logicalise(
    trace: Trace, directions: Directions, report: Report = silent
) -> LogicalTrace:
    """Write one program that stands for all ranks.

    The maximal process's calls are the program; a partner is a direction of
    the topology. Each other rank is held against its projection: what is left
    of the program where directions without a neighbour are dropped. Calls that
    do not fit are left out. Repetitions of the program are written as loops.

    Raises
    ------
    Cancelled
        From `report`.
    """
    began = time.perf_counter()
    report("reading the ranks' calls", 0.0)
    rows = records(trace, directions)
    report("finding the maximal process", 0.0)
    known = partners(rows)
    rank = maximal_rank(rows, known)
    main = program(rows, rank)
    alike = classes(main, known)
    position, fits = place(rows, main, alike, report)
    report("finding loops", 0.0)
    frame = skeleton(split_by_size(rows, position, fits, rank))
    body, sizes = fill(trace, rows, position, rank, frame)
    statement = np.append(frame.statement, -1)[position]
    report("verifying", 0.0)
    constant = (
        extent(statement, rows.size, frame.statements)[0],
        extent(statement, rows.source_size, frame.statements)[0],
    )
    exact = verified(rows, main, alike, frame, sizes, constant)
    of_call = _statement_of_call(trace, rows, statement)
    spent = trace.calls.leave - trace.calls.enter
    held = of_call >= 0
    return LogicalTrace(
        ranks=trace.ranks,
        maximal_rank=rank,
        body=body,
        statements=frame.statements,
        loops=frame.loops,
        depth=frame.depth,
        records=int(np.diff(trace.calls.offsets[: trace.ranks + 1]).max(initial=0)),
        calls_excluded=_calls_excluded(rows, of_call),
        bytes_excluded=_bytes_excluded(trace, rows, statement),
        ranks_verified=int(exact.sum()),
        statement_of_call=of_call,
        ticks=added(of_call[held].astype(np.int64), spent[held], frame.statements),
        partners=known,  # type: ignore[arg-type]
        sizes=sizes,
        peers=sizes,
        notes=notes(trace, rows, statement),
        seconds=time.perf_counter() - began,
    )


def _statement_of_call(trace: Trace, rows: Records, statement: Ints) -> Indices:
    """Statement of each call: of its first row that has one; polls of their run's."""
    found = np.full(len(trace.calls), -1, np.int32)
    held = np.flatnonzero(statement >= 0)[::-1]
    found[rows.call[held]] = statement[held]
    found[rows.polled[:, 0]] = found[rows.polled[:, 1]]
    return found


def _calls_excluded(rows: Records, of_call: Indices) -> float:
    missing = rows.calls - int(np.sum(of_call >= 0))
    return missing / rows.calls if rows.calls else 0.0


def _bytes_excluded(trace: Trace, rows: Records, statement: Ints) -> float:
    total = int(trace.messages.size[trace.messages.send_call >= 0].sum())
    sends = (rows.symbols.to >= 0) & (rows.symbols.awaited < 0)
    held = sends[rows.symbol] & (statement >= 0)
    return (total - int(rows.size[held].sum())) / total if total else 0.0
