"""The topology panel: the list of matches, and the explanation of the answer."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextEdit,
    QWidget,
)

from topoview.base.text import NOT_KNOWN, duration_text, tr
from topoview.live.plan_page import plan_page
from topoview.live.waits.delays import telling_time
from topoview.model import (
    Analysis,
    Column,
    Floats,
    Identification,
    LevelSteps,
    Schema,
    Table,
    words,
)
from topoview.report.blocks import Page
from topoview.report.identification.steps import steps_page
from topoview.report.write import page_html
from topoview.scene.palette import THEMES, Theme
from topoview.session import Selection, Session, State, changes_to_match, choices
from topoview.ui.panels.empty import why_no_topology
from topoview.ui.panels.options import TopologyOptions
from topoview.ui.panels.topology.rows import MatchRow, match_rows
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.formats import crossed_text
from topoview.ui.widgets.panel import PointedThing, TablePanel
from topoview.ui.widgets.table import TableView
from topoview.ui.widgets.theme import font, letter

MATCHES: Final = Schema(
    Column(
        "topology",
        "",
        tr("topology"),
        tr("Topologies of the library, the best match first"),
        ordered=True,
    ),
    Column(
        "edges",
        "share",
        tr("edges"),
        tr("Share of the communicating pairs that the topology explains"),
        missing=NOT_KNOWN,
    ),
    Column(
        "bytes",
        "share",
        tr("bytes"),
        tr("Share of the bytes that the topology carries"),
        missing=NOT_KNOWN,
    ),
    Column(
        "missing",
        "",
        tr("missing"),
        tr("Edges of the topology that were not seen"),
        missing=NOT_KNOWN,
    ),
    Column("remark"),
)
SHOWN: Final = ("topology", "edges", "bytes", "missing")

Index = QModelIndex | QPersistentModelIndex


class PageView(QTextEdit):
    """Shows a page; text can be selected, copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: object = None
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(12)
        self.setFont(font(12))

    def show_page(self, page: Page, theme: Theme) -> None:
        """Show a page in the colours of a theme; it stays where it was scrolled."""
        if (page, theme) == self._shown:
            return
        self._shown = page, theme
        at = self.verticalScrollBar().value()
        html = page_html(page, theme.text2, theme.accent, theme.hairline)
        self.setHtml(crossed_text(html))
        self.verticalScrollBar().setValue(at)


PageName = Literal["plan", "why"]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page about what was identified."""

    page: PageName
    analysis: Analysis = field(compare=False)
    identification: Identification
    waits: tuple[object, ...]
    """What a plan's page counts, too, as far as it is there."""

    def answer(self, _: object) -> tuple[PageName, Page]:
        """Write it."""
        if self.page == "plan":
            return self.page, plan_page(self.analysis)
        return self.page, steps_page(find_steps(self.analysis), self.identification)


def find_steps(analysis: Analysis) -> tuple[LevelSteps, ...]:
    """Find why the topology was found, behind the wall unless it is kept."""
    from topoview.worker import results_of

    result: tuple[LevelSteps, ...] = results_of(analysis.trace, ["why"])["why"]
    return result


def shown_page(state: State) -> Literal["matches", "plan", "why"]:
    """Return which page is shown: the plan at first if it says more than the answer."""
    analysis, page = state.analysis, state.of(TopologyOptions).page
    identification = analysis.identification if analysis is not None else None
    if page == "plan" and (identification is None or identification.plan is None):
        return "matches"
    if page:
        return page
    leads = identification is not None and identification.leading_plan is not None
    return "plan" if leads else "matches"


NUMBER_WIDTH = 54
"""Room for a share beside its bar; a narrow list has no bars."""

LINE_HEIGHT = 16
"""Height of a further line of a name."""

WRAP_FLAG = Qt.TextFlag.TextWordWrap
ALIGN_LEFT, ALIGN_RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
ALIGN_MIDDLE = Qt.AlignmentFlag.AlignVCenter

NARROW_LIST = 380
"""Pixels below which a list has no bars."""


class _MatchList(TableView):
    """The list, with columns that suit its width."""

    def fit(self) -> None:
        """Leave names room in a narrow list."""
        numbers = 76 if self.width() >= NARROW_LIST else 54
        heads = self.horizontalHeader()
        for column, width in enumerate((0, numbers, numbers, 70)[: heads.count()]):
            mode = QHeaderView.ResizeMode
            heads.setSectionResizeMode(column, mode.Fixed if column else mode.Stretch)
            if column:
                self.setColumnWidth(column, width)
        self.resizeRowsToContents()  # names take one line or two

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns again."""
        super().resizeEvent(event)
        self.fit()


class TopologyPanel(TablePanel[PageRequest, tuple[PageName, Page]]):
    """Lists the matches and the parts; a click shows one in all panels."""

    PARTS = ("analysis", "opening", "match", "theme", TopologyOptions)
    NAME = tr("Matches")
    COLUMNS = SHOWN
    VIEW = _MatchList

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.rows: list[MatchRow] = []
        self._listed: tuple[Identification | None, frozenset[str]] = None, frozenset()
        self.view.setItemDelegate(_MatchDelegate(session, self.view, self))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setMouseTracking(True)
        heads = self.view.horizontalHeader()
        heads.setFixedHeight(25)
        heads.setSectionsClickable(False)
        self.model.tip = lambda row, _: self.rows[row].tip
        self.page = PageView(self.content)
        self.column.addWidget(self.page, 1)
        self.pages = Segmented(None, session.setter(TopologyOptions, "page"))
        self.dock_bar.add_control(self.pages)

    def request(self, state: State) -> PageRequest | None:
        """Ask for a page once somebody looks at it."""
        analysis, page = state.analysis, shown_page(state)
        if analysis is None or analysis.identification is None:
            return None
        if page == "matches":
            return self.requested
        waits = (analysis.waits, analysis.wait_sums) if page == "plan" else ()
        return PageRequest(page, analysis, analysis.identification, waits)

    def clear(self) -> None:
        """Leave the list alone: it follows the state."""

    def show_state(self, state: State) -> None:
        """List the matches, or show the reasons for them."""
        options, analysis = state.of(TopologyOptions), state.analysis
        identification = None if analysis is None else analysis.identification
        if (identification, options.turned) != self._listed:
            bar, same = self.view.verticalScrollBar(), identification is self._listed[0]
            at = bar.value() if same else 0
            self._listed = identification, options.turned
            self.rows = match_rows(analysis, options.turned)
            self.show_table(match_table(self.rows))
            bar.setValue(at)
        self.view.viewport().update()  # another row may be the one that is shown
        page = shown_page(state)
        if self.result is not None and self.result[0] == page:
            self.page.show_page(self.result[1], THEMES[state.theme])
        self.view.setVisible(page == "matches")
        self.page.setVisible(page != "matches")
        titles = {"matches": tr("Matches"), "plan": tr("Plan"), "why": tr("Why")}
        if identification is None or identification.plan is None:
            del titles["plan"]
        self.page.setAccessibleName(titles.get(page, ""))
        self.pages.offer(titles, page)
        self.pages.setVisible(identification is not None)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there are no matches, or that reasons are being worked out."""
        reason = why_no_topology(state.analysis, going_on=state.opening is not None)
        page = shown_page(state)
        here = self.result is not None and self.result[0] == page
        if not reason[0] and page != "matches" and not here:
            return tr("Working it out…"), ""
        return reason

    def remark(self) -> tuple[str, str]:
        """Return how long the identification took."""
        analysis = self.session.state.analysis
        if analysis is None or analysis.identification is None:
            return "", ""
        short = _short_text(analysis.identification)
        more = tr("Time that it took to identify the topology")
        return tr("identified in {short}", short=short), more

    def sort_by(self, name: str) -> None:
        """Sort nothing: the best match stays first."""

    def choose(self, place: int) -> None:
        """Show the match of a row, or fold and unfold a section."""
        row = self.rows[place]
        if row.section:
            turned = self.session.state.of(TopologyOptions).turned ^ {row.section}
            self.session.change(TopologyOptions, turned=turned)
        elif row.match >= 0:
            self.session.update(**changes_of_row(row, self.session.state))

    def listing(self) -> Table | None:
        """Return the matches and parts that are listed."""
        rows = [row for row in self.rows if not row.section]
        return match_table(rows) if rows else None

    def ask_menu(self, at: QPoint) -> None:
        """Ask for the menu about a match, and show it."""
        index = self.view.indexAt(at)
        title = ""
        if index.isValid():
            row = self.rows[index.row()]
            title = row.name
            if row.match >= 0 and row.match != self.session.state.match:
                self.choose(index.row())
        self.menu_asked.emit(PointedThing(title), self.view.viewport().mapToGlobal(at))


def match_table(rows: Sequence[MatchRow]) -> Table:
    """Return matches and parts as a table."""

    def numbers(values: Iterable[float | None]) -> Floats:
        return np.array([math.nan if v is None else v for v in values])

    return Table(
        MATCHES,
        {
            "topology": words([row.name for row in rows]),
            "edges": numbers(row.edges for row in rows),
            "bytes": numbers(row.bytes for row in rows),
            "missing": numbers(row.missing for row in rows),
            "remark": words([row.remark for row in rows]),
        },
    )


def changes_of_row(row: MatchRow, state: State) -> dict[str, Any]:
    """Return what changes in the session if a row is chosen.

    A match of the whole run is shown as it is; a part also with its time window,
    and its ranks selected unless it has all of them.
    """
    changes = changes_to_match(state, row.match)
    part = row.part
    if part is None or state.analysis is None:
        return changes
    everyone = len(part.ranks) == state.analysis.trace.ranks
    ranks = () if everyone else tuple(part.ranks.tolist())
    changes["selection"] = Selection(ranks=ranks)
    if part.end > part.begin:
        changes["window"] = window = part.begin, part.end
        if not window[0] <= state.time <= window[1]:
            changes["time"] = telling_time(state.analysis, window)
    return changes


class _MatchDelegate(QStyledItemDelegate):
    """Draws a row: name and other names, two bars, a number."""

    def __init__(
        self, session: Session, view: TableView, panel: "TopologyPanel"
    ) -> None:
        super().__init__(view)
        self._session, self._view, self._panel = session, view, panel

    def sizeHint(self, _: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows with a remark are taller, and those whose name needs two lines."""
        row = self._panel.rows[index.row()]
        return QSize(40, (40 if row.remark else 28) + self._more(row))

    def _more(self, row: MatchRow) -> int:
        """Height of further lines of the name, 0 if it fits into one."""
        if row.section:
            return 0
        width = self._view.columnWidth(0) - 12
        area = QRect(0, 0, max(width, 1), 1 << 16)
        needed = QFontMetrics(font(13, 600)).boundingRect(
            area, int(ALIGN_LEFT | WRAP_FLAG), row.name
        )
        return LINE_HEIGHT * (round(needed.height() / LINE_HEIGHT) - 1)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw a cell."""
        row = self._panel.rows[index.row()]
        text = "" if row.section else str(index.data() or "")
        theme = THEMES[self._session.state.theme]
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
            if share is not None and rect.width() > NUMBER_WIDTH + 8:
                track = QRectF(
                    rect.left() + 2, middle - 2.5, rect.width() - NUMBER_WIDTH, 5
                )
                painter.fillRect(
                    track, QColor(theme.rule if shown or over else theme.hairline)
                )
                track.setWidth(track.width() * share)
                painter.fillRect(track, QColor(theme.text2))
            colour = theme.text3 if share is None else theme.text
            self._paint_right(painter, rect, middle, text, colour)
        else:
            colour = theme.text if row.missing else theme.text3
            self._paint_right(painter, rect, middle, text, colour)
        if row.remark:
            self._paint_remark(painter, rect, row)
        painter.restore()

    def _shown_match(self) -> int:
        state = self._session.state
        identification = state.analysis.identification if state.analysis else None
        return (
            min(state.match, len(choices(identification)) - 1) if identification else -1
        )

    def _paint_name(
        self, painter: QPainter, rect: QRect, row: MatchRow, *, shown: bool
    ) -> None:
        theme = THEMES[self._session.state.theme]
        height = 18 + self._more(row) if row.remark else rect.height()
        top = rect.top() + (4 if row.remark else 0)
        area = QRectF(rect.left() + 12, top, rect.width() - 12, height)
        if row.section:
            letter(painter, font(12, 600), theme.text2)
            mark = "\u25b8" if row.folded else "\u25be"
            painter.drawText(area, ALIGN_LEFT | ALIGN_MIDDLE, f"{mark} {row.name}")
            return
        letter(painter, font(13, 600 if shown else 400), theme.text)
        if self._more(row):
            painter.drawText(area, int(ALIGN_LEFT | ALIGN_MIDDLE | WRAP_FLAG), row.name)
            return
        painter.drawText(area, ALIGN_LEFT | ALIGN_MIDDLE, row.name)

    def _paint_remark(self, painter: QPainter, rect: QRect, row: MatchRow) -> None:
        """Draw a cell's share of the second line, which runs through all columns."""
        theme = THEMES[self._session.state.theme]
        letter(painter, font(11), theme.text2)
        painter.setClipRect(rect)
        top = rect.top() + 21 + self._more(row)
        wide = QRectF(12, top, self._view.viewport().width() - 20, 16)
        cut = painter.fontMetrics().elidedText(
            row.remark, Qt.TextElideMode.ElideRight, int(wide.width())
        )
        painter.drawText(wide, ALIGN_LEFT | ALIGN_MIDDLE, cut)

    def _paint_right(
        self,
        painter: QPainter,
        rect: QRect,
        middle: float,
        text: str,
        colour: str,
    ) -> None:
        letter(painter, font(12), colour)
        area = QRectF(rect.left(), middle - 9, rect.width() - 8, 18)
        painter.drawText(area, ALIGN_RIGHT | ALIGN_MIDDLE, text)


def _short_text(identification: Identification) -> str:
    milliseconds = identification.seconds * 1e3
    if 1 <= milliseconds < 100:
        return tr("{milliseconds:.0f} ms", milliseconds=milliseconds)
    return duration_text(identification.seconds)
