"""topoview: the communication topology of MPI programs, from their OTF2 traces.

>>> import topoview
>>> trace = topoview.open("run/traces.otf2")                # doctest: +SKIP
>>> trace.messages.to_pandas().groupby("sender")["size"].sum()  # doctest: +SKIP
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoview.model import Trace
    from topoview.progress import Report

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(  # noqa: A001 - topoview.open
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    ranks: Iterable[int] | int | str | None = None,
    report: "Report | None" = None,
) -> "Trace":
    """Open a trace.

    It is read in a process of its own and kept in the user's cache; opening it again
    maps the columns to memory and takes milliseconds.

    Parameters
    ----------
    path
        An anchor file, the folder that holds it, or an archive (``.tar.*``,
        ``.zip``) of one.
    window
        Seconds from the trace's beginning between which it is to be read; None for
        the beginning or the end. Times in the result stay those of the trace.
    ranks
        World ranks that are to be read, as numbers or like ``"0-63,70"``; None: all.
        The others stay in the trace, without anything that they did.
    report
        ``report(stage, fraction)``, called every 40 ms; whatever it raises ends the
        reading.

    Returns
    -------
    topoview.model.Trace
        Its columns are read-only NumPy arrays; ``to_pandas()`` and ``to_arrow()`` of
        ``timeline``, ``calls``, ``messages`` and ``collectives`` share their memory.

    Raises
    ------
    topoview.errors.TraceError
        If there is no trace, it cannot be read at all, or has no such part.
    """
    from topoview.errors import TraceError
    from topoview.model import Subset
    from topoview.progress import silent
    from topoview.worker import read_in_process

    begin, end = window or (None, None)
    some = (ranks,) if isinstance(ranks, (int, str)) else () if ranks is None else ranks
    named = ",".join(map(str, some))
    if ranks is not None and not named:
        raise TraceError(f"{path} cannot be read in part: no ranks are named")
    try:
        subset = Subset.parse(begin, end, named)
    except ValueError as error:
        raise TraceError(f"{path} cannot be read in part: {error}") from error
    return read_in_process(path, report or silent, subset)
