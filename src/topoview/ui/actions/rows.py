"""Actions on the rows of the timeline: order, groups, folding, vertical zoom."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from topoview.base.text import tr
from topoview.session import Picked
from topoview.ui.actions import action

if TYPE_CHECKING:
    from topoview.live.timeline.orders import RowOrder

ROW_ORDER_TEXTS = {
    "rank": tr("Rows by rank"),
    "place": tr("Rows by topology"),
    "distance": tr("Rows by hop distance"),
    "similarity": tr("Rows by similarity"),
}

ROW_GROUP_TEXTS = {
    "": tr("Group: automatic"),
    "none": tr("Rows without groups"),
    "along-x": tr("Group rows by lines along x"),
    "along-y": tr("Group rows by lines along y"),
    "along-z": tr("Group rows by lines along z"),
    "same-x": tr("Group rows by x"),
    "same-y": tr("Group rows by y"),
    "same-z": tr("Group rows by z"),
    "node": tr("Group rows by host"),
    "communicator": tr("Group rows by communicator"),
    "symmetry": tr("Group rows by equivalence class"),
    "selection": tr("Group rows: selected and others"),
}

ROW_COLOUR_TEXTS = {
    "state": tr("Rows in colours of states"),
    "function": tr("Rows in colours of functions"),
    "own": tr("Rows in colours of user regions"),
    "scene": tr("Rows in colours as the scene"),
}

COLOUR_MENU = tr("Colour rows")
"""Name of the menu of colours."""

GROUP_MENU = tr("Group rows")
"""Name of the menu of groups."""


def can_colour(name: str, c: action.Context) -> bool:
    """Return whether rows can have these colours."""
    analysis = c.state.analysis
    if analysis is None:
        return False
    from topoview.live.timeline.row_colours import row_colourings

    return name == "state" or _colouring(name, c) in row_colourings(analysis)


def colour_rows(name: str, c: action.Context) -> None:
    """Colour rows by states, functions, user regions, or as ranks of the scene are."""
    c.session.change("timeline", colour=_colouring(name, c))


def _colouring(name: str, c: action.Context) -> str:
    if name != "scene":
        return name
    return {"region": "function"}.get(c.state.scene.colouring, c.state.scene.colouring)


def can_order(name: str, c: action.Context) -> bool:
    """Return whether the timeline can be in this order."""
    if not action.has_trace(c):
        return False
    from topoview.live.timeline.orders import possible_row_orders

    return name in possible_row_orders(c.state)


def order_rows(name: str, c: action.Context) -> None:
    """Order the rows; by distance from the ranks that are selected now."""
    c.session.order_rows(name)


def can_pin(c: action.Context) -> bool:
    """Return whether rows can be in the order of their distance from selected ranks."""
    return bool(c.state.selection.ranks) and can_order("distance", c)


has_profile = action.has(lambda analysis: analysis.profile is not None)
"""Whether there are numbers of the profile to order rows by."""


def ask_for_number(c: action.Context) -> None:
    """Ask for a number of the profile, and order the rows by it."""
    from PySide6.QtWidgets import QInputDialog

    from topoview.live.timeline.orders import profile_numbers

    analysis = c.state.analysis
    numbers = profile_numbers(analysis.profile if analysis else None)
    texts = list(numbers.values())
    text, agreed = QInputDialog.getItem(
        c.window,
        tr("Rows by a number"),
        tr("The largest first:"),
        texts,
        editable=False,
    )
    if agreed and text in texts:
        c.session.order_rows("number", list(numbers)[texts.index(text)])


def can_group(name: str, c: action.Context) -> bool:
    """Return whether the ranks have such groups."""
    if not action.has_trace(c):
        return False
    from topoview.live.timeline.orders import is_possible

    return is_possible(name, c.state)


def group_rows(name: str, c: action.Context) -> None:
    """Group the rows."""
    c.session.group_rows(name)


def has_groups(c: action.Context) -> bool:
    """Return whether there are groups that can be folded."""
    return action.has_trace(c) and bool(_order_of(c).labels)


def fold_all(folded: bool, c: action.Context) -> None:
    """Fold all groups into a row each, or unfold them."""
    c.session.change("timeline", folded=folded, turned=frozenset())


def turn_groups(c: action.Context) -> None:
    """Fold the groups of the selected ranks if any is unfolded; else unfold them."""
    import numpy as np

    options, order = c.state.timeline, _order_of(c)
    places = np.flatnonzero(np.isin(order.ranks, c.state.selection.ranks))
    groups = set((np.searchsorted(order.groups, places, side="right") - 1).tolist())
    fold = not all(options.is_folded(group) for group in groups)
    other = {g for g in groups if options.is_folded(g) != fold}
    c.session.change("timeline", turned=options.turned ^ other)


def can_turn_groups(c: action.Context) -> bool:
    """Return whether selected ranks are in groups."""
    return bool(c.state.selection.ranks) and has_groups(c)


def turn_threads(c: action.Context) -> None:
    """Show the threads and GPU streams of the selected ranks, or hide them."""
    turned = c.state.timeline.threads ^ set(c.state.selection.ranks)
    c.session.change("timeline", threads=turned)


def can_turn_threads(c: action.Context) -> bool:
    """Return whether selected ranks have threads or GPU streams."""
    analysis, ranks = c.state.analysis, c.state.selection.ranks
    if analysis is None or not ranks or not action.has_trace(c):
        return False
    owners = analysis.trace.rank_of_location[analysis.trace.ranks :]
    return bool({*ranks} & {*owners.tolist()})


def show_selected_only(c: action.Context) -> None:
    """Show the rows of the selected ranks only; all of them if it is those already."""
    ranks, options = c.state.selection.ranks, c.state.timeline
    only = () if options.only == ranks else ranks
    changed = replace(options, only=only, turned=frozenset(), view=(0.0, 1.0))
    c.session.update(timeline=changed)


def zoom_rows(factor: float, c: action.Context) -> None:
    """Magnify the rows around the selected ranks, else around the middle."""
    from topoview.live.timeline.rows import zoomed_rows

    view = c.state.timeline.view
    c.session.change("timeline", view=zoomed_rows(view, factor))


def scroll_rows(share: float, c: action.Context) -> None:
    """Scroll the rows by a share of what is seen."""
    from topoview.live.timeline.rows import scrolled_rows

    view = c.state.timeline.view
    c.session.change("timeline", view=scrolled_rows(view, share))


def are_rows_zoomed(c: action.Context) -> bool:
    """Return whether not all rows are seen."""
    return action.has_trace(c) and c.state.timeline.view != (0.0, 1.0)


def _order_of(c: action.Context) -> RowOrder:
    from topoview.live.timeline.orders import row_order

    return row_order(c.state)


TRACK_MENU = tr("Tracks")
"""Name of the menu of tracks."""

TRACK_TEXTS = {
    "messages": tr("Messages under way"),
    "bytes": tr("Bytes under way"),
    "states": tr("Ranks by state"),
    "gpu-busy": tr("How busy the GPUs are"),
    "stack": tr("Call stack of the selected rank"),
    "marks": tr("Marks and bookmarks"),
}


def tracks_of(c: action.Context) -> dict[str, str]:
    """Names of the tracks that the trace has, and what menus call them."""
    from topoview.live.timeline.tracks import track_rows

    analysis = c.state.analysis
    rows = track_rows(analysis) if analysis is not None else {}
    return {
        name: TRACK_TEXTS.get(
            name,
            tr("{remark} of {whose}", remark=row.remark, whose=_WHOSE[row.of_rank]),
        )
        for name, row in rows.items()
    }


_WHOSE = {True: tr("the selected rank"), False: tr("all ranks")}


def turn_track(name: str, c: action.Context) -> None:
    """Show a track below the others, or hide it."""
    tracks = c.state.timeline.tracks
    kept = tuple(each for each in tracks if each != name)
    c.session.change("timeline", tracks=kept if name in tracks else (*tracks, name))


def has_track(name: str, c: action.Context) -> bool:
    """Return whether the trace has a track."""
    return action.has_trace(c) and name in tracks_of(c)


has_counters = action.has(lambda analysis: analysis.trace.counters)
"""Whether the trace has tracks of counters."""


def ask_for_counter(c: action.Context) -> None:
    """Ask for a counter, and show its track, or hide it."""
    from PySide6.QtWidgets import QInputDialog

    counters = {n: t for n, t in tracks_of(c).items() if n not in TRACK_TEXTS}
    shown = c.state.timeline.tracks
    texts = [
        tr("{track} (hide)", track=t) if n in shown else t for n, t in counters.items()
    ]
    if not texts:
        c.say(tr("The trace has no values of its counters"))
        return
    text, agreed = QInputDialog.getItem(
        c.window, tr("Track of a counter"), tr("Counter:"), texts, editable=False
    )
    if agreed and text in texts:
        turn_track(list(counters)[texts.index(text)], c)


def go_to_end(end: int, c: action.Context) -> None:
    """Go to where the selected message was sent (0), or received (1).

    Of a selected call it is the message that was received last.
    """
    from topoview.live.call_facts import messages_of_call
    from topoview.live.picking.picked import changes_to_pick

    analysis, picked = c.state.analysis, c.state.picked
    if analysis is None:
        return
    messages = analysis.trace.messages
    if picked.kind == "call":
        indices = messages_of_call(analysis, picked.number)
        if not len(indices):
            c.say(tr("The selected call has no message"))
            return
        last = int(indices[messages.receive_time[indices].argmax()])
        picked = Picked("message", last)
    if picked.kind != "message":
        return
    ticks = int((messages.send_time, messages.receive_time)[end][picked.number])
    if ticks < 0:
        unknown = (
            tr("When the message was sent is not recorded"),
            tr("When the message was received is not recorded"),
        )
        c.say(unknown[end])
        return
    c.session.update(**changes_to_pick(c.state, picked, ticks))


def has_message(c: action.Context) -> bool:
    """Return whether a message is selected, or a call that may have some."""
    return action.has_trace(c) and c.state.picked.kind in ("message", "call")


def follow_wait(c: action.Context) -> None:
    """Go from the selected call, or that of the selected rank, to what it waits for."""
    from topoview.live.moments.moment import call_at
    from topoview.live.picking.picked import changes_to_pick

    state, analysis = c.state, c.state.analysis
    if analysis is None or analysis.waits is None:
        return
    call, ranks = state.selection.call, state.selection.ranks
    if call is None and ranks:
        call = call_at(analysis.trace, ranks[0], state.time)
    if call is None:
        c.say(tr("Select a rank in an MPI call, or a call"))
        return
    cause, until = int(analysis.waits.cause[call]), int(analysis.waits.until[call])
    if cause < 0 or until <= analysis.trace.calls.enter[call]:
        c.say(tr("The call waits for nobody, or for whom is not recorded"))
        return
    pick = Picked("call", cause)
    ticks = int(analysis.trace.calls.enter[cause])
    c.session.update(**changes_to_pick(state, pick, ticks))


has_waits = action.has(lambda analysis: analysis.waits is not None)
"""Whether it is known who waited for whom."""

MESSAGE_ACTIONS: action.Menu = (
    action.flag(
        "all-messages",
        tr("Messages of the window"),
        "Shift+X",
        action.field("messages", "timeline"),
    ),
    action.flag(
        "all-collectives",
        tr("Collective operations of the window"),
        setting=action.field("collectives", "timeline"),
    ),
    action.Action(
        "message-sent",
        tr("Go to where the message was sent"),
        partial(go_to_end, 0),
        "[",
        has_message,
    ),
    action.Action(
        "message-received",
        tr("Go to where the message was received"),
        partial(go_to_end, 1),
        "]",
        has_message,
    ),
    action.Action(
        "follow-wait", tr("Follow the wait to its cause"), follow_wait, "K", has_waits
    ),
    action.Action(
        "no-ruler",
        tr("Remove the ruler"),
        lambda c: c.session.change("timeline", ruler=None),
        when=lambda c: c.state.timeline.ruler is not None,
    ),
)

_ORDER = action.Setting(lambda c: c.state.timeline.order, order_rows)
_GROUP = action.Setting(lambda c: c.state.timeline.group, group_rows)
_COLOUR = action.Setting(
    lambda c: (
        c.state.timeline.colour
        if c.state.timeline.colour in ROW_COLOUR_TEXTS
        else "scene"
    ),
    colour_rows,
)

ORDER_MENU, ZOOM_MENU = tr("Order rows"), tr("Zoom rows")
"""Names of the menus of orders, and of how many rows are seen."""

ORDER_ACTIONS: action.Menu = (
    *MESSAGE_ACTIONS,
    action.SEPARATOR,
    ORDER_MENU,
    GROUP_MENU,
    COLOUR_MENU,
    TRACK_MENU,
    action.SEPARATOR,
    action.Action(
        "only-selected",
        tr("Rows of selected ranks only"),
        show_selected_only,
        "Z",
        lambda c: action.has_trace(c) and bool(c.state.selection.ranks),
    ),
    action.Action(
        "all-rows",
        tr("Rows of all ranks"),
        lambda c: c.session.change("timeline", only=(), turned=frozenset()),
        when=lambda c: action.has_trace(c) and bool(c.state.timeline.only),
    ),
    action.Action(
        "turn-threads",
        tr("Unfold or fold threads and GPU streams"),
        turn_threads,
        when=can_turn_threads,
    ),
    ZOOM_MENU,
)

ROW_MENUS: dict[str, action.Menu] = {
    ORDER_MENU: (
        *action.choice(
            "order", ROW_ORDER_TEXTS, "sort timeline", _ORDER, can=can_order
        ),
        action.Action(
            "order-number",
            tr("Rows by a number of the profile…"),
            ask_for_number,
            when=has_profile,
            on=lambda c: c.state.timeline.order == "number",
        ),
        action.Action(
            "pin",
            tr("Pin distance to selected rank"),
            partial(order_rows, "distance"),
            when=can_pin,
            icon="pin",
        ),
    ),
    ZOOM_MENU: (
        action.Action(
            "rows-in", tr("Zoom rows in"), partial(zoom_rows, 2.0), "Shift+W"
        ),
        action.Action(
            "rows-out",
            tr("Zoom rows out"),
            partial(zoom_rows, 0.5),
            "Shift+S",
            are_rows_zoomed,
        ),
        action.Action(
            "rows-up",
            tr("Scroll rows up"),
            partial(scroll_rows, -0.5),
            "Shift+A",
            are_rows_zoomed,
        ),
        action.Action(
            "rows-down",
            tr("Scroll rows down"),
            partial(scroll_rows, 0.5),
            "Shift+D",
            are_rows_zoomed,
        ),
        action.Action(
            "rows-fit",
            tr("Zoom rows to fit"),
            lambda c: c.session.change("timeline", view=(0.0, 1.0)),
            when=are_rows_zoomed,
        ),
    ),
    COLOUR_MENU: action.choice(
        "row-colour",
        ROW_COLOUR_TEXTS,
        "timeline function region counter",
        _COLOUR,
        can=can_colour,
    ),
    TRACK_MENU: (
        *(
            action.Action(
                f"track-{name}",
                text,
                partial(turn_track, name),
                when=partial(has_track, name),
                on=lambda c, name=name: name in c.state.timeline.tracks,  # type: ignore[misc]
                words="show hide track timeline curve",
            )
            for name, text in TRACK_TEXTS.items()
        ),
        action.Action(
            "track-counter", tr("Counter…"), ask_for_counter, when=has_counters
        ),
        action.SEPARATOR,
        action.Action(
            "no-tracks",
            tr("Hide all tracks"),
            lambda c: c.session.change("timeline", tracks=()),
            when=lambda c: bool(c.state.timeline.tracks),
        ),
    ),
    GROUP_MENU: (
        *action.choice(
            "group",
            ROW_GROUP_TEXTS,
            "fold timeline",
            _GROUP,
            can=can_group,
            none="order",
        ),
        action.SEPARATOR,
        action.Action(
            "fold-groups",
            tr("Fold all groups"),
            partial(fold_all, True),
            when=has_groups,
        ),
        action.Action(
            "unfold-groups",
            tr("Unfold all groups"),
            partial(fold_all, False),
            when=has_groups,
        ),
        action.Action(
            "turn-groups",
            tr("Fold or unfold the groups of selected ranks"),
            turn_groups,
            "Shift+Z",
            can_turn_groups,
        ),
    ),
}
"""Menus within that of the timeline."""
