"""A plan on a page: its axes, waiting and messages along each, and who comes last."""

from typing import Final

import numpy as np

from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.tables.statistics.by_group import Statistics, StatisticsRequest
from topoview.model import Analysis, Plan, Span
from topoview.report.blocks import Block, Page, Paragraph, TableBlock
from topoview.report.profile import span_line

MAX_STRAGGLERS: Final = 12
"""Ranks that come last whose rows are written."""


def plan_page(analysis: Analysis) -> Page:
    """Describe the plan of a run, as far as its results are there.

    What an axis costs is the time in which ranks wait for others along it. A rank's row
    tells of how many collective operations it was the last and the first one, and how
    long others waited where it was the last.
    """
    assert analysis.identification is not None
    plan = analysis.identification.plan
    assert plan is not None
    statistics = Statistics(StatisticsRequest(analysis))
    sizes = " \u00d7 ".join(str(axis.size) for axis in plan.axes)
    place = tr(
        "{sizes} = {ranks}: each rank has one place",
        sizes=sizes,
        ranks=analysis.trace.ranks,
    )
    blocks: list[Block] = [_axes(plan, analysis.trace.ranks), Paragraph(place)]
    if analysis.outline is not None:
        span = Span("exchange", *analysis.outline.exchange)
        blocks.append(Paragraph(span_line(analysis.trace, span)))
    if analysis.wait_sums is not None and analysis.wait_sums.by_axis.any():
        blocks.append(_waiting(analysis))
    if len(analysis.trace.messages):
        blocks.append(_messages(statistics))
    if analysis.waits is not None and len(analysis.trace.collectives.call):
        blocks.append(_stragglers(statistics, plan))
    return Page(blocks=tuple(blocks))


def _axes(plan: Plan, ranks: int) -> TableBlock:
    return TableBlock(
        name="axes",
        caption="",
        head=(tr("axis"), f" {tr('runs on it')}", tr("groups")),
        rows=tuple(
            (
                f"{axis.name} {axis.size}",
                ", ".join(axis.by),
                grouped(ranks // axis.size),
            )
            for axis in plan.axes
        ),
    )


def _waiting(analysis: Analysis) -> TableBlock:
    sums, second = analysis.wait_sums, analysis.trace.clock.resolution
    assert sums is not None
    order = np.argsort(-sums.by_axis, kind="stable")
    return TableBlock(
        name="waits",
        caption=tr("Waiting by axis"),
        head=(tr("axis"), tr("time")),
        rows=tuple(
            (sums.axes[k], duration_text(int(sums.by_axis[k]) / second))
            for k in order.tolist()
            if sums.by_axis[k]
        ),
    )


def _messages(statistics: Statistics) -> TableBlock:
    table = statistics.table("axis")
    return TableBlock(
        name="messages",
        caption=tr("Messages by axis"),
        head=(tr("axis"), tr("messages"), tr("bytes")),
        rows=tuple(
            (axis, grouped(count), size_text(volume))
            for axis, count, volume in zip(
                table["axis"].tolist(),
                table["messages"].tolist(),
                table["bytes"].tolist(),
                strict=True,
            )
        ),
    )


def _stragglers(statistics: Statistics, plan: Plan) -> TableBlock:
    last, first = statistics.table("last"), statistics.table("first")
    ahead = dict(
        zip(first["first"].tolist(), first["operations"].tolist(), strict=True)
    )
    order = np.argsort(-last["wait"], kind="stable").tolist()
    letters = ", ".join(axis.name[0] for axis in plan.axes)
    rows = tuple(
        (
            f"{rank}",
            ", ".join(map(str, plan.coordinates[rank].tolist())),
            grouped(int(last["operations"][k])),
            grouped(ahead.get(rank, 0)),
            duration_text(float(last["wait"][k])),
        )
        for k in order[:MAX_STRAGGLERS]
        for rank in (int(last["last"][k]),)
    )
    return TableBlock(
        name="stragglers",
        caption=tr(
            "Stragglers of {operations}",
            operations=plural(int(last["operations"].sum()), "collective operation"),
        ),
        head=(tr("rank"), letters, tr("last"), tr("first"), tr("caused")),
        rows=rows,
        rest=len(order) - len(rows),
    )
