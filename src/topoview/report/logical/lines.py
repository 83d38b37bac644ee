"""Lines of a logical trace in words, and what each took: cells, text, tooltips."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview import model
from topoview.base.text import (
    column_lines,
    duration_text,
    ordinal_text,
    plural,
    size_text,
    tr,
)
from topoview.logical.functions.nesting import functions_text
from topoview.logical.listing import call_tokens, lines, listing

if TYPE_CHECKING:
    from topoview.report.waits.pages import LineWaits

COLUMNS: Final = {
    "calls": tr("calls"),
    "share": tr("share"),
    "mean": tr("mean"),
    "+-": "±",
    "compute": tr("computation before"),
    "late": tr("partners late"),
    "longest": tr("longest"),
    "where": tr("where"),
}
"""Titles in the text, and what the page has instead."""

LINES: Final = model.Schema(
    model.Column("line", "#"),
    model.Column("statement", "", tr("statement"), ordered=True),
    model.Column("seconds", "s", tr("time")),
    model.Column("share", "share", tr("share")),
    model.Column("wait_seconds", "s", tr("wait")),
    model.Column("caused_seconds", "s", tr("caused")),
)
"""Of the lines as they are copied and saved; times are of all ranks."""

CALL_KINDS: Final = ("call", "each")
"""Kinds of the lines that are calls: one, or several that are read as one."""

MAX_SOURCE_LINES: Final = 3
"""Source lines of a statement that are told one by one."""


def logical_lines(analysis: model.Analysis | None) -> tuple[model.Line, ...]:
    """Lines of the logical trace, none before there is one."""
    if analysis is None or analysis.logical is None:
        return ()
    if analysis.measured is not None:
        return analysis.measured.lines
    return lines(analysis.logical)


def logical_text(logical: model.LogicalTrace) -> str:
    """Write a logical trace without times, as ``topoview logical`` does."""
    return listing(logical)


def folded_heads(
    lines: Sequence[model.Line], shown: model.Bools | None = None
) -> list[int]:
    """Lines whose calls are read as one: those of which no call is left out.

    Parameters
    ----------
    shown : bool, shape (lines,)
        Lines that are shown; None: all.
    """
    return [
        number
        for number, line in enumerate(lines)
        if line.kind == "each" and (shown is None or shown[number : line.end].all())
    ]


def folded_lines(
    lines: Sequence[model.Line], shown: model.Bools | None = None
) -> model.Bools:
    """Return which lines are read in that of their head, bool, shape (lines,)."""
    result = np.zeros(len(lines), bool)
    for number in folded_heads(lines, shown):
        result[number + 1 : lines[number].end] = True
    return result


def call_words(call: model.Call, line: model.Line) -> tuple[model.Token, ...]:
    """Words of a call, with the condition that its line is."""
    words = call_tokens(call)
    return (*words, ("if", "dim"), line.tokens[1]) if line.kind == "when" else words


def grouped_call_words(call: model.Call, count: int) -> tuple[model.Token, ...]:
    """Words of so many calls that are alike but for their partners."""
    partners = f"{count} neighbours"
    return call_tokens(
        replace(
            call,
            to=None if call.to is None else partners,
            source=None if call.source is None else partners,
        )
    )


def call_path_text(line: model.Line) -> str:
    """Functions that a line's call is made in: ``ssor > rhs``."""
    call = line.statement
    return functions_text(call.path) if isinstance(call, model.Call) else ""


def cells(measured: model.MeasuredLines, number: int) -> tuple[str, ...]:
    """Return the cells of a line's times: one for each of `COLUMNS`, and one a counter.

    Of a call, and of calls that are read as one: calls of all ranks, their share of
    the run, mean and standard deviation of their time, computation before, lateness
    of partners, the longest call and its rank. Of a loop: iterations of all ranks, the
    calls' share, mean and standard deviation of an iteration, the longest one, its rank
    and which it is.
    """
    line, counted = measured.lines[number], ("",) * len(measured.metrics.names)
    figures = ("",) * (len(COLUMNS) - 1)
    if line.kind in CALL_KINDS:
        figures = _of_calls(measured, line)
    if line.kind == "call":
        counted = measured.metrics.texts(line.first)
    elif line.kind == "loop":
        figures = _of_loop(measured, measured.loop_of[number])
    return figures[0], f"{100 * measured.shares[number]:.1f} %", *figures[1:], *counted


def slowest_rank(measured: model.MeasuredLines, statement: int) -> int:
    """Rank whose call of a statement took longest, -1 if there is no call."""
    call = measured.statements.slowest[statement]
    rows = np.searchsorted(measured.trace.calls.offsets, call, side="right")
    return int(rows) - 1 if call >= 0 else -1


def places_text(places: Sequence[str]) -> str:
    """Write source lines: ``solve.c:120, solve.c:131``; empty if there are none."""
    text = ", ".join(places[:MAX_SOURCE_LINES])
    rest = len(places) - MAX_SOURCE_LINES
    return tr("{text} and {rest} more", text=text, rest=rest) if rest > 0 else text


def line_places(measured: model.MeasuredLines, line: model.Line) -> str:
    """Write the source lines of a line's calls; of other lines nothing."""
    if line.kind not in CALL_KINDS:
        return ""
    own = (place for some in measured.places[line.first : line.last] for place in some)
    return places_text(tuple(dict.fromkeys(own)))


def _of_calls(measured: model.MeasuredLines, line: model.Line) -> tuple[str, ...]:
    figures, second = measured.statements, 1 / measured.trace.clock.resolution
    own = slice(line.first, line.last)
    calls = figures.calls[own]
    if not calls.sum():
        return ("",) * (len(COLUMNS) - 1)
    late, waiting = "", figures.waiting[own]
    if figures.late is not None and waiting.sum():
        late = duration_text(_moments(figures.late, own, waiting)[0] * second)
    mean, deviation = _moments(figures.spent, own, calls)
    longest = line.first + int(figures.spent.most[own].argmax())
    return (
        str(calls.sum()),
        duration_text(mean * second),
        duration_text(deviation * second),
        duration_text(_moments(figures.before, own, calls)[0] * second),
        late,
        duration_text(float(figures.spent.most[longest]) * second),
        tr("rank {slowest_rank}", slowest_rank=slowest_rank(measured, longest)),
    )


def _moments(
    spread: model.TimeSpread, own: slice, calls: model.Ints
) -> tuple[float, float]:
    """Mean and standard deviation over the calls of some statements, in ticks."""
    means = spread.mean[own]
    mean = float(np.average(means, weights=calls))
    squares = spread.deviation[own] ** 2 + (means - mean) ** 2
    return mean, float(np.sqrt(np.average(squares, weights=calls)))


def _of_loop(measured: model.MeasuredLines, k: int) -> tuple[str, ...]:
    loops, second = measured.loops, 1 / measured.trace.clock.resolution
    if not loops.iterations[k]:
        return ("",) * (len(COLUMNS) - 1)
    return (
        tr("{iteration} it.", iteration=loops.iterations[k]),
        duration_text(float(loops.mean[k]) * second),
        duration_text(float(loops.deviation[k]) * second),
        "",
        "",
        duration_text(float(loops.most[k]) * second),
        tr(
            "rank {slowest_rank}, {ordinal}",
            slowest_rank=loops.slowest_rank[k],
            ordinal=ordinal_text(int(loops.slowest[k])),
        ),
    )


def line_summary(measured: model.MeasuredLines, number: int) -> str:
    """Describe what a line took in one sentence: what tooltips show."""
    line = measured.lines[number]
    if line.kind in CALL_KINDS:
        return ", ".join(_call_summary(measured, line))
    if line.kind == "loop" and measured.loops.iterations[measured.loop_of[number]]:
        loops, k = measured.loops, measured.loop_of[number]
        _, mean, deviation, *_, longest, _ = _of_loop(measured, k)
        return tr(
            "{iterations}, mean {mean} ± "
            "{deviation}, longest {longest}: number {slowest} of rank "
            "{slowest_rank}",
            iterations=plural(int(loops.iterations[k]), "iteration"),
            mean=mean,
            deviation=deviation,
            longest=longest,
            slowest=loops.slowest[k],
            slowest_rank=loops.slowest_rank[k],
        )
    return line.text


def _call_summary(measured: model.MeasuredLines, line: model.Line) -> list[str]:
    figures, own = measured.statements, slice(line.first, line.last)
    calls, mean, deviation, before, late, longest, rank = _of_calls(measured, line)
    ranks = plural(_ranks_in(measured, line), "rank")
    words = [
        tr(
            "{calls} of {ranks}",
            calls=plural(int(figures.calls[own].sum()), "call"),
            ranks=ranks,
        )
    ]
    if calls:
        words.append(tr("mean {mean} ± {deviation}", mean=mean, deviation=deviation))
        words.append(tr("longest {longest}: {rank}", longest=longest, rank=rank))
        words.append(tr("computation before {before}", before=before))
    sent, received = (int(each[own].sum()) for each in (figures.sent, figures.received))
    words += [tr("{size} sent", size=size_text(sent))] if sent else []
    words += [tr("{size} received", size=size_text(received))] if received else []
    words += [tr("partners {late} late", late=late)] if late else []
    if line.kind == "call":
        counted = zip(
            measured.metrics.names, measured.metrics.texts(line.first), strict=True
        )
        words += [
            tr("{name} before {text}", name=name, text=text)
            for name, text in counted
            if text
        ]
    places = line_places(measured, line)
    return [*words, tr("called in {places}", places=places)] if places else words


def _ranks_in(measured: model.MeasuredLines, line: model.Line) -> int:
    """Count the ranks that make any of a line's calls."""
    if line.last - line.first == 1:
        return int(measured.statements.ranks[line.first])
    statement = measured.logical.statement_of_call
    call = np.flatnonzero((statement >= line.first) & (statement < line.last))
    offsets = measured.trace.calls.offsets
    return len(np.unique(np.searchsorted(offsets, call, side="right")))


INDENT = "    "
HOT_SHARE = 0.05
"""Share of the run from which a line stands out."""


def timed_listing(
    measured: model.MeasuredLines,
    shown: model.Bools | None = None,
    waits: "LineWaits | None" = None,
    *,
    burst: float = 0.0,
    spell: bool = False,
) -> str:
    """Write the lines of a logical trace with their times.

    Columns: the line's number, what it took (`cells`; ``*`` where its calls take 5 %
    or more of the run), what each recorded counter counted in the computation before,
    and the line, with the source lines of its calls where the trace tells them.

    Parameters
    ----------
    shown : bool, shape (lines,)
        Lines to show; None: all.
    waits
        What lines waited and caused: two further columns.
    burst
        Seconds; where ranks compute longer before a call on average, a line of
        its own tells.
    spell
        Whether calls that are read as one are written out, too.
    """
    kept = np.ones(len(measured.lines), bool) if shown is None else shown
    if not kept.any():
        return NO_LINES.format(lines=plural(len(kept), "line"))
    further = (*WAIT_TITLES[: 2 * (waits is not None)], *measured.metrics.names)
    rows: list[tuple[str, ...]] = [(*TITLES, *further, "statement")]
    folded = np.zeros(len(kept), bool) if spell else folded_lines(measured.lines, kept)
    for number in np.flatnonzero(kept & ~folded).tolist():
        line = measured.lines[number]
        before = _computed(measured, line)
        if burst and line.kind == "call" and before >= burst:
            text = f"{INDENT * line.depth}compute {duration_text(before)}"
            rows.append((*("",) * (len(TITLES) + len(further)), text))
        rows.append(_row(measured, number, line, waits))
    hidden = len(measured.lines) - int(kept.sum())
    left = [*(False for _ in rows[0][1:]), True]
    text = "\n".join(column_lines(rows, left=left))
    return text + (f"\n# not shown: {plural(hidden, 'line')}" if hidden else "")


NO_LINES = "# none of the {lines} passes what is to be found"
"""What is told where a filter leaves no line."""

TITLES = ("line", *COLUMNS)


WAIT_TITLES = ("wait", "caused")


def _row(
    measured: model.MeasuredLines,
    number: int,
    line: model.Line,
    waits: "LineWaits | None",
) -> tuple[str, ...]:
    calls, share, *further = cells(measured, number)
    if waits is not None:
        ticks = int(waits.waited[number]), int(waits.caused[number])
        times = (
            duration_text(measured.trace.clock.seconds(t)) if t else "" for t in ticks
        )
        further[len(COLUMNS) - 2 : len(COLUMNS) - 2] = times
    is_hot = measured.shares[number] >= HOT_SHARE and line.kind != "block"
    text = INDENT * line.depth + line.text
    if places := line_places(measured, line):
        text += f"  at {places}"
    return (str(number + 1), calls, share + ("*" if is_hot else " "), *further, text)


def _computed(measured: model.MeasuredLines, line: model.Line) -> float:
    if line.kind != "call":
        return 0.0
    return float(measured.statements.before.mean[line.first]) / (
        measured.trace.clock.resolution
    )
