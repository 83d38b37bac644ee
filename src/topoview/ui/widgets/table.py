"""The one table of the window: any `Table` in rows, sorted, searched, copied."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from topoview.base.text import MINUS, NOT_KNOWN, tr
from topoview.model import PAGE_ROWS, Column, Ints, LazyTable, Schema, Table
from topoview.scene.palette import HEEL_SHARE, THEMES, Theme
from topoview.session import Picked, Session
from topoview.ui.widgets.formats import moment_text, name_text, tip_text
from topoview.ui.widgets.theme import LEFT, RIGHT, font, text_width

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

NO_TABLE: Final = Table(Schema(), {})
MAX_PAGES: Final = 16
"""Pages of a lazy table that are kept: what is seen, and some around it."""

DEPTH: Final = "depth"
"""Column that tells how far below others a row of a tree is."""

INDENT: Final = "    "
FOLD_WIDTH: Final = 16
"""Pixels in which a click on a row of a tree folds it, for each depth."""

MAX_WIDTH: Final = 190
"""Pixels of a column at first."""

LEAST_NAME: Final = 110
"""Pixels that hidden columns leave to names at least: for eleven letters."""

TOPOLOGIES: Final = ("topology", "shape")
"""Columns of names of topologies, which are set with crosses."""

MEASURED_ROWS: Final = 1000
"""First rows to whose cells columns are fitted."""

CELL_MARGINS: Final = 4
ROW_HEIGHT: Final = 22
SWATCH: Final = 8
BAR_WIDTH, BAR_GAP = 34, 8
"""Pixels of the bar beside a number, and between them."""


class TableModel(QAbstractTableModel):
    """Rows of a table in an order of their own.

    A row has a number in the table, and a place where it is shown.
    """

    page_asked = Signal(int)
    """A page of a lazy table is seen which is not there yet."""

    def __init__(
        self, session: Session, *, apart: bool = False, sorted_by: str = ""
    ) -> None:
        """Show nothing yet; pages of lazy tables may be made `apart`, in a thread."""
        super().__init__()
        self._session, self._apart = session, apart
        self.table = NO_TABLE
        self.signed = False
        self.mono = False
        self.names: tuple[str, ...] = ()
        """Names of the columns that are shown."""
        self._order: Ints | None = None
        self._sorted = (sorted_by, True) if sorted_by else None
        self._words = ""
        self._folded: set[int] = set()
        self.marked: frozenset[int] = frozenset()
        """Numbers of the rows that stand out."""
        self._pages: OrderedDict[int, Table] = OrderedDict()
        self._most: dict[str, float] = {}
        self.colour: Callable[[int], str] | None = None
        self.heel: Callable[[int], str | None] | None = None
        self.tip: Callable[[int, str], str] | None = None
        self.left_out: tuple[str, ...] = ()
        """Columns for which there is no room; tips of the leading one say them."""

    # What is shown

    def show(  # noqa: PLR0913
        self,
        table: Table,
        *,
        columns: Sequence[str] = (),
        signed: bool = False,
        by: tuple[str, bool] | None = None,
        most: Mapping[str, float] | None = None,
        first: Table | None = None,
    ) -> None:
        """Show another table, sorted and searched as before.

        Parameters
        ----------
        columns
            Those that are shown; all if empty.
        signed
            Whether numbers are differences.
        by
            Column to sort by, and whether it descends; lazy tables are sorted so.
        most
            Greatest numbers of columns with bars, of a lazy table.
        first
            First page of a lazy table, which was computed apart.
        """
        self.beginResetModel()
        self.table, self.signed = table, signed
        self.names = tuple(name for name in columns or table.names)
        self._pages.clear()
        if first is not None:
            self._keep(0, first)
        self.marked = frozenset()
        self._sorted = by or self._sorted
        self._most = dict(most or {})
        if not isinstance(table, LazyTable):
            self._most = {
                column.name: float(np.nanmax(table.numbers(column.name)))
                for column in table.columns
                if column.bar and len(table)
            }
        self._arrange()
        self.endResetModel()

    def search(self, words: str) -> None:
        """Show only rows in whose leading column these letters stand."""
        self.beginResetModel()
        self._words = words.strip().casefold()
        self._arrange()
        self.endResetModel()

    def sort_by(self, name: str) -> None:
        """Sort by a column: as suits it, the other way the next time."""
        again = self._sorted is not None and self._sorted[0] == name
        as_tree = DEPTH in self.table.names and name == self.lead
        first = name not in self.table.names or self.table.is_amount(name)
        self.beginResetModel()
        down = not self._sorted[1] if again and self._sorted else first
        self._sorted = None if as_tree else (name, down)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        self._order = None
        if isinstance(self.table, LazyTable) or not self.names:
            return
        by, descending = self._sorted or ("", False)
        if by in self.table.names:
            self._order = self.table.order(by, descending=descending)
        elif self.is_tree and not self._words:
            self._order = self._unfolded()
        if self._words:
            rows = np.arange(len(self.table)) if self._order is None else self._order
            names, column = self.table[self.lead], self.table.schema[self.lead]
            texts = (column.text(str(name)) for name in names[rows])
            keep = [self._words in text.casefold() for text in texts]
            self._order = rows[np.array(keep, bool)]

    # Rows below others: of a table with a column `depth`, as long as it is not sorted

    @property
    def is_tree(self) -> bool:
        """Whether rows stand below others."""
        by = self._sorted[0] if self._sorted is not None else ""
        return DEPTH in self.table.names and by not in self.table.names

    def has_rows_below(self, row: int) -> bool:
        """Return whether other rows stand below one."""
        depth = self.table[DEPTH][row : row + 2].tolist()
        return len(depth) > 1 and depth[1] > depth[0]

    def _unfolded(self) -> Ints:
        """Return the rows that are below no folded one: int64."""
        rows, hidden_below = [], sys.maxsize
        for row, depth in enumerate(self.table[DEPTH].tolist()):
            if depth > hidden_below:
                continue
            hidden_below = depth if row in self._folded else sys.maxsize
            rows.append(row)
        return np.array(rows, np.int64)

    def fold(self, rows: Iterable[int]) -> None:
        """Fold these rows, and unfold all others."""
        self.beginResetModel()
        self._folded = set(rows)
        self._arrange()
        self.endResetModel()

    def turn(self, row: int) -> None:
        """Fold a row, or unfold it."""
        self.fold(self._folded ^ {row})

    @property
    def folded(self) -> frozenset[int]:
        """Numbers of the rows that are folded."""
        return frozenset(self._folded)

    def _indent(self, place: int) -> str:
        """Return what stands before the name of a row of a tree."""
        row = self.row(place)
        mark = "   "
        if self.has_rows_below(row):
            mark = "\u25b8 " if row in self._folded else "\u25be "
        return INDENT * int(self.table[DEPTH][row]) + mark

    @property
    def lead(self) -> str:
        """Name of the column that says what a row is: the first one of names."""
        words = (name for name in self.names if self._is_words(name))
        return next(words, self.names[0] if self.names else "")

    def _is_words(self, name: str) -> bool:
        return self.table.is_words(name)

    def mark(self, rows: frozenset[int]) -> None:
        """Let rows, by their numbers, stand out."""
        changed, self.marked = self.marked ^ rows, rows
        for row in changed:
            place = self.place(row)
            if 0 <= place < self.rowCount():
                ends = self.index(place, 0), self.index(place, len(self.names) - 1)
                self.dataChanged.emit(*ends)

    def refresh(self) -> None:
        """Draw all anew: the theme or what times count from is another."""
        if count := self.rowCount():
            ends = self.index(0, 0), self.index(count - 1, len(self.names) - 1)
            self.dataChanged.emit(*ends)

    def rows(self) -> Table:
        """Return the rows as they are shown, with all columns."""
        return self.table if self._order is None else self.table.take(self._order)

    def column(self, name: str) -> Column:
        """Return what a column is."""
        return self.table.schema[name]

    @property
    def theme(self) -> Theme:
        """Colours of the window."""
        return THEMES[self._session.state.theme]

    @property
    def all_there(self) -> bool:
        """Whether rows say what they hold as soon as they are seen."""
        return not (self._apart and isinstance(self.table, LazyTable))

    # Cells

    def row(self, place: int) -> int:
        """Return the number of the row that is shown at a place."""
        return place if self._order is None else int(self._order[place])

    def place(self, row: int) -> int:
        """Place where a row is shown; -1 if it is not."""
        if self._order is None:
            return row
        at = np.flatnonzero(self._order == row)
        return int(at[0]) if len(at) else -1

    def value(self, place: int, name: str) -> object:
        """Return what a cell holds; None for what is not known, or not there yet."""
        row = self.row(place)
        if not isinstance(self.table, LazyTable):
            return self.table.cell(row, name)
        page = self._page(row // PAGE_ROWS)
        return None if page is None else page.cell(row % PAGE_ROWS, name)

    def _page(self, number: int) -> Table | None:
        page = self._pages.get(number)
        if page is None and self._apart:
            self.page_asked.emit(number)
        elif page is None:
            first = number * PAGE_ROWS
            page = self.table.take(slice(first, first + PAGE_ROWS))
            self._keep(number, page)
        return page

    def _keep(self, number: int, page: Table) -> None:
        self._pages[number] = page
        while len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)

    def take_page(self, number: int, page: Table) -> None:
        """Store a page that was computed apart."""
        self._keep(number, page)
        first = number * PAGE_ROWS
        last = min(first + PAGE_ROWS, self.rowCount()) - 1
        if last >= first:
            ends = self.index(first, 0), self.index(last, len(self.names) - 1)
            self.dataChanged.emit(*ends)

    def text(self, place: int, name: str) -> str:
        """Write a cell."""
        value, column = self.value(place, name), self.table.schema[name]
        if isinstance(value, str) and name in TOPOLOGIES:
            return name_text(value)
        if isinstance(value, float) and column.unit == "at":
            return moment_text(value, self._session.state) or column.text(value)
        if self.signed and isinstance(value, (int, float)) and name != self.lead:
            sign = {True: "+", False: MINUS}[value > 0] if value else ""
            return sign + column.text(abs(value))
        return column.text(value)

    def shown_text(self, place: int, name: str) -> str:
        """Write a cell as it is shown: the name of a row of a tree is indented."""
        indent = self._indent(place) if name == self.lead and self.is_tree else ""
        return indent + self.text(place, name)

    def share(self, place: int, name: str) -> float:
        """How a number compares with the greatest one of its column."""
        value = self.value(place, name)
        is_number = isinstance(value, (int, float))
        return float(value) / (self._most.get(name, 0) or 1) if is_number else 0.0  # type: ignore[arg-type]

    # What Qt asks

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the rows."""
        if parent is not None and parent.isValid():
            return 0
        return len(self.table) if self._order is None else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(self.names)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Return a column's title, with an arrow where rows are sorted by it."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.table.schema[self.names[section]]
        if role == Role.DisplayRole:
            by, descending = self._sorted or ("", False)
            arrow = " \u2193" if descending else " \u2191"
            return column.heading + arrow * (by == column.name)
        if role == Role.ToolTipRole:
            return column.tip if column.name != self.lead else self._heading_tip
        if role == Role.FontRole:
            return font(12)
        return self._side(column.name) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return what a cell says, and how."""
        place, name = index.row(), self.names[index.column()]
        if role == Role.DisplayRole:
            return self.shown_text(place, name)
        if role == Role.TextAlignmentRole:
            return self._side(name)
        if role == Role.ToolTipRole:
            tip = self.tip(self.row(place), name) if self.tip is not None else ""
            further = self.left_out if name == self.lead else ()
            tips = (tip or self.text(place, name), *self._cells(place, further))
            return tip_text("\n".join(tips))
        if role == Role.DecorationRole and name == self.lead and self.colour:
            return QColor(self.colour(self.row(place)))
        marked = bool(self.marked) and self.row(place) in self.marked
        if role == Role.FontRole and (marked or self.mono) and name == self.lead:
            return font(12, 600 if marked else 400, mono=self.mono)
        if role == Role.BackgroundRole and marked:
            return QColor(self.theme.selected)
        return None

    def _cells(self, place: int, names: Sequence[str]) -> list[str]:
        """Write cells of a row with the titles of their columns."""
        return [
            f"{self.column(name).heading}: {self.text(place, name) or NOT_KNOWN}"
            for name in names
        ]

    @property
    def _heading_tip(self) -> str:
        """What the leading column tells, and what a wider panel shows besides."""
        further = ", ".join(self.table.schema[name].heading for name in self.left_out)
        wider = tr("In a wider panel: {columns}", columns=further) if further else ""
        tips = self.table.schema[self.lead].tip, wider
        return "\n".join(tip for tip in tips if tip)

    def _side(self, name: str) -> Qt.AlignmentFlag:
        return LEFT if self._is_words(name) else RIGHT


class TableView(QTableView):
    """The rows; a click on a title sorts by it, one on a row tells its place."""

    chosen = Signal(int)
    """Place of the row that was clicked, or that Enter was pressed on."""

    def __init__(
        self,
        model: TableModel,
        name: str,
        parent: QWidget,
        *,
        sort: Callable[[str], None] | None = None,
        fitting: Sequence[str] = (),
    ) -> None:
        """Show a model's rows.

        Parameters
        ----------
        name
            What screen readers call it.
        sort
            Sorts by a column; None: the model does.
        fitting
            Columns beside the leading one that matter most, in order; all others follow
            as they stand. Those are shown that fit: no table scrolls sideways.
        """
        super().__init__(parent)
        self._rows, self._fitting = model, tuple(fitting)
        self._shown: tuple[str, ...] = ()
        self._widths: dict[str, int] = {}
        """Pixels that columns take, whatever room there is."""
        self._all_letters: dict[str, int] = {}
        """Pixels of all that columns of words say."""
        self.setModel(model)
        self.setItemDelegate(BarDelegate(model, self))
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setFont(font(12))
        self.setTabKeyNavigation(False)  # arrows do; Tab leads on to the next control
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionsClickable(True)
        heads.setMinimumSectionSize(30)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        sort_by = sort or model.sort_by
        heads.sectionClicked.connect(lambda column: sort_by(model.names[column]))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._clicked)
        self.activated.connect(lambda index: self.chosen.emit(index.row()))
        copy = QAction(tr("Copy"), self)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(lambda: self.copy())
        self.addAction(copy)
        model.modelReset.connect(self.fit)

    def fit(self) -> None:
        """Widen columns to what they need; the same ones get never narrower."""
        names, heads = self._rows.names, self.horizontalHeader()
        same, self._shown = names == self._shown, names
        for column, name in enumerate(names):
            self.setColumnHidden(column, False)  # a hidden one has no size
            hint = self._first_cells_width(column, name)
            contents = self._contents_width(column, name, hint)
            width = max(contents, heads.sectionSizeHint(column)) + CELL_MARGINS
            if self._rows.table.is_words(name):
                self._all_letters[name] = max(hint + CELL_MARGINS, width)
            if same:
                width = max(width, self._widths.get(name, 0))
            self._widths[name] = width
            self.setColumnWidth(column, width)
            self.setColumnHidden(column, self._is_empty(name))
        self._choose_columns()

    def _first_cells_width(self, column: int, name: str) -> int:
        """Return the pixels that the widest of the first cells of a column takes.

        To ask Qt for each takes four times as long: of all texts only the widest, and
        the longest, whose font may be another, are laid out.
        """
        self.ensurePolished()  # the style's margins count
        model = self._rows
        count = min(model.rowCount(), MEASURED_ROWS)
        texts = [model.shown_text(place, name) for place in range(count)]
        widths = [text_width(text, 12) for text in texts]
        letters = [float(len(text)) for text in texts]
        places = {sizes.index(max(sizes)) for sizes in (widths, letters) if sizes}
        hints = (self.sizeHintForIndex(model.index(at, column)) for at in places)
        return max((hint.width() for hint in hints), default=0)

    def _contents_width(self, column: int, name: str, hint: int) -> int:
        """Return the pixels of words up to a limit, and of numbers: all they take."""
        model, table = self._rows, self._rows.table
        if table.is_words(name):
            letter = self.fontMetrics().averageCharWidth()
            return min(hint, model.column(name).letters * letter or MAX_WIDTH)
        if isinstance(table, LazyTable) or not len(table):
            return hint
        numbers = np.nan_to_num(table.numbers(name).astype(np.float64))
        ends = map(model.place, (int(numbers.argmin()), int(numbers.argmax())))
        cells = (model.index(place, column) for place in ends if place >= 0)
        return max(hint, *(self.sizeHintForIndex(cell).width() for cell in cells), 0)

    def _is_empty(self, name: str) -> bool:
        """Return whether no row has a number in a column that may be empty."""
        table = self._rows.table
        if not table.schema[name].sparse or isinstance(table, LazyTable):
            return False
        return not np.nan_to_num(table.numbers(name).astype(np.float64)).any()

    def _choose_columns(self) -> None:
        """Show the columns that fit beside the leading one, which takes the rest."""
        names = self._rows.names
        if not names:
            return
        lead, heads = self._rows.lead, self.horizontalHeader()
        has_names = self._rows.table.is_words(lead)
        room = self.viewport().width()
        of_lead = self._all_letters.get(lead, 0)
        least = LEAST_NAME if has_names else 0
        if has_names and self._rows.all_there:
            least = min(of_lead, max(least, room // 2 * self._rows.is_tree))
        room -= least
        left_out: list[str] = []
        shown: list[str] = []
        for name in dict.fromkeys((*self._fitting, *names)):
            if name not in names or (has_names and name == lead):
                continue
            empty = self._is_empty(name)
            room -= 0 if empty else self._widths.get(name, 0)
            self.setColumnHidden(names.index(name), empty or room < 0)
            if not empty:
                (left_out if room < 0 else shown).append(name)
        self._rows.left_out = tuple(sorted(left_out, key=names.index))
        room -= max(of_lead - least, 0) if has_names else 0
        for name in shown:  # what is left is for words that would be cut
            width = self._widths.get(name, 0)
            more = max(min(self._all_letters.get(name, 0) - width, room), 0)
            room -= more
            self.setColumnWidth(names.index(name), width + more)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        if has_names:
            stretch = QHeaderView.ResizeMode.Stretch
            heads.setSectionResizeMode(names.index(lead), stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave names room in a narrow panel."""
        super().resizeEvent(event)  # a scroll bar may come or go
        self._choose_columns()

    def _clicked(self, index: Index) -> None:
        """Fold a row whose mark is clicked; go to any other."""
        model, row = self._rows, self._rows.row(index.row())
        if model.is_tree and model.has_rows_below(row):
            left = self.columnViewportPosition(0)
            at = self.viewport().mapFromGlobal(QCursor.pos()).x() - left
            if 0 <= at < FOLD_WIDTH * (1 + int(model.table[DEPTH][row])):
                model.turn(row)
                return
        self.chosen.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to a row with Enter, on every platform, and to the next with arrows."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.chosen.emit(self.currentIndex().row())
            return
        place, key = self.currentIndex().row(), event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and place >= 0:
            row = self._rows.row(place)
            is_open = row not in self._rows.folded
            if self._rows.is_tree and is_open == (key == Qt.Key.Key_Left):
                self._rows.turn(row)
                self.setCurrentIndex(self._rows.index(self._rows.place(row), 0))
                return
        super().keyPressEvent(event)
        now, modes = self.currentIndex().row(), QAbstractItemView.SelectionMode
        alone = len(self.selectionModel().selectedRows()) == 1
        if alone and now != place and self.selectionMode() != modes.NoSelection:
            self.chosen.emit(now)

    def title(self, place: int) -> str:
        """Return what the row at a place is called."""
        return self._rows.text(place, self._rows.lead)

    def link(self, index: Index) -> Picked:
        """Return what a cell names that can be gone to; nothing for most."""
        name = self._rows.names[index.column()]
        value, kind = self._rows.value(index.row(), name), self._rows.column(name).link
        there = isinstance(value, int) and value >= 0
        return Picked(kind, int(value)) if kind and there else Picked()  # type: ignore[call-overload]

    def point_at(self, row: int) -> None:
        """Select the row of a number, and show it; none if it is not shown."""
        place = self._rows.place(row) if row >= 0 else -1
        chosen = self.selectionModel()
        if place < 0:
            self.clearSelection()
        elif self.currentIndex().row() != place or (
            not chosen.isRowSelected(place, QModelIndex())
        ):
            self.selectRow(place)

    def copy(self, places: Sequence[int] | None = None) -> int:
        """Put rows on the clipboard, columns apart by tabs, numbers without units.

        The selected ones, else the current one, else all. Returns their number.
        """
        if places is None:
            chosen = self.selectionModel().selectedRows()
            current = self.currentIndex()
            places = sorted(index.row() for index in chosen) or (
                [current.row()] if current.isValid() else range(self._rows.rowCount())
            )
        names = self._rows.names
        lines = ["\t".join(names)]
        for place in places:
            cells = (self._rows.value(place, name) for name in names)
            lines.append("\t".join("" if c is None else str(c) for c in cells))
        QGuiApplication.clipboard().setText("\n".join(lines))
        return len(lines) - 1


class BarDelegate(QStyledItemDelegate):
    """Draws a bar beside each number of a column that has bars; no part of a number."""

    def __init__(self, model: TableModel, view: TableView) -> None:
        super().__init__(view)
        self._rows, self._view = model, view

    def _has_bar(self, index: Index) -> bool:
        return self._rows.table.schema[self._rows.names[index.column()]].bar

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Leave room for the bar."""
        size = super().sizeHint(option, index)
        wide = BAR_WIDTH + BAR_GAP if self._has_bar(index) else 0
        return QSize(size.width() + wide, size.height())

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Write no number of which only a part is seen: it would be another one."""
        super().initStyleOption(option, index)
        if self._view.selectionMode() != QAbstractItemView.SelectionMode.NoSelection:
            option.state &= ~QStyle.StateFlag.State_HasFocus  # the row says it
        words = self._rows.table.is_words(self._rows.names[index.column()])
        if not words and self._is_cut(option.rect):
            option.text = "\u2026"
            option.rect = option.rect.intersected(self._view.viewport().rect())

    def _is_cut(self, cell: QRect) -> bool:
        """Return whether a cell is seen in part: it is scrolled."""
        seen = self._view.viewport().width()
        return cell.left() < 0 or cell.right() > seen

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw the cell, and the bar into it."""
        super().paint(painter, option, index)
        model, place = self._rows, index.row()
        if model.heel and model.names[index.column()] == model.lead:
            self._paint_heel(painter, option, index, model.heel(model.row(place)))
        if not self._has_bar(index) or self._is_cut(option.rect):
            return
        theme, rect = model.theme, option.rect
        track = QRectF(rect.left() + 4, rect.center().y() - 2, BAR_WIDTH, 5)
        painter.fillRect(track, QColor(theme.hairline))
        share = model.share(place, model.names[index.column()])
        track.setWidth(max(BAR_WIDTH * share, 1.0))
        colour = model.colour(model.row(place)) if model.colour else theme.text2
        painter.fillRect(track, QColor(colour))

    def _paint_heel(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
        heel: str | None,
    ) -> None:
        """Draw what a wait is for below its colour, as keys do."""
        if heel is None:
            return
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        box = self._view.style().subElementRect(
            QStyle.SubElement.SE_ItemViewItemDecoration, styled, self._view
        )
        low = round(box.height() * HEEL_SHARE)
        painter.fillRect(box.adjusted(0, box.height() - low, 0, 0), QColor(heel))
