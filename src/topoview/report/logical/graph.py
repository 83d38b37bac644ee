"""The structure of a logical trace as a picture: Graphviz, and SVG of its own."""

import html
from itertools import pairwise

import numpy as np

from topoview.model import Line, MeasuredLines
from topoview.report.logical.lines import (
    CALL_KINDS,
    HOT_SHARE,
    folded_lines,
    line_summary,
)

ROW = 22
INDENT = 18
CHARACTER = 7.3
"""Width of a letter of 12 pixels in a fixed-width font."""

LEAF_KINDS = (*CALL_KINDS, "use")
"""Kinds of the lines that are a row; others frame what belongs to them."""

BAR = 90
PAD = 6


def graphviz(measured: MeasuredLines) -> str:
    """Write the structure for Graphviz: calls in order, loops as boxes around them."""
    rows = [
        "digraph logical {",
        "  node [shape=box, style=filled, fillcolor=white, fontname=monospace];",
        "  graph [fontname=monospace, labeljust=l, style=rounded, color=gray40];",
        "  edge [color=gray50];",
    ]
    leaves: list[list[int]] = []
    _clusters(measured, 0, len(measured.lines), "  ", rows, leaves)
    for chain in leaves:
        for a, b in pairwise(chain):
            rows.append(f"  n{a} -> n{b};")
    return "\n".join([*rows, "}"])


def _clusters(  # noqa: PLR0913
    measured: MeasuredLines,
    begin: int,
    end: int,
    indent: str,
    rows: list[str],
    leaves: list[list[int]],
) -> None:
    number = begin
    while number < end:
        line = measured.lines[number]
        if line.kind == "block" or not leaves:
            leaves.append([])
        label = _quoted(_label(measured, number))
        if line.kind in LEAF_KINDS:
            red = measured.shares[number] >= HOT_SHARE
            colour = ', fillcolor="#f6c9a8"' if red else ""
            rows.append(f"{indent}n{number} [label={label}{colour}];")
            leaves[-1].append(number)
        else:
            rows.append(f"{indent}subgraph cluster_{number} {{")
            rows.append(f"{indent}  label={label};")
            inner = number + 1
            _clusters(measured, inner, line.end, indent + "  ", rows, leaves)
            rows.append(f"{indent}}}")
        number = line.end


def _quoted(text: str) -> str:
    """Quote a label: Graphviz reads HTML's entities, and pages may show it as it is."""
    text = html.escape(text, quote=False)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(measured: MeasuredLines, number: int) -> str:
    share = measured.shares[number]
    suffix = f"  {100 * share:.1f} %" if share >= 0.001 else ""
    return measured.lines[number].text.rstrip(":") + suffix


def svg(measured: MeasuredLines) -> str:
    """Draw the structure: a row a line, a frame around what is repeated.

    Calls that are read as one are one row.

    At the right the share of the run that each line's calls take, as a bar. Light
    and dark follow the reader's settings.
    """
    drawn = np.flatnonzero(~folded_lines(measured.lines)).tolist()
    place = {number: row for row, number in enumerate(drawn)}
    lines = [measured.lines[number] for number in drawn]
    height = ROW * len(lines) + 2 * PAD
    words = max(
        (INDENT * li.depth + CHARACTER * len(li.text) for li in lines), default=0
    )
    deep = max((line.depth for line in lines), default=0)
    left = int(words) + 5 * PAD + 16 + 4 * deep
    width = left + BAR + 70
    most = max((float(measured.shares[number]) for number in drawn), default=0.0)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f'aria-label="Logical trace of {html.escape(measured.trace.name)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for number, row in place.items():
        line = measured.lines[number]
        if line.kind not in LEAF_KINDS:
            rows.append(_frame(row, place.get(line.end, len(drawn)) - row, line, left))
    for number, row in place.items():
        rows += _row(measured, number, row, left, most)
    return "\n".join([*rows, "</svg>"])


def _frame(row: int, rows: int, line: Line, left: int) -> str:
    x = PAD + INDENT * line.depth
    y = PAD + ROW * row + 1
    high = ROW * rows - 2
    return (
        f'<rect class="frame {line.kind}" x="{x}" y="{y}" rx="4" '
        f'width="{left - 2 * PAD - 4 * line.depth - x}" height="{high}"/>'
    )


def _row(
    measured: MeasuredLines, number: int, row: int, left: int, most: float
) -> list[str]:
    line = measured.lines[number]
    y = PAD + ROW * row + 15
    x = PAD + INDENT * line.depth + 8
    share = float(measured.shares[number])
    spans = "".join(
        f'<tspan class="{kind}">{html.escape(word)}</tspan> '
        for word, kind in line.words
    )
    result = [f'<text x="{x}" y="{y}">{spans.rstrip()}{_tip(measured, number)}</text>']
    if line.kind == "block" or share <= 0:
        return result
    long = max(1.0, BAR * share / most)
    hot = " hot" if share >= HOT_SHARE and line.kind in CALL_KINDS else ""
    result.append(
        f'<rect class="bar{hot}" x="{left}" y="{y - 9}" width="{long:.1f}" height="8"/>'
    )
    label = f"{100 * share:.1f} %"
    result.append(f'<text class="dim" x="{left + BAR + 8}" y="{y}">{label}</text>')
    return result


def _tip(measured: MeasuredLines, number: int) -> str:
    return f"<title>{html.escape(line_summary(measured, number))}</title>"


STYLE = """
svg{font:12px ui-monospace,Menlo,Consolas,monospace}
.page{fill:#fff}text{fill:#22282f}.dim,.size,.detail{fill:#65707c}
.operation{font-weight:600}.count,.name{fill:#0b62a8}.condition{fill:#8a4b00}
.frame{fill-opacity:.05}.loop{fill:#0b62a8;stroke:#0b62a8}
.when{fill:#8a4b00;stroke:#8a4b00}.block{fill:#2f7d4f;stroke:#2f7d4f}
.sometimes{fill:none;stroke:#65707c;stroke-dasharray:4 3}
.function{fill:none;stroke:#9aa5b0;stroke-dasharray:1 3}
.bar{fill:#9fb2c4}.hot{fill:#d9691e}
@media(prefers-color-scheme:dark){.page{fill:#14181d}text{fill:#e6eaee}
.dim,.size,.detail{fill:#9aa5b0}.count,.name{fill:#6cb4ee}.condition{fill:#e0a458}
.loop{stroke:#4d94cc}.when{stroke:#c08840}.bar{fill:#52616f}.hot{fill:#e8853d}}
"""
