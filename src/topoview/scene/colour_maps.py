"""Colours of numbers and categories, safe for colour-blind readers.

Cividis: Nuñez, Anderton, Renslow 2018, "Optimizing colormaps with consideration
for color vision deficiency"; the end that matters contrasts with the background.
Vik: Crameri 2018, "Scientific colour maps"; on dark ground its dark ends would not be
seen, there the middle is dark as in his berlin, but still above the ground.
Categories: Tol 2021, "Colour schemes", muted; on dark ground the same hues, as far
from each other and from the ground. From red to green is what a traffic light says,
and no colour-blind reader can tell: it is a choice, never the default.
"""

from collections.abc import Sequence

import numpy as np

from topoview.scene.palette import Theme, rgb

STEPS = 64
"""Colours between the first and the last of a map."""

_CIVIDIS = (
    *("#00224e", "#123570", "#3b496c", "#575d6d", "#707173"),
    *("#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
_VIK = (
    *("#001261", "#034481", "#307da6", "#94bed2", "#ece5e0"),
    *("#dbaa8d", "#c27041", "#912d06", "#590008"),
)
_SIGNAL = ("#c4302b", "#e58a2e", "#e6c832", "#8fb93b", "#2f8f3e")

_DARK_VIK = (
    *("#8cc8ff", "#5ba4db", "#3f7ea8", "#4d6678", "#60656c"),
    *("#846257", "#b06a54", "#dd8a70", "#ffb79f"),
)

CATEGORIES = {
    "light": (
        *("#332288", "#88ccee", "#44aa99", "#117733", "#999933"),
        *("#ddcc77", "#cc6677", "#882255", "#aa4499"),
    ),
    "dark": (
        *("#8a6fec", "#87eaec", "#4f9b8f", "#3d7048", "#a7a130"),
        *("#e4dc8b", "#e0506d", "#9c4289", "#ca97e0"),
    ),
}
"""Colours of categories in each theme; the tenth has the first one's again."""

DISTINCT = len(CATEGORIES["light"])
"""Categories that have a colour of their own."""


def _cividis(theme: Theme) -> tuple[str, ...]:
    return _CIVIDIS[1:] if theme.name == "dark" else _CIVIDIS[-2::-1]


def _vik(theme: Theme) -> tuple[str, ...]:
    return _DARK_VIK if theme.name == "dark" else _VIK


def _signal(theme: Theme) -> tuple[str, ...]:
    del theme
    return _SIGNAL


MAPS = {
    "cividis": _cividis,
    "vik": _vik,
    "red-green": _signal,
}
"""Anchors of each map in a theme, the lowest number's colour first."""


def map_colours(name: str, theme: Theme, steps: int = STEPS) -> tuple[str, ...]:
    """Divide a map into colours of equal distance: `steps` as ``#rrggbb``."""
    anchors = np.array([rgb(colour) for colour in MAPS[name](theme)], float)
    at = np.linspace(0, len(anchors) - 1, steps)
    parts = [np.interp(at, np.arange(len(anchors)), part) for part in anchors.T]
    return _texts(np.stack(parts, axis=1))


def category_colours(count: int, theme: Theme) -> tuple[str, ...]:
    """Colours of so many categories, over and over again."""
    return tuple(CATEGORIES[theme.name][i % DISTINCT] for i in range(count))


def _texts(colours: Sequence[Sequence[float]] | np.ndarray) -> tuple[str, ...]:
    return tuple("#" + "".join(f"{round(p):02x}" for p in row) for row in colours)
