"""Remembering a topology from the window."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog

from topoview.topology import load_pattern
from topoview.ui.actions.general import ask_for_pattern_name, can_save_pattern
from topoview.ui.shell.window import MainWindow


def answer(monkeypatch: pytest.MonkeyPatch, name: str, *, agreed: bool = True) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (name, agreed))


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(
        "topoview.topology.patterns.patterns.pattern_folder",
        lambda: tmp_path / "patterns",
    )
    return tmp_path / "patterns"


def test_a_topology_is_remembered(
    loaded: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert can_save_pattern(loaded.context)
    answer(monkeypatch, "my torus")
    ask_for_pattern_name(loaded.context)
    (file,) = folder.iterdir()
    assert load_pattern(file).name == "my torus"


def test_nothing_is_saved_if_the_user_does_not_agree(
    loaded: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "my torus", agreed=False)
    ask_for_pattern_name(loaded.context)
    assert not folder.exists()


def test_a_name_that_will_not_do_is_told(
    loaded: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "topoview.ui.widgets.dialogs.show_fault", lambda *args: told.append(args[2])
    )
    answer(monkeypatch, "  ")
    ask_for_pattern_name(loaded.context)
    assert told == ["A pattern's name has 1 to 100 printable characters."]
    assert not folder.exists()
