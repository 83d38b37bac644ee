"""The scaling of a program over several runs, as a table, a page and JSON."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from topoview.analysis.comparing.scaling import ScalingPoint
from topoview.base.text import NOT_KNOWN, duration_text, plural
from topoview.model import Column, ColumnData, Schema, Table, words
from topoview.report.blocks import Heading, Page, Paragraph, table_block
from topoview.report.run_comparison import COUNTED, SCALING_FIELDS, SCALING_SHOWN
from topoview.report.waits.tables import EFFICIENCY_NAMES
from topoview.report.write import record

SCALING: Final = Schema(
    Column("name", "", "trace"),
    Column("ranks"),
    Column("iterations"),
    Column("seconds", "s", "time"),
    Column("computation_seconds", "s"),
    Column("speed_up", "", "speed-up", missing=NOT_KNOWN),
    *(
        Column(name, "share", title, missing=NOT_KNOWN)
        for name, title in {
            "global_efficiency": "",
            "computation_scalability": "computation",
            "instruction_scalability": "instructions",
            "ipc_scalability": "IPC",
            "frequency_scalability": "frequency",
            **dict.fromkeys(EFFICIENCY_NAMES, ""),
        }.items()
    ),
)


def scaling_table(points: Sequence[ScalingPoint]) -> Table:
    """List runs by ranks: a row a run."""
    data: dict[str, ColumnData] = {"name": words([point.name for point in points])}
    for column, field in SCALING_FIELDS.items():
        data[column] = np.array([getattr(point, field) for point in points])
    for name in EFFICIENCY_NAMES:
        values = [getattr(point.efficiency, name, math.nan) for point in points]
        data[name] = np.array(values)
    return Table(SCALING, data)


def scaling_headline(kind: str, points: Sequence[ScalingPoint]) -> str:
    """Describe how far it scales."""
    first, last = points[0], points[-1]
    what = "an iteration" if all(p.iterations for p in points) else "the run"
    faster = ""
    if not math.isnan(last.speed_up):
        times = last.ranks / max(first.ranks, 1)
        faster = f", a speed-up of {last.speed_up:.2f} on {times:.3g} times the ranks"
    return (
        f"{kind.capitalize()} scaling from {first.ranks} to "
        f"{plural(last.ranks, 'rank')}: {what} takes {duration_text(first.seconds)} "
        f"on the fewest and {duration_text(last.seconds)} on the most{faster}."
    )


def scaling_page(
    kind: str, points: Sequence[ScalingPoint], listings: tuple[str, Table]
) -> Page:
    """Return how runs scale, and how their listings differ: sentences and tables."""
    table = scaling_table(points)
    counted = (name for name in COUNTED if not np.isnan(table[name]).all())
    listed = table_block("scaling", "", table.select(*SCALING_SHOWN, *counted))
    head = Paragraph(scaling_headline(kind, points))
    said, lines = listings
    differing = [table_block("sizes", "", lines)] if len(lines) else []
    return Page(
        blocks=(head, Heading(""), listed, Heading(""), Paragraph(said), *differing)
    )


def scaling_record(
    kind: str, points: Sequence[ScalingPoint], listings: tuple[str, Table]
) -> dict[str, Any]:
    """Describe how runs scale, and how listings differ, as JSON-able values."""
    said, lines = listings
    return {
        "kind": kind,
        "runs": record(scaling_table(points)),
        "listings": said,
        "lines": record(lines),
    }


def scaling_lines(
    points: Sequence[ScalingPoint],
) -> list[tuple[int, tuple[float, ...]]]:
    """Return the ranks of each run and its efficiencies, as they are drawn.

    Global, parallel, load balance, serialisation, transfer, computation.
    """
    names = ("parallel", "load_balance", "serialisation", "transfer")
    return [
        (
            point.ranks,
            (
                point.whole,
                *(getattr(point.efficiency, name, math.nan) for name in names),
                point.computation,
            ),
        )
        for point in points
    ]
