"""Pictures of panels and of the window, and the size of pictures on paper."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from topoview.ui.export.panels import picture_panels, save_panel
from topoview.ui.export.picture_choice import PictureChoice
from topoview.ui.export.picture_dialog import PictureDialog, _ask_where, save_picture
from topoview.ui.shell.window import MainWindow

PATIENCE = 60_000
NAMES = ("topology", "logical", "matrix", "profile", "timeline", "window")


def opened(window: MainWindow, qtbot: QtBot, name: str) -> None:
    assert window.workspace is not None
    if name != "window":
        window.workspace.open_panel(name, shown=True)
    qtbot.waitUntil(lambda: bool(window.workspace.settled), timeout=PATIENCE)


def colours(image: QImage) -> int:
    steps = range(0, image.width(), 7), range(0, image.height(), 5)
    return len({image.pixel(x, y) for x in steps[0] for y in steps[1]})


@pytest.mark.parametrize("name", NAMES)
def test_every_panel_is_saved_in_every_format(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    opened(loaded, qtbot, name)
    assert name in picture_panels(loaded.context)
    for suffix in (".png", ".svg", ".pdf"):
        path = tmp_path / f"{name}{suffix}"
        save_panel(loaded.context, name, path, PictureChoice(suffix, scale=2))
        assert path.stat().st_size > 2000
    image = QImage(str(tmp_path / f"{name}.png"))
    assert loaded.workspace is not None
    widget = loaded if name == "window" else loaded.workspace.panel(name)
    assert image.width() == 2 * widget.width()
    assert colours(image) > 5
    drawing = QSvgRenderer(str(tmp_path / f"{name}.svg"))
    assert drawing.isValid()
    assert drawing.viewBox().width() == widget.width()


@pytest.mark.parametrize("name", ["matrix", "profile", "delays"])
def test_a_panel_that_nobody_has_seen_is_seen_for_its_picture(
    loaded: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """It is behind another tab: the picture is the one that is made when it is seen."""
    workspace = loaded.workspace
    assert workspace is not None
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    assert name not in workspace._panels
    first, again = tmp_path / "first.png", tmp_path / "again.png"
    monkeypatch.setattr("topoview.ui.widgets.dialogs.ask_where", lambda *_: str(first))
    _ask_where(loaded.context, name, PictureChoice())
    qtbot.waitUntil(first.exists, timeout=PATIENCE)
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    save_panel(loaded.context, name, again, PictureChoice())
    assert QImage(str(first)) == QImage(str(again))
    assert colours(QImage(str(first))) > 3


@pytest.mark.parametrize("name", ["timeline", "matrix", "scene"])
def test_on_paper_a_picture_has_the_width_and_the_dots_asked_for(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    opened(loaded, qtbot, "matrix")

    def save(suffix: str) -> Path:
        choice = PictureChoice(
            suffix, "for paper", width_cm=8.5, height_cm=6, dpi=300, points=8
        )
        path = tmp_path / f"{name}{suffix}"
        if name == "scene":
            save_picture(loaded.context, path, choice)
        else:
            save_panel(loaded.context, name, path, choice)
        return path

    image = QImage(str(save(".png")))
    centimetres = image.width() / image.dotsPerMeterX() * 100
    assert centimetres == pytest.approx(8.5, rel=1e-3)
    assert image.height() / image.width() == pytest.approx(6 / 8.5, rel=0.01)
    assert image.dotsPerMeterX() * 0.0254 >= 300
    text = save(".svg").read_text("utf-8")
    assert 'width="8.5cm"' in text
    page = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", save(".pdf").read_bytes())
    assert page is not None
    assert float(page[1]) / 72 * 2.54 == pytest.approx(8.5, abs=0.05)
    assert float(page[2]) / 72 * 2.54 == pytest.approx(6, abs=0.05)


@pytest.mark.parametrize("points", [6.0, 8.0, 12.0])
@pytest.mark.parametrize("width", [8.5, 17.8])
def test_text_on_paper_has_the_size_asked_for(points: float, width: float) -> None:
    choice = PictureChoice(".pdf", "for paper", width_cm=width, points=points)
    (wide, _), _, cm = choice.measures((890, 600))
    of_a_pixel = cm / 2.54 * 72 / wide
    assert 12 * of_a_pixel == pytest.approx(points, rel=0.01)


def test_the_dialog_offers_the_panel_that_was_used(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    opened(loaded, qtbot, "profile")
    assert loaded.workspace is not None
    loaded.workspace.used = "profile"
    loaded.actions_shown.qt["export-panel"].trigger()
    dialog = loaded.findChild(PictureDialog)
    assert dialog is not None
    assert dialog.panel == "profile"
    assert dialog.windowTitle() == "Save picture"
    assert not dialog.footer.isEnabled()
    dialog.paper.setChecked(True)
    assert dialog.form.isRowVisible(dialog.wide_cm)
    assert not dialog.form.isRowVisible(dialog.scale)
    dialog.reject()


@pytest.mark.parametrize(
    ("seen", "shape"), [((890, 230), 0.0), ((800, 600), 0.75), ((400, 800), 2.0)]
)
def test_a_picture_for_paper_is_high_enough_for_its_text(
    seen: tuple[int, int], shape: float
) -> None:
    (wide, high), _, _ = PictureChoice(".pdf", "for paper").measures(seen)
    assert high / wide >= shape - 0.01
    assert high >= 0.5 * wide + 180 - 1, "half as high as wide, and what is written"
    if shape > 1:
        assert high / wide == pytest.approx(shape, abs=0.01)
