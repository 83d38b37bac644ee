"""Model of the logical trace's tree: who is where now, and where time went."""

from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from topoview.base.text import duration_text, share_text, tr
from topoview.live.picking.line_filter import LineFilter, shown_lines
from topoview.model import (
    Analysis,
    Bools,
    ColumnData,
    Ints,
    Line,
    LogicalTrace,
    MeasuredLines,
    Table,
    joined_text,
    words,
)
from topoview.report.logical.lines import (
    CALL_KINDS,
    LINES,
    call_path_text,
    line_summary,
    logical_lines,
)
from topoview.report.waits.pages import LineWaits, line_waits
from topoview.session import Selection
from topoview.ui.panels.logical.tree import (
    RankPositions,
    SelectedRows,
    StatementTree,
    TreeNode,
    here_text,
    here_words,
    selected_rows,
    statements_of_edge,
)

COLUMN_TITLES = (
    tr("statement"),
    tr("at cursor"),
    tr("time (sum)"),
    tr("share"),
    tr("wait"),
    tr("caused"),
)
STATEMENT_COLUMN, HERE_COLUMN, TIME_COLUMN, SHARE_COLUMN = range(4)
WAIT_COLUMN, CAUSED_COLUMN = 4, 5
Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TOOL_TIP_ROLE = Qt.ItemDataRole.ToolTipRole


class LogicalModel(QAbstractItemModel):
    """Statements, loops, and groups of like calls."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree: StatementTree | None = None
        """The nodes, None while there is no logical trace."""
        self.longest = 0.0
        """Most seconds that a single statement took, or calls that are read as one."""
        self.marked: Ints = np.zeros(0, np.int64)
        """Statements that belong to the selected edge."""
        self.hidden = 0
        """Lines that the filter leaves out."""
        self.last_column = TIME_COLUMN
        """The last one that there is room for."""
        self._analysis: Analysis | None = None
        self._lines: tuple[Line, ...] = ()
        self._measured: MeasuredLines | None = None
        self._waits: LineWaits | None = None
        self._filter = LineFilter()
        self._seconds = np.zeros(1)
        self.ranks = RankPositions(0)
        """Where the ranks are."""
        self._framed: SelectedRows = SelectedRows()

    def show(self, analysis: Analysis | None) -> None:
        """Show another logical trace."""
        self.beginResetModel()
        logical = analysis.logical if analysis else None
        self._analysis = analysis if logical else None
        self._measured = analysis.measured if analysis else None
        self._lines = logical_lines(analysis)
        self.take_waits(analysis)
        self._plant()
        self.marked = np.zeros(0, np.int64)
        if analysis and logical:
            seconds = logical.ticks / analysis.trace.clock.resolution
            self._seconds = np.concatenate([[0.0], np.cumsum(seconds)])
            of_each = [
                self._seconds[line.last] - self._seconds[line.first]
                for line in self._lines
                if line.kind == "each"
            ]
            self.longest = max((float(s) for s in (*seconds, *of_each)), default=0.0)
            self.ranks = RankPositions(logical.statements)
        self.endResetModel()

    def measure(self, measured: MeasuredLines | None) -> None:
        """Store the figures of the logical trace that is shown."""
        self._measured = measured

    def take_waits(self, analysis: Analysis | None) -> None:
        """Sum up by line what is known of waits."""
        self._waits = None
        if analysis and analysis.logical and analysis.wait_sums:
            self._analysis = analysis
            inputs = analysis.wait_sums, analysis.delays, analysis.logical
            self._waits = line_waits(self._lines, *inputs)

    def filter(self, wanted: LineFilter) -> None:
        """Show only the lines that pass a filter."""
        self.beginResetModel()
        self._filter = wanted
        self._plant()
        self.endResetModel()

    def _plant(self) -> None:
        logical = self._analysis.logical if self._analysis else None
        self.tree, self.hidden = None, 0
        if logical is None or self._analysis is None:
            return
        kept: Bools | None = None
        if self._filter:
            shares = np.zeros(len(self._lines))
            if self._measured is not None:
                shares = self._measured.shares
            trace = self._analysis.trace
            kept = shown_lines(self._lines, self._filter, trace, logical, shares)
            self.hidden = len(self._lines) - int(kept.sum())
        self.tree = StatementTree(self._lines, logical.statements, kept)

    def move(self, ticks: int, ranks: tuple[int, ...]) -> bool:
        """Count the ranks in each statement at a time; tells whether that changed.

        `ranks` are the selected ones, counted for themselves as well.
        """
        if self._analysis is None or self._analysis.logical is None:
            return False
        return self.ranks.move(
            self._analysis.trace, self._analysis.logical, ticks, ranks
        )

    def choose(self, selection: Selection) -> None:
        """Frame what is selected."""
        self._framed = selected_rows(self.logical, selection)

    def is_framed(self, node: TreeNode) -> bool:
        """Return whether a row is what is selected."""
        if node.call:
            return node.first == self._framed.statement
        return self.lines_of(node) == self._framed.lines

    def is_inside(self, node: TreeNode) -> bool:
        """Return whether a row belongs to the loop, condition or group selected."""
        begin, end = self._framed.lines
        return begin <= node.line < end

    def lines_of(self, node: TreeNode) -> tuple[int, int]:
        """Return the first line of a row and the one after its last."""
        if node.kind == "group":
            return node.line, self.tree_end(node)
        return node.line, self._lines[node.line].end

    def selection_of(self, index: Index) -> dict[str, Any]:
        """Return what a row stands for in the session's selection."""
        node = self.node(index)
        if node.call:
            return {"statement": node.first}
        return {"lines": self.lines_of(node)}

    def index_of_selection(self, selection: Selection) -> QModelIndex:
        """Index of the row that is selected; none if there is no such row."""
        if self._framed.statement >= 0:
            return self.index_of(self._framed.statement)
        if selection.lines is None or self.tree is None:
            return QModelIndex()
        for number, node in enumerate(self.tree.nodes):
            if not node.call and self.lines_of(node) == selection.lines:
                return self.createIndex(node.row, 0, number)
        return QModelIndex()

    def indexes_folded(self, *, at_top: bool) -> list[QModelIndex]:
        """Return the indexes of calls read as one; of all, or at the top only."""
        tree = self.tree
        numbers = tree.folded if tree is not None else []
        return [
            self.createIndex(tree.place(number)[1], 0, number)
            for number in numbers
            if tree is not None and (not at_top or tree.place(number)[0] < 0)
        ]

    def indexes_of(self, lines: frozenset[int]) -> list[QModelIndex]:
        """Return the indexes of rows that can be folded, by their lines."""
        if self.tree is None or not lines:
            return []
        return [
            self.createIndex(node.row, 0, number)
            for number, node in enumerate(self.tree.nodes)
            if node.line in lines and self.tree.children[number]
        ]

    def mark(self, edge: tuple[int, int] | None) -> None:
        """Mark the statements of an edge."""
        self.marked = np.zeros(0, np.int64)
        if edge and self._analysis and self._analysis.logical:
            self.marked = statements_of_edge(self._analysis, edge)

    def node(self, index: Index) -> TreeNode:
        """Return the node of an index."""
        assert self.tree is not None
        return self.tree.node(index.internalId())

    def seconds(self, node: TreeNode) -> float:
        """Time of all ranks in the statements of a node."""
        if self._measured is not None and node.kind != "group":
            run = self._measured.statements.run
            share = float(self._measured.shares[node.line])
            return share * run / self._measured.trace.clock.resolution
        return float(self._seconds[node.last] - self._seconds[node.first])

    def waits(self, node: TreeNode, column: int) -> float:
        """Seconds that a node's calls waited, or caused; -1 if unknown."""
        if self._waits is None or self._analysis is None:
            return -1.0
        ticks = self._waits.waited if column == WAIT_COLUMN else self._waits.caused
        own = [node.line]
        if node.kind == "group":
            own = [
                k for k in range(*self.lines_of(node)) if self._lines[k].kind == "call"
            ]
        return float(ticks[own].sum()) / self._analysis.trace.clock.resolution

    @property
    def most_seconds(self) -> float:
        """Time of all ranks in all statements: no row has more."""
        return float(self._seconds[-1])

    @property
    def most_waits(self) -> float:
        """Seconds that all ranks waited in all statements; 0 if unknown."""
        sums = self._analysis.wait_sums if self._analysis else None
        if sums is None or self._analysis is None:
            return 0.0
        return sums.total / self._analysis.trace.clock.resolution

    def share(self, node: TreeNode) -> float:
        """Share of the run that the calls of a node take; -1 if unknown yet."""
        if self._measured is None or node.kind == "block":
            return -1.0
        run = self._measured.statements.run / self._measured.trace.clock.resolution
        return self.seconds(node) / run if run else 0.0

    def listing(self) -> Table | None:
        """Return all lines, with the time of all ranks once it is measured."""
        if self._analysis is None:
            return None
        texts = ["    " * line.depth + line.text for line in self._lines]
        data: dict[str, ColumnData] = {
            "line": np.arange(1, len(texts) + 1),
            "statement": words(texts),
        }
        measured, waits = self._measured, self._waits
        second = self._analysis.trace.clock.resolution
        if measured is not None and measured.shares is not None:
            shares = np.asarray(measured.shares)
            data["seconds"] = shares * measured.statements.run / second
            data["share"] = shares
        if waits is not None:
            data["wait_seconds"] = waits.waited / second
            data["caused_seconds"] = waits.caused / second
        return Table(LINES, data)

    def block_of(self, index: Index) -> QModelIndex:
        """Head of the block that a row uses."""
        used = self._lines[self.node(index).line].tokens
        top = self.tree.children[-1] if self.tree else []
        for number in reversed(top):
            node = self.tree.nodes[number] if self.tree else None
            if node and node.kind == "block" and self._lines[node.line].tokens == used:
                return self.createIndex(node.row, 0, number)
        return QModelIndex()

    def lines_below(self, index: Index) -> tuple[Line, ...]:
        """Lines of a row and of those below it."""
        begin, end = self.lines_of(self.node(index))
        return self._lines[begin:end]

    @property
    def logical(self) -> LogicalTrace | None:
        """The logical trace that is shown."""
        return self._analysis.logical if self._analysis else None

    def tree_end(self, node: TreeNode) -> int:
        """Line after the last one of a node."""
        assert self.tree is not None
        number = self.tree.node_of[node.last - 1]
        return self.tree.nodes[int(number)].line + 1

    def is_marked(self, node: TreeNode) -> bool:
        """Return whether a node holds a statement of the selected edge."""
        low, high = np.searchsorted(self.marked, (node.first, node.last))
        return bool(high > low)

    def index_of(self, statement: int) -> QModelIndex:
        """Index of a statement."""
        if self.tree is None or not 0 <= statement < len(self.tree.node_of):
            return QModelIndex()
        return self.index_of_node(int(self.tree.node_of[statement]))

    def index_of_node(self, number: int) -> QModelIndex:
        """Return the index of a node of the tree; none for -1."""
        if self.tree is None or number < 0:
            return QModelIndex()
        return self.createIndex(self.tree.place(number)[1], 0, number)

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        """Return the index of a child."""
        if self.tree is None:
            return QModelIndex()
        above = parent.internalId() if parent.isValid() else -1
        children = self.tree.children[above]
        if not 0 <= row < len(children):
            return QModelIndex()
        return self.createIndex(row, column, children[row])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """Return the index of the node above."""
        if self.tree is None or not index.isValid():
            return QModelIndex()
        above, _ = self.tree.place(index.internalId())
        if above < 0:
            return QModelIndex()
        return self.createIndex(self.tree.place(above)[1], 0, above)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Count the children."""
        if self.tree is None or parent.column() > 0:
            return 0
        return len(self.tree.children[parent.internalId() if parent.isValid() else -1])

    def columnCount(self, _: Index = NO_INDEX) -> int:
        """Count the columns."""
        return len(COLUMN_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, for readers of the screen and tooltips."""
        if role not in (Qt.ItemDataRole.DisplayRole, TOOL_TIP_ROLE):
            return None
        node = self.node(index)
        if role == TOOL_TIP_ROLE:
            if index.column() == HERE_COLUMN:
                return here_words(self.ranks.here(node), self.ranks.after(node))
            return self._tip(node)
        if index.column() == STATEMENT_COLUMN:
            return joined_text(node.tokens)
        if index.column() == HERE_COLUMN:
            return here_text(self.ranks.here(node), self.ranks.after(node))
        if index.column() == SHARE_COLUMN:
            share = self.share(node)
            return share_text(share, 0) if share >= 0 else ""
        if index.column() in (WAIT_COLUMN, CAUSED_COLUMN):
            waited = self.waits(node, index.column())
            return duration_text(waited) if waited > 0 else ""
        return duration_text(self.seconds(node))

    def _tip(self, node: TreeNode) -> str:
        words = joined_text(node.tokens)
        words += tr("\nline {line} of the listing", line=node.line + 1)
        if path := call_path_text(self._lines[node.line]):
            words += tr("\nin {path}", path=path)
        if self._measured is None or node.kind not in (*CALL_KINDS, "loop"):
            return words
        words += f"\n{line_summary(self._measured, node.line)}"
        waited, caused = (self.waits(node, c) for c in (WAIT_COLUMN, CAUSED_COLUMN))
        if waited > 0 or caused > 0:
            words += tr(
                "\nwaited {waited} for late partners", waited=duration_text(waited)
            )
            words += tr(", caused {caused} of waiting", caused=duration_text(caused))
        return words

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return titles, aligned as the columns are: the first left."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        return COLUMN_TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None
