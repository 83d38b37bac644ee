"""A report as PDF: its printed body by Qt's text layout, with page numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QByteArray, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QImage,
    QPageSize,
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from topoview.base.text import one_line
from topoview.report.blocks import Document, Picture
from topoview.report.document.page import FIGURE_SCHEME, printed_page
from topoview.scene.flat.charts import FONTS
from topoview.ui.export.renderer import qt_application
from topoview.ui.export.report.pictures import ICON_TONES
from topoview.ui.export.vector import PdfFile, painting
from topoview.ui.widgets.theme import font, load_fonts
from topoview.version import __version__

PAGE: Final = QSizeF(794, 1123)
"""A4 in CSS pixels."""

MARGIN: Final = 52.0
HEAD: Final = 34.0
"""Margins, and height of the head and foot of a page."""

ROOM: Final = QSizeF(PAGE.width() - 2 * MARGIN, PAGE.height() - 2 * MARGIN - 2 * HEAD)
"""What a page has for text."""

FIRST_PAGES: Final = 2
"""Pages for readers who have a minute: what is told before the first break."""

FIGURE_SHARES: Final = (1.0, 0.9, 0.8, 0.7)
"""Sizes that figures have, the largest with which these pages suffice."""

LAST: Final = 0.85
"""Share of a page behind which nothing new begins."""

RESOLUTION: Final = 288
"""Dots an inch: three for a CSS pixel."""

FINE: Final = 3
"""Pixels of drawn SVG for a CSS pixel."""

_TEXT2, _RULE = QColor("#59636e"), QColor("#d9dde2")

_SHADE: Final = "#dde8f7"
"""Behind rows that stand out, as the page's template has it."""


class _Body(QTextDocument):
    """The text of a report; nothing is loaded but its own pictures."""

    def __init__(self, pictures: dict[str, Picture]) -> None:
        super().__init__()
        self._pictures = pictures

    def loadResource(self, _: int, name: QUrl | str) -> Any:  # noqa: ANN401
        """Return a picture by its name; nothing for other addresses."""
        url = QUrl(name) if isinstance(name, str) else name
        if url.scheme() != FIGURE_SCHEME:
            return QImage(1, 1, QImage.Format.Format_ARGB32)
        path = url.path()
        if path.startswith("bar-"):
            share, tone, *shaded = path.split("-")[1:]
            return _bar(
                int(share) / 100, ICON_TONES[tone], _SHADE if shaded else "#fff"
            )
        if path.startswith("number-"):
            return _number(path.removeprefix("number-"))
        picture = self._pictures.get(path)
        return None if picture is None else image_of(picture)


def image_of(picture: Picture) -> QImage:
    """Return an image of a picture."""
    if isinstance(picture.data, bytes):
        return QImage.fromData(picture.data)
    drawn = QSvgRenderer(
        QByteArray(picture.data.replace(FONTS, "Inter").encode("utf-8", "replace"))
    )
    wide, high = (max(round(side * FINE), 1) for side in picture.size)
    image = QImage(wide, high, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drawn.render(painter)
    return image


def _bar(share: float, colour: str, behind: str) -> QImage:
    """Draw a bar a little above the line that text stands on."""
    image = QImage(48 * FINE, 9 * FINE, QImage.Format.Format_RGB32)
    image.fill(QColor(behind))
    bar = QRectF(0, 1 * FINE, image.width(), 6 * FINE)
    with QPainter(image) as painter:
        painter.fillRect(bar, QColor("#e6eaed"))
        bar.setWidth(bar.width() * share)
        painter.fillRect(bar, QColor(colour))
    return image


def _number(text: str) -> QImage:
    image = QImage(18 * FINE, 18 * FINE, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(FINE, FINE)
        painter.setBrush(QColor("#0f1317"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QRectF(0.5, 0.5, 17, 17))
        painter.setPen(Qt.GlobalColor.white)
        painter.setFont(font(10, 600))
        painter.drawText(QRectF(0, 0, 18, 18), Qt.AlignmentFlag.AlignCenter, text)
    return image


def save_pdf(document: Document, path: Path) -> int:
    """Write a report as PDF; returns the number of pages.

    Raises
    ------
    TopoviewError
        It cannot be written there.
    """
    with qt_application():
        load_fonts()
        writer = PdfFile(path)
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        writer.setResolution(RESOLUTION)
        writer.setTitle(one_line(document.title))
        writer.setCreator(f"topoview {__version__}")
        body = _laid_out(document)
        pages = body.pageCount()
        with painting(writer) as painter:
            for number in range(pages):
                if number:
                    writer.newPage()
                _paint_page(painter, body, document, number, writer.width())
    return pages


def page_image(document: Document, number: int, width: int = 794) -> QImage:
    """Draw a page, from 0, as a picture of so many pixels across."""
    with qt_application():
        load_fonts()
        body = _laid_out(document)
        high = round(width * PAGE.height() / PAGE.width())
        image = QImage(width, high, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            _paint_page(painter, body, document, number, width)
    return image


def _laid_out(
    document: Document, shares: Sequence[float] = FIGURE_SHARES
) -> QTextDocument:
    """Lay the text of a report out on pages."""
    share, *smaller = shares
    body = _Body(document.pictures)
    body.setDefaultFont(font(11))
    body.setDocumentMargin(0)
    body.setHtml(printed_page(document, share))
    body.setPageSize(ROOM)
    rest = _first_break(body)
    _keep_together(body, ROOM.height())
    top = body.documentLayout().blockBoundingRect(rest).top()
    if smaller and top // ROOM.height() > FIRST_PAGES:
        return _laid_out(document, smaller)
    return body


def _first_break(body: QTextDocument) -> QTextBlock:
    """Find the first paragraph that begins a page; not valid if there is none."""
    block = body.begin()
    while block.isValid() and not block.blockFormat().pageBreakPolicy().value:
        block = block.next()
    return block


def _paint_page(
    painter: QPainter, body: QTextDocument, document: Document, number: int, width: int
) -> None:
    """Paint a page, from 0, on a device of so many dots across."""
    painter.save()
    painter.scale(width / PAGE.width(), width / PAGE.width())
    _paint_edges(painter, document, number + 1, body.pageCount())
    painter.translate(MARGIN, MARGIN + HEAD - number * ROOM.height())
    seen = QRectF(0, number * ROOM.height(), ROOM.width(), ROOM.height())
    painter.setClipRect(seen)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = seen
    context.palette.setColor(context.palette.ColorRole.Text, QColor("#1c2126"))
    body.documentLayout().draw(painter, context)
    painter.restore()


def _keep_together(body: QTextDocument, height: float) -> None:
    """Break pages before headings and captions that would be parted from what follows.

    They are not the last on a page, either, with a row or two of their table.

    Qt knows breaks before a paragraph, but not after which there must be none.
    """
    layout = body.documentLayout()
    first = block = body.begin()
    while block.isValid():
        after = block.next()
        if not after.isValid():
            break
        held = _is_held(block)
        if held and not _is_held(first):
            first = block
        if held:
            here = layout.blockBoundingRect(first).top()
            there = layout.blockBoundingRect(after).top()
            if after.layout().lineCount():
                there += after.layout().lineAt(0).rect().bottom() - 1
            parted = int(here // height) != int(there // height)
            if (parted or here % height > LAST * height) and here % height > 1:
                cursor = QTextCursor(first)
                broken = first.blockFormat()
                broken.setPageBreakPolicy(
                    QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore
                )
                cursor.setBlockFormat(broken)
                # Qt lays out what follows anew, but then leaves paragraphs undrawn.
                body.markContentsDirty(0, body.characterCount())
        else:
            first = after
        block = after


def _is_held(block: QTextBlock) -> bool:
    """Return whether a paragraph belongs to what follows it."""
    if QTextCursor(block).currentTable() is not None:
        return False
    is_picture = block.text() == "\ufffc"
    return (
        is_picture
        or block.blockFormat().headingLevel() > 0
        or block.text().startswith("Table ")
    )


def _paint_edges(painter: QPainter, document: Document, page: int, pages: int) -> None:
    """Paint head and foot of a page."""
    left, right = MARGIN, PAGE.width() - MARGIN
    top, bottom = MARGIN, PAGE.height() - MARGIN
    painter.setPen(_RULE)
    painter.drawLine(round(left), round(top + 18), round(right), round(top + 18))
    painter.drawLine(round(left), round(bottom - 18), round(right), round(bottom - 18))
    painter.setPen(_TEXT2)
    flag = Qt.AlignmentFlag
    above = QRectF(left, top - 2, right - left, 16)
    below = QRectF(left, bottom - 14, right - left, 16)
    painter.setFont(font(9))
    painter.drawText(above, flag.AlignLeft, "topoview report")
    painter.drawText(above, flag.AlignRight, f"{page} / {pages}")
    painter.drawText(below, flag.AlignRight, _short(document.source))
    painter.setFont(font(9, mono=True))
    painter.drawText(below, flag.AlignLeft, _short(document.command))


def _short(text: str) -> str:
    """Leave out what would not fit on half a line."""
    line = one_line(text)
    return line if len(line) <= 64 else f"{line[:63]}…"
