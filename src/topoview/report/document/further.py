"""Sections on what the trace alone does not tell: network, another run, own notes."""

from collections.abc import Sequence

from topoview.analysis.comparing.runs import Change, Row
from topoview.base.text import one_line
from topoview.report.blocks import (
    NBSP,
    Block,
    Command,
    Figure,
    Paragraph,
    TableBlock,
    costliest,
)
from topoview.report.document.facts import Facts
from topoview.report.network import network_blocks
from topoview.report.run_comparison import (
    aligned_text,
    cause_text,
    efficiency_rows,
    rule_text,
    run_table,
    titled_rows,
    waiting_text,
)

COMPARED_BY = ("statement", "direction", "plane", "iteration")
"""Tables of a comparison in a report; the command has all."""

MAX_COMPARED = 12
"""Rows of each."""


def machine_blocks(facts: Facts) -> tuple[Block, ...]:
    """Tell what goes over the machine's links; nothing where no nodes are known."""
    loads = facts.loads
    if loads is None:
        return ()
    return (
        *network_blocks(loads),
        Command(facts.command("network", *facts.machine)),
        Command(facts.command("map", *facts.machine)),
    )


def comparison_blocks(facts: Facts) -> tuple[Block, ...]:
    """Hold the run (A) against another one (B)."""
    comparison = facts.compared
    if comparison is None:
        return ()
    texts = (
        f"A is this run, B is {one_line(comparison.names[1])}. "
        f"{aligned_text(comparison)}",
        waiting_text(comparison),
    )
    causes = tuple((cause_text(cause),) for cause in comparison.causes[:MAX_COMPARED])
    blocks: list[Block] = [
        *(Paragraph(text) for text in texts if text),
        TableBlock(
            "causes",
            "Differences in what ranks do on their own, the largest first.",
            ("",),
            causes,
        ),
        TableBlock(
            "compared-efficiency",
            "Efficiency.",
            ("", "A", "B", "B \u2212 A"),
            tuple(efficiency_rows(comparison.efficiency)),
        ),
    ]
    for by in COMPARED_BY:
        rows = comparison.rows[by]
        chosen = costliest(
            [sum(abs(c.difference) for c in _seconds(row)) for row in rows],
            [row.depth for row in rows],
            MAX_COMPARED,
        )
        head, *cells_of = titled_rows(run_table(comparison, by, chosen))
        caption = f"By {by}, of the mean rank."
        if len(chosen) < len(rows):
            caption = f"By {by}, of the mean rank: what differs most."
        blocks.append(
            TableBlock(
                f"compared-{by}s",
                caption,
                head,
                tuple(
                    (f"{NBSP * (3 * rows[k].depth)}{name.strip()}", *cells)
                    for k, (name, *cells) in zip(chosen, cells_of, strict=True)
                ),
                mono=by == "statement",
            )
        )
        if rows:
            blocks.append(Command(facts.command("compare", facts.other, "--by", by)))
    return (*blocks, Paragraph(rule_text(comparison)))


def _seconds(row: Row) -> list[Change]:
    """List how times differ."""
    return [change for name, change in row.changes.items() if name != "bytes"]


def kept_blocks(
    kept: Sequence[tuple[str, str]], notes: Sequence[tuple[str, str, str]]
) -> tuple[Block, ...]:
    """Show what the user has kept: pictures with their captions, and notes."""
    return (
        *(Figure(name, caption, 560) for name, caption in kept),
        TableBlock("notes", "Notes.", ("rank", "time", " note"), tuple(notes)),
    )
