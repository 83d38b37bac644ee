"""The panel Phases and regions: when they are, how long, with which topology."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from topoview.base.text import plural, tr
from topoview.live.tables.parts import phase_table
from topoview.live.tables.regions import parameter_table, region_table
from topoview.model import Analysis, Table
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_topology
from topoview.ui.panels.lists.numbers import NumbersPanel
from topoview.ui.panels.options import PhaseOptions
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.panel import EmptyView
from topoview.ui.widgets.table import NO_TABLE
from topoview.ui.widgets.theme import font

LISTED = {
    "phases": tr("Phases"),
    "regions": tr("Regions"),
    "parameters": tr("Parameters"),
}
NOUNS = {"phases": "phase", "regions": "region", "parameters": "value"}
TABLES: dict[str, Callable[[Analysis], Table]] = {
    "phases": phase_table,
    "regions": lambda known: region_table(known.trace),
    "parameters": lambda known: parameter_table(known.trace),
}
NOTHING = {
    "phases": tr("No phases: the topology does not change during the run."),
    "regions": tr("No regions: the trace holds MPI calls only."),
    "parameters": tr("No parameters: the program records none."),
}


@dataclass(frozen=True, slots=True)
class PhasesRequest:
    """What is listed, of which trace."""

    analysis: Analysis
    listed: str

    def table(self, go_on: Callable[[], bool]) -> Table:
        """Make the table."""
        del go_on
        return TABLES[self.listed](self.analysis)


class PhasesPanel(NumbersPanel[PhasesRequest, Table]):
    """Lists phases, regions or parameters; a click shows the time of one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, PhasesRequest.table)
        self.lists = Segmented(self.content)
        self.lists.setAccessibleName(tr("What is listed"))
        self.lists.chosen.connect(
            lambda name: session.change(PhaseOptions, listed=name)
        )
        self._make_view(tr("Phases and regions"))
        self.nothing = EmptyView(self.content)
        self.nothing.title.setFont(font(12))
        chips = QHBoxLayout()
        chips.setContentsMargins(10, 6, 10, 4)
        chips.addWidget(self.lists)
        chips.addStretch(1)
        rows = QVBoxLayout(self.content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(chips)
        rows.addWidget(self.view, 1)
        rows.addWidget(self.nothing, 1)
        self._begin("analysis", "opening", "theme", PhaseOptions)

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(388, 300)

    def _follow(self, _: State, new: State) -> None:
        analysis, listed = new.analysis, new.of(PhaseOptions).listed
        self.lists.offer(list(LISTED.items()), listed)
        unknown = analysis is None or analysis.identification is None
        if unknown:
            reason = why_no_topology(analysis, going_on=new.opening is not None)
            self._empty.tell(*reason)
        self._stack.setCurrentWidget(self._empty if unknown else self._page)
        if not self.isVisible():
            return  # asked when it is seen
        if analysis is None or unknown:
            self._request = None
            self.model.show(NO_TABLE)
            return
        request = PhasesRequest(analysis, listed)
        if request != self._request:
            self._request = request
            self._worker.ask(request)

    def _take(self, request: PhasesRequest, table: Table) -> None:
        if request != self._request:
            return
        self.model.show(table)
        self.view.setVisible(len(table) > 0)
        self.nothing.setVisible(not len(table))
        title, _, text = NOTHING[request.listed].partition(": ")
        self.nothing.tell(title, text[:1].upper() + text[1:])
        self._tell()

    def _choose(self, place: int) -> None:
        """Show the time of a row."""
        analysis, table = self.session.state.analysis, self.model.table
        if analysis is None:
            return
        row, clock = table.row(self.model.row(place)), analysis.trace.clock
        end = row["end"] if "end" in row else row["begin"] + row["seconds"]
        window = clock.ticks(row["begin"]), clock.ticks(end)
        self.session.update(window=window, time=window[0], playing=False)

    def _told(self) -> str:
        rows, listed = len(self.model.table), self.session.state.of(PhaseOptions)
        return plural(rows, NOUNS[listed.listed]) if rows else ""
