"""The line over the scene that says why this moment is shown, and leads on."""

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from topoview.base.text import duration_text, plural, share_text, tr
from topoview.live.waits.delays import (
    changes_to_delay,
    hang_view,
    view_of_delay,
    worth_showing,
)
from topoview.model import OUTSIDE_MPI, Analysis, TimeState
from topoview.report.claims import late, states_differ
from topoview.report.profile import span_text
from topoview.report.waits.delays import delay_facts, delay_headline
from topoview.report.waits.hung import cycle_texts
from topoview.session import Session, State
from topoview.ui.panels.options import DelayOptions
from topoview.ui.widgets.controls import ElidedLabel, IconButton, follow
from topoview.ui.widgets.layouts import new_label, styled
from topoview.ui.widgets.theme import font

HEIGHT = 34
SPACING, CLOSE_WIDTH = 8, 50
"""Pixels between parts of the bar, and of its margins and the button that closes it."""


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


def return_to_delay(session: Session) -> None:
    """Show the delay that was shown last once more; before there was one the first."""
    if delays_in_turn(session.state):
        show_delay(session, max(session.state.delay, 0))


def delay_in_sight(state: State) -> bool:
    """Return whether the cursor stands where the wave of the state's delay travels."""
    analysis = state.analysis
    if analysis is None or analysis.delays is None:
        return False
    if not 0 <= state.delay < len(analysis.delays):
        return False
    begin, end = view_of_delay(analysis, state.delay).window
    return begin <= state.time <= end


def hang_in_sight(state: State) -> bool:
    """Return whether the cursor stands where calls are under way that never return."""
    hang = None if state.analysis is None else hang_view(state.analysis)
    return hang is not None and hang.window[0] <= state.time <= hang.window[1]


class Reason(NamedTuple):
    """Why a moment is shown."""

    sentence: str = ""
    facts: str = ""
    lead: str = "delays"
    """What explains it: a key of `_LEADS`."""


def reason_of(state: State, usual: Reason) -> Reason:
    """Describe what the cursor stands at, in a sentence and facts; or nothing.

    Calls that are never left; the delay that is shown, as far as its wave travels;
    elsewhere the iterations of the program that are under way; the `usual` reason of
    the analysis at the moment that the trace was opened at, and wherever there is
    nothing else to say.
    """
    analysis = state.analysis
    if analysis is None or analysis.overview is None:
        return Reason()
    if hang_in_sight(state):
        return Reason(*_hang_words(analysis), lead="hung")
    if delay_in_sight(state):
        return Reason(
            delay_headline(analysis, state.delay), delay_facts(analysis, state.delay)
        )
    elsewhere = state.time != analysis.overview.time
    under_way = _iteration_words(analysis, state.time) if elsewhere else ("", "")
    if under_way[0] or analysis.overview.communication is None:
        return Reason(*under_way)
    return usual


def usual_reason(analysis: Analysis | None) -> Reason:
    """Describe what stands out in a whole run: waits for GPUs, or a moment."""
    if analysis is None or analysis.overview is None:
        return Reason()
    if (words := gpu_words(analysis))[0]:
        return Reason(*words, lead="efficiency")
    clock = analysis.trace.clock
    text = tr("No moment stands out.")
    if states_differ(analysis, analysis.overview.time).holds:
        when = duration_text(clock.seconds(analysis.overview.time))
        text = tr("The states of the ranks differ most at {when}.", when=when)
    if (
        analysis.delays is None
        or not len(analysis.delays)
        or not analysis.delays.waiting
        or not late(analysis.trace, analysis.delays, 0).holds
    ):
        return Reason(text)
    share = share_text(int(analysis.delays.caused[0]) / analysis.delays.waiting)
    begin = duration_text(clock.seconds(int(analysis.delays.begin[0])))
    whose = tr(
        "it began at {begin}, on rank {rank}", begin=begin, rank=analysis.delays.rank[0]
    )
    facts = tr(
        "The costliest delay caused {share} of all waiting; {whose}.",
        share=share,
        whose=whose,
    )
    return Reason(text, facts)


def gpu_words(analysis: Analysis) -> tuple[str, str]:
    """Describe that hosts wait for their GPUs most of the time; nothing if not."""
    profile = analysis.profile
    if profile is None:
        return "", ""
    ticks = profile.state_totals
    whole, waiting = max(int(ticks.sum()), 1), int(ticks[TimeState.WAIT_FOR_GPU])
    if 2 * waiting < whole:
        return "", ""
    mpi = whole - int(ticks[list(OUTSIDE_MPI)].sum())
    text = tr(
        "The hosts wait {share} of the time for their GPUs.",
        share=share_text(waiting / whole),
    )
    facts = tr(
        "MPI takes {share} ({span}).",
        share=share_text(mpi / whole),
        span=span_text(analysis.trace, profile.span),
    )
    devices = analysis.devices
    if devices is not None and devices.devices:
        available = len(devices.devices) * max(devices.span[1] - devices.span[0], 1)
        share = share_text(int(devices.kernel.sum()) / available)
        facts = " ".join((tr("GPUs compute {share};", share=share), facts))
    return text, facts


_LEADS = {
    "hung": (tr("Hung"), tr("List the calls that never return")),
    "efficiency": (tr("Efficiency"), tr("Show the efficiencies of hosts and GPUs")),
    "delays": (tr("Delays"), tr("List all delays")),
}
"""What the last button says, and its tooltip, by what it leads to."""


def _hang_words(analysis: Analysis) -> tuple[str, str]:
    """Describe how many calls are never left, and which ranks wait for each other."""
    hung = analysis.hung
    assert hung is not None
    count = len(hung.call)
    text = tr(
        "{calls} on {ranks} never returned.",
        calls=plural(count, "call"),
        ranks=plural(len(np.unique(hung.rank)), "rank"),
    )
    return text, " ".join(cycle_texts(hung))


def _iteration_words(analysis: Analysis, ticks: int) -> tuple[str, str]:
    """Name the iterations that are under way, and say how long the longest takes."""
    parts = analysis.efficiencies
    if parts is None or not len(parts.iterations):
        return "", ""
    begin, end = parts.iterations.T
    under_way = np.flatnonzero((begin <= ticks) & (ticks <= end))
    if not len(under_way):
        before, after = int((end < ticks).sum()), len(end)
        if before == 0:
            return tr("Before the first iteration."), ""
        if before == after:
            return tr("After the last iteration."), ""
        return tr(
            "Between iterations {first} and {second} of {count}.",
            first=before,
            second=before + 1,
            count=after,
        ), ""
    first, last = int(under_way[0]) + 1, int(under_way[-1]) + 1
    took, clock = end - begin, analysis.trace.clock
    longest = int(under_way[took[under_way].argmax()])
    long = duration_text(clock.seconds(int(took[longest])))
    usual = duration_text(clock.seconds(float(np.median(took))))
    facts = tr(
        "{long} from its first rank to its last; median {usual}.",
        long=long,
        usual=usual,
    )
    if first == last:
        return tr("Iteration {first} of {end}.", first=first, end=len(end)), facts
    facts = tr("Iteration {longest}: {facts}", longest=longest + 1, facts=facts)
    return tr(
        "Iterations {first} to {last} of {end}.", first=first, last=last, end=len(end)
    ), facts


class ReasonBar(QWidget):
    """Says why this moment is shown; goes to other delays, and to the list of them."""

    list_asked = Signal(str)
    """The user wants the list of delays, or of calls that never return: the panel."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._analysis: Analysis | None = None
        self._usual = self._reason = Reason()  # at 100,000 ranks it takes a while
        styled(self, "reason")
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(tr("Why this moment is shown"))
        self.sentence, self.facts = ElidedLabel(padding=0), ElidedLabel(padding=0)
        self.sentence.setFont(font(13, 600))
        self.facts.setFont(font(12))
        self.facts.setProperty("dim", True)
        ignored, preferred = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred
        self.facts.setSizePolicy(ignored, preferred)
        self.place = new_label(self, look=font(12), dim=True)
        self.back = self._button("", tr("Show the delay again that was shown last"))
        self.back.clicked.connect(lambda: return_to_delay(session))
        self.previous = self._button(tr("Previous"), tr("Go to the costlier delay"))
        self.next = self._button(
            tr("Next"), tr("Go to the next delay, by what it caused")
        )
        self.list = self._button("", "")
        self._there: dict[QWidget, bool] = {}
        """Parts beside the sentence, those first that matter most: which there are."""
        self.previous.clicked.connect(lambda: step_delay(session, -1))
        self.next.clicked.connect(lambda: step_delay(session, 1))
        self.list.clicked.connect(self._open_panel)
        close = IconButton(
            "close", tr("Close this line; the Analysis menu shows it again")
        )
        close.clicked.connect(lambda: session.update(reason=False))
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 0, 8, 0)
        row.setSpacing(SPACING)
        row.addWidget(self.sentence)
        row.addWidget(self.facts, 1)
        buttons = self.back, self.previous, self.next, self.list
        for widget in (self.place, *buttons, close):
            row.addWidget(widget)
        self.setVisible(False)
        follow(
            self,
            session,
            self._show,
            to=("analysis", "time", "delay", "reason", "opening"),
        )
        self._show(session.state, session.state)

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setFont(font(12))
        button.setToolTip(tip)
        return button

    def _show(self, _: State, new: State) -> None:
        if new.analysis is not self._analysis:
            self._analysis, self._usual = new.analysis, usual_reason(new.analysis)
        self._reason = reason_of(new, self._usual)
        sentence, facts, lead = self._reason
        going_on = new.opening is not None and new.delay < 0
        self.setVisible(bool(sentence) and new.reason and not going_on)
        self.sentence.setText(sentence)
        self.facts.setText(facts)
        self.sentence.setToolTip("\n".join(filter(None, (sentence, facts))))
        count, there = delays_in_turn(new), delay_in_sight(new)
        self.place.setText(
            tr("{delay} of {count} by cost", delay=new.delay + 1, count=count)
            if there
            else ""
        )
        self.previous.setEnabled(new.delay > 0)
        self.next.setEnabled(new.delay + 1 < count)
        shown = new.delay >= 0
        self.back.setText(tr("Back to delay") if shown else tr("Costliest delay"))
        some_to_show = count > 0 if shown else worth_showing(new.analysis) > 0
        analysis = new.analysis
        some = (
            analysis is not None
            and analysis.delays is not None
            and len(analysis.delays) > 0
        )
        text, tip = _LEADS[lead]
        self.list.setText(text)
        self.list.setToolTip(tip)
        self.list.setEnabled(some or lead == "hung")
        self._there = {
            self.back: not there and some_to_show,
            self.next: there,
            self.previous: there,
            self.place: there,
            self.list: True,
        }
        self._make_room()

    def _make_room(self) -> None:
        """Show the parts beside the sentence that leave it room."""
        room = self.width() - CLOSE_WIDTH - self.sentence.sizeHint().width()
        for part, there in self._there.items():
            room -= there * (part.sizeHint().width() + SPACING)
            part.setVisible(there and room >= 0)

    def _open_panel(self) -> None:
        lead = self._reason.lead
        if lead == "efficiency":
            self._session.change(DelayOptions, page=lead)
        self.list_asked.emit("hung" if lead == "hung" else "delays")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave buttons out for which there is no room."""
        super().resizeEvent(event)
        self._make_room()
