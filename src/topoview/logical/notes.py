"""What a logical trace does not show, in words."""

from collections.abc import Sequence

import numpy as np

from topoview.logical.nesting import Nesting
from topoview.logical.records import Records
from topoview.logical.visits import Uneven
from topoview.logical.words import plural
from topoview.model import Ints, LogicalTrace, Trace

LISTED = 8
"""Kinds of calls that are told one by one."""


def notes(
    trace: Trace, rows: Records, statement: Ints, found: LogicalTrace
) -> tuple[str, ...]:
    """Tell what a logical trace leaves out.

    Parameters
    ----------
    statement : int64, shape (rows,)
        Statement of each row, -1 if it is left out.
    found
        The logical trace, but for its notes.
    """
    said = _left_out(trace, rows, statement)
    if rows.elsewhere:
        said.append(f"left out: {plural(rows.elsewhere, 'call')} of further threads")
    if rows.null:
        lost = trace.health is not None and trace.health.dropped
        said.append(
            f"{plural(rows.null, 'call')} with MPI_PROC_NULL, or a partner that is "
            "not known, told without one"
            if lost
            else f"{plural(rows.null, 'call')} with MPI_PROC_NULL sent nothing"
        )
    if len(rows.polled):
        said.append(f"{plural(len(rows.polled), 'repeated poll')} not shown")
    if len(found.peers.values):
        kinds = len(np.unique(found.peers.statement))
        said.append(
            f"{plural(kinds, 'statement')} with partners in order of arrival, which "
            "is kept aside"
        )
    said += found.differs
    return tuple(said)


def uneven_visits(
    trace: Trace, uneven: Sequence[Uneven], found: LogicalTrace
) -> tuple[str, ...]:
    """Tell which functions some turns of a loop enter anew, others not, and how often.

    Parameters
    ----------
    uneven
        The functions.
    found
        The logical trace: where it tells no functions, nothing is said of them.
    """
    known = trace.regions.names
    told = sorted((e for e in uneven if e.region < len(known)), key=lambda e: -e.turns)
    if not told or not Nesting(found).tells:
        return ()
    said = []
    for each in told[:LISTED]:
        least, most, mostly = each.lengths
        turns = plural(most, "turn") if least == most else f"{least}..{most} turns"
        mostly_told = "" if least == most else f", mostly {mostly}"
        low, high = each.visits
        visits = plural(high, "visit") if low == high else f"{low}..{high} visits"
        said.append(
            f"visits without a rule, not told by the lines: a loop of "
            f"{plural(each.turns, 'turn')} makes {visits} of {known[each.region]}, of "
            f"{turns}{mostly_told}"
        )
    rest = len(told) - LISTED
    return (*said, *([f"so do {plural(rest, 'further loop')}"] if rest > 0 else []))


def _left_out(trace: Trace, rows: Records, statement: Ints) -> list[str]:
    out = statement < 0
    counts = np.bincount(rows.symbol[out], minlength=len(rows.symbols.operation))
    rank = rows.rank[out]
    order = np.argsort(-counts, kind="stable")[: int(np.sum(counts > 0))]
    said = []
    for symbol in order[:LISTED].tolist():
        ranks = len(np.unique(rank[rows.symbol[out] == symbol]))
        said.append(
            f"left out: {_symbol_text(trace, rows, symbol)}, "
            f"{plural(int(counts[symbol]), 'call')} of {plural(ranks, 'rank')}"
        )
    if len(order) > LISTED:
        rest = int(counts[order[LISTED:]].sum())
        kinds = len(order) - LISTED
        said.append(
            f"left out: {plural(rest, 'call')} of {plural(kinds, 'further kind')}"
        )
    return said


def _symbol_text(trace: Trace, rows: Records, symbol: int) -> str:
    symbols = rows.symbols
    words = [trace.regions.operations[int(symbols.operation[symbol])]]
    awaited = int(symbols.awaited[symbol])
    if awaited >= 0:
        words.append(f"for {trace.regions.operations[awaited]}")
    for word, half in (("to", symbols.to[symbol]), ("from", symbols.source[symbol])):
        if half >= 0:
            words.append(f"{word} {rows.names[int(half)]}")
    return " ".join(words)
