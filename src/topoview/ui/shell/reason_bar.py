"""The line over the scene that says why this moment is shown, and leads on."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from topoview.live.delays import changes_to_delay, worth_showing
from topoview.report.delays import delay_facts, delay_headline
from topoview.session import Session, State
from topoview.text import duration_text, share_text
from topoview.ui.widgets.controls import ElidedLabel, IconButton
from topoview.ui.widgets.theme import font

HEIGHT = 34
ALL_BUTTONS_WIDTH = 640
"""Pixels from which the button of the panel has room."""


def show_delay(session: Session, delay: int) -> None:
    """Show a delay: cursor, window, selection, order of rows."""
    session.update(**changes_to_delay(session.state, delay), reason=True)


def delays_in_turn(state: State) -> int:
    """Count the delays that Previous and Next go through.

    Those that are worth showing unasked; all of them when another one is shown.
    """
    delays = state.analysis.delays if state.analysis else None
    worth = worth_showing(state.analysis)
    return worth if worth and state.delay < worth else len(delays or ())


def step_delay(session: Session, by: int) -> None:
    """Show the next or previous delay; at the end of the list the same one again."""
    count = delays_in_turn(session.state)
    if count:
        show_delay(session, min(max(session.state.delay + by, 0), count - 1))


def reason_words(state: State) -> tuple[str, str]:
    """Say why this moment is shown: a sentence and facts; empty if nothing does."""
    known = state.analysis
    if known is None or known.overview is None:
        return "", ""
    if known.delays is not None and 0 <= state.delay < len(known.delays):
        return delay_headline(known, state.delay), delay_facts(known, state.delay)
    if known.overview.communication is None:
        return "", ""
    clock = known.trace.clock
    when = duration_text(clock.seconds(known.overview.time))
    told = f"The states of the ranks differ most at {when}."
    if known.delays is None or not len(known.delays) or not known.delays.waiting:
        return told, ""
    share = share_text(int(known.delays.caused[0]) / known.delays.waiting)
    begin = duration_text(clock.seconds(int(known.delays.begin[0])))
    whose = f"of rank {known.delays.rank[0]} at {begin}"
    return told, f"The costliest delay, {whose}, caused {share} of all waiting."


class ReasonBar(QWidget):
    """Says why this moment is shown; goes to other delays, and to the list of them.

    Signals
    -------
    list_asked
        The user wants the list of delays.
    """

    list_asked = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("reason")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("Why this moment is shown")
        self.sentence, self.facts = ElidedLabel(padding=0), ElidedLabel(padding=0)
        self.sentence.setFont(font(13, 600))
        self.facts.setFont(font(12))
        self.facts.setProperty("dim", True)
        ignored, preferred = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred
        self.facts.setSizePolicy(ignored, preferred)
        self.place = QLabel(self)
        self.place.setFont(font(12))
        self.place.setProperty("dim", True)
        self.previous = self._button("Previous", "Go to the costlier delay")
        self.next = self._button("Next", "Go to the next delay, by what it caused")
        self.list = self._button("Delays", "List all delays")
        self.previous.clicked.connect(lambda: step_delay(session, -1))
        self.next.clicked.connect(lambda: step_delay(session, 1))
        self.list.clicked.connect(self.list_asked)
        close = IconButton("close", "Close this line; the Analysis menu shows it again")
        close.clicked.connect(lambda: session.update(reason=False))
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.sentence)
        row.addWidget(self.facts, 1)
        for widget in (self.place, self.previous, self.next, self.list, close):
            row.addWidget(widget)
        self.setVisible(False)
        session.subscribe(self._show, to=("analysis", "delay", "reason", "opening"))
        self._show(session.state, session.state)

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setFont(font(12))
        button.setToolTip(tip)
        return button

    def _show(self, _: State, new: State) -> None:
        sentence, facts = reason_words(new)
        going_on = new.opening is not None and new.delay < 0
        self.setVisible(bool(sentence) and new.reason and not going_on)
        self.sentence.setText(sentence)
        self.facts.setText(facts)
        self.sentence.setToolTip("\n".join(filter(None, (sentence, facts))))
        count = delays_in_turn(new)
        shown = 0 <= new.delay < count
        self.place.setText(f"{new.delay + 1} of {count}" if shown else "")
        self.previous.setEnabled(new.delay > 0)
        self.next.setEnabled(new.delay + 1 < count)
        known = new.analysis
        some = known is not None and known.delays is not None and len(known.delays) > 0
        for button in (self.previous, self.next):
            button.setVisible(shown)
        self.list.setEnabled(some)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the button of the panel out where there is no room."""
        super().resizeEvent(event)
        self.list.setVisible(self.width() >= ALL_BUTTONS_WIDTH)
