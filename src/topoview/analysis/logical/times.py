"""All that is known of a logical trace's lines, and the listing with times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.analysis.logical.figures import StatementFigures, statement_figures
from topoview.analysis.logical.filter import Filter, line_shares, shown
from topoview.analysis.logical.metrics import MetricFigures, metric_figures
from topoview.analysis.loop_figures import LoopFigures, loop_figures
from topoview.logical.lines import Line, lines
from topoview.logical.words import duration_text, plural
from topoview.model import Floats, LogicalTrace, Trace
from topoview.progress import Report, silent

INDENT = "    "
HOT = 0.05
"""Share of the run from which a line stands out."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A logical trace line by line, with what each took.

    Attributes
    ----------
    lines
        The lines.
    statements
        Figures of the statements, by `Call.index`.
    loops
        Figures of the loops, in order of their lines.
    loop_of
        Number of a loop's figures for its line.
    shares : float64, shape (lines,)
        Share of the run that the calls below each line take.
    metrics
        What counters counted before the statements.
    """

    trace: Trace
    logical: LogicalTrace
    lines: tuple[Line, ...]
    statements: StatementFigures
    loops: LoopFigures
    loop_of: dict[int, int]
    shares: Floats
    metrics: MetricFigures


def measure(trace: Trace, logical: LogicalTrace, report: Report = silent) -> Measured:
    """Measure a logical trace.

    Raises
    ------
    Cancelled
        From `report`.
    """
    found = lines(logical)
    statements = statement_figures(trace, logical, report)
    loops = loop_figures(trace, logical, report)
    heads = [number for number, line in enumerate(found) if line.kind == "loop"]
    return Measured(
        trace,
        logical,
        found,
        statements,
        loops,
        {number: k for k, number in enumerate(heads)},
        line_shares(found, statements, loops.uses),
        metric_figures(trace, logical, report),
    )


def timed_listing(
    known: Measured,
    wanted: Filter | None = None,
    *,
    burst: float = 0.0,
    numbers: bool = True,
) -> str:
    """Write the lines of a logical trace with their times.

    Columns: the line's number, the share of the run that its calls take (``*``
    where that is 5 % or more), their mean duration and its standard deviation,
    the mean computation before, the mean lateness of partners, what each recorded
    counter counted in that computation, and the line.

    Parameters
    ----------
    wanted
        Lines to show; None: all.
    burst
        Seconds; where ranks compute longer before a call on average, a line of
        its own tells.
    numbers
        Whether lines are numbered.
    """
    kept = np.ones(len(known.lines), bool)
    if wanted:
        kept = shown(known.lines, wanted, known.trace, known.logical, known.shares)
    if not kept.any():
        return NOTHING.format(lines=plural(len(kept), "line"))
    further = known.metrics.names
    rows: list[tuple[str, ...]] = [(*HEAD, *further, "statement")]
    for number in np.flatnonzero(kept).tolist():
        line = known.lines[number]
        before = _computed(known, line)
        if burst and line.kind == "call" and before >= burst:
            text = f"{INDENT * line.depth}compute {duration_text(before)}"
            rows.append((*("",) * (len(HEAD) + len(further)), text))
        rows.append(_row(known, number, line, numbers=numbers))
    hidden = len(known.lines) - int(kept.sum())
    text = _columns(rows)
    return text + (f"\n# not shown: {plural(hidden, 'line')}" if hidden else "")


NOTHING = "# none of the {lines} passes what is to be found"
"""What is told where a filter leaves no line."""

HEAD = ("line", "share", "mean", "+-", "compute", "late")


def _row(known: Measured, number: int, line: Line, *, numbers: bool) -> tuple[str, ...]:
    text = INDENT * line.depth + line.text
    share = float(known.shares[number])
    hot = "*" if share >= HOT and line.kind != "block" else " "
    told = f"{100 * share:.1f} %{hot}"
    place = str(number + 1) if numbers else ""
    if line.kind == "call":
        counted = known.metrics.texts(line.first)
        return (place, told, *_call_cells(known, line.first), *counted, text)
    cells = ("",) * 4
    if line.kind == "loop":
        cells = _loop_cells(known, known.loop_of[number])
    return (place, told, *cells, *("",) * len(known.metrics.names), text)


def _call_cells(known: Measured, s: int) -> tuple[str, ...]:
    figures, second = known.statements, 1 / known.trace.clock.resolution
    if not figures.calls[s]:
        return ("", "", "", "")
    late = ""
    if figures.late is not None and figures.waiting[s]:
        late = duration_text(float(figures.late.mean[s]) * second)
    return (
        duration_text(float(figures.spent.mean[s]) * second),
        duration_text(float(figures.spent.deviation[s]) * second),
        duration_text(float(figures.before.mean[s]) * second),
        late,
    )


def _loop_cells(known: Measured, k: int) -> tuple[str, str, str, str]:
    loops, second = known.loops, 1 / known.trace.clock.resolution
    if not loops.iterations[k]:
        return ("", "", "", "")
    return (
        duration_text(float(loops.mean[k]) * second),
        duration_text(float(loops.deviation[k]) * second),
        "",
        "",
    )


def _computed(known: Measured, line: Line) -> float:
    if line.kind != "call":
        return 0.0
    return float(known.statements.before.mean[line.first]) / (
        known.trace.clock.resolution
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join(
            [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
            + [row[-1]]
        ).rstrip()
        for row in rows
    )
