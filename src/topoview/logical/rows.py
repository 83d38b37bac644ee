"""Calls as rows of symbols that all ranks share."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from topoview.logical.arrays import repeated, within
from topoview.logical.collectives import Roles
from topoview.logical.messages import Ends
from topoview.logical.numbering import firsts, number
from topoview.logical.stages import READING
from topoview.model import Bools, Ints
from topoview.progress import Report, portions

_OWN = ("call", "size", "source_size", "receiver", "sender")
"""Columns that rows have beside their symbols."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """What a row can say but for its sizes; equal rows of all ranks share one.

    Attributes
    ----------
    operation : int64, shape (symbols,)
        Index into `Regions.operations`.
    family, root : int64, shape (symbols,)
        Of a collective: family of its communicator and the root's rank in it,
        -1 if there is none.
    awaited : int64, shape (symbols,)
        Of a Wait: operation that posted the request it completes; -1 otherwise.
    to, source : int64, shape (symbols,)
        Direction sent to and received from; of a Wait that of the request; -1 if
        there is none.
    """

    operation: Ints
    family: Ints
    root: Ints
    awaited: Ints
    to: Ints
    source: Ints

    def __len__(self) -> int:
        """Count the symbols."""
        return len(self.operation)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows before they are the ranks'; columns as in `Records`."""

    call: Ints
    symbol: Ints
    size: Ints
    source_size: Ints
    receiver: Ints
    sender: Ints
    symbols: Symbols


def rows_of(  # noqa: PLR0913
    calls: Ints,
    operation: Ints,
    awaits: Ints,
    ends: Ends,
    roles: Roles,
    both: Bools,
    report: Report,
) -> Table:
    """Write calls as rows: a row a call, or a message of those that carry several."""
    counts = np.empty(len(calls), np.int64)
    offsets = np.zeros(len(calls) + 1, np.int64)
    for some in portions(len(calls), report, READING, (0.6, 0.63)):
        sent, received = ends.sent[calls[some]], ends.received[calls[some]]
        several = (sent > 1) | (received > 1)
        counts[some] = np.where(several, sent + received, 1)
        last = offsets[some.start + 1 : some.stop + 1]
        np.cumsum(counts[some], out=last)
        last += offsets[some.start]
    table: dict[str, Ints] = {}
    halves = np.empty(offsets[-1], bool)
    for some in portions(len(calls), report, READING, (0.63, 0.83)):
        columns = _columns(calls[some], counts[some], operation, awaits, ends, roles)
        report(READING, 0.63 + 0.2 * some.start / len(calls))
        own = slice(offsets[some.start], offsets[some.stop])
        for name, column in columns.items():
            if name not in table:
                table[name] = np.empty(offsets[-1], np.int64)
            table[name][own] = column
        halves[own] = both[columns["call"]] & repeated(counts[some] == 1, counts[some])
    if not table:
        table = _columns(calls, counts, operation, awaits, ends, roles)
    _complete(table["to"], table["source"], halves, table["operation"], report)
    told = [table[field.name] for field in fields(Symbols)]
    symbol, symbols = _encode(told, report)
    return Table(symbol=symbol, symbols=symbols, **{n: table[n] for n in _OWN})


def _columns(  # noqa: PLR0913
    calls: Ints, counts: Ints, operation: Ints, awaits: Ints, ends: Ends, roles: Roles
) -> dict[str, Ints]:
    """Columns of some calls' rows."""
    call, k = repeated(calls, counts), within(counts)
    sent, received = ends.sent[call], ends.received[call]
    several = (sent > 1) | (received > 1)
    send = np.where(k < sent, ends.first_sent[call] + k, -1)
    k = np.where(several, k - sent, k)
    receive = np.where((k >= 0) & (k < received), ends.first_received[call] + k, -1)
    size = np.where(send >= 0, ends.sent_size[send], roles.size[call])
    source_size = np.where(receive >= 0, ends.received_size[receive], -1)
    receiver, sender = ends.receiver[send], ends.sender[receive]
    waiting = awaits[call] >= 0
    posted = np.maximum(awaits[call], 0)
    send = np.where(waiting & (ends.sent[posted] > 0), ends.first_sent[posted], send)
    waits = waiting & (ends.received[posted] > 0)
    receive = np.where(waits, ends.first_received[posted], receive)
    return {
        "call": call,
        "size": size,
        "source_size": source_size,
        "receiver": receiver,
        "sender": sender,
        "operation": operation[call],
        "family": roles.family[call],
        "root": roles.root[call],
        "awaited": np.where(waiting, operation[posted], -1),
        "to": ends.sent_to[send],
        "source": ends.received_from[receive],
    }


def _complete(
    to: Ints, source: Ints, both: Bools, operation: Ints, report: Report
) -> None:
    """Name the missing half of a Sendrecv as at the ranks that have both.

    At an edge one half's partner is ``MPI_PROC_NULL``. If other ranks have one
    and the same other half beside this one, it is that.
    """
    report(READING, 0.83)
    halves = np.flatnonzero(both)
    has = (to[halves] >= 0) & (source[halves] >= 0)
    own = halves[has]
    for known, missing in ((to, source), (source, to)):
        report(READING, 0.86)
        lone = halves[~has]
        lone = lone[(known[lone] >= 0) & (missing[lone] < 0)]
        if not len(own) or not len(lone):
            continue
        width = int(known.max(initial=-1)) + 2
        codes, place = number(operation[own] * width + known[own], report, READING)
        partner = np.full(len(codes), -2, np.int64)
        partner[place] = missing[own]
        partner[place[partner[place] != missing[own]]] = -1
        code = operation[lone] * width + known[lone]
        at = np.minimum(np.searchsorted(codes, code), len(codes) - 1)
        found = (codes[at] == code) & (partner[at] >= 0)
        missing[lone[found]] = partner[at[found]]


def _encode(columns: Sequence[Ints], report: Report) -> tuple[Ints, Symbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for done, column in enumerate(columns):
        span = 0.9 + 0.1 * done / len(columns), 0.9 + 0.1 * (done + 1) / len(columns)
        width = int(column.max(initial=-1)) + 2
        code = np.empty_like(symbol)
        for some in portions(len(code), report, READING, span):
            code[some] = symbol[some] * width + column[some] + 1
        symbol = number(code, report, READING, span)[1]
    first = firsts(symbol, int(symbol.max(initial=-1)) + 1)
    return symbol, Symbols(*(column[first] for column in columns))
