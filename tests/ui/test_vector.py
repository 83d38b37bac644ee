"""Vector files: like the picture that VTK draws, and made again alike."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import traces
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from topoview.errors import ExportError, TopoviewError
from topoview.model import Analysis, Pose, Trace
from topoview.scene.palette import THEMES, rgb
from topoview.session import SceneOptions, Selection
from topoview.ui.export.picture import render, save_scene
from topoview.ui.export.render_spec import RenderSpec, read_render_spec
from topoview.ui.widgets.theme import font

KINDS = {
    "block": ("grid", (4, 3, 3), SceneOptions()),
    "torus": ("torus", (6, 4), SceneOptions()),
    "tiles": ("torus", (16, 12), SceneOptions()),
    "surface, dark": ("torus", (24, 24), SceneOptions(messages=False)),
    "flat, dark": ("grid", (6, 5), SceneOptions()),
    "waiting": ("torus", (6, 4), SceneOptions(colouring="waiting")),
}


@pytest.fixture
def known(simulated: Callable[..., Trace]) -> Analysis:
    """Know a simulated torus."""
    return traces.identified(simulated("torus", (6, 4), numbering=1))


def spec_for(known: Analysis, **changes: object) -> RenderSpec:
    length = known.trace.clock.length
    plain = RenderSpec(
        length // 2, (0, length), (480, 360), False, SceneOptions(), Selection(), None
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def array(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(image.constBits(), np.uint8)
    return rows.reshape(image.height(), image.width(), 4).copy()


def painted(path: Path, size: tuple[int, int]) -> np.ndarray:
    """Draw an SVG file."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        QSvgRenderer(str(path)).render(painter)
    return array(image)


@pytest.mark.parametrize("name", KINDS)
def test_vectors_look_like_the_picture(
    qtbot: QtBot, simulated: Callable[..., Trace], tmp_path: Path, name: str
) -> None:
    del qtbot
    kind, dims, scene = KINDS[name]
    theme = "dark" if "dark" in name else "light"
    known = traces.identified(simulated(kind, dims, numbering=2))
    spec = spec_for(known, scene=scene, theme=theme)
    picture = array(render(known, spec)).astype(float)
    save_scene(known, spec, tmp_path / "scene.svg")
    found = painted(tmp_path / "scene.svg", spec.size).astype(float)
    apart = np.abs(picture - found)[..., :3].max(axis=2)
    background = np.abs(picture[..., :3] - rgb(THEMES[theme].panel)).max(axis=2)
    assert (background > 30).mean() > 0.05, "there is something to see"
    assert (apart > 60).mean() < 0.05, "only rims, bevels and highlights differ"
    assert apart.mean() < 6


def test_vectors_hold_no_picture_and_their_words_as_text(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    save_scene(known, spec_for(known, footer=True), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "<image" not in text
    shapes = re.findall("<(?:path|polygon|polyline|circle|ellipse) ", text)
    assert len(shapes) > 100
    assert known.trace.name in text
    save_scene(known, spec_for(known, footer=True), tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert b"/Subtype /Image" not in data.replace(b"\n/", b" /")
    assert b"/Font" in data


def test_words_are_as_wide_as_ours_in_every_viewer(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    save_scene(known, spec_for(known, footer=True), tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = root.findall(".//{http://www.w3.org/2000/svg}text")
    assert known.trace.name in [each.text for each in words]
    for each in words:
        wide = font(int(each.get("font-size", "")), int(each.get("font-weight", "")))
        expected = QFontMetricsF(wide).horizontalAdvance(each.text or "")
        assert float(each.get("textLength", "nan")) == pytest.approx(expected, abs=0.02)
        assert "sans-serif" in each.get("font-family", "")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_each_file_tells_how_to_make_it_again(
    qtbot: QtBot, known: Analysis, tmp_path: Path, suffix: str
) -> None:
    del qtbot
    poses = (
        Pose(12.5, 34.0, 20.0, (0.5, -1.0, 0.25), (0.1, 0.0), parallel=True),
        Pose(-170.0, 5.0, 30.0, (0.0, 0.0, 0.0)),
    )
    spec = spec_for(
        known,
        pose=poses[0],
        key=False,
        footer=True,
        path=((3, poses[0]), (90, poses[1])),
        selection=Selection(ranks=(3, 5)),
    )
    save_scene(known, spec, tmp_path / f"a{suffix}")
    assert read_render_spec(tmp_path / f"a{suffix}") == spec


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
@pytest.mark.parametrize("data", [b"", b"glTF", b"<desc>{}</desc>", b"\xff" * 99])
def test_files_without_a_specification_are_refused(
    tmp_path: Path, suffix: str, data: bytes
) -> None:
    path = tmp_path / f"odd{suffix}"
    path.write_bytes(data)
    with pytest.raises(TopoviewError, match=r"odd\.\w+ holds no settings"):
        read_render_spec(path)


def test_a_transparent_picture_shows_what_is_behind(
    qtbot: QtBot, known: Analysis
) -> None:
    del qtbot
    clear = array(render(known, spec_for(known, transparent=True, key=False)))
    solid = array(render(known, spec_for(known, key=False)))[..., :3].astype(float)
    assert clear[2, -2, 3] == 0
    assert (clear[..., 3] == 255).mean() > 0.03
    share = clear[..., 3:] / 255
    panel = np.array(rgb(THEMES["light"].panel))
    over = clear[..., :3] * share + panel * (1 - share)
    assert np.abs(over - solid).mean() < 1, "on its own background it is as it was"


@pytest.mark.parametrize("scale", [1, 3])
def test_an_enlarged_picture_shows_the_same(
    qtbot: QtBot, known: Analysis, scale: int
) -> None:
    del qtbot
    one = array(render(known, spec_for(known))).astype(float)
    large = array(render(known, spec_for(known, scale=scale)))
    assert large.shape == (360 * scale, 480 * scale, 4)
    blocks = large.reshape(360, scale, 480, scale, 4).mean(axis=(1, 3))
    assert np.abs(blocks - one).mean() < 3


def test_the_key_can_be_left_out(qtbot: QtBot, known: Analysis) -> None:
    del qtbot
    with_it, without = (
        array(render(known, spec_for(known, key=key))) for key in (True, False)
    )
    differs = np.abs(with_it.astype(int) - without).max(axis=(1, 2)) > 0
    assert differs.any()
    assert not differs[:270].any(), "it is below the scene"


def test_what_cannot_be_written_is_told(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    for name in ("no/such/a.svg", "no/such/a.pdf", "a.jpg"):
        with pytest.raises(ExportError):
            save_scene(known, spec_for(known), tmp_path / name)
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ExportError, match="is a folder"):
        save_scene(known, spec_for(known), tmp_path / "folder.svg")
