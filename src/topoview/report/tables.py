"""Results as tables for pandas and Arrow, with names and seconds; and to print."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from topoview.base.extras import need
from topoview.base.text import (
    csv_text,
    duration_text,
    grouped,
    rate_text,
    share_text,
    size_text,
)
from topoview.errors import TopoviewError, writing
from topoview.logical.expansion import ExpandedCall, expand
from topoview.logical.listing import listing
from topoview.model import (
    WAIT_KINDS,
    Column,
    CommunicationMatrix,
    Delays,
    Efficiencies,
    Efficiency,
    EfficiencySeries,
    LogicalTrace,
    Match,
    Profile,
    Table,
    Trace,
    WaitStates,
    WaitSums,
    named,
)
from topoview.report.profile import ProfileRow, function_rows, state_rows


def profile_table(
    trace: Trace, profile: Profile, *, states: bool = False, ranks: bool = False
) -> Table:
    """Tell time and calls by MPI function, most time first.

    Parameters
    ----------
    states
        By state instead.
    ranks
        For each rank apart.
    """
    rows = state_rows(profile) if states else function_rows(trace, profile)
    names = [row.name for row in rows]
    if ranks:
        return _table_of_ranks(trace, profile, rows, names, states)
    seconds = {
        key: np.array([getattr(row, key) for row in rows]) / trace.clock.resolution
        for key in ("ticks", "mean", "least", "most")
    }
    plain = {
        key: np.array([getattr(row, key) for row in rows])
        for key in ("calls", "share", "least_rank", "most_rank", "imbalance")
    }
    found: dict[str, Column] = {
        "name": (np.arange(len(rows), dtype=np.int32), names),
        "calls": plain.pop("calls"),
        "seconds": seconds.pop("ticks"),
        **seconds,
        **plain,
    }
    if states:
        del found["calls"]
    return Table(found)


def _table_of_ranks(
    trace: Trace,
    profile: Profile,
    rows: Sequence[ProfileRow],
    names: list[str],
    states: bool,
) -> Table:
    columns = [row.column for row in rows]
    ticks = (profile.state_ticks if states else profile.ticks)[:, columns]
    number, place = np.indices(ticks.shape, np.int32).reshape(2, -1)
    found: dict[str, Column] = {
        "rank": number,
        "name": (place, names),
        "seconds": ticks.ravel() / trace.clock.resolution,
    }
    if not states:
        found["calls"] = profile.calls[:, columns].ravel()
    return Table(found)


def waits_table(trace: Trace, waits: WaitStates) -> Table:
    """List the calls that waited for another rank: for whom, and how long."""
    calls, last = trace.calls, int(trace.calls.offsets[trace.ranks])
    late = np.minimum(waits.until, calls.leave)[:last] - calls.enter[:last]
    call = np.flatnonzero((waits.until[:last] >= 0) & (late > 0))
    region, ticks = calls.region[call], trace.clock.resolution
    names = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    rank = np.searchsorted(calls.offsets, call, side="right") - 1
    return Table(
        {
            "call": call,
            "rank": rank.astype(np.int32),
            "name": named(region, names),
            "begin": calls.enter[call] / ticks,
            "seconds": late[call] / ticks,
            "cause": waits.whom[call],
        }
    )


def not_aligned(trace: Trace) -> TopoviewError:
    """Say that nothing can be told of waits."""
    return TopoviewError(
        f"{trace.name} has no wait states: the clocks of its ranks cannot be aligned"
    )


def wait_sums_table(trace: Trace, sums: WaitSums, by: str) -> Table:
    """List waiting in total, by what `WAIT_SUMS` names, in order of its rows.

    Where the clocks were aligned ``least_seconds`` and ``most_seconds`` are bounds.
    """
    told = WAIT_GROUPS[by](trace, sums)
    ticks, second = told.pop("ticks"), trace.clock.resolution
    assert not isinstance(ticks, tuple)
    found = {**told, "seconds": ticks / second}
    if trace.clock.alignment is not None:
        least, most = sums.between[by] / second
        found |= {"least_seconds": least, "most_seconds": most}
    return Table(found)


def _names(names: Sequence[str]) -> Column:
    return np.arange(len(names), dtype=np.int32), list(names)


def _pairs(trace: Trace, sums: WaitSums) -> dict[str, Column]:
    del trace
    return {
        "rank": sums.pair_rank,
        "cause": sums.pair_whom,
        "calls": sums.pair_calls,
        "ticks": sums.pair_ticks,
    }


WAIT_GROUPS: Final[dict[str, Callable[[Trace, WaitSums], dict[str, Column]]]] = {
    "kind": lambda _, sums: {
        "kind": _names(WAIT_KINDS),
        "ticks": sums.suffered.sum(axis=1),
    },
    "rank": lambda trace, sums: {
        "rank": np.arange(trace.ranks),
        "ticks": sums.suffered.sum(axis=0),
    },
    "cause": lambda trace, sums: {
        "cause": np.arange(trace.ranks),
        "ticks": sums.held_up.sum(axis=0),
    },
    "pair": _pairs,
    "direction": lambda _, sums: {
        "direction": _names(sums.directions),
        "ticks": sums.by_direction,
    },
    "statement": lambda _, sums: {
        "statement": np.arange(len(sums.by_statement)),
        "ticks": sums.by_statement,
    },
    "communicator": lambda trace, sums: {
        "communicator": _names([one.name for one in trace.communicators]),
        "ticks": sums.by_communicator,
    },
    "phase": lambda _, sums: {"phase": _names(sums.phases), "ticks": sums.by_phase},
    "iteration": lambda _, sums: {
        "iteration": np.arange(len(sums.by_iteration)),
        "ticks": sums.by_iteration,
    },
}
"""What waiting can be summed up by: columns, of which ``ticks`` is how long."""


EFFICIENCY_NAMES: Final = tuple(field.name for field in fields(Efficiency))

EFFICIENCY_PARTS: Final = ("iteration", "phase", "plane", "time")
"""Parts of a run that efficiencies are told of."""


def efficiency_table(trace: Trace, found: Efficiencies, by: str) -> Table:
    """List the efficiencies of all parts of a kind in `EFFICIENCY_PARTS`."""
    second = trace.clock.resolution
    parts: dict[str, tuple[EfficiencySeries, dict[str, Column]]] = {
        "iteration": (
            found.by_iteration,
            {"iteration": np.arange(1, len(found.by_iteration) + 1)},
        ),
        "phase": (found.by_phase, {"phase": _names(found.phases)}),
        "plane": (found.by_plane, {"plane": _names(found.planes)}),
        "time": (found.over_time, {"begin": found.stretches[:-1] / second}),
    }
    series, named_by = parts[by]
    return Table({**named_by, "seconds": series.run / second, **series.columns()})


def delays_table(trace: Trace, delays: Delays | None) -> Table:
    """List delays, costliest first: the fields of ``topoview idle-waves``."""
    if delays is None:
        return Table({})
    second, between = trace.clock.resolution, {}
    if delays.between:
        least, most = delays.between["delay"] / second
        between = {"least_caused_seconds": least, "most_caused_seconds": most}
    return Table(
        {
            "rank": delays.rank,
            "begin": delays.begin / second,
            "end": delays.end / second,
            "seconds": delays.excess / second,
            "name": named(
                delays.region,
                [trace.regions.title(n) for n in range(len(trace.regions.names))],
            ),
            "iteration": delays.iteration,
            "caused_seconds": delays.caused / second,
            "ranks_reached": delays.reached,
            "hops_per_iteration": delays.hops_per_iteration,
            "hops_per_second": delays.hops_per_second,
            "decay_seconds_per_hop": delays.decay,
            **between,
        }
    )


@dataclass(frozen=True, slots=True, eq=False)
class LogicalProgram:
    """The logical trace of a program, to be printed."""

    trace: Trace
    match: Match
    logical: LogicalTrace
    """`trace`, `match` and `logical`: the trace, what its directions are named by, and
    the logical trace."""

    def __str__(self) -> str:
        """Write it as ``topoview logical`` does."""
        return listing(self.logical)

    def __repr__(self) -> str:
        """Tell in a line what it is."""
        return (
            f"<logical trace of {self.trace.name}: {self.logical.statements} "
            f"statements, {self.logical.ranks_verified} ranks exact>"
        )

    def expand(self, rank: int) -> list[ExpandedCall]:
        """List what it says that a rank does, in program order."""
        return expand(self.logical, rank)


_DURATIONS: Final = frozenset({"seconds", "wait", "mpi", "spread", "slowest", "mean"})
"""Columns of times, in any table; also what is told of their spread: one of the words
of their name is ``seconds`` or the first one ``spread``."""


def _is_duration(name: str) -> bool:
    words = name.split("_")
    return name in _DURATIONS or "seconds" in words or words[0] == "spread"


_RANKS: Final = {-1: "", -2: "several"}
"""What stands for no rank or tag, and for more than one."""


def table_record(table: Table) -> list[dict[str, Any]]:
    """Give the rows of a table as JSON has them: NaN is null, names are written out."""
    names = list(table.data)
    return [dict(zip(names, row, strict=True)) for row in table_rows(table)]


def table_rows(table: Table) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a table: names written out, None for what is not known."""
    columns = []
    for column in table.data.values():
        if isinstance(column, tuple):
            words = [*column[1], None]
            columns.append([words[place] for place in column[0].tolist()])
        else:
            told = column.tolist()
            is_real = column.dtype.kind == "f"
            columns.append([None if v != v else v for v in told] if is_real else told)
    return zip(*columns, strict=True)


def table_text(table: Table, rows: int) -> str:
    """Write the first rows of a table in columns, with units."""
    names = list(table.data)
    written = [cell_writer(name) for name in names]
    lines = [names]
    for row in table_rows(table.take(slice(rows))):
        lines.append([write(v) for write, v in zip(written, row, strict=True)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    is_text = [isinstance(column, tuple) for column in table.data.values()]
    text = [
        "  ".join(
            word.ljust(width) if left else word.rjust(width)
            for word, width, left in zip(line, widths, is_text, strict=True)
        ).rstrip()
        for line in lines
    ]
    if len(table) > rows:
        text.append(f"{grouped(len(table) - rows)} more: see --limit, --csv, --json")
    return "\n".join(text)


def cell_writer(name: str) -> Callable[[Any], str]:
    """Give what writes the numbers of a column, by its name: with its unit."""

    def write(value: Any) -> str:  # noqa: ANN401 - a number, a word or nothing
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, str):
            return value
        if name in _MOMENTS:
            return f"{value:.6f} s"
        if _is_duration(name):
            return duration_text(value)
        if name in _WRITERS:
            return _WRITERS[name](value)
        if name.partition("_")[0] == "bytes":
            return size_text(value)
        if name in _SHARES:
            return share_text(value)
        return _RANKS.get(value, str(value))

    return write


_WRITERS: Final[dict[str, Callable[[float], str]]] = {
    "mean_bytes": lambda number: size_text(round(number)),
    "bytes_per_second": lambda number: f"{size_text(number)}/s",
    "calls_per_second": rate_text,
    "hops": lambda number: f"{number:.2f}",
    "correlation": lambda number: f"{number:.2f}",
}
_SHARES: Final = frozenset({"share", "balance", *EFFICIENCY_NAMES})
_MOMENTS: Final = frozenset({"begin", "end", "sent", "received"})
"""Columns of times since the trace's beginning."""


def write_csv(table: Table, path: str) -> None:
    """Write a table with a line of names; to stdout if the path is ``-``.

    Raises
    ------
    TopoviewError
        If the file cannot be written.
    """
    text = csv_text(table.data, table_rows(table))
    if path == "-":
        sys.stdout.write(text)
        return
    with writing(path):
        Path(path).write_text(text, "utf-8")


def write_parquet(table: Table, path: Path) -> None:
    """Write a table as a Parquet file.

    Raises
    ------
    TopoviewError
        If it cannot be written, or pyarrow is not installed.
    """
    need("tables", "pyarrow")
    from pyarrow import parquet

    with writing(path):
        parquet.write_table(table.to_arrow(), path)


def write_graph(matrix: CommunicationMatrix, path: Path) -> None:
    """Write a matrix as GraphML: ranks are nodes, edges have its other columns.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(matrix.ranks))
    columns = {name: column.tolist() for name, column in matrix.columns().items()}
    ends = zip(columns.pop("sender"), columns.pop("receiver"), strict=True)
    rows = zip(*columns.values(), strict=True)
    for pair, row in zip(ends, rows, strict=True):
        graph.add_edge(*pair, **dict(zip(columns, row, strict=True)))
    with writing(path):
        nx.write_graphml(graph, path)


def write_sparse(matrix: CommunicationMatrix, path: Path) -> None:
    """Write a matrix as the parts of SciPy's CSR arrays: an ``.npz`` file.

    It holds ``indptr, indices, shape``, the data ``calls`` and ``bytes``, and
    ``seconds``, how long what was counted took; of waits
    ``waits_indptr, waits_indices, wait_seconds``.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    calls, waits = matrix.calls, matrix.waits
    more: dict[str, Any] = {}
    if waits is not None:
        more = {"waits_indptr": waits.indptr, "waits_indices": waits.indices}
        more |= {"wait_seconds": waits.data}
    with writing(path), path.open("wb") as file:
        np.savez_compressed(
            file,
            **more,
            indptr=calls.indptr,
            indices=calls.indices,
            shape=np.array(calls.shape),
            calls=calls.data,
            bytes=matrix.volume.data,
            seconds=matrix.seconds,
        )
