"""Lines of a logical trace in words, and what each took: cells, text, tooltips."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from topoview.logical.functions.nesting import functions_text
from topoview.logical.listing import call_tokens, lines, listing
from topoview.model import (
    Analysis,
    Bools,
    Call,
    Line,
    LogicalTrace,
    MeasuredLines,
    Token,
)
from topoview.text import duration_text, ordinal_text, plural

COLUMNS: Final = {
    "calls": "calls",
    "share": "share",
    "mean": "mean",
    "+-": "±",
    "compute": "computation before",
    "late": "partners late",
    "longest": "longest",
    "where": "where",
}
"""Titles in the text, and what the page has instead."""

MAX_SOURCE_LINES: Final = 3
"""Source lines of a statement that are told one by one."""


def logical_lines(known: Analysis | None) -> tuple[Line, ...]:
    """Lines of the logical trace, none before there is one."""
    if known is None or known.logical is None:
        return ()
    if known.measured is not None:
        return known.measured.lines
    return lines(known.logical)


def logical_text(logical: LogicalTrace) -> str:
    """Write a logical trace without times, as ``topoview logical`` does."""
    return listing(logical)


def call_words(call: Call, line: Line) -> tuple[Token, ...]:
    """Words of a call, with the condition that its line is."""
    words = call_tokens(call)
    return (*words, ("if", "dim"), line.tokens[1]) if line.kind == "when" else words


def grouped_call_words(call: Call, count: int) -> tuple[Token, ...]:
    """Words of so many calls that are alike but for their partners."""
    partners = f"{count} neighbours"
    return call_tokens(
        replace(
            call,
            to=None if call.to is None else partners,
            source=None if call.source is None else partners,
        )
    )


def call_path_text(line: Line) -> str:
    """Functions that a line's call is made in: ``ssor > rhs``."""
    call = line.statement
    return functions_text(call.path) if isinstance(call, Call) else ""


def cells(known: MeasuredLines, number: int) -> tuple[str, ...]:
    """Tell what a line took: a cell for each of `COLUMNS`, and one a counter.

    Of a call: calls of all ranks, their share of the run, mean and standard
    deviation of their time, computation before, lateness of partners, the longest
    call and its rank. Of a loop: iterations of all ranks, the calls' share, mean and
    standard deviation of an iteration, the longest one, its rank and which it is.
    """
    kind, counted = known.lines[number].kind, ("",) * len(known.metrics.names)
    figures = ("",) * (len(COLUMNS) - 1)
    if kind == "call":
        statement = known.lines[number].first
        figures, counted = _of_call(known, statement), known.metrics.texts(statement)
    elif kind == "loop":
        figures = _of_loop(known, known.loop_of[number])
    return figures[0], f"{100 * known.shares[number]:.1f} %", *figures[1:], *counted


def slowest_rank(known: MeasuredLines, statement: int) -> int:
    """Rank whose call of a statement took longest, -1 if there is no call."""
    call = known.statements.slowest[statement]
    rows = np.searchsorted(known.trace.calls.offsets, call, side="right")
    return int(rows) - 1 if call >= 0 else -1


def places_text(places: Sequence[str]) -> str:
    """Write source lines: ``solve.c:120, solve.c:131``; empty if there are none."""
    told = ", ".join(places[:MAX_SOURCE_LINES])
    rest = len(places) - MAX_SOURCE_LINES
    return f"{told} and {rest} more" if rest > 0 else told


def _of_call(known: MeasuredLines, s: int) -> tuple[str, ...]:
    figures, second = known.statements, 1 / known.trace.clock.resolution
    if not figures.calls[s]:
        return ("",) * (len(COLUMNS) - 1)
    late = ""
    if figures.late is not None and figures.waiting[s]:
        late = duration_text(float(figures.late.mean[s]) * second)
    return (
        str(figures.calls[s]),
        duration_text(float(figures.spent.mean[s]) * second),
        duration_text(float(figures.spent.deviation[s]) * second),
        duration_text(float(figures.before.mean[s]) * second),
        late,
        duration_text(float(figures.spent.most[s]) * second),
        f"rank {slowest_rank(known, s)}",
    )


def _of_loop(known: MeasuredLines, k: int) -> tuple[str, ...]:
    loops, second = known.loops, 1 / known.trace.clock.resolution
    if not loops.iterations[k]:
        return ("",) * (len(COLUMNS) - 1)
    return (
        f"{loops.iterations[k]} it.",
        duration_text(float(loops.mean[k]) * second),
        duration_text(float(loops.deviation[k]) * second),
        "",
        "",
        duration_text(float(loops.most[k]) * second),
        f"rank {loops.slowest_rank[k]}, {ordinal_text(int(loops.slowest[k]) + 1)}",
    )


def line_summary(known: MeasuredLines, number: int) -> str:
    """Say what a line took in one sentence: what tooltips show."""
    line = known.lines[number]
    if line.kind == "call":
        return ", ".join(_call_summary(known, line.first))
    if line.kind == "loop" and known.loops.iterations[known.loop_of[number]]:
        loops, k = known.loops, known.loop_of[number]
        _, mean, deviation, *_, longest, _ = _of_loop(known, k)
        return (
            f"{plural(int(loops.iterations[k]), 'iteration')}, mean {mean} ± "
            f"{deviation}, longest {longest}: number {loops.slowest[k] + 1} of rank "
            f"{loops.slowest_rank[k]}"
        )
    return line.text


def _call_summary(known: MeasuredLines, s: int) -> list[str]:
    figures = known.statements
    calls, mean, deviation, before, late, longest, rank = _of_call(known, s)
    words = [
        f"{plural(figures.calls[s], 'call')} of {plural(figures.ranks[s], 'rank')}"
    ]
    if calls:
        words.append(f"mean {mean} ± {deviation}")
        words.append(f"longest {longest}: {rank}")
        words.append(f"computation before {before}")
    for size, way in ((figures.sent[s], "sent"), (figures.received[s], "received")):
        words += [f"{size} B {way}"] if size else []
    words += [f"partners {late} late"] if late else []
    counted = zip(known.metrics.names, known.metrics.texts(s), strict=True)
    words += [f"{name} before {text}" for name, text in counted if text]
    places = places_text(known.places[s])
    return [*words, f"called in {places}"] if places else words


INDENT = "    "
HOT_SHARE = 0.05
"""Share of the run from which a line stands out."""


def timed_listing(
    known: MeasuredLines,
    shown: Bools | None = None,
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
    shown : bool, shape (lines,)
        Lines to show; None: all.
    burst
        Seconds; where ranks compute longer before a call on average, a line of
        its own tells.
    numbers
        Whether lines are numbered.
    """
    kept = np.ones(len(known.lines), bool) if shown is None else shown
    if not kept.any():
        return NO_LINES.format(lines=plural(len(kept), "line"))
    further = known.metrics.names
    rows: list[tuple[str, ...]] = [(*TITLES, *further, "statement")]
    for number in np.flatnonzero(kept).tolist():
        line = known.lines[number]
        before = _computed(known, line)
        if burst and line.kind == "call" and before >= burst:
            text = f"{INDENT * line.depth}compute {duration_text(before)}"
            rows.append((*("",) * (len(TITLES) + len(further)), text))
        rows.append(_row(known, number, line, numbers=numbers))
    hidden = len(known.lines) - int(kept.sum())
    text = _columns(rows)
    return text + (f"\n# not shown: {plural(hidden, 'line')}" if hidden else "")


NO_LINES = "# none of the {lines} passes what is to be found"
"""What is told where a filter leaves no line."""

TITLES = ("line", *COLUMNS)


def _row(
    known: MeasuredLines, number: int, line: Line, *, numbers: bool
) -> tuple[str, ...]:
    calls, share, *further = cells(known, number)
    is_hot = known.shares[number] >= HOT_SHARE and line.kind != "block"
    text = INDENT * line.depth + line.text
    if line.kind == "call" and known.places[line.first]:
        text += f"  at {places_text(known.places[line.first])}"
    place = str(number + 1) if numbers else ""
    return (place, calls, share + ("*" if is_hot else " "), *further, text)


def _computed(known: MeasuredLines, line: Line) -> float:
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
