"""The time axis: ticks at round times (1, 2 or 5), and how times are written."""

from dataclasses import dataclass

from topoview.model import Clock

THIN_SPACE = "\u2009"
MINUS = "\u2212"
_UNITS = {"s": 0, "ms": 3, "µs": 6, "ns": 9, "ps": 12}
_LABEL_PIXELS = 6.6
"""Width of a digit on the axis, with room to spare."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A time axis.

    Attributes
    ----------
    unit
        ``s``, ``ms``, ``µs``, ``ns`` or ``ps``; that of all labels.
    ticks
        Time in ticks of the clock, and label, of each tick.
    minor
        Times of the ticks between them, which have no label.
    decimals
        Decimals in `unit` that tell neighbouring pixels apart.
    """

    unit: str
    ticks: tuple[tuple[float, str], ...]
    minor: tuple[float, ...]
    decimals: int


def time_axis(  # noqa: PLR0913
    clock: Clock,
    begin: int,
    end: int,
    pixels: float,
    apart: float = 90.0,
    *,
    unit: str = "",
    mark: int | None = None,
) -> Axis:
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
        Unit of the labels; empty: what suits the window.
    mark
        Time in ticks that labels count from, with their sign; None: the begin.
    """
    seconds = (end - begin) / clock.resolution
    unit = unit or next((u for u, e in _UNITS.items() if seconds >= 2 * 10.0**-e), "ps")
    zero = 0 if mark is None else mark
    begin, end = begin - zero, end - zero
    power = _UNITS[unit]
    while True:
        mantissa, exponent = _step(seconds * apart / max(pixels, 1.0))
        step = mantissa * 10.0**exponent * clock.resolution
        first, last = -int(-begin // step), int(end // step)
        labels = [
            _signed(k * mantissa, exponent + power, plus=mark is not None)
            for k in range(first, last + 1)
        ]
        longest = max(map(len, labels), default=0)
        if longest * _LABEL_PIXELS + 24 <= max(apart, step / (end - begin) * pixels):
            break
        apart = longest * _LABEL_PIXELS + 24
    ticks = tuple((k * step + zero, label) for k, label in enumerate(labels, first))
    parts = 4 if mantissa == 2 else 5
    between = range(-int(-begin * parts // step), int(end * parts // step) + 1)
    minor = tuple(k * step / parts + zero for k in between if k % parts)
    decimals = _decimals(seconds / max(pixels, 1.0) * 10.0**power)
    return Axis(unit, ticks, minor, decimals)


def time_label(
    clock: Clock, ticks: float, unit: str, decimals: int, mark: int | None = None
) -> str:
    """Write a time: ``1 752.5 ms``, or counted from a mark: ``+12.5 ms``."""
    since = ticks if mark is None else ticks - mark
    value = clock.seconds(abs(since)) * 10.0 ** _UNITS[unit]
    sign = "" if mark is None else "+"
    sign = MINUS if since < 0 else sign
    return sign + f"{value:,.{decimals}f} {unit}".replace(",", THIN_SPACE)


def _step(least: float) -> tuple[int, int]:
    """Least m * 10**e not below a number, m of 1, 2, 5."""
    exponent = int(f"{least:e}".split("e")[1])
    for mantissa in (1, 2, 5):
        if mantissa * 10.0**exponent >= least:
            return mantissa, exponent
    return 1, exponent + 1


def _decimals(size: float) -> int:
    """Decimals that tell numbers apart that differ by `size`."""
    exponent = int(f"{size:e}".split("e")[1])
    return max(0, -exponent)


def _signed(digits: int, exponent: int, *, plus: bool) -> str:
    """Write a number with its sign; a positive one has one on request."""
    sign = "+" if plus and digits > 0 else ""
    return (MINUS if digits < 0 else sign) + _decimal(abs(digits), exponent)


def _decimal(digits: int, exponent: int) -> str:
    """Write ``digits * 10**exponent`` without rounding, thousands apart."""
    if exponent >= 0:
        return f"{digits * 10**exponent:,}".replace(",", THIN_SPACE)
    whole, rest = divmod(digits, 10**-exponent)
    return f"{whole:,}".replace(",", THIN_SPACE) + f".{rest:0{-exponent}d}"
