"""The documentation in a window of its own: the pages as they are shipped, offline."""

import re
from functools import cache
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QImage,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStyle,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from topoview.base.resources import documentation
from topoview.base.text import tr
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.widgets.controls import follow
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.theme import font

FIRST_PAGE: Final = "index.md"

WINDOW_SIZE: Final = QSize(1180, 860)
CONTENTS_WIDTH: Final = 250
MAX_TEXT_WIDTH: Final = 860
"""Pixels that a line takes at most, to be read with ease."""

MARGIN: Final = 24

PAGE_ROLE: Final = Qt.ItemDataRole.UserRole

PANEL_PAGES: Final = {
    "second": "panels/scene.md#second-view",
    "phases": "panels/topology.md#phases",
    "communicators": "panels/topology.md#communicators",
    "hung": "panels/delays.md#hung",
    "statistics": "panels/profile.md#statistics",
    "picked": "panels/calls.md#selection",
    "events": "panels/calls.md#events",
    "find": "panels/calls.md#find",
    "messages": "panels/calls.md#messages",
    "bookmarks": "guides/sessions.md#bookmarks-and-notes",
}
"""Sections about panels; any other panel has the page ``panels/NAME.md``."""

HEADING_PIXELS: Final = {1: 26, 2: 19, 3: 15}

Mode = QTextCursor.MoveMode
TITLE_BAR: Final = QStyle.PixelMetric.PM_TitleBarHeight


@cache
def contents() -> tuple[tuple[int, str, str], ...]:
    """List the pages: depth, title, and path (empty for the title of a section)."""
    beside, within = (documentation(*at) for at in (("..",), ()))
    folder = within if (within / "mkdocs.yml").exists() else beside
    nav = (folder / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    lines = re.findall(r"^( +)- (.+?):(?: (\S+\.md))?$", nav, re.M)
    return tuple((len(indent) // 4, title, path) for indent, title, path in lines)


def page_of_panel(name: str) -> str:
    """Return the page, or the section of one, that is about a panel."""
    return PANEL_PAGES.get(name, f"panels/{name}.md")


def anchor_of(title: str) -> str:
    """Name of a heading in links, as the site makes it."""
    plain = re.sub(r"[^\w\s-]", "", title).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


@cache
def text_of(page: str) -> str:
    """Text of a page in small letters, to be searched."""
    return documentation(page).read_text("utf-8").lower()


class PageView(QTextBrowser):
    """Shows a page, with pictures as wide as there is room."""

    page_shown = Signal()
    """Another page, or another part of it, was opened."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setOpenExternalLinks(True)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._render)
        self._width = 0

    def doSetSource(
        self,
        name: QUrl | str,
        type: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,  # noqa: A002
    ) -> None:
        """Load a page, and go to the heading that the link names.

        What is no page, such as a notebook, is opened by the desktop's program for it.
        """
        name = QUrl(name)
        if not name.path().endswith(".md"):
            QDesktopServices.openUrl(self.source().resolved(name))
            return
        super().doSetSource(name, type)
        self._render()
        self.page_shown.emit()

    def mark(self, text: str) -> None:
        """Select the first place of the first of some words, and show it."""
        words = text.split()
        cursor = self.document().find(words[0]) if words else QTextCursor()
        if not cursor.isNull():
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines short enough to be read, and fit the pictures."""
        super().resizeEvent(event)
        if self._column() != self._width:
            self._again.start()

    def restyle(self) -> None:
        """Show the page in other colours."""
        self._again.start()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load a page; a picture in the width that its name ends with."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        name = QUrl(name)
        picture = QImage(self.source().resolved(name).toLocalFile())
        # the width is chosen once the page is there; pictures of the page before are
        # asked for once more while another one comes
        if not name.fragment() or picture.isNull():
            return QImage(1, 1, QImage.Format.Format_RGB32)
        ratio = self.devicePixelRatioF()
        wide = min(round(int(name.fragment()) * ratio), picture.width())
        picture = picture.scaledToWidth(
            max(wide, 1), Qt.TransformationMode.SmoothTransformation
        )
        picture.setDevicePixelRatio(ratio)
        return picture

    def _column(self) -> int:
        """Pixels of a line; the view has room for it, its margins and a scroll bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        return max(240, min(self.width() - bar - 3 * MARGIN, MAX_TEXT_WIDTH))

    def _render(self) -> None:
        if not self.source().isValid():
            return
        self._width = self._column()
        space = max(MARGIN, (self.width() - self._width) // 2 - MARGIN)
        self.setViewportMargins(space, MARGIN // 2, space // 2, 0)
        text = documentation(self.source().toLocalFile()).read_text("utf-8")
        document = self.document()
        document.setDefaultFont(font(14))
        document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        self._style(document)
        document.setModified(False)
        self._go_to(self.source().fragment())

    def _style(self, document: QTextDocument) -> None:
        theme = THEMES[self._session.state.theme]
        block = document.begin()
        while block.isValid():
            self._style_block(block)
            block = block.next()
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _style_table(frame, QColor(theme.rule), QColor(theme.window))

    def _style_block(self, block: QTextBlock) -> None:
        theme = THEMES[self._session.state.theme]
        cursor = QTextCursor(block)
        shape = QTextBlockFormat()
        level = block.blockFormat().headingLevel()
        if level:
            look = QTextCharFormat()
            look.setFont(font(HEADING_PIXELS.get(level, 14), 600))
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.mergeCharFormat(look)
            shape.setTopMargin(20 if level > 1 else 8)
            shape.setBottomMargin(6)
        elif block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
            shape.setBackground(QColor(theme.window))
            shape.setLeftMargin(12)
            shape.setNonBreakableLines(False)
        elif "\ufffc" not in block.text():  # where Qt has a picture
            shape.setLineHeight(128, 1)  # per cent
            if block.textList() is None and cursor.currentTable() is None:
                shape.setBottomMargin(8)
        cursor.mergeBlockFormat(shape)
        table = cursor.currentTable()
        within = table is not None
        width = self._width // (table.columns() if within else 1) - 16 * within
        pieces = block.begin()
        spans = []
        while not pieces.atEnd():
            piece = pieces.fragment()
            spans.append((piece.position(), piece.length(), piece.charFormat()))
            pieces += 1
        for begin, length, look in spans:
            cursor.setPosition(begin)
            cursor.setPosition(begin + length, Mode.KeepAnchor)
            if look.isImageFormat():
                picture = QTextImageFormat(look.toImageFormat())
                picture.setName(f"{picture.name()}#{width}")
                cursor.setCharFormat(picture)
            elif look.fontFixedPitch():
                mono = QTextCharFormat()
                mono.setFont(font(13, mono=True))
                cursor.mergeCharFormat(mono)
            elif look.isAnchor():
                link = QTextCharFormat()
                link.setForeground(self.palette().link())
                cursor.mergeCharFormat(link)

    def _go_to(self, anchor: str) -> None:
        block = self.document().begin()
        while anchor and block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(int(top))
                return
            block = block.next()
        self.verticalScrollBar().setValue(0)


def _style_table(table: QTextTable, rule: QColor, head: QColor) -> None:
    shape = table.format()
    shape.setBorder(1)
    shape.setBorderCollapse(True)
    shape.setBorderBrush(rule)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setCellPadding(5)
    shape.setCellSpacing(0)
    shape.setTopMargin(6)
    shape.setBottomMargin(10)
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(shape)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        look = cell.format()
        look.setBackground(head)
        cell.setFormat(look)


class Manual(QWidget):
    """Contents, search, and a page."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(tr("topoview documentation"))
        frame = QSize(0, parent.style().pixelMetric(TITLE_BAR))
        self.resize(WINDOW_SIZE.boundedTo(self.screen().availableSize() - frame))
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tr("Search the documentation"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._find)
        self.pages = QTreeWidget(self)
        self.pages.setHeaderHidden(True)
        self.pages.setAccessibleName(tr("Pages"))
        self._items = self._fill()
        self.pages.itemClicked.connect(self._open_item)
        self.pages.itemActivated.connect(self._open_item)
        self.view = PageView(session, self)
        self.view.page_shown.connect(self._mark)
        self._back = self._button(tr("Back"), self.view.backward)
        self._on = self._button(tr("Forward"), self.view.forward)
        self.view.backwardAvailable.connect(self._back.setEnabled)
        self.view.forwardAvailable.connect(self._on.setEnabled)
        self._lay_out()
        for keys, act in (
            ("Alt+Left", self.view.backward),
            ("Alt+Right", self.view.forward),
            ("Ctrl+F", self.search.setFocus),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        follow(self, session, self._follow, to=("theme",))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()

    def open_page(self, page: str) -> None:
        """Show a page, or a section of it: ``window.md#colours``."""
        path, _, section = page.partition("#")
        url = QUrl.fromLocalFile(str(documentation(path)))
        url.setFragment(section)
        self.view.setSource(url)
        self.show()
        self.raise_()
        self.activateWindow()
        self.view.setFocus()

    @property
    def page(self) -> str:
        """Path of the page that is shown."""
        path = self.view.source().toLocalFile()
        return path.removeprefix(f"{documentation()}/")

    def _button(self, text: str, act: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setEnabled(False)
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        side = QWidget(self)
        column = filled(QVBoxLayout(side), margins=(8, 8, 0, 8))
        buttons = filled(QHBoxLayout(), self._back, self._on, 0)
        column.addLayout(buttons)
        column.addWidget(self.search)
        column.addWidget(self.pages)
        split = QSplitter(self)
        split.addWidget(side)
        split.addWidget(self.view)
        split.setStretchFactor(1, 1)
        split.setSizes([CONTENTS_WIDTH, WINDOW_SIZE.width() - CONTENTS_WIDTH])
        filled(QVBoxLayout(self), split, margins=(0, 0, 0, 0))

    def _fill(self) -> dict[str, QTreeWidgetItem]:
        items: dict[str, QTreeWidgetItem] = {}
        self._sections: list[QTreeWidgetItem] = []
        section = self.pages.invisibleRootItem()
        for depth, title, path in contents():
            above = section if depth else self.pages.invisibleRootItem()
            item = QTreeWidgetItem(above, [title])
            item.setData(0, PAGE_ROLE, path)
            if path:
                items[path] = item
            else:
                item.setFont(0, font(13, 600))
                self._sections.append(item)
                section = item
        self.pages.expandAll()
        return items

    def _open_item(self, item: QTreeWidgetItem) -> None:
        page = item.data(0, PAGE_ROLE)
        if page:
            self.open_page(page)
            self.view.mark(self.search.text())

    def _find(self, text: str) -> None:
        """Leave only pages that have all words."""
        words = text.lower().split()
        for page, item in self._items.items():
            item.setHidden(not all(word in text_of(page) for word in words))
        seen = {id(i.parent()) for i in self._items.values() if not i.isHidden()}
        for section in self._sections:
            section.setHidden(id(section) not in seen)

    def _mark(self) -> None:
        item = self._items.get(self.page)
        if item is not None:
            self.pages.setCurrentItem(item)

    def _follow(self, _: State, new: State) -> None:
        del new
        self.view.restyle()
