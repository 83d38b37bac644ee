"""Sections on what the trace alone does not tell: network, another run, own notes."""

from collections.abc import Sequence

from topoview.base.text import one_line
from topoview.report.blocks import Block, Command, Figure, Paragraph, TableBlock
from topoview.report.document.facts import Facts
from topoview.report.network import network_blocks
from topoview.report.run_comparison import comparison_blocks

COMPARED_BY = ("statement", "direction", "plane", "iteration")
"""Tables of a comparison in a report; the command has all."""

MAX_COMPARED = 12
"""Rows of each."""


def machine_blocks(facts: Facts) -> tuple[Block, ...]:
    """Show what goes over the machine's links; nothing where no nodes are known."""
    loads = facts.loads
    if loads is None:
        return ()
    return (
        *network_blocks(loads),
        Command(facts.command("network", *facts.machine)),
        Command(facts.command("map", *facts.machine)),
    )


def compared_blocks(facts: Facts) -> tuple[Block, ...]:
    """Hold the run (A) against another one (B)."""
    comparison = facts.compared
    if comparison is None:
        return ()

    def command(by: str) -> str:
        return facts.command("compare", facts.other, "--by", by)

    return (
        Paragraph(f"A is this run, B is {one_line(comparison.names[1])}."),
        *comparison_blocks(comparison, COMPARED_BY, MAX_COMPARED, command),
    )


def kept_blocks(
    kept: Sequence[tuple[str, str]], notes: Sequence[tuple[str, str, str]]
) -> tuple[Block, ...]:
    """Show what the user has kept: pictures with their captions, and notes."""
    return (
        *(Figure(name, caption, 560) for name, caption in kept),
        TableBlock("notes", "Notes.", ("rank", "time", " note"), tuple(notes)),
    )
