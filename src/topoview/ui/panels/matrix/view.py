"""The communication matrix as a picture to zoom, hover over and select in."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from topoview.base.text import duration_text, plural, size_text, tr
from topoview.live.moments.messages import messages_between
from topoview.live.picking.relations import direction_names
from topoview.model import Indices, Ints, Match
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.panels.matrix.content import (
    MatrixMaker,
    MatrixPicture,
    MatrixRequest,
    matrix_request,
)
from topoview.ui.panels.matrix.frame import MatrixFrame, MatrixZoom
from topoview.ui.panels.matrix.paint import MatrixMarks, paint_matrix
from topoview.ui.panels.timeline.picture import image_of_pixels
from topoview.ui.widgets.controls import dragged_box
from topoview.ui.widgets.theme import font, letter


def select_cells(
    session: Session,
    picture: MatrixPicture,
    columns: tuple[int, int],
    rows: tuple[int, int],
    *,
    adds: bool,
) -> None:
    """Select what some columns and rows hold.

    A single cell selects its pair, a cell on the diagonal its rank; more select the
    ranks that send or receive there. What holds nothing clears the selection.

    Parameters
    ----------
    adds
        Whether ranks are added to those that are selected.
    """
    senders, receivers = senders_and_receivers(picture, columns, rows)
    one = columns[1] - columns[0] == rows[1] - rows[0] == 1
    if one and len(senders) and not adds:
        a, b = int(senders[0]), int(receivers[0])
        if a != b:
            session.select(edge=(min(a, b), max(a, b)))
        else:
            session.select(ranks=(a,))
        return
    chosen = set(senders.tolist()) | set(receivers.tolist())
    if adds:
        chosen |= set(session.state.selection.ranks)
    session.select(ranks=tuple(sorted(chosen)))


def senders_and_receivers(
    picture: MatrixPicture, columns: tuple[int, int], rows: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Ranks that send, and those that receive, in some columns and rows.

    Returns
    -------
    int64, each of its own length, ascending
    """
    ranks = picture.arrangement.ranks
    inside = np.zeros(len(ranks), bool)
    inside[ranks[slice(*columns)]] = True
    senders = np.sort(ranks[slice(*rows)])
    own = picture.numbers[senders]
    there = inside[own.indices]
    receiving = np.zeros(len(ranks), bool)
    receiving[own.indices[there]] = True
    before = np.append(0, np.cumsum(there))[own.indptr]
    return senders[np.diff(before) > 0].astype(np.int64), np.flatnonzero(receiving)


RankSet = Indices | Ints

MAX_DIRECTIONS_NAMED = 3
"""Directions of a bin that are named."""


def cell_words(
    picture: MatrixPicture, columns: tuple[int, int], rows: tuple[int, int]
) -> str:
    """Describe the cells of some columns and rows in a few lines of HTML.

    Empty where nothing is sent.

    Parameters
    ----------
    columns, rows
        First place and the one after the last.
    """
    ranks = picture.arrangement.ranks
    senders, receivers = ranks[slice(*rows)], ranks[slice(*columns)]
    if not len(senders) or not len(receivers):
        return ""
    calls, volume, pairs = traffic_between(picture, senders, receivers)
    waited = _wait_between(picture, senders, receivers)
    if not calls and not waited:
        return ""
    match = picture.request.match
    if len(senders) == len(receivers) == 1:
        lines = _pair_words(picture, int(senders[0]), int(receivers[0]), match)
    else:
        ends = [_ranks_text(some) for some in (senders, receivers)]
        lines = [f"<b>{ends[0]} \u2192 {ends[1]}</b>", plural(pairs, "pair")]
    count = plural(calls, picture.matrix.noun)
    if calls:
        lines.append(f"{count}, {size_text(volume)}")
    if waited:
        template = (
            tr("waited {waited} for it")
            if len(senders) == 1
            else tr("waited {waited} for them")
        )
        lines.append(template.format(waited=duration_text(waited)))
    if picture.matrix.one_sided:
        return "<br>".join(f"<nobr>{line}</nobr>" for line in lines)
    if len(senders) == len(receivers) == 1:
        lines += _size_words(picture, int(senders[0]), int(receivers[0]))
    return "<br>".join(f"<nobr>{line}</nobr>" for line in lines)


def traffic_between(
    picture: MatrixPicture, senders: RankSet, receivers: RankSet
) -> tuple[int, int, int]:
    """Messages, bytes, and pairs of ranks between senders and receivers."""
    matrix = picture.matrix
    inside = np.zeros(matrix.ranks, bool)
    inside[receivers] = True
    calls, volume = matrix.calls[senders], matrix.volume[senders]  # one structure
    there = inside[calls.indices]
    sums = (calls.data[there].sum(), volume.data[there].sum())
    return int(sums[0]), int(sums[1]), int(there.sum())


def _wait_between(
    picture: MatrixPicture, senders: RankSet, receivers: RankSet
) -> float:
    """Seconds that receivers waited for senders, where waits are shown."""
    waits = picture.matrix.waits
    if waits is None:
        return 0.0
    own = waits[senders]
    return float(own.data[np.isin(own.indices, receivers)].sum())


def _pair_words(
    picture: MatrixPicture, sender: int, receiver: int, match: Match | None
) -> list[str]:
    lines = [
        tr("<b>rank {sender} → rank {receiver}</b>", sender=sender, receiver=receiver)
    ]
    if match is None or match.topology.is_empty:
        return lines
    places = [_place_text(match, rank) for rank in (sender, receiver)]
    if all(places):
        lines.append(f"{places[0]} \u2192 {places[1]}")
    named = direction_names(
        picture.request.analysis, picture.request.match, sender, receiver
    )
    way = ", ".join(named[:MAX_DIRECTIONS_NAMED])
    if way:
        lines.append(escape(way))
    if is_extra(match, sender, receiver):
        lines.append(tr("not in the topology"))
    return lines


def is_extra(match: Match, sender: int, receiver: int) -> bool:
    """Return whether a pair communicates that is no edge of the topology."""
    edges = match.extra_edges
    low, high = min(sender, receiver), max(sender, receiver)
    return bool(((edges.min(axis=1) == low) & (edges.max(axis=1) == high)).any())


def _size_words(picture: MatrixPicture, sender: int, receiver: int) -> list[str]:
    analysis = picture.request.analysis
    messages, indices = (
        analysis.trace.messages,
        messages_between(analysis, sender, receiver),
    )
    own = indices[messages.sender[indices] == sender]
    if not len(own):
        return []
    sizes = messages.size[own]
    low, high = int(sizes.min()), int(sizes.max())
    if low == high:
        return [tr("{low} each", low=size_text(low))]
    return [
        tr(
            "{low} to {high} each, in the whole run",
            low=size_text(low),
            high=size_text(high),
        )
    ]


def _place_text(match: Match, rank: int) -> str:
    vertex = int(match.vertex[rank])
    if vertex < 0 or not match.topology.has_places:
        return ""
    place: Sequence[int] = match.topology.coordinates[vertex].tolist()
    return f"({', '.join(map(str, place))})"


def _ranks_text(ranks: RankSet) -> str:
    if len(ranks) == 1:
        return tr("rank {rank}", rank=ranks[0])
    ordered = bool((np.diff(ranks) == 1).all())
    if ordered:
        return tr("ranks {first}–{last}", first=ranks[0], last=ranks[-1])
    return tr(
        "{ranks} from {first} to {last}",
        ranks=plural(len(ranks), "rank"),
        first=ranks[0],
        last=ranks[-1],
    )


ZOOM_PER_NOTCH = 1.25
"""Zoom of a notch of the wheel."""

CLICK_TOLERANCE = 4
"""Pixels that a click may tremble."""

EXPORT_SCALE = 4
"""Pixels that a picture's cells are made of, for one of its logical pixels."""

TIP_DELAY_MILLISECONDS = 300
"""Milliseconds that the mouse rests before it is told what is there."""


class MatrixView(QWidget):
    """Who sends how much to whom; row sends to column.

    The wheel zooms at the pointer, Shift or the middle button moves, a click
    selects a pair, a drag the ranks that communicate in a box; a double click or F
    shows everything.
    """

    menu_asked = Signal(str, QPoint)
    """The user wants the context menu: what it is about, and where on the screen."""
    looked = Signal()
    """Another part of the matrix is seen, or in another size."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._zoom = MatrixZoom(0.0, 0.0, 1.0)
        self._ranks = 0
        self._shown: tuple[MatrixPicture, QImage] | None = None
        self._pressed: QPointF | None = None
        self._moved: MatrixZoom | None = None
        self._rubber: QRectF | None = None
        self._hovered: tuple[int, int] | None = None
        self._tip = QTimer(self, singleShot=True, interval=TIP_DELAY_MILLISECONDS)
        self._tip.timeout.connect(self._tell)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Communication matrix"))
        self.setCursor(Qt.CursorShape.CrossCursor)

    @property
    def picture(self) -> MatrixPicture | None:
        """What is seen, None before there is anything."""
        return self._shown[0] if self._shown else None

    @property
    def frame(self) -> MatrixFrame:
        """Geometry now."""
        return MatrixFrame(self.width(), self.height(), self._zoom)

    def fit(self) -> None:
        """Show all ranks."""
        self._look(MatrixZoom(0.0, 0.0, float(max(self._ranks, 1))))

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(388, 420)

    def request(self, state: State) -> MatrixRequest | None:
        """Return what is to be seen of a state, in as many cells as there are pixels.

        At first all ranks are.
        """
        ranks = state.analysis.trace.ranks if state.analysis is not None else 0
        if ranks != self._ranks:
            self._ranks = ranks
            self._zoom = MatrixZoom(0.0, 0.0, float(max(ranks, 1)))
        lines = max(1, int(self.frame.side * self.devicePixelRatioF()))
        return matrix_request(state, self._zoom.extract, lines)

    def show_picture(self, picture: MatrixPicture | None) -> None:
        """Show another picture; None: that of another trace, with all its ranks."""
        if picture is None:
            self._shown, self._ranks = None, 0
        else:
            self._shown = picture, image_of_pixels(picture.pixels)
        self.update()

    def _look(self, zoom: MatrixZoom) -> None:
        self._zoom = zoom
        self._hovered = None
        QToolTip.hideText()
        self.looked.emit()
        self.update()

    # painting

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint it in another size, for a picture: made now, for that size."""
        frame = MatrixFrame(size.width(), size.height(), self._zoom)
        lines = max(1, int(frame.side * EXPORT_SCALE))
        request = matrix_request(self.session.state, self._zoom.extract, lines)
        if request is None:
            return
        picture = MatrixMaker().picture(request)
        chosen = self.session.state.selection
        marked = MatrixMarks(chosen.ranks, chosen.edge, None, None)
        paint_matrix(painter, frame, picture, image_of_pixels(picture.pixels), marked)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is there."""
        with QPainter(self) as painter:  # one that is left open crashes Qt
            if self._shown is None:
                theme = THEMES[self.session.state.theme]
                painter.fillRect(event.rect(), QColor(theme.panel))
                if self._ranks:
                    letter(painter, font(12), theme.text2)
                    centre = Qt.AlignmentFlag.AlignCenter
                    painter.drawText(self.rect(), centre, tr("Drawing the matrix…"))
                return
            chosen = self.session.state.selection
            marked = MatrixMarks(chosen.ranks, chosen.edge, self._rubber, self._hovered)
            paint_matrix(painter, self.frame, *self._shown, marked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        super().resizeEvent(event)
        self.looked.emit()

    def event(self, event: QEvent) -> bool:
        """Ask for a picture for a screen with other pixels."""
        done = super().event(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.looked.emit()
        return done

    # the mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        x, y = self.frame.place(event.position())
        factor = ZOOM_PER_NOTCH ** (event.angleDelta().y() / 120)
        self._look(self._zoom.magnified(factor, x, y, self._ranks))
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Select the pair there, and ask for the menu about it."""
        if self._shown is None:
            return
        at, title = QPointF(event.pos()), ""
        if self.frame.area.contains(at):
            x, y = self._clipped(at)
            columns, rows = self._covered(x, x), self._covered(y, y)
            senders, receivers = senders_and_receivers(self._shown[0], columns, rows)
            chosen = self.session.state.selection
            ends = {*senders.tolist(), *receivers.tolist()}
            if ends and not ends <= {*chosen.ranks, *(chosen.edge or ())}:
                select_cells(self.session, self._shown[0], columns, rows, adds=False)
            title = (
                tr(
                    "rank {sender} → rank {receiver}",
                    sender=senders[0],
                    receiver=receivers[0],
                )
                if ends
                else ""
            )
        self.menu_asked.emit(title, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select or to move."""
        if self._shown is None or event.button() == Qt.MouseButton.RightButton:
            return
        middle = event.button() == Qt.MouseButton.MiddleButton
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._pressed = event.position()
        self._moved = self._zoom if middle or shifted else None
        self._rubber = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move, draw a box, or hover."""
        at = event.position()
        if self._pressed is None:
            self._hover(at)
            return
        by = at - self._pressed
        if self._moved is not None:
            cell = self.frame.cell
            zoom = replace(
                self._moved,
                left=self._moved.left - by.x() / cell,
                top=self._moved.top - by.y() / cell,
            )
            self._look(zoom.clamped(self._ranks))
        elif (
            max(abs(by.x()), abs(by.y())) > CLICK_TOLERANCE or self._rubber is not None
        ):
            self._rubber = dragged_box(self._pressed, at, self.frame.area)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select what was clicked, or what lies in the box."""
        pressed, rubber, moved = self._pressed, self._rubber, self._moved
        self._pressed = self._rubber = self._moved = None
        if self._shown is None or pressed is None or moved is not None:
            return
        ends = (pressed, pressed)
        if rubber is not None:
            ends = rubber.topLeft(), rubber.bottomRight()
        (left, top), (right, bottom) = (self._clipped(end) for end in ends)
        if rubber is None and not self.frame.area.contains(event.position()):
            self.session.select()
            return
        columns, rows = self._covered(left, right), self._covered(top, bottom)
        adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        select_cells(self.session, self._shown[0], columns, rows, adds=adds)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom to what is there; where all cells are seen well, show everything."""
        x, y = self.frame.place(event.position())
        if self._zoom.count < self._ranks:
            self.fit()
        else:
            self._look(self._zoom.magnified(4.0, x, y, self._ranks))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom, 0 shows everything."""
        x = self._zoom.left + self._zoom.count / 2
        y = self._zoom.top + self._zoom.count / 2
        if event.text() in ("+", "="):
            self._look(self._zoom.magnified(2.0, x, y, self._ranks))
        elif event.text() == "-":
            self._look(self._zoom.magnified(0.5, x, y, self._ranks))
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hover no more."""
        super().leaveEvent(event)
        self._tip.stop()
        self._hovered = None
        self.update()

    def _clipped(self, at: QPointF) -> tuple[float, float]:
        x, y = self.frame.place(at)
        last = self._ranks - 1e-6
        return min(max(x, 0.0), last), min(max(y, 0.0), last)

    def _covered(self, low: float, high: float) -> tuple[int, int]:
        """Places that some pixels cover: the first, and the one after the last."""
        pixel = 1 / self.frame.cell
        if high - low < pixel and pixel > 1:
            low = np.floor(low / pixel) * pixel
            high = low + pixel
        first = int(low)
        return first, min(max(int(np.ceil(high)), first + 1), self._ranks)

    def _hover(self, at: QPointF) -> None:
        self._tip.stop()
        QToolTip.hideText()
        over = None
        if self._shown is not None and self.frame.area.contains(at):
            x, y = self._clipped(at)
            over = int(x), int(y)
            self._tip.start()
        if over != self._hovered:
            self._hovered = over
            self.update()

    def _tell(self) -> None:
        if self._hovered is None or self._shown is None or not self.isVisible():
            return
        columns, rows = (self._covered(p, p) for p in map(float, self._hovered))
        words = cell_words(self._shown[0], columns, rows)
        if words:
            QToolTip.showText(self.cursor().pos(), words, self)
