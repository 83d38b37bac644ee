"""Tables of waiting and of efficiencies; and the logical trace, to be printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview import model
from topoview.base.text import tr
from topoview.errors import TopoviewError, UsageError

if TYPE_CHECKING:  # whoever takes a table needs no listing
    from topoview.logical.expansion import ExpandedCall

WAITS: Final = model.Schema(
    model.Column("call", "#", tr("call"), link="call"),
    model.Column("rank", "#", tr("rank"), "Rank that waits", link="rank"),
    model.Column("function", "", tr("function"), tr("MPI function")),
    model.Column("begin", "at", tr("begin")),
    model.Column("seconds", "s", tr("wait")),
    model.Column("waited_for", "#", "", "Rank waited for", link="rank"),
)

OUTSIDE: Final = {0: "outside"}
"""Stands for the iteration of what is outside of the loop."""

WAIT_SUMS: Final = model.Schema(
    model.Column("kind"),
    model.Column("rank", "#", tr("rank"), link="rank"),
    model.Column("waited_for", "#", "", "Rank waited for", link="rank"),
    model.Column("calls", "", tr("calls")),
    model.Column("direction", "", tr("direction")),
    model.Column("statement", "#"),
    model.Column("communicator", "", tr("communicator")),
    model.Column("axis", "", tr("axis"), "Axes of the plan that ranks differ along"),
    model.Column("phase", "", tr("phase"), ordered=True),
    model.Column("iteration", "#", tr("iteration"), codes=OUTSIDE),
    model.Column("seconds", "s", tr("wait"), bar=True),
    model.Column("least_seconds", "s", tr("least")),
    model.Column("most_seconds", "s", tr("most")),
)


def waits_table(
    trace: model.Trace,
    waits: model.WaitStates,
    window: tuple[int, int],
    ranks: Sequence[int] = (),
) -> model.Table:
    """Return the calls that waited for another rank: for whom, and how long.

    Parameters
    ----------
    window
        Begin and end in ticks: waits count as far as they are in it.
    ranks
        Only those of these; empty: of all.
    """
    from topoview.analysis.waits.states import lateness  # compiled code

    calls = trace.calls
    late = lateness(trace, waits, window=window)
    call = np.flatnonzero(late > 0)
    rank = trace.ranks_of_calls(call)
    if ranks:
        some = np.isin(rank, ranks)
        call, rank = call[some], rank[some]
    region, ticks = calls.region[call], trace.clock.resolution
    names = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    return model.Table(
        WAITS,
        {
            "call": call,
            "rank": rank.astype(np.int32),
            "function": model.named(region, names),
            "begin": calls.enter[call] / ticks,
            "seconds": late[call] / ticks,
            "waited_for": waits.whom[call],
        },
    )


def not_aligned(trace: model.Trace) -> TopoviewError:
    """Return the error that nothing is known of waits."""
    return TopoviewError(
        f"{trace.name} has no wait states: the clocks of its ranks cannot be aligned"
    )


def no_loop(trace: model.Trace) -> UsageError:
    """Return the error that there is no loop whose time could be meant."""
    return UsageError(f"{trace.name} has no loop: its logical trace repeats nothing")


def wait_sums_table(trace: model.Trace, sums: model.WaitSums, by: str) -> model.Table:
    """Return waiting in total, by what `WAIT_SUMS` names, in order of its rows.

    Where the clocks were aligned ``least_seconds`` and ``most_seconds`` are bounds.
    """
    data = WAIT_GROUPS[by](trace, sums)
    ticks, second = data.pop("ticks"), trace.clock.resolution
    assert not isinstance(ticks, tuple)
    data["seconds"] = ticks / second
    if trace.clock.alignment is not None:
        least, most = sums.between[by] / second
        data |= {"least_seconds": least, "most_seconds": most}
    return model.Table(WAIT_SUMS, data)


def _pairs(_: model.Trace, sums: model.WaitSums) -> dict[str, model.ColumnData]:
    return {
        "rank": sums.pair_rank,
        "waited_for": sums.pair_whom,
        "calls": sums.pair_calls,
        "ticks": sums.pair_ticks,
    }


WAIT_GROUPS: Final[
    dict[str, Callable[[model.Trace, model.WaitSums], dict[str, model.ColumnData]]]
] = {
    "kind": lambda _, sums: {
        "kind": model.words(model.WAIT_KINDS),
        "ticks": sums.suffered.sum(axis=1),
    },
    "rank": lambda trace, sums: {
        "rank": np.arange(trace.ranks),
        "ticks": sums.suffered.sum(axis=0),
    },
    "waited_for": lambda trace, sums: {
        "waited_for": np.arange(trace.ranks),
        "ticks": sums.held_up.sum(axis=0),
    },
    "pair": _pairs,
    "direction": lambda _, sums: {
        "direction": model.words(sums.directions),
        "ticks": sums.by_direction,
    },
    "statement": lambda _, sums: {
        "statement": np.arange(len(sums.by_statement)),
        "ticks": sums.by_statement,
    },
    "communicator": lambda trace, sums: {
        "communicator": model.words([one.name for one in trace.communicators]),
        "ticks": sums.by_communicator,
    },
    "axis": lambda _, sums: {"axis": model.words(sums.axes), "ticks": sums.by_axis},
    "phase": lambda _, sums: {
        "phase": model.words(sums.phases),
        "ticks": sums.by_phase,
    },
    "iteration": lambda _, sums: {
        "iteration": np.arange(len(sums.by_iteration)),
        "ticks": sums.by_iteration,
    },
}
"""What waiting can be summed up by: columns, of which ``ticks`` is how long."""


EFFICIENCY_NAMES: Final = tuple(field.name for field in fields(model.Efficiency))

EFFICIENCY_PARTS: Final = ("iteration", "phase", "plane", "time")
"""Parts of a run that efficiencies are told of."""


EFFICIENCY: Final = model.Schema(
    model.Column("iteration", "#", tr("iteration")),
    model.Column("phase", "", tr("phase"), ordered=True),
    model.Column("plane", "", tr("plane"), ordered=True),
    model.Column("begin", "at", tr("begin")),
    model.Column("seconds", "s", tr("time")),
    *(model.Column(name, "share") for name in EFFICIENCY_NAMES),
)


def efficiency_table(
    trace: model.Trace, efficiencies: model.Efficiencies, by: str
) -> model.Table:
    """Return the efficiencies of all parts of a kind in `EFFICIENCY_PARTS`."""
    second = trace.clock.resolution
    parts: dict[str, tuple[model.EfficiencySeries, dict[str, model.ColumnData]]] = {
        "iteration": (
            efficiencies.by_iteration,
            {"iteration": np.arange(1, len(efficiencies.by_iteration) + 1)},
        ),
        "phase": (efficiencies.by_phase, {"phase": model.words(efficiencies.phases)}),
        "plane": (efficiencies.by_plane, {"plane": model.words(efficiencies.planes)}),
        "time": (
            efficiencies.over_time,
            {"begin": efficiencies.stretches[:-1] / second},
        ),
    }
    series, named_by = parts[by]
    seconds = series.run / second
    return model.Table(EFFICIENCY, {**named_by, "seconds": seconds, **series.columns()})


def efficiency_of_span(
    trace: model.Trace, factors: model.Efficiency, span: model.Span
) -> model.Table:
    """Return the efficiencies of a span as a table of one row."""
    ticks = span.window[1] - span.window[0]
    fields = {name: [getattr(factors, name)] for name in EFFICIENCY_NAMES}
    columns = {"seconds": [ticks / trace.clock.resolution], **fields}
    return model.Table(EFFICIENCY, {name: np.array(c) for name, c in columns.items()})


@dataclass(frozen=True, slots=True, eq=False)
class LogicalProgram:
    """The logical trace of a program, to be printed."""

    trace: model.Trace
    match: model.Match
    logical: model.LogicalTrace
    """`trace`, `match` and `logical`: the trace, what its directions are named by, and
    the logical trace."""

    def __str__(self) -> str:
        """Write it as ``topoview logical`` does."""
        from topoview.logical.listing import listing

        return listing(self.logical)

    def __repr__(self) -> str:
        """Return in a line what it is."""
        return (
            f"<logical trace of {self.trace.name}: {self.logical.listed} "
            f"statements, {self.logical.ranks_verified} ranks exact>"
        )

    def _repr_html_(self) -> str:
        """Show the listing in a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def expand(self, rank: int) -> list[ExpandedCall]:
        """List what it says that a rank does, in program order."""
        from topoview.logical.expansion import expand

        return expand(self.logical, rank)
