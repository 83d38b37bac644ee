"""The tool bar: frequent actions, time and speed boxes, layout, colouring, search.

The two boxes take times and speeds as a user types them; how these are written and
read is here too.
"""

import re

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from topoview.base.text import time_scale, tr
from topoview.live.layouts import LAYOUT_TEXTS, general_layouts, own_layouts
from topoview.model import Analysis
from topoview.scene.palette import THEMES
from topoview.session import State
from topoview.ui.actions.action import SEPARATOR, Context
from topoview.ui.actions.appearance import colouring_group, colouring_texts
from topoview.ui.actions.general import VIEW_ACTIONS
from topoview.ui.actions.menus import ActionSet
from topoview.ui.actions.table import TOOL_BAR
from topoview.ui.actions.timeline import move_cursor
from topoview.ui.playback import CALL_RATE, WHOLE_IN_SECONDS, playback_speed
from topoview.ui.widgets import formats
from topoview.ui.widgets.controls import follow, takes_escape
from topoview.ui.widgets.icons import icon, themed_icon
from topoview.ui.widgets.layouts import filled, styled
from topoview.ui.widgets.search_box import GROUP_ROLE, SearchBox
from topoview.ui.widgets.theme import font, text_width

MAX_SPEED, MIN_SPEED = 1e6, 1e-12


def clock_text(state: State, analysis: Analysis) -> str:
    """Write the cursor's time as its flag does, from the mark if there is one."""
    begin, end = state.window
    clock = analysis.trace.clock
    span = min(end, clock.length) - max(begin, 0)
    return formats.relative_time_text(
        state.time, state.time_zero, clock, span, state.unit
    )


def parse_clock(text: str, state: State, analysis: Analysis) -> int:
    """Read a time in ticks; one with a sign is counted from the mark, or the cursor.

    Raises
    ------
    ValueError
        It is no time.
    """
    clock = analysis.trace.clock
    unit = formats.absolute_unit(clock, state.unit)
    if state.time_zero is not None:
        begin, end = state.window
        unit = time_scale(clock.seconds(max(end - begin, 1)), state.unit)[0]
    bare = text.strip().replace("\u2212", "-")
    if bare[:1] in ("+", "-"):
        start = state.time if state.time_zero is None else state.time_zero
        return start + formats.parse_time(bare, clock, unit)
    return formats.parse_time(bare, clock, unit)


def speed_text(state: State) -> str:
    """Write how fast playing is: ``10 ms/s``, ``20 calls/s``, ``all in 10 s``."""
    if state.speed_unit == CALL_RATE and state.speed:
        return tr("{speed:g} calls/s", speed=state.speed)
    if state.speed_unit == WHOLE_IN_SECONDS and state.speed:
        return tr("all in {speed:g} s", speed=state.speed)
    if not state.speed:
        return formats.speed_of_time(playback_speed(state)) if state.analysis else ""
    return f"{formats.round_text(state.speed)}/s"


def parse_speed(text: str) -> tuple[float, str]:
    """Read a speed and its unit from what a user typed.

    Raises
    ------
    ValueError
        It is no speed.
    """
    bare = re.sub(r"\s|\u2009", "", text).replace(",", ".").lower()
    number = r"(\d*\.?\d+(?:e[+-]?\d+)?)"
    if match := re.fullmatch(rf"{number}(?:mpi)?calls?(?:/s|asecond)?", bare):
        return _within_speeds(float(match[1]), text), CALL_RATE
    if match := re.fullmatch(rf"(?:allin|in|allofitin){number}s", bare):
        return _within_speeds(float(match[1]), text), WHOLE_IN_SECONDS
    match = re.fullmatch(rf"{number}(s|ms|us|µs|ns)?(?:/s|asecond)", bare)
    if match:
        scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
        return _within_speeds(float(match[1]) * scale[match[2] or "s"], text), ""
    raise ValueError(
        tr("{text!r} is no speed: write 10 ms/s, 20 calls/s or all in 10 s", text=text)
    )


def _within_speeds(value: float, text: str) -> float:
    if not MIN_SPEED <= value <= MAX_SPEED:
        raise ValueError(
            tr(
                "{text!r} is no speed that can be played: choose one nearer to 10 ms/s",
                text=text,
            )
        )
    return value


SPEED_BOX_WIDTH = 92

TIME_BOX_WIDTH, TIME_BOX_EDGES = 108, 24
"""Least width of the box of the time, and what of it is beside the text."""


class SpeedBox(QLineEdit):
    """Shows the speed; a typed one is taken with Enter, Esc leaves it."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setFont(font(13, plain=True))
        self.setFixedWidth(SPEED_BOX_WIDTH)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setToolTip(tr("Speed of playing: type 10 ms/s, 20 calls/s or all in 10 s"))
        self.setAccessibleName(tr("Speed"))
        self.setEnabled(False)  # there is nothing to play yet
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.returnPressed.connect(self._take)
        follow(
            self,
            context.session,
            self._follow,
            to=(
                "speed",
                "speed_unit",
                "window",
                "bounds",
                "analysis",
                "opening",
                "failure",
            ),
        )

    def edit(self) -> None:
        """Put the keyboard into the box."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _follow(self, _: State, new: State) -> None:
        self.setEnabled(new.analysis is not None and not new.derived.is_page_shown)
        self._show()

    def _show(self) -> None:
        state = self._context.session.state
        if not self.hasFocus():
            self.setText("" if state.derived.is_page_shown else speed_text(state))

    def _take(self) -> None:
        try:
            speed, speed_unit = parse_speed(self.text())
        except ValueError as error:
            self._context.say(str(error))
            return
        self._context.session.update(speed=speed, speed_unit=speed_unit)
        self.clearFocus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the speed that holds."""
        super().focusOutEvent(event)
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the box with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
            return
        super().keyPressEvent(event)


MEDIUM_WIDTH = 1000
"""Width of the tool bar from which fields and switches have icons and words."""


class ViewSwitch(QWidget):
    """Switches between scene, both, and timeline, by number."""

    def __init__(self, actions: ActionSet, parent: QWidget) -> None:
        super().__init__(parent)
        styled(self, "segmented")
        self.setFixedHeight(26)
        row = filled(QHBoxLayout(self), margins=(2, 2, 2, 2), spacing=1)
        self._actions: list[QAction] = []
        for action in VIEW_ACTIONS:
            button = QToolButton(self)
            button.setDefaultAction(actions.qt[action.name])
            button.setIconSize(QSize(15, 15))
            button.setFont(font(12))
            button.setFixedHeight(20)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
            self._actions.append(actions.qt[action.name])
        self.name(0)

    def name(self, room: int) -> None:
        """Write the numbers of the views, with icons and words as there is room."""
        words, beside = room >= LABELLED_WIDTH, Qt.ToolButtonStyle
        style = beside.ToolButtonTextBesideIcon
        if room < MEDIUM_WIDTH:
            style = beside.ToolButtonTextOnly
        for button in self.findChildren(QToolButton):
            button.setToolButtonStyle(style)
        texts = (tr("Scene"), tr("Both"), tr("Timeline"))
        for number, (action, text) in enumerate(
            zip(self._actions, texts, strict=True), 1
        ):
            action.setIconText(f"{number} {text}" if words else str(number))


SEARCH_FIELDS = (
    (1500, 300, tr(" Find a command   Ctrl+Shift+P")),
    (1400, 180, tr(" Find a command")),
    (MEDIUM_WIDTH, 112, tr(" Commands")),
    (0, 34, ""),
)
"""Width of the tool bar from which the search field has a width and a text."""


TIME_TIP = tr(
    "Time of the cursor: type 1.5 s, 20 ms, or +300 us for so much later (Ctrl+G)"
)
TIME_ZERO_TIP = tr("Time of the cursor from the mark (M at the mark takes it away)")

WIDE_BOX_WIDTH = 1200
"""Width of the tool bar from which most colourings' names have room."""

LABELLED_WIDTH = 1400
"""Width of the tool bar from which its boxes have names beside them."""


SHOWN_PARTS = (
    "analysis",
    "opening",
    "failure",
    "time",
    "time_zero",
    "unit",
    "window",
    "scene",
    "match",
    "playing",
    "theme",
)
"""Parts of the state that the tool bar shows."""


class ToolBar(QToolBar):
    """Buttons from the table of actions, and three fields."""

    def __init__(self, context: Context, actions: ActionSet, speeds: QMenu) -> None:
        super().__init__(tr("Tools"), context.window)
        self._context, self._actions = context, actions
        self._words: list[QAction] = []
        self.setObjectName("tools")
        self.setMovable(False)
        self.setIconSize(QSize(18, 18))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in TOOL_BAR:
            if name == SEPARATOR:
                self.addSeparator()
            else:
                self.addAction(actions.qt[name])
        play = self.widgetForAction(actions.qt["play"])
        assert isinstance(play, QToolButton)
        play.setMenu(speeds)
        play.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        self._add_time_box()
        self.speed_box = SpeedBox(context, self)
        self.addWidget(self.speed_box)
        self.addSeparator()
        self._add_layouts()
        self._add_colourings()
        for name in ("edges", "messages"):
            self.addAction(actions.qt[name])
        self.addSeparator()
        self._views = ViewSwitch(actions, self)
        self.addWidget(self._views)
        self._add_search()
        self._message_tip = actions.qt["messages"].toolTip()
        follow(self, context.session, self._show, to=SHOWN_PARTS)
        self.tint()
        self._show(State(), context.session.state)
        self._show_layouts()
        self._show_colourings()

    def edit_time(self) -> None:
        """Put the keyboard into the time box."""
        self.time_box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.time_box.selectAll()

    def tint(self) -> None:
        """Draw the icons in the colours of the theme."""
        theme = THEMES[self._context.session.state.theme]
        self.search.setIcon(icon("search", theme.text2, 16))
        playing = self._context.session.state.playing
        self._actions.qt["play"].setIcon(
            themed_icon("pause" if playing else "play", theme.text, theme.text3)
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the time box with Esc."""
        if takes_escape(event):
            self._leave_time_box()
            return True
        return super().eventFilter(watched, event)

    def _add_time_box(self) -> None:
        self.time_box = box = QLineEdit(self)
        box.setFont(font(13, plain=True))
        box.setFixedWidth(TIME_BOX_WIDTH)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setToolTip(TIME_TIP)
        box.setAccessibleName(tr("Time"))
        box.returnPressed.connect(self._take_time)
        box.editingFinished.connect(self._put_back)
        box.installEventFilter(self)
        self.addWidget(box)

    def _add_layouts(self) -> None:
        self._words.append(self.addWidget(QLabel(tr("Layout"), self)))
        self.layouts = QComboBox(self)
        self.layouts.setMinimumWidth(84)
        self.layouts.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layouts.setAccessibleName(tr("Layout"))
        self.layouts.setToolTip(tr("Arrangement of the ranks (L for the next one)"))
        self.layouts.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.layouts.activated.connect(
            lambda i: self._context.session.show_layout(self.layouts.itemData(i))
        )
        self.addWidget(self.layouts)

    def _add_colourings(self) -> None:
        self._words.append(self.addWidget(QLabel(tr("Colour"), self)))
        self.colourings = SearchBox(self)
        self.colourings.setMinimumWidth(84)
        self.colourings.setMaximumWidth(220)
        self.colourings.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.colourings.setMinimumContentsLength(13)
        self.colourings.setAccessibleName(tr("Colour"))
        self.colourings.setToolTip(
            tr("What the ranks' colours mean (C for the next one)")
        )
        self.colourings.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.colourings.activated.connect(
            lambda i: self._context.session.change(
                "scene", colouring=self.colourings.itemData(i)
            )
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
        self.search.clicked.connect(lambda: self._context.show("palette"))
        self.addWidget(self.search)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the search field to what room there is."""
        super().resizeEvent(event)
        for word in self._words:
            word.setVisible(self.width() >= LABELLED_WIDTH)
        self._views.name(self.width())
        width, text = next(
            (width, text)
            for least, width, text in SEARCH_FIELDS
            if self.width() >= least
        )
        self.colourings.setMinimumContentsLength(
            20 if self.width() >= WIDE_BOX_WIDTH else 13
        )
        self.search.setFixedWidth(width)
        self.search.setText(text)
        layout = self.layout()
        if layout is not None:  # it has given up a field that was too wide
            layout.invalidate()
            layout.setGeometry(self.rect())

    def _show(self, old: State, new: State) -> None:
        analysis = new.analysis
        shown = analysis is not None and not new.derived.is_page_shown
        self.time_box.setEnabled(shown)
        if not self.time_box.hasFocus() or old.time != new.time:
            self._show_time()
        before = old.analysis.identification if old.analysis else None
        after = analysis.identification if analysis else None
        if before is not after or old.scene != new.scene or old.match != new.match:
            self._show_layouts()
        if old.analysis is not analysis or old.scene != new.scene:
            self._show_colourings()
        for box in (self.layouts, self.colourings):
            box.setEnabled(shown and box.count() > 1)
        if old.playing != new.playing or old.theme != new.theme:
            self.tint()
        if old.analysis is not analysis or old.scene.messages != new.scene.messages:
            self._explain_messages(new)

    def _explain_messages(self, state: State) -> None:
        """Explain at the button why messages are not drawn by default."""
        tip = self._message_tip
        if state.analysis is not None and state.scene.messages is None:
            from topoview.live.moments.messages import too_many_messages

            why = too_many_messages(state.analysis)
            tip += tr(": off, as {why}", why=why) if why else ""
        self._actions.qt["messages"].setToolTip(tip)

    def _show_time(self) -> None:
        state = self._context.session.state
        analysis = state.analysis
        tip = TIME_TIP if state.time_zero is None else TIME_ZERO_TIP
        if analysis is None or state.derived.is_page_shown:
            self.time_box.clear()
        else:
            text = clock_text(state, analysis)
            self.time_box.setText(text)
            room = round(text_width(text, 13)) + TIME_BOX_EDGES
            self.time_box.setFixedWidth(max(TIME_BOX_WIDTH, room))
            exact = formats.exact_time_text(state.time, analysis.trace.clock, state)
            tip = f"{exact}\n{tip}"
        self.time_box.setToolTip(tip)
        self._mark_wrong(wrong=False)

    def _show_layouts(self) -> None:
        state = self._context.session.state
        own, further = own_layouts(state), general_layouts(state)
        names = [*own, *([None, *further] if further else [])]
        shown = [self.layouts.itemData(i) for i in range(self.layouts.count())]
        if shown != names:
            self.layouts.clear()
            for name in names:
                if name is None:
                    self.layouts.insertSeparator(self.layouts.count())
                else:
                    self.layouts.addItem(LAYOUT_TEXTS[name], name)
        chosen = self._context.session.state.scene.layout
        self.layouts.setCurrentIndex(max(self.layouts.findData(chosen), 0))

    def _show_colourings(self) -> None:
        state = self._context.session.state
        texts = colouring_texts(state)
        names = tuple(texts)
        shown = [self.colourings.itemData(i) for i in range(self.colourings.count())]
        if shown != list(names):
            self.colourings.clear()
            for place, name in enumerate(names):
                self.colourings.addItem(texts[name], name)
                group = colouring_group(name)
                self.colourings.setItemData(place, group, GROUP_ROLE)
        chosen = self.colourings.findData(state.scene.colouring)
        self.colourings.setCurrentIndex(max(chosen, 0))

    def _take_time(self) -> None:
        state = self._context.session.state
        if state.analysis is None:
            return
        try:
            time = parse_clock(self.time_box.text(), state, state.analysis)
        except ValueError as error:
            self._mark_wrong(wrong=True)
            self._context.say(str(error))
            return
        move_cursor(time, self._context)
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
