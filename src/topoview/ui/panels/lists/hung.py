"""The panel Hung: calls that are never left, and whom they wait for."""

from topoview.base.text import plural, tr
from topoview.model import Analysis, Table
from topoview.report.hung import cycle_texts, hung_table
from topoview.session import Selection, State
from topoview.ui.widgets.panel import Request, TablePanel


def _table(analysis: Analysis) -> Table:
    assert analysis.hung is not None
    return hung_table(analysis.trace, analysis.hung)


class HungPanel(TablePanel[Request[Table], Table]):
    """Lists calls that are never left; a click shows one."""

    NAME = tr("Hung")
    HEIGHT = 300

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
