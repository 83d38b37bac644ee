"""A logical trace, and a comparison of two, as one HTML file that needs no others."""

from typing import Any

from topoview.analysis.logical.cells import COLUMNS, cells, places_text, told
from topoview.analysis.logical.times import HOT, Measured
from topoview.analysis.templates import render
from topoview.logical.diff import (
    SIGNS,
    Comparison,
    Skipped,
    shortened,
    summary,
)
from topoview.logical.listing import about
from topoview.logical.words import plural


def page(known: Measured) -> str:
    """Write a page: the program with its times; loops fold, a field finds lines."""
    return render(
        "logical.html",
        title=f"Logical trace of {known.trace.name}",
        head=[one for one in (*about(known.logical), known.metrics.absent) if one],
        columns=[*COLUMNS.values(), *known.metrics.names],
        places=any(known.places),
        rows=[_row(known, number) for number in range(len(known.lines))],
    )


def _row(known: Measured, number: int) -> dict[str, Any]:
    line, share = known.lines[number], float(known.shares[number])
    is_call = line.kind == "call"
    return {
        "line": line,
        "cells": cells(known, number),
        "share": 100 * share,
        "hot": is_call and share >= HOT,
        "tip": told(known, number),
        "places": places_text(known.places[line.first]) if is_call else "",
    }


def comparison_page(found: Comparison, names: tuple[str, str], around: int = 3) -> str:
    """Write a page: two logical traces side by side, what differs in colour.

    Parameters
    ----------
    around
        Lines whose words are the same to show before and after a difference;
        further ones are counted.
    """
    rows = shortened(found.changes, around)
    return render(
        "comparison.html",
        title="Logical traces of " + " and ".join(names),
        summary=summary(found),
        sides=[
            f"{name}: {plural(ranks, 'rank')}, {plural(statements, 'statement')}"
            for name, ranks, statements in zip(
                names, found.ranks, found.statements, strict=True
            )
        ],
        rows=[
            {"skipped": str(row) if isinstance(row, Skipped) else "", "change": row}
            for row in rows
        ],
        signs=SIGNS,
    )
