"""Actions on what ranks, edges and messages show: colour, outline, size and labels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.live.colourings.table import COLOURINGS, STATE, offered, rows
from topoview.scene.palette import MESSAGE_COLOURING_TEXTS, TRAIL_OUTLINE
from topoview.ui.actions import action as given
from topoview.ui.actions.action import SEPARATOR, Action, has_match
from topoview.ui.actions.layout import view_slot_of
from topoview.ui.widgets.formats import parse_range, range_text

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.shell.window import MainWindow

COLOURING_TEXTS = {
    STATE: "MPI state",
    **{name: row.text for name, row in COLOURINGS.items()},
}

COLOUR_MAP_TEXTS = {
    "": "Safe for colour-blind readers",
    "red-green": "From red to green",
}


LABEL_TEXTS = {
    "": "No labels",
    "rank": "Numbers of ranks",
    "place": "Places in the topology",
    "node": "Names of nodes",
}


def colourings(state: State) -> tuple[str, ...]:
    """List the colourings that a state has numbers for."""
    return (STATE,) if state.analysis is None else offered(state.analysis)


def colouring_texts(state: State) -> dict[str, str]:
    """Name the colourings that a state has numbers for, counters too."""
    if state.analysis is None:
        return {STATE: COLOURING_TEXTS[STATE]}
    found = {name: row.text for name, row in rows(state.analysis).items()}
    return {STATE: COLOURING_TEXTS[STATE], **found}


def choose_colouring(name: str, w: MainWindow) -> None:
    """Colour the ranks of the scene by this."""
    w.session.view(colouring=name)


def next_colouring(w: MainWindow) -> None:
    """Colour the ranks of the scene by the next of what there is."""
    names = colourings(w.session.state)
    now = w.session.state.view.colouring
    after = (names.index(now) if now in names else 0) + 1
    w.session.view(colouring=names[after % len(names)])


def choose_colour_map(name: str, w: MainWindow) -> None:
    """Take a map of colours for numbers."""
    w.session.view(colour_map=name)


def choose_labels(name: str, w: MainWindow) -> None:
    """Write this at the ranks of the scene."""
    view_slot_of(w).write(w.session, name)


def is_labelled_by(name: str, w: MainWindow) -> bool:
    """Tell whether this is written at the ranks."""
    return view_slot_of(w).seen(w.session.state).view.labels == name


def can_colour(name: str, w: MainWindow) -> bool:
    """Tell whether ranks can be coloured by this."""
    return has_match(w) and name in colourings(w.session.state)


def is_coloured_by(name: str, w: MainWindow) -> bool:
    """Tell whether ranks are coloured by this."""
    return w.session.state.view.colouring == name


def is_colour_map(name: str, w: MainWindow) -> bool:
    """Tell whether numbers have the colours of this map."""
    return w.session.state.view.colour_map == name


def is_coloured_by_numbers(w: MainWindow) -> bool:
    """Tell whether ranks are coloured by numbers."""
    return has_match(w) and w.session.state.view.colouring != STATE


RANGE_TEXTS = {
    "": "Range as suits the numbers",
    "data": "The numbers there are now",
    "window": "The numbers of the window",
    "fixed": "Other range\u2026",
}

SCALE_TEXTS = {
    "": "Steps as suits the numbers",
    "linear": "Equal steps",
    "log": "Logarithmic steps",
}

_NUMBER_TEXTS = {name: row.text for name, row in COLOURINGS.items()}

OUTLINE_TEXTS = {
    "": "No rims",
    TRAIL_OUTLINE: "Rims: the state before (trails)",
    **{name: f"Rims: {text}" for name, text in _NUMBER_TEXTS.items()},
}

_CATEGORICAL = (
    *("region", "thread-region", "gpu-region"),
    *("phase", "node", "communicator", "symmetry"),
)

SIZE_TEXTS = {
    "": "All of one size",
    **{
        name: f"Sizes: {text}"
        for name, text in _NUMBER_TEXTS.items()
        if name not in _CATEGORICAL
    },
}


def choose_view_field(field: str, name: str, w: MainWindow) -> None:
    """Take a name for a field of the view."""
    w.session.view(**{field: name})


def toggle_view_field(field: str, w: MainWindow) -> None:
    """Switch a field of the view on or off."""
    w.session.view(**{field: not getattr(w.session.state.view, field)})


def is_view_field(field: str, name: str, w: MainWindow) -> bool:
    """Tell whether a field of the view has this name."""
    return bool(getattr(w.session.state.view, field) == name)


def can_outline_or_size(name: str, w: MainWindow) -> bool:
    """Tell whether rims or sizes can tell this."""
    known = name in ("", TRAIL_OUTLINE) or name in colourings(w.session.state)
    return has_match(w) and known


def choose_range(name: str, w: MainWindow) -> None:
    """Choose what colours span; asks for a range of the user's."""
    if name != "fixed":
        w.session.view(span=name)
        return
    unit = shown_unit(w)
    view = w.session.state.view
    proposed = range_text(view.low, view.high, unit) if view.low < view.high else ""
    text, agreed = QInputDialog.getText(
        w,
        "Range of colours",
        "From and to, such as 0 - 20 ms or 10 - 50 %:",
        text=proposed,
    )
    if agreed:
        take_typed_range(text, w)


def take_typed_range(text: str, w: MainWindow) -> None:
    """Let colours span a range that was typed."""
    try:
        low, high = parse_range(text, shown_unit(w))
    except ValueError as error:
        w.say(str(error))
        return
    w.session.view(span="fixed", low=low, high=high)


def shown_unit(w: MainWindow) -> str:
    """Return the unit of the numbers that colours tell, empty for counts."""
    if w.workspace is None or w.workspace.scene.values is None:
        return ""
    return str(w.workspace.scene.values.unit)


def animate_rank_order(w: MainWindow) -> None:
    """Light the ranks one after the other, in the order of their numbers."""
    w.playback.light_ranks()


def fill_counters(menu: QMenu, w: MainWindow) -> None:
    """List the counters of the trace, for colours, rims and sizes."""
    menu.clear()
    known = w.session.state.analysis
    rows = {}
    if known is not None and known.trace.counters:
        from topoview.live.colourings.counters import counter_rows

        rows = counter_rows(known)
    for field, title in (
        ("colouring", "Colours"),
        ("rim", "Rims"),
        ("size", "Sizes"),
    ):
        part = menu.addMenu(title)
        part.setEnabled(bool(rows))
        for name, row in rows.items():
            entry = part.addAction(row.text)
            entry.setCheckable(True)
            entry.setChecked(is_view_field(field, name, w))
            default = STATE if field == "colouring" else ""
            entry.triggered.connect(
                lambda on, field=field, name=name, default=default: choose_view_field(
                    field, name if on else default, w
                )
            )


def connect_counters(menu: QMenu, w: MainWindow) -> None:
    """Fill the menu of counters whenever it is opened."""
    menu.aboutToShow.connect(partial(fill_counters, menu, w))


COLOUR_MENU, RANGE_MENU, OUTLINE_MENU, SIZE_MENU, COUNTER_MENU, MESSAGE_MENU = (
    "Colour ranks by",
    "Range of colours",
    "Rims tell",
    "Sizes tell",
    "Counters of the trace",
    "Messages tell",
)
"""Names of menus; `COUNTER_MENU` is filled when it is opened."""

_COLOUR_ACTIONS = tuple(
    Action(
        f"colour-{name}",
        text,
        partial(choose_colouring, name),
        when=partial(can_colour, name),
        on=partial(is_coloured_by, name),
        words="colour ranks by scene",
    )
    for name, text in COLOURING_TEXTS.items()
)

_COLOUR_MAP_ACTIONS = tuple(
    Action(
        f"map-{name or 'natural'}",
        text,
        partial(choose_colour_map, name),
        when=is_coloured_by_numbers,
        on=partial(is_colour_map, name),
        words="colour map palette numbers",
    )
    for name, text in COLOUR_MAP_TEXTS.items()
)

_RANGE_ACTIONS = tuple(
    Action(
        f"span-{name or 'natural'}",
        text,
        partial(choose_range, name),
        when=is_coloured_by_numbers,
        on=partial(is_view_field, "span", name),
        words="colours range scale contrast stretch",
    )
    for name, text in RANGE_TEXTS.items()
)

_SCALE_ACTIONS = tuple(
    Action(
        f"steps-{name or 'natural'}",
        text,
        partial(choose_view_field, "steps", name),
        when=is_coloured_by_numbers,
        on=partial(is_view_field, "steps", name),
        words="colours log scale linear",
    )
    for name, text in SCALE_TEXTS.items()
)

_OUTLINE_ACTIONS = tuple(
    Action(
        f"rim-{name or 'none'}",
        text,
        partial(choose_view_field, "rim", name),
        when=partial(can_outline_or_size, name),
        on=partial(is_view_field, "rim", name),
        words="outline border second channel ranks",
    )
    for name, text in OUTLINE_TEXTS.items()
)

_SIZE_ACTIONS = tuple(
    Action(
        f"size-{name or 'none'}",
        text,
        partial(choose_view_field, "size", name),
        when=partial(can_outline_or_size, name),
        on=partial(is_view_field, "size", name),
        words="large small second channel ranks",
    )
    for name, text in SIZE_TEXTS.items()
)

_MESSAGE_ACTIONS = tuple(
    Action(
        f"messages-{name or 'plain'}",
        text,
        partial(choose_view_field, "message_colour", name),
        when=partial(given.is_view_field_on, "messages"),
        on=partial(is_view_field, "message_colour", name),
        words="colour messages by",
    )
    for name, text in {
        "": "Who waits for them",
        **MESSAGE_COLOURING_TEXTS,
    }.items()
)


def _flag_action(name: str, text: str, keys: str = "", words: str = "") -> Action:
    return Action(
        f"show-{name}",
        text,
        partial(toggle_view_field, name),
        keys,
        "",
        given.has_match,
        partial(given.is_view_field_on, name),
        words,
    )


EDGE_ACTIONS = (
    _flag_action(
        "traffic", "Edges by the window's traffic", words="width bytes volume"
    ),
    _flag_action(
        "chains", "Who waits for whom", "H", "chains root cause late wait paths"
    ),
)

RANK_ACTIONS = (
    _flag_action(
        "faded",
        "See through ranks that compute",
        "T",
        "transparent transparency opacity fade",
    ),
    _flag_action("pulse", "Ranks in collectives swell", words="collective pulse"),
    _flag_action(
        "brief", "Keep what is shorter than a frame", words="playing flash short events"
    ),
    Action(
        "light-ranks",
        "Light the ranks in order",
        animate_rank_order,
        "",
        "",
        given.has_match,
        words="numbering order one after the other",
    ),
)

APPEARANCE_MENUS: dict[str, tuple[Action | str, ...]] = {
    COLOUR_MENU: (*_COLOUR_ACTIONS, SEPARATOR, *_COLOUR_MAP_ACTIONS),
    RANGE_MENU: (*_RANGE_ACTIONS, SEPARATOR, *_SCALE_ACTIONS),
    OUTLINE_MENU: _OUTLINE_ACTIONS,
    SIZE_MENU: _SIZE_ACTIONS,
    COUNTER_MENU: (),
    MESSAGE_MENU: (
        *_MESSAGE_ACTIONS,
        SEPARATOR,
        Action(
            "show-comets",
            "Tails from the sender on",
            partial(toggle_view_field, "comets"),
            when=partial(given.is_view_field_on, "messages"),
            on=partial(given.is_view_field_on, "comets"),
            words="comets dashes",
        ),
    ),
}
