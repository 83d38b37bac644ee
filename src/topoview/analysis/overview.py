"""What is looked for in a whole timeline before anything is shown of it.

It takes one look through all intervals, and is kept with a trace that is in the
store: opening it again does not look at them.
"""

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from topoview.analysis.code_version import code_version
from topoview.analysis.interest import times_around
from topoview.analysis.state_sums import StateSums, look_through, remember_sums
from topoview.io.store.shelf import shelf_of
from topoview.model import Timeline, Trace
from topoview.progress import Report, silent

NAME: Final = "overview"
WORTH: Final = 1 << 20
"""Intervals from which on it is kept: fewer are looked through in milliseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """What is known of a whole timeline.

    Attributes
    ----------
    times
        Times that are worth looking at, as `topoview.analysis.interest` tells.
    communication
        Window from the first communication of the ranks' main threads to the end of
        the last one, in ticks; None without any.
    states
        Codes of the states that they are in, ascending.
    sums
        Sums of time by state.
    """

    times: tuple[int, ...]
    communication: tuple[int, int] | None
    states: tuple[int, ...]
    sums: StateSums


_TYPES: Final = {"Overview": Overview, "StateSums": StateSums}
_KNOWN: WeakKeyDictionary[Timeline, Overview] = WeakKeyDictionary()


def overview(trace: Trace, report: Report = silent) -> Overview:
    """Look through a trace's timeline, once; what is kept of it is taken from there.

    Raises
    ------
    Cancelled
        From `report`.
    """
    found = _KNOWN.get(trace.timeline)
    if found is not None:
        return found
    large = len(trace.timeline.time) >= WORTH
    shelf = shelf_of(trace.timeline, trace.calls) if large else None
    if shelf is not None:
        found = shelf.find(NAME, code_version(), _TYPES)
    if not isinstance(found, Overview):
        found = _made(trace, report)
        if shelf is not None and shelf.keep(NAME, code_version(), found, _TYPES):
            mapped = shelf.find(NAME, code_version(), _TYPES)
            found = mapped if isinstance(mapped, Overview) else found
    _KNOWN[trace.timeline] = found
    remember_sums(trace.timeline, found.sums)
    return found


def _made(trace: Trace, report: Report) -> Overview:
    found = look_through(trace.timeline, trace.ranks, report)
    begin, end = found.communication
    return Overview(
        tuple(times_around(trace, *found.longest)),
        (begin, end) if 0 <= begin < end else None,
        found.states,
        found.sums,
    )
