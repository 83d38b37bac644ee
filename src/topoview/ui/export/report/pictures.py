"""Pictures of reports: the scene, the timeline, charts; drawn without a display."""

from dataclasses import replace
from typing import Final

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QPainter

from topoview.base.progress import Report, silent
from topoview.live.moments.moment import moment
from topoview.model import Analysis, TimeState
from topoview.report.blocks import Model, Picture
from topoview.report.document.facts import Facts
from topoview.scene.flat.plain_report import report_charts
from topoview.scene.palette import STATE_COLOURS, THEMES
from topoview.session import Bookmark, SceneOptions, State
from topoview.ui.export.render_spec import RenderSpec
from topoview.ui.export.renderer import OffscreenRenderer, qt_application
from topoview.ui.panels.scene.content import SceneContent, prepare_scene
from topoview.ui.panels.timeline.content import timeline_picture
from topoview.ui.panels.timeline.paint import paint_timeline
from topoview.ui.widgets.theme import load_fonts

MAX_MODEL_RANKS, MAX_MODEL_EDGES = 20_000, 100_000
"""What a page has of a model at most: about 1.5 MB, and turns without a halt."""

RANK_SIZE = 0.22
"""Radius of a rank in a model, in distances of neighbours."""

SCALE: Final = 2
"""Pixels of a picture for a CSS pixel, along each side."""

SCENE_SIZE: Final = (660, 450)
TIMELINE_SIZE: Final = (980, 330)
"""Pixels in which the scene and the timeline are laid out: larger than on the page."""

ICON_TONES: Final = {
    "compute": "#b7c5cf",
    "wait": STATE_COLOURS[TimeState.WAIT],
    "collective": STATE_COLOURS[TimeState.COLLECTIVE],
    "plain": "#59636e",
}


def report_pictures(
    facts: Facts, state: State, content: SceneContent | None, report: Report = silent
) -> dict[str, Picture]:
    """Draw all figures and charts that there is something for.

    Parameters
    ----------
    state, content
        What `state_of_report` chose, and `prepare_scene` made of it.
    """
    result: dict[str, Picture] = {}
    with qt_application():
        load_fonts()
        report("drawing", 0.0)
        drawn = scene_picture(state, content)
        if drawn is not None:
            result["scene"] = drawn
        report("drawing", 0.6)
        result["timeline"] = timeline_of(state)
    result |= report_charts(facts)
    report("drawing", 1.0)
    return result


def bookmark_picture(
    analysis: Analysis, kept: Bookmark, scene: SceneOptions, before: SceneContent | None
) -> Picture | None:
    """Draw the scene at a place that the user has kept, as she last saw it.

    `before` is what is known of a scene of this trace already.
    """
    whole = State(analysis, theme="light", scene=scene)
    state = replace(whole, time=kept.time, window=kept.window, selection=kept.selection)
    return scene_picture(state, prepare_scene(state, before))


def scene_picture(state: State, content: SceneContent | None) -> Picture | None:
    """Draw the ranks in their topology; None where they cannot be laid out."""
    if content is None or content.fault:
        return None
    spec = RenderSpec(
        state.time, state.window, SCENE_SIZE, footer=False, scale=SCALE, theme="light"
    )
    with OffscreenRenderer(state, content, spec) as offscreen:
        image = offscreen.picture(state.time)
    return Picture(png_of(image), SCENE_SIZE)


def scene_model(state: State, content: SceneContent | None) -> Model | None:
    """Return the ranks in their topology as a model; None where there are too many."""
    if content is None or content.fault:
        return None
    places = content.layout.positions.astype(np.float64)
    there = np.isfinite(places.sum(axis=1))
    edges = content.match.rank_edges
    edges = edges[(edges >= 0).all(axis=1) & there[edges].all(axis=1)]
    if not there.any() or len(places) > MAX_MODEL_RANKS or len(edges) > MAX_MODEL_EDGES:
        return None
    low, high = places[there].min(axis=0), places[there].max(axis=0)
    places = places - (low + high) / 2
    radius = float(np.linalg.norm(places[there], axis=1).max()) + content.layout.spacing
    far = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    near = float(np.median(far)) if len(far) else content.layout.spacing
    now = moment(content.analysis.trace, state.time).state
    # the longest side lies across the view
    across = int(np.argmax((high - low)[:2]))
    places[~there] = 10 * radius  # behind the eye
    return Model(
        positions=(places / radius).astype(np.float32),
        edges=edges.astype(np.uint32),
        colours=THEMES["light"].state_table[now],
        size=RANK_SIZE * near / radius,
        yaw=-1.0 if across == 0 else -0.5,
        pitch=0.5,
    )


def timeline_of(state: State) -> Picture:
    """Draw the timeline."""
    wide, high = TIMELINE_SIZE
    image = QImage(wide * SCALE, high * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_timeline(painter, timeline_picture(state, wide, high, SCALE))
    return Picture(png_of(image), TIMELINE_SIZE)


def png_of(image: QImage) -> bytes:
    """Write an image as PNG."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.setDevicePixelRatio(1.0)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())
