"""A logical trace line by line as JSON; the reference tells what each key means."""

from itertools import pairwise
from typing import Any

import numpy as np

from topoview.model import (
    Call,
    Each,
    Line,
    LogicalTrace,
    MeasuredLines,
    TimeSpread,
)
from topoview.report.waits import LineWaits

SCHEMA = 2
"""Version of the keys; it grows when a key changes its meaning."""


def program_record(
    known: MeasuredLines, waits: LineWaits | None = None
) -> dict[str, Any]:
    """Describe a logical trace as JSON-able values; with waits also those by line.

    Times are seconds, sizes bytes, ranks world ranks, lines numbered from 1.
    """
    logical = known.logical
    return {
        "schema": SCHEMA,
        "clocks_aligned": known.trace.clock.aligned,
        "ranks_followed": known.loops.ranks,
        "metrics": [
            {"name": counter.name, "unit": counter.unit, "mode": counter.mode}
            for counter in known.metrics.counters
        ],
        "lines": [
            _line(known, number) | _waits(known, waits, number)
            for number in range(len(known.lines))
        ],
        "guards": [
            {"text": guard.text, "closed": guard.closed, "ranks": guard.ranks.tolist()}
            for guard in logical.guards
        ],
        "patterns": [_bits(pattern.tolist()) for pattern in logical.patterns],
        "trips": [trips.tolist() for trips in logical.trips],
        "rank_trips": [trips.tolist() for trips in logical.rank_trips],
        "sizes": _table(known),
        "scripts": _scripts(known.logical),
    }


def _waits(
    known: MeasuredLines, waits: LineWaits | None, number: int
) -> dict[str, float]:
    if waits is None:
        return {}
    second = 1 / known.trace.clock.resolution
    return {
        "wait_seconds": float(waits.waited[number] * second),
        "caused_seconds": float(waits.caused[number] * second),
    }


def _line(known: MeasuredLines, number: int) -> dict[str, Any]:
    line = known.lines[number]
    record: dict[str, Any] = {
        "line": number + 1,
        "parent": line.parent + 1 or None,
        "depth": line.depth,
        "kind": line.kind,
        "text": line.text,
        "share": float(known.shares[number]),
    }
    if isinstance(line.statement, Call):
        record |= _call(known, line.statement)
        record["sources"] = list(known.places[line.statement.index])
    elif isinstance(line.statement, Each):
        record["neighbours"] = line.statement.neighbours
    elif line.kind == "loop":
        record |= _loop(known, number, line)
    elif line.kind == "when":
        record["guard"] = line.statement.guard  # type: ignore[union-attr]
    elif line.kind == "sometimes":
        record["pattern"] = line.statement.pattern  # type: ignore[union-attr]
        record["fraction"] = line.statement.share  # type: ignore[union-attr]
    elif line.kind == "function":
        record["names"] = list(line.names)
    elif line.kind == "use":
        block = line.statement.block  # type: ignore[union-attr]
        heads = [k for k, own in enumerate(known.lines) if own.kind == "block"]
        record["block"] = heads[block] + 1
    return record


def _call(known: MeasuredLines, call: Call) -> dict[str, Any]:
    figures, s = known.statements, call.index
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
        "time": _spread(known, figures.spent, s),
        "computation_before": _spread(known, figures.before, s),
        "lateness": None,
        "metrics": _metrics(known, s),
    }
    if figures.late is not None and figures.waiting[s]:
        record["lateness"] = _spread(known, figures.late, s)
        record["lateness"]["calls"] = int(figures.waiting[s])
    return record


def _metrics(known: MeasuredLines, s: int) -> dict[str, Any]:
    """Give what counters counted before a statement; the IPC as one of them."""
    metrics = known.metrics
    found: dict[str, Any] = {
        counter.name: {
            "calls": int(metrics.calls[row, s]),
            "mean": float(metrics.mean[row, s]),
        }
        for row, counter in enumerate(metrics.counters)
        if metrics.calls[row, s]
    }
    if not np.isnan(metrics.ipc[s]):
        found["IPC"] = {"mean": float(metrics.ipc[s])}
    return found


def _loop(known: MeasuredLines, number: int, line: Line) -> dict[str, Any]:
    loops, k = known.loops, known.loop_of[number]
    second = 1 / known.trace.clock.resolution
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


def _spread(known: MeasuredLines, spread: TimeSpread, s: int) -> dict[str, Any]:
    second = 1 / known.trace.clock.resolution
    return {
        "total": float(spread.total[s] * second),
        "mean": float(spread.mean[s] * second),
        "deviation": float(spread.deviation[s] * second),
        "most": float(spread.most[s] * second),
    }


def _bits(pattern: list[bool]) -> str:
    return "".join("1" if taken else "0" for taken in pattern)


def _table(known: MeasuredLines) -> list[dict[str, Any]]:
    sizes, ranks = known.logical.sizes, known.logical.ranks
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
    known = logical.scripts
    names = [known.operations[k] for k in known.operation.tolist()]
    received = (known.receiver < 0) & (known.sender >= 0)
    sizes = np.where(received, known.source_size, known.size)
    columns = (known.receiver.tolist(), sizes.tolist(), known.sender.tolist())
    calls = [
        [name, *(value if value >= 0 else None for value in values)]
        for name, *values in zip(names, *columns, strict=True)
    ]
    turns = [calls[begin:end] for begin, end in pairwise(known.calls.tolist())]
    cells: list[list[list[list[Any]]]] = []
    for cell, (begin, end) in enumerate(pairwise(known.turns.tolist())):
        cells.append([[] for _ in range(known.visits[cell // logical.ranks])])
        for turn in range(begin, end):
            cells[cell][int(known.visit[turn])] = turns[turn]
    return [
        {
            "statement": int(statement),
            "by_rank": cells[k * logical.ranks : (k + 1) * logical.ranks],
        }
        for k, statement in enumerate(known.statement.tolist())
    ]
