"""The panel Phases and regions: when they are, how long, with which topology."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from topoview.base.text import plural, tr
from topoview.live.tables.parts.parts import phase_table
from topoview.live.tables.parts.regions import parameter_table, region_table
from topoview.live.waits.delays import telling_time
from topoview.model import Analysis, Table
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_topology
from topoview.ui.panels.options import PhaseOptions
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.panel import Request, TablePanel

LISTED = {
    "phases": tr("Phases"),
    "regions": tr("Regions"),
    "parameters": tr("Parameters"),
}
NOUNS = {"phases": "phase", "regions": "region", "parameters": "value"}
TABLES: dict[str, Callable[[Analysis], Table]] = {
    "phases": phase_table,
    "regions": lambda analysis: region_table(analysis.trace),
    "parameters": lambda analysis: parameter_table(analysis.trace),
}
FITTING = (
    *("topology", "value", "seconds", "records", "visits", "ranks"),
    *("share", "begin", "iterations", "end", "messages", "bytes"),
    *("seconds_median", "seconds_min", "seconds_max"),
)
"""Columns in the order in which a narrow panel has room for them."""

NOTHING = {
    "phases": tr("No phases: the topology does not change during the run."),
    "regions": tr("No regions: the trace holds MPI calls only."),
    "parameters": tr("No parameters: the program records none."),
}


class PhasesPanel(TablePanel[Request[Table], Table]):
    """Lists phases, regions or parameters; a click shows the time of one."""

    PARTS = ("analysis", "opening", "theme", PhaseOptions)
    NAME = tr("Phases and regions")
    FITTING = FITTING
    HEIGHT = 300

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        take = session.setter(PhaseOptions, "listed")
        self.lists = Segmented(self, take, tr("What is listed"))
        self.add_controls(self.lists, always=True)

    def request(self, state: State) -> Request[Table] | None:
        """Ask for what is listed once the topology is known."""
        analysis = state.analysis
        if analysis is None or analysis.identification is None:
            return None
        return Request(analysis, TABLES[state.of(PhaseOptions).listed])

    def show_state(self, state: State) -> None:
        """Show what is listed."""
        self.lists.offer(LISTED, state.of(PhaseOptions).listed)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there is no list, or nothing on it."""
        if self.requested is None:
            return why_no_topology(state.analysis, going_on=state.opening is not None)
        if self.result is None or len(self.result):
            return "", ""
        title, _, text = NOTHING[state.of(PhaseOptions).listed].partition(": ")
        return title, text[:1].upper() + text[1:]

    def remark(self) -> tuple[str, str]:
        """Return how many there are."""
        rows, listed = len(self.model.table), self.session.state.of(PhaseOptions)
        return plural(rows, NOUNS[listed.listed]) if rows else "", ""

    def choose(self, place: int) -> None:
        """Show the time of a row."""
        analysis, table = self.session.state.analysis, self.model.table
        if analysis is None:
            return
        row, clock = table.row(self.model.row(place)), analysis.trace.clock
        end = row["end"] if "end" in row else row["begin"] + row["seconds"]
        window = clock.ticks(row["begin"]), clock.ticks(end)
        time = telling_time(analysis, window)
        self.session.update(window=window, time=time, playing=False)
