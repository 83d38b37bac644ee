"""Reading a part of a trace: what is asked for, and what is told of it."""

from dataclasses import replace

from topoview.errors import PartError
from topoview.model import Subset, Trace


def check_ranks(subset: Subset, ranks: int, name: str) -> None:
    """Refuse ranks that a trace does not have.

    Raises
    ------
    PartError
        If there is one.
    """
    last = max((last for _, last in subset.ranks), default=0)
    if subset.ranks and last >= ranks:
        raise PartError(f"{name} has no rank {last}: its ranks are 0 to {ranks - 1}")


def restrict(trace: Trace, subset: Subset) -> Trace:
    """Cut a trace of which the right ranks were read, and tell what it is.

    It is cut in place: the trace that is given is not to be used any more.

    Raises
    ------
    PartError
        If it ends before the part begins.
    """
    if subset.is_all:
        return trace
    clock, warnings = trace.clock, trace.warnings
    begin, end = clock.ticks(subset.begin or 0.0), clock.length
    if begin > end:
        raise PartError(
            f"{trace.name} has nothing after {subset.begin:g} s: it lasts "
            f"{clock.seconds(clock.length):.6g} s"
        )
    if subset.end is not None:
        end = min(end, clock.ticks(subset.end))
    if begin or end < clock.length:
        from topoview.io.cut import cut

        trace = cut(trace, begin, end, None)
        kept = tuple(m for m in trace.markers if begin <= m.time < end)
        trace = replace(trace, markers=kept)
    note = (
        f"Only a part of the trace was read: {subset.words}. Messages from and to "
        "what was left out are incomplete, and so may the topology be."
    )
    return replace(trace, warnings=(*warnings, note))
