"""Rows of the table of actions: what ranks, messages and edges show in the scene."""

from functools import partial

from topoview.scene.channel_names import LOOK_TEXTS
from topoview.ui import channel_commands as channel
from topoview.ui import colour_commands as colour
from topoview.ui import conditions as given
from topoview.ui.action import LINE, Action

COLOURS, RANGE, RIMS, SIZES, COUNTERS, MESSAGES = (
    "Colour ranks by",
    "Range of colours",
    "Rims tell",
    "Sizes tell",
    "Counters of the trace",
    "Messages tell",
)
"""Names of menus; `COUNTERS` is filled when it is opened."""

# fmt: off
_COLOURINGS = tuple(
    Action(f"colour-{name}", text, partial(colour.choose_colouring, name),
           when=partial(colour.can_colour, name),
           on=partial(colour.colouring_is, name), words="colour ranks by scene")
    for name, text in colour.COLOURING_TEXTS.items()
)

_MAPS = tuple(
    Action(f"map-{name or 'natural'}", text, partial(colour.choose_map, name),
           when=colour.has_numbers, on=partial(colour.map_is, name),
           words="colour map palette numbers")
    for name, text in colour.MAP_TEXTS.items()
)

_SPANS = tuple(
    Action(f"span-{name or 'natural'}", text, partial(channel.choose_span, name),
           when=colour.has_numbers, on=partial(channel.view_is, "span", name),
           words="colours range scale contrast stretch")
    for name, text in channel.SPAN_TEXTS.items()
)

_STEPS = tuple(
    Action(f"steps-{name or 'natural'}", text, partial(channel.choose, "steps", name),
           when=colour.has_numbers, on=partial(channel.view_is, "steps", name),
           words="colours log scale linear")
    for name, text in channel.STEP_TEXTS.items()
)

_RIMS = tuple(
    Action(f"rim-{name or 'none'}", text, partial(channel.choose, "rim", name),
           when=partial(channel.can_tell, name),
           on=partial(channel.view_is, "rim", name),
           words="outline border second channel ranks")
    for name, text in channel.RIM_TEXTS.items()
)

_SIZES = tuple(
    Action(f"size-{name or 'none'}", text, partial(channel.choose, "size", name),
           when=partial(channel.can_tell, name),
           on=partial(channel.view_is, "size", name),
           words="large small second channel ranks")
    for name, text in channel.SIZE_TEXTS.items()
)

_MESSAGES = tuple(
    Action(f"messages-{name or 'plain'}", text,
           partial(channel.choose, "message_colour", name),
           when=partial(given.is_shown, "messages"),
           on=partial(channel.view_is, "message_colour", name),
           words="colour messages by")
    for name, text in {
        "": "Who waits for them", **LOOK_TEXTS,
    }.items()
)


def _switch(name: str, text: str, keys: str = "", words: str = "") -> Action:
    return Action(f"show-{name}", text, partial(channel.switch, name), keys, "",
                  given.has_match, partial(given.is_shown, name), words)


BETWEEN = (
    _switch("traffic", "Edges by the window's traffic", words="width bytes volume"),
    _switch("chains", "Who waits for whom", "H", "chains root cause late wait paths"),
)

MORE = (
    _switch("faded", "See through ranks that compute", "T",
            "transparent transparency opacity fade"),
    _switch("pulse", "Ranks in collectives swell", words="collective pulse"),
    _switch("brief", "Keep what is shorter than a frame",
            words="playing flash short events"),
    Action("light-ranks", "Light the ranks in order", channel.light, "",
           "", given.has_match, words="numbering order one after the other"),
)

MENUS: dict[str, tuple[Action | str, ...]] = {
    COLOURS: (*_COLOURINGS, LINE, *_MAPS),
    RANGE: (*_SPANS, LINE, *_STEPS),
    RIMS: _RIMS,
    SIZES: _SIZES,
    COUNTERS: (),
    MESSAGES: (
        *_MESSAGES,
        LINE,
        Action("show-comets", "Tails from the sender on",
               partial(channel.switch, "comets"),
               when=partial(given.is_shown, "messages"),
               on=partial(given.is_shown, "comets"), words="comets dashes"),
    ),
}
# fmt: on
