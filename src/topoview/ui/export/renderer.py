"""`OffscreenRenderer`: draws a scene large and without a window, its labels by Qt."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import TracebackType

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from topoview.desktop import has_display
from topoview.model import Bytes
from topoview.scene.annotations import Annotations
from topoview.scene.camera import pose_on_path
from topoview.scene.export_shapes import PageShapes, flatten, read_renderer
from topoview.scene.palette import THEMES, Theme, rgb
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.export.flat_map import (
    MAP_SHARE,
    FlatMap,
    flat_map,
    map_legends,
    paint_flat_map,
)
from topoview.ui.export.render_spec import TIMELINE_SHARE, RenderSpec
from topoview.ui.export.tiles import check_picture_size, draw_in_tiles, window_size
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.edges import edges_request, selected_edge
from topoview.ui.panels.scene.moment import MomentFinder, SceneMoment
from topoview.ui.panels.scene.overlay.annotations import LegendRoom, annotate
from topoview.ui.panels.scene.overlay.below import (
    OVERLAY_MARGIN,
    below_fits,
    place_below,
    room_below,
)
from topoview.ui.panels.scene.overlay.paint import (
    FOOTER_HEIGHT,
    HEADING_HEIGHT,
    paint_annotations,
    paint_below,
    paint_footer,
    paint_heading,
)
from topoview.ui.panels.scene.plotter import make_view, silence_vtk
from topoview.ui.panels.timeline.content import timeline_picture
from topoview.ui.panels.timeline.frame import OVERVIEW_ROOM
from topoview.ui.panels.timeline.paint import VECTOR_ENGINES, paint_timeline
from topoview.ui.widgets.theme import font, letter, load_fonts

SUPERSAMPLING = 2
"""Pixels that are drawn for each of the file's along each side."""

MAX_SUPERSAMPLED_SIDE = 8192
"""Longest side of a file for which that is done: beyond, samples must do."""

VECTOR_DETAIL = 4
"""Parts of a pixel that what ranks do is told apart by where pixels are none."""

LETTER_ROOM, FIGURE_GAP = 14, 6
"""Pixels above a timeline for the letter that names it, and below it."""

TORUS_HEIGHT, KEY_ROOM = 0.75, 150.0
"""Widths of a torus that it is high beside its map, with all that is written about it;
pixels below the map for a key with an entry in each line."""

MULTISAMPLES = 4
"""That each of these pixels is smoothed of, unless there is to be drawn fast."""


class OffscreenRenderer:
    """Draws pictures of one scene, at any time; a context manager.

    Parameters
    ----------
    state
        With an analysis whose topology is identified.
    content
        What is laid out of it.
    spec
        Size, footer, and where it is seen from.
    fast
        Whether many pictures are wanted: each takes a third of the time, and is as
        smooth as in the window.
    """

    def __init__(
        self,
        state: State,
        content: SceneContent,
        spec: RenderSpec,
        *,
        fast: bool = False,
    ) -> None:
        self._state, self._content, self._spec = state, content, spec
        wide, high = spec.size[0], max(spec.size[1] - room_below_scene(spec), 16)
        self._column = MAP_SHARE * wide - OVERLAY_MARGIN
        first = (*spec.selection.ranks, -1)[0]
        figure = None if spec.rows is None else flat_map(content, self._column, first)
        self._map = (
            figure
            if figure and HEADING_HEIGHT + figure.height(self._column) < high
            else None
        )
        self._key: Annotations | None = None
        """`_map` and `_key`: what stands beside the scene in a figure."""
        if self._map is not None:
            wide -= round(MAP_SHARE * wide)
            beside = self._map.height(self._column) + KEY_ROOM
            high = min(high, round(HEADING_HEIGHT + max(TORUS_HEIGHT * wide, beside)))
        self.view = (wide, high)
        fine = max(spec.size) * spec.scale <= MAX_SUPERSAMPLED_SIDE
        self._enlarged = SUPERSAMPLING if fine else 1
        self._ratio = spec.scale * self._enlarged
        self._samples = 0 if fast and fine else MULTISAMPLES
        self._moments = MomentFinder()
        self._stack = ExitStack()
        self._has_room, self._fast = False, fast

    def __enter__(self) -> "OffscreenRenderer":
        """Set the scene up."""
        with qt_application():
            load_fonts()
        self._stack.enter_context(silence_vtk())
        self._off_screen = make_view(window_size(self._drawn), self._samples)
        self._stack.callback(self._off_screen.close)
        scene = TopologyScene(
            self._off_screen.renderer, self._state.theme, self.view, float(self._ratio)
        )
        self._stack.callback(scene.close)
        content = self._content
        geometry = self._state.scene.geometry
        scene.show(
            content.match, content.layout, content.matrix, geometry, content.measure
        )
        if self._spec.pose is not None:
            scene.look_with(self._spec.pose)
        scene.show_edges(shown=self._state.scene.edges)
        request = edges_request(self._state)
        chosen = (
            selected_edge(self._state, scene) if request is None else request.edges()
        )
        scene.select_edges(chosen)
        scene.mark(self._state.selection.ranks)
        self._scene = scene
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the view."""
        self._stack.close()

    @property
    def _drawn(self) -> tuple[int, int]:
        """Pixels that are drawn, before they are smoothed."""
        return self.view[0] * self._ratio, self.view[1] * self._ratio

    def picture(self, time: int) -> QImage:
        """Draw it at a time in ticks.

        Raises
        ------
        ExportError
            It is too large.
        """
        spec = self._spec
        width, height = (side * spec.scale for side in spec.size)
        check_picture_size(width, height, clear=spec.transparent)
        notes = self._set(time)
        panel = THEMES[self._state.theme].panel
        pixels = self._pixels(clear=spec.transparent)
        if spec.transparent:
            pixels = _without_background(pixels, rgb(panel))
        image = QImage(width, height, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent if spec.transparent else QColor(panel))
        with QPainter(image) as painter:
            painter.drawImage(0, 0, _qt_image(pixels))
            painter.scale(spec.scale, spec.scale)
            self.annotate(painter, notes, time)
        if spec.transparent:
            return image
        return image.convertToFormat(QImage.Format.Format_RGB32)

    def _pixels(self, *, clear: bool) -> Bytes:
        """Draw and smooth the scene: uint8, shape (height, width, 4).

        Parameters
        ----------
        clear
            Whether nothing is behind the scene.
        """
        window, renderer = self._off_screen.window, self._off_screen.renderer
        window.SetAlphaBitPlanes(clear)
        renderer.SetBackgroundAlpha(0.0 if clear else 1.0)
        camera = renderer.GetActiveCamera()
        result = draw_in_tiles(window, camera, self._drawn, self._enlarged)
        if not clear:
            result[..., 3] = 255
        return result

    def flat(self, time: int) -> tuple[PageShapes, Annotations]:
        """Lay it out at a time in ticks as shapes on a page."""
        notes = self._set(time)
        shapes = read_renderer(self._off_screen.renderer)
        return flatten(shapes, self._scene.pose, self.view, self._ratio), notes

    def annotate(self, painter: QPainter, notes: Annotations, time: int) -> None:
        """Paint what is written over the scene, timeline and caption below it."""
        spec, (width, high) = self._spec, self.view
        if spec.rows is None:
            paint_annotations(painter, notes, self.view)
            return
        theme = THEMES[self._state.theme]
        paint_heading(painter, theme, notes, spec.size[0] - 2 * OVERLAY_MARGIN)
        plain = replace(notes, title="", subtitle="", footer=None)
        paint_annotations(painter, plain, self.view)
        letter = QRectF(OVERLAY_MARGIN, HEADING_HEIGHT - 4, 12, 14)
        taken = any(letter.contains(label.x, label.y) for label in notes.labels)
        if not taken:
            _paint_letter(painter, theme, "a", letter)
        if self._map is not None:
            letter.moveLeft(width)
            _paint_letter(painter, theme, "b", letter)
            letter.moveLeft(OVERLAY_MARGIN)
            self._paint_beside(painter, replace(self._state, time=time), self._map)
        caption, width = FOOTER_HEIGHT if spec.footer else 0, spec.size[0]
        painter.save()
        painter.translate(0, high + LETTER_ROOM)
        room = spec.size[1] - high - LETTER_ROOM - FIGURE_GAP - caption
        state = replace(self._state, time=time)
        vectors = painter.paintEngine().type() in VECTOR_ENGINES
        scale = VECTOR_DETAIL if vectors else spec.scale
        picture = timeline_picture(state, width, room + OVERVIEW_ROOM, scale)
        paint_timeline(painter, replace(picture, controls=False))
        painter.restore()
        letter.moveTop(high)
        _paint_letter(painter, theme, "b" if self._map is None else "c", letter)
        if notes.footer is not None:
            paint_footer(painter, theme, notes.footer, (width, spec.size[1] - caption))

    def _paint_beside(self, painter: QPainter, state: State, which: FlatMap) -> None:
        """Paint the map beside the scene, and the key below it."""
        painter.save()
        painter.translate(self.view[0], HEADING_HEIGHT)
        paint_flat_map(painter, state, self._shown, which, self._column)
        painter.restore()
        if self._key is not None:
            painter.save()
            painter.translate(self.view[0] - OVERLAY_MARGIN, 0)
            size = self._key_width, self._height_beside(which, self._key)
            paint_below(painter, THEMES[state.theme], self._key, size)
            painter.restore()

    @property
    def _key_width(self) -> float:
        return self._column + 2 * OVERLAY_MARGIN

    def _height_beside(self, which: FlatMap, key: Annotations) -> float:
        """Pixels down to below a map and the key below it."""
        below = place_below((), key.key, key.legends, self._key_width).height
        return HEADING_HEIGHT + which.height(self._column) + below + OVERLAY_MARGIN

    def _make_room(self, state: State, shown: SceneMoment) -> None:
        """Move back from keys and legends of the first picture.

        In a film as the window does, for what comes and goes.
        """
        self._has_room, scene = True, self._scene
        width, pose = float(self.view[0]), self._spec.pose
        if self._fast:
            room = LegendRoom(scene)
            room.changes(state, self._content, shown, self.view)
            pixels = room.pixels
        else:
            shown.draw(scene)
            notes = self._notes(state, shown)
            pixels = room_below(notes.scales, notes.key, notes.legends, width)
        scene.resize(self.view, float(self._ratio), pixels)
        scene.look_with(scene.look("home") if pose is None else scene.fitted(pose))

    def _notes(self, state: State, shown: SceneMoment) -> Annotations:
        """Return what is to be written; zeros are left out where time stands still."""
        footer = self._spec.footer
        notes = annotate(state, self._content, self._scene, shown, footer=footer)
        if not self._spec.key:
            return replace(notes, key=(), legends=(), scales=())
        if not self._fast:
            seen = tuple(entry for entry in notes.key if not entry.dim)
            notes = replace(notes, key=seen)
        if self._map is None:
            return notes
        lines = map_legends(state, notes.legends)
        key = replace(notes, scales=(), legends=lines)
        high = self._height_beside(self._map, key)
        if high > self.view[1] or not below_fits(key, self._key_width):
            return notes
        self._key = key
        return replace(notes, key=(), legends=())

    def _set(self, time: int) -> Annotations:
        """Set the scene to a time; what is to be written over it."""
        state = replace(self._state, time=time)
        if self._spec.path:
            self._scene.look_with(pose_on_path(self._spec.path, time))
        shown = self._moments.at(state, self._content)
        seen_whole = self._spec.pose is None or self._spec.whole
        if seen_whole and not self._has_room:
            self._make_room(state, shown)
        shown.draw(self._scene)
        self._shown = shown
        return self._notes(state, shown)


def room_below_scene(spec: RenderSpec) -> int:
    """Return the pixels that timeline and caption take below a scene."""
    caption = FOOTER_HEIGHT if spec.footer else 0
    if spec.rows is None:
        return caption
    return caption + round(TIMELINE_SHARE * (spec.size[1] - caption))


def _paint_letter(painter: QPainter, theme: Theme, name: str, box: QRectF) -> None:
    """Name a part of a figure."""
    letter(painter, font(13, 600), theme.text)
    painter.drawText(box.bottomLeft(), name)


@contextmanager
def qt_application() -> Iterator[None]:
    """Return the Qt application; without a display one that only paints images."""
    if QGuiApplication.instance() is not None:
        yield
        return
    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    QGuiApplication([])  # PySide keeps it, and the fonts live as long
    yield


def _without_background(pixels: Bytes, background: tuple[int, int, int]) -> Bytes:
    """Remove the background's share from the colours of half covered pixels."""
    share = pixels[..., 3:].astype(np.float32) / 255
    own = pixels[..., :3] - (1 - share) * np.array(background, np.float32)
    clear = np.zeros_like(pixels)
    covered = np.clip(own / np.maximum(share, 1 / 255), 0, 255)
    clear[..., :3] = np.where(share > 0, np.rint(covered), 0)
    clear[..., 3] = pixels[..., 3]
    return clear


def _qt_image(pixels: Bytes) -> QImage:
    height, width = pixels.shape[:2]
    kind = QImage.Format.Format_RGBA8888
    return QImage(pixels.data, width, height, 4 * width, kind).copy()
