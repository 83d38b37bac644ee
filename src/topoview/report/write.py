"""Any table or page in any form: text, JSON, CSV, Parquet, Markdown, HTML, a card."""

import sys
from collections.abc import Callable, Sequence
from html import escape
from itertools import count
from pathlib import Path
from typing import Any, Final

from topoview.base.extras import need
from topoview.base.text import (
    column_lines,
    csv_text,
    grouped,
    html_text,
    markdown_literal,
    markdown_text,
    tr,
)
from topoview.errors import ExportError, save_text, writing
from topoview.model import Table
from topoview.report.blocks import (
    NBSP,
    Bar,
    Beside,
    Block,
    Cell,
    Command,
    Document,
    Facts,
    Heading,
    Page,
    Paragraph,
    TableBlock,
    plain,
)

CUT_HINT: Final = "see --limit, --csv, --json"
"""What shows the rows that a table on the terminal leaves out."""


def text(table: Table, rows: int, hint: str = CUT_HINT) -> str:
    """Write the first rows in columns below their names, with units."""
    lines = table.lines(rows)
    if len(table) > rows:
        lines.append(f"{grouped(len(table) - rows)} more: {hint}")
    return "\n".join(lines)


def record(table: Table) -> list[dict[str, Any]]:
    """Return the rows as JSON has them: null for what is not known, names as texts."""
    return list(table)


def csv(table: Table) -> str:
    """Write all rows as CSV below the names of the columns."""
    return csv_text(table.names, (row for page in table.pages() for row in page.rows()))


def markdown(table: Table) -> str:
    """Write all rows as Markdown below the titles, with units."""
    titles = [column.heading for column in table.columns]
    left = [table.is_words(name) for name in table.names]
    return markdown_text(titles, table.texts(), left)


def html(table: Table) -> str:
    """Write all rows as an HTML table below the titles, with units."""
    titles = [column.heading for column in table.columns]
    return html_text(titles, table.texts(), [table.is_words(n) for n in table.names])


def write_csv(table: Table, path: str) -> None:
    """Write a CSV file; to stdout if the path is ``-``.

    Raises
    ------
    TopoviewError
        If the file cannot be written.
    """
    if path == "-":
        sys.stdout.write(csv(table))
        return
    save_text(path, csv(table))


def write_parquet(table: Table, path: Path) -> None:
    """Write a Parquet file, whose fields have the columns' units.

    Raises
    ------
    TopoviewError
        If it cannot be written, or pyarrow is not installed.
    """
    need("tables", "pyarrow")
    from pyarrow import parquet

    with writing(path), Path(path).open("wb") as file:  # a pipe can be left by Ctrl-C
        parquet.write_table(table.to_arrow(), file)


def check_writable(path: Path, what: str, suffixes: tuple[str, ...]) -> None:
    """Check that a file can be written under a name.

    Raises
    ------
    ExportError
        It cannot.
    """
    if path.suffix.lower() not in suffixes:
        kinds = tr(" or ").join(suffix[1:].upper() for suffix in suffixes if suffix)
        raise ExportError(
            tr(
                "{path} cannot be written: {what} are {kinds} files; name it {name}",
                path=path,
                what=what,
                kinds=kinds,
                name=path.with_suffix(suffixes[0]).name,
            )
        )
    if path.is_dir():
        raise ExportError(tr("{path} is a folder: name a file in it", path=path))
    if not path.absolute().parent.is_dir():
        raise ExportError(
            tr(
                "{path} cannot be written: there is no folder {parent}",
                path=path,
                parent=path.parent,
            )
        )


# Pages

MAX_CARD_FACTS: Final = 4
"""Facts that a card over the scene has room for."""


def page_text(page: Page) -> str:
    """Write a page as plain text; what is below a heading is indented."""
    lines, indent = [text for text in (page.title, page.subtitle) if text], ""
    for block in page.blocks:
        if isinstance(block, Heading):
            lines += ["", block.text] if block.text else [""]
            indent = "  " if block.text else ""
        else:
            bare = isinstance(block, TableBlock) and not block.caption
            more = indent * (1 + bare)
            lines += [f"{more}{line}".rstrip() for line in _lines(block)]
    return "\n".join(lines).lstrip("\n").replace(NBSP, " ")


def document_page(document: Document) -> Page:
    """Return what a report says without its pictures, findings first."""
    findings = [
        Paragraph(f"{number}. {finding.title} {finding.text}\n   {finding.command}")
        for number, finding in enumerate(document.findings, 1)
    ]
    head: tuple[Block, ...] = (Heading("Findings"), *findings) if findings else ()
    foot = Paragraph(document.source), Command(document.command)
    return Page(
        title=document.title,
        subtitle=document.subtitle,
        blocks=(*head, *document.blocks, Heading(""), *foot),
    )


def _lines(block: Block) -> list[str]:
    """Write a block as lines of text."""
    match block:
        case Facts(facts):
            width = max((len(fact.name) for fact in facts), default=0) + 1
            return [f"{fact.name:<{width}}{plain(fact.words)}" for fact in facts]
        case Heading(text) | Paragraph(text) | Command(text):
            return [text]
        case TableBlock():
            titles, left = _without_bars(block, *block.titles)
            cells = [_without_bars(block, row)[0] for row in block.rows]
            rows = [titles] * any(titles) + [tuple(map(plain, row)) for row in cells]
            lines = column_lines(rows, left=left) if rows else []
            above = ["", block.caption] if block.caption else []
            return [*above, *lines, *_rest(block)]
        case Beside():
            blocks = (*block.left, *block.right)
            return [line for each in blocks for line in _lines(each)]
    return []  # pictures


def _without_bars(block: TableBlock, *rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Leave out the columns of bars, which text has none of."""
    first: tuple[Cell, ...] = block.rows[0] if block.rows else ()
    bars = {place for place, cell in enumerate(first) if isinstance(cell, Bar)}
    return [
        tuple(cell for place, cell in enumerate(row) if place not in bars)
        for row in rows
    ]


def _rest(block: TableBlock) -> list[str]:
    return [tr("{rest} more", rest=block.rest)] if block.rest else []


def page_markdown(page: Page) -> str:
    """Write a page as Markdown."""
    title = f"## {markdown_literal(page.title)}" if page.title else ""
    blocks = [_markdown(block) for block in page.blocks]
    head = [title, markdown_literal(page.subtitle)]
    return "\n\n".join(filter(None, [*head, *blocks])) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Facts(facts):
            rows = [(fact.name, plain(fact.words)) for fact in facts]
            return markdown_text(("", ""), rows, (True, True)).rstrip()
        case Heading(text):
            return f"### {markdown_literal(text)}" if text else ""
        case Beside():
            return "\n\n".join(map(_markdown, (*block.left, *block.right)))
        case TableBlock():
            titles, left = block.titles
            texts = [tuple(map(plain, row)) for row in block.rows]
            written = markdown_text(titles, texts, left).rstrip()
            caption = markdown_literal(block.caption)
            return "\n\n".join(filter(None, [caption, written, *_rest(block)]))
    lines = (line for text in _lines(block) for line in text.splitlines())
    return "\n".join(map(markdown_literal, lines))


def card(page: Page) -> tuple[str, ...]:
    """Write the lines of the card over the scene: what the page begins with."""
    facts = [fact for fact in page.facts if fact.card][:MAX_CARD_FACTS]
    head = "  ".join(filter(None, (page.title, page.subtitle)))
    return (head, *(f"{fact.name} {plain(fact.words)}" for fact in facts))


def page_html(page: Page, dim: str, accent: str, rule: str) -> str:
    """Write the blocks of a page as HTML that Qt shows; links are their numbers.

    Parameters
    ----------
    dim, accent, rule
        Colours of names, links and lines.
    """
    number = count()

    def words(cell: Cell) -> str:
        parts = cell if isinstance(cell, tuple) else (plain(cell),)
        return "".join(
            escape(part)
            if isinstance(part, str)
            else f'<a href="{next(number)}" style="color:{accent}; '
            f'text-decoration:none">{escape(part.text)}</a>'
            for part in parts
        )

    def row(cells: Sequence[Cell], left: Sequence[bool], style: str) -> str:
        columns = zip(cells, left, strict=True)
        written = "".join(
            f'<td align="{"left" if is_left else "right"}" valign="top" '
            f'style="{style}">{words(cell)}</td>'
            for cell, is_left in columns
        )
        return f"<tr>{written}</tr>"

    def table(block: TableBlock) -> str:
        titles, left = block.titles
        head = row(titles, left, f"color:{dim}; padding:1px 10px 3px 0")
        rows = [head] * any(titles)
        for place, cells in enumerate(block.rows):
            weight = "; font-weight:600" if place in block.strong else ""
            rows.append(row(cells, left, f"padding:2px 10px 2px 0{weight}"))
        wide = ' width="100%"' * any(titles)
        line = f'<hr style="background:{rule}" size="1">'
        caption = f'<p style="font-weight:600">{escape(block.caption)}</p>'
        above = f"{line}{caption}" if block.caption else ""
        below = "".join(f'<p style="color:{dim}">{more}</p>' for more in _rest(block))
        return f'{above}<table cellspacing="0"{wide}>{"".join(rows)}</table>{below}'

    def written(block: Block) -> str:
        match block:
            case Facts(facts):
                name = f"color:{dim}; padding:2px 14px 2px 0; white-space:nowrap"
                rows = "".join(
                    f'<tr><td style="{name}">{escape(fact.name)}</td>'
                    f'<td style="padding:2px 0">{words(fact.words)}</td></tr>'
                    for fact in facts
                )
                return f'<table cellspacing="0" width="100%">{rows}</table>'
            case Heading(text):
                style = "margin-bottom:2px; font-weight:600"
                return f'<p style="{style}">{escape(text)}</p>'
            case Paragraph(text) | Command(text):
                return f'<p style="margin:2px 0; color:{dim}">{escape(text)}</p>'
            case TableBlock():
                return table(block)
        return ""  # pictures

    return "".join(map(written, page.blocks))


FORMS: Final[dict[str, Callable[[Table], str]]] = {
    ".csv": csv,
    ".md": markdown,
    ".html": html,
}
"""Forms that are texts, by the suffix of their files."""
