"""Pictures for paper: no text stands on a rank or on another text, at any size."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot
from simulation import Program, simulate

from topoview.live.waits.delays import changes_at_first
from topoview.model import TimeState, Topology
from topoview.scene.annotations import Annotations, Box
from topoview.scene.palette import STATE_COLOURS
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Selection, State, TimelineOptions
from topoview.topology import complete, lattice, star
from topoview.topology.kinds.cg import cg
from topoview.topology.kinds.tree import binary_tree
from topoview.ui.export.picture import lay_out, save_scene
from topoview.ui.export.picture_choice import PAPER, PictureChoice
from topoview.ui.export.render_spec import RenderSpec, read_render_spec
from topoview.ui.export.renderer import OffscreenRenderer, room_below_scene
from topoview.ui.panels.scene.overlay import paint as overlay
from topoview.ui.panels.scene.overlay.below import (
    OVERLAY_MARGIN,
    entry_width,
    place_below,
    scale_width,
)
from topoview.ui.panels.scene.overlay.paint import FOOTER_HEIGHT
from topoview.ui.panels.scene.overlay.sheet import axis_words, flag_of
from topoview.ui.widgets.theme import text_width

LAYOUTS: dict[str, tuple[Topology, str]] = {
    "ring": (lattice((24,), (True,)), ""),
    "chain": (lattice((16,), (False,)), ""),
    "grid": (lattice((8, 5), (False, False)), ""),
    "upright grid": (lattice((3, 9), (False, False)), ""),
    "torus": (lattice((8, 4), (True, True)), ""),
    "flat torus": (lattice((8, 6), (True, True)), "flat"),
    "tube": (lattice((8, 6), (True, False)), ""),
    "block": (lattice((4, 3, 3), (False, False, False)), ""),
    "planes": (lattice((10, 10, 6), (False, False, True)), ""),
    "cut block": (lattice((10, 10, 6), (False, False, True)), "block"),
    "star": (star(17), ""),
    "tree": (binary_tree(15), ""),
    "complete": (complete(12), ""),
    "table": (cg(32), ""),
}
WIDTHS_CM = (6.0, 8.5, 17.8)


def texts_of(notes: Annotations, view: tuple[int, int]) -> list[tuple[str, Box]]:
    """Find what is written, and where: left, top, width, height."""
    result = [
        (notes.title, (OVERLAY_MARGIN, 16.0, text_width(notes.title, 15, 600), 15.0)),
        (notes.subtitle, (OVERLAY_MARGIN, 36.0, text_width(notes.subtitle, 12), 13.0)),
    ]
    for label in notes.labels:
        wide = text_width(label.text, 11)
        result.append((label.text, (label.x - wide / 2, label.y - 5, wide, 10.0)))
    below = place_below(notes.scales, notes.key, notes.legends, view[0])
    base = view[1] - OVERLAY_MARGIN
    for x, up, entry in below.key:
        result.append((entry.name, (x, base - up - 10, entry_width(entry), 12.0)))
    for x, up, line in below.legends:
        wide = 30 + text_width(line.text, 12)
        result.append((line.text, (x, base - up - 10, wide, 12.0)))
    for x, up, scale in below.scales:
        wide = scale_width(scale)
        result.append((scale.title, (x, base - up - 10, wide, 12.0)))
    if notes.sheet is not None and notes.sheet.block is not None:
        for axis in notes.sheet.block.axes if notes.sheet.block.alone else ():
            for word in axis_words(axis):
                size = (12, 600) if word.strong else (11, 400)
                wide = text_width(word.text, *size)
                result.append((word.text, (word.left, word.base - 9, wide, 9.0)))
            flag = flag_of(axis).getRect()
            result.append(("flag", flag))
    if notes.sheet is not None:
        for plane in notes.sheet.planes:
            x, y = plane.face.outline[0].tolist()
            result.append((plane.name, (x, y - 14, text_width(plane.name, 11), 10.0)))
    return result


def overlap(one: Box, other: Box) -> bool:
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return across > 0.5 and down > 0.5


def rank_boxes(scene: TopologyScene) -> list[Box]:
    outlines = scene.outlines(np.flatnonzero(scene.visible).tolist())
    return [(*o.min(axis=0).tolist(), *np.ptp(o, axis=0).tolist()) for o in outlines]


@pytest.mark.parametrize("name", LAYOUTS)
def test_nothing_is_written_over_ranks_or_words(
    qtbot: QtBot, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qtbot
    cards, plain = [], overlay.paint_card

    def paint(*what: object) -> Box | None:
        box = plain(*what)  # type: ignore[arg-type]
        cards.extend([("card", box)] if box is not None else [])
        return box

    monkeypatch.setattr(overlay, "paint_card", paint)
    topology, layout = LAYOUTS[name]
    trace = simulate(Program(topology, iterations=2))
    known = traces.identified(trace)
    ticks = trace.clock.length // 2
    seen = RenderSpec(ticks, (0, trace.clock.length), (700, 360))
    scene = replace(seen.scene, layout=layout)
    if name in ("ring", "grid", "cut block"):  # with a scale
        scene = replace(scene, colouring="progress")
    seen = replace(seen, scene=scene, whole=True, rows=TimelineOptions())
    for width_cm, timeline in zip(WIDTHS_CM, (False, True, True), strict=True):
        spec = PictureChoice(size=PAPER, width_cm=width_cm, timeline=timeline).apply(
            replace(seen, selection=Selection(ranks=(1,)))
        )
        state, content = lay_out(known, spec)
        with OffscreenRenderer(state, content, spec) as offscreen:
            notes = offscreen._set(ticks)
            boxes = rank_boxes(offscreen._scene)
            view = offscreen.view
        highest = spec.size[1] - room_below_scene(spec)
        assert view[1] <= highest
        assert view[1] == highest or view[0] < spec.size[0], "no map stands beside"
        assert (view[1] < spec.size[1] - FOOTER_HEIGHT) is timeline
        cards.clear()
        image = QImage(*view, QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            overlay.paint_annotations(painter, notes, view)
        texts = texts_of(notes, view) + cards
        assert len(texts) > 4
        for text, box in texts[2:]:
            assert box[0] >= 0, text
            assert box[0] + box[2] <= view[0], text
        for (text, box), (other, another) in combinations(texts, 2):
            assert not overlap(box, another), (width_cm, text, other)
        for text, box in texts:
            assert not any(overlap(box, rank) for rank in boxes), (width_cm, text)
        wide = max(b[0] + b[2] for b in boxes) - min(b[0] for b in boxes)
        high = max(b[1] + b[3] for b in boxes) - min(b[1] for b in boxes)
        assert max(wide / view[0], high / view[1]) > 0.2, "it is seen"


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_a_figure_has_scene_timeline_and_caption(
    qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    """All of it in shapes and words where the format has these, and read back."""
    del qtbot
    known = traces.analysis_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    state = State(known)
    state = replace(state, **changes_at_first(state))
    seen = RenderSpec(
        state.time,
        state.window,
        (700, 360),
        selection=state.selection,
        rows=state.timeline,
        delay=state.delay,
    )
    choice = PictureChoice(suffix=suffix, size=PAPER, timeline=True)
    spec, path = choice.apply(seen), tmp_path / f"figure{suffix}"
    save_scene(known, spec, path)
    assert read_render_spec(path) == spec
    top = spec.size[1] - room_below_scene(spec)
    if suffix == ".png":
        image = QImage(str(path))
        scale = image.width() / spec.size[0]
        rows = [round(scale * y) for y in range(top + 50, spec.size[1] - 60, 4)]
        wait = QColor(STATE_COLOURS[TimeState.WAIT])
        middle = image.width() * 3 // 5
        seen_waiting = sum(image.pixelColor(middle, y) == wait for y in rows)
        assert seen_waiting > len(rows) / 4, "rows wait there"
        return
    whole = path.read_bytes()
    assert b"/Subtype /Image" not in whole
    assert b"<image" not in whole
    if suffix == ".svg":
        words = re.findall(r">([^<>]+)</text>", whole.decode())
        for word in (
            "a",
            "b",
            "c",
            "31",
            "front of the delay",
            "rank 5",
            "1 hop",
            "late sender",
            known.trace.name,
        ):
            assert word in words
        assert "all ranks" not in words, "the overview is for the mouse"
