"""The legend below the scene: colours with rank counts, scales, and line styles."""

from dataclasses import replace

import numpy as np

from topoview.base.text import (
    MINUS,
    duration_text,
    grouped,
    in_sentence,
    plural,
    share_text,
    tr,
    write,
)
from topoview.live.colourings.table import row_of
from topoview.live.moments.messages import MessagesInFlight
from topoview.model import RankValues, TimeState, Trace
from topoview.scene.annotations import ColourBar, LegendEntry, LegendLine
from topoview.scene.lines.message_lines import MESSAGE_COLOURINGS
from topoview.scene.lines.pair_lines import EdgeTraffic
from topoview.scene.palette import (
    DISTINCT_CATEGORIES,
    MAP_STEPS,
    THEMES,
    Theme,
    map_colours,
)
from topoview.scene.shading import value_colours
from topoview.session import State
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import SceneMoment
from topoview.ui.panels.selected_calls import selected_loop

MAX_ENTRIES = 12
"""Most categories that are listed."""

MAX_CATEGORIES_ALWAYS_LISTED = 6
"""Categories that are listed also where no rank has them."""

MAX_NAME_LENGTH = 28
"""Characters of a category's name that are written."""

HISTOGRAM_BARS = 32
"""Bars of the histogram over a scale."""


def legend_entries(
    state: State, content: SceneContent, shown: SceneMoment
) -> tuple[LegendEntry, ...]:
    """Entries of the key, with the number of ranks now."""
    theme = THEMES[state.theme]
    if shown.values is None:
        entries = list(_state_entries(theme, content, shown, state.focus))
    else:
        name = "" if state.highlighted >= 0 else state.scene.colouring
        text = colouring_text(state, name)
        entries = _value_entries(theme, shown.values, text, state.scene.colour_map)
    for look, values, name in (
        ("outline", shown.channels.outline, state.scene.outline),
        ("size", shown.channels.size, state.scene.size),
    ):
        if values is None or (look == "size" and _has_range(values)):
            continue
        text = f"{look}: {colouring_text(state, name)}"
        outlines = _value_entries(theme, values, text, state.scene.colour_map)
        entries += [_outline_entry(entry, look) for entry in outlines]
    return tuple(entries)


def _outline_entry(entry: LegendEntry, look: str) -> LegendEntry:
    """Show an entry as a rim is shown; sizes have no colour."""
    if look == "size":
        return replace(entry, colour="")
    return replace(entry, outline=True, of=-1)


def _value_entries(
    theme: Theme, values: RankValues, text: str, map_name: str
) -> list[LegendEntry]:
    """List what has no place on a scale: categories, one number of all, none."""
    count = int((~np.isnan(values.values)).sum())
    entries = []
    if values.names:
        entries = [_heading_entry(text), *_category_entries(theme, values)]
    elif not count:
        entries = [_heading_entry(text)]
    elif not _has_range(values):
        first = value_colours(theme, values, map_name)[:: MAP_STEPS // 2]
        colour = first[1 if values.middle else 0]
        same = tr(
            "{text}: all {values}", text=text, values=number_text(values, values.high)
        )
        entries = [LegendEntry(colour, same, grouped(count), dim=False)]
    none = len(values.values) - count
    if none and values.none:
        entries.append(
            LegendEntry(theme.without, values.none, grouped(none), dim=False)
        )
    return entries


def _heading_entry(text: str) -> LegendEntry:
    return LegendEntry("", text, "", dim=False, heading=True)


def _has_range(values: RankValues) -> bool:
    """Return whether there are numbers, and more than one of them on their scale."""
    return values.high > values.low and not np.isnan(values.values).all()


def _state_entries(
    theme: Theme, content: SceneContent, shown: SceneMoment, focus: frozenset[int]
) -> tuple[LegendEntry, ...]:
    counts = shown.now.counts
    ordered: list[TimeState] = [
        code for code in content.states if code != TimeState.OUTSIDE
    ]
    if counts[TimeState.OUTSIDE]:
        ordered.append(TimeState.OUTSIDE)
    return tuple(
        LegendEntry(
            theme.state_colour(code),
            code.label,
            grouped(int(counts[code])),
            dim=not counts[code] or (bool(focus) and code not in focus),
            of=int(code),
            heel=theme.heel_colour(code) or "",
        )
        for code in ordered
    )


def _category_entries(theme: Theme, values: RankValues) -> list[LegendEntry]:
    colours = value_colours(theme, values)
    valid = values.values[~np.isnan(values.values)].astype(np.int64)
    counts = np.bincount(valid, minlength=len(values.names))
    listed = np.arange(len(values.names))
    if len(listed) > MAX_CATEGORIES_ALWAYS_LISTED:  # only those that there are
        listed = listed[counts > 0]
    entries = [
        LegendEntry(
            colours[i % len(colours)],
            _shortened(values.names[i]),
            grouped(int(counts[i])),
            dim=not counts[i],
            of=i,
        )
        for i in listed[:MAX_ENTRIES].tolist()
    ]
    if len(listed) > DISTINCT_CATEGORIES:
        entries.append(
            LegendEntry(
                "",
                tr(
                    "colours repeat after {distinct_categories}",
                    distinct_categories=DISTINCT_CATEGORIES,
                ),
                "",
                dim=False,
            )
        )
    more = len(listed) - MAX_ENTRIES
    if more > 0:
        rest = grouped(int(counts[listed[MAX_ENTRIES:]].sum()))
        entries.append(
            LegendEntry("", tr("and {more} more", more=grouped(more)), rest, dim=False)
        )
    return entries


def _shortened(name: str) -> str:
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"


def colour_scales(state: State, shown: SceneMoment) -> tuple[ColourBar, ...]:
    """Return the scales of the numbers that fill, rim and size of ranks tell."""
    view = state.scene
    theme = THEMES[state.theme]
    channels = shown.channels
    bars = []
    if state.highlighted >= 0:
        view = replace(view, colouring="")
    for look, values, name in (
        ("fill", channels.fill, view.colouring),
        ("outline", channels.outline, view.outline),
        ("size", channels.size, view.size),
    ):
        if values is None or values.names or not _has_range(values):
            continue
        colours: tuple[str, ...] = ()
        if look != "size":
            colours = value_colours(theme, values, view.colour_map)
        valid = values.shares[~np.isnan(values.values)]
        counts = np.histogram(valid, HISTOGRAM_BARS, (0.0, 1.0))[0]
        bars.append(
            ColourBar(
                colouring_text(state, name)
                + (tr(", logarithmic") if values.log else ""),
                colours,
                *_scale_ends(values),
                tuple(counts.tolist()),
                look,
            )
        )
    flying = shown.flying.values
    if flying is not None and not flying.names and np.isfinite(flying.values).any():
        bars.append(_message_scale(theme, view.message_colour, flying))
    if shown.traffic is not None and len(shown.traffic.edges):
        bars.append(_traffic_scale(theme, shown.traffic))
    return tuple(bars)


def _scale_ends(values: RankValues) -> tuple[str, str]:
    """Write the ends of a scale, and whether numbers lie beyond them."""
    low, high = number_text(values, values.low), number_text(values, values.high)
    least, most = float(np.nanmin(values.values)), float(np.nanmax(values.values))
    room = (values.high - values.low) * 1e-9
    below = "\u2264 " if least < values.low - room else ""
    above = "\u2265 " if most > values.high + room else ""
    return below + low, above + high


def _message_scale(theme: Theme, name: str, values: RankValues) -> ColourBar:
    valid = values.shares[~np.isnan(values.values)]
    return ColourBar(
        in_sentence(MESSAGE_COLOURINGS[name].text)
        + (tr(", logarithmic") if values.log else ""),
        value_colours(theme, values),
        *_scale_ends(values),
        tuple(np.histogram(valid, HISTOGRAM_BARS, (0.0, 1.0))[0].tolist()),
        "messages",
    )


def _traffic_scale(theme: Theme, traffic: EdgeTraffic) -> ColourBar:
    values = traffic.values
    counts = np.histogram(values.shares, HISTOGRAM_BARS, (0.0, 1.0))[0]
    few = len(traffic.edges) < traffic.total
    drawn = tr(
        ", {edges} of {total} edges",
        edges=grouped(len(traffic.edges)),
        total=grouped(traffic.total),
    )
    return ColourBar(
        title=tr("sent in the window") + (drawn if few else ""),
        colours=map_colours("cividis", theme),
        low=number_text(values, values.low),
        high=number_text(values, values.high),
        counts=tuple(counts.tolist()),
        look="edges",
    )


def colouring_text(state: State, name: str) -> str:
    """Return what a colouring is called."""
    if not name:
        return "rank"
    row = None if state.analysis is None else row_of(name, state.analysis)
    if row is None:
        return name
    return row.otherwise if row.otherwise and selected_loop(state) < 0 else row.text


def number_text(values: RankValues, number: float) -> str:
    """Write one of the numbers, or the name of its category."""
    if np.isnan(number):
        return values.none
    if values.names:
        return values.names[int(number)]
    sign = "+" * (bool(values.middle) and number > 0)
    if values.unit == "%":
        return sign + (MINUS if number < 0 else "") + _share_text(abs(number))
    return sign + write(number, values.unit)


def _share_text(fraction: float) -> str:
    """Write a share as exactly as a scale's end needs: ``0.061 %``, ``6.6 %``."""
    if 0 < fraction < 0.0995:
        return f"{fraction * 100:.2g} %"
    return share_text(fraction, 0)


MAX_CATEGORIES_NAMED = 6
"""Tags of messages that are listed."""


def message_legends(flying: MessagesInFlight, ink: str) -> list[LegendLine]:
    """Explain the messages in flight, and those that are late or come unexpected."""
    if not flying.total:
        return []
    drawn = len(flying.message)
    count = grouped(flying.total)
    if drawn < flying.total:
        count = tr(
            "{drawn} of {count}, drawn at random", drawn=grouped(drawn), count=count
        )
    legends = [LegendLine("message", tr("message in flight  {count}", count=count))]
    late = int((flying.marked & flying.awaited).sum())
    early = int((flying.marked & flying.early).sum())
    plain = "" if flying.values is None else ink
    if late:
        text = tr("late sender  {late}", late=grouped(late))
        legends.append(LegendLine("awaited", text, colour=plain))
    if early:
        legends.append(
            LegendLine("early", tr("unexpected message  {early}", early=grouped(early)))
        )
    return legends + _message_categories(flying)


def _message_categories(flying: MessagesInFlight) -> list[LegendLine]:
    """Name the categories that messages' colours tell, as far as some have them."""
    values = flying.values
    if values is None or not values.names:
        return []
    valid = values.values[~np.isnan(values.values)].astype(np.int64)
    counts = np.bincount(valid, minlength=len(values.names))
    some = np.flatnonzero(counts)
    result = []
    for number in some[:MAX_CATEGORIES_NAMED].tolist():
        text = f"{values.names[number]}  {grouped(int(counts[number]))}"
        colour = flying.colours[1 + number % (len(flying.colours) - 2)]
        result.append(LegendLine("message", text, colour=colour))
    if len(some) > MAX_CATEGORIES_NAMED:
        result.append(
            LegendLine(
                "",
                tr("and {some} more", some=grouped(len(some) - MAX_CATEGORIES_NAMED)),
            )
        )
    return result


def channel_legends(trace: Trace, shown: SceneMoment) -> list[LegendLine]:
    """Explain what frames, rims, sizes and chains mean beside their scales."""
    result = []
    now, channels = shown.now, shown.channels
    if now.begin is not None:
        span = duration_text(trace.clock.seconds(now.ticks - now.begin))
        text = tr(
            "dominant state since the last frame ({span}): waiting, MPI, computing",
            span=span,
        )
        result.append(LegendLine("", text))
    if channels.trail:
        span = duration_text(trace.clock.seconds(channels.trail))
        result.append(
            LegendLine(
                "", tr("outline: the state before, fading within {span}", span=span)
            )
        )
    if channels.gathered is not None:
        inside = int((channels.gathered > 0).sum())
        text = tr(
            "grown: in a collective, by the share that has come  {inside}",
            inside=grouped(inside),
        )
        result.append(LegendLine("", text))
    if shown.chains is not None:
        result += _chain_legends(shown)
    if len(shown.pairs[-2]):
        count = plural(len(shown.pairs[-2]), "pair")
        text = tr(
            "critical path in the window: goes on between {count} of ranks", count=count
        )
        result.append(LegendLine("extra", text, 3.0))
    if len(shown.pairs[-1]):
        count = grouped(len(shown.pairs[-1]))
        result.append(
            LegendLine("extra", tr("front of the delay  {count}", count=count), 2.6)
        )
    return result


def _chain_legends(shown: SceneMoment) -> list[LegendLine]:
    chains = shown.chains
    assert chains is not None
    count = int((chains.whom >= 0).sum())
    if not count:
        return [LegendLine("", tr("no rank waits for a late partner now"))]
    longest = chains.longest
    result = [
        LegendLine("waits", tr("late-partner wait  {count}", count=grouped(count)))
    ]
    if longest:
        root = longest[-1]
        held = int(chains.held[root])
        result.append(
            LegendLine(
                "",
                tr(
                    "longest wait chain: {hops}, root rank {root}, delays {ranks}",
                    hops=plural(len(longest) - 1, "hop"),
                    root=root,
                    ranks=plural(held, "rank"),
                ),
            )
        )
    return result
