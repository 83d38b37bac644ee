"""The key below the scene: what each colour means, and how many ranks have it."""

from dataclasses import replace

import numpy as np

from topoview.analysis.colourings.general import row_of
from topoview.model import MPIState, RankValues
from topoview.scene.annotations import KeyEntry, Scale
from topoview.scene.colour_maps import DISTINCT, STEPS, map_colours
from topoview.scene.message_looks import LOOKS
from topoview.scene.palette import THEMES, Theme
from topoview.scene.shading import value_colours
from topoview.scene.traffic_lines import Traffic
from topoview.session import State
from topoview.ui.formats import duration_text, grouped, percent_text, size_text
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.moment import SceneMoment
from topoview.ui.selected import chosen_loop

MOST_ENTRIES = 12
"""Most categories that are listed."""

FEW = 6
"""Categories that are listed also where no rank has them."""

LONGEST = 28
"""Characters of a category's name that are written."""

BARS = 32
"""Bars of the histogram over a scale."""


def key_of(
    state: State, content: SceneContent, shown: SceneMoment
) -> tuple[KeyEntry, ...]:
    """Entries of the key, with the number of ranks now."""
    theme = THEMES[state.view.theme]
    if shown.values is None:
        entries = list(_states(theme, content, shown, state.view.focus))
    else:
        name = "" if state.lit >= 0 else state.view.colouring
        text = colouring_text(state, name)
        entries = _of_values(theme, shown.values, text, state.view.colour_map)
    for look, values, name in (
        ("rim", shown.told.rim, state.view.rim),
        ("size", shown.told.size, state.view.size),
    ):
        if values is None or (look == "size" and _spans(values)):
            continue
        text = f"{look}: {colouring_text(state, name)}"
        found = _of_values(theme, values, text, state.view.colour_map)
        entries += [_outer(entry, look) for entry in found]
    return tuple(entries)


def _outer(entry: KeyEntry, look: str) -> KeyEntry:
    """Show an entry as a rim is shown; sizes have no colour."""
    if look == "size":
        return replace(entry, colour="")
    return replace(entry, rim=True, of=-1)


def _of_values(
    theme: Theme, values: RankValues, text: str, map_name: str
) -> list[KeyEntry]:
    """Tell what has no place on a scale: categories, one number of all, none."""
    known = int((~np.isnan(values.values)).sum())
    entries = []
    if values.names:
        entries = [_heading(text), *_categories(theme, values)]
    elif not known:
        entries = [_heading(text)]
    elif not _spans(values):
        first = value_colours(theme, values, map_name)[:: STEPS // 2]
        colour = first[1 if values.middle else 0]
        same = f"{text}: all {number_text(values, values.high)}"
        entries = [KeyEntry(colour, same, grouped(known), dim=False)]
    none = len(values.values) - known
    if none and values.none:
        entries.append(KeyEntry(theme.without, values.none, grouped(none), dim=False))
    return entries


def _heading(text: str) -> KeyEntry:
    return KeyEntry("", text, "", dim=False, heading=True)


def _spans(values: RankValues) -> bool:
    """Tell whether there are numbers, and more than one of them on their scale."""
    return values.high > values.low and not np.isnan(values.values).all()


def _states(
    theme: Theme, content: SceneContent, shown: SceneMoment, focus: frozenset[int]
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
            dim=not counts[code] or (bool(focus) and code not in focus),
            of=int(code),
        )
        for code in ordered
    )


def _categories(theme: Theme, values: RankValues) -> list[KeyEntry]:
    colours = value_colours(theme, values)
    known = values.values[~np.isnan(values.values)].astype(np.int64)
    counts = np.bincount(known, minlength=len(values.names))
    told = np.arange(len(values.names))
    if len(told) > FEW:  # only those that there are
        told = told[counts > 0]
    entries = [
        KeyEntry(
            colours[i % len(colours)],
            _short(values.names[i]),
            grouped(int(counts[i])),
            dim=not counts[i],
            of=i,
        )
        for i in told[:MOST_ENTRIES].tolist()
    ]
    if len(told) > DISTINCT:
        entries.append(KeyEntry("", f"colours repeat after {DISTINCT}", "", dim=False))
    more = len(told) - MOST_ENTRIES
    if more > 0:
        rest = grouped(int(counts[told[MOST_ENTRIES:]].sum()))
        entries.append(KeyEntry("", f"and {grouped(more)} more", rest, dim=False))
    return entries


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def scales_of(state: State, shown: SceneMoment) -> tuple[Scale, ...]:
    """Return the scales of the numbers that fill, rim and size of ranks tell."""
    view = state.view
    theme = THEMES[view.theme]
    told = shown.told
    found = []
    if state.lit >= 0:
        view = replace(view, colouring="")
    for look, values, name in (
        ("fill", told.fill, view.colouring),
        ("rim", told.rim, view.rim),
        ("size", told.size, view.size),
    ):
        if values is None or values.names or not _spans(values):
            continue
        colours: tuple[str, ...] = ()
        if look != "size":
            colours = value_colours(theme, values, view.colour_map)
        known = values.shares[~np.isnan(values.values)]
        counts = np.histogram(known, BARS, (0.0, 1.0))[0]
        found.append(
            Scale(
                colouring_text(state, name) + (", logarithmic" if values.log else ""),
                colours,
                *_ends(values),
                tuple(counts.tolist()),
                look,
            )
        )
    flying = shown.flying.values
    if flying is not None and not flying.names and len(flying.values):
        found.append(_messages_scale(theme, view.message_colour, flying))
    if shown.traffic is not None and len(shown.traffic.edges):
        found.append(_traffic_scale(theme, shown.traffic))
    return tuple(found)


def _ends(values: RankValues) -> tuple[str, str]:
    """Write the ends of a scale, and whether numbers lie beyond them."""
    low, high = number_text(values, values.low), number_text(values, values.high)
    least, most = float(np.nanmin(values.values)), float(np.nanmax(values.values))
    room = (values.high - values.low) * 1e-9
    below = "\u2264 " if least < values.low - room else ""
    above = "\u2265 " if most > values.high + room else ""
    return below + low, above + high


def _messages_scale(theme: Theme, name: str, values: RankValues) -> Scale:
    known = values.shares[~np.isnan(values.values)]
    return Scale(
        LOOKS[name].text.lower() + (", logarithmic" if values.log else ""),
        value_colours(theme, values),
        *_ends(values),
        tuple(np.histogram(known, BARS, (0.0, 1.0))[0].tolist()),
        "messages",
    )


def _traffic_scale(theme: Theme, traffic: Traffic) -> Scale:
    values = traffic.values
    counts = np.histogram(values.shares, BARS, (0.0, 1.0))[0]
    few = len(traffic.edges) < traffic.total
    drawn = f", {grouped(len(traffic.edges))} of {grouped(traffic.total)} edges"
    return Scale(
        "sent in the window" + (drawn if few else ""),
        map_colours("cividis", theme),
        number_text(values, values.low),
        number_text(values, values.high),
        tuple(counts.tolist()),
        "edges",
    )


def colouring_text(state: State, name: str) -> str:
    """Return what a colouring is called."""
    if not name:
        return "rank"
    row = None if state.analysis is None else row_of(name, state.analysis)
    if row is None:
        return name
    return row.otherwise if row.otherwise and chosen_loop(state) < 0 else row.text


def number_text(values: RankValues, number: float) -> str:
    """Write one of the numbers, or the name of its category."""
    if np.isnan(number):
        return values.none
    if values.names:
        return values.names[int(number)]
    sign = "+" if values.middle and number > 0 else "\u2212" if number < 0 else ""
    write = _UNITS.get(values.unit)
    if write is None:
        return f"{sign}{_count(abs(number))} {values.unit}"
    return sign + write(abs(number))


def _share(fraction: float) -> str:
    """Write a share as exactly as a scale's end needs: ``0.061 %``, ``6.6 %``."""
    if 0 < fraction < 0.0995:
        return f"{fraction * 100:.2g} %"
    return percent_text(fraction)


def _count(number: float) -> str:
    if 0 < number < 0.1 or number >= 1e9:
        return f"{number:.3g}"
    return grouped(number, 0 if number == round(number) else 2)


_UNITS = {"s": duration_text, "B": size_text, "%": _share, "": _count}
