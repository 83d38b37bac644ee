"""A report as HTML: one file for browsers, or the body that Qt prints."""

import base64
from typing import Final

from topoview.report.blocks import Document, Model, Picture, numbered
from topoview.report.logical.as_html import fill_template

FIGURE_SCHEME: Final = "figure"
"""Scheme of the addresses that pictures have in the printed body."""


def page(document: Document) -> str:
    """Write a report as one HTML file that needs no others."""
    pictures = {name: data_address(one) for name, one in document.pictures.items()}
    models = {name: _written(one) for name, one in document.models.items()}
    script = "turning.js" if models else ""
    return _fill("report.html", document, pictures, script=script, models=models)


def printed_page(document: Document, figures: float = 1.0) -> str:
    """Write a report for `QTextDocument`: tables in place of styles.

    Figures are drawn `figures` times as large. Pictures are at ``figure:NAME``, bars of
    tables at ``figure:bar-SHARE-TONE``, of rows that are shaded with ``-shaded``.
    """
    pictures = {name: f"{FIGURE_SCHEME}:{name}" for name in document.pictures}
    return _fill("report-print.html", document, pictures, figures=figures)


def _fill(
    template: str,
    document: Document,
    pictures: dict[str, str],
    script: str = "",
    **further: object,
) -> str:
    return fill_template(
        template,
        script,
        title=document.title,
        document=document,
        numbers=numbered(document.blocks),
        pictures=pictures,
        sizes={name: one.size for name, one in document.pictures.items()},
        **further,
    )


def data_address(picture: Picture) -> str:
    """Write a picture as an address that holds it; scripts do not run in it."""
    is_svg = isinstance(picture.data, str)
    data = (
        picture.data.encode("utf-8", "replace")
        if isinstance(picture.data, str)
        else picture.data
    )
    kind = "image/svg+xml" if is_svg else "image/png"
    return f"data:{kind};base64,{_base64(data)}"


def _written(model: Model) -> dict[str, str]:
    """Write a model as attributes of its canvas: numbers only."""
    return {
        "positions": _base64(model.positions.astype("<f4").tobytes()),
        "edges": _base64(model.edges.astype("<u4").tobytes()),
        "colours": _base64(model.colours.tobytes()),
        "size": f"{model.size:.5g}",
        "pose": f"{model.yaw:.4f} {model.pitch:.4f}",
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
