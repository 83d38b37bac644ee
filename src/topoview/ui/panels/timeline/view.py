"""The timeline panel: follows the session, and has its pixels made."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from topoview.base.text import tr
from topoview.live.colourings.table import STATE
from topoview.live.timeline import orders, row_colours
from topoview.live.timeline.cached_raster import StateShares
from topoview.live.timeline.collectives import CollectiveFinder, WindowCollectives
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import WindowMessages
from topoview.model import Floats, Ints, Trace
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.actions.rows import ROW_GROUP_TEXTS
from topoview.ui.panels.timeline import axis, content, paint, requests
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.hover import TimelineSurface
from topoview.ui.panels.timeline.mouse import TimelineMouse
from topoview.ui.panels.timeline.picture import ShownTrack, image_of_pixels
from topoview.ui.panels.timeline.tracks import track_title
from topoview.ui.widgets.controls import DockBar, Segmented, follow, paint_rubber
from topoview.ui.widgets.formats import name_text
from topoview.ui.widgets.icons import icon
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.panel import PointedThing
from topoview.ui.widgets.theme import font

SHOWN_PARTS = (
    "window",
    "selection",
    "delay",
    "picked",
    "notes",
    "theme",
    "match",
    "focus",
    "timeline",
    "scene",
    "time_zero",
    "unit",
    "bounds",
    "repeat",
    "skip",
    "speed",
    "speed_unit",
    "fixed_cursor",
    "bookmarks",
)
"""Parts of the state that the timeline shows, beside the trace and the time."""

EXPORT_SCALE = 4.0
"""Pixels that a picture's rows are made of, for one of its logical pixels."""

ORDER_TEXTS = {
    "rank": tr("Rank"),
    "place": tr("Topology"),
    "distance": tr("Hop distance"),
}
"""Orders of the rows."""

BRIEF_ORDER_TEXTS = {**ORDER_TEXTS, "distance": tr("Hops")}
"""The same where there is little room."""


class TimelineView(TimelineSurface):
    """Timeline of all ranks: time axis, rows, and a strip of the whole run.

    The rows' pixels are made in a thread; until they are there the last ones
    are shown shifted and stretched. A moving time cursor repaints only what it
    covers.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._trace: Trace | None = None
        self.content = content.TimelineContent()
        self._rows: tuple[QImage | None, tuple[int, int]] = (None, (0, 1))
        self._rows_asked: requests.RowsRequest | None = None
        self._legend: row_colours.RowLegend | None = None
        self._share: Floats | None = None
        self._strip_asked: requests.StripRequest | None = None
        self._rows_worker = LatestOnly[requests.RowsRequest, requests.RowsMade](
            requests.RowsRequest.pixels, self._rows_made
        )
        self._strip_worker = LatestOnly[requests.StripRequest, StateShares](
            requests.StripRequest.shares, self._strip_made
        )
        self.track_data: requests.TracksFound = {}
        self._operations = CollectiveFinder()
        self._tracks_asked = requests.TracksRequest(())
        self._tracks_worker = LatestOnly[requests.TracksRequest, requests.TracksFound](
            requests.TracksRequest.data, self._tracks_made
        )
        self.quiet = None
        self._quiet_asked: requests.IdleRequest | None = None
        self._quiet_worker = LatestOnly[requests.IdleRequest, Ints](
            requests.IdleRequest.stretches, self._quiet_found
        )
        self._still: QPixmap | None = None
        self._rubber: QRectF | None = None
        self._mouse = TimelineMouse(self)
        follow(self, session, self._follow, to=("analysis", *SHOWN_PARTS))
        follow(self, session, self._follow_time, to=("time",))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 130)
        self.setAccessibleName(tr("Timeline"))
        for worker in self._workers:
            self.destroyed.connect(worker.stop)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not any(worker.busy for worker in self._workers)

    @property
    def _workers(self) -> tuple[LatestOnly[Any, Any], ...]:
        rows, strip = self._rows_worker, self._strip_worker
        return rows, strip, self._tracks_worker, self._quiet_worker

    @property
    def tracks(self) -> tuple[ShownTrack, ...]:
        """Tracks as they are shown; needs an open trace."""
        return self.content.shown_tracks(
            self.session.state, self.frame, self.track_data
        )

    @property
    def frame(self) -> TimelineFrame:
        """Geometry now; needs an open trace."""
        return self.content.frame(
            self.session.state, self.width(), self.height(), self.devicePixelRatioF()
        )

    @property
    def bands(self) -> RowBands:
        """Where the rows are; needs an open trace."""
        return self.content.bands(self.session.state, self.frame)

    @property
    def lines(self) -> WindowMessages | None:
        """All messages of the window, if they are drawn."""
        return content.lines_found(self.session.state, self.track_data)

    @property
    def operations(self) -> WindowCollectives | None:
        """All collective operations of the window, if they are drawn."""
        return content.operations_found(self.session.state, self.track_data)

    def show_rubber(self, band: QRectF | None) -> None:
        """Show what a drag would select, or nothing."""
        self._rubber = band
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(890, 230)

    def _follow(self, _: State, __: State) -> None:
        self._ask()
        self._refresh()

    def _follow_time(self, old: State, new: State) -> None:
        if new.analysis is not None:
            self._ask()
            self._move_cursor(old.time, new.time)

    def _refresh(self) -> None:
        """Paint everything anew."""
        self._still = None
        self.update()

    def _forget(self) -> None:
        self.content = content.TimelineContent()
        self._rows = (None, (0, 1))
        self._rows_asked = self._strip_asked = self._legend = None
        self._share = self.quiet = self._quiet_asked = None
        self.track_data, self._tracks_asked = {}, requests.TracksRequest(())

    def _move_cursor(self, old: int, new: int) -> None:
        frame = self.frame
        region = QRegion()
        for area in (*axis.cursor_area(frame, old), *axis.cursor_area(frame, new)):
            region += QRegion(area.toAlignedRect())
        self.update(region)

    def _ask(self) -> None:
        state = self.session.state
        trace = state.trace
        if trace is not self._trace:
            self._trace = trace
            self._forget()
        if trace is None or not self.isVisible():
            return  # what nobody sees costs nothing
        frame = self.frame
        rows = self.content.rows_request(state, frame)
        if rows != self._rows_asked:
            self._rows_asked = rows
            self._rows_worker.ask(replace(rows, soon=True))
        strip = self.content.strip_request(state, frame)
        if strip != self._strip_asked:
            self._strip_asked = strip
            self._strip_worker.ask(replace(strip, soon=True))
        wanted = self.content.track_requests(state, frame)
        wanted += self.content.lines_request(state, frame)
        tracks = requests.TracksRequest(wanted, self.track_data, self._operations)
        if tracks != self._tracks_asked:
            self._tracks_asked = tracks
            self._tracks_worker.ask(tracks)
        quiet = self.content.quiet_request(state, frame)
        if quiet != self._quiet_asked:
            self._quiet_asked = quiet
            self.quiet = None
            if quiet is not None:
                self._quiet_worker.ask(quiet)

    def _rows_made(
        self, request: requests.RowsRequest, made: requests.RowsMade
    ) -> None:
        latest, (pixels, exact, self._legend) = self._rows_asked, made
        if latest is None or request.trace is not latest.trace:
            return
        self._rows = image_of_pixels(pixels), request.window
        self._refresh()
        self.filled.emit()
        if not exact and latest == replace(request, soon=False):
            self._rows_worker.ask(latest)

    def _strip_made(self, request: requests.StripRequest, made: StateShares) -> None:
        latest, (share, exact) = self._strip_asked, made
        if latest is None or request.trace is not latest.trace:
            return
        self._share = share
        self._refresh()
        if not exact and latest == replace(request, soon=False):
            self._strip_worker.ask(latest)

    def _tracks_made(
        self, _: requests.TracksRequest, made: requests.TracksFound
    ) -> None:
        requests = self._tracks_asked.tracks
        analyses = {each.analysis for each in requests}
        self.track_data = {
            n: each for n, each in made.items() if each[0].analysis in analyses
        }
        self._refresh()

    def _quiet_found(self, request: requests.IdleRequest, idle: Ints) -> None:
        if request == self._quiet_asked:
            self.quiet = idle
            self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is there."""
        with QPainter(self) as painter:  # one that is left open crashes Qt
            self._paint(painter, event.rect())

    def _paint(self, painter: QPainter, area: QRect) -> None:
        state = self.session.state
        theme = THEMES[state.theme]
        if state.analysis is None:
            painter.fillRect(area, QColor(theme.panel))
            return
        frame = self.frame
        if self._still is None:
            self._still = QPixmap(self.size() * frame.scale)
            self._still.setDevicePixelRatio(frame.scale)
            with QPainter(self._still) as behind:
                made = (
                    self._rows,
                    self._share,
                    self.quiet,
                    self.track_data,
                    self._legend,
                )
                paint.paint_still(behind, self.content.picture(state, frame, *made))
        painter.drawPixmap(0, 0, self._still)
        axis.paint_cursor(painter, frame, theme, state.analysis.trace.clock, state.time)
        if self._rubber is not None:
            paint_rubber(painter, self._rubber, theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for pixels of the new size."""
        super().resizeEvent(event)
        self._refresh()
        self._ask()

    def event(self, event: QEvent) -> bool:
        """Ask for pixels when shown, and anew for a screen with other ones."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.DevicePixelRatioChange):
            self._refresh()
            self._ask()
        return done

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag."""
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or hover."""
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or click."""
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom to what is there."""
        self._mouse.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer, or pan."""
        self._mouse.wheel(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Select the row there, and ask for the menu about it."""
        if self.session.state.analysis is not None:
            number = self.frame.track_at(event.pos().y())
            if number is not None:
                self.menu_asked.emit(self._track_menu(number), event.globalPos())
                return
            title = self._mouse.choose(QPointF(event.pos()))
            self.menu_asked.emit(PointedThing(title), event.globalPos())

    def _track_menu(self, number: int) -> PointedThing:
        """Name a track, with what can be done with it."""
        shown = self.tracks[number]
        names = self.session.state.timeline.tracks
        others = tuple(name for name in names if name != shown.request.name)

        def put(*tracks: str) -> Callable[[], None]:
            return lambda: self.session.change("timeline", tracks=tracks)

        title = " ".join(track_title(shown))
        own = (
            (tr("Hide this track"), put(*others)),
            (tr("Move to the top"), put(shown.request.name, *others)),
            (tr("Hide all tracks"), put()),
        )
        return PointedThing(title, own)

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint it in another size, for a picture: made now, for that size."""
        state, wide, high = self.session.state, size.width(), size.height()
        if state.analysis is not None:
            picture = content.timeline_picture(state, wide, high, EXPORT_SCALE)
            paint.paint_timeline(painter, picture)

    def leaveEvent(self, event: QEvent) -> None:
        """Hover no more."""
        super().leaveEvent(event)
        self._mouse.leave()

    def bar(self, title: str) -> DockBar:
        """Create its title bar."""
        return TimelineBar(self.session, title)


class PinButton(QToolButton):
    """Tells where distances are counted from; a click takes the selected ranks."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pin")
        self.setFont(font(12))
        self.setIconSize(QSize(13, 13))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setToolTip(
            tr(
                "Rows are in the order of their distance from here, whatever is "
                "selected; a click counts from the selected ranks"
            )
        )
        self.clicked.connect(lambda: session.order_rows("distance"))

    def show_origin(self, state: State, *, shown: bool, brief: bool) -> None:
        """Write the origin."""
        self.setVisible(shown)
        origin = state.timeline.origin or (0,)
        ranks = (
            tr("rank {origin}", origin=origin[0])
            if len(origin) == 1
            else tr("{origin} ranks", origin=len(origin))
        )
        self.setText(ranks if brief else tr("from {ranks}, pinned", ranks=ranks))
        self.setIcon(icon("pin", THEMES[state.theme].text2, 13))


class MenuButton(QToolButton):
    """Tells what is chosen; its menu, filled when it opens, chooses it."""

    def __init__(self, session: Session, name: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.setObjectName(name)
        self.setFont(font(12))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(tip)
        self.setStyleSheet(
            "QToolButton { padding-right: 16px }"
            "QToolButton::menu-indicator { subcontrol-origin: padding;"
            " subcontrol-position: right center; right: 4px }"
        )
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._clear_and_fill)

    def fill(self, state: State) -> None:
        """Fill the menu."""
        raise NotImplementedError

    def add_choice(self, text: str, act: Callable[[], None], *, holds: bool) -> None:
        """Add an entry that can be the chosen one."""
        entry = self.menu().addAction(text)
        entry.setCheckable(True)
        entry.setChecked(holds)
        entry.triggered.connect(lambda _=False: act())

    def _clear_and_fill(self) -> None:
        self.menu().clear()
        if self.session.state.analysis is not None:
            self.fill(self.session.state)


class GroupButton(MenuButton):
    """Tells what makes groups of rows; its menu chooses it, folds and unfolds."""

    def show_group(self, state: State, *, brief: bool) -> None:
        """Write what makes groups now."""
        text = ROW_GROUP_TEXTS.get(state.timeline.group, tr("Group"))
        self.setText(tr("Group rows") if brief else text)

    def fill(self, state: State) -> None:
        """Fill the menu."""
        menu, session = self.menu(), self.session
        for name in orders.possible_groups(state):
            self.add_choice(
                ROW_GROUP_TEXTS[name],
                partial(session.group_rows, name),
                holds=name == state.timeline.group,
            )
        menu.addSeparator()
        for text, folded in (
            (tr("Fold all groups"), True),
            (tr("Unfold all groups"), False),
        ):
            entry = menu.addAction(text)
            entry.setEnabled(bool(orders.row_order(state).labels))
            entry.triggered.connect(
                lambda _=False, on=folded: session.change(
                    "timeline", folded=on, turned=frozenset()
                )
            )


MAX_COLOUR_WIDTH = 90
"""Pixels of the name of what rows are coloured by."""


class ColourButton(MenuButton):
    """Tells what rows are coloured by; its menu chooses it."""

    def show_colour(self, state: State) -> None:
        """Write what rows are coloured by."""
        request = None if state.analysis is None else content.rows_colour(state)
        text = tr("State") if request is None else request.title
        elide = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(text, elide, MAX_COLOUR_WIDTH))

    def fill(self, state: State) -> None:
        """Fill the menu."""
        assert state.analysis is not None
        chosen = row_colours.shown_colouring(state.analysis, state.timeline.colour)
        texts = {STATE: tr("State"), **row_colours.row_colourings(state.analysis)}
        for name, text in texts.items():
            put = partial(self.session.change, "timeline", colour=name)
            self.add_choice(text, put, holds=name == chosen)


class TimelineBar(DockBar):
    """Tells and chooses the order of the rows."""

    BREVITIES = 4

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._session = session
        self._shown: object = None
        self._orders = Segmented(self, session.order_rows)
        self.pin = PinButton(session, self)
        self.groups = GroupButton(
            session,
            "groups",
            tr("What makes groups of rows; folded ones are a row each"),
            self,
        )
        self.colours = ColourButton(
            session, "colours", tr("What rows are coloured by"), self
        )
        self.add_control(self.pin)
        self.add_control(self.colours)
        self.add_control(self.groups)
        self.add_control(self._orders)
        follow(self, session, self._show, to=("analysis", "match", "timeline", "theme"))
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        analysis = new.analysis
        wanted = (
            new.trace,
            analysis.identification if analysis else None,
            new.match,
            new.timeline,
            new.theme,
        )
        if analysis is None or wanted == self._shown:
            return
        self._shown = wanted
        self.colours.show_colour(new)
        self.tell(name_text(orders.row_order(new).words))
        self.fit()

    def write(self, brevity: int) -> None:
        """Write controls: first the menus are brief, then the orders, then none are.

        The menu Timeline has them, too.
        """
        state = self._session.state
        if state.analysis is None:
            return
        texts = BRIEF_ORDER_TEXTS if brevity > 1 else ORDER_TEXTS
        names = [n for n in orders.possible_row_orders(state) if n in texts]
        chosen = state.timeline.order if state.timeline.order in names else ""
        self._orders.offer({name: texts[name] for name in names}, chosen)
        self._orders.setVisible(len(names) > 1)
        brief = brevity > 0
        self.pin.show_origin(state, shown=chosen == "distance", brief=brief)
        self.groups.show_group(state, brief=brief)
        for menu in (self.groups, self.colours):
            menu.setVisible(brevity < self.BREVITIES - 1)
