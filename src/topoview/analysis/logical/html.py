"""A logical trace as one HTML file that needs no others."""

import html

from topoview.analysis.logical.graph import STYLE, told
from topoview.analysis.logical.times import HOT, Measured
from topoview.logical.lines import Line
from topoview.logical.words import duration_text, plural
from topoview.model import Call


def page(known: Measured) -> str:
    """Write a page: the program with its times; loops fold, a field finds lines."""
    title = f"Logical trace of {known.trace.name}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{html.escape(title)}</title>",
            f"<style>{PAGE}{STYLE}</style></head><body>",
            f"<h1>{html.escape(title)}</h1>",
            section(known),
            f"<script>{SCRIPT}</script></body></html>",
            "",
        ]
    )


def section(known: Measured) -> str:
    """Write the program as a part of a page or report."""
    logical = known.logical
    exact = logical.ranks_verified
    whom = "all" if exact == logical.ranks else f"{exact} of {logical.ranks}"
    head = [
        f"{plural(logical.statements, 'statement')} for up to "
        f"{plural(logical.records, 'MPI call')} of a rank; exact for {whom} ranks.",
        *logical.notes,
        *([f"Not told: {known.metrics.absent}."] if known.metrics.absent else []),
    ]
    columns = "".join(
        f"<th{' class=words' if name == 'statement' else ''}>{name}</th>"
        for name in (*FIRST, *LAST, *map(html.escape, known.metrics.names))
    )
    rows = [_row(known, number, line) for number, line in enumerate(known.lines)]
    return "\n".join(
        [
            *(f"<p>{html.escape(sentence)}</p>" for sentence in head),
            '<p><input type="search" id="find" placeholder="Find" '
            'aria-label="Find lines"></p>',
            f'<table id="program"><thead><tr>{columns}</tr></thead><tbody>',
            *rows,
            "</tbody></table>",
        ]
    )


FIRST = ("line", "statement", "calls", "share", "mean", "±")
LAST = ("computation before", "partners late")


def _row(known: Measured, number: int, line: Line) -> str:
    words = " ".join(
        f'<span class="{kind}">{html.escape(word)}</span>' for word, kind in line.words
    )
    fold = ""
    if line.kind not in ("call", "use"):
        fold = '<button class="fold" aria-label="Fold">▾</button>'
    share = float(known.shares[number])
    hot = " hot-row" if share >= HOT and line.kind == "call" else ""
    cells = [
        f"<td>{number + 1}</td>",
        f'<td class="words" style="padding-left:{1.4 * line.depth + 1.4:.1f}em">'
        f"{fold}{words}</td>",
        *(f"<td>{cell}</td>" for cell in _cells(known, number, line)),
    ]
    bar = f"--share:{100 * share:.2f}%"
    tip = html.escape(told(known, number), quote=True)
    return (
        f'<tr class="{line.kind}-row{hot}" data-depth="{line.depth}" style="{bar}" '
        f'title="{tip}">{"".join(cells)}</tr>'
    )


def _cells(known: Measured, number: int, line: Line) -> list[str]:
    second = 1 / known.trace.clock.resolution
    share = f"{100 * known.shares[number]:.1f} %"
    if isinstance(line.statement, Call):
        figures, s = known.statements, line.first
        late = ""
        if figures.late is not None and figures.waiting[s]:
            late = duration_text(float(figures.late.mean[s]) * second)
        return [
            str(figures.calls[s]),
            share,
            duration_text(float(figures.spent.mean[s]) * second),
            duration_text(float(figures.spent.deviation[s]) * second),
            duration_text(float(figures.before.mean[s]) * second),
            late,
            *map(html.escape, known.metrics.texts(s)),
        ]
    counted = [""] * len(known.metrics.names)
    if line.kind == "loop":
        loops, k = known.loops, known.loop_of[number]
        return [
            f"{loops.iterations[k]} it.",
            share,
            duration_text(float(loops.mean[k]) * second),
            duration_text(float(loops.deviation[k]) * second),
            "",
            "",
            *counted,
        ]
    return ["", share if line.kind != "block" else "", "", "", "", "", *counted]


PAGE = """
:root{--text:#22282f;--dim:#65707c;--page:#fff;--rule:#dde3e8;--hot:#fbe3d2;--bar:#cfe0ee}
@media(prefers-color-scheme:dark){:root{--text:#e6eaee;--dim:#9aa5b0;--page:#14181d;
--rule:#2c343c;--hot:#4a2b15;--bar:#23425a}}
body{margin:2em;background:var(--page);color:var(--text);font:14px system-ui,sans-serif}
h1{font-size:1.3em}p{color:var(--dim);margin:.3em 0}
table{border-collapse:collapse;font:13px ui-monospace,Menlo,Consolas,monospace}
th{position:sticky;top:0;background:var(--page);text-align:right;font-weight:500;
color:var(--dim);padding:.3em .7em;border-bottom:1px solid var(--rule)}
td{text-align:right;padding:.12em .7em;white-space:nowrap;
border-bottom:1px solid var(--rule)}
td:first-child{color:var(--dim)}.words{text-align:left}td.words{position:relative}
td:nth-child(4){background:linear-gradient(to right,var(--bar) var(--share),
transparent var(--share))}
.hot-row td.words{background:var(--hot)}.operation{font-weight:600}
.size,.detail,.dim{color:var(--dim)}
.count,.name{color:#0b62a8}.condition{color:#8a4b00}
@media(prefers-color-scheme:dark){.count,.name{color:#6cb4ee}.condition{color:#e0a458}}
.fold{border:0;background:none;color:var(--dim);cursor:pointer;width:1.4em;
margin-left:-1.4em;padding:0;font:inherit}.folded .fold{transform:rotate(-90deg)}
mark{background:#ffe08a;color:#000}input{font:inherit;padding:.3em .5em;
color:var(--text);background:var(--page);border:1px solid var(--rule)}
.block-row td{border-top:2px solid var(--rule)}
"""

SCRIPT = """
const rows=[...document.querySelectorAll('#program tbody tr')];
const depth=r=>+r.dataset.depth;
function show(){let hidden=Infinity;const word=find.value.toLowerCase();
for(const r of rows){const d=depth(r);if(d<=hidden)hidden=Infinity;
r.hidden=word?!r.dataset.found:d>hidden;
if(!word&&r.classList.contains('folded')&&d<hidden)hidden=d;}}
const find=document.getElementById('find');
find.addEventListener('input',()=>{const word=find.value.toLowerCase();
for(const r of rows)delete r.dataset.found;
if(word)rows.forEach((r,i)=>{
if(!r.cells[1].textContent.toLowerCase().includes(word))return;
r.dataset.found=1;let d=depth(r);
for(let k=i-1;k>=0&&d>0;k--)
if(depth(rows[k])<d){d=depth(rows[k]);rows[k].dataset.found=1;}
});show();});
for(const r of rows){const b=r.querySelector('.fold');
if(b)b.addEventListener('click',()=>{r.classList.toggle('folded');show();});}
"""
