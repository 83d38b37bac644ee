"""The language of the window: its texts are translated by Qt's catalogues.

It is set once, before the window's modules are loaded: their tables hold texts that
are translated already. So it changes at the next start.
"""

from PySide6.QtCore import (
    QCoreApplication,
    QLibraryInfo,
    QLocale,
    QSettings,
    QTranslator,
)

from topoview.base.resources import languages, resource
from topoview.base.text import speak
from topoview.ui.settings import Settings

CONTEXT = "topoview"
"""Name of the context of all texts in the catalogues, in Qt's sense."""

_CATALOGUE = QTranslator()
"""Empty for English."""


def speak_language(wanted: str = "") -> None:
    """Speak the language wanted, or preferred, or the system's; else English.

    Parameters
    ----------
    wanted
        One of `languages`, ``system``, or empty for what is preferred.
    """
    wanted = wanted or Settings(QSettings("topoview", "topoview")).language
    language = _language_of_system() if wanted == "system" else wanted
    if _CATALOGUE.load(str(resource("translations", f"topoview_{language}.qm"))):
        speak(_translated)


def _translated(text: str, number: int) -> str:
    return _CATALOGUE.translate(CONTEXT, text, None, number) or ""


def _language_of_system() -> str:
    """Choose the first of the user's languages that there is, by LANG for instance."""
    codes = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((name for name in codes if name in languages()), "en")


def language_texts() -> dict[str, str]:
    """Name the languages, each in its own words."""
    others = [name for name in languages() if name != "en"]
    named = {name: QLocale(name).nativeLanguageName() for name in others}
    return {"en": "English", **named}


def prepare(application: QCoreApplication) -> None:
    """Load Qt's own texts in that language, and write numbers as commands do."""
    QLocale.setDefault(QLocale.c())
    own = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if own.load(f"qtbase_{_CATALOGUE.language()}", folder):
        application.installTranslator(own)
