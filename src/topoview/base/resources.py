"""Where resources lie: icons, fonts, translations, sample traces, documentation."""

from pathlib import Path
from typing import Final

DEMOS: Final = {
    "wave": "Idle wave on a torus",
    "transpose": "Hidden transpose",
    "mapping": "Bad mapping",
}
"""Sample traces, one for each tutorial: name and title; the first is *the* demo."""


def resource(*parts: str) -> Path:
    """Path of a resource, in an installed package or in a source tree."""
    installed = Path(__file__).parents[1] / "resources"
    root = installed if installed.is_dir() else Path(__file__).parents[3] / "resources"
    return root.joinpath(*parts)


def languages() -> tuple[str, ...]:
    """Languages of the window: English, and those that there is a catalogue of."""
    paths = resource("translations").glob("topoview_*.qm")
    return ("en", *sorted(path.stem.partition("_")[2] for path in paths))


def demo_trace(name: str = "wave") -> Path:
    """Path of a sample trace, an archive: one of `DEMOS`."""
    return resource("demo", f"{name}.tar.xz")


def documentation(*parts: str) -> Path:
    """Path in the documentation: pages, pictures, and its table of contents."""
    installed = resource("docs")
    root = installed if installed.is_dir() else Path(__file__).parents[3] / "docs"
    return root.joinpath(*parts)
