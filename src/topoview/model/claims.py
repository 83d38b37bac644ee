"""What sentences may claim: a number, its error, the evidence, and when it holds.

Each sentence of the window, of advice and of reports that claims more than a sum rests
on a `Claim`, and is said only where that holds. Conditions are such that of simulated
runs without anything planted at most one in a hundred gets the sentence
(``scripts/null_tests.py``).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.model.frozen.arrays import Floats, Ints

MIN_SAMPLES: Final = 16
"""Numbers of a kind from which on it can be told what is usual among them."""

NOISE_RATIO: Final = 7.5
"""How far above the median, as a multiple of what few others are above it, noise
reaches: of a hundred samples of lognormal noise one or two have one that is beyond, of
exponential, half-normal and uniform noise next to none."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a sentence says where it holds."""

    name: str
    number: float
    """What is claimed: a delay's seconds, how many times as long, a correlation."""
    error: float = 0.0
    """By how much the number may be too large, or is by noise alone."""
    least: float = 0.0
    """The sentence needs more than this."""
    evidence: tuple[tuple[str, float], ...] = ()
    """What the sentence rests on, by its names: seconds, fractions, counts."""
    needs: tuple["Claim", ...] = ()
    """What it takes for granted."""

    @property
    def holds(self) -> bool:
        """Whether it may be said: the number is above the least beyond its error."""
        return self.number - self.error > self.least and all(
            each.holds for each in self.needs
        )


def noise_limit(values: Ints | Floats) -> float:
    """Return up to which size numbers of a kind may be noise.

    The largest ones, one and 1.6 % of all, are left out: they may be what is looked
    for.

    Parameters
    ----------
    values : shape (n,)
        In any order.

    Returns
    -------
    float
        Infinite where there are too few to tell.
    """
    if len(values) < MIN_SAMPLES:
        return float("inf")
    places = middle_and_tail(len(values))
    middle, tail = np.partition(values, places)[list(places)].tolist()
    return float(middle + NOISE_RATIO * (tail - middle))


def middle_and_tail(count: int) -> tuple[int, int]:
    """Return where, in ascending order, the lower median is, and the tail of noise."""
    return (count - 1) // 2, count - 2 - min(count // 64, int(count**0.35))
