"""Progress of long functions, in words and fractions."""

from collections.abc import Callable, Iterator

Report = Callable[[str, float], None]
"""``report(stage, fraction)``: called by a long function as it goes on.

`stage` says in a few words what is being done, `fraction` is in [0, 1] within
the stage. The callback raises `Cancelled` when the user gave up; the function
lets it pass.
"""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The user gave up; raised by a `Report`."""


BATCH_ROWS = 1 << 17
"""Rows between two reports: what is made of them on the way stays small."""


def silent(stage: str, fraction: float) -> None:
    """Report nothing: the default `Report`."""
    del stage, fraction


def batches(
    total: int,
    report: Report = silent,
    stage: str = "",
    fractions: tuple[float, float] = (0.0, 1.0),
    scale: int = 1,
) -> Iterator[slice]:
    """Iterate over rows in batches, with a report before each.

    So arrays that are made on the way stay small, however long the trace is.

    Parameters
    ----------
    total
        Number of rows.
    fractions
        Fraction of the stage at the first row, and after the last one.
    scale
        How many times `BATCH_ROWS` rows a batch has, where each takes little.

    Yields
    ------
    slice
        Rows from ``start`` to ``stop``.

    Raises
    ------
    Cancelled
        From `report`.
    """
    first, last = fractions
    step = BATCH_ROWS * scale
    for begin in range(0, total, step):
        report(stage, first + (last - first) * begin / total)
        yield slice(begin, min(begin + step, total))
