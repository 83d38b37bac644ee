"""All that is known of a logical trace's lines, and the listing with times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.analysis.call_sites import places_of_statements
from topoview.analysis.logical.cells import COLUMNS, cells, places_text
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
    places
        Source lines that the calls of each statement were made from; empty where the
        trace does not tell.
    """

    trace: Trace
    logical: LogicalTrace
    lines: tuple[Line, ...]
    statements: StatementFigures
    loops: LoopFigures
    loop_of: dict[int, int]
    shares: Floats
    metrics: MetricFigures
    places: tuple[tuple[str, ...], ...]


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
        places_of_statements(trace, logical),
    )


def timed_listing(
    known: Measured,
    wanted: Filter | None = None,
    *,
    burst: float = 0.0,
    numbers: bool = True,
) -> str:
    """Write the lines of a logical trace with their times.

    Columns: the line's number, what it took (`cells`; ``*`` where its calls take 5 %
    or more of the run), what each recorded counter counted in the computation before,
    and the line, with the source lines of its calls where the trace tells them.

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

HEAD = ("line", *COLUMNS)


def _row(known: Measured, number: int, line: Line, *, numbers: bool) -> tuple[str, ...]:
    calls, share, *further = cells(known, number)
    is_hot = known.shares[number] >= HOT and line.kind != "block"
    text = INDENT * line.depth + line.text
    if line.kind == "call" and known.places[line.first]:
        text += f"  at {places_text(known.places[line.first])}"
    place = str(number + 1) if numbers else ""
    return (place, calls, share + ("*" if is_hot else " "), *further, text)


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
