"""What a panel shows when it has nothing to show, and why."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from topoview.base.text import tr
from topoview.model import Analysis
from topoview.report.identification.answer import collectives_words, unrecorded_words
from topoview.session import Session, State
from topoview.ui.widgets.controls import follow
from topoview.ui.widgets.panel import EmptyView


class EventsCover(EmptyView):
    """Covers a panel whose numbers need all events, while a digest is shown.

    Parameters
    ----------
    panel
        What it covers.
    session
        Tells whether a digest is shown.
    """

    fetch_asked = Signal()
    """The events of what the timeline shows are wanted."""

    def __init__(self, panel: QWidget, session: Session) -> None:
        super().__init__(panel)
        self.fetch = QPushButton(tr("Fetch this window"), self)
        self.fetch.clicked.connect(self.fetch_asked)
        self.add_button(self.fetch)
        panel.installEventFilter(self)
        follow(self, session, self._follow, to=("analysis",))
        self._follow(session.state, session.state)

    def _follow(self, _old: State, new: State) -> None:
        analysis = new.analysis
        digest = None if analysis is None else analysis.trace.digest
        if digest is not None:
            self.tell(
                tr("Needs the events"),
                tr(
                    "A digest holds the slowest calls and messages only. Open {trace}"
                    " to see this, or fetch the events of what the timeline shows.",
                    trace=digest.trace,
                ),
            )
            self.setGeometry(self._panel.rect())
            self.raise_()
        self.setVisible(digest is not None)

    @property
    def _panel(self) -> QWidget:
        panel = self.parentWidget()
        assert panel is not None
        return panel

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the panel."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._panel.rect())
        return super().eventFilter(watched, event)


ANALYSIS_STOPPED = tr("The analysis was stopped; open the trace again to have it done.")


def why_no_topology(analysis: Analysis | None, *, going_on: bool) -> tuple[str, str]:
    """Title and sentence for a trace whose matches say nothing; else empty.

    `going_on` tells whether the trace is still being analysed.
    """
    if analysis is None:
        return tr("No trace"), tr("Open one to see its topology.")
    if analysis.identification is None and not going_on:
        return tr("Not identified"), ANALYSIS_STOPPED
    if analysis.identification is None:
        return tr("Identifying…"), tr(
            "The communication of all ranks is being compared."
        )
    if analysis.trace.ranks == 1:
        return (
            tr("One rank"),
            tr("With a single rank there is no topology to identify."),
        )
    if not len(analysis.trace.calls):
        return (
            tr("No MPI calls"),
            tr(
                "The trace holds no MPI call. If the program uses MPI, record it with "
                "MPI instrumentation."
            ),
        )
    identification = analysis.identification
    shown = len(identification.matches) > 1 or any(
        part.matches for part in identification.parts
    )
    if shown or not identification.best.topology.is_empty:
        return "", ""
    if identification.unrecorded:
        return (
            tr("Partners not recorded"),
            tr(
                "{unrecorded} left no record in the trace: which ranks "
                "communicate is not known.",
                unrecorded=unrecorded_words(identification),
            ),
        )
    if not len(analysis.trace.messages) and analysis.one_sided is None:
        return (
            tr("No point-to-point messages"),
            tr(
                "The program communicates through collective operations only"
                "{details}. They are in "
                "the logical trace and in the timeline.",
                details=": " * bool(identification.collectives)
                + collectives_words(identification),
            ),
        )
    return "", ""


def why_no_logical(analysis: Analysis | None, *, going_on: bool) -> tuple[str, str]:
    """Title and sentence for a trace without logical trace; else empty.

    `going_on` tells whether the trace is still being analysed.
    """
    if analysis is None:
        return tr("No trace"), tr("Open one to see its logical trace.")
    if not len(analysis.trace.calls):
        return (
            tr("No MPI calls"),
            tr("The logical trace consists of MPI calls, and this trace has none."),
        )
    if analysis.logical is None and analysis.notes:
        return tr("No logical trace"), analysis.notes[0]
    if analysis.logical is None and not going_on:
        return tr("No logical trace"), ANALYSIS_STOPPED
    if analysis.logical is None:
        return (
            tr("Building logical trace…"),
            tr("The calls of all ranks are being put into one program."),
        )
    if not analysis.logical.statements:
        return tr("Nothing in common"), tr(
            "No call fits into one program of all ranks."
        )
    return "", ""


def why_no_profile(
    analysis: Analysis | None, *, going_on: bool, made: bool = True
) -> tuple[str, str]:
    """Title and sentence for a trace without profile; else empty.

    `going_on` tells whether the trace is still being analysed, `made` whether what is
    shown of the profile is there.
    """
    if analysis is None:
        return tr("No trace"), tr("Open one to see its profile.")
    if analysis.profile is None and not going_on:
        return tr("No profile"), ANALYSIS_STOPPED
    if analysis.profile is None or not made:
        return tr("Profiling…"), tr("Calls and times of all ranks are being summed up.")
    return "", ""
