"""Waits, delays and efficiencies as JSON and as pages."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from topoview.base.text import duration_text, plural, share_text, tr, write
from topoview.logical.listing import lines
from topoview.model import (
    WAIT_KINDS,
    Analysis,
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
from topoview.report.blocks import (
    Bar,
    Block,
    Fact,
    Facts,
    Heading,
    Page,
    Paragraph,
    TableBlock,
    table_block,
)
from topoview.report.claims import late, stall
from topoview.report.profile import KIND_TEXTS, span_line, span_record
from topoview.report.waits.delays import (
    AS_CLOCKS_ARE,
    between_text,
    cause_bounds_text,
    caused_between,
    delay_facts,
    delay_headline,
    delays_table,
    directions_travelled,
)

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
    path: CriticalPath | None,
) -> dict[str, Any]:
    """Describe all waiting as JSON-able values: what ``topoview waits`` prints.

    Times are seconds; lists by rank are in the order of ranks. Without the critical
    path of the run it is a part of the waiting, and what caused it is left out.
    """
    second = 1.0 / trace.clock.resolution

    def named(names: Sequence[str], ticks: Ints) -> dict[str, float]:
        return _seconds_by_name(names, ticks, second)

    caused, of_statement = _causes(sums, delays, logical)
    texts = statement_texts(logical)
    causes = {
        "caused": (caused * second).tolist(),
        "unexplained_seconds": (sums.total - int(caused.sum())) * second,
    }
    further = {} if path is None else causes | _path_record(trace, path, texts)
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
        **further,
        "by_direction": named(sums.directions, sums.by_direction),
        "by_statement": [
            {
                "statement": number,
                "call": texts[number],
                "seconds": float(sums.by_statement[number] * second),
                **(
                    {}
                    if path is None
                    else {"caused_seconds": float(of_statement[number] * second)}
                ),
            }
            for number in np.flatnonzero(sums.by_statement + of_statement).tolist()
        ],
        "by_communicator": named(
            [one.name for one in trace.communicators], sums.by_communicator
        ),
        "by_axis": named(sums.axes, sums.by_axis),
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
        "error_seconds": sums.error * second,
        "between_seconds": [sums.least * second, sums.most * second],
    }


def _seconds_by_name(
    names: Sequence[str], ticks: Ints, second: float
) -> dict[str, float]:
    totals: dict[str, float] = {}
    for name, some in zip(names, (ticks * second).tolist(), strict=True):
        if some:  # regions may share a name
            totals[name] = totals.get(name, 0.0) + some
    return totals


def _path_record(
    trace: Trace, path: CriticalPath, texts: Sequence[str]
) -> dict[str, Any]:
    """Describe the critical path of the run as JSON-able values."""
    second = 1.0 / trace.clock.resolution
    some = np.flatnonzero(path.in_statement + path.before_statement)
    return {
        "critical_path": {
            "seconds": float(path.of_rank.sum() * second),
            "by_rank": (path.of_rank * second).tolist(),
            "by_function": _seconds_by_name(
                function_names(trace), path.of_region, second
            ),
            "by_statement": [
                {
                    "statement": number,
                    "call": texts[number],
                    "seconds": float(path.in_statement[number] * second),
                    "before_seconds": float(path.before_statement[number] * second),
                    "imbalance_seconds": float(path.imbalance[number] * second),
                }
                for number in some.tolist()
            ],
        }
    }


def function_names(trace: Trace) -> list[str]:
    """Name all regions, and what is in none."""
    regions = trace.regions
    return [*map(regions.title, range(len(regions.names))), "outside of functions"]


def _causes(
    sums: WaitSums, delays: Delays | None, logical: LogicalTrace
) -> tuple[Ints, Ints]:
    """Return what each rank and each statement caused: nothing if nobody waited."""
    if delays is not None:
        return delays.of_rank, delays.of_statement
    none = np.zeros(sums.suffered.shape[1], np.int64)
    return none, np.zeros(logical.statements, np.int64)


def waits_blocks(  # noqa: PLR0913 - as `wait_tables`, and a word
    trace: Trace,
    sums: WaitSums,
    delays: Delays | None,
    logical: LogicalTrace,
    path: CriticalPath | None,
    whose: str = "All ranks together",
) -> tuple[Block, ...]:
    """Show all waiting: in all, and as tables of what it is summed up by.

    Without the critical path of the run it is a part of the waiting.
    """
    second = trace.clock.resolution
    headline = f"{whose} waited {duration_text(sums.total / second)}"
    if len(trace.never_left):
        headline += " in calls that returned"
    if bounds := bounds_text(trace, sums):
        headline += f" ({bounds}, {AS_CLOCKS_ARE})"
    if not sums.total:
        return (Paragraph(f"{headline}."),)
    tables = list(wait_tables(trace, sums, delays, logical, path).values())
    wrong = int(sums.wrong_order.sum())
    if wrong:
        text = (
            f"Of late senders {duration_text(wrong / second)} in the wrong order: "
            "messages that were received later had been sent earlier"
        )
        same = f", {_same_source(sums, second)}" * bool(sums.wrong_order[1].any())
        return (Paragraph(f"{headline}."), Paragraph(f"{text}{same}."), *tables)
    return (Paragraph(f"{headline}."), *tables)


def wait_tables(
    trace: Trace,
    sums: WaitSums,
    delays: Delays | None,
    logical: LogicalTrace,
    path: CriticalPath | None,
) -> dict[str, TableBlock]:
    """Return what waiting and the critical path are summed up by: tables by name.

    Those without rows are left out.
    """
    second = trace.clock.resolution
    ranks = [f"rank {rank}" for rank in range(trace.ranks)]
    texts = statement_texts(logical)
    kinds = [KIND_TEXTS[kind] for kind in WAIT_KINDS]
    tables: list[TableBlock] = []

    def add(
        name: str,
        caption: str,
        names: Sequence[str],
        ticks: Ints,
        bounds: Callable[[int], str] = lambda _: "",
    ) -> None:
        table = _sums_block(name, caption, names, ticks, second, bounds)
        tables.extend([table] * bool(table.rows))

    def suffered(by: str) -> Callable[[int], str]:
        return partial(bounds_text, trace, sums, by)

    kind_ticks, rank_ticks = sums.suffered.sum(axis=1), sums.suffered.sum(axis=0)
    add("waits", "By kind", kinds, kind_ticks, suffered("kind"))
    add("wait-ranks", "Suffered by", ranks, rank_ticks, suffered("rank"))
    if delays is not None:
        cause = partial(cause_bounds_text, trace, delays, "rank")
        add("wait-causes", "Caused by", ranks, delays.of_rank, cause)
    in_statement = suffered("statement")
    add("wait-statements", "By statement", texts, sums.by_statement, in_statement)
    if delays is not None:
        cause = partial(cause_bounds_text, trace, delays, "statement")
        before = "Caused by statement, or before it"
        add("wait-cause-statements", before, texts, delays.of_statement, cause)
    add(
        "wait-directions",
        "By direction of the partner",
        sums.directions,
        sums.by_direction,
        suffered("direction"),
    )
    along = "Along axes of the plan"
    add("wait-axes", along, sums.axes, sums.by_axis, suffered("axis"))
    if path is not None and len(path):
        functions = function_names(trace)
        whole = "Critical path of the whole run"
        add("path-ranks", f"{whole} on", ranks, path.of_rank)
        add("path-functions", f"{whole} in", functions, path.of_region)
        tables.extend(_path_blocks(path, texts, second))
    return {table.name: table for table in tables}


def _path_blocks(
    path: CriticalPath, texts: Sequence[str], second: int
) -> tuple[TableBlock, ...]:
    """Return which statements the run's length is made of, longest first."""
    names, columns = add_by_name(
        texts, path.in_statement, path.before_statement, path.imbalance
    )
    ticks = columns[0] + columns[1]
    order = np.argsort(-ticks, kind="stable")
    order = order[ticks[order] > 0]
    rows = tuple(
        (names[k], *(duration_text(int(column[k]) / second) for column in columns))
        for k in order[:MAX_LINES].tolist()
    )
    block = TableBlock(
        name="path",
        caption="Critical path of the whole run: what its length is made of",
        head=(tr("statement"), "in calls", "before them", "by imbalance"),
        rows=rows,
        mono=True,
        rest=len(order) - len(rows),
    )
    return (block,) if rows else ()


def add_by_name(names: Sequence[str], *columns: Ints) -> tuple[list[str], list[Ints]]:
    """Add up what has the same name: a row ``Waitall (5 places)``, not five alike."""
    places = Counter(names)
    texts = list(places)
    row = {text: k for k, text in enumerate(texts)}
    of_name = np.array([row[name] for name in names], np.int64)
    sums = [np.zeros(len(texts), np.int64) for _ in columns]
    for total, column in zip(sums, columns, strict=True):
        np.add.at(total, of_name, column)
    labels = [f"{text} ({n} places)" if n > 1 else text for text, n in places.items()]
    return labels, sums


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
    """Write the bounds of a sum; nothing where clocks leave nothing open.

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


def _sums_block(  # noqa: PLR0913 - as `wait_tables` has them
    name: str,
    caption: str,
    names: Sequence[str],
    ticks: Ints,
    second: int,
    bounds: Callable[[int], str],
) -> TableBlock:
    """List what took longest, with its share, and between what it lies."""
    order = np.argsort(-ticks, kind="stable")
    order = order[ticks[order] > 0]
    whole, shown = max(int(ticks.sum()), 1), order[:MAX_LINES].tolist()
    ranges = [bounds(k) for k in shown]
    rows = tuple(
        (
            names[k],
            Bar(int(ticks[k]) / whole, "wait"),
            duration_text(int(ticks[k]) / second),
            share_text(int(ticks[k]) / whole),
            *([range_] if any(ranges) else []),
        )
        for k, range_ in zip(shown, ranges, strict=True)
    )
    return TableBlock(
        name=name,
        caption=caption,
        head=("", "", tr("time"), tr("share"), *([" "] if any(ranges) else [])),
        rows=rows,
        mono="statement" in name,
        rest=len(order) - len(rows),
    )


def delays_record(
    trace: Trace, delays: Delays | None, logical: LogicalTrace, span: Span
) -> dict[str, Any]:
    """Describe delays as JSON-able values: what ``topoview idle-waves`` prints."""
    if delays is None:
        return {
            "span": span_record(trace, span),
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
        "span": span_record(trace, span),
        "delays": rows,
        "left_out": delays.left_out,
        "left_out_seconds": delays.left_out_caused * second,
        "waiting_seconds": delays.waiting * second,
        "unattributed_seconds": delays.unattributed * second,
    }


def _known(number: float) -> float | None:
    """Return a number as JSON has it: none where unknown."""
    return None if math.isnan(number) else float(number)


def delays_page(analysis: Analysis) -> Page:
    """Show delays, costliest first, below what is claimed of one that was late."""
    trace, delays = analysis.trace, analysis.delays
    if delays is None or not delays.waiting:
        return Page(title="No rank waited for another one.")
    profile = analysis.profile  # whose span is that of delays
    head = () if profile is None else (Paragraph(span_line(trace, profile.span)),)
    claimed = "No rank was late for longer than what is usual at its place."
    places = range(len(delays))
    claims = [
        late(trace, delays, k).holds or stall(trace, delays, k).holds for k in places
    ]
    first = claims.index(True) if any(claims) else None
    if first is not None:
        claimed = f"{delay_headline(analysis, first)} {delay_facts(analysis, first)}"
    elif len(delays):
        claimed += " What keeps others waiting is noise, or imbalance:"
    table = delays_table(trace, delays)
    table = table.select(*(name for name in TEXT_COLUMNS if name in table.names))
    lines = []
    if delays.between and len(delays):
        lines.append(f"Least and most caused: {AS_CLOCKS_ARE}.")
    rows = np.arange(min(len(delays), MAX_LINES))
    if first is not None:  # what is named is listed
        rows = np.union1d(rows, [first])
    more = len(delays) - len(rows)
    if more > 0:
        lines.append(f"and {plural(more, 'delay')} more, each of which caused less")
    if delays.left_out:
        caused = duration_text(trace.clock.seconds(delays.left_out_caused))
        lines.append(
            f"and {plural(delays.left_out, 'delay')} that are within noise or the "
            f"clocks' error, or caused next to nothing: {caused} together"
        )
    blocks: list[Block] = [*head, Paragraph(claimed), Heading("")]
    if len(delays):
        shown = table.take(rows)
        blocks.append(table_block("delays", "", shown, named=True))
    return Page(blocks=(*blocks, *map(Paragraph, lines)))


TEXT_COLUMNS = (
    "rank",
    "begin",
    "iteration",
    "seconds",
    "call",
    "caused_seconds",
    "least_caused_seconds",
    "most_caused_seconds",
    "saved_seconds",
    "ranks_reached",
    "hops_per_iteration",
    "hops_per_second",
    "predicted_hops_per_second",
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
    """List the facts that counters give about computation: names and numbers."""
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


def work_blocks(trace: Trace, work: UsefulWork | None) -> tuple[Block, ...]:
    """Show the work below the efficiencies; nothing without counters."""
    if work is None:
        return ()
    facts = [Fact(name, (value,)) for name, value in work_rows(trace, work)]
    head = Heading("While computing, all ranks together")
    return (head, Facts(tuple(facts)))


def efficiency_blocks(
    trace: Trace, efficiency: Efficiency, span: Span
) -> tuple[Block, ...]:
    """Show efficiencies of a span as POP's tree of them."""
    rows = (
        ("parallel efficiency", efficiency.parallel),
        ("  MPI", efficiency.mpi),
        ("    load balance", efficiency.load_balance),
        ("    communication", efficiency.communication),
        ("      serialisation", efficiency.serialisation),
        ("      transfer", efficiency.transfer),
        ("  threads and I/O", efficiency.threads),
        ("  offload", efficiency.offload),
    )
    return Paragraph(span_line(trace, span)), shares_block(rows)


def shares_block(rows: Sequence[tuple[str, float]]) -> TableBlock:
    """List fractions by name; a dash stands for what is not known."""
    return TableBlock(
        name="efficiency",
        caption="",
        head=("", ""),
        rows=tuple(
            (name, "-" if math.isnan(value) else share_text(value))
            for name, value in rows
        ),
    )
