"""Opening traces."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from topoview.api.scope import reporter, spelled

if TYPE_CHECKING:
    from topoview.api.scope import Progress
    from topoview.model import Trace


@spelled()
def open(  # noqa: A001 - topoview.open
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    ranks: Iterable[int] | int | str | None = None,
    progress: "Progress" = None,
) -> "Trace":
    """Open a trace.

    It is read in a separate process and kept in the user's cache; opening it again
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
    progress
        ``progress(stage, fraction)``, called every 40 ms: whatever it raises ends the
        work; or True for a bar of tqdm.

    Returns
    -------
    topoview.model.Trace
        Its columns are read-only NumPy arrays; ``to_pandas()`` and ``to_arrow()`` of
        ``timeline``, ``calls``, ``messages`` and ``collectives`` share their memory.

    Raises
    ------
    topoview.errors.TraceError
        If there is no trace, it cannot be read at all, or has no such part.

    Examples
    --------
    >>> trace = topoview.open("run/traces.otf2", ranks="0-63")  # doctest: +SKIP
    """
    from topoview.errors import TraceError
    from topoview.model import Subset
    from topoview.worker import read_in_process

    begin, end = window or (None, None)
    some = (ranks,) if isinstance(ranks, (int, str)) else () if ranks is None else ranks
    named = ",".join(f"{rank}" for rank in some)
    if ranks is not None and not named:
        raise TraceError(f"{path} cannot be read in part: no ranks are named")
    try:
        subset = Subset.parse(begin, end, named)
    except ValueError as error:
        raise TraceError(f"{path} cannot be read in part: {error}") from error
    return read_in_process(path, reporter(progress), subset)


@spelled()
def demo(name: str = "wave") -> "Trace":
    """Open a sample trace.

    Parameters
    ----------
    name
        ``wave``: an idle wave on a torus; ``transpose``: a program with a hidden
        phase; ``mapping``: ranks that are badly placed on nodes.

    Raises
    ------
    topoview.errors.UsageError
        If there is no such sample.

    Examples
    --------
    >>> topoview.demo()
    <Trace wave: 288 ranks, 476928 events, 126432 calls, 55296 messages, 0.163247 s>
    """
    from topoview.base.resources import DEMOS, demo_trace
    from topoview.errors import UsageError

    if name not in DEMOS:
        raise UsageError(f"samples are {', '.join(DEMOS)}: not {name}")
    return open(demo_trace(name))
