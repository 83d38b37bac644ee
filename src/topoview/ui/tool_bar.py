"""The tool bar: what is done often, the time box, the layout, the search field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from topoview.scene.palette import THEMES
from topoview.session import State
from topoview.ui.action import LINE
from topoview.ui.actions import TOOL_BAR
from topoview.ui.clock import clock_text, parse_clock
from topoview.ui.colour_commands import colouring_texts
from topoview.ui.fonts import font
from topoview.ui.icons import icon, themed_icon
from topoview.ui.shape.commands import LAYOUT_TEXTS
from topoview.ui.shown import further_names, is_covered, layout_names
from topoview.ui.speed_box import SpeedBox
from topoview.ui.time_commands import go_to
from topoview.ui.widgets import takes_escape

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


SEARCH = (
    (1500, 300, " Find a command   Ctrl+Shift+P"),
    (1000, 180, " Find a command"),
    (0, 92, " Find"),
)
"""Width of the tool bar from which the search field has a width and a text."""


TIME_TIP = (
    "Time of the cursor: type 1.5 s, 20 ms, or +300 us for so much later (Ctrl+G)"
)
MARKED_TIP = "Time of the cursor from the mark (M at the mark takes it away)"

ROOMY = 1200
"""Width of the tool bar from which most colourings' names have room."""

WORDS = 1400
"""Width of the tool bar from which its boxes have names beside them."""


class ToolBar(QToolBar):
    """Buttons from the table of actions, and three fields."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__("Tools", window)
        self._window = window
        self._words: list[QAction] = []
        self.setObjectName("tools")
        self.setMovable(False)
        self.setIconSize(QSize(18, 18))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        actions = window.actions_shown.qt
        for name in TOOL_BAR:
            if name == LINE:
                self.addSeparator()
            else:
                self.addAction(actions[name])
        play = self.widgetForAction(actions["play"])
        assert isinstance(play, QToolButton)
        play.setMenu(window.menus["Speed"])
        play.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        self._add_time_box()
        self.speed_box = SpeedBox(window, self)
        self.addWidget(self.speed_box)
        self.addSeparator()
        self._add_layouts()
        self._add_colourings()
        for name in ("edges", "messages"):
            self.addAction(actions[name])
        self._add_search()
        window.session.subscribe(self._show)
        self.tint()
        self._show(State(), window.session.state)
        self._show_layouts()
        self._show_colourings()

    def edit_time(self) -> None:
        """Put the keyboard into the time box."""
        self.time_box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.time_box.selectAll()

    def tint(self) -> None:
        """Draw the icons in the colours of the theme."""
        theme = THEMES[self._window.session.state.view.theme]
        self.search.setIcon(icon("search", theme.text2, 16))
        playing = self._window.session.state.playing
        self._window.actions_shown.qt["play"].setIcon(
            themed_icon("pause" if playing else "play", theme.text, theme.text3)
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Leave the time box with Esc."""
        if takes_escape(event):
            self._leave_time_box()
            return True
        return super().eventFilter(watched, event)

    def _add_time_box(self) -> None:
        self.time_box = box = QLineEdit(self)
        box.setFont(font(13))
        box.setFixedWidth(118)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setToolTip(TIME_TIP)
        box.setAccessibleName("Time")
        box.returnPressed.connect(self._take_time)
        box.editingFinished.connect(self._put_back)
        box.installEventFilter(self)
        self.addWidget(box)

    def _add_layouts(self) -> None:
        self._words.append(self.addWidget(QLabel("Layout", self)))
        self.layouts = QComboBox(self)
        self.layouts.setMinimumWidth(84)
        self.layouts.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layouts.setAccessibleName("Layout")
        self.layouts.setToolTip("Arrangement of the ranks (L for the next one)")
        self.layouts.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.layouts.activated.connect(
            lambda i: self._window.session.show(layout=self.layouts.itemData(i))
        )
        self.addWidget(self.layouts)

    def _add_colourings(self) -> None:
        self._words.append(self.addWidget(QLabel("Colour", self)))
        self.colourings = QComboBox(self)
        self.colourings.setMinimumWidth(84)
        self.colourings.setMaximumWidth(220)
        self.colourings.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.colourings.setMinimumContentsLength(13)
        self.colourings.setAccessibleName("Colour")
        self.colourings.setToolTip("What the ranks' colours mean (C for the next one)")
        self.colourings.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.colourings.activated.connect(
            lambda i: self._window.session.view(colouring=self.colourings.itemData(i))
        )
        self.addWidget(self.colourings)

    def _add_search(self) -> None:
        space = QWidget(self)
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        self.search = QPushButton(self)
        self.search.setObjectName("search")
        self.search.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.search.setIconSize(QSize(16, 16))
        self.search.clicked.connect(lambda: self._window.command_palette.open())
        self.addWidget(self.search)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Give the search field what room there is."""
        super().resizeEvent(event)
        for word in self._words:
            word.setVisible(self.width() >= WORDS)
        width, text = next(
            (width, text) for least, width, text in SEARCH if self.width() >= least
        )
        self.colourings.setMinimumContentsLength(20 if self.width() >= ROOMY else 13)
        self.search.setFixedWidth(width)
        self.search.setText(text)
        layout = self.layout()
        if layout is not None:  # it has given up a field that was too wide
            layout.invalidate()
            layout.setGeometry(self.rect())

    def _show(self, old: State, new: State) -> None:
        known = new.analysis
        shown = known is not None and not is_covered(new)
        self.time_box.setEnabled(shown)
        if not self.time_box.hasFocus() or old.time != new.time:
            self._show_time()
        self.time_box.setToolTip(TIME_TIP if new.mark is None else MARKED_TIP)
        before = old.analysis.identification if old.analysis else None
        after = known.identification if known else None
        if before is not after or old.view != new.view:
            self._show_layouts()
        if old.analysis is not known or old.view != new.view:
            self._show_colourings()
        for box in (self.layouts, self.colourings):
            box.setEnabled(shown and box.count() > 1)
        if old.playing != new.playing:
            self.tint()

    def _show_time(self) -> None:
        state = self._window.session.state
        known = state.analysis
        if known is None:
            self.time_box.clear()
        else:
            self.time_box.setText(clock_text(state, known))
        self._mark_wrong(wrong=False)

    def _show_layouts(self) -> None:
        state = self._window.session.state
        own, further = layout_names(state), further_names(state)
        names = [*own, *([None, *further] if further else [])]
        shown = [self.layouts.itemData(i) for i in range(self.layouts.count())]
        if shown != names:
            self.layouts.clear()
            for name in names:
                if name is None:
                    self.layouts.insertSeparator(self.layouts.count())
                else:
                    self.layouts.addItem(LAYOUT_TEXTS[name], name)
        chosen = self._window.session.state.view.layout
        self.layouts.setCurrentIndex(max(self.layouts.findData(chosen), 0))

    def _show_colourings(self) -> None:
        state = self._window.session.state
        texts = colouring_texts(state)
        names = tuple(texts)
        shown = [self.colourings.itemData(i) for i in range(self.colourings.count())]
        if shown != list(names):
            self.colourings.clear()
            for name in names:
                self.colourings.addItem(texts[name], name)
        chosen = self.colourings.findData(state.view.colouring)
        self.colourings.setCurrentIndex(max(chosen, 0))

    def _take_time(self) -> None:
        state = self._window.session.state
        if state.analysis is None:
            return
        try:
            found = parse_clock(self.time_box.text(), state, state.analysis)
        except ValueError as error:
            self._mark_wrong(wrong=True)
            self._window.say(str(error))
            return
        go_to(found, self._window)
        self._leave_time_box()

    def _leave_time_box(self) -> None:
        self._show_time()
        self.time_box.clearFocus()

    def _put_back(self) -> None:
        """Show the cursor's time again when the box loses the keyboard."""
        if not self.time_box.hasFocus():
            self._show_time()

    def _mark_wrong(self, *, wrong: bool) -> None:
        if bool(self.time_box.property("wrong")) != wrong:
            self.time_box.setProperty("wrong", wrong)
            self.time_box.style().unpolish(self.time_box)
            self.time_box.style().polish(self.time_box)
