"""A profile as tables: time by function, by state, by rank; as text, and as JSON.

Imbalance is how much the rank with most time has above the mean of all ranks, as a
share of it: ``most / mean - 1`` (Pearce, Gamblin, de Supinski, Schulz, Amato 2012,
"Quantifying the effectiveness of load balance algorithms", section 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from topoview.base.text import duration_text, tr
from topoview.model import (
    CLASS_NAMES,
    GROUP_TEXTS,
    SPAN_TEXTS,
    Column,
    ColumnData,
    Floats,
    Ints,
    Profile,
    Schema,
    Span,
    Table,
    TimeState,
    Trace,
    class_name,
    group_of_class,
    words,
)

if TYPE_CHECKING:  # whoever takes a table needs no pages
    from topoview.report.blocks import Block, Page, TableBlock

MAX_RANKS_SHOWN: Final = 16
"""Ranks that the text lists; ``--by rank`` lists all."""

PROFILE: Final = Schema(
    Column("name", "", tr("name"), tr("MPI function, or state")),
    Column("calls", "", tr("calls"), tr("Calls that began in the time that counts")),
    Column(
        "seconds",
        "s",
        tr("time"),
        tr("Time of all ranks together, as far as it lies in the time that counts"),
        bar=True,
    ),
    Column("share", "share", tr("share"), tr("Share of the time of all ranks")),
    Column(
        "mean_seconds",
        "s",
        tr("mean"),
        tr("Mean time of a call; of a rank for a state"),
    ),
    Column(
        "least_seconds",
        "s",
        tr("least"),
        tr("Time of the rank that spends least in it"),
    ),
    Column("least_rank", "#", tr("least on"), link="rank"),
    Column(
        "most_seconds", "s", tr("most"), tr("Time of the rank that spends most in it")
    ),
    Column("most_rank", "#", tr("most on"), link="rank"),
    Column(
        "imbalance",
        "share",
        tr("imbalance"),
        tr("What the rank with most time has above the mean of all ranks"),
    ),
    Column(
        "wait_seconds",
        "s",
        tr("wait"),
        tr("What its calls waited for late partners"),
        sparse=True,
    ),
    Column(
        "caused_seconds",
        "s",
        tr("caused"),
        tr(
            "What others waited because of these calls and what was computed before "
            "them"
        ),
        sparse=True,
    ),
)

BY_RANK: Final = Schema(
    Column("rank", "#", tr("rank"), link="rank"),
    Column("function", "", tr("function"), tr("MPI function")),
    Column("seconds", "s", tr("time")),
    Column("calls", "", tr("calls")),
)


KIND_TEXTS: Final = {
    "late_sender": tr("late sender"),
    "late_receiver": tr("late receiver"),
    "wait_at_barrier": tr("wait at barrier"),
    "wait_at_nxn": tr("wait at N x N"),
    "late_broadcast": tr("late broadcast"),
    "early_reduce": tr("early reduce"),
    "early_scan": tr("early scan"),
    "wait_at_fence": tr("wait at fence"),
    "wait_at_create": tr("wait at create of a window"),
    "wait_at_free": tr("wait at free of a window"),
    "late_post": tr("late post"),
    "early_wait": tr("early wait"),
    "lock_contention": tr("lock contention"),
    "wait_at_io": tr("wait at collective I/O"),
    "wait_at_setup": tr("wait at a new communicator"),
}
"""What readers see for the kinds of waits."""

CLASS_TEXTS: Final = {
    **{class_name(state): state.label for state in TimeState},
    **KIND_TEXTS,
    class_name(TimeState.OUTSIDE, device=True): tr("idle"),
}
"""What readers see for classes."""

ACCOUNT: Final = Schema(
    Column(
        "class", "", tr("class"), tr("What the time is spent on"), codes=CLASS_TEXTS
    ),
    Column(
        "group",
        "",
        tr("group"),
        tr("What the class belongs to"),
        codes={name: tr(text).lower() for name, text in GROUP_TEXTS.items()},
    ),
    Column("seconds", "s", tr("time"), tr("Time of all ranks together"), bar=True),
    Column("share", "share", tr("share"), tr("Share of the time of all ranks")),
    Column(
        "most_seconds", "s", tr("most"), tr("Time of the rank that spends most in it")
    ),
    Column("most_rank", "#", tr("most on"), link="rank"),
)


GROUPS: Final = Schema(*(c for c in ACCOUNT if c.name != "class"))


def account_table(
    trace: Trace, profile: Profile, ranks: Ints | None = None, kind: str = "rank"
) -> Table:
    """Return the time in each class, by group, most time first; it sums to 100 %.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that count, all if None.
    kind
        ``rank`` for their main threads, else the kind of their further locations:
        ``thread``, ``accelerator``.
    """
    rows = np.arange(trace.ranks) if kind == "rank" else trace.further_rows(kind)
    of = trace.rank_of_location[rows]
    if ranks is not None:
        rows, of = rows[np.isin(of, ranks)], of[np.isin(of, ranks)]
    ticks = profile.class_ticks[rows]
    total = ticks.sum(axis=0, dtype=np.float64)
    groups = list(GROUP_TEXTS)
    codes = profile.classes.tolist()
    place = np.array([groups.index(group_of_class(code)) for code in codes], np.int64)
    order = np.lexsort((-total, place))
    order = order[total[order] > 0]
    second, is_device = trace.clock.resolution, kind == "accelerator"
    most = ticks[:, order].argmax(axis=0) if len(rows) else order[:0]
    return Table(
        ACCOUNT,
        {
            "class": words([class_name(codes[k], device=is_device) for k in order]),
            "group": words([groups[place[k]] for k in order]),
            "seconds": total[order] / second,
            "share": total[order] / max(total.sum(), 1),
            "most_seconds": ticks[most, order] / second,
            "most_rank": of[most],
        },
    )


def group_table(trace: Trace, profile: Profile, ranks: Ints | None = None) -> Table:
    """Return the time of main threads in each group of classes, useful time first."""
    rows = np.arange(trace.ranks) if ranks is None else ranks
    codes = profile.classes.tolist()
    groups = [name for name in GROUP_TEXTS if name in map(group_of_class, codes)]
    ticks = np.zeros((len(rows), len(groups)), np.int64)
    for column, code in enumerate(codes):
        of = groups.index(group_of_class(code))
        ticks[:, of] += profile.class_ticks[rows, column]
    total, most = ticks.sum(axis=0, dtype=np.float64), ticks.argmax(axis=0)
    columns, second = np.arange(len(groups)), trace.clock.resolution
    return Table(
        GROUPS,
        {
            "group": words(groups),
            "seconds": total / second,
            "share": total / max(total.sum(), 1),
            "most_seconds": ticks[most, columns] / second,
            "most_rank": rows[most],
        },
    )


def account_record(
    trace: Trace, profile: Profile, ranks: Ints | None = None
) -> dict[str, Any]:
    """Return the account as JSON-able values: seconds by class, and their span."""

    def seconds(kind: str) -> dict[str, float]:
        table = account_table(trace, profile, ranks, kind)
        return dict(zip(table["class"], table["seconds"].tolist(), strict=True))

    return {
        "span": span_record(trace, profile.span),
        "account": seconds("rank"),
        "account_of_threads": seconds("thread"),
        "account_of_devices": seconds("accelerator"),
    }


def other_waits_record(
    trace: Trace, profile: Profile, ranks: Ints | None = None
) -> dict[str, Any]:
    """Return what main threads waited for other than ranks, and the span, for JSON."""
    return {
        "span": span_record(trace, profile.span),
        "gpu_seconds": _seconds_in(trace, profile, ranks, TimeState.WAIT_FOR_GPU),
        "threads_seconds": _seconds_in(
            trace, profile, ranks, TimeState.WAIT_FOR_THREADS
        ),
    }


def other_waits_blocks(
    trace: Trace, profile: Profile, ranks: Ints | None = None
) -> tuple[Block, ...]:
    """Show what main threads waited for other than ranks; nothing if they did not."""
    from topoview.report.blocks import Paragraph

    gpu = _seconds_in(trace, profile, ranks, TimeState.WAIT_FOR_GPU)
    threads = _seconds_in(trace, profile, ranks, TimeState.WAIT_FOR_THREADS)
    waits = [f"{duration_text(gpu)} for GPUs"] * (gpu > 0)
    waits += [f"{duration_text(threads)} for threads"] * (threads > 0)
    text = f"They also waited {' and '.join(waits)}."
    return (Paragraph(text),) if waits else ()


def _seconds_in(
    trace: Trace, profile: Profile, ranks: Ints | None, state: TimeState
) -> float:
    ticks = _of_ranks(profile.state_ticks, ranks)[:, state]
    return float(ticks.sum() / trace.clock.resolution)


def span_record(trace: Trace, span: Span) -> dict[str, Any]:
    """Return a span as JSON-able values, in seconds."""
    begin, end = (trace.clock.seconds(ticks) for ticks in span.window)
    return {"name": span.name, "begin": begin, "end": end}


def span_line(trace: Trace, span: Span) -> str:
    """Return a span as a line above numbers: ``Span: exchange, 0.12 to 3.4 s``."""
    return tr("Span: {span}", span=span_text(trace, span))


def span_text(trace: Trace, span: Span) -> str:
    """Return a span in words: ``exchange, 0.12 to 3.4 s``."""
    begin, end = (trace.clock.seconds(ticks) for ticks in span.window)
    return tr(
        "{name}, {begin} to {end} s",
        name=tr(SPAN_TEXTS[span.name]),
        begin=f"{begin:.6g}",
        end=f"{end:.6g}",
    )


def function_table(
    trace: Trace,
    profile: Profile,
    ranks: Ints | None = None,
    waits: Sequence[Mapping[str, int]] = (),
) -> Table:
    """Return time and calls by MPI function, most time first.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that count, all if None.
    waits
        Ticks that calls of each function waited, and that others waited because of
        them, where that is known.
    """
    calls = _of_ranks(profile.calls, ranks).sum(axis=0)
    ticks = _of_ranks(profile.ticks, ranks)
    used = np.flatnonzero(calls + ticks.sum(axis=0))  # some began before the span
    ticks = ticks[:, used]
    names = [profile.operations[place] for place in used.tolist()]
    whole = int(_of_ranks(profile.state_ticks, ranks).sum())
    second, further = trace.clock.resolution, dict[str, ColumnData]()
    for key, waited in zip(("wait_seconds", "caused_seconds"), waits, strict=False):
        further[key] = np.array([waited.get(name, np.nan) for name in names]) / second
    return _sums(names, calls[used], ticks, whole, second, ranks, further)


def state_table(trace: Trace, profile: Profile, ranks: Ints | None = None) -> Table:
    """Return the time that ranks are in each state, most time first."""
    ticks = _of_ranks(profile.state_ticks, ranks)
    used = np.flatnonzero(ticks.any(axis=0))
    names = [TimeState(state).label for state in used.tolist()]
    whole, second = int(ticks.sum()), trace.clock.resolution
    return _sums(names, None, ticks[:, used], whole, second, ranks, {})


def _of_ranks(table: Ints, ranks: Ints | None) -> Ints:
    return table if ranks is None else table[ranks]


def _sums(  # noqa: PLR0913
    names: list[str],
    calls: Ints | None,
    ticks: Ints,
    whole: int,
    second: int,
    ranks: Ints | None,
    further: Mapping[str, ColumnData],
) -> Table:
    """Return sums over ranks; `ticks` has a row a rank and a column a name."""
    total = ticks.sum(axis=0)
    count = np.full(len(names), len(ticks)) if calls is None else calls
    number = np.arange(len(ticks)) if ranks is None else ranks
    least, most = ticks.argmin(axis=0), ticks.argmax(axis=0)
    seconds: Floats = ticks / second
    columns = np.arange(len(names))
    table = Table(
        PROFILE,
        {
            "name": words(names),
            **({} if calls is None else {"calls": calls}),
            "seconds": total / second,
            "share": total / max(whole, 1),
            "mean_seconds": total / second / np.maximum(count, 1),
            "least_seconds": seconds[least, columns],
            "least_rank": number[least],
            "most_seconds": seconds[most, columns],
            "most_rank": number[most],
            "imbalance": np.where(
                total, ticks[most, columns] * len(ticks) / np.maximum(total, 1) - 1, 0.0
            ),
            **further,
        },
    )
    return table.take(np.argsort(-total, kind="stable"))


def rank_function_table(
    trace: Trace, profile: Profile, ranks: Ints | None = None
) -> Table:
    """Return time and calls by MPI function of each rank apart."""
    names = list(function_table(trace, profile, ranks)["name"])
    codes = [profile.operations.index(name) for name in names]
    ticks = _of_ranks(profile.ticks, ranks)[:, codes]
    row, place = np.indices(ticks.shape, np.int32).reshape(2, -1)
    return Table(
        BY_RANK,
        {
            "rank": row if ranks is None else ranks[row],
            "function": (place, names),
            "seconds": ticks.ravel() / trace.clock.resolution,
            "calls": _of_ranks(profile.calls, ranks)[:, codes].ravel(),
        },
    )


STATES_BY_LABEL: Final = {state.label: int(state) for state in TimeState}
CLASSES_BY_NAME: Final = {name: code for code, name in enumerate(CLASS_NAMES)}


def rank_table(trace: Trace, profile: Profile, ranks: Ints | None = None) -> Table:
    """Return the MPI calls and the time in each state of every rank: a row a rank."""
    states = state_table(trace, profile, ranks)["name"].tolist()
    rows = np.arange(trace.ranks) if ranks is None else ranks
    schema = Schema(
        Column("rank", "#", tr("rank"), link="rank"),
        Column("calls", "", tr("calls")),
        *(Column(state, "s") for state in states),
    )
    seconds = profile.state_ticks[rows] / trace.clock.resolution
    return Table(
        schema,
        {
            "rank": rows,
            "calls": profile.calls[rows].sum(axis=1),
            **{state: seconds[:, STATES_BY_LABEL[state]] for state in states},
        },
    )


TABLES: Final[dict[str, Callable[[Trace, Profile, Ints | None], Table]]] = {
    "class": account_table,
    "function": function_table,
    "state": state_table,
    "rank": rank_table,
    "rank-function": rank_function_table,
}
"""What ``topoview profile --by`` lists."""


def state_of_function(trace: Trace, name: str) -> TimeState:
    """Return the state that ranks are in during an MPI function."""
    regions = trace.regions
    if name not in regions.operations:
        return TimeState.SETUP
    first = np.flatnonzero(regions.operation == regions.operations.index(name))
    return TimeState(int(regions.state[first[0]])) if len(first) else TimeState.SETUP


def profile_record(
    trace: Trace, profile: Profile, ranks: Ints | None = None
) -> dict[str, Any]:
    """Return a profile as JSON-able values: what ``topoview profile`` prints.

    Times are seconds. Lists by rank are in the order of ranks, of those that count if
    not all do; names are in the order of their time, most first.
    """
    rows = slice(None) if ranks is None else ranks
    second = trace.clock.resolution
    functions: dict[str, Any] = {}
    states: dict[str, Any] = {}
    for row in function_table(trace, profile, ranks):
        name = row.pop("name")
        column = profile.operations.index(name)
        functions[f"MPI_{name}"] = {
            **row,
            "calls_by_rank": profile.calls[rows, column].tolist(),
            "seconds_by_rank": (profile.ticks[rows, column] / second).tolist(),
        }
    for row in state_table(trace, profile, ranks):
        name = row.pop("name")
        ticks = profile.state_ticks[rows, STATES_BY_LABEL[name]]
        states[name] = {**row, "seconds_by_rank": (ticks / second).tolist()}
    return {
        "ranks": trace.ranks,
        "duration_seconds": trace.clock.seconds(trace.clock.length),
        **account_record(trace, profile, ranks),
        "functions": functions,
        "states": states,
    }


def account_blocks(
    trace: Trace, profile: Profile, ranks: Ints | None = None, *, named: bool = False
) -> tuple[TableBlock, ...]:
    """Return a table of the account of main threads, of further threads, of devices."""
    from topoview.report.blocks import table_block

    span = span_text(trace, profile.span)
    captions = {
        "rank": f"Where the time of the ranks goes ({span}).",
        "thread": "Where the time of further threads goes.",
        "accelerator": "Where the time of devices goes.",
    }
    return tuple(
        table_block(
            f"account-{kind}",
            caption,
            account_table(trace, profile, ranks, kind),
            named=named,
        )
        for kind, caption in captions.items()
        if kind == "rank" or len(trace.further_rows(kind))
    )


def profile_page(trace: Trace, profile: Profile, ranks: Ints | None = None) -> Page:
    """Return a profile: the account, by function, by rank."""
    from topoview.report.blocks import Heading, Page, Paragraph, shown, table_block

    inputs = trace, profile, ranks
    by_rank = rank_table(*inputs)
    rest = max(len(by_rank) - MAX_RANKS_SHOWN, 0)
    blocks: tuple[Block, ...] = (
        Paragraph(span_line(trace, profile.span)),
        Heading(""),
        table_block("groups", "", group_table(*inputs), named=True),
        *account_blocks(*inputs, named=True),
        table_block("functions", "MPI functions.", function_table(*inputs), named=True),
        table_block(
            "ranks",
            "The ranks; --by rank lists all." if rest else "The ranks.",
            by_rank.head(MAX_RANKS_SHOWN),
            named=True,
            rest=rest,
        ),
    )
    return Page(blocks=shown(blocks, {}))
