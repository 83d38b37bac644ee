"""A logical trace line by line as JSON; the reference tells what each key means."""

from itertools import pairwise
from typing import Any

import numpy as np

from topoview.grouping import index_in_run, run_offsets
from topoview.model import (
    Call,
    Each,
    Line,
    LogicalTrace,
    MeasuredLines,
    Scripts,
    TimeSpread,
)
from topoview.report.waits.pages import LineWaits

SCHEMA = 2
"""Version of the keys; it grows when a key changes its meaning."""


def program_record(
    measured: MeasuredLines, waits: LineWaits | None = None
) -> dict[str, Any]:
    """Describe a logical trace as JSON-able values; with waits also those by line.

    Times are seconds, sizes bytes, ranks world ranks, lines numbered from 1.
    """
    logical = measured.logical
    return {
        "schema": SCHEMA,
        "clocks_aligned": measured.trace.clock.aligned,
        "ranks_followed": measured.loops.ranks,
        "metrics": [
            {"name": counter.name, "unit": counter.unit, "mode": counter.mode}
            for counter in measured.metrics.counters
        ],
        "lines": [
            _line(measured, number) | _waits(measured, waits, number)
            for number in range(len(measured.lines))
        ],
        "guards": [
            {"text": guard.text, "closed": guard.closed, "ranks": guard.ranks.tolist()}
            for guard in logical.guards
        ],
        "patterns": [_bits(pattern.tolist()) for pattern in logical.patterns],
        "trips": [trips.tolist() for trips in logical.trips],
        "rank_trips": [trips.tolist() for trips in logical.rank_trips],
        "sizes": _table(measured),
        "scripts": _scripts(measured.logical),
    }


def _waits(
    measured: MeasuredLines, waits: LineWaits | None, number: int
) -> dict[str, float]:
    if waits is None:
        return {}
    second = 1 / measured.trace.clock.resolution
    return {
        "wait_seconds": float(waits.waited[number] * second),
        "caused_seconds": float(waits.caused[number] * second),
    }


def _line(measured: MeasuredLines, number: int) -> dict[str, Any]:
    line = measured.lines[number]
    record: dict[str, Any] = {
        "line": number + 1,
        "parent": line.parent + 1 or None,
        "depth": line.depth,
        "kind": line.kind,
        "text": line.text,
        "share": float(measured.shares[number]),
    }
    if isinstance(line.statement, Call):
        record |= _call(measured, line.statement)
        record["sources"] = list(measured.places[line.statement.index])
    elif isinstance(line.statement, Each):
        record["neighbours"] = line.statement.neighbours
    elif line.kind == "loop":
        record |= _loop(measured, number, line)
    elif line.kind == "when":
        record["guard"] = line.statement.guard  # type: ignore[union-attr]
    elif line.kind == "sometimes":
        record["pattern"] = line.statement.pattern  # type: ignore[union-attr]
        record["fraction"] = line.statement.share  # type: ignore[union-attr]
    elif line.kind == "function":
        record["names"] = list(line.names)
    elif line.kind == "use":
        block = line.statement.block  # type: ignore[union-attr]
        heads = [k for k, own in enumerate(measured.lines) if own.kind == "block"]
        record["block"] = heads[block] + 1
    return record


def _call(measured: MeasuredLines, call: Call) -> dict[str, Any]:
    figures, s = measured.statements, call.index
    record: dict[str, Any] = {
        "statement": s,
        "operation": call.operation,
        "to": call.to,
        "from": call.source,
        "bytes": _bytes(call.size, call.sizes),
        "bytes_received": _bytes(call.source_size, call.source_sizes),
        "detail": call.detail,
        "by_table": list(call.calls) if call.calls is not None else None,
        "path": list(call.path),
        "calls": int(figures.calls[s]),
        "ranks": int(figures.ranks[s]),
        "sent": int(figures.sent[s]),
        "received": int(figures.received[s]),
        "time": _spread(measured, figures.spent, s),
        "computation_before": _spread(measured, figures.before, s),
        "lateness": None,
        "metrics": _metrics(measured, s),
    }
    if figures.late is not None and figures.waiting[s]:
        record["lateness"] = _spread(measured, figures.late, s)
        record["lateness"]["calls"] = int(figures.waiting[s])
    return record


def _metrics(measured: MeasuredLines, s: int) -> dict[str, Any]:
    """Return what counters counted before a statement, with the IPC among them."""
    metrics = measured.metrics
    result: dict[str, Any] = {
        counter.name: {
            "calls": int(metrics.calls[row, s]),
            "mean": float(metrics.mean[row, s]),
        }
        for row, counter in enumerate(metrics.counters)
        if metrics.calls[row, s]
    }
    if not np.isnan(metrics.ipc[s]):
        result["IPC"] = {"mean": float(metrics.ipc[s])}
    return result


def _loop(measured: MeasuredLines, number: int, line: Line) -> dict[str, Any]:
    loops, k = measured.loops, measured.loop_of[number]
    second = 1 / measured.trace.clock.resolution
    record: dict[str, Any] = {
        "count": line.statement.count,  # type: ignore[union-attr]
        "over": list(line.statement.over),  # type: ignore[union-attr]
        "trips": line.statement.trips,  # type: ignore[union-attr]
        "rank_trips": line.statement.rank_trips,  # type: ignore[union-attr]
        "growth": line.statement.growth,  # type: ignore[union-attr]
        "iterations": int(loops.iterations[k]),
        "iteration": {
            "total": float(loops.total[k] * second),
            "mean": float(loops.mean[k] * second),
            "deviation": float(loops.deviation[k] * second),
            "most": float(loops.most[k] * second),
        },
        "slowest": None,
    }
    if loops.slowest[k]:
        record["slowest"] = {
            "iteration": int(loops.slowest[k]),
            "rank": int(loops.slowest_rank[k]),
            "begin": float(loops.begin[k] * second),
            "end": float(loops.end[k] * second),
        }
    return record


def _bytes(size: int | None, sizes: tuple[int, int] | None) -> int | list[int] | None:
    return list(sizes) if sizes is not None else size


def _spread(measured: MeasuredLines, spread: TimeSpread, s: int) -> dict[str, Any]:
    second = 1 / measured.trace.clock.resolution
    return {
        "total": float(spread.total[s] * second),
        "mean": float(spread.mean[s] * second),
        "deviation": float(spread.deviation[s] * second),
        "most": float(spread.most[s] * second),
    }


def _bits(pattern: list[bool]) -> str:
    return "".join("1" if taken else "0" for taken in pattern)


def _table(measured: MeasuredLines) -> list[dict[str, Any]]:
    sizes, ranks = measured.logical.sizes, measured.logical.ranks
    return [
        {
            "statement": int(statement),
            "received": bool(sizes.received[column]),
            "by_rank": [
                sizes.values[sizes.offsets[cell] : sizes.offsets[cell + 1]].tolist()
                for cell in range(column * ranks, (column + 1) * ranks)
            ],
        }
        for column, statement in enumerate(sizes.statement.tolist())
    ]


def _scripts(logical: LogicalTrace) -> list[dict[str, Any]]:
    """List calls without a rule, by statement, rank and turn; as `--expand` does."""
    scripts, ranks = logical.scripts, logical.ranks
    return [
        {
            "statement": int(statement),
            "by_rank": [_turns(scripts, k * ranks + rank) for rank in range(ranks)],
        }
        for k, statement in enumerate(scripts.statement.tolist())
    ]


def _turns(scripts: Scripts, cell: int) -> list[list[list[Any]]]:
    """List the calls of a cell, turn by turn."""
    script, rank = divmod(cell, scripts.ranks)
    visit = np.arange(scripts.visits[script])
    first, count = scripts.calls_of(np.full(len(visit), cell), visit)
    entry = np.repeat(first, count) + index_in_run(count)
    made = scripts.made(np.full(len(entry), rank), entry)
    columns = (made.receiver.tolist(), made.bytes_told.tolist(), made.sender.tolist())
    calls = [
        [
            scripts.operations[operation],
            *(value if value >= 0 else None for value in values),
        ]
        for operation, *values in zip(made.operation.tolist(), *columns, strict=True)
    ]
    begins = run_offsets(count).tolist()
    return [calls[begin:end] for begin, end in pairwise(begins)]
