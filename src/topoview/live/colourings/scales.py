"""What a colouring is: the request, a row of the table, and kinds of scales."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topoview.model import OUTSIDE_MPI, Analysis, Floats, Ints, RankValues, TimeState
from topoview.session import NO_CALLS, CallFilter, ComparedRun

if TYPE_CHECKING:
    from topoview.live.moments.moment import Lookups

IN_MPI = tuple(state for state in TimeState if state not in OUTSIDE_MPI)

TIME_SCALE_SPAN = 1000.0
"""From the shortest time that has a colour of its own to the longest."""


@dataclass(frozen=True, slots=True)
class ColouringRequest:
    """What colours are asked for: of which analysis, when, and over which window.

    `wanted` are the calls that are selected, and `loop` is the number of the selected
    loop, -1 if none is. `base` is the window that is compared with, and `focus` are the
    codes of the states that stand out; `compared` is the run that is compared with.
    `lookups` are those of whoever asks; `look`
    gives some anyway.
    """

    analysis: Analysis
    time: int
    window: tuple[int, int]
    wanted: CallFilter = NO_CALLS
    loop: int = -1
    base: tuple[int, int] | None = None
    focus: frozenset[int] = frozenset()
    compared: ComparedRun | None = None
    lookups: "Lookups | None" = None

    @property
    def look(self) -> "Lookups":
        """What is looked up in the trace."""
        from topoview.live.moments.moment import (
            Lookups,
        )  # compiled code: when it is needed

        return self.lookups or Lookups(self.analysis.trace)


@dataclass(frozen=True, slots=True)
class Colouring:
    """A row of the table."""

    text: str
    """What it is called in menus and keys."""
    over: str
    """Whether it follows the ``time``, the ``window``, or neither (``run``)."""
    values: Callable[[ColouringRequest], RankValues]
    """Finds the numbers."""
    given: Callable[[Analysis], bool]
    """Whether an analysis has what they are made of."""
    unit: str = ""
    """As in `RankValues`: in what a range of them is typed."""
    selects: bool = False
    """Whether it follows the selected calls or loop, the states that stand out, or the
    window that is compared with."""
    otherwise: str = ""
    """What it is called where nothing is selected; empty: the same."""


def times(values: Floats, longest: float, none: str) -> RankValues:
    """Scale seconds logarithmically, up to the longest."""
    high = max(longest, 1e-9)
    return RankValues(values, high / TIME_SCALE_SPAN, high, "s", log=True, none=none)


def spanned(numbers: Ints | Floats, unit: str = "", none: str = "") -> RankValues:
    """Scale numbers from the least to the greatest of them."""
    values = np.asarray(numbers, np.float64)
    valid = values[~np.isnan(values)]
    low = float(valid.min()) if len(valid) else 0.0
    high = float(valid.max()) if len(valid) else low
    return RankValues(values, low, high, unit, none=none)


ROUND_DIGITS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""First digits of what a scale of shares of the window may end at."""


def shares(values: Floats, none: str) -> RankValues:
    """Scale shares of the window from 0 to the next round one above the largest.

    They do not change with time, so the scale need not hold all that there can be:
    where every rank spends 2 % in a state, differences show.
    """
    most = float(np.nanmax(values, initial=0.0))
    if most <= 0:
        return RankValues(values, 0.0, 0.0, "%", none=none)
    unit = 10.0 ** np.floor(np.log10(most))
    high = next((unit * digit for digit in ROUND_DIGITS if unit * digit >= most), most)
    return RankValues(values, 0.0, min(float(high), 1.0), "%", none=none)


def categories(
    numbers: Ints | list[int], names: tuple[str, ...], none: str = "none"
) -> RankValues:
    """Return the number of each rank's category as values; -1 is none of them."""
    values = np.array(numbers, np.float64)
    values[values < 0] = np.nan
    return RankValues(values, 0, len(names), names=names, none=none)


def always(analysis: Analysis) -> bool:
    """Return True: the colouring needs nothing."""
    del analysis
    return True
