"""Pictures without a window: size, words, metadata, and what goes wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import traces
from PIL import Image
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from topoview.errors import ExportError, TopoviewError
from topoview.model import Analysis, Pose, Trace
from topoview.scene.palette import THEMES, rgb
from topoview.session import SceneOptions, Selection
from topoview.ui.export.picture import render, save_image
from topoview.ui.export.render_spec import RenderSpec, read_render_spec
from topoview.ui.panels.scene.overlay.paint import FOOTER_HEIGHT


def picture_of(known: Analysis, **options: object) -> QImage:
    spec = RenderSpec(window=(0, known.trace.clock.length), **options)  # type: ignore[arg-type]
    return render(known, spec)


@pytest.fixture
def known(simulated: Callable[..., Trace]) -> Analysis:
    """Know a simulated torus."""
    return traces.identified(simulated("torus", (6, 4), numbering=1))


def pixels(image: QImage, path: Path) -> np.ndarray:
    save_image(image, path)
    return np.asarray(Image.open(path).convert("RGB"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(640, 400), (333, 251)])
def test_size_and_background(
    qtbot: QtBot, known: Analysis, tmp_path: Path, theme: str, size: tuple[int, int]
) -> None:
    del qtbot
    image = picture_of(known, time=1000, size=size, theme=theme)
    found = pixels(image, tmp_path / "scene.png")
    assert found.shape == (size[1], size[0], 3)
    assert tuple(found[2, -2]) == rgb(THEMES[theme].panel)
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 200


def test_footer_is_below_the_scene(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    path = tmp_path / "scene.png"
    with_it = pixels(picture_of(known, time=0, size=(640, 444)), path)
    without = pixels(picture_of(known, time=0, size=(640, 400), footer=False), path)
    assert (with_it[:400] == without).all()
    assert (with_it[400 + 5 :] < 128).any(), "words"
    assert with_it.shape[0] - without.shape[0] == FOOTER_HEIGHT


def test_metadata(qtbot: QtBot, known: Analysis, tmp_path: Path) -> None:
    del qtbot
    ticks = known.trace.clock.length // 2
    save_image(picture_of(known, time=ticks, size=(320, 240)), tmp_path / "a.png")
    text = Image.open(tmp_path / "a.png").text  # type: ignore[attr-defined]
    assert text["Topology"].startswith("2D torus")
    assert text["Ranks"] == "24"
    assert text["Title"].startswith(known.trace.name)
    assert float(text["Time"].split()[0]) == pytest.approx(
        known.trace.clock.seconds(ticks)
    )


def test_selection_and_view_are_seen(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    path = tmp_path / "a.png"

    def draw(**options: object) -> np.ndarray:
        return pixels(picture_of(known, time=0, size=(400, 300), **options), path)  # type: ignore[arg-type]

    plain = draw()
    assert (plain == draw()).all(), "the same each time"
    for other in (
        draw(selection=Selection(ranks=(3,))),
        draw(selection=Selection(edge=(0, 1))),
        draw(scene=SceneOptions(layout="flat")),
        draw(scene=SceneOptions(edges=False)),
    ):
        assert (plain != other).any()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no/such/folder/a.png", "there is no folder"),
        ("a.jpg", "name it a.png"),
        ("", "is a folder"),
    ],
)
def test_failures(tmp_path: Path, name: str, words: str) -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    with pytest.raises(ExportError, match=words):
        save_image(image, tmp_path / name)


def test_unwritable(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    with pytest.raises(ExportError, match="is a folder"):
        save_image(image, tmp_path / "a.png")


def test_topology_must_be_known(qtbot: QtBot, known: Analysis) -> None:
    del qtbot
    with pytest.raises(ExportError, match="not known"):
        picture_of(Analysis(known.trace), time=0)


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from simulation import Program, simulate
from topoview.pipeline import analyse
from topoview.topology import lattice
from topoview.ui.export.picture import render, save_image
from topoview.ui.export.render_spec import RenderSpec
*_, known = analyse(simulate(Program(lattice((3, 4), (False, True)), iterations=2)))
spec = RenderSpec(0, (0, known.trace.clock.length), (320, 200))
save_image(render(known, spec), Path(sys.argv[1]))
"""


def test_without_a_display(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, path, Path(__file__).parents[1]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = np.asarray(Image.open(path).convert("RGB"))
    assert found.shape == (200, 320, 3)
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 200


def test_a_picture_tells_how_to_make_it_again(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    pose = Pose(12.5, 34.0, 20.0, (0.5, -1.0, 0.25), (0.1, 0.0), parallel=True)
    spec = RenderSpec(
        time=known.trace.clock.length // 3,
        window=(10, 2000),
        size=(500, 400),
        footer=True,
        theme="dark",
        match=1,
        focus=frozenset({1, 4}),
        scene=SceneOptions(
            layout="flat",
            colouring="waiting",
            span="fixed",
            low=0.0,
            high=0.5,
            outline="call",
            size="calls",
            translucent=True,
            message_colour="size",
            trails=True,
            chains=True,
            messages=False,
        ),
        selection=Selection(ranks=(3, 7), window=(100, 200)),
        pose=pose,
    )
    first = pixels(render(known, spec), tmp_path / "first.png")
    again = read_render_spec(tmp_path / "first.png")
    assert again == spec
    second = pixels(render(known, again), tmp_path / "second.png")
    assert (first == second).all()


@pytest.mark.parametrize(
    "text",
    ["", "7", "{}", "[1, 2]", '{"time": "now"}', "[" * 10_000, '{"time": 1e999}'],
)
def test_a_picture_that_tells_nonsense_is_refused(tmp_path: Path, text: str) -> None:
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.setText("topoview", text)
    image.save(str(tmp_path / "odd.png"))
    with pytest.raises(TopoviewError, match=r"odd.png holds no settings"):
        read_render_spec(tmp_path / "odd.png")


def test_a_specification_keeps_every_kind_of_selection(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    for selection in (
        Selection(lines=(0, 3), call=5),
        Selection(operation="Isend", ranks=(1,)),
        Selection(edge=(0, 1), window=(3, 9)),
    ):
        image = picture_of(known, time=0, size=(200, 150), selection=selection)
        save_image(image, tmp_path / "some.png")
        assert read_render_spec(tmp_path / "some.png").selection == selection


def test_a_specification_with_wrong_values_is_refused(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    image = picture_of(known, time=0, size=(200, 150))
    good = json.loads(image.text("topoview"))
    for key, wrong in (
        ("size", [10**9, 10**9]),
        ("size", [200]),
        ("window", 3),
        ("width_cm", -1),
        ("width_cm", "wide"),
        ("scene", {**good["scene"], "layout": 7}),
        ("theme", "pink"),
        ("pose", {"azimuth": "north"}),
        ("selection", None),
    ):
        image.setText("topoview", json.dumps({**good, key: wrong}))
        image.save(str(tmp_path / "odd.png"))
        with pytest.raises(TopoviewError):
            read_render_spec(tmp_path / "odd.png")
