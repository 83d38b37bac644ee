"""A logical trace, and a comparison of two, as one HTML file that needs no others.

Pages are made of the templates in ``resources/html``.
"""

import base64
import hashlib
from typing import Any

from topoview.analysis.comparing.runs import RunComparison
from topoview.base.resources import resource
from topoview.base.text import one_line, plural
from topoview.logical.listing import about
from topoview.model import MeasuredLines
from topoview.report.logical import comparison as logical_comparison
from topoview.report.logical.lines import (
    CALL_KINDS,
    COLUMNS,
    HOT_SHARE,
    cells,
    line_places,
    line_summary,
)
from topoview.report.run_comparison import comparison_blocks


def fill_template(template: str, script: str = "", **values: object) -> str:
    """Fill a template in.

    Parameters
    ----------
    template
        Name of its file. Templates are Jinja's; what stands in ``values`` is text
        and is escaped.
    script
        Name of the file of the only script that browsers are to run; empty: none.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    code = resource("html", script).read_text("utf-8") if script else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()

    environment = Environment(
        loader=FileSystemLoader(resource("html")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_spelt,
    )
    return environment.get_template(template).render(
        values, script=Markup(code), script_digest=digest
    )


def _spelt(value: object) -> object:
    """Spell what would break, hide or turn a line of text: names come from traces."""
    from markupsafe import Markup

    if isinstance(value, str) and not isinstance(value, Markup):
        return one_line(value)
    return value


def page(measured: MeasuredLines) -> str:
    """Write a page: the program with its times; loops fold, a field finds lines."""
    return fill_template(
        "logical.html",
        "logical.js",
        title=f"Logical trace of {measured.trace.name}",
        head=[
            one for one in (*about(measured.logical), measured.metrics.absent) if one
        ],
        columns=[*COLUMNS.values(), *measured.metrics.names],
        places=any(measured.places),
        rows=[_row(measured, number) for number in range(len(measured.lines))],
    )


def _row(measured: MeasuredLines, number: int) -> dict[str, Any]:
    line, share = measured.lines[number], float(measured.shares[number])
    is_call = line.kind in CALL_KINDS
    return {
        "line": line,
        "cells": cells(measured, number),
        "share": 100 * share,
        "hot": is_call and share >= HOT_SHARE,
        "tip": line_summary(measured, number),
        "places": line_places(measured, line),
    }


def side_by_side(
    comparison: logical_comparison.Comparison,
    names: tuple[str, str],
    around: int = 3,
    runs: RunComparison | None = None,
) -> str:
    """Write a page: two logical traces side by side, what differs in colour.

    Parameters
    ----------
    around
        Lines whose words are the same to show before and after a difference;
        further ones are counted.
    runs
        How the runs differ in time.
    """
    rows = logical_comparison.shorten(comparison.changes, around)
    return fill_template(
        "comparison.html",
        title="Logical traces of " + " and ".join(names),
        summary=logical_comparison.summary_text(comparison),
        sides=[
            f"{name}: {plural(ranks, 'rank')}, {plural(statements, 'statement')}"
            for name, ranks, statements in zip(
                names, comparison.ranks, comparison.statements, strict=True
            )
        ],
        rows=[
            {
                "skipped": str(row)
                if isinstance(row, logical_comparison.SkippedLines)
                else "",
                "change": row,
            }
            for row in rows
        ],
        signs=logical_comparison.SIGN_OF_KIND,
        times=() if runs is None else comparison_blocks(runs),
    )
