"""Why the answer was given: the candidates and what excluded each, to be read."""

from html import escape

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from topoview.analysis import Analysis
from topoview.model import Identification
from topoview.scene.palette import THEMES, Theme
from topoview.session import Session, State
from topoview.topology.partners.steps import LevelSteps, Step, explain
from topoview.topology.partners.steps_text import (
    WORDS,
    conclusion,
    head_lines,
    steps_text,
)
from topoview.ui.fonts import font
from topoview.ui.formats import name_text
from topoview.ui.latest_only import LatestOnly

Steps = tuple[LevelSteps, ...]


class WhyView(QTextEdit):
    """Lists for each level of volume what was tried; text can be selected, copied.

    It is worked out in the background, and only once somebody looks.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._of: object = None
        self._found: Identification | None = None
        self.steps: Steps = ()
        self._copies = False
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Why")
        self.document().setDocumentMargin(12)
        self.setFont(font(12))
        self._worker: LatestOnly[Analysis, Steps] = LatestOnly(_work, self._take)
        self.destroyed.connect(self._worker.stop)
        session.subscribe(self._follow)
        self._follow(State(), session.state)

    @property
    def busy(self) -> bool:
        """Whether it is being worked out."""
        return self._worker.busy

    def copy_all(self) -> None:
        """Put all of it on the clipboard, once it is known: as `steps_text`."""
        self._copies = self.busy
        if not self._copies:
            text = steps_text(self.steps, self._found) if self._found else ""
            QGuiApplication.clipboard().setText(text)

    def _follow(self, old: State, new: State) -> None:
        known = new.analysis
        found = known.identification if known else None
        matches = found.matches if found else None
        if new.view.why and known is not None and matches is not self._of:
            self._of = matches
            if matches:
                self.setPlainText("Working it out\u2026")
                self._worker.ask(known)
        if old.view.theme != new.view.theme and self.steps:
            self._write()

    def _take(self, known: Analysis, steps: Steps) -> None:
        found = known.identification
        if found is not None and found.matches is self._of:
            self.steps, self._found = steps, found
            self._write()
            if self._copies:
                self.copy_all()

    def _write(self) -> None:
        at = self.verticalScrollBar().value()
        theme = THEMES[self._session.state.view.theme]
        if self._found is not None:
            self.setHtml(_html(self.steps, self._found, theme))
        self.verticalScrollBar().setValue(at)


def _work(known: Analysis, _: object) -> Steps:
    assert known.matrix is not None
    assert known.identification is not None
    return explain(known.matrix, known.identification)


def _html(steps: Steps, found: Identification, theme: Theme) -> str:
    if not steps:
        return ""
    last = escape(name_text(conclusion(steps, found)))
    return "".join(_level(level, theme) for level in steps) + f"<p>{last}</p>"


def _level(level: LevelSteps, theme: Theme) -> str:
    title, *lines = head_lines(level)
    dim = f'style="color:{theme.text2}"'
    told = "<br>".join(escape(line) for line in lines)
    rows = "".join(_row(step, theme) for step in level.steps)
    return (
        f'<p style="margin-bottom:2px;font-weight:600">{escape(title)}</p>'
        f'<p {dim} style="margin-top:0">{told}</p>'
        f'<table cellspacing="0" cellpadding="0">{rows}</table>'
    )


def _row(step: Step, theme: Theme) -> str:
    """Write a candidate and its fate on one line: both cells have the same padding."""
    colour = "" if step.verdict == "found" else f"color:{theme.text2};"
    return (
        f'<tr><td valign="top" style="padding:2px 16px 2px 0">'
        f"{escape(name_text(step.candidate))}</td>"
        f'<td valign="top" style="{colour}padding:2px 0 2px 0">'
        f"{escape(WORDS[step.verdict])}</td></tr>"
    )
