"""Any table in any form: text, JSON, CSV, Parquet, Markdown, HTML."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from topoview.base.extras import need
from topoview.base.text import csv_text, grouped, html_text, markdown_text
from topoview.errors import writing
from topoview.model import Table

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
    with writing(path):
        Path(path).write_text(csv(table), "utf-8")


def write_parquet(table: Table, path: Path) -> None:
    """Write a Parquet file, whose fields have the columns' units.

    Raises
    ------
    TopoviewError
        If it cannot be written, or pyarrow is not installed.
    """
    need("tables", "pyarrow")
    from pyarrow import parquet

    with writing(path):
        parquet.write_table(table.to_arrow(), path)


FORMS: Final[dict[str, Callable[[Table], str]]] = {
    ".csv": csv,
    ".md": markdown,
    ".html": html,
}
"""Forms that are texts, by the suffix of their files."""
