"""Colours of themes, states, numbers and categories; needs neither VTK nor SciPy.

The same state has the same hue on screen, in reports and in films. Measured for normal,
deuteranopic, protanopic and tritanopic sight: no two states come nearer than CIEDE2000
9.8 in either theme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from topoview.base.text import tr
from topoview.model import WAITED_IN, Bytes, TimeState


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a theme, as ``#rrggbb``."""

    name: str
    panel: str
    window: str
    rule: str
    hairline: str
    text: str
    text2: str
    text3: str
    ink: str
    edge: str
    shell: str
    selected: str
    accent: str
    compute: str
    kernel: str
    outside: str

    @property
    def without(self) -> str:
        """Colour of ranks without a number, or of none of the categories."""
        return self.rule

    def state_colour(self, state: int) -> str:
        """Colour of a state."""
        match state:
            case TimeState.COMPUTE | TimeState.GPU_CALL:
                return self.compute
            case TimeState.KERNEL | TimeState.COPY:
                return self.kernel
            case TimeState.MEASUREMENT:
                return self.ink
            case TimeState.OUTSIDE:
                return self.outside
        return STATE_COLOURS.get(TimeState(state), WAITING_COLOUR)

    def heel_colour(self, state: int) -> str | None:
        """Colour of the heel that says what a state waits for, or is due to."""
        match state:
            case TimeState.GPU_CALL:
                return self.kernel
            case TimeState.COPY | TimeState.WAIT_FOR_THREADS:
                return self.compute
            case TimeState.NEVER_COMPLETED:
                return self.ink
        ends = WAITED_IN.get(TimeState(state))
        return None if ends is None else self.state_colour(ends)

    @property
    def state_table(self) -> Bytes:
        """Colours of all states, uint8, shape (len(TimeState), 3)."""
        return np.array([rgb(self.state_colour(s)) for s in TimeState], np.uint8)


WAITING_COLOUR = "#eb6e05"
"""Colour of all waiting: nobody gets on."""

HEEL_SHARE = 0.32
"""Share of the height of a row, or swatch, that tells what a state waits for."""

STATE_COLOURS = {
    TimeState.SEND: "#3f6bdb",
    TimeState.RECEIVE: "#17a0ce",
    TimeState.WAIT: WAITING_COLOUR,
    TimeState.COLLECTIVE: "#b22099",
    TimeState.BARRIER: "#a46a94",
    TimeState.ONE_SIDED: "#65956a",
    TimeState.IO: "#666811",
    TimeState.SETUP: "#939393",
}

THEMES = {
    "light": Theme(
        name="light",
        panel="#ffffff",
        window="#f3f4f6",
        rule="#d9dde2",
        hairline="#e8ebee",
        text="#1c2126",
        text2="#59636e",
        text3="#8a939d",
        ink="#0f1317",
        edge="#87939f",
        shell="#f1f3f5",
        selected="#dde8f7",
        accent="#2b5fa8",
        compute="#b7c5cf",
        kernel="#2f4858",
        outside="#e6eaed",
    ),
    "dark": Theme(
        name="dark",
        panel="#16181b",
        window="#1d2024",
        rule="#31363c",
        hairline="#24282d",
        text="#e4e7ea",
        text2="#9aa4ae",
        text3="#6c7680",
        ink="#f4f6f8",
        edge="#66717c",
        shell="#1f2327",
        selected="#22364f",
        accent="#7fb0f0",
        compute="#5a6773",
        kernel="#c8d6e0",
        outside="#3a4047",
    ),
}


def rgb(colour: str) -> tuple[int, int, int]:
    """Split ``#rrggbb`` into its bytes."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix_colours(colour: str, other: str, share: float) -> str:
    """Mix two colours; `share` is that of the second."""
    pairs = zip(rgb(colour), rgb(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def text_on(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour (WCAG 2.1)."""
    red, green, blue = (
        (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4)
        for c in (part / 255 for part in rgb(colour))
    )
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#ffffff" if light < 0.2 else "#0f1317"


# Colours of numbers and categories, safe for colour-blind readers.
#
# Cividis: Nuñez, Anderton, Renslow 2018, "Optimizing colormaps with consideration for
# color vision deficiency"; high is bright in both themes, so that a figure means the
# same in both, and each leaves out what its own background would hide. Vik: Crameri
# 2018, "Scientific colour maps"; on dark ground its dark ends would not be seen, there
# the middle is dark as in his berlin, but still above the ground.
# Categories: Tol 2021, "Colour schemes", muted; on dark ground the same hues, as far
# from each other and from the ground. Red-green is what a traffic light says,
# and no colour-blind reader can tell: it is a choice, never the default.

MAP_STEPS = 64
"""Colours between the first and the last of a map."""

_CIVIDIS = (
    "#00224e",
    "#123570",
    "#3b496c",
    "#575d6d",
    "#707173",
    "#8a8678",
    "#a59c74",
    "#c3b369",
    "#e1cc55",
    "#fee838",
)
_BRIGHT_ON_WHITE = "#9a9475"
"""Colour of cividis whose contrast with white is 3:1, as WCAG 2.2 (1.4.11) asks of
graphics: of low numbers; high ones stand out from the ground, dark on white and bright
on black."""

_VIK = (
    "#001261",
    "#034481",
    "#307da6",
    "#94bed2",
    "#ece5e0",
    "#dbaa8d",
    "#c27041",
    "#912d06",
    "#590008",
)
_RED_GREEN = ("#c4302b", "#e58a2e", "#e6c832", "#8fb93b", "#2f8f3e")

_DARK_VIK = (
    "#8cc8ff",
    "#5ba4db",
    "#3f7ea8",
    "#4d6678",
    "#60656c",
    "#846257",
    "#b06a54",
    "#dd8a70",
    "#ffb79f",
)

CATEGORY_COLOURS = {
    "light": (
        "#332288",
        "#88ccee",
        "#44aa99",
        "#117733",
        "#999933",
        "#ddcc77",
        "#cc6677",
        "#882255",
        "#aa4499",
    ),
    "dark": (
        "#8a6fec",
        "#87eaec",
        "#4f9b8f",
        "#3d7048",
        "#a7a130",
        "#e4dc8b",
        "#e0506d",
        "#9c4289",
        "#ca97e0",
    ),
}
"""Colours of the first categories in each theme; those of more are found."""

DISTINCT_CATEGORIES = 64
"""Categories that have a colour of their own."""

_FOUND_LIGHTNESS = {"light": (0.35, 0.8), "dark": (0.5, 0.9)}
_GRID_STEPS = 18


def _cividis(theme: Theme) -> tuple[str, ...]:
    if theme.name == "dark":
        return _CIVIDIS[1:]
    return (_BRIGHT_ON_WHITE, *_CIVIDIS[-5::-1])


def _vik(theme: Theme) -> tuple[str, ...]:
    return _DARK_VIK if theme.name == "dark" else _VIK


def _red_green(_: Theme) -> tuple[str, ...]:
    return _RED_GREEN


COLOUR_MAPS = {
    "cividis": _cividis,
    "vik": _vik,
    "red-green": _red_green,
}
"""Anchors of each map in a theme, the lowest number's colour first."""


def map_colours(name: str, theme: Theme, steps: int = MAP_STEPS) -> tuple[str, ...]:
    """Divide a map into colours of equal distance: `steps` as ``#rrggbb``."""
    anchors = np.array([rgb(colour) for colour in COLOUR_MAPS[name](theme)], float)
    at = np.linspace(0, len(anchors) - 1, steps)
    parts = [np.interp(at, np.arange(len(anchors)), part) for part in anchors.T]
    return _hex_colours(np.stack(parts, axis=1))


def category_colours(count: int, theme: Theme) -> tuple[str, ...]:
    """Colours of so many categories, again from the first one on after the last.

    Each beyond `CATEGORY_COLOURS` is the one that is farthest from all before it and
    from the ground.
    """
    colours = _distinct_colours(theme.name)
    return tuple(colours[i % DISTINCT_CATEGORIES] for i in range(count))


@cache
def _distinct_colours(theme: str) -> tuple[str, ...]:
    steps = np.linspace(0, 255, _GRID_STEPS).round()
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    places = _oklab(grid)
    least, most = _FOUND_LIGHTNESS[theme]
    inside = (least <= places[:, 0]) & (places[:, 0] <= most)
    grid, places = grid[inside], places[inside]
    colours = list(CATEGORY_COLOURS[theme])
    ground = THEMES[theme].panel, THEMES[theme].without, THEMES[theme].outside
    used = _oklab(np.array([rgb(colour) for colour in (*colours, *ground)], float))
    free = np.linalg.norm(places[:, None] - used, axis=2).min(axis=1)
    while len(colours) < DISTINCT_CATEGORIES:
        at = int(free.argmax())
        colours += _hex_colours(grid[at : at + 1])
        free = np.minimum(free, np.linalg.norm(places - places[at], axis=1))
    return tuple(colours)


def _oklab(colours: np.ndarray) -> np.ndarray:
    """Turn bytes of red, green and blue to places whose distances are those seen.

    Ottosson 2020, "A perceptual color space for image processing".
    """
    parts = colours / 255
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    result: np.ndarray = np.cbrt(light @ _TO_CONES) @ _TO_OKLAB
    return result


_TO_CONES = np.array(
    [
        [0.4122214708, 0.2119034982, 0.0883024619],
        [0.5363325363, 0.6806995451, 0.2817188376],
        [0.0514459929, 0.1073969566, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 1.9779984951, 0.0259040371],
        [0.7936177850, -2.4285922050, 0.7827717662],
        [-0.0040720468, 0.4505937099, -0.8086757660],
    ]
)


REGION_COLOURS = {
    "light": ("#92ccf9", "#c2bab0", "#ffe7d3", "#e1b882"),
    "dark": ("#684a54", "#867874", "#88564e", "#065976"),
}
"""Colours of the program's own regions; the fifth has the first one's again."""


def region_colours(theme: Theme) -> tuple[str, ...]:
    """Colours of the program's own regions, told apart from those of states."""
    return REGION_COLOURS[theme.name]


def _hex_colours(colours: Sequence[Sequence[float]] | np.ndarray) -> tuple[str, ...]:
    return tuple("#" + "".join(f"{round(p):02x}" for p in row) for row in colours)


TRAIL_OUTLINE = "trail"
"""The rim that is no number: the state before, for a while."""

MESSAGE_COLOURING_TEXTS = {
    "status": tr("Late or unexpected"),
    "size": tr("Size of the message"),
    "tag": tr("Tag of the message"),
    "late": tr("Late sender: wait of the receiver"),
}
"""What messages' colours can tell: ``status``, or a name in `MESSAGE_COLOURINGS`."""
