"""The picture of the network: tubes for what is loaded, hair lines for the rest."""

import math
from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from topoview.base.text import plural, size_text, tr
from topoview.model import Bools, Floats, Ints, coordinates_of, distinct
from topoview.report.network import link_name
from topoview.scene.network_shape import NetworkShape, Projection, cables_shown
from topoview.scene.palette import Theme, category_colours, map_colours
from topoview.session import Session, State
from topoview.ui.panels.network.content import BINS, NetworkPicture
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.formats import tip_text
from topoview.ui.widgets.theme import font, letter, set_shape, translucent

MAX_TUBES = 2000
"""Pieces that are drawn as tubes, the hottest first: a frame must not take longer."""

MAX_NODES_RINGED = 300
"""Nodes of selected ranks that have rings at most."""

MAX_HAIRS = 20_000
"""Pieces above which nothing is drawn of cables below the threshold."""

HEAD, KEY = 50, 30
"""Pixels for title and key."""

MARGIN = 14
"""Pixels around the network, for letters at its axes."""

HISTOGRAM = 168
"""Pixels for the histograms by direction, where the view is wide enough."""

WIDE = 560
"""Width from which there are histograms."""

BALL = 0.24
"""Radius of a coloured node, in spacings."""

REACH = 9.0
"""Pixels around the pointer in which a cable is found."""

MOST_FADED = 0.45
"""How much of the ground's colour the farthest tube has."""

MAX_HISTOGRAMS = 8
"""Directions whose histograms are shown."""

TURN = 0.4
"""Degrees that a pixel of a drag turns."""


class NetworkView(Chart):
    """Shows the cables; a drag turns, the wheel zooms, a click selects a link."""

    SIZE = (520, 400)
    picked = Signal(int)
    """A link that was clicked, -1 for none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, tr("The machine's network"))
        self._picture: NetworkPicture | None = None
        self._turned: tuple[float, float] | None = None
        self._pressed: QPointF | None = None
        self._kept: tuple[tuple[object, ...], tuple[Ints, Ints]] | None = None
        self._moved = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 140)
        self.setSizePolicy(
            self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Expanding
        )

    def show_picture(self, picture: NetworkPicture) -> None:
        """Show another picture."""
        self._picture = picture
        self.update()

    # What is seen.

    @property
    def _state(self) -> State:
        return self._session.state

    def projection(self, shape: NetworkShape) -> Projection:
        """Project points to the page."""
        options = self._state.of(NetworkOptions)
        turned = self._turned or (options.azimuth, options.elevation)
        azimuth, elevation = (a + b for a, b in zip(shape.side, turned, strict=True))
        room = self._room()
        radius = max(shape.radius, 0.5)
        assert self._picture is not None
        width, height = self._picture.extent
        fits = min(room.width() / width, room.height() / height)
        scale = fits * options.zoom
        middle = room.center()
        return Projection(azimuth, elevation, scale, (middle.x(), middle.y()), radius)

    @property
    def _has_histograms(self) -> bool:
        """Whether there is room for them, and no plot beside."""
        return self.width() >= WIDE and (
            self._picture is None or self._picture.extents is None
        )

    def _room(self) -> QRectF:
        right = HISTOGRAM if self._has_histograms else 0
        width, height = self.width() - 2 * MARGIN - right, self.height() - HEAD - KEY
        return QRectF(MARGIN, HEAD + MARGIN, max(width, 40), max(height - MARGIN, 40))

    def _drawn(self, picture: NetworkPicture) -> tuple[Ints, Ints]:
        """Choose the pieces that are tubes, and those that are hair lines."""
        options = self._state.of(NetworkOptions)
        key = (picture, options.share, options.axis, options.place)
        if self._kept is None or self._kept[0] != key:
            self._kept = key, self._chosen(picture, options)
        return self._kept[1]

    def _chosen(
        self, picture: NetworkPicture, options: NetworkOptions
    ) -> tuple[Ints, Ints]:
        shape, traffic, colours = picture.shape, picture.traffic, picture.colours
        assert shape is not None
        assert traffic is not None
        assert colours is not None
        network, amount = traffic.loads.network, colours.amount
        inside = cables_shown(network, shape, options.axis, options.place)
        most = amount.max(initial=0.0)
        hot = inside & (amount >= max(options.share * most, 1e-12))
        tubes = np.flatnonzero(hot[shape.cable])
        hairs = np.flatnonzero((inside & ~hot)[shape.cable])
        if len(tubes) > MAX_TUBES:
            each = amount[shape.cable[tubes]]
            tubes = tubes[np.argsort(-each, kind="stable")[:MAX_TUBES]]
        return tubes, hairs if len(hairs) <= MAX_HAIRS else hairs[:0]

    def cable_at(self, at: QPointF) -> int:
        """Find the cable at a point of the view, -1 if there is none."""
        picture = self._picture
        if picture is None or picture.shape is None:
            return -1
        shape = picture.shape
        tubes, hairs = self._drawn(picture)
        tube = self._nearest(shape, tubes, at)
        return tube if tube >= 0 else self._nearest(shape, hairs, at)

    def _nearest(self, shape: NetworkShape, pieces: Ints, at: QPointF) -> int:
        if not len(pieces):
            return -1
        points, depth = self.projection(shape).points(shape.pieces[pieces])
        begin, along = points[:, 0], points[:, 1] - points[:, 0]
        to = np.array([at.x(), at.y()]) - begin
        length = np.maximum((along**2).sum(1), 1e-9)
        part = np.clip((to * along).sum(1) / length, 0, 1)[:, None]
        far = np.hypot(*(to - part * along).T)
        near = far <= REACH
        if not near.any():
            return -1
        # of those at the pointer the one in front, but never a much farther one
        cost = np.where(near, np.round(far / 4) * 1e6 - depth.mean(1), np.inf)
        return int(shape.cable[pieces[cost.argmin()]])

    # Painting.

    def paint(self, painter: QPainter, _: Theme) -> None:
        """Paint cables, what is selected, title, key and histograms."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._picture is not None and self._picture.traffic is not None:
            self._paint(painter, self._picture)

    def _paint(self, painter: QPainter, picture: NetworkPicture) -> None:
        shape = picture.shape
        assert shape is not None
        projection = self.projection(shape)
        tubes, hairs = self._drawn(picture)
        self._paint_hairs(painter, projection.points(shape.pieces[hairs])[0])
        self._paint_tubes(painter, picture, projection, tubes)
        self._paint_used(painter, picture, projection)
        self._paint_balls(painter, picture, projection)
        self._paint_selected(painter, picture, projection)
        for name, place in shape.words:
            at, _ = projection.points(np.array(place))
            self._write(painter, name, QPointF(*at.tolist()), 600)
        self._paint_head(painter, picture)
        self._paint_key(painter, picture)
        if self._has_histograms:
            self._paint_histograms(painter, picture)

    def _paint_hairs(self, painter: QPainter, points: Floats) -> None:
        colour = translucent(self.theme.edge, 0.4)
        painter.setPen(QPen(colour, 0.8))
        painter.drawLines([QLineF(*a, *b) for a, b in points.tolist()])

    def _paint_used(
        self, painter: QPainter, picture: NetworkPicture, projection: Projection
    ) -> None:
        """Mark the nodes with ranks where there are others: holes stay empty."""
        assert picture.traffic is not None
        assert picture.shape is not None
        used = picture.used
        nodes = picture.traffic.loads.network.nodes
        if len(used) == nodes or nodes > MAX_TUBES:
            return
        points, _ = projection.points(picture.shape.places[used])
        set_shape(painter, fill=self.theme.text2)
        for x, y in points.tolist():
            painter.drawEllipse(QPointF(x, y), 1.8, 1.8)

    def _colours(self, name: str = "cividis") -> list[QColor]:
        return [QColor(colour) for colour in map_colours(name, self.theme)]

    def _paint_balls(
        self, painter: QPainter, picture: NetworkPicture, projection: Projection
    ) -> None:
        """Paint coloured nodes from the farthest to the nearest."""
        shown, shape = picture.colours, picture.shape
        assert shape is not None
        assert shown is not None
        inside = self._in_slice(picture, shown.node)
        node, tone = shown.node[inside], shown.node_tone[inside]
        points, depth = projection.points(shape.places[node])
        size = min(max(projection.scale * BALL, 1.5), 9.0)
        if shown.map == "categories":
            colours = [
                *map(QColor, category_colours(int(tone.max(initial=0)) + 1, self.theme))
            ]
            chosen = tone.astype(np.int64)
        else:
            colours = self._colours(shown.map)
            chosen = np.rint(tone * (len(colours) - 1)).astype(np.int64)
        rim = QColor(self.theme.panel)
        for k in np.argsort(depth, kind="stable").tolist():
            painter.setPen(QPen(rim, 0.8) if size > 2 else Qt.PenStyle.NoPen)
            painter.setBrush(colours[chosen[k]])
            painter.drawEllipse(QPointF(*points[k].tolist()), size, size)

    def _in_slice(self, picture: NetworkPicture, node: Ints) -> Bools:
        options = self._state.of(NetworkOptions)
        assert picture.traffic is not None
        network = picture.traffic.loads.network
        if not network.is_grid or not 0 <= options.axis < len(network.dims):
            return np.ones(len(node), bool)
        places = coordinates_of(node, network.dims)[:, options.axis]
        inside: Bools = places == options.place
        return inside

    def _paint_tubes(
        self,
        painter: QPainter,
        picture: NetworkPicture,
        projection: Projection,
        chosen: Ints,
    ) -> None:
        """Paint from the farthest to the nearest: rim, body, light."""
        shape, shown = picture.shape, picture.colours
        assert shape is not None
        assert shown is not None
        if not len(chosen):
            return
        most = shown.amount.max(initial=0.0)
        points, depth = projection.points(shape.pieces[chosen])
        colours, ground = self._colours(shown.map), QColor(self.theme.panel)
        colours.append(QColor(self.theme.edge))  # where nothing is known
        tone = shown.tone[shape.cable[chosen]] * (len(colours) - 2)
        place = np.where(np.isnan(tone), len(colours) - 1, np.rint(np.nan_to_num(tone)))
        shades: dict[tuple[int, int], tuple[QColor, QColor, QColor]] = {}
        share = shown.amount[shape.cable[chosen]] / max(most, 1e-12)
        deep = depth.mean(1) / shape.radius  # from -1 to 1
        pen = QPen()
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        for piece in np.argsort(deep, kind="stable").tolist():
            part = float(share[piece])
            key = int(place[piece]), round(4 - 4 * float(deep[piece]))
            if key not in shades:
                fade = MOST_FADED * min(max(key[1], 0), 8) / 8
                colour = _mixed(colours[key[0]], ground, fade)
                shades[key] = colour.darker(125), colour, colour.lighter(135)
            width = min(max(projection.scale * (0.08 + 0.12 * part), 2.0), 9.0)
            line = QLineF(*points[piece].ravel().tolist())
            for thickness, shade in zip((1.0, 0.7, 0.22), shades[key], strict=True):
                pen.setWidthF(width * thickness)
                pen.setColor(shade)
                painter.setPen(pen)
                painter.drawLine(line)

    def _paint_selected(
        self,
        painter: QPainter,
        picture: NetworkPicture,
        projection: Projection,
    ) -> None:
        shape, traffic = picture.shape, picture.traffic
        assert shape is not None
        assert traffic is not None
        for links, capsule in (
            (picture.route, False),
            (np.array([picture.link] if picture.link >= 0 else []), True),
        ):
            if not len(links):
                continue
            own = np.isin(shape.cables, links).max(1, initial=False)
            pieces = shape.pieces[own[shape.cable]]
            for line in projection.points(pieces)[0]:
                self._outline(painter, line, 7.0, capsule=capsule)
        node = traffic.loads.placement.node
        ranks = np.array(self._state.selection.ranks, np.int64)
        at = distinct(node[ranks[ranks < len(node)]])
        places, _ = projection.points(shape.places[at[at >= 0][:MAX_NODES_RINGED]])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in places.tolist():
            painter.setPen(QPen(QColor(self.theme.panel), 4))
            painter.drawEllipse(QPointF(x, y), 6, 6)
            painter.setPen(QPen(QColor(self.theme.ink), 2))
            painter.drawEllipse(QPointF(x, y), 6, 6)

    def _outline(
        self, painter: QPainter, piece: Floats, room: float, *, capsule: bool
    ) -> None:
        """Paint a capsule around a cable, or a line along it, in ink."""
        line = QLineF(*piece[0].tolist(), *piece[1].tolist())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if not capsule:
            for colour, width in ((self.theme.panel, 5.0), (self.theme.ink, 2.0)):
                pen = QPen(QColor(colour), width)
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                painter.drawLine(line)
            return
        painter.save()
        painter.translate(line.p1())
        painter.rotate(-line.angle())
        box = QRectF(-room, -room, line.length() + 2 * room, 2 * room)
        for colour, width in ((self.theme.panel, 5.0), (self.theme.ink, 2.4)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRoundedRect(box, room, room)
        painter.restore()

    def _write(
        self, painter: QPainter, text: str, at: QPointF, weight: int = 400
    ) -> None:
        letter(painter, font(12, weight), self.theme.text)
        painter.drawText(at, text)

    def _paint_head(self, painter: QPainter, picture: NetworkPicture) -> None:
        assert picture.traffic is not None
        loads = picture.traffic.loads
        network = loads.network
        letter(painter, font(15, 600), self.theme.text)
        painter.drawText(QPointF(16, 22), _cut(painter, network.name, self.width()))
        count = len(network.links) // 2
        parts = [
            tr(
                "{nodes}, {cables}",
                nodes=plural(network.nodes, "node"),
                cables=plural(count, "cable"),
            )
        ]
        if loads.placement.assumed:
            parts.append(tr("assumed"))
        holes = network.nodes - len(picture.used)
        if holes:
            parts.append(tr("{nodes} without ranks", nodes=plural(holes, "node")))
        parts.append(tr("{mean_hops:.2f} hops a byte", mean_hops=loads.mean_hops))
        if picture.mapping is not None and picture.mapping.loads is loads:
            parts.append(tr("mapped: {method}", method=picture.mapping.method))
        letter(painter, font(12), self.theme.text2)
        text = _cut(painter, "; ".join(parts), self.width())
        painter.drawText(QPointF(16, 41), text)

    def _paint_key(self, painter: QPainter, picture: NetworkPicture) -> None:
        shown = picture.colours
        assert shown is not None
        y = self.height() - 14
        letter(painter, font(12), self.theme.text2)
        left = 16
        if shown.title:
            painter.drawText(QPointF(left, y + 4), shown.title)
            left += painter.fontMetrics().horizontalAdvance(shown.title) + 10
            ramp = QRectF(left, y - 6, min(110, self.width() / 6), 12)
            gradient = QLinearGradient(ramp.topLeft(), ramp.topRight())
            colours = self._colours(shown.map)
            for k in range(0, len(colours), 7):
                gradient.setColorAt(k / (len(colours) - 1), colours[k])
            gradient.setColorAt(1, colours[-1])
            painter.fillRect(ramp, gradient)
            left += round(ramp.width()) + 10
        share = self._state.of(NetworkOptions).share
        hidden = tr("; tubes from {share:g} % on", share=100 * share) if share else ""
        text = shown.ends + (hidden if shown.amount.any() else "")
        room = self.width() - left
        painter.drawText(QPointF(left, y + 4), _cut(painter, text, room))

    def _paint_histograms(self, painter: QPainter, picture: NetworkPicture) -> None:
        assert picture.traffic is not None
        text = size_text(picture.traffic.loads.hottest_bytes)
        rows = picture.histograms[:MAX_HISTOGRAMS]
        left, width = self.width() - HISTOGRAM + 26, HISTOGRAM - 46
        letter(painter, font(12, 600), self.theme.text)
        painter.drawText(QPointF(left - 18, HEAD + 14), tr("Links by load"))
        tall = min((self.height() - HEAD - KEY - 50) / max(len(rows), 1), 62.0)
        colours, bar = self._colours(), width / BINS
        for row, (name, counts) in enumerate(rows):
            base = HEAD + 26 + (row + 1) * tall
            high = max(counts.max(initial=1), 1)
            for k, count in enumerate(counts.tolist()):
                if count:
                    box = QRectF(left + k * bar, base, bar - 1.5, 0)
                    box.setTop(base - max(count / high * (tall - 18), 1.5))
                    at = round((k + 0.5) / BINS * (len(colours) - 1))
                    painter.fillRect(box, colours[at])
            painter.setPen(QPen(QColor(self.theme.rule), 1))
            painter.drawLine(QLineF(left, base + 0.5, left + width, base + 0.5))
            letter(painter, font(11, 600), self.theme.text)
            up = tall - 12 if len(name) > 2 else 2  # above the bars, or beside them
            painter.drawText(QPointF(left - 18, base - up), name)
        letter(painter, font(11), self.theme.text2)
        end = HEAD + 40 + len(rows) * tall
        painter.drawText(QPointF(left, end), "0")
        wide = painter.fontMetrics().horizontalAdvance(text)
        painter.drawText(QPointF(left + width - wide, end), text)

    # The user's hands.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to turn, or to click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn while the button is down; else tell what is at the pointer."""
        if self._pressed is None:
            self._tell(event)
            return
        apart = event.position() - self._pressed
        if not self._moved and math.hypot(apart.x(), apart.y()) < 4:
            return
        self._moved = True
        self._turned = self._turn(-TURN * apart.x(), TURN * apart.y())
        self.update()

    def _turn(self, aside: float, up: float) -> tuple[float, float]:
        """Compute how it is turned from its first side, by so many degrees more."""
        options, picture = self._state.of(NetworkOptions), self._picture
        first = picture.shape.side[1] if picture and picture.shape else 0.0
        lifted = min(max(first + options.elevation + up, -89.0), 89.0)
        return options.azimuth + aside, lifted - first

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep what was turned; a click selects a link."""
        if self._pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed, turned = None, self._turned
        self._turned = None
        if turned is not None:
            self._session.change(NetworkOptions, azimuth=turned[0], elevation=turned[1])
        else:
            self.picked.emit(self._link_of(self.cable_at(event.position())))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all of it from the first side again."""
        if self.cable_at(event.position()) < 0:
            self._session.change(NetworkOptions, azimuth=0.0, elevation=0.0, zoom=1.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom."""
        self._zoom(1.0015 ** event.angleDelta().y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn with the arrow keys, zoom with plus and minus."""
        turns = {
            Qt.Key.Key_Left: (15, 0),
            Qt.Key.Key_Right: (-15, 0),
            Qt.Key.Key_Up: (0, 15),
            Qt.Key.Key_Down: (0, -15),
        }
        zooms = {Qt.Key.Key_Plus: 1.2, Qt.Key.Key_Minus: 1 / 1.2}
        key = Qt.Key(event.key())
        if key in turns:
            azimuth, elevation = self._turn(*turns[key])
            self._session.change(NetworkOptions, azimuth=azimuth, elevation=elevation)
        elif key in zooms:
            self._zoom(zooms[key])
        else:
            super().keyPressEvent(event)

    def _zoom(self, by: float) -> None:
        zoom = self._state.of(NetworkOptions).zoom * by
        self._session.change(NetworkOptions, zoom=min(max(zoom, 0.3), 20.0))

    def _link_of(self, cable: int) -> int:
        """Choose the busier way of a cable."""
        picture = self._picture
        if cable < 0 or picture is None or picture.traffic is None:
            return -1
        assert picture.shape is not None
        loads = picture.traffic.loads.bytes
        ways: list[int] = picture.shape.cables[cable].tolist()
        return max(ways, key=lambda link: loads[link] if link >= 0 else -1.0)

    def _tell(self, event: QMouseEvent) -> None:
        link = self._link_of(self.cable_at(event.position()))
        if link < 0:
            QToolTip.hideText()
            return
        text = tip_text("\n".join(self._words(link)))
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def _words(self, link: int) -> Iterator[str]:
        picture = self._picture
        assert picture is not None
        assert picture.traffic is not None
        loads = picture.traffic.loads
        yield link_name(loads.network, link)
        size = float(loads.bytes[link])
        times = size / loads.mean_bytes if loads.mean_bytes else 0.0
        yield tr(
            "{size}, {times:.2f} times the mean", size=size_text(size), times=times
        )
        measured = loads.measured
        if measured is not None and not np.isnan(measured.links[link]):
            yield tr("{link} measured", link=size_text(float(measured.links[link])))


def _mixed(colour: QColor, other: QColor, part: float) -> QColor:
    keep = 1 - part
    return QColor.fromRgbF(
        colour.redF() * keep + other.redF() * part,
        colour.greenF() * keep + other.greenF() * part,
        colour.blueF() * keep + other.blueF() * part,
    )


def _cut(painter: QPainter, text: str, width: int) -> str:
    room = max(width - 24, 20)
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
