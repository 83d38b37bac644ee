"""Pictures that a program takes leave the user's settings alone."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QImage

from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.app import application
from topoview.ui.shell.screenshots import draw_window


@pytest.mark.usefixtures("no_reading")
def test_a_picture_of_the_window_writes_no_settings(tmp_path: Path) -> None:
    application()
    before = QSettings().allKeys()
    target = tmp_path / "window.png"
    draw_window(tmp_path / "torus.otf2", 0, target)
    assert QImage(str(target)).width() >= 1280
    assert QSettings().allKeys() == before


def test_forgetful_settings_last_as_long_as_their_window(tmp_path: Path) -> None:
    settings = Settings(MemoryStore())
    assert settings.theme == "system"
    settings.theme = "dark"
    settings.remember(tmp_path)
    assert settings.theme == "dark"
    assert settings.recent == [tmp_path]
