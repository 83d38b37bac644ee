"""The bundled fonts: Inter for the interface, JetBrains Mono for statements."""

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from topoview.resources import resource


def load_fonts() -> None:
    """Register the bundled fonts with Qt; needs a QGuiApplication."""
    if "Inter" in QFontDatabase.families() and "JetBrains Mono" in (
        QFontDatabase.families()
    ):
        return
    for path in sorted(resource("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def font(pixels: int = 13, weight: int = 400, *, mono: bool = False) -> QFont:
    """Font of the interface, with tabular figures; or that of statements."""
    return QFont(_font(pixels, weight, mono=mono))  # its owner may change it


@cache
def _font(pixels: int, weight: int, *, mono: bool) -> QFont:
    found = QFont("JetBrains Mono" if mono else "Inter")
    found.setPixelSize(pixels)
    found.setWeight(QFont.Weight(weight))
    found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if mono:
        found.setFeature(QFont.Tag("liga"), 0)
        found.setFeature(QFont.Tag("calt"), 0)
    else:
        found.setFeature(QFont.Tag("tnum"), 1)
    return found
