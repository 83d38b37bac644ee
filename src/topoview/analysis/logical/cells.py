"""What a line took in words: the columns of the text and the page, and tooltips."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview.logical.words import duration_text, ordinal, plural

if TYPE_CHECKING:
    from topoview.analysis.logical.times import Measured

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

PLACES: Final = 3
"""Source lines of a statement that are told one by one."""


def cells(known: "Measured", number: int) -> tuple[str, ...]:
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


def slowest_rank(known: "Measured", statement: int) -> int:
    """Rank whose call of a statement took longest, -1 if there is no call."""
    call = known.statements.slowest[statement]
    rows = np.searchsorted(known.trace.calls.offsets, call, side="right")
    return int(rows) - 1 if call >= 0 else -1


def places_text(places: Sequence[str]) -> str:
    """Write source lines: ``solve.c:120, solve.c:131``; empty if there are none."""
    told = ", ".join(places[:PLACES])
    rest = len(places) - PLACES
    return f"{told} and {rest} more" if rest > 0 else told


def _of_call(known: "Measured", s: int) -> tuple[str, ...]:
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


def _of_loop(known: "Measured", k: int) -> tuple[str, ...]:
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
        f"rank {loops.slowest_rank[k]}, {ordinal(int(loops.slowest[k]) + 1)}",
    )


def told(known: "Measured", number: int) -> str:
    """Say what a line took in one sentence: what tooltips show."""
    line = known.lines[number]
    if line.kind == "call":
        return ", ".join(_call_told(known, line.first))
    if line.kind == "loop" and known.loops.iterations[known.loop_of[number]]:
        loops, k = known.loops, known.loop_of[number]
        _, mean, deviation, *_, longest, _ = _of_loop(known, k)
        return (
            f"{plural(int(loops.iterations[k]), 'iteration')}, mean {mean} ± "
            f"{deviation}, longest {longest}: number {loops.slowest[k] + 1} of rank "
            f"{loops.slowest_rank[k]}"
        )
    return line.text


def _call_told(known: "Measured", s: int) -> list[str]:
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
