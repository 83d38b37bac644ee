"""The status bar: the trace on the left, what was found and shown on the right."""

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from topoview.base.text import grouped, plural, size_text, tr
from topoview.model import Health, HealthVerdict, Match, Trace
from topoview.report.info import clock_remarks
from topoview.scene.palette import THEMES
from topoview.session import Session, State, trace_notes
from topoview.ui.widgets.controls import ElidedLabel, follow
from topoview.ui.widgets.formats import window_text
from topoview.ui.widgets.icons import icon
from topoview.ui.widgets.theme import font

AXIS_LETTERS = "xyzwvu"
ITEM_GAP = 6
"""Pixels between things in the bar."""

MAX_FINDINGS_IN_TIP = 4
"""Sentences about what is lost that a tip has room for."""


class StatusBar(QStatusBar):
    """Says what is open, selected, verified and shown."""

    notes_asked = Signal()
    health_asked = Signal()
    cancel_asked = Signal()
    """`notes_asked`, `health_asked` and `cancel_asked`: the user wants the list of
    notes or the trace's health, or gives up the analysis."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setFixedHeight(24)
        self.producer, self.ranks, self.events, self.clock = (
            self._label() for _ in range(4)
        )
        self.notes = QToolButton(self)
        self.notes.setFont(font(12))
        self.notes.setToolTip(tr("What you should know about this trace"))
        self.notes.setIconSize(QSize(14, 14))
        self.notes.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.notes.clicked.connect(self.notes_asked)
        self.health = QToolButton(self)
        self.health.setFont(font(12))
        self.health.setIconSize(QSize(14, 14))
        self.health.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._warns = QIcon()
        self.health.clicked.connect(self.health_asked)
        self._wanted: dict[QWidget, bool] = {self.notes: False, self.health: False}
        self.selected = self._label()
        self._left: tuple[QWidget, ...] = (
            self.ranks,
            self.events,
            self.producer,
            self.clock,
            self.notes,
            self.health,
            self.selected,
        )
        for on_left in self._left:
            self.addWidget(on_left)
        self.stage = self._label()
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1000)
        self.progress.setFixedWidth(96)
        self.cancel = QToolButton(self)
        self.cancel.setText(tr("Cancel"))
        self.cancel.setFont(font(12))
        self.cancel.clicked.connect(self.cancel_asked)
        self.verified, self.window_ = self._label(), self._label()
        right: tuple[QWidget, ...] = (
            self.stage,
            self.progress,
            self.cancel,
            self.verified,
            self.window_,
        )
        for widget in right:
            self.addPermanentWidget(widget)
        self.messageChanged.connect(lambda _: self._fit())
        follow(
            self,
            session,
            self.show_state,
            to=(
                "analysis",
                "opening",
                "failure",
                "selection",
                "window",
                "match",
                "theme",
                "unit",
            ),
        )
        self.show_state(session.state, session.state)

    def show_state(self, old: State, new: State) -> None:
        """Show what the state holds."""
        if old.theme != new.theme or self.notes.icon().isNull():
            theme = THEMES[new.theme]
            self.notes.setIcon(icon("warning", theme.text2, 14))
            self._warns = icon("warning", theme.ink, 14)
        if new.derived.is_page_shown:  # the analysis is of another trace than the page
            new = replace(new, analysis=None)
        analysis = new.analysis
        trace = analysis.trace if analysis else None
        self._tell(self.producer, _producer_text(trace) if trace else "")
        self._tell(self.ranks, plural(trace.ranks, "rank") if trace else "")
        self._tell(self.events, plural(trace.events, "event") if trace else "")
        remarks = clock_remarks(trace.clock, trace.ranks) if trace else ()
        self._tell(self.clock, ", ".join(remarks))
        count = len(trace_notes(new))
        self._wanted[self.notes] = count > 0
        self.notes.setText(plural(count, "warning"))
        verdict = trace.health.verdict if trace and trace.health else ""
        self._wanted[self.health] = verdict not in ("", HealthVerdict.EXACT)
        self.health.setText(_quality(trace.health) if trace and trace.health else "")
        lacks = verdict == HealthVerdict.INCOMPLETE  # numbers may be wrong: in ink
        self.health.setFont(font(12, 600 if lacks else 400))
        self.health.setIcon(self._warns if lacks else QIcon())
        self.health.setToolTip(_quality_tip(trace.health) if trace else "")
        self._tell(self.selected, _selection(new))
        opening = new.opening if new.opening and new.opening.read else None
        for widget in (self.progress, self.cancel):
            widget.setVisible(opening is not None)
        self._tell(self.stage, tr(opening.stage) if opening else "")
        if opening:
            self.progress.setValue(round(opening.fraction * 1000))
        self._tell(self.verified, _verified(new))
        self._tell(
            self.window_,
            window_text(new.window, trace.clock, new.unit) if trace else "",
        )
        labels = (self.ranks, self.events, self.producer, self.clock)
        everything = "\n".join(label.text() for label in labels if label.text())
        for label in labels:
            label.setToolTip(everything)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Let the window be narrow: what has no room is left out."""
        return QSize(200, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what has no room now."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show what has room; what stands elsewhere, too, is hidden first."""
        labels = self.findChildren(QLabel)
        for label in labels:
            label.ensurePolished()  # or it would not know its padding
        others: list[QWidget] = [self.progress, self.cancel, self.notes, self.health]
        needs = {label: label.sizeHint().width() for label in labels if label.text()}
        message = bool(self.currentMessage())  # it takes the place of the left side
        if message:
            needs = {k: v for k, v in needs.items() if k not in self._left}
        for button, wanted in self._wanted.items():
            button.setVisible(wanted and not message)
        others = [w for w in others if not w.isHidden()]
        room = self.width() - sum(other.sizeHint().width() for other in others)
        room -= ITEM_GAP * (len(needs) + len(others))
        for label in (
            self.clock,
            self.events,
            self.producer,
            self.verified,
            self.ranks,
        ):
            if sum(needs.values()) <= room:
                break
            needs.pop(label, None)
        for label in labels:  # explicitly: Qt hides them, too, but shows them again
            label.setVisible(label in needs)

    def _label(self) -> QLabel:
        label = ElidedLabel(self)
        label.setFont(font(12, plain=True))
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    @staticmethod
    def _tell(label: QLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)


def _quality_tip(health: Health | None) -> str:
    """Describe what is lost first; else what a click shows."""
    usual = tr("What was read, and what was repaired")
    lost = [
        finding.text
        for finding in (health.findings if health else ())
        if finding.verdict == HealthVerdict.INCOMPLETE
    ]
    return "\n".join([*lost[:MAX_FINDINGS_IN_TIP], usual])


def _quality(health: Health) -> str:
    """Describe what was mended: ``Clocks corrected`` where that is all."""
    mended = {f.subject for f in health.findings if f.verdict == health.verdict}
    only_clocks = health.verdict == HealthVerdict.REPAIRED and mended == {"clocks"}
    return tr("Clocks corrected") if only_clocks else tr(health.verdict.capitalize())


def _verified(state: State) -> str:
    logical = state.analysis.logical if state.analysis else None
    if logical is None or not logical.statements:
        return ""
    if not logical.ranks_verified:
        return tr("Logical trace not verified")
    ranks = tr(
        "{ranks_verified} of {ranks}",
        ranks_verified=grouped(logical.ranks_verified),
        ranks=plural(logical.ranks, "rank"),
    )
    return tr("Logical trace reproduces {ranks} exactly", ranks=ranks)


def _selection(state: State) -> str:
    analysis = state.analysis
    chosen = state.selection
    if analysis is None:
        return ""
    if chosen.edge is not None:
        return _edge(state, chosen.edge)
    calls = _calls(state)
    if calls:
        ranks = f", {plural(len(chosen.ranks), 'rank')}" if chosen.ranks else ""
        return tr("Selected: {calls}{ranks}", calls=calls, ranks=ranks)
    if len(chosen.ranks) == 1:
        match = state.derived.match
        place = _place(match, chosen.ranks[0]) if match else ""
        return tr("Selected: rank {rank}{place}", rank=chosen.ranks[0], place=place)
    if chosen.ranks:
        return tr("Selected: {ranks}", ranks=plural(len(chosen.ranks), "rank"))
    return ""


def _calls(state: State) -> str:
    """Name the selected statement, loop or operation."""
    chosen = state.selection
    named = chosen.query or chosen.operation
    if named or state.analysis is None:
        return named
    if chosen.statement is None and chosen.lines is None:
        return ""
    from topoview.report.logical.lines import logical_lines

    lines = logical_lines(state.analysis)
    if chosen.lines is not None:
        matches = lines[chosen.lines[0] : chosen.lines[0] + 1]
    else:
        own = (line for line in lines if line.kind == "call")
        matches = tuple(line for line in own if line.first == chosen.statement)
    text = matches[0].text.rstrip(":") if matches else ""
    return text if len(text) <= 48 else f"{text[:47]}…"


def _place(match: Match, rank: int) -> str:
    if not match.topology.is_lattice or match.vertex[rank] < 0:
        return ""
    values = match.topology.coordinates[match.vertex[rank]]
    places = [f"{a} {v}" for a, v in zip(AXIS_LETTERS, values, strict=False)]
    return f" ({', '.join(places)})"


def _edge(state: State, edge: tuple[int, int]) -> str:
    matrix = state.analysis.matrix if state.analysis else None
    words = tr("Selected: edge {first}–{second}", first=edge[0], second=edge[1])
    if matrix is None:
        return words
    there, back = edge, edge[::-1]
    calls = int(matrix.calls[there] + matrix.calls[back])
    volume = int(matrix.volume[there] + matrix.volume[back])
    return f"{words}, {plural(calls, matrix.noun)}, {size_text(volume)}"


def _producer_text(trace: Trace) -> str:
    """Return which tracer wrote a trace."""
    return tr("tracer unknown") if trace.producer == "unknown" else trace.producer
