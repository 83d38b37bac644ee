"""A program for one rank of each class, told of every rank: some ranks at a time.

Statements of calls and the time spent in them, partners and calls without a rule, and
whether the calls are those that the program expands to.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from topoview.base.progress import Report, silent
from topoview.base.text import plural
from topoview.grouping import index_in_run, run_offsets, sums_by_owner
from topoview.logical.assembly import PlaceTree
from topoview.logical.calls.call_table import CallTable
from topoview.logical.calls.operations import LOCKING, ONE_SIDED, is_one_of
from topoview.logical.functions.nesting import Nesting
from topoview.logical.merge.classes import RankClasses
from topoview.logical.scripts import join_scripts, write_scripts
from topoview.logical.statements import WRITING, write_peers
from topoview.logical.verification import MAX_DIFFERENCES_NOTED, verify
from topoview.model import (
    Bools,
    Ints,
    LogicalTrace,
    RanksTold,
    Regions,
    SideTable,
    Trace,
)

MAX_KINDS_LISTED = 8
"""Kinds of calls that are told one by one."""


class OfExamples(NamedTuple):
    """What was found for the rows of a rank of each class."""

    classes: RankClasses
    """The classes."""
    frame: PlaceTree
    """Statement of each row."""
    held: Bools
    """bool, shape (rows,): whether the maximal process makes each call, too."""
    scripted: Bools
    """bool, shape (statements,): statements that stand for calls without a rule."""
    shifting: tuple[Bools, Bools]
    """two of bool, shape (statements,): statements that send to several partners in
    turn, and that receive so."""


def tell_ranks(
    trace: Trace,
    rows: CallTable,
    of_examples: OfExamples,
    logical: LogicalTrace,
    report: Report = silent,
) -> RanksTold:
    """Expand a program for some ranks.

    Parameters
    ----------
    rows
        Their rows.
    logical
        The program; of it nothing is read that is told of every rank.

    Returns
    -------
    RanksTold
        With the statements of calls of main threads only.
    """
    report(WRITING, 0.7)
    frame, classes, ranks = of_examples.frame, of_examples.classes, trace.ranks
    own = len(rows.offsets) - 1
    first, last = trace.calls.offsets[[rows.first, rows.first + own]].tolist()
    example = classes.rows_of(rows, frame.rows)
    place, visit = frame.place[example], frame.visit[example]
    held = of_examples.held[example]
    of_call = np.full(last - first, -1, np.int32)
    has = np.flatnonzero(place >= 0)[::-1]  # a call's first row that has one
    of_call[rows.call[has] - first] = place[has]
    polls, stands = (rows.polled - first).T
    of_call[polls] = of_call[stands]
    some = of_call >= 0
    spent = trace.calls.leave[first:last][some] - trace.calls.enter[first:last][some]
    ticks = sums_by_owner(of_call[some].astype(np.int64), spent, logical.statements)
    made = np.zeros(last - first, bool)
    made[rows.call[held] - first] = True
    made[polls] = made[stands]
    sends = rows.receiver >= 0
    sent = np.where(sends, rows.size, 0)
    unsided = ~is_one_of(trace.regions, ONE_SIDED | LOCKING)[rows.symbols.operation]
    whole = sends & (place >= 0) & (rows.size >= 0) & unsided[rows.symbol]
    out = np.flatnonzero(place < 0)
    symbols, symbol = len(rows.symbols), rows.symbol[out]
    rank = rows.first + np.searchsorted(rows.offsets[1:], out, side="right")
    makes = np.unique(symbol * ranks + rank) // max(ranks, 1)
    plain = np.where(np.append(of_examples.scripted, False)[place], -1, place)
    peers = write_peers(rows, plain, of_examples.shifting, report)
    scripts = write_scripts(trace, rows, frame, (place, visit), of_examples.scripted)
    checked = replace(
        logical,
        peers=join_tables([(rows.first, peers)], ranks),
        scripts=join_scripts([(rows.first, scripts)], ranks),
    )
    verdict = verify(checked, rows, trace.regions, report)
    return RanksTold(
        first=rows.first,
        ranks=own,
        of_call=of_call,
        ticks=ticks,
        peers=peers,
        scripts=scripts,
        verified=int(verdict.exact.sum()),
        differs=verdict.differs,
        calls=rows.calls,
        held=int(np.sum(of_call >= 0)),
        null=rows.null,
        polled=len(rows.polled),
        held_bytes=int(rows.size[whole].sum()),
        maximal_calls=int(made.sum()),
        maximal_bytes=int(sent[held].sum()),
        bytes_sent=int(sent.sum()),
        left_out=np.bincount(symbol, minlength=symbols),
        left_out_ranks=np.bincount(makes, minlength=symbols),
    )


def join_told(
    ranks_told: Sequence[RanksTold], _regions: Regions | None = None
) -> RanksTold:
    """Join what is told of neighbouring ranks, in their order."""
    first, ranks = ranks_told[0].first, sum(one.ranks for one in ranks_told)
    begins = [one.first - first for one in ranks_told]
    peers = [one.peers for one in ranks_told]
    scripts = [one.scripts for one in ranks_told]
    added = {
        name: sum(getattr(one, name) for one in ranks_told) for name in _ADDED_OF_RANKS
    }
    return RanksTold(
        first=first,
        ranks=ranks,
        of_call=np.concatenate([one.of_call for one in ranks_told]),
        peers=join_tables(list(zip(begins, peers, strict=True)), ranks),
        scripts=join_scripts(list(zip(begins, scripts, strict=True)), ranks),
        differs=tuple(said for one in ranks_told for said in one.differs)[
            :MAX_DIFFERENCES_NOTED
        ],
        **added,
    )


_ADDED_OF_RANKS = frozenset(field.name for field in fields(RanksTold)) - {
    "first",
    "ranks",
    "of_call",
    "peers",
    "scripts",
    "differs",
}
"""What is told of ranks that is added up."""


def join_tables(parts: Sequence[tuple[int, SideTable]], ranks: int) -> SideTable:
    """Join tables of some ranks each, told with the first of them; others have none."""
    table = parts[0][1]
    cells = [(first, one.offsets) for first, one in parts]
    offsets, entry = _joined_cells(cells, len(table.statement), ranks)
    values = np.concatenate([one.values for _, one in parts])[entry]
    return replace(table, offsets=offsets, values=values)


def _joined_cells(
    parts: Sequence[tuple[int, Ints]], columns: int, ranks: int
) -> tuple[Ints, Ints]:
    """Join the cells of some ranks each, told with the first of them and as offsets.

    Returns
    -------
    int64, shape (columns * ranks + 1,), and int64, shape (entries,)
        Offsets of all cells, and where each entry is among those of one part after the
        other.
    """
    begins, counts = np.zeros((2, columns, ranks), np.int64)
    before = 0
    for first, offsets in parts:
        width = (len(offsets) - 1) // max(columns, 1)
        some = slice(first, first + width)
        begins[:, some] = before + offsets[:-1].reshape(columns, width)
        counts[:, some] = np.diff(offsets).reshape(columns, width)
        before += int(offsets[-1])
    entries = index_in_run(counts.ravel())
    entries += np.repeat(begins.ravel(), counts.ravel())
    return run_offsets(counts.ravel()), entries


# What a logical trace does not show, in words.


def omission_notes(
    trace: Trace,
    ranks_told: RanksTold,
    examples: CallTable,
    elsewhere: int,
    logical: LogicalTrace,
) -> tuple[str, ...]:
    """Describe what a logical trace leaves out.

    Parameters
    ----------
    examples
        Rows whose symbols all rows have.
    elsewhere
        Calls of other threads.
    logical
        The logical trace, but for its notes.
    """
    said = _left_out_notes(trace, ranks_told, examples)
    null, polled = ranks_told.null, ranks_told.polled
    if elsewhere:
        said.append(f"left out: {plural(elsewhere, 'call')} of other threads")
    if null:
        lost = trace.health is not None and trace.health.dropped
        said.append(
            f"{plural(null, 'call')} with MPI_PROC_NULL, or a partner that is "
            "not known, listed without one"
            if lost
            else f"{plural(null, 'call')} with MPI_PROC_NULL sent nothing"
        )
    if polled:
        said.append(f"{plural(polled, 'repeated poll')} not shown")
    if len(logical.peers.values):
        kinds = len(np.unique(logical.peers.statement))
        said.append(
            f"{plural(kinds, 'statement')} with partners in order of arrival, which "
            "is kept aside"
        )
    said += ranks_told.differs
    return tuple(said)


def uneven_visit_note(
    trace: Trace, uneven: Sequence[int], logical: LogicalTrace
) -> tuple[str, ...]:
    """Name the functions that some turns of a loop enter anew, others not.

    Parameters
    ----------
    uneven
        The functions.
    logical
        The logical trace: where it tells no functions, nothing is said of them.
    """
    names = trace.regions.names
    uneven_names = [names[region] for region in uneven if region < len(names)]
    if not uneven_names or not Nesting(logical).tells:
        return ()
    more = plural(len(uneven_names) - MAX_KINDS_LISTED, "other function")
    said = [
        *uneven_names[:MAX_KINDS_LISTED],
        *[more] * (len(uneven_names) > MAX_KINDS_LISTED),
    ]
    return (f"irregular visits, not shown in the lines: {', '.join(said)}",)


def _left_out_notes(
    trace: Trace, ranks_told: RanksTold, examples: CallTable
) -> list[str]:
    counts, ranks = ranks_told.left_out, ranks_told.left_out_ranks
    order = np.argsort(-counts, kind="stable")[: int(np.sum(counts > 0))]
    said = [
        f"left out: {_symbol_text(trace, examples, symbol)}, "
        f"{plural(int(counts[symbol]), 'call')} of {plural(int(ranks[symbol]), 'rank')}"
        for symbol in order[:MAX_KINDS_LISTED].tolist()
    ]
    if len(order) > MAX_KINDS_LISTED:
        rest = int(counts[order[MAX_KINDS_LISTED:]].sum())
        kinds = len(order) - MAX_KINDS_LISTED
        said.append(
            f"left out: {plural(rest, 'call')} of {plural(kinds, 'other kind')}"
        )
    return said


def _symbol_text(trace: Trace, rows: CallTable, symbol: int) -> str:
    symbols = rows.symbols
    words = [trace.regions.operations[int(symbols.operation[symbol])]]
    awaited = int(symbols.awaited[symbol])
    if awaited >= 0:
        words.append(f"for {trace.regions.operations[awaited]}")
    for word, half in (("to", symbols.to[symbol]), ("from", symbols.source[symbol])):
        if half >= 0:
            words.append(f"{word} {rows.names[int(half)]}")
    return " ".join(words)
