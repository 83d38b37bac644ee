"""The matches: what the communication looks like, and how well that fits."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from topoview.scene.palette import THEMES
from topoview.session import Selection, Session, State, choices
from topoview.ui.empty import EmptyView, stacked, why_no_topology
from topoview.ui.fonts import font
from topoview.ui.topology_model import COLUMNS, ROW, MatchRow, TopologyModel
from topoview.ui.why_view import WhyView

Index = QModelIndex | QPersistentModelIndex

WIDTHS = {380: (0, 76, 76, 56), 0: (0, 54, 54, 56)}
"""Width of the list from which its columns have certain widths; the first stretches."""

NUMBER = 54
"""Room for a share beside its bar; a narrow list has no bars."""

LINE = 16
"""Height of a further line of a name."""

WRAPPED = Qt.TextFlag.TextWordWrap
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
MIDDLE = Qt.AlignmentFlag.AlignVCenter


class TopologyPanel(QWidget):
    """Lists the matches and the parts; a click shows one in all panels."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = TopologyModel(self)
        self.view = _View(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Delegate(session, self.view))
        self.view.setRootIsDecorated(False)
        self.view.setIndentation(0)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Matches")
        _dress_header(self.view.header())
        self.view.clicked.connect(self._choose)
        self.view.activated.connect(self._choose)
        self.empty = EmptyView(self)
        self.why = WhyView(session, self)
        self._stack = stacked(self, self.view, self.empty, self.why)
        self._text: tuple[str, str] | None = None
        session.subscribe(self._show)
        self._show(State(), session.state)

    def _show(self, old: State, new: State) -> None:
        before = old.analysis.identification if old.analysis else None
        after = new.analysis.identification if new.analysis else None
        if before is not after or old.analysis is None:
            self.model.show(new.analysis)
        text = why_no_topology(new.analysis, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
        page: QWidget = self.why if new.view.why and after else self.view
        self._stack.setCurrentWidget(self.empty if text[0] else page)
        if old.view != new.view:
            self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        row: MatchRow = index.data(ROW)
        if row.section:
            at = self.view.verticalScrollBar().value()
            self.model.fold(row.section)
            self.view.verticalScrollBar().setValue(at)
        elif row.match >= 0:
            self._session.update(**shown_by(row, self._session.state))


def shown_by(row: MatchRow, state: State) -> dict[str, Any]:
    """Tell what changes in the session if a row is chosen.

    A match of the whole run is shown as it is; a part also with its time window,
    and its ranks selected unless it has all of them.
    """
    geometry = state.view.geometry.elsewhere
    view = replace(
        state.view,
        match=row.match,
        layout="",
        geometry=geometry,
        second_geometry=state.view.second_geometry.elsewhere,
    )
    part = row.part
    if part is None or state.analysis is None:
        return {"view": view}
    everyone = len(part.ranks) == state.analysis.trace.ranks
    ranks = () if everyone else tuple(part.ranks.tolist())
    changes = {"view": view, "selection": Selection(ranks=ranks)}
    if part.end > part.begin:
        inside = part.begin <= state.time <= part.end
        middle = (part.begin + part.end) // 2
        changes["window"] = (part.begin, part.end)
        changes["time"] = state.time if inside else middle
    return changes


class _View(QTreeView):
    """The list, with columns that suit its width."""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leave names room in a narrow list."""
        widths = next(w for least, w in WIDTHS.items() if self.width() >= least)
        for column, width in enumerate(widths[1:], 1):
            self.header().resizeSection(column, width)
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # names take one line or two


class _Delegate(QStyledItemDelegate):
    """Draws a row: name and other names, two bars, a number."""

    def __init__(self, session: Session, view: QTreeView) -> None:
        super().__init__(view)
        self._session = session
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Rows with a remark are taller, and those whose name needs two lines."""
        del option
        row: MatchRow = index.data(ROW)
        return QSize(40, (40 if row.remark else 28) + self._more(row))

    def _more(self, row: MatchRow) -> int:
        """Height of a second line of the name, 0 if it fits into one."""
        if row.section:
            return 0
        width = QFontMetrics(font(13, 600)).horizontalAdvance(row.texts[0])
        return LINE if width > self._view.columnWidth(0) - 12 else 0

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw a cell."""
        row: MatchRow = index.data(ROW)
        theme = THEMES[self._session.state.view.theme]
        rect: QRect = option.rect
        shown = row.match == self._shown_match() and row.match >= 0
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        if shown or over:
            back = theme.selected if shown else theme.window
            painter.fillRect(rect, QColor(back))
        middle = rect.top() + (13 if row.remark else rect.height() / 2)
        if index.column() == 0:
            self._paint_name(painter, rect, row, shown=shown)
        elif index.column() < 3:
            share = row.edges if index.column() == 1 else row.bytes
            if share is not None and rect.width() > NUMBER + 8:
                track = QRectF(rect.left() + 2, middle - 2.5, rect.width() - NUMBER, 5)
                painter.fillRect(
                    track, QColor(theme.rule if shown or over else theme.hairline)
                )
                track.setWidth(track.width() * share)
                painter.fillRect(track, QColor(theme.text2))
            colour = theme.text3 if share is None else theme.text
            self._paint_right(painter, rect, middle, row.texts[index.column()], colour)
        else:
            colour = theme.text if row.unused else theme.text3
            self._paint_right(painter, rect, middle, row.texts[3], colour)
        if row.remark:
            self._paint_remark(painter, rect, row)
        painter.restore()

    def _shown_match(self) -> int:
        state = self._session.state
        found = state.analysis.identification if state.analysis else None
        return min(state.view.match, len(choices(found)) - 1) if found else -1

    def _paint_name(
        self, painter: QPainter, rect: QRect, row: MatchRow, *, shown: bool
    ) -> None:
        theme = THEMES[self._session.state.view.theme]
        height = 18 + self._more(row) if row.remark else rect.height()
        top = rect.top() + (4 if row.remark else 0)
        area = QRectF(rect.left() + 12, top, rect.width() - 12, height)
        if row.section:
            painter.setFont(font(12, 600))
            painter.setPen(QColor(theme.text2))
            mark = "\u25b8" if row.folded else "\u25be"
            painter.drawText(area, LEFT | MIDDLE, f"{mark} {row.texts[0]}")
            return
        painter.setFont(font(13, 600 if shown else 400))
        painter.setPen(QColor(theme.text))
        if self._more(row):
            painter.drawText(area, int(LEFT | MIDDLE | WRAPPED), row.texts[0])
            return
        painter.drawText(area, LEFT | MIDDLE, row.texts[0])

    def _paint_remark(self, painter: QPainter, rect: QRect, row: MatchRow) -> None:
        """Draw a cell's share of the second line, which runs through all columns."""
        theme = THEMES[self._session.state.view.theme]
        painter.setFont(font(11))
        painter.setPen(QColor(theme.text2))
        painter.setClipRect(rect)
        top = rect.top() + 21 + self._more(row)
        wide = QRectF(12, top, self._view.viewport().width() - 20, 16)
        cut = painter.fontMetrics().elidedText(
            row.remark, Qt.TextElideMode.ElideRight, int(wide.width())
        )
        painter.drawText(wide, LEFT | MIDDLE, cut)

    def _paint_right(
        self,
        painter: QPainter,
        rect: QRect,
        middle: float,
        text: str,
        colour: str,
    ) -> None:
        painter.setFont(font(12))
        painter.setPen(QColor(colour))
        area = QRectF(rect.left(), middle - 9, rect.width() - 8, 18)
        painter.drawText(area, RIGHT | MIDDLE, text)


def _dress_header(header: QHeaderView) -> None:
    header.setFixedHeight(25)
    header.setFont(font(12))
    header.setSectionsClickable(False)
    header.setMinimumSectionSize(30)
    header.setStretchLastSection(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in range(1, len(COLUMNS)):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
