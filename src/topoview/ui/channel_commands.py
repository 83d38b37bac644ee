"""What rims, sizes, messages and the range of colours tell: what actions do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog, QMenu

from topoview.analysis.colourings.general import COLOURINGS, STATE
from topoview.scene.channel_names import TRAIL
from topoview.ui.colour_commands import colourings
from topoview.ui.conditions import has_match
from topoview.ui.formats import parse_range, range_text

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow

SPAN_TEXTS = {
    "": "Range as suits the numbers",
    "data": "The numbers there are now",
    "window": "The numbers of the window",
    "fixed": "Other range\u2026",
}

STEP_TEXTS = {
    "": "Steps as suits the numbers",
    "linear": "Equal steps",
    "log": "Logarithmic steps",
}

_TEXTS = {name: row.text for name, row in COLOURINGS.items()}

RIM_TEXTS = {
    "": "No rims",
    TRAIL: "Rims: the state before (trails)",
    **{name: f"Rims: {text}" for name, text in _TEXTS.items()},
}

_NO_NUMBERS = (
    *("region", "thread-region", "gpu-region"),
    *("phase", "node", "communicator", "symmetry"),
)

SIZE_TEXTS = {
    "": "All of one size",
    **{
        name: f"Sizes: {text}"
        for name, text in _TEXTS.items()
        if name not in _NO_NUMBERS
    },
}


def choose(field: str, name: str, w: MainWindow) -> None:
    """Take a name for a field of the view."""
    w.session.view(**{field: name})


def switch(field: str, w: MainWindow) -> None:
    """Switch a field of the view on or off."""
    w.session.view(**{field: not getattr(w.session.state.view, field)})


def view_is(field: str, name: str, w: MainWindow) -> bool:
    """Tell whether a field of the view has this name."""
    return bool(getattr(w.session.state.view, field) == name)


def can_tell(name: str, w: MainWindow) -> bool:
    """Tell whether rims or sizes can tell this."""
    known = name in ("", TRAIL) or name in colourings(w.session.state)
    return has_match(w) and known


def choose_span(name: str, w: MainWindow) -> None:
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
        take_range(text, w)


def take_range(text: str, w: MainWindow) -> None:
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


def light(w: MainWindow) -> None:
    """Light the ranks one after the other, in the order of their numbers."""
    w.playback.light_ranks()


def fill_counters(menu: QMenu, w: MainWindow) -> None:
    """List the counters of the trace, for colours, rims and sizes."""
    menu.clear()
    known = w.session.state.analysis
    rows = {}
    if known is not None and known.trace.counters:
        from topoview.analysis.colourings.counters import counter_rows

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
            entry.setChecked(view_is(field, name, w))
            default = STATE if field == "colouring" else ""
            entry.triggered.connect(
                lambda on, field=field, name=name, default=default: choose(
                    field, name if on else default, w
                )
            )


def connect_counters(menu: QMenu, w: MainWindow) -> None:
    """Fill the menu of counters whenever it is opened."""
    menu.aboutToShow.connect(partial(fill_counters, menu, w))
