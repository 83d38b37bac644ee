"""What the window remembers from one run to the next."""

from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QSettings

from topoview.base.resources import languages

MAX_RECENT = 8

SCALES = ("1", "1.15", "1.25", "1.5", "2")
"""Factors of the sizes of text and controls."""


class SettingsStore(Protocol):
    """Where settings are kept: `QSettings` is one."""

    def value(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - any kind
        """Return what is kept under a key."""

    def setValue(self, key: str, value: Any) -> None:  # noqa: ANN401 - Qt's name
        """Keep something under a key."""


class MemoryStore:
    """Keeps settings no longer than the window: for pictures that a program takes."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def value(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - any kind
        """Return what is kept under a key."""
        return self._kept.get(key, default)

    def setValue(self, key: str, value: Any) -> None:  # noqa: ANN401 - Qt's name
        """Keep something under a key."""
        self._kept[key] = value


class Settings:
    """Theme, recent traces and the arrangement of the window.

    Parameters
    ----------
    store
        Where they are kept; by default the `QSettings` of the application's
        organisation and name.
    """

    def __init__(self, store: SettingsStore | None = None) -> None:
        self._store: SettingsStore = QSettings() if store is None else store

    @property
    def lasting(self) -> bool:
        """Whether they are there the next time."""
        return not isinstance(self._store, MemoryStore)

    @property
    def theme(self) -> str:
        """``system``, ``light`` or ``dark``."""
        stored = str(self._store.value("theme", "system"))
        return stored if stored in ("light", "dark") else "system"

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def scale(self) -> str:
        """Factor of the sizes of text and controls: one of `SCALES`."""
        stored = str(self._store.value("scale", "1"))
        return stored if stored in SCALES else "1"

    @scale.setter
    def scale(self, factor: str) -> None:
        self._store.setValue("scale", factor)

    @property
    def language(self) -> str:
        """``system``, or one of `languages`."""
        stored = str(self._store.value("language", "system"))
        return stored if stored in languages() else "system"

    @language.setter
    def language(self, name: str) -> None:
        self._store.setValue("language", name)

    @property
    def recent(self) -> list[Path]:
        """Traces opened lately that are still there, the last one first."""
        stored = self._store.value("recent", [])
        texts = [stored] if isinstance(stored, str) else list(stored or [])
        return [path for text in texts if (path := Path(str(text))).exists()]

    def remember(self, path: Path) -> None:
        """Put a trace at the head of the recent ones."""
        others = [recent for recent in self.recent if recent != path]
        texts = [str(recent) for recent in [path, *others][:MAX_RECENT]]
        self._store.setValue("recent", texts)
        self.folder = str(path.parent)

    @property
    def folder(self) -> str:
        """Folder that the last file dialog was in."""
        return str(self._store.value("folder", ""))

    @folder.setter
    def folder(self, path: str) -> None:
        self._store.setValue("folder", path)

    def text(self, key: str) -> str:
        """Return the text that is kept under a key; empty if there is none."""
        return str(self._store.value(key, "") or "")

    def keep_text(self, key: str, text: str) -> None:
        """Keep a text under a key."""
        self._store.setValue(key, text)

    def arrangement(self, name: str) -> QByteArray:
        """Return the saved geometry or state of a window, empty if there is none."""
        stored = self._store.value(f"window/{name}")
        return stored if isinstance(stored, QByteArray) else QByteArray()

    def arrange(self, name: str, saved: QByteArray) -> None:
        """Save a geometry or state of a window."""
        self._store.setValue(f"window/{name}", saved)
