"""Levels of traffic: the pairs of ranks that exchange much, and all others."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools
from topoview.topology.traffic import Traffic

GAP = 3.0
"""Ratio of neighbouring volumes, sorted, from which on they are two levels."""


ALIKE = 1.1
"""Ratio of neighbouring amounts, sorted, up to which they are of one group."""

MOST_GROUPS = 6
"""Groups of amounts up to which overlying patterns are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The pairs above a cut through the sorted volumes.

    Attributes
    ----------
    number
        0: all pairs that communicate; 1: those above the lowest cut, and so on.
    seen : bool, shape (pairs,)
        Pairs of the level.
    least
        Bytes of its pair that has fewest.
    gap
        By what factor the volumes fall below it; 1 if there is nothing below.
    """

    number: int
    seen: Bools
    least: int
    gap: float


def levels(traffic: Traffic, threshold: float | None = None) -> list[Level]:
    """Cut the pairs wherever the sorted volumes fall by `GAP` or more.

    Empty messages count as one byte.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    threshold
        If given, the only cut: pairs with at least this fraction of the bytes of
        the largest pair (Xu, Prithivathi, Subhlok, Zheng, 2008, "Logicalization of
        MPI communication traces", take 0.05).

    Returns
    -------
    list of Level
        All pairs, those above the lowest cut, and so on; with a threshold one.
    """
    volume = np.maximum(traffic.volume, 1)
    ascending = np.sort(volume)
    if not len(ascending):
        return []
    if threshold is not None:
        above = int(np.searchsorted(ascending, threshold * ascending[-1]))
        above = min(above, len(ascending) - 1)
        return [_level(int(above > 0), volume >= ascending[above], ascending, above)]
    falls = np.flatnonzero(ascending[1:] >= GAP * ascending[:-1]) + 1
    return [
        _level(number, volume >= ascending[above], ascending, above)
        for number, above in enumerate([0, *falls.tolist()])
    ]


def _level(number: int, seen: Bools, ascending: np.ndarray, above: int) -> Level:
    least = int(ascending[above])
    gap = least / float(ascending[above - 1]) if above else 1.0
    return Level(number, seen, least, gap)


def bands(traffic: Traffic) -> list[Bools]:
    """Choose pairs with about as many messages, or bytes, for patterns that overlie.

    Values are grouped where neighbours differ by less than `ALIKE`; a band is some
    groups in a row, but not all.

    Returns
    -------
    list of bool arrays, shape (pairs,)
        Empty if there are more than `MOST_GROUPS` groups.
    """
    found: dict[bytes, Bools] = {}
    for amounts in (traffic.volume, traffic.calls):
        values = np.unique(np.maximum(amounts, 1))
        starts = np.flatnonzero(values[1:] > ALIKE * values[:-1]) + 1
        lows = values[np.concatenate([[0], starts])] if len(values) else values
        if not 1 < len(lows) <= MOST_GROUPS:
            continue
        group = np.searchsorted(lows, np.maximum(amounts, 1), side="right") - 1
        for low in range(len(lows)):
            for high in range(low, len(lows)):
                if high - low + 1 < len(lows):
                    seen = (group >= low) & (group <= high)
                    found.setdefault(np.packbits(seen).tobytes(), seen)
    return list(found.values())
