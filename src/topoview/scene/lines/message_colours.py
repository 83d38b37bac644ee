"""What the colours of messages in flight tell."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from topoview.live.moments.messages import NO_RANKS, MessagesInFlight
from topoview.model import (
    Analysis,
    MPIState,
    RankValues,
)
from topoview.scene.palette import MESSAGE_COLOURING_TEXTS, STATE_COLOURS, Theme
from topoview.scene.shading import shade_by_values


def _message_sizes(found: MessagesInFlight, known: Analysis, ticks: int) -> RankValues:
    del ticks
    trace, index = known.trace, known.message_index
    low, high = (0, 0) if index is None else index.sizes.tolist()
    sizes = trace.messages.size[found.message].astype(np.float64)
    return RankValues(sizes, max(low, 1), max(high, 1), "B", log=True)


def _message_tags(found: MessagesInFlight, known: Analysis, ticks: int) -> RankValues:
    del ticks
    trace, index = known.trace, known.message_index
    tags = NO_RANKS if index is None else index.tags
    own = trace.messages.tag[found.message]
    at = np.minimum(np.searchsorted(tags, own), max(len(tags) - 1, 0))
    there = (tags[at] == own) if len(tags) else np.zeros(len(own), bool)
    names = tuple(f"tag {tag}" for tag in tags.tolist())
    return RankValues(
        np.where(there, at, np.nan), 0, len(names), names=names, none="other tags"
    )


def _receiver_waits(found: MessagesInFlight, known: Analysis, ticks: int) -> RankValues:
    trace = known.trace
    call = trace.messages.completion_call[found.message]
    waited = ticks - trace.calls.enter[np.maximum(call, 0)]
    seconds = np.where(found.awaited, waited / trace.clock.resolution, np.nan)
    high = max(float(np.nanmax(seconds, initial=0.0)), 1e-6)
    return RankValues(seconds, high / 1000, high, "s", log=True, none="not waited for")


@dataclass(frozen=True, slots=True)
class MessageColouring:
    """What messages' colours can tell: its name, and what finds the numbers."""

    text: str
    values: Callable[[MessagesInFlight, Analysis, int], RankValues]


MESSAGE_COLOURINGS: dict[str, MessageColouring] = {
    "size": MessageColouring(MESSAGE_COLOURING_TEXTS["size"], _message_sizes),
    "tag": MessageColouring(MESSAGE_COLOURING_TEXTS["tag"], _message_tags),
    "late": MessageColouring(MESSAGE_COLOURING_TEXTS["late"], _receiver_waits),
}
"""What the colours of messages can tell. To add one is a function, a line, and its
text in `channel_names`."""


def colour_messages(  # noqa: PLR0913 - all that decides colours
    found: MessagesInFlight,
    name: str,
    known: Analysis,
    theme: Theme,
    ticks: int,
    chosen: tuple[int, ...] = (),
) -> MessagesInFlight:
    """Colour messages by what a row of `MESSAGE_COLOURINGS` tells; without one in ink.

    Messages of chosen ranks show whether they are late or unexpected, those of all
    ranks if that is what colours are to tell (``status``). Late ones have the colour
    of waiting then.
    """
    told = np.full(len(found.message), name == "status")
    if chosen:
        told |= np.isin(found.sender, chosen) | np.isin(found.receiver, chosen)
    look = MESSAGE_COLOURINGS.get(name)
    if look is None:
        colours: tuple[str, ...] = theme.ink, STATE_COLOURS[MPIState.WAIT]
        codes = (told & found.awaited).astype(np.uint16)
        return replace(found, told=told, codes=codes, colours=colours)
    values = look.values(found, known, ticks)
    shading = shade_by_values(theme, values)
    colours = (theme.edge, *shading.palette.colours[1:])
    return replace(
        found, told=told, codes=shading.codes, colours=colours, values=values
    )
