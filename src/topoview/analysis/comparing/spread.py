"""Whether two series of iterations differ by more than they vary.

What is compared is the mean of an iteration, since only that adds up to the run. How
far a mean may be off follows from the spread of the iterations: from the median
absolute deviation, which a few long iterations do not inflate (Rousseeuw and Croux
1993, Alternatives to the median absolute deviation), and from the number of iterations
that would tell as much if neighbours did not resemble each other (von Storch and Zwiers
1999, Statistical analysis in climate research, section 6.6). That confidence is to be
told beside any ratio, and from the spread that was measured, is from Hoefler and Belli
2015, Scientific benchmarking of parallel computing systems. How much the same program
differs from one run to another is not known from one run of each.
"""

from typing import Final

import numpy as np

from topoview.model import Floats

MIN_ITERATIONS: Final = 8
"""Iterations of either run below which their spread is not known."""

MAX_ERRORS: Final = 3.0
"""Standard errors up to which a difference may be chance."""

DEVIATION_OF_MAD: Final = 1.4826
"""Standard deviation of a normal distribution by its median absolute deviation."""

_ERROR_OF_MEDIAN: Final = 1.2533
"""Standard error of a median by that of a mean, of a normal distribution."""

_MAX_CORRELATION: Final = 0.9

NOT_JUDGED, ALIKE, FEW, DIFFERENT = "", "alike", "few", "different"
"""Verdicts: too few iterations; within the spread; a few iterations differ so much that
the mean does; the typical iteration differs."""


def verdict(a: Floats, b: Floats) -> str:
    """Judge the difference between two runs.

    Parameters
    ----------
    a, b : float64, shape (iterations,)
        A value of each iteration, in order.

    Examples
    --------
    >>> steady, one = np.tile([1.0, 1.1], 20), np.tile([1.0, 1.1], 20)
    >>> one[7] = 20.0
    >>> verdict(steady, steady + 0.01), verdict(steady, 2 * steady)
    ('alike', 'different')
    >>> verdict(steady, one)
    'few'
    """
    if min(len(a), len(b)) < MIN_ITERATIONS:
        return NOT_JUDGED
    error = MAX_ERRORS * float(np.hypot(standard_error(a), standard_error(b)))
    if abs(float(b.mean() - a.mean())) <= error:
        return ALIKE
    if abs(float(np.median(b) - np.median(a))) <= _ERROR_OF_MEDIAN * error:
        return FEW
    return DIFFERENT


def standard_error(values: Floats) -> float:
    """Estimate how far the mean of a series may be off, whatever its outliers."""
    middle = values - np.median(values)
    spread = DEVIATION_OF_MAD * float(np.median(np.abs(middle)))
    bounded = np.clip(middle, -3 * spread, 3 * spread)
    square = float(bounded @ bounded)
    related = float(bounded[1:] @ bounded[:-1]) / square if square else 0.0
    related = min(max(related, 0.0), _MAX_CORRELATION)
    worth = len(values) * (1 - related) / (1 + related)
    return spread / float(np.sqrt(worth))
