"""The panel Hung: calls that are never left, and whom they wait for."""

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QWidget

from topoview.base.text import plural, tr
from topoview.model import Analysis, Table
from topoview.report.waits.hung import cycle_texts, hung_table
from topoview.session import Selection, Session, State
from topoview.ui.widgets.layouts import new_label
from topoview.ui.widgets.panel import Request, TablePanel
from topoview.ui.widgets.theme import font


def _table(analysis: Analysis) -> Table:
    assert analysis.hung is not None
    return hung_table(analysis.trace, analysis.hung)


class HungPanel(TablePanel[Request[Table], Table]):
    """Lists calls that are never left; a click shows one, and why it waits for whom."""

    NAME = tr("Hung")
    HEIGHT = 300
    COLUMNS = ("rank", "function", "waited_for", "seconds", "begin", "location")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.evidence = new_label(self.content, look=font(12), wraps=True)
        self.evidence.setContentsMargins(12, 6, 12, 10)
        self.column.addWidget(self.evidence)
        self.view.selectionModel().currentRowChanged.connect(self._tell_evidence)

    def show_result(self, result: Table) -> None:
        """List the calls, and tell of the first."""
        super().show_result(result)
        self._tell_evidence(self.model.index(0, 0))

    def _tell_evidence(self, index: QModelIndex, _: QModelIndex | None = None) -> None:
        """Show below the list how it is known whom a call waits for."""
        if not index.isValid():
            return
        rank, whom, why = (
            self.model.text(index.row(), name)
            for name in ("rank", "waited_for", "evidence")
        )
        text = tr(
            "Rank {rank} waits for rank {whom}. Evidence: {why}.",
            rank=rank,
            whom=whom,
            why=why,
        )
        self.evidence.setText(text if whom else "")

    def request(self, state: State) -> Request[Table] | None:
        """Ask for all of them."""
        analysis = state.analysis
        if analysis is None or analysis.hung is None or not len(analysis.hung.call):
            return None
        return Request(analysis, _table)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return that all calls were left."""
        if state.analysis is None or self.requested is not None:
            return super().why_empty(state)
        return tr("Nothing hangs"), tr("All calls that the trace holds were left.")

    def remark(self) -> tuple[str, str]:
        """Return how many calls there are, and which ranks wait for each other."""
        analysis = self.session.state.analysis
        if analysis is None or analysis.hung is None or not len(analysis.hung.call):
            return "", ""
        cycles = "\n".join(cycle_texts(analysis.hung))
        return plural(len(analysis.hung.call), "call"), cycles

    def choose(self, place: int) -> None:
        """Select the rank of a row, at the begin of its call."""
        analysis, table = self.session.state.analysis, self.model.table
        if analysis is None:
            return
        row = table.row(self.model.row(place))
        self.session.update(
            time=analysis.trace.clock.ticks(row["begin"]),
            selection=Selection(ranks=(int(row["rank"]),)),
            playing=False,
        )
