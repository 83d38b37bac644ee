"""What the window remembers from one run to the next."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

RECENT = 8


class Settings:
    """Theme, recent traces and the arrangement of the window, in QSettings.

    The place is that of the application's organisation and name; tests and
    scripts set their own default format and path beforehand.
    """

    def __init__(self) -> None:
        self._store = QSettings()

    @property
    def theme(self) -> str:
        """``system``, ``light`` or ``dark``."""
        found = str(self._store.value("theme", "system"))
        return found if found in ("light", "dark") else "system"

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def recent(self) -> list[Path]:
        """Traces opened lately that are still there, the last one first."""
        found = self._store.value("recent", [])
        texts = [found] if isinstance(found, str) else list(found or [])  # type: ignore[call-overload]
        return [path for text in texts if (path := Path(str(text))).exists()]

    def remember(self, path: Path) -> None:
        """Put a trace at the head of the recent ones."""
        others = [known for known in self.recent if known != path]
        texts = [str(known) for known in [path, *others][:RECENT]]
        self._store.setValue("recent", texts)

    @property
    def folder(self) -> str:
        """Folder that the last file dialog was in."""
        return str(self._store.value("folder", ""))

    @folder.setter
    def folder(self, path: str) -> None:
        self._store.setValue("folder", path)

    def arrangement(self, name: str) -> QByteArray:
        """Return the saved geometry or state of a window, empty if there is none."""
        found = self._store.value(f"window/{name}")
        return found if isinstance(found, QByteArray) else QByteArray()

    def arrange(self, name: str, saved: QByteArray) -> None:
        """Save a geometry or state of a window."""
        self._store.setValue(f"window/{name}", saved)
