"""The key below the scene: what each colour means, and how many ranks have it."""

import numpy as np

from topoview.analysis.colourings import COLOURINGS
from topoview.model import MPIState, RankValues
from topoview.scene.annotations import KeyEntry, Scale
from topoview.scene.palette import THEMES, Theme
from topoview.scene.shading import value_colours
from topoview.session import State
from topoview.ui.formats import duration_text, grouped, percent_text, size_text
from topoview.ui.scene_content import SceneContent
from topoview.ui.scene_moment import SceneMoment

MOST_ENTRIES = 12
"""Most categories that are listed."""

BARS = 32
"""Bars of the histogram over a scale."""


def key_of(
    state: State, content: SceneContent, shown: SceneMoment
) -> tuple[KeyEntry, ...]:
    """Entries of the key, with the number of ranks now."""
    theme = THEMES[state.view.theme]
    if shown.values is None:
        return _states(theme, content, shown)
    values = shown.values
    entries = []
    if values.names:
        entries = _categories(theme, values)
    none = int(np.isnan(values.values).sum())
    if none and values.none:
        entries.append(KeyEntry(theme.outside, values.none, grouped(none), dim=False))
    return tuple(entries)


def _states(
    theme: Theme, content: SceneContent, shown: SceneMoment
) -> tuple[KeyEntry, ...]:
    counts = np.bincount(shown.now.state, minlength=len(MPIState))
    ordered: list[MPIState] = [
        code for code in content.states if code != MPIState.OUTSIDE
    ]
    if counts[MPIState.OUTSIDE]:
        ordered.append(MPIState.OUTSIDE)
    return tuple(
        KeyEntry(
            theme.state_colour(code),
            code.label,
            grouped(int(counts[code])),
            dim=not counts[code],
        )
        for code in ordered
    )


def _categories(theme: Theme, values: RankValues) -> list[KeyEntry]:
    colours = value_colours(theme, values)
    known = values.values[~np.isnan(values.values)].astype(np.int64)
    counts = np.bincount(known, minlength=len(values.names))
    entries = [
        KeyEntry(colours[i % len(colours)], name, grouped(int(counts[i])), dim=False)
        for i, name in enumerate(values.names[:MOST_ENTRIES])
    ]
    more = len(values.names) - len(entries)
    if more > 0:
        rest = grouped(int(counts[MOST_ENTRIES:].sum()))
        entries.append(KeyEntry("", f"and {grouped(more)} more", rest, dim=False))
    return entries


def scale_of(state: State, shown: SceneMoment) -> Scale | None:
    """Return the scale of the numbers that ranks are coloured by, if they are."""
    values = shown.values
    if values is None or values.names:
        return None
    theme = THEMES[state.view.theme]
    known = values.shares[~np.isnan(values.values)]
    counts = np.histogram(known, BARS, (0.0, 1.0))[0]
    text = COLOURINGS[state.view.colouring].text
    return Scale(
        text + (", logarithmic" if values.log else ""),
        value_colours(theme, values, state.view.colour_map),
        number_text(values, values.low),
        number_text(values, values.high),
        tuple(counts.tolist()),
    )


def number_text(values: RankValues, number: float) -> str:
    """Write one of the numbers, or the name of its category."""
    if np.isnan(number):
        return values.none
    if values.names:
        return values.names[int(number)]
    sign = "+" if values.middle and number > 0 else "\u2212" if number < 0 else ""
    return sign + _UNITS[values.unit](abs(number))


def _count(number: float) -> str:
    return grouped(number, 0 if number == round(number) else 2)


_UNITS = {"s": duration_text, "B": size_text, "%": percent_text, "": _count}
