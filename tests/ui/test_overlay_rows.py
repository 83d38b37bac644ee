"""Rows of what is written below a scene, and the room that the camera leaves them."""

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from topoview.scene.annotations import ColourBar, LegendEntry, LegendLine
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.scene.overlay.below import (
    MAX_KEY_SHARE,
    OVERLAY_MARGIN,
    SCALE_ROW_HEIGHT,
    entry_at,
    entry_rows,
    entry_width,
    how_much_less,
    leave_out,
    legend_rows,
    place_below,
    room_below,
    scale_rows,
    scale_width,
)
from topoview.ui.panels.scene.overlay.paint import paint_scale
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.shell.app import application

SCALES = tuple(
    ColourBar(f"number {k}", ("#000000", "#ffffff"), "0 %", "100 %", (1, 2), look)
    for k, look in enumerate(("fill", "outline", "size", "edges"))
)
KEY = tuple(
    LegendEntry("#123456", name, "7", dim=False) for name in ("wait", "compute")
)
LEGENDS = tuple(LegendLine("message", f"message of kind {k}  10") for k in range(5))


@pytest.mark.parametrize("width", [300.0, 600.0, 900.0, 1400.0, 3000.0])
def test_rows_hold_everything_once_and_nothing_overlaps(width: float) -> None:
    application()
    rows = scale_rows(SCALES, width, alone=False)
    assert [scale for row in rows for _, scale in row] == list(SCALES)
    for row in rows:
        ends = [x + scale_width(scale) for x, scale in row]
        assert all(end < x for end, (x, _) in zip(ends, row[1:], strict=False))
        assert len(row) == 1 or ends[-1] <= width - OVERLAY_MARGIN
    assert [e for row in legend_rows(LEGENDS, width) for _, e in row] == list(LEGENDS)
    assert [
        e for row in entry_rows(KEY, width, OVERLAY_MARGIN) for _, e in row
    ] == list(KEY)


@pytest.mark.parametrize("look", ["fill", "outline", "size", "messages"])
@pytest.mark.parametrize("room", [220.0, 300.0, 420.0, 900.0])
def test_a_scale_ends_where_the_view_does(look: str, room: float) -> None:
    application()
    long = ColourBar("how long its receiver has waited, logarithmic", ("#000000",) * 3,
                 "44.8 µs", "44.8 ms", (1, 2), look)  # fmt: skip
    image = QImage(1000, 60, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        end = paint_scale(painter, THEMES["light"], long, (16.0, 40.0), room)
    assert end <= 16.0 + room + 1
    if scale_width(long) <= room:
        assert end == pytest.approx(16.0 + scale_width(long), abs=1)


def test_the_key_stays_beside_the_first_scale() -> None:
    application()
    rows = scale_rows(SCALES, 3000.0, alone=True)
    assert [len(row) for row in rows] == [1, 3]


def test_room_is_needed_for_further_rows_only() -> None:
    application()
    assert room_below((), KEY, LEGENDS[:1], 900.0) == 0
    one, four = (room_below(SCALES, (), LEGENDS[:1], w) for w in (3000.0, 450.0))
    assert four - one == 3 * SCALE_ROW_HEIGHT


@pytest.mark.parametrize("height", [150.0, 260.0, 330.0, 1200.0])
def test_the_key_leaves_the_scene_its_room(height: float) -> None:
    """Styles of lines go first, then counts; colours and their names stay."""
    application()
    key = tuple(
        LegendEntry("#123456", f"state {k}", "1 234", dim=False) for k in range(9)
    )
    less = how_much_less((), key, LEGENDS, (340.0, height))
    left, legends = leave_out(less, key, LEGENDS)
    assert [entry.name for entry in left] == [entry.name for entry in key]
    used = place_below((), left, legends, 340.0).height
    most = MAX_KEY_SHARE * height
    assert used <= most or (not legends and not any(e.count for e in left))
    whole = place_below((), key, LEGENDS, 340.0).height
    assert ((left, legends) == (key, LEGENDS)) == (whole <= most)


def test_the_scene_stands_above_its_scales(session: Session, qtbot: QtBot) -> None:
    view = SceneView(session)
    qtbot.addWidget(view)
    view.resize(700, 460)
    view.show()
    qtbot.waitUntil(lambda: view.content is not None, timeout=60_000)
    ranks = np.arange(view.scene.ranks, dtype=np.int32)
    before = view.scene.project(ranks)[:, 1].max()
    session.change("scene", colouring="waiting", outline="call", size="calls")
    lowest = view.scene.project(ranks)[:, 1].max()
    assert lowest < before
    time = session.state.time
    pose = view.scene.pose
    for ticks in (time // 3, time // 2, time + time // 2):
        session.update(time=ticks)
        assert view.scene.pose == pose
    session.change("scene", colouring="state", outline="", size="")
    assert view.scene.project(ranks)[:, 1].max() == pytest.approx(before, abs=1)
    view.close()


@pytest.mark.parametrize("width", [300.0, 500.0, 700.0, 900.0, 1400.0])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("many", [1, 8])
def test_what_is_below_a_scene_does_not_overlap(
    width: float, count: int, many: int
) -> None:
    application()
    key = tuple(
        LegendEntry("#123456", f"state {k}", "7", dim=False) for k in range(many)
    )
    shown = place_below(SCALES[:count], key, LEGENDS, width)
    assert [scale for *_, scale in shown.scales] == list(SCALES[:count])
    assert sorted(e.name for *_, e in shown.key) == [e.name for e in key]
    assert all(x + entry_width(entry) <= width for x, _, entry in shown.key)
    boxes = [
        (x, up, up + SCALE_ROW_HEIGHT - 6, x + scale_width(s))
        for x, up, s in shown.scales
    ]
    boxes += [(x, up, up + 14, x + 60) for x, up, _ in shown.key]
    boxes += [(x, up, up + 14, x + 120) for x, up, _ in shown.legends]
    for number, (x, low, high, end) in enumerate(boxes):
        assert high <= shown.height
        for other in boxes[:number]:
            apart = x >= other[3] or other[0] >= end
            assert apart or low >= other[2] or other[1] >= high


def test_a_place_in_the_key_is_its_entry() -> None:
    application()
    shown = place_below(SCALES[:1], KEY, (), 600.0)
    for x, up, entry in shown.key:
        assert entry_at(shown, x + 20, up + 4) == entry
        assert entry_at(shown, x + 20, up + 40) is None
    assert entry_at(shown, 0.0, 4.0) is None
