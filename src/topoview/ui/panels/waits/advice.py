"""Advice as cards: a click shows the ranks, the pair and the time that one is about."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from topoview.base.text import tr
from topoview.live.waits.waits import changes_to_advice
from topoview.model import Analysis
from topoview.report.advice import Advice
from topoview.session import Session
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.theme import font

KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class AdviceCard(QFrame):
    """A finding: its sentence; the command that shows its numbers is in the menu."""

    chosen = Signal(object)
    """The `Advice` that was clicked."""

    def __init__(self, number: int, advice: Advice, parent: QWidget) -> None:
        super().__init__(parent)
        self.advice = advice
        self.setObjectName("finding")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(advice.text)
        self.setToolTip(
            tr(
                "Click to show its ranks and its time. The numbers are those of\n"
                "{command}",
                command=advice.command,
            )
        )
        words = advice.text.replace(" %", "\u00a0%")
        label = new_label(
            self, f"{number}.  {words}", look=font(12), wraps=True, plain=True
        )
        filled(QVBoxLayout(self), label, margins=(12, 6, 12, 6))
        copy = QAction(tr("Copy command"), self)
        copy.triggered.connect(
            lambda: QGuiApplication.clipboard().setText(advice.command)
        )
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Show what it is about."""
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.chosen.emit(self.advice)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show what it is about."""
        if event.key() in KEYS:
            self.chosen.emit(self.advice)
            return
        super().keyPressEvent(event)


class AdviceList(QScrollArea):
    """All advice on the run, what is about most time first."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._advice: tuple[Advice, ...] = ()
        self.cards: list[AdviceCard] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Advice"))
        self._page = QWidget(self)
        self._page.setObjectName("page")
        self._column = filled(
            QVBoxLayout(self._page), 1, margins=(0, 4, 0, 4), spacing=0
        )
        self.setWidget(self._page)

    def show_advice(self, advice: tuple[Advice, ...]) -> None:
        """List other advice."""
        if advice is self._advice:
            return
        self._advice = advice
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [AdviceCard(n, one, self._page) for n, one in enumerate(advice, 1)]
        for place, card in enumerate(self.cards):
            card.chosen.connect(self._show)
            self._column.insertWidget(place, card)

    def _show(self, advice: Advice) -> None:
        session = self._session
        session.update(**changes_to_advice(session.state, advice))


def rests_on(analysis: Analysis) -> tuple[object, ...]:
    """Return the results that advice is made of."""
    some = (
        analysis.wait_sums,
        analysis.delays,
        analysis.critical_path,
        analysis.profile,
    )
    return tuple(map(id, (*some, analysis.efficiencies, analysis.identification)))
