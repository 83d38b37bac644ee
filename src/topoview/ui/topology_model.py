"""Rows of the list of matches."""

from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from topoview.analysis import Analysis
from topoview.model import Identification, Match, Part
from topoview.ui.formats import grouped, name_text, percent_text, plural
from topoview.ui.headers import column_header

COLUMNS = ("topology", "edges", "bytes", "unused")
TIPS = (
    "Shapes of the library, the best match first",
    "Share of the pairs that communicate which the shape explains",
    "Share of the bytes that the shape carries",
    "Edges of the shape that are not used",
)

BY_DEFINITION = ("unknown", "none")
"""Kinds that cover whatever was seen, so that numbers say nothing about them."""

DASH = "\u2013"

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True, eq=False)
class MatchRow:
    """A row.

    Attributes
    ----------
    texts
        Text of each column.
    remark
        Second line, may be empty.
    tip
        All names of the topology, one a line, and what else there is to say.
    edges, bytes
        Shares covered, in [0, 1]; None if that says nothing.
    unused
        Edges of the topology that were not seen; None if that says nothing.
    match
        Index among the matches, -1 for a part.
    part
        The part of the run that the row stands for.
    """

    texts: tuple[str, ...]
    remark: str
    tip: str
    edges: float | None
    bytes: float | None
    unused: int | None
    match: int = -1
    part: Part | None = None


class TopologyModel(QAbstractTableModel):
    """The matches, best first, then the parts of the run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[MatchRow] = []

    def show(self, known: Analysis | None) -> None:
        """Show what was identified."""
        self.beginResetModel()
        found = known.identification if known else None
        self.rows = []
        if found:
            self.rows = [
                _row(match, i, _remarks(match, found))
                for i, match in enumerate(found.matches)
            ]
            self.rows += [_part_row(part) for part in found.parts if part.matches]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        """Count the rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        """Count the columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a row, its text, or what its tooltip says."""
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Give titles, aligned as the columns are."""
        return column_header(COLUMNS, section, orientation, role, TIPS)


def edge_share(match: Match) -> float:
    """Share of the pairs that communicate which are edges of the topology."""
    seen = match.matched + match.extra
    return match.matched / seen if seen else 1.0


def _remarks(match: Match, found: Identification) -> tuple[str, ...]:
    """Tell what a match is: other names, or why there is none."""
    if match.topology.kind == "unknown":
        if match is not found.best:
            return ("the communication as it was seen",)
        near = "; the nearest are below" if len(found.matches) > 1 else ""
        return (f"no topology of the library fits{near}",)
    return ("the strongest pairs only",) if match.level else ()


def _row(match: Match, index: int, remarks: tuple[str, ...]) -> MatchRow:
    also = ["= " + name_text(name) for name in match.also]
    if also:
        other = "= " + ", ".join(name[2:] for name in also)
        line = "; ".join((other, *remarks))
    else:
        line = "; ".join(remarks)
    tip = "\n".join((name_text(match.topology.name), *also, *remarks))
    return _rated(match, line, tip, index)


def _part_row(part: Part) -> MatchRow:
    best = part.matches[0]
    remark = f"{part.by} {part.name}, {plural(len(part.ranks), 'rank')}"
    also = (f"= {name_text(name)}" for name in best.also)
    tip = "\n".join((name_text(best.topology.name), *also, remark))
    return _rated(best, remark, tip, part=part)


def _rated(
    match: Match, remark: str, tip: str, index: int = -1, part: Part | None = None
) -> MatchRow:
    """Make a row with numbers, or dashes where a match is so by definition."""
    name = name_text(match.topology.name).replace(", periodic in ", ", periodic ")
    if match.topology.kind in BY_DEFINITION:
        texts = (name, DASH, DASH, DASH)
        return MatchRow(texts, remark, tip, None, None, None, index, part)
    edges = edge_share(match)
    texts = (
        name,
        percent_text(edges),
        percent_text(match.bytes_covered),
        grouped(match.missing),
    )
    return MatchRow(
        texts,
        remark,
        tip,
        edges,
        match.bytes_covered,
        match.missing,
        index,
        part,
    )
