"""Pictures larger than what is drawn at once: in tiles, or refused with a word."""

from collections.abc import Callable

import numpy as np
import pytest
import traces
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from topoview.base.memory import MEMORY_VARIABLE
from topoview.errors import ExportError
from topoview.model import Analysis, Pose, Trace
from topoview.session import SceneOptions, Selection
from topoview.ui.export import tiles as large_pictures
from topoview.ui.export.picture import render
from topoview.ui.export.render_spec import RenderSpec

SIZE = (480, 360)


@pytest.fixture
def known(simulated: Callable[..., Trace]) -> Analysis:
    """Know a simulated torus."""
    return traces.identified(simulated("torus", (6, 4), numbering=1))


def spec(known: Analysis, **more: object) -> RenderSpec:
    time, window = known.trace.clock.length // 3, (0, known.trace.clock.length)
    view = SceneOptions(layout=str(more.pop("layout", "")), chains=True, trails=True)
    asked = {"pose": None, "size": SIZE, **more}
    return RenderSpec(
        time, window, footer=False, scene=view, selection=Selection(), **asked
    )


def array(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    shape = (plain.height(), plain.bytesPerLine() // 4, 4)
    found = np.frombuffer(plain.constBits(), np.uint8).reshape(shape)
    return found[:, : plain.width()].astype(int)


@pytest.mark.parametrize(
    ("layout", "parallel", "transparent"),
    [  # each two of the choices meet
        ("", False, False),
        ("", True, True),
        ("grid", False, True),
        ("grid", True, False),
    ],
)
def test_tiles_make_the_same_picture(
    qtbot: QtBot,
    known: Analysis,
    monkeypatch: pytest.MonkeyPatch,
    layout: str,
    parallel: bool,
    transparent: bool,
) -> None:
    del qtbot
    pose = Pose(35.0, 25.0, 14.0, (1.0, 0.5, 0.2), (0.15, -0.1), parallel=parallel)
    asked = spec(known, layout=layout, pose=pose, transparent=transparent)
    whole = array(render(known, asked))
    monkeypatch.setattr(large_pictures, "MAX_TILE_SIDE", 401)
    monkeypatch.setattr(large_pictures, "TILE_MARGIN", 50)
    tiled = array(render(known, asked))
    differs = np.abs(tiled - whole).max(axis=2)
    assert len(np.unique(whole.reshape(-1, 4), axis=0)) > 200
    assert (differs > 8).mean() < 0.002, "edges may be rounded to other pixels"
    assert differs.mean() < 0.05


def test_cuts_cover_each_pixel_once() -> None:
    for length in (1, 399, 401, 1000, 5003):
        cuts = large_pictures._tile_spans(length, 600, 1)
        kept = [p for cut in cuts for p in range(cut.first, cut.last)]
        assert kept == list(range(length))
        for cut in cuts:
            end = cut.begin + min(600, length)
            assert 0 <= cut.begin <= cut.first
            assert cut.last <= end <= length


def test_what_is_too_large_is_told(
    qtbot: QtBot, known: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qtbot
    with pytest.raises(ExportError, match="at most 32767"):
        render(known, spec(known, size=(8200, 64), scale=4))
    monkeypatch.setenv(MEMORY_VARIABLE, "1M")
    with pytest.raises(ExportError, match=r"480x360 pixels would take about 2\.64 MiB"):
        render(known, spec(known))
