"""The timeline in pixels: its rows, the strip below them, ticks of the time axis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topoview.base import text
from topoview.live.picking.selection import CallSpans
from topoview.live.timeline.raster import UNMARKED, mark_pixels
from topoview.live.timeline.rows import RowBands
from topoview.model import (
    WAITING_STATES,
    Bools,
    Bytes,
    Clock,
    Floats,
    Indices,
    Ints,
    TimeState,
)
from topoview.scene.palette import HEEL_SHARE, Theme, rgb

Pixels = NDArray[np.uint32]
"""Colours as 0xffrrggbb, shape (height, width)."""

_STACKING_ORDER = (
    *WAITING_STATES,
    TimeState.COLLECTIVE,
    TimeState.BARRIER,
    TimeState.RECEIVE,
    TimeState.SEND,
    TimeState.ONE_SIDED,
    TimeState.IO,
    TimeState.SETUP,
    TimeState.MEASUREMENT,
    TimeState.GPU_CALL,
    TimeState.COPY,
    TimeState.KERNEL,
    TimeState.COMPUTE,
    TimeState.OUTSIDE,
)
"""Order of the strip from its ground line up: what costs time stands on it."""


def row_pixels(  # noqa: PLR0913 - a picture's parameters
    codes: Bytes,
    bands: RowBands,
    window: tuple[int, int],
    theme: Theme,
    focus: frozenset[int] = frozenset(),
    spans: CallSpans | None = None,
    stacks: tuple[Floats, ...] = (),
    colours: Pixels | None = None,
    isolated: tuple[int, ...] = (),
) -> Pixels:
    """Paint the rows; folded ones as stacks of the shares of their states.

    What stands out (calls that are selected, or states in focus) keeps its
    rows' full height; everything else shrinks to a thin stripe, and vanishes
    where rows are too thin for that. Every colour is one of the key.

    Parameters
    ----------
    codes : uint8, shape (open bands, width)
        State that each band that is not folded shows, as `raster_bands` gives it.
    bands, window
        What is shown in which lines, and in which ticks.
    theme
        Colours.
    focus
        Codes of states that stand out, all if empty.
    spans
        Calls that stand out; they come before `focus`. Folded rows do not tell them.
    stacks : of float64, shape (len(TimeState), width)
        Shares of states in each folded band.
    colours : uint32, shape (codes,)
        Colours of codes that are no states, and cannot be in focus.
    isolated
        Ranks whose rows keep their colours while others are pale; all if empty. A
        folded row does if it has one of them.

    Returns
    -------
    uint32, shape (bands.height, width)
    """
    (begin, end), width = window, codes.shape[1]
    stands: Bools | None = None
    if spans is not None:
        marked = mark_pixels(
            spans.offsets,
            spans.enter,
            spans.leave,
            spans.state,
            *bands.part(folded=False),
            begin,
            end,
            width,
        )
        stands = marked != UNMARKED
        codes = np.where(stands, marked, codes) if colours is None else codes
    elif focus and colours is None:
        stands = np.isin(codes, list(focus))
    table = state_colour_table(theme) if colours is None else colours
    ground = packed_colour(theme.panel)
    heels = heel_colour_table(theme)[codes] if colours is None else None
    band = np.append(np.cumsum(~bands.folded) - 1, -1)
    band[:-1][bands.folded] = -1
    of_line = band[bands.band_of_line].astype(np.int32)
    painted = table[codes]
    if stands is None:
        full = _spread_bands(painted, of_line, ground)
        if heels is not None:
            heel = heel_lines(of_line)
            full[heel] = heels[of_line[heel]]
            _hatch(full, codes, of_line, theme)
    else:
        full = _spread_bands(np.where(stands, painted, ground), of_line, ground)
        core = np.where(bands.core, of_line, -1)
        full[bands.core] = _spread_bands(painted, core, ground)[bands.core]
    for number, share in zip(np.flatnonzero(bands.folded), stacks, strict=True):
        lines = bands.lines_of(int(number))
        high = lines.stop - lines.start
        full[lines] = (
            strip_pixels(share, high, theme, focus)
            if colours is None
            else stack_pixels(share, high, np.arange(len(share))[::-1], colours)
        )
    if isolated:
        pale = ~np.logical_or.reduceat(np.isin(bands.rank, isolated), bands.bounds[:-1])
        behind = np.append(pale, False)[bands.band_of_line]
        full[behind] = _faded(full[behind], ground)
    return full


_MIN_HEEL_ROW = 5
"""Lines of a row from which on it has a heel."""


def heel_lines(band_of_line: Indices) -> Bools:
    """Lines at the bottom of rows, of which neighbouring lines show the same band.

    Returns
    -------
    bool, shape (height,)
    """
    change = np.flatnonzero(np.diff(band_of_line, prepend=-2, append=-2))
    size = np.diff(change)
    heel = np.maximum(np.round(size * HEEL_SHARE).astype(np.int64), 2)
    heel[(size < _MIN_HEEL_ROW) | (band_of_line[change[:-1]] < 0)] = 0
    behind = np.repeat(change[1:], size) - np.arange(len(band_of_line))
    result: Bools = behind <= np.repeat(heel, size)
    return result


def _hatch(full: Pixels, codes: Bytes, of_line: Indices, theme: Theme) -> None:
    """Hatch the tracer's own time: it is nothing that the program does."""
    bands = np.flatnonzero((codes == TimeState.MEASUREMENT).any(axis=1))
    for line in np.flatnonzero(np.isin(of_line, bands)).tolist():
        at = np.flatnonzero(codes[of_line[line]] == TimeState.MEASUREMENT)
        stripe = (at + line) % _HATCH_DISTANCE == 0
        full[line, at] = packed_colour(theme.panel)
        full[line, at[stripe]] = packed_colour(theme.text2)


_HATCH_DISTANCE = 5
"""Pixels from a stripe of the hatching to the next one."""


def _faded(pixels: Pixels, ground: np.uint32) -> Pixels:
    """Mix colours with three times as much of the ground."""
    quarters = np.uint32(0x3F3F3F)
    two = np.uint32(2)
    rest = ((ground >> two) & quarters) * np.uint32(3) | np.uint32(0xFF000000)
    result: Pixels = ((pixels >> two) & quarters) + rest
    return result


def strip_pixels(
    share: Floats, height: int, theme: Theme, focus: frozenset[int] = frozenset()
) -> Pixels:
    """Paint shares of states as a stack, ``share`` as `raster.shares` gives it.

    Each pixel has the colour of one state; a state with any share of more than
    half a pixel is seen. States that are not in `focus` are left blank, if any is.

    Returns
    -------
    uint32, shape (height, width)
    """
    colours = state_colour_table(theme)
    if focus:
        colours[~np.isin(np.arange(len(colours)), list(focus))] = packed_colour(
            theme.panel
        )
    return stack_pixels(share, height, np.array(_STACKING_ORDER), colours)


WAITING_LINES = 0.36
"""Share of the overview's height that its track of waiting takes."""


def waiting_share(share: Floats) -> Floats:
    """Sum up the shares of states in which ranks wait: float64, shape (width,)."""
    total: Floats = share[[int(state) for state in WAITING_STATES]].sum(axis=0)
    return total


def overview_pixels(share: Floats, height: int, theme: Theme) -> Pixels:
    """Paint shares of states as a stack, and below how many ranks wait.

    The lower track is as high as the greatest share is: small waits are seen, too.
    It is left out where nobody waits.

    Returns
    -------
    uint32, shape (height, width)
    """
    waiting = waiting_share(share)
    lower = round(height * WAITING_LINES)
    if not waiting.any() or lower < 2:
        return strip_pixels(share, height, theme)
    result = np.full((height, share.shape[1]), packed_colour(theme.panel), np.uint32)
    upper = height - lower - max(1, height // 15)
    result[:upper] = strip_pixels(share, upper, theme)
    high = waiting / waiting.max() * lower
    level = np.arange(lower, 0, -1) - 0.5
    colour = packed_colour(theme.state_colour(TimeState.WAIT))
    result[height - lower :][level[:, None] < high] = colour
    return result


def stack_pixels(share: Floats, height: int, stack: Ints, colours: Pixels) -> Pixels:
    """Paint shares as a stack: each pixel has the colour of one code.

    Parameters
    ----------
    share : float64, shape (codes, width)
    stack : int64, shape (codes,)
        Codes from the ground up.
    colours : uint32, shape (codes,)

    Returns
    -------
    uint32, shape (height, width)
    """
    tops = np.cumsum(share[stack], axis=0)
    level = (np.arange(height, 0, -1) - 0.5) / height
    above = np.sum(tops[:, None, :] <= level[None, :, None], axis=0)
    codes: Bytes = stack[np.minimum(above, len(stack) - 1)].astype(np.uint8)
    return colours[codes]


def state_colour_table(theme: Theme) -> NDArray[np.uint32]:
    """Colours of all states, uint32, shape (len(TimeState),)."""
    return np.array(
        [packed_colour(theme.state_colour(s)) for s in TimeState], np.uint32
    )


def heel_colour_table(theme: Theme) -> NDArray[np.uint32]:
    """Colours of the heels of all states, else their own: uint32, (len(TimeState),)."""
    colours = [theme.heel_colour(s) or theme.state_colour(s) for s in TimeState]
    return np.array([packed_colour(colour) for colour in colours], np.uint32)


def packed_colour(colour: str) -> np.uint32:
    """Turn ``#rrggbb`` into 0xffrrggbb."""
    red, green, blue = rgb(colour)
    return np.uint32(0xFF000000 | red << 16 | green << 8 | blue)


def _spread_bands(painted: Pixels, band_of_line: Indices, ground: np.uint32) -> Pixels:
    """Copy each band to its lines."""
    if not len(painted):
        return np.full((len(band_of_line), painted.shape[1]), ground, np.uint32)
    lines: Pixels = painted[band_of_line]
    lines[band_of_line < 0] = ground
    return lines


# The time axis: ticks at round times (1, 2 or 5), and how times are written.

MINUS = "\u2212"
MOST_DIGITS = 3
"""Digits of labels that count from the begin; longer ones count from an offset."""

_DIGIT_PIXELS = 6.6
"""Width of a digit on the axis, with room to spare."""


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A time axis."""

    unit: str
    """``s``, ``ms``, ``µs``, ``ns`` or ``ps``; that of all labels."""
    ticks: tuple[tuple[float, str], ...]
    """Time in ticks of the clock, and label, of each tick."""
    minor: tuple[float, ...]
    """Times of the ticks between them, which have no label."""
    decimals: int
    """Decimals in `unit` of the cursor's flag: a digit more than labels have."""
    zero: float = 0.0
    """Time in ticks of the clock that labels count from."""
    offset: str = ""
    """That time as it is written once, ``102.275 9 s +``; empty: the begin."""
    signed: bool = False
    """Whether labels have a sign: they count from a mark."""

    def flag(self, clock: Clock, ticks: float) -> str:
        """Write a time as the labels are: ``+101.4 µs``, ``102.3 s``."""
        return text.time_label(
            clock.seconds(ticks - self.zero),
            self.unit,
            self.decimals,
            plus=self.signed or bool(self.offset),
        )


def time_axis(  # noqa: PLR0913
    clock: Clock,
    begin: int,
    end: int,
    pixels: float,
    apart: float = 80.0,
    *,
    unit: str = "",
    time_zero: int | None = None,
) -> TimeAxis:
    """Ticks of a window, at 1, 2 or 5 times a power of ten of a second.

    Parameters
    ----------
    clock
        Clock of the trace.
    begin, end
        Window in ticks.
    pixels
        Its width on the screen.
    apart
        Least distance between ticks in pixels; more if labels are long.
    unit
        Unit of the labels; empty: what suits the window. Long labels then count from
        an offset: the begin, rounded down to the power of ten above the width, so that
        it stays while one pans.
    time_zero
        Time in ticks that labels count from, with their sign; None: the begin.
    """
    seconds = (end - begin) / clock.resolution
    given, (unit, _) = bool(unit), text.time_scale(seconds, unit)
    signed, zero = time_zero is not None, time_zero or 0
    begin, end = begin - zero, end - zero
    power = text.TIME_EXPONENTS[unit]
    above = int(f"{seconds:e}".split("e")[1]) + 1
    whole = int(begin / clock.resolution // 10.0**above)
    while True:
        mantissa, exponent = _round_step(seconds * apart / max(pixels, 1.0))
        step = mantissa * 10.0**exponent * clock.resolution
        first, last = -int(-begin // step), int(end // step)
        digits = len(str(abs(last * mantissa))) + max(0, exponent + power)
        offset = whole if digits > MOST_DIGITS and not (given or signed) else 0
        # in steps' own decimal place, so that nothing is rounded
        off = offset * 10 ** (above - exponent)
        labels = [
            _signed_decimal(k * mantissa - off, exponent + power, plus=signed)
            + f" {unit}"
            for k in range(first, last + 1)
        ]
        longest = max(map(len, labels), default=0)
        if longest * _DIGIT_PIXELS + 24 <= max(apart, step / (end - begin) * pixels):
            break
        apart = longest * _DIGIT_PIXELS + 24
    ticks = tuple((k * step + zero, label) for k, label in enumerate(labels, first))
    parts = 4 if mantissa == 2 else 5
    between = range(-int(-begin * parts // step), int(end * parts // step) + 1)
    minor = tuple(k * step / parts + zero for k in between if k % parts)
    return TimeAxis(
        unit=unit,
        ticks=ticks,
        minor=minor,
        decimals=min(max(0, -exponent - power) + 1, max(0, clock.decimals - power)),
        zero=zero + offset * 10.0**above * clock.resolution,
        offset=f"{_exact_decimal(offset, above)} s +" if offset else "",
        signed=signed,
    )


def _round_step(least: float) -> tuple[int, int]:
    """Least m * 10**e not below a number, m of 1, 2, 5."""
    exponent = int(f"{least:e}".split("e")[1])
    for mantissa in (1, 2, 5):
        if mantissa * 10.0**exponent >= least:
            return mantissa, exponent
    return 1, exponent + 1


def _signed_decimal(digits: int, exponent: int, *, plus: bool) -> str:
    """Write a number with its sign; a positive one has one on request."""
    sign = "+" if plus and digits > 0 else ""
    return (MINUS if digits < 0 else sign) + _exact_decimal(abs(digits), exponent)


def _exact_decimal(digits: int, exponent: int) -> str:
    """Write ``digits * 10**exponent`` without rounding, thousands apart."""
    if exponent >= 0:
        return text.grouped(digits * 10**exponent)
    whole, rest = divmod(digits, 10**-exponent)
    return text.group_decimals(f"{text.grouped(whole)}.{rest:0{-exponent}d}")
