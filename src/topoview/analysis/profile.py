"""Where the time goes in a span: by MPI operation and by class, for each location."""

from collections.abc import Sequence

import numpy as np

from topoview.analysis import kernels
from topoview.analysis.account.account import ClassTicks, class_ticks
from topoview.base.progress import Report, silent
from topoview.model import DeducedEnds, Ints, Part, Profile, Regions, Span, WaitStates


def profile(  # noqa: PLR0913
    part: Part,
    waits: WaitStates | None,
    deduced: DeducedEnds | None,
    span: Span,
    report: Report = silent,
    *,
    spent: ClassTicks | None = None,
) -> Profile:
    """Sum up calls and times of some ranks, in a span.

    A call counts where it begins; its time as far as it is in the span. One pass over
    calls and intervals.

    Parameters
    ----------
    deduced
        None: the timeline has the states of an account.
    spent
        What `class_ticks` finds of the span; None: that is not known yet.

    Raises
    ------
    Cancelled
        From `report`.
    """
    report("profiling calls", 0.0)
    trace, calls = part.trace, part.trace.calls
    regions, rank = trace.regions, trace.rank_of_location
    counts, ticks = np.zeros((2, trace.ranks, len(regions.operations)), np.int64)
    for rows in part.rows:
        kernels.sum_calls(
            calls.offsets[rows.start : rows.stop + 1],
            rank[rows],
            calls.region,
            regions.operation,
            calls.enter,
            calls.leave,
            span.window,
            counts,
            ticks,
        )
    called = np.flatnonzero((counts + ticks).any(axis=0))
    if spent is None:
        window = np.array([span.window], np.int64)
        spent = class_ticks(part, waits, deduced, window, report)
    return Profile(
        span=span,
        operations=tuple(regions.operations[i] for i in called),
        calls=counts[:, called],
        ticks=ticks[:, called],
        classes=spent[0],
        class_ticks=spent[1][0],
    )


def added_profiles(every: Sequence[Profile | None], regions: Regions) -> Profile | None:
    """Add up the profiles of parts of a trace, of which `regions` are; None of none."""
    parts = [part for part in every if part is not None]
    if not parts:
        return None
    called = {name for part in parts for name in part.operations}
    names = tuple(name for name in regions.operations if name in called)
    classes = np.unique(np.concatenate([part.classes for part in parts]))
    return Profile(
        span=parts[0].span,
        operations=names,
        calls=_added([(part.operations, part.calls) for part in parts], names),
        ticks=_added([(part.operations, part.ticks) for part in parts], names),
        classes=classes,
        class_ticks=_added(
            [(part.classes.tolist(), part.class_ticks) for part in parts],
            classes.tolist(),
        ),
    )


def _added(
    tables: Sequence[tuple[Sequence[object], Ints]], names: Sequence[object]
) -> Ints:
    """Add up tables whose columns have names, in the order of all names."""
    place = {name: at for at, name in enumerate(names)}
    result = np.zeros((len(tables[0][1]), len(names)), np.int64)
    for own, table in tables:
        result[:, [place[name] for name in own]] += table
    return result
