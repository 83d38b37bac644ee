"""What each call of a trace needs so that it can be made again."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.communicators import families, local_ranks
from topoview.logical.deduction import completions, receive_calls
from topoview.logical.one_sided import moved_by_files, one_sided
from topoview.logical.operations import RECEIVED_SIZE, among
from topoview.logical.skeleton.starts import Starts, starts
from topoview.logical.skeleton.values import NONE
from topoview.model import Indices, Ints, LogicalTrace, Trace, distinct

_TOTALS = (
    *("Allreduce", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"),
    *("Reduce_scatter", "Reduce_scatter_block"),
)
TOTALS = frozenset((*_TOTALS, *(f"I{name.lower()}" for name in _TOTALS)))
"""Collectives of which Score-P records the sum over all partners."""

SUMMED = frozenset({"Alltoallv", "Alltoallw", "Ialltoallv", "Ialltoallw"})
"""Collectives of which every tracer records the sum over all partners."""

OWN_SHARES = ("EZTrace", "topoview")
"""Producers that record what one rank gives, not the sum."""

COLUMNS = ("to", "size", "tag", "source", "source_size", "source_tag", "family", "root")


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Calls in order of statement, rank and time.

    Attributes
    ----------
    begins : int64, shape (statements + 1,)
        Statement ``s`` owns the calls ``begins[s]`` to ``begins[s + 1]``.
    call, rank : int64, shape (calls,)
        Index into the trace's calls, and the call's rank.
    columns
        Of each call, -1 where there is none, int64, shape (calls,): ``to`` and
        ``source`` (world ranks), ``size`` and ``source_size`` (of a collective:
        ``size``, the bytes of one rank's share), ``tag`` and ``source_tag``,
        ``family`` of the communicator and ``root`` in it.
    completed
        Of each statement the statements whose requests its calls complete;
        none where the trace does not tell.
    several : int64, shape (statements,)
        Messages beyond the first that a call of the statement carries one way.
    families, family_of
        Names of the communicators' families; family of each communicator.
    place : int64, shape (statements,)
        Window or file of each statement, -1 if it has none.
    places
        Names of the windows and files.
    """

    begins: Ints
    call: Ints
    rank: Ints
    columns: dict[str, Ints]
    completed: tuple[tuple[int, ...], ...]
    several: Ints
    families: tuple[str, ...]
    family_of: Ints
    place: Ints
    places: tuple[str, ...]

    def of(self, statement: int, column: str) -> tuple[Ints, Ints]:
        """Rank and value of each of a statement's n calls: int64, shape (n,) each."""
        own = slice(self.begins[statement], self.begins[statement + 1])
        return self.rank[own], self.columns[column][own]


def facts(trace: Trace, logical: LogicalTrace) -> Facts:
    """Collect what the calls of each statement need."""
    last = int(trace.calls.offsets[trace.ranks])
    statement = logical.statement_of_call[:last].astype(np.int64)
    operation = trace.regions.operation[trace.calls.region[:last]].astype(np.int64)
    receive = receive_calls(trace, operation)
    reached = one_sided(trace, operation, receive)
    columns = {name: np.full(last, NONE, np.int64) for name in COLUMNS}
    several = np.zeros(logical.statements, np.int64)
    several_of = starts(trace, logical, receive)
    channel = _channels(trace, statement, receive)
    messages = reached.messages
    channel = np.concatenate((channel, np.zeros(reached.moved, np.int64)))
    sides = (
        (messages.send_call, messages.receiver, COLUMNS[:3]),
        (reached.receive_call, messages.sender, COLUMNS[3:6]),
    )
    for call, partner, names in sides:
        known = np.flatnonzero((call >= 0) & (call < last))[::-1]  # the first stays
        found: tuple[Ints | Indices, ...] = (partner, messages.size, channel)
        for name, values in zip(names, found, strict=True):
            columns[name][call[known]] = values[known]
        count = np.bincount(call[known], minlength=last)
        more = np.flatnonzero((count > 1) & (statement >= 0) & ~several_of.calls)
        np.maximum.at(several, statement[more], count[more] - 1)
    family_of, names_of_families = families(trace)
    _collectives(trace, operation, family_of, columns)
    moved = moved_by_files(trace, operation)
    columns["size"] = np.where(moved >= 0, moved, columns["size"])
    held = np.flatnonzero((statement >= 0) & ~several_of.calls)
    place = np.full(logical.statements, NONE, np.int64)
    place[statement[held]] = reached.place[held]
    columns = {name: values[held] for name, values in columns.items()}
    of = statement[held]
    if len(several_of.call):
        columns = _with_starts(trace, several_of, channel, columns)
        held = np.concatenate((held, several_of.call))
        of = np.concatenate((of, several_of.statement))
    rank = np.searchsorted(trace.calls.offsets[1 : trace.ranks + 1], held, side="right")
    order = np.lexsort((held, of))
    begins = np.searchsorted(of[order], np.arange(logical.statements + 1))
    return Facts(
        begins.astype(np.int64),
        held[order],
        rank[order].astype(np.int64),
        {name: values[order] for name, values in columns.items()},
        _completed(trace, statement, operation, receive, logical.statements),
        several,
        tuple(names_of_families),
        family_of,
        place,
        reached.names,
    )


def _with_starts(
    trace: Trace, found: Starts, channel: Ints, columns: dict[str, Ints]
) -> dict[str, Ints]:
    """Add the messages of calls that start several, each on its own side."""
    messages, message = trace.messages, found.message
    more = {name: np.full(len(message), NONE, np.int64) for name in COLUMNS}
    sides = (
        (~found.received, messages.receiver, COLUMNS[:3]),
        (found.received, messages.sender, COLUMNS[3:6]),
    )
    for side, partner, names in sides:
        said: tuple[Ints | Indices, ...] = (partner, messages.size, channel)
        for name, values in zip(names, said, strict=True):
            more[name][side] = values[message[side]]
    return {
        name: np.concatenate((values, more[name])) for name, values in columns.items()
    }


def _channels(trace: Trace, statement: Ints, receive: Ints) -> Ints:
    """Tag for each message so that messages meet the receives that they met.

    Statements that exchange messages share a channel; its number is the tag if
    between any two ranks its messages were received in the order in which they
    were sent; if not, the trace's own tags are taken.
    """
    messages = trace.messages
    own = np.append(statement, -1)
    send = np.where(messages.send_call < len(statement), messages.send_call, -1)
    sender = own[send]
    receiver = own[np.where(receive < len(statement), receive, -1)]
    statements = int(statement.max(initial=-1)) + 1
    root = list(range(statements))

    def find(s: int) -> int:
        while root[s] != s:
            root[s] = root[root[s]]
            s = root[s]
        return s

    met = (sender >= 0) & (receiver >= 0)
    pairs = distinct(sender[met] * max(statements, 1) + receiver[met])
    for pair in pairs.tolist():
        root[find(pair // statements)] = find(pair % statements)
    roots = np.array([find(s) for s in range(statements)] + [0], np.int64)
    number = np.unique(roots, return_inverse=True)[1].astype(np.int64)
    channel = number[np.where(sender >= 0, sender, receiver)]
    order = np.lexsort(
        (messages.send_call, messages.receiver, messages.sender, channel)
    )
    order = order[met[order]]
    same = (
        (np.diff(channel[order]) == 0)
        & (np.diff(messages.sender[order]) == 0)
        & (np.diff(messages.receiver[order]) == 0)
    )
    crossed = np.flatnonzero(same & (np.diff(receive[order]) < 0))
    apart = distinct(channel[order][crossed])
    tagged = np.isin(channel, apart)
    return np.where(tagged, 1000 + np.maximum(messages.tag, 0) % 30000, channel + 1)


def _collectives(
    trace: Trace, operation: Ints, family_of: Ints, columns: dict[str, Ints]
) -> None:
    parts = trace.collectives
    chosen = np.flatnonzero((parts.call >= 0) & (parts.call < len(operation)))
    call = parts.call[chosen]
    communicator = parts.communicator[chosen].astype(np.int64)
    columns["family"][call] = np.append(family_of, 0)[communicator]
    rooted = np.flatnonzero((parts.root[chosen] >= 0) & (communicator >= 0))
    root = parts.root[chosen[rooted]].astype(np.int64)
    local = local_ranks(trace, communicator[rooted], root)
    everyone = family_of[communicator[rooted]] == 0  # in whatever order: the world
    columns["root"][call[rooted]] = np.where(everyone, root, local)
    members = np.array([len(c.ranks) for c in trace.communicators] + [1], np.int64)
    of = operation[call]
    size = np.where(
        among(trace.regions, RECEIVED_SIZE)[of],
        parts.received[chosen],
        parts.sent[chosen],
    )
    totals = SUMMED if trace.producer.startswith(OWN_SHARES) else TOTALS
    shared = among(trace.regions, totals)[of]
    size = np.where(shared, size // np.maximum(members[communicator], 1), size)
    columns["size"][call] = size


def _completed(
    trace: Trace, statement: Ints, operation: Ints, receive: Ints, statements: int
) -> tuple[tuple[int, ...], ...]:
    """Statements whose requests each statement completes."""
    last = len(statement)
    own = np.append(statement, -1)
    posted = completions(trace, operation)
    recorded = trace.calls.completes[:last]
    posted = np.where(posted >= 0, posted, recorded)
    waits = np.flatnonzero(posted >= 0)
    messages = trace.messages
    done = messages.completion_call
    met = np.flatnonzero(
        (receive >= 0) & (done >= 0) & (done < last) & (receive != done)
    )
    pairs = np.column_stack(
        (
            np.concatenate((own[waits], own[done[met]])),
            np.concatenate((own[posted[waits]], own[receive[met]])),
        )
    )
    found: list[list[int]] = [[] for _ in range(statements)]
    for by, what in np.unique(pairs[(pairs >= 0).all(axis=1)], axis=0).tolist():
        found[by].append(what)
    return tuple(tuple(sorted(some)) for some in found)
