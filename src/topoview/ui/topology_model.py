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
from topoview.model import Declared, Identification, Match, Part
from topoview.topology.part_words import (
    VERDICTS,
    declared_words,
    found_in,
    part_lines,
    structure_words,
)
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

REST, DECLARED, OTHERS = "What is left", "Declared", "Other topologies"

UNFOLDED = 8
"""Rows up to which a section is unfolded at first."""

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
        Index among the session's `choices`, -1 if there is nothing to be shown.
    part
        The part of the run that the row stands for.
    section
        Of a heading: the section that it folds and unfolds.
    folded
        Whether that section is folded.
    """

    texts: tuple[str, ...]
    remark: str
    tip: str
    edges: float | None = None
    bytes: float | None = None
    unused: int | None = None
    match: int = -1
    part: Part | None = None
    section: str = ""
    folded: bool = False


class TopologyModel(QAbstractTableModel):
    """The answer, what it leaves, the parts of the run, and the other matches."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[MatchRow] = []
        self._found: Identification | None = None
        self._folds: dict[str, bool] = {}

    def show(self, known: Analysis | None) -> None:
        """Show what was identified."""
        self._found = known.identification if known else None
        self._fill()

    def fold(self, section: str) -> None:
        """Fold a section, or unfold it."""
        row = next(row for row in self.rows if row.section == section)
        self._folds[section] = not row.folded
        self._fill()

    def _fill(self) -> None:
        self.beginResetModel()
        self.rows = []
        found = self._found
        if found:
            own = [
                _row(match, i, _remarks(match, found))
                for i, match in enumerate(found.matches)
            ]
            below = sections(found)
            self.rows = own if not below else own[:1]
            if below and len(own) > 1:
                below[OTHERS] = own[1:]
            for section, rows in below.items():
                folded = self._folds.get(section, len(rows) > UNFOLDED)
                self.rows.append(_heading(section, rows, found, folded=folded))
                self.rows += [] if folded else rows
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


def sections(found: Identification) -> dict[str, list[MatchRow]]:
    """Rows below the matches, by section; empty ones are left out."""
    first = len(found.matches)
    told: dict[str, list[MatchRow]] = {
        REST: [
            _row(match, first + i, ("among the pairs that the answer leaves",))
            for i, match in enumerate(found.remainder)
        ],
        DECLARED: [_declared_row(declared) for declared in found.declared],
    }
    index = first + len(found.remainder)
    for part in found.parts:
        rows = told.setdefault(f"{part.by.capitalize()}s", [])
        rows.append(_part_row(part, index if part.matches else -1))
        index += bool(part.matches)
    return {section: rows for section, rows in told.items() if rows}


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
        known = () if found.structure is None else (structure_words(found.structure),)
        return (f"no topology of the library fits{near}", *known)
    strong = ("the strongest pairs only",) if match.level else ()
    differing = match.missing + match.extra
    if not differing:
        return strong
    words = f"edit distance {grouped(differing)}"
    if match.extra:
        words += f", {plural(match.extra, 'further pair')}"
    return (*strong, words)


def _row(match: Match, index: int, remarks: tuple[str, ...]) -> MatchRow:
    also = ["= " + name_text(name) for name in match.also]
    if also:
        other = "= " + ", ".join(name[2:] for name in also)
        line = "; ".join((other, *remarks))
    else:
        line = "; ".join(remarks)
    tip = "\n".join((name_text(match.topology.name), *also, *remarks))
    return _rated(match, line, tip, index)


def _part_row(part: Part, index: int) -> MatchRow:
    remark = f"{part.by} {part.name}" if part.by not in part.name else part.name
    remark += f", {plural(len(part.ranks), 'rank')}"
    if part.remark:
        remark += f", {part.remark}"
    if not part.matches:
        return MatchRow((found_in(part), DASH, DASH, DASH), remark, remark, part=part)
    best = part.matches[0]
    also = (f"= {name_text(name)}" for name in best.also)
    tip = "\n".join((name_text(best.topology.name), *also, remark))
    return _rated(best, remark, tip, index, part)


def _declared_row(declared: Declared) -> MatchRow:
    name = name_text(declared.topology)
    remark = f"{declared.verdict}: {VERDICTS[declared.verdict]}"
    return MatchRow((name, "", "", ""), remark, name_text(declared_words(declared)))


def _heading(
    section: str, rows: list[MatchRow], found: Identification, *, folded: bool
) -> MatchRow:
    by = section.removesuffix("s").lower()
    lines = part_lines(part for part in found.parts if part.by == by)
    remark = name_text("; ".join(lines))
    tip = "\n".join(map(name_text, lines))
    texts = (f"{section}  {len(rows)}", "", "", "")
    return MatchRow(texts, remark, tip, section=section, folded=folded)


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
