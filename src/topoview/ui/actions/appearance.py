"""Actions on how things look: themes; colour, outline, size and labels of ranks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.base.text import tr
from topoview.live.colourings.table import COLOURINGS, STATE, offered, row_of, rows
from topoview.scene.palette import MESSAGE_COLOURING_TEXTS, TRAIL_OUTLINE
from topoview.session import State
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Context,
    Menu,
    Setting,
    choice,
    field,
    flag,
    has_critical_path,
    has_match,
)
from topoview.ui.panels.scene.view_slots import active_view
from topoview.ui.widgets.formats import parse_range, range_text
from topoview.ui.widgets.theme import wanted_theme

THEME_TEXTS = {"system": tr("System"), "light": tr("Light"), "dark": tr("Dark")}

COLOURING_TEXTS = {
    STATE: tr("State"),
    **{name: row.text for name, row in COLOURINGS.items()},
}

COLOUR_MAP_TEXTS = {
    "": tr("Cividis / vik (colour-blind safe)"),
    "red-green": tr("Red-green"),
}

LABEL_TEXTS = {
    "": tr("No labels"),
    "rank": tr("Rank numbers"),
    "place": tr("Coordinates"),
    "node": tr("Host names"),
}

RANGE_TEXTS = {
    "": tr("Automatic range"),
    "data": tr("Current values"),
    "window": tr("Values of the window"),
    "fixed": tr("Custom range…"),
}

SCALE_TEXTS = {
    "": tr("Automatic scale"),
    "linear": tr("Linear"),
    "log": tr("Logarithmic"),
}

_NUMBER_TEXTS = {name: row.text for name, row in COLOURINGS.items()}

OUTLINE_TEXTS = {
    "": tr("No outlines"),
    TRAIL_OUTLINE: tr("Outline: previous state (fading)"),
    **{name: tr("Outline: {text}", text=text) for name, text in _NUMBER_TEXTS.items()},
}

_CATEGORICAL = (
    "region",
    "thread-region",
    "gpu-region",
    "phase",
    "node",
    "communicator",
    "symmetry",
)

SIZE_TEXTS = {
    "": tr("Uniform size"),
    **{
        name: tr("Size: {text}", text=text)
        for name, text in _NUMBER_TEXTS.items()
        if name not in _CATEGORICAL
    },
}

MESSAGE_TEXTS = {"": tr("Nothing"), **MESSAGE_COLOURING_TEXTS}


def choose_theme(name: str, c: Context) -> None:
    """Apply the theme ``light``, ``dark``, or that of the ``system``."""
    c.settings.theme = name
    c.session.update(theme=wanted_theme(name))


def colourings(state: State) -> tuple[str, ...]:
    """List the colourings that a state has numbers for, by their groups."""
    if state.analysis is None:
        return (STATE,)
    return tuple(grouped_colourings(offered(state.analysis)))


def colouring_texts(state: State) -> dict[str, str]:
    """Name the colourings that a state has numbers for, counters too."""
    if state.analysis is None:
        return {STATE: COLOURING_TEXTS[STATE]}
    colourings = {name: row.text for name, row in rows(state.analysis).items()}
    texts = {STATE: COLOURING_TEXTS[STATE], **colourings}
    return {name: texts[name] for name in grouped_colourings(texts)}


COLOURING_GROUPS = {"time": tr("Now"), "window": tr("Window"), "run": tr("Run")}
"""Groups of colourings by what they follow; counters and categories have their own."""


def colouring_group(name: str) -> str:
    """Name the group that a colouring is listed in."""
    if name in _CATEGORICAL:
        return tr("Groups")
    row = COLOURINGS.get(name)
    if row is None:
        return tr("Now") if name == STATE else tr("Counters")
    return COLOURING_GROUPS[row.over]


def grouped_colourings(names: Iterable[str]) -> list[str]:
    """Sort colourings by their groups; within one they keep their order."""
    order = [*COLOURING_GROUPS.values(), tr("Counters"), tr("Groups")]
    return sorted(names, key=lambda name: order.index(colouring_group(name)))


def _with_separators(actions: tuple[Action, ...], names: list[str]) -> Menu:
    """Put separators between the groups of colourings in a menu."""
    entries: list[Action | str] = []
    for action, name, before in zip(actions, names, [names[0], *names], strict=False):
        if colouring_group(name) != colouring_group(before):
            entries.append(SEPARATOR)
        entries.append(action)
    return tuple(entries)


def next_colouring(c: Context) -> None:
    """Colour the ranks of the scene by the next of what there is."""
    names, now = colourings(c.state), c.state.scene.colouring
    after = (names.index(now) if now in names else 0) + 1
    c.session.change("scene", colouring=names[after % len(names)])


def can_colour(name: str, c: Context) -> bool:
    """Return whether ranks can be coloured by this."""
    analysis = c.state.analysis
    if not has_match(c) or analysis is None:
        return False
    return name == STATE or row_of(name, analysis) is not None


def can_outline_or_size(name: str, c: Context) -> bool:
    """Return whether outlines or sizes can show this."""
    return has_match(c) if name in ("", TRAIL_OUTLINE) else can_colour(name, c)


def is_coloured_by_numbers(c: Context) -> bool:
    """Return whether ranks are coloured by numbers."""
    return has_match(c) and c.state.scene.colouring != STATE


def shows_messages(c: Context) -> bool:
    """Return whether the scene draws messages."""
    from topoview.live.moments.messages import draws_messages  # loads kernels

    return draws_messages(c.state)


def choose_range(name: str, c: Context) -> None:
    """Choose what colours span; asks for a range of the user's."""
    if name != "fixed":
        c.session.change("scene", span=name)
        return
    low, high = c.state.scene.low, c.state.scene.high
    text, agreed = QInputDialog.getText(
        c.window,
        tr("Colour scale"),
        tr("From and to, such as 0 - 20 ms or 10 - 50 %:"),
        text=range_text(low, high, shown_unit(c)) if low < high else "",
    )
    if agreed:
        take_typed_range(text, c)


def take_typed_range(text: str, c: Context) -> None:
    """Let colours span a range that was typed."""
    try:
        low, high = parse_range(text, shown_unit(c))
    except ValueError as error:
        c.say(str(error))
        return
    c.session.change("scene", span="fixed", low=low, high=high)


def shown_unit(c: Context) -> str:
    """Return the unit of the numbers that colours show, empty for counts."""
    if c.scene is None or c.scene.values is None:
        return ""
    return str(c.scene.values.unit)


def fill_counters(menu: QMenu, c: Context) -> None:
    """List the counters of the trace, for colours, outlines and sizes."""
    menu.clear()
    analysis = c.state.analysis
    rows = {}
    if analysis is not None and analysis.trace.counters:
        from topoview.live.colourings.table import counter_rows

        rows = counter_rows(analysis)
    for name, title, default in (
        ("colouring", tr("Colours"), STATE),
        ("outline", tr("Outline by"), ""),
        ("size", tr("Sizes"), ""),
    ):
        part = menu.addMenu(title)
        part.setEnabled(bool(rows))
        for counter, row in rows.items():
            entry = part.addAction(row.text)
            entry.setCheckable(True)
            entry.setChecked(getattr(c.state.scene, name) == counter)
            entry.triggered.connect(partial(_toggle_counter, name, counter, default, c))


def _toggle_counter(
    name: str, counter: str, default: str, c: Context, on: bool = False
) -> None:
    c.session.change("scene", **{name: counter if on else default})


COLOUR_MENU, RANGE_MENU, OUTLINE_MENU, SIZE_MENU, COUNTER_MENU, MESSAGE_MENU = (
    tr("Colour ranks by"),
    tr("Colour scale"),
    tr("Outline by"),
    tr("Size by"),
    tr("Counters of the trace"),
    tr("Colour messages by"),
)
"""Names of menus; `COUNTER_MENU` is filled when it is opened."""

_GROUPED = grouped_colourings(COLOURING_TEXTS)

_SPAN = Setting(field("span").get, choose_range)
_LABELS = Setting(
    lambda c: active_view(c.state).seen(c.state).scene.labels,
    lambda name, c: active_view(c.state).change(c.session, labels=name),
)

EDGE_ACTIONS = (
    flag(
        "show-traffic",
        tr("Edges by bytes in window"),
        setting=field("traffic"),
        when=has_match,
    ),
    flag("show-chains", tr("Wait chains"), "H", field("chains"), has_match),
    flag("show-path", tr("Critical path"), "", field("path"), has_critical_path),
)

RANK_ACTIONS = (
    flag(
        "fade-computing",
        tr("Fade computing ranks"),
        "T",
        field("translucent"),
        has_match,
    ),
    flag(
        "grow-ranks",
        tr("Grow ranks in collectives"),
        setting=field("pulse"),
        when=has_match,
    ),
    flag(
        "hold-short",
        tr("Show sub-frame events while playing"),
        setting=field("hold_short"),
        when=has_match,
    ),
    Action(
        "animate-ranks",
        tr("Animate rank order"),
        lambda c: c.playback.light_ranks(),
        when=has_match,
    ),
)

APPEARANCE_MENUS: dict[str, Menu] = {
    COLOUR_MENU: (
        *_with_separators(
            choice(
                "colour",
                {name: COLOURING_TEXTS[name] for name in _GROUPED},
                "colour ranks by scene",
                field("colouring"),
                can=can_colour,
            ),
            _GROUPED,
        ),
        SEPARATOR,
        *choice(
            "map",
            COLOUR_MAP_TEXTS,
            "colour map palette numbers",
            field("colour_map"),
            when=is_coloured_by_numbers,
            none="natural",
        ),
    ),
    RANGE_MENU: (
        *choice(
            "span",
            RANGE_TEXTS,
            "colours range scale contrast stretch",
            _SPAN,
            when=is_coloured_by_numbers,
            none="natural",
        ),
        SEPARATOR,
        *choice(
            "steps",
            SCALE_TEXTS,
            "colours log scale linear",
            when=is_coloured_by_numbers,
            none="natural",
        ),
    ),
    OUTLINE_MENU: choice(
        "outline",
        OUTLINE_TEXTS,
        "outline border second channel ranks",
        can=can_outline_or_size,
    ),
    SIZE_MENU: choice(
        "size", SIZE_TEXTS, "large small second channel ranks", can=can_outline_or_size
    ),
    COUNTER_MENU: (),
    tr("Labels"): choice(
        "labels", LABEL_TEXTS, "names numbers write at ranks", _LABELS
    ),
    MESSAGE_MENU: (
        *choice(
            "messages",
            MESSAGE_TEXTS,
            "colour messages by",
            field("message_colour"),
            when=shows_messages,
            none="plain",
        ),
        SEPARATOR,
        flag(
            "show-trails",
            tr("Full trails"),
            setting=field("trails"),
            when=shows_messages,
        ),
    ),
}
