"""A report as HTML: one file for browsers, or the body that Qt prints."""

import base64
from typing import Final

from topoview.report.document.blocks import Document, Picture, numbered
from topoview.report.logical_html import fill_template

FIGURE_SCHEME: Final = "figure"
"""Scheme of the addresses that pictures have in the printed body."""


def page(document: Document) -> str:
    """Write a report as one HTML file that needs no others."""
    pictures = {name: data_address(one) for name, one in document.pictures.items()}
    return _fill("report.html", document, pictures)


def printed_page(document: Document) -> str:
    """Write a report for `QTextDocument`: tables in place of styles.

    Pictures are at ``figure:NAME``, bars of tables at ``figure:bar-SHARE-TONE``.
    """
    pictures = {name: f"{FIGURE_SCHEME}:{name}" for name in document.pictures}
    return _fill("report-print.html", document, pictures)


def _fill(template: str, document: Document, pictures: dict[str, str]) -> str:
    return fill_template(
        template,
        title=document.title,
        document=document,
        numbers=numbered(document.blocks),
        pictures=pictures,
        sizes={name: one.size for name, one in document.pictures.items()},
    )


def data_address(picture: Picture) -> str:
    """Write a picture as an address that holds it; scripts do not run in it."""
    is_svg = isinstance(picture.data, str)
    data = picture.data.encode() if isinstance(picture.data, str) else picture.data
    kind = "image/svg+xml" if is_svg else "image/png"
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
