"""What the ranks' colours and labels say: what actions do about it, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topoview.analysis.colourings.general import COLOURINGS, STATE, offered, rows
from topoview.ui.conditions import has_match
from topoview.ui.shape.commands import lens_of

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.window import MainWindow

COLOURING_TEXTS = {
    STATE: "MPI state",
    **{name: row.text for name, row in COLOURINGS.items()},
}

MAP_TEXTS = {
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


def choose_map(name: str, w: MainWindow) -> None:
    """Take a map of colours for numbers."""
    w.session.view(colour_map=name)


def choose_labels(name: str, w: MainWindow) -> None:
    """Write this at the ranks of the scene."""
    lens_of(w).write(w.session, name)


def labels_are(name: str, w: MainWindow) -> bool:
    """Tell whether this is written at the ranks."""
    return lens_of(w).seen(w.session.state).view.labels == name


def can_colour(name: str, w: MainWindow) -> bool:
    """Tell whether ranks can be coloured by this."""
    return has_match(w) and name in colourings(w.session.state)


def colouring_is(name: str, w: MainWindow) -> bool:
    """Tell whether ranks are coloured by this."""
    return w.session.state.view.colouring == name


def map_is(name: str, w: MainWindow) -> bool:
    """Tell whether numbers have the colours of this map."""
    return w.session.state.view.colour_map == name


def has_numbers(w: MainWindow) -> bool:
    """Tell whether ranks are coloured by numbers."""
    return has_match(w) and w.session.state.view.colouring != STATE
