"""Rows of the table of actions: how the ranks are arranged in the scene."""

from functools import partial

from topoview.ui import conditions as given
from topoview.ui.action import LINE, Action
from topoview.ui.shape import commands as shape

LAYOUT, SECOND, GAPS, WRAPS = (
    "Layout",
    "Second view",
    "Gaps",
    "Wrap-around edges",
)
"""Names of menus."""

# fmt: off
_OWN, _FURTHER = (
    tuple(
        Action(f"layout-{name}", text, partial(shape.choose_layout, name),
               when=partial(shape.can_lay_out, name),
               on=partial(shape.layout_is, name),
               words=f"layout arrangement geometry {shape.LAYOUT_WORDS.get(name, '')}")
        for name, text in texts.items()
    )
    for texts in (shape.OWN_TEXTS, shape.FURTHER_TEXTS)
)

_SECOND = tuple(
    Action(f"second-{name}", f"Beside: {text[0].lower()}{text[1:]}",
           partial(shape.choose_second, name), when=partial(shape.can_lay_out, name),
           on=partial(shape.second_is, name), words="second view scene 2 layout linked")
    for name, text in shape.LAYOUT_TEXTS.items()
)

_GAPS = tuple(
    Action(f"gaps-{name or 'none'}", text, partial(shape.choose, "gaps", name),
           when=partial(shape.can_part, name),
           on=partial(shape.geometry_is, "gaps", name),
           words="machine hierarchy units part apart")
    for name, text in shape.GAP_TEXTS.items()
)

_WRAPS = tuple(
    Action(f"wrap-{name}", text, partial(shape.choose, "wrap", name),
           when=given.has_match, on=partial(shape.geometry_is, "wrap", name),
           words="periodic torus edges")
    for name, text in shape.WRAP_TEXTS.items()
)

MENUS: dict[str, tuple[Action | str, ...]] = {
    LAYOUT: (
        *_OWN,
        LINE,
        *_FURTHER,
        LINE,
        Action("order-places", "Order them by place in the topology",
               shape.toggle_order, when=given.has_match,
               on=partial(shape.geometry_is, "order", "place"),
               words="layout line circle grid helix numbering"),
        Action("natural-shape", "Arrange the ranks as at first", shape.natural_shape,
               when=given.has_match, words="layout reset geometry natural"),
    ),
    SECOND: _SECOND,
    GAPS: (
        *_GAPS,
        LINE,
        Action("placement", "Placement file…", shape.ask_for_placement,
               when=given.has_match, words="machine nodes sockets network csv map"),
        Action("no-placement", "Forget the placement file", shape.forget_placement,
               when=shape.has_placement, words="machine nodes"),
    ),
    WRAPS: (
        *_WRAPS,
        LINE,
        Action("copies", "Copies around a periodic grid", shape.toggle_copies,
               when=shape.can_copy, on=partial(shape.geometry_is, "copies", True),
               words="repeat 3x3 tiles images"),
    ),
}

MORE = (
    Action("shape", "Shape…", shape.show_shape, "G", "", given.has_match,
           words="slices ranges spacing layers fold explode geometry"),
    Action("all-coordinates", "Show all coordinates", shape.show_all, "Shift+G", "",
           shape.is_sliced, words="slice ranges leave end whole"),
    Action("wider", "Ranks further apart", partial(shape.space, 1.2), "+", "",
           given.has_match, words="spacing distance"),
    Action("nearer", "Ranks nearer to each other", partial(shape.space, 1 / 1.2), "-",
           "", given.has_match, words="spacing distance"),
)
# fmt: on
