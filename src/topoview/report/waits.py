"""Waits, delays and efficiencies as JSON and as text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from topoview.base.text import (
    duration_text,
    grouped,
    plural,
    share_text,
    tr,
    write,
)
from topoview.logical.listing import lines
from topoview.model import (
    WAIT_KINDS,
    CriticalPath,
    Delays,
    Efficiency,
    Frozen,
    Ints,
    Line,
    LogicalTrace,
    Span,
    Trace,
    UsefulWork,
    WaitSums,
    statements_of_lines,
)
from topoview.report.delays import (
    AS_CLOCKS_ARE,
    between_text,
    cause_bounds_text,
    caused_between,
    delays_table,
    directions_travelled,
)
from topoview.report.profile import KIND_TEXTS, span_record, span_text

MAX_LINES = 12
"""Lines of a table in a text; records hold all."""


def statement_texts(logical: LogicalTrace) -> list[str]:
    """Write each statement as the listing does that writes out what is read as one."""
    return [line.text for line in lines(logical) if line.kind == "call"]


def waits_record(
    trace: Trace,
    sums: WaitSums,
    delays: Delays | None,
    logical: LogicalTrace,
    path: CriticalPath,
) -> dict[str, Any]:
    """Describe all waiting as JSON-able values: what ``topoview waits`` prints.

    Times are seconds; lists by rank are in the order of ranks.
    """
    second = 1.0 / trace.clock.resolution

    def named(names: Any, ticks: Ints) -> dict[str, float]:  # noqa: ANN401 - texts
        totals: dict[str, float] = {}
        for name, seconds in zip(names, (ticks * second).tolist(), strict=True):
            if seconds:  # regions may share a name
                totals[name] = totals.get(name, 0.0) + seconds
        return totals

    caused, of_statement = _causes(sums, delays, logical)
    texts = statement_texts(logical)
    return {
        "total_seconds": sums.total * second,
        "by_kind": dict(
            zip(WAIT_KINDS, (sums.suffered.sum(axis=1) * second).tolist(), strict=True)
        ),
        "wrong_order_seconds": float(sums.wrong_order.sum() * second),
        "wrong_order_by_source": dict(
            zip(
                ("different", "same"),
                (sums.wrong_order.sum(axis=1) * second).tolist(),
                strict=True,
            )
        ),
        "completion_seconds": {
            "barrier": float(sums.completion[0] * second),
            "nxn": float(sums.completion[1] * second),
        },
        "early_fence_seconds": float(sums.early_fence.sum() * second),
        "late_complete_seconds": float(sums.late_complete.sum() * second),
        "suffered": (sums.suffered.sum(axis=0) * second).tolist(),
        "held_up": (sums.held_up.sum(axis=0) * second).tolist(),
        "caused": (caused * second).tolist(),
        "unexplained_seconds": (sums.total - int(caused.sum())) * second,
        "by_direction": named(sums.directions, sums.by_direction),
        "by_statement": [
            {
                "statement": number,
                "call": texts[number],
                "seconds": float(sums.by_statement[number] * second),
                "caused_seconds": float(of_statement[number] * second),
            }
            for number in np.flatnonzero(sums.by_statement + of_statement).tolist()
        ],
        "by_communicator": named(
            [one.name for one in trace.communicators], sums.by_communicator
        ),
        "by_phase": named(sums.phases, sums.by_phase),
        "by_iteration": (sums.by_iteration * second).tolist(),
        "by_pair": [
            [rank, whom, calls, ticks * second]
            for rank, whom, calls, ticks in zip(
                sums.pair_rank.tolist(),
                sums.pair_whom.tolist(),
                sums.pair_calls.tolist(),
                sums.pair_ticks.tolist(),
                strict=True,
            )
            if calls
        ],
        "critical_path": {
            "seconds": float(path.of_rank.sum() * second),
            "by_rank": (path.of_rank * second).tolist(),
            "by_function": named(function_names(trace), path.of_region),
            "by_statement": [
                {
                    "statement": number,
                    "call": texts[number],
                    "seconds": float(path.in_statement[number] * second),
                    "before_seconds": float(path.before_statement[number] * second),
                    "imbalance_seconds": float(path.imbalance[number] * second),
                }
                for number in np.flatnonzero(
                    path.in_statement + path.before_statement
                ).tolist()
            ],
        },
        "error_seconds": sums.error * second,
        "between_seconds": [sums.least * second, sums.most * second],
    }


def function_names(trace: Trace) -> list[str]:
    """Name all regions, and what is in none."""
    regions = trace.regions
    return [*map(regions.title, range(len(regions.names))), "outside of functions"]


def _causes(
    sums: WaitSums, delays: Delays | None, logical: LogicalTrace
) -> tuple[Ints, Ints]:
    """Tell what each rank and each statement caused: nothing if nobody waited."""
    if delays is not None:
        return delays.of_rank, delays.of_statement
    none = np.zeros(sums.suffered.shape[1], np.int64)
    return none, np.zeros(logical.statements, np.int64)


def waits_text(
    trace: Trace,
    sums: WaitSums,
    delays: Delays | None,
    logical: LogicalTrace,
    path: CriticalPath,
) -> str:
    """Tell all waiting as tables."""
    second = trace.clock.resolution
    headline = f"All ranks together waited {duration_text(sums.total / second)}"
    if whole := bounds_text(trace, sums):
        headline += f" ({whole}, {AS_CLOCKS_ARE})"
    if not sums.total:
        return f"{headline}."
    caused, of_statement = _causes(sums, delays, logical)
    ranks = [f"rank {rank}" for rank in range(trace.ranks)]
    texts = statement_texts(logical)
    kinds = [KIND_TEXTS[kind] for kind in WAIT_KINDS]

    def summed(title: str, by: str, names: Any, ticks: Ints) -> list[str]:  # noqa: ANN401 - texts
        bounds = partial(bounds_text, trace, sums, by)
        return _table(title, names, ticks, second, bounds)

    lines = [
        f"{headline}.",
        *summed("By kind", "kind", kinds, sums.suffered.sum(axis=1)),
    ]
    if wrong := int(sums.wrong_order.sum()):
        lines.append(
            f"Of late senders {duration_text(wrong / second)} in the wrong "
            "order: messages that were received later had been sent earlier"
            + (f", {_same_source(sums, second)}." if sums.wrong_order[1].any() else ".")
        )

    def causing(title: str, by: str, names: Any, ticks: Ints) -> list[str]:  # noqa: ANN401 - texts
        if delays is None:
            return []
        bounds = partial(cause_bounds_text, trace, delays, by)
        return _table(title, names, ticks, second, bounds)

    return "\n".join(
        (
            *lines,
            *summed("Suffered by", "rank", ranks, sums.suffered.sum(axis=0)),
            *causing("Caused by", "rank", ranks, caused),
            *summed("In statement", "statement", texts, sums.by_statement),
            *causing("Caused before or in statement", "statement", texts, of_statement),
            *summed("Partner in the", "direction", sums.directions, sums.by_direction),
            *_table("Critical path on", ranks, path.of_rank, second),
            *_table("Critical path in", function_names(trace), path.of_region, second),
            *_table(
                "Critical path before or in",
                texts,
                path.in_statement + path.before_statement,
                second,
            ),
        )
    )


def _same_source(sums: WaitSums, second: int) -> str:
    same = duration_text(int(sums.wrong_order[1].sum()) / second)
    return f"in {same} of it by the same rank"


@dataclass(frozen=True, slots=True, eq=False)
class LineWaits(Frozen):
    """What the calls below each line of a logical trace waited, and caused."""

    waited: Ints
    """int64, shape (lines,): ticks that all ranks waited in the calls."""
    caused: Ints
    """int64, shape (lines,): ticks of all ranks' waiting that are due to the calls and
    to what is computed before them."""


def line_waits(
    lines: Sequence[Line], sums: WaitSums, delays: Delays | None, logical: LogicalTrace
) -> LineWaits:
    """Sum waits up by line; a block that is used elsewhere as well is all of it."""
    _, caused = _causes(sums, delays, logical)
    ticks = np.stack([sums.by_statement, caused])
    running = np.cumsum(np.pad(ticks, ((0, 0), (1, 0))), axis=1)
    bounds = np.array([(line.first, line.last) for line in lines], np.int64)
    first, last = bounds.reshape(-1, 2).T
    waits = running[:, last] - running[:, first]
    above = [number for number, line in enumerate(lines) if line.kind == "use"]
    using: set[int] = set()
    while above:
        number = above.pop()
        if number >= 0 and number not in using:
            using.add(number)
            above.append(lines[number].parent)
    for number in using:
        own = statements_of_lines(lines, number, max(lines[number].end, number + 1))
        waits[:, number] = ticks[:, list(own)].sum(axis=1)
    return LineWaits(waits[0], waits[1])


def bounds_text(trace: Trace, sums: WaitSums, by: str = "", group: int = 0) -> str:
    """Say between what a sum lies; nothing where clocks leave nothing open.

    ``between 22.9 s and 24.2 s``.

    Parameters
    ----------
    by, group
        Which sum: a name of `WAIT_SUMS`, and the place in it; empty: all waiting.
    """
    if not sums.error:
        return ""
    bounds = sums.between[by][:, group].tolist() if by else (sums.least, sums.most)
    return between_text(trace, *bounds)


def _table(
    title: str,
    names: Any,  # noqa: ANN401 - texts
    ticks: Ints,
    second: int,
    bounds: Callable[[int], str] = lambda _: "",
) -> list[str]:
    """List what took longest, with its share, and between what it lies."""
    order = np.argsort(-ticks, kind="stable")
    order = order[ticks[order] > 0]
    if not len(order):
        return []
    whole = int(ticks.sum())
    rows = [
        (
            duration_text(int(ticks[one]) / second),
            share_text(int(ticks[one]) / whole),
            names[one],
            bounds(one),
        )
        for one in order[:MAX_LINES].tolist()
    ]
    more = len(order) - MAX_LINES
    return [
        "",
        title,
        *(
            f"{time:>10}  {share:>7}  {name}" + f"  ({range_})" * bool(range_)
            for time, share, name, range_ in rows
        ),
        *([f"{'':>10}  and {grouped(more)} more"] if more > 0 else []),
    ]


def delays_record(
    trace: Trace, delays: Delays | None, logical: LogicalTrace
) -> dict[str, Any]:
    """Describe delays as JSON-able values: what ``topoview idle-waves`` prints."""
    if delays is None:
        return {
            "delays": [],
            "left_out": 0,
            "left_out_seconds": 0.0,
            "waiting_seconds": 0.0,
        }
    toward = directions_travelled(delays, logical, 0, len(delays))
    rows = list(delays_table(trace, delays))
    second = 1.0 / trace.clock.resolution
    for place, row in enumerate(rows):
        row["met"] = row["met"] if row["met"] >= 0 else None
        row["toward"] = toward[place]
        between = caused_between(delays, place) * second
        row["caused_between_seconds"] = between.tolist()
    return {
        "delays": rows,
        "left_out": delays.left_out,
        "left_out_seconds": delays.left_out_caused * second,
        "waiting_seconds": delays.waiting * second,
        "unattributed_seconds": delays.unattributed * second,
    }


def _known(number: float) -> float | None:
    """Give a number as JSON has it: none where it is not known."""
    return None if math.isnan(number) else float(number)


def delays_text(trace: Trace, delays: Delays | None) -> str:
    """Write delays as a table, costliest first."""
    if delays is None or not len(delays):
        return "No rank waited for another one."
    table = delays_table(trace, delays)
    table = table.select(*(name for name in TEXT_COLUMNS if name in table.names))
    lines = table.lines(MAX_LINES)
    if delays.between:
        lines.append(f"Least and most caused: {AS_CLOCKS_ARE}.")
    more = len(delays) - MAX_LINES
    if more > 0:
        lines.append(f"and {plural(more, 'delay')} more, each of which caused less")
    if delays.left_out:
        caused = duration_text(trace.clock.seconds(delays.left_out_caused))
        lines.append(
            f"and {plural(delays.left_out, 'delay')} that are within the clocks' error "
            f"or noise: they caused {caused} together"
        )
    return "\n".join(lines)


TEXT_COLUMNS = (
    "rank",
    "begin",
    "iteration",
    "seconds",
    "call",
    "caused_seconds",
    "least_caused_seconds",
    "most_caused_seconds",
    "ranks_reached",
    "hops_per_iteration",
)
"""Columns of delays that the terminal shows."""


def efficiency_record(
    trace: Trace, efficiency: Efficiency, span: Span
) -> dict[str, Any]:
    """Describe efficiencies of a span as JSON-able values: fractions."""
    return {"span": span_record(trace, span), **factors_record(efficiency)}


def factors_record(efficiency: Efficiency) -> dict[str, float | None]:
    """Describe efficiencies as JSON-able values: fractions."""
    return {name: _known(value) for name, value in asdict(efficiency).items()}


def work_record(trace: Trace, work: UsefulWork | None) -> dict[str, Any]:
    """Describe what counters count while ranks compute; nothing without counters."""
    if work is None:
        return {}
    return {
        "instructions": _known(work.instructions),
        "ipc": _known(work.ipc),
        "frequency_hz": _known(work.frequency),
        "counted": {
            name: {"total": total, "unit": _unit(trace, name)}
            for name, total in work.counted.items()
        },
    }


def _unit(trace: Trace, name: str) -> str:
    return next(one.unit for one in trace.counters if one.name == name)


def work_rows(trace: Trace, work: UsefulWork) -> list[tuple[str, str]]:
    """List what counters tell of computation, in words: names and numbers."""
    rows = []
    if not math.isnan(work.ipc):
        rows.append((tr("instructions a cycle"), f"{work.ipc:.2f}"))
        rows.append(
            (
                tr("cycles a second"),
                tr("{frequency:.2f} GHz", frequency=work.frequency / 1e9),
            )
        )
    rows += [
        (name, write(total, _unit(trace, name))) for name, total in work.counted.items()
    ]
    return rows


def work_text(trace: Trace, work: UsefulWork | None) -> str:
    """Tell the same below the efficiencies."""
    if work is None:
        return ""
    rows = work_rows(trace, work)
    width = max(len(name) for name, _ in rows)
    lines = (f"{name:<{width}}  {value}" for name, value in rows)
    return "\n".join(["", "", "While computing, all ranks together", *lines])


def efficiency_text(trace: Trace, efficiency: Efficiency, span: Span) -> str:
    """Tell efficiencies of a span as POP's tree of them."""
    rows = [
        ("parallel efficiency", efficiency.parallel),
        ("  MPI", efficiency.mpi),
        ("    load balance", efficiency.load_balance),
        ("    communication", efficiency.communication),
        ("      serialisation", efficiency.serialisation),
        ("      transfer", efficiency.transfer),
        ("  threads and I/O", efficiency.threads),
        ("  offload", efficiency.offload),
    ]
    tree = "\n".join(
        f"{name:<30} {'-' if math.isnan(value) else share_text(value):>7}"
        for name, value in rows
    )
    return f"span: {span_text(trace, span)}\n{tree}"
