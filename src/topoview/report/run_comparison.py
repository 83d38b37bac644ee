"""Two runs in time, in words, as a table and as JSON."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from topoview.analysis.comparing.counterparts import ALL_RANKS
from topoview.analysis.comparing.runs import (
    Cause,
    Change,
    Row,
    RunComparison,
    compare_runs,
)
from topoview.analysis.comparing.series import Run, run_of
from topoview.analysis.comparing.spread import ALIKE, DIFFERENT, FEW, NOT_JUDGED
from topoview.base.progress import Report, silent
from topoview.base.text import (
    MINUS,
    duration_text,
    mark,
    numbers_text,
    plural,
    share_text,
    tr,
)
from topoview.errors import UsageError
from topoview.model import (
    Column,
    ColumnData,
    Efficiency,
    Ints,
    Schema,
    Table,
    Trace,
    words,
)
from topoview.pipeline import Results
from topoview.report.blocks import (
    NBSP,
    Block,
    Command,
    Page,
    Paragraph,
    TableBlock,
    costliest,
    shown,
    table_block,
)
from topoview.report.waits.pages import factors_record

BY: Final = (
    mark("statement"),
    mark("function"),
    mark("direction"),
    mark("plane"),
    mark("iteration"),
    mark("place"),
)
"""What two runs can be compared by."""

MAX_ROWS: Final = 40
"""Rows of a table as text; JSON and files hold all."""

VERDICT_WORDS: Final = {
    NOT_JUDGED: "",
    ALIKE: "within the spread",
    FEW: "in few iterations",
    DIFFERENT: "differs",
}
ALIKE_RULE: Final = tr(
    "In brackets: within 3 standard errors, by the spread of the iterations (median "
    "absolute deviation). How much a program varies from run to run is not known "
    "from one run of each."
)
EFFICIENCY_TITLES: Final = {
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication",
    "serialisation": "serialisation",
    "transfer": "transfer",
}

ComparedRuns: TypeAlias = RunComparison
"""What windows show, which do not know how it is made."""

RUN_RESULTS: Final = ("identification", "logical", "positions", "waits")
"""Results that `run_of_results` needs."""


def run_of_results(results: Results, window: tuple[float, float] | None = None) -> Run:
    """Gather what a run did, or what it did in a window of seconds.

    Raises
    ------
    UsageError
        The trace has no such window.
    """
    trace, ticks = results.trace, None
    if window is not None:
        begin, end = map(trace.clock.ticks, window)
        if not 0 <= begin < end <= trace.clock.length + 1:
            length = trace.clock.seconds(trace.clock.length)
            raise UsageError(
                f"{trace.name} has no window {window[0]:g}:{window[1]:g}: it lasts "
                f"from 0 to {length:.6g} s"
            )
        ticks = begin, end
    identification, logical, positions, waits = (results[name] for name in RUN_RESULTS)
    return run_of(trace, identification, logical, positions, waits, ticks)


def compare_results(
    a: Results,
    b: Results,
    aligned: Ints,
    names: tuple[str, str],
    windows: Sequence[tuple[float, float] | None] = (None, None),
) -> RunComparison:
    """Compare two runs of which `RUN_RESULTS` are known.

    Parameters
    ----------
    aligned : int64, shape (lines of a,)
        As `topoview.analysis.comparing.lines.align_listings` tells.
    names
        What the runs are called.
    windows
        Seconds of each that are compared; None: the whole run.
    """
    runs = [run_of_results(one, w) for one, w in zip((a, b), windows, strict=True)]
    return compare_runs(runs[0], runs[1], aligned, names)


def compared_with(
    trace: Trace, path: str | Path, report: Report = silent
) -> RunComparison:
    """Compare a run with that of another trace, which is read for it.

    Raises
    ------
    UsageError
        The trace is in no store.
    TraceError, RefusedError, Cancelled
        As for `results_of`.
    """
    from topoview.worker.results import aligned_with, results_of

    other, aligned = aligned_with(trace, path, report, RUN_RESULTS)
    if aligned is None:
        raise UsageError(
            f"{trace.name} cannot be compared: its results are not kept; open its file"
        )
    own = results_of(trace, RUN_RESULTS, None, report)
    return compare_results(own, other, aligned, (trace.name, other.trace.name))


def rule_text(comparison: RunComparison) -> str:
    """Explain what brackets mean, and of what ratios are where that is not the sums."""
    a, b = comparison.iterations
    if a == b or not (a and b):
        return ALIKE_RULE
    turns = tr("A has {iterations} and B {b}", iterations=plural(a, "iteration"), b=b)
    return tr(
        "{turns}: of what they repeat, B ÷ A is that of an iteration. {alike_rule}",
        turns=turns,
        alike_rule=ALIKE_RULE,
    )


def headline(comparison: RunComparison) -> str:
    """Describe how the second run's time differs: ``B is 149 ms slower: ...``."""
    a, b = comparison.seconds
    where, turns = _where(comparison), comparison.iterations
    if turns[0] != turns[1] and all(turns):
        a, b, where = a / turns[0], b / turns[1], tr("an iteration")
    times = tr(
        "{b} against {a} {where}", b=duration_text(b), a=duration_text(a), where=where
    )
    if duration_text(a) == duration_text(b):
        return tr(
            "A and B take the same time: {a} {where}.", a=duration_text(a), where=where
        )
    template = (
        tr("B is {b} slower: {times}.") if b > a else tr("B is {b} faster: {times}.")
    )
    return template.format(b=duration_text(abs(b - a)), times=times)


def _where(comparison: RunComparison) -> str:
    return tr("in the loop") if all(comparison.iterations) else tr("in all")


def cause_text(cause: Cause) -> str:
    """Describe where a difference is: ``rank 14, x 2, y 2, iteration 10: ...``."""
    where = cause.place or tr("all ranks")
    when = (
        tr("iteration {iteration}", iteration=cause.iteration)
        if cause.iteration
        else tr("every iteration")
    )
    times = f"{duration_text(cause.a)} → {duration_text(cause.b)}"
    sign = "+" if cause.total > 0 else MINUS
    total = tr("{sign}{total} in all", sign=sign, total=duration_text(abs(cause.total)))
    if (cause.b - cause.a) * cause.total < 0:  # of what all share, it has less
        total += tr(", beside the other iterations")
    return f"{where}, {when}: {cause.what}, {times} ({total})"


def waiting_text(comparison: RunComparison) -> str:
    """Describe how waiting differs, which only follows; empty where unknown."""
    change = comparison.waiting
    if change.a is None and change.b is None:
        return ""
    a, b = (duration_text(value or 0.0) for value in (change.a, change.b))
    text = tr("Waiting of the mean rank: {a} → {b}", a=a, b=b)
    if change.verdict == ALIKE:
        return tr("{text}, within the spread of iterations.", text=text)
    if change.iterations:
        return tr(
            "{text}, mostly in {iterations}.",
            text=text,
            iterations=iterations_text(change.iterations),
        )
    return f"{text}."


def iterations_text(numbers: Sequence[int]) -> str:
    """Name iterations: ``iterations 11..16``."""
    word = "iteration" if len(numbers) == 1 else "iterations"
    return f"{word} {numbers_text(numbers)}"


def aligned_text(comparison: RunComparison) -> str:
    """Describe what meets a counterpart."""
    places = comparison.rows["place"]
    met = sum(_met(row) for row in places)
    lines = [row for row in comparison.rows["statement"] if row.changes]
    phrases = [
        tr(
            "{sum} of {lines} with calls",
            sum=sum(map(_met, lines)),
            lines=plural(len(lines), "line"),
        ),
        tr("all ranks taken together")
        if [row.name for row in places] == [ALL_RANKS]
        else tr("{met} of {places}", met=met, places=plural(len(places), "place")),
    ]
    if any(comparison.iterations):
        most = max(comparison.iterations)
        phrases.append(
            tr(
                "{aligned_iterations} of {iterations}",
                aligned_iterations=comparison.aligned_iterations,
                iterations=plural(most, "iteration"),
            )
        )
    return tr("Aligned: {text}.", text=", ".join(phrases))


def _met(row: Row) -> bool:
    return any(c.a is not None and c.b is not None for c in row.changes.values())


def ratio_text(change: Change) -> str:
    """Write a ratio, in brackets where the difference is within the spread."""
    if math.isnan(change.ratio):
        return ""
    return f"({change.ratio:.2f})" if change.verdict == ALIKE else f"{change.ratio:.2f}"


COMPARISON: Final = Schema(
    *(Column(by, "", tr(by), ordered=by == "iteration") for by in BY),
    Column("measure"),
    Column("a", "", "A", "Seconds or bytes of the mean rank"),
    Column("b", "", "B", "Seconds or bytes of the mean rank"),
    Column("difference"),
    Column("ratio", "", "B \u00f7 A"),
    Column("verdict", "", "", "Whether they differ beyond the spread of iterations"),
)


def comparison_table(comparison: RunComparison, by: str = "statement") -> Table:
    """List all measures of all groups: a row a group and measure, of the mean rank."""
    flat = [
        (row.name, measure, change)
        for row in comparison.rows[by]
        for measure, change in row.changes.items()
    ]

    def numbers(values: Sequence[float | None]) -> Any:  # noqa: ANN401 - an array
        return np.array([math.nan if v is None else v for v in values], np.float64)

    verdicts = list(VERDICT_WORDS)
    return Table(
        COMPARISON,
        {
            by: words([name for name, _, _ in flat]),
            "measure": words([measure for _, measure, _ in flat]),
            "a": numbers([change.a for *_, change in flat]),
            "b": numbers([change.b for *_, change in flat]),
            "difference": numbers([change.difference for *_, change in flat]),
            "ratio": numbers([change.ratio for *_, change in flat]),
            "verdict": (
                np.array(
                    [verdicts.index(change.verdict) for *_, change in flat], np.int32
                ),
                verdicts,
            ),
        },
    )


def comparison_page(comparison: RunComparison, by: str = "statement") -> Page:
    """Return what ``topoview compare`` tells of times: by one kind of groups."""
    blocks: tuple[Block, ...] = comparison_blocks(comparison, (by,), MAX_ROWS)
    if not comparison.rows[by]:
        blocks = (*blocks, Paragraph(f"There is no {by} that both runs have."))
    return Page(blocks=blocks)


def comparison_blocks(
    comparison: RunComparison,
    groups: Sequence[str] = BY,
    limit: int | None = None,
    command: Callable[[str], str] | None = None,
) -> tuple[Block, ...]:
    """Show how two runs differ: in all, where that begins, then a table a grouping.

    Parameters
    ----------
    groups
        Of `BY`.
    limit
        Rows of each table, those that differ most; None: all.
    command
        Writes the command that makes a table again.
    """
    texts = headline(comparison), aligned_text(comparison), waiting_text(comparison)
    blocks: list[Block] = [
        *(Paragraph(text) for text in texts if text),
        TableBlock(
            "causes",
            "Differences excluding waiting for partners, the largest first.",
            ("",),
            tuple((cause_text(cause),) for cause in comparison.causes),
        ),
        TableBlock(
            "compared-efficiency",
            "Efficiency.",
            ("", "A", "B", f"B {MINUS} A"),
            tuple(_efficiency_rows(comparison.efficiency)),
        ),
    ]
    for by in groups:
        blocks.append(_group_block(comparison, by, limit))
        if command is not None and comparison.rows[by]:
            blocks.append(Command(command(by)))
    return shown((*blocks, Paragraph(rule_text(comparison))), {})


def _group_block(comparison: RunComparison, by: str, limit: int | None) -> TableBlock:
    """Return the table of one kind of groups, without those that differ least."""
    rows = comparison.rows[by]
    kept, more = None, ""
    if limit is not None and len(rows) > limit:
        times = [
            [c for name, c in row.changes.items() if name != "bytes"] for row in rows
        ]
        costs = [sum(abs(change.difference) for change in some) for some in times]
        kept = costliest(costs, [row.depth for row in rows], limit)
        more = ": what differs most"
    return table_block(
        f"compared-{by}s",
        f"By {by}, seconds and bytes of the mean rank{more}.",
        run_table(comparison, by, kept),
        mono=by == "statement",
        rest=0 if kept is None else len(rows) - len(kept),
    )


def _efficiency_rows(
    both: tuple[Efficiency | None, Efficiency | None],
) -> list[tuple[str, ...]]:
    """List efficiencies of both runs; none where unknown."""
    if both[0] is None or both[1] is None:
        return []
    rows: list[tuple[str, ...]] = []
    for key, name in EFFICIENCY_TITLES.items():
        a, b = (float(getattr(one, key)) for one in both)
        if not (math.isnan(a) or math.isnan(b)):
            change = f"{100 * (b - a):+.1f} points"
            rows.append((name, share_text(a), share_text(b), change))
    return rows


def run_table(
    comparison: RunComparison, by: str, chosen: Sequence[int] | None = None
) -> Table:
    """Return the times of both runs: a row a group, with what differs of it.

    Of all groups, or those that are chosen.
    """
    measures = ("wait", "bytes") if by == "direction" else ("time", "wait")
    if by in ("place", "plane", "iteration"):
        measures = ("computation", "wait")
    rows = [
        row
        for k, row in enumerate(comparison.rows[by])
        if chosen is None or k in chosen
    ]
    columns = [Column(by, "", tr(by), ordered=True)]
    data: dict[str, ColumnData] = {
        by: words([NBSP * 2 * row.depth + row.name for row in rows])
    }
    for measure in measures:
        unit = "B" if measure == "bytes" else "s"
        columns += [
            Column(f"{measure}_a", unit, f"{measure} A"),
            Column(f"{measure}_b", unit, "B"),
            Column(f"{measure}_difference", unit, f"B {MINUS} A"),
            Column(f"{measure}_ratio", "", "B \u00f7 A", ALIKE_RULE),
            Column(f"{measure}_where", "", " "),
        ]
        changes = [_told_change(row, measure) for row in rows]
        for name in ("a", "b", "difference"):
            values = [getattr(change, name) for change in changes]
            data[f"{measure}_{name}"] = np.array(
                [math.nan if value is None else value for value in values]
            )
        data[f"{measure}_ratio"] = words([ratio_text(change) for change in changes])
        data[f"{measure}_where"] = words([_where_text(change) for change in changes])
    return Table(Schema(*columns), data)


NO_CHANGE: Final = Change(None, None, math.nan)


def _told_change(row: Row, measure: str) -> Change:
    """Return how a group differs, nothing if neither run has anything of it."""
    change = row.changes.get(measure, NO_CHANGE)
    return change if change.a or change.b else NO_CHANGE


def _where_text(change: Change) -> str:
    where = iterations_text(change.iterations) if change.iterations else ""
    return VERDICT_WORDS[FEW] if len(where) > MAX_LETTERS else where


MAX_LETTERS: Final = 24
"""Letters of the iterations that a cell names."""


def run_comparison_record(comparison: RunComparison) -> dict[str, Any]:
    """Describe a comparison as JSON-able values; times are seconds."""
    return {
        "headline": headline(comparison),
        "seconds": list(comparison.seconds),
        "iterations": list(comparison.iterations),
        "aligned_iterations": comparison.aligned_iterations,
        "efficiency": [
            None if one is None else factors_record(one)
            for one in comparison.efficiency
        ],
        "waiting": _change_record(comparison.waiting),
        "causes": [
            {
                "place": one.place or None,
                "iteration": one.iteration or None,
                "what": one.what,
                "a": one.a,
                "b": one.b,
                "total_seconds": one.total,
            }
            for one in comparison.causes
        ],
        **{
            f"by_{by}": [
                {
                    by: row.name,
                    **{name: _change_record(one) for name, one in row.changes.items()},
                }
                for row in comparison.rows[by]
                if row.changes
            ]
            for by in BY
        },
    }


def _change_record(change: Change) -> dict[str, Any]:
    return {
        "a": change.a,
        "b": change.b,
        "difference": change.difference,
        "ratio": None if math.isnan(change.ratio) else change.ratio,
        "verdict": change.verdict or None,
        "iterations": list(change.iterations),
    }


# Scaling.

SCALING_FIELDS: Final = {
    "ranks": "ranks",
    "iterations": "iterations",
    "seconds": "seconds",
    "computation_seconds": "computed",
    "speed_up": "speed_up",
    "global_efficiency": "whole",
    "computation_scalability": "computation",
    "instruction_scalability": "instructions",
    "ipc_scalability": "ipc",
    "frequency_scalability": "frequency",
}
"""Fields of `ScalingPoint` by column."""

SCALING_SHOWN: Final = (
    "name",
    "ranks",
    "seconds",
    "speed_up",
    "global_efficiency",
    "computation_scalability",
    "load_balance",
    "serialisation",
    "transfer",
)
"""Columns for a reader; those of counters follow where any run counts them."""

COUNTED: Final = ("instruction_scalability", "ipc_scalability", "frequency_scalability")
"""What the computation's scalability is made of."""
