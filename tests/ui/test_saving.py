"""Saving and copying pictures as a user does."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from topoview.errors import TopoviewError
from topoview.ui.export.picture_choice import FILM_FORMATS, PICTURE_FORMATS
from topoview.ui.export.picture_dialog import PictureDialog, last_picture_choice
from topoview.ui.export.render_spec import read_render_spec
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs


def choose(box: QComboBox, text: str) -> None:
    box.setCurrentIndex(box.findText(text))


def opened(window: MainWindow) -> PictureDialog:
    window.actions_shown.qt["screenshot"].trigger()
    dialog = window.findChild(PictureDialog)
    assert dialog is not None
    return dialog


@pytest.mark.parametrize("suffix", PICTURE_FORMATS)
def test_what_is_chosen_is_saved_and_remembered(
    loaded: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    suffix: str,
) -> None:
    suggested: list[Path] = []
    target = tmp_path / f"a{suffix}"

    def ask(_: object, __: str, suggestion: Path, ___: object) -> str:
        suggested.append(suggestion)
        return str(target)

    monkeypatch.setattr(dialogs, "ask_where", ask)
    dialog = opened(loaded)
    choose(dialog.kind, PICTURE_FORMATS[suffix])
    choose(dialog.size_box, "custom")
    dialog.wide.setValue(500)
    dialog.high.setValue(300)
    dialog.scale.setValue(2)
    dialog.key.setChecked(False)
    dialog.save.click()
    assert suggested[0].suffix == suffix
    assert str(target) in loaded.statusBar().currentMessage()
    spec = read_render_spec(target)
    assert spec.size == (500, 300)
    assert spec.scale == (2 if suffix == ".png" else 1)
    assert not spec.key
    assert spec.time == loaded.session.state.time
    if suffix == ".png":
        image = QImage(str(target))
        assert (image.width(), image.height()) == (1000, 600)
    qtbot.wait(10)
    assert opened(loaded).choice() == last_picture_choice(loaded.settings)
    assert last_picture_choice(loaded.settings).width == 500


def test_a_picture_is_copied(loaded: MainWindow) -> None:
    QGuiApplication.clipboard().clear()
    loaded.actions_shown.qt["copy-picture"].trigger()
    image = QGuiApplication.clipboard().image()
    assert loaded.workspace is not None
    assert image.width() == loaded.workspace.scene.width()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"suffix": ".exe"}', '{"a": 1}'])
def test_odd_settings_are_forgotten(loaded: MainWindow, text: str) -> None:
    loaded.settings.keep_text("picture", text)
    assert last_picture_choice(loaded.settings).suffix == ".png"


def test_films_follow_key_frames(loaded: MainWindow) -> None:
    shown = loaded.actions_shown.qt
    assert not shown["no-key-frames"].isEnabled()
    length = loaded.session.state.window[1]
    for time in (0, length // 2):
        loaded.session.update(time=time)
        shown["key-frame"].trigger()
    path = loaded.session.state.film_path
    assert [time for time, _ in path] == [0, length // 2]
    shown["no-key-frames"].trigger()
    assert loaded.session.state.film_path == ()


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_picture_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / f"secret{suffix}"
    path.write_bytes(b"nothing")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TopoviewError, match="Permission denied"):
        read_render_spec(path)


@pytest.mark.parametrize(
    ("names", "kind", "gets"),
    [
        (["lu.C.32-report"], "", "lu.C.32-report.mp4"),
        (["lu.C.32-report"], ".gif", "lu.C.32-report.gif"),
        (["a.GIF"], ".mp4", "a.GIF"),
        (["there", "other"], ".mp4", "other.mp4"),
        (["there", "there.mp4"], ".mp4", "there.mp4"),
        ([""], ".mp4", ""),
        (["there", ""], ".mp4", ""),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_names_get_the_ending_that_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    names: list[str],
    kind: str,
    gets: str,
) -> None:
    """A dot in a trace's name begins no ending; nothing is replaced unasked."""
    (tmp_path / "there.mp4").touch()
    answers, starts = iter(names), []

    def answer(_: object, __: str, start: str, kinds: str, ___: str) -> tuple[str, str]:
        starts.append(Path(start).name)
        name = next(answers)
        shown = next((k for k in kinds.split(";;") if kind and kind in k), "")
        return (str(tmp_path / name) if name else ""), shown

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    suggestion = tmp_path / "trace.1.mp4"
    path = dialogs.ask_where(QWidget(), "Save", suggestion, FILM_FORMATS)
    assert path == (str(tmp_path / gets) if gets else "")
    assert starts == ["trace.1.mp4", "there.mp4"][: len(names)]
