"""What each call of a trace needs so that it can be made again.

Partners, sizes, tags, communicators and requests of every call, by statement; calls
that start several messages at once are a call for each message. Groups of one-sided
epochs are not in a trace and follow from whom a rank reaches in them.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.calls.communicators import collective_roles, families
from topoview.logical.calls.messages import OwnMessages, completions
from topoview.logical.calls.one_sided import moved_by_files, one_sided, place_names
from topoview.logical.calls.operations import ONE_SIDED, is_one_of
from topoview.logical.expansion import calls_by_index
from topoview.model import (
    Bools,
    Call,
    Indices,
    Ints,
    LogicalTrace,
    Match,
    Trace,
    distinct,
    whole_part,
)
from topoview.skeleton.expressions import ABSENT, steps_between

# Calls that start several messages at once, as a call for each message.

STARTING_OPERATIONS = frozenset({"Startall"})
"""Operations whose messages have a statement each."""

_TRAILING_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class StartedMessages:
    """Messages of calls that start several."""

    calls: Bools
    """bool, shape (calls,): which calls do."""
    call: Ints
    statement: Ints
    message: Ints
    """`call`, `statement` and `message`: int64, shape (starts,): call, statement and
    index of each message."""
    received: Bools
    """bool, shape (starts,): whether it is received."""


def started_messages(
    trace: Trace, logical: LogicalTrace, receive: Ints
) -> StartedMessages:
    """Find the statement of each message that a call starts together with others.

    It is the first of that direction from the call's own statement on: a call's
    messages stand below each other in the listing.

    Parameters
    ----------
    receive : int64, shape (messages,)
        Call that received, or posted the receive of, each message.
    """
    last = int(trace.calls.offsets[trace.ranks])
    operation = trace.regions.operation[trace.calls.region[:last]]
    own = is_one_of(trace.regions, STARTING_OPERATIONS)[operation]
    own &= logical.statement_of_call[:last] >= 0
    messages = trace.messages
    starts = [c for c in calls_by_index(logical) if c.operation in STARTING_OPERATIONS]
    chunks: list[tuple[Ints, Ints, Ints, Bools]] = []
    for received, call_of, here, there in (
        (False, messages.send_call, messages.sender, messages.receiver),
        (True, receive, messages.receiver, messages.sender),
    ):
        inside = (call_of >= 0) & (call_of < last)
        inside[inside] = own[call_of[inside]]
        chosen = np.flatnonzero(inside)
        call = call_of[chosen]
        first = logical.statement_of_call[call].astype(np.int64)
        keys = np.column_stack((first, here[chosen], there[chosen])).astype(np.int64)
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        statement = np.array(
            [
                _statement_of_start(logical, starts, key, received)
                for key in distinct.tolist()
            ],
            np.int64,
        )[which.reshape(-1)]
        chunks.append((call, statement, chosen, np.full(len(call), received)))
    call, statement, message, side = map(np.concatenate, zip(*chunks, strict=True))
    valid = statement >= 0
    return StartedMessages(
        own, call[valid], statement[valid], message[valid], side[valid]
    )


def _statement_of_start(
    logical: LogicalTrace, calls: Sequence[Call], key: Sequence[int], received: bool
) -> int:
    first, rank, partner = key
    partners = logical.partners
    own = slice(*partners.offsets[rank : rank + 2].tolist())
    names = {
        partners.names[direction]
        for direction, there in zip(
            partners.direction[own].tolist(),
            partners.partner[own].tolist(),
            strict=True,
        )
        if there in (partner, -1)
    }
    names |= {_TRAILING_NUMBER.sub("k", name) for name in names}
    for call in calls:
        name = call.source if received else call.to
        if call.index >= first and name in names:
            return call.index
    return -1


_SHARED_OUT = (
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Reduce_scatter",
    "Reduce_scatter_block",
)
SHARED_OUT = frozenset((*_SHARED_OUT, *(f"I{name.lower()}" for name in _SHARED_OUT)))
"""Collectives of which a rank gives each other one a share of what it sends."""

FACT_COLUMNS = (
    "to",
    "size",
    "tag",
    "source",
    "source_size",
    "source_tag",
    "family",
    "root",
)


@dataclass(frozen=True, slots=True, eq=False)
class CallFacts:
    """Calls in order of statement, rank and time."""

    begins: Ints
    """int64, shape (statements + 1,): statement ``s`` owns the calls ``begins[s]`` to
    ``begins[s + 1]``."""
    call: Ints
    rank: Ints
    """`call` and `rank`: int64, shape (calls,): index into the trace's calls, and the
    call's rank."""
    columns: dict[str, Ints]
    """Of each call, -1 where there is none, int64, shape (calls,): ``to`` and
    ``source`` (world ranks), ``size`` and ``source_size`` (of a collective: ``size``,
    the bytes of one rank's share), ``tag`` and ``source_tag``, ``family`` of the
    communicator and ``root`` in it."""
    completed: tuple[tuple[int, ...], ...]
    """Of each statement the statements whose requests its calls complete; none where
    the trace does not tell."""
    several: Ints
    """int64, shape (statements,): messages beyond the first that a call of the
    statement carries one way."""
    families: tuple[str, ...]
    family_of: Ints
    """`families` and `family_of`: names of the communicators' families; family of each
    communicator."""
    place: Ints
    """int64, shape (statements,): window or file of each statement, -1 if it has
    none."""
    places: tuple[str, ...]
    """Names of the windows and files."""

    def of(self, statement: int, column: str) -> tuple[Ints, Ints]:
        """Rank and value of each of a statement's n calls: int64, shape (n,) each."""
        own = slice(self.begins[statement], self.begins[statement + 1])
        return self.rank[own], self.columns[column][own]


def call_facts(trace: Trace, logical: LogicalTrace) -> CallFacts:
    """Collect what the calls of each statement need."""
    last = int(trace.calls.offsets[trace.ranks])
    statement = logical.statement_of_call[:last].astype(np.int64)
    operation = trace.regions.operation[trace.calls.region[:last]].astype(np.int64)
    reached = one_sided(whole_part(trace), operation)
    messages = OwnMessages.of(whole_part(trace), reached.moves)
    receive = messages.receive_call[: len(trace.messages)]
    columns = {name: np.full(last, ABSENT, np.int64) for name in FACT_COLUMNS}
    several = np.zeros(logical.statements, np.int64)
    several_of = started_messages(trace, logical, receive)
    channel = _message_tags(trace, statement, receive)
    channel = np.concatenate((channel, np.zeros(messages.moved, np.int64)))
    sides = (
        (messages.send_call, messages.receiver, FACT_COLUMNS[:3]),
        (messages.receive_call, messages.sender, FACT_COLUMNS[3:6]),
    )
    for call, partner, names in sides:
        valid = np.flatnonzero((call >= 0) & (call < last))[::-1]  # the first stays
        sources: tuple[Ints | Indices, ...] = (partner, messages.size, channel)
        for name, values in zip(names, sources, strict=True):
            columns[name][call[valid]] = values[valid]
        count = np.bincount(call[valid], minlength=last)
        more = np.flatnonzero((count > 1) & (statement >= 0) & ~several_of.calls)
        np.maximum.at(several, statement[more], count[more] - 1)
    family_of, names_of_families = families(trace)
    _collective_columns(trace, operation, family_of, columns)
    moved = moved_by_files(trace, operation)
    columns["size"] = np.where(moved >= 0, moved, columns["size"])
    held = np.flatnonzero((statement >= 0) & ~several_of.calls)
    place = np.full(logical.statements, ABSENT, np.int64)
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
    return CallFacts(
        begins=begins.astype(np.int64),
        call=held[order],
        rank=rank[order].astype(np.int64),
        columns={name: values[order] for name, values in columns.items()},
        completed=_completed_statements(
            trace, statement, operation, receive, logical.statements
        ),
        several=several,
        families=tuple(names_of_families),
        family_of=family_of,
        place=place,
        places=tuple(place_names(trace, reached.keys)),
    )


def _with_starts(
    trace: Trace,
    started_messages: StartedMessages,
    channel: Ints,
    columns: dict[str, Ints],
) -> dict[str, Ints]:
    """Add the messages of calls that start several, each on its own side."""
    messages, message = trace.messages, started_messages.message
    more = {name: np.full(len(message), ABSENT, np.int64) for name in FACT_COLUMNS}
    sides = (
        (~started_messages.received, messages.receiver, FACT_COLUMNS[:3]),
        (started_messages.received, messages.sender, FACT_COLUMNS[3:6]),
    )
    for side, partner, names in sides:
        said: tuple[Ints | Indices, ...] = (partner, messages.size, channel)
        for name, values in zip(names, said, strict=True):
            more[name][side] = values[message[side]]
    return {
        name: np.concatenate((values, more[name])) for name, values in columns.items()
    }


def _message_tags(trace: Trace, statement: Ints, receive: Ints) -> Ints:
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


def _collective_columns(
    trace: Trace, operation: Ints, family_of: Ints, columns: dict[str, Ints]
) -> None:
    """Add the part that each call takes in a collective."""
    parts = trace.collectives
    roles = collective_roles(trace, slice(0, trace.ranks), family_of)
    own = slice(*np.searchsorted(parts.call, (0, len(operation))).tolist())
    call, root = parts.call[own], parts.root[own]
    everyone = (roles.family[call] == 0) & (root >= 0)  # in whatever order: the world
    columns["family"][call] = roles.family[call]
    columns["root"][call] = np.where(everyone, root, roles.root[call])
    members = np.append(trace.communicator_sizes, 1)[parts.communicator[own]]
    shared = is_one_of(trace.regions, SHARED_OUT)[operation[call]]
    size = roles.size[call]
    size = np.where(shared, size // np.maximum(members, 1), size)
    columns["size"][call] = size


def _completed_statements(
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
    completed: list[list[int]] = [[] for _ in range(statements)]
    for by, what in np.unique(pairs[(pairs >= 0).all(axis=1)], axis=0).tolist():
        completed[by].append(what)
    return tuple(tuple(sorted(some)) for some in completed)


# Groups of one-sided epochs: whom a rank reaches, and who reaches it.
#
# ``MPI_Win_start`` and ``MPI_Win_post`` are given groups, whose members are not read
# of a trace (OTF2 has room for them in ``RmaGroupSync``). Whom a rank reaches between
# ``Win_start`` and ``Win_complete`` is recorded; the k-th post of a rank is taken to
# be for the k-th start of those that then reach it.

EPOCH_OPERATIONS = frozenset({"Win_start", "Win_post", "Win_complete", "Win_wait"})
"""Operations of epochs with groups."""

UNEVEN_EPOCHS = "ranks do not start and post equally often, so groups are unknown"
CHANGING_GROUP = "the group of a rank changes between iterations"


@dataclass(frozen=True, slots=True)
class EpochGroup:
    """The group of a start or post: steps on the lattice, or ranks."""

    steps: tuple[tuple[int, ...], ...] | None
    """Offsets, x first; None if they differ."""
    by_rank: tuple[tuple[int, ...], ...] = ()
    """Otherwise the members that each rank names."""


def groups_of(
    facts: CallFacts, match: Match, calls: Sequence[Call]
) -> tuple[dict[int, EpochGroup], str]:
    """Find the groups of a window's starts and posts.

    Parameters
    ----------
    calls
        The statements that concern the window.

    Returns
    -------
    dict, str
        Group by statement; why they are not found, empty if they are.
    """
    if not EPOCH_OPERATIONS & {call.operation for call in calls}:
        return {}, ""
    started, posted = _rank_epochs(facts, calls)
    named = _name_groups(started, posted)
    if named is None:
        return {}, UNEVEN_EPOCHS
    groups = {s: _epoch_group(match, members) for s, members in named.items()}
    if any(group is None for group in groups.values()):
        return {}, CHANGING_GROUP
    return {s: group for s, group in groups.items() if group is not None}, ""


GroupNames = dict[int, dict[int, list[frozenset[int]]]]
"""By statement and rank: the group that it names each time."""

RankEpochs = dict[int, list[tuple[int, set[int]]]]
"""By rank: statement and targets of each start."""


def _name_groups(
    started: RankEpochs, posted: dict[int, list[int]]
) -> GroupNames | None:
    """Name the groups; None if it is not told which start is for which post."""
    counts = {len(own) for own in started.values()}
    counts |= {len(own) for own in posted.values()}
    if len(counts) > 1 or bool(started) != bool(posted):
        return None
    reached: dict[tuple[int, int], set[int]] = defaultdict(set)
    result: GroupNames = {}
    for rank, epochs in started.items():
        for turn, (statement, targets) in enumerate(epochs):
            if not targets <= posted.keys():
                return None
            for target in targets:
                reached[target, turn].add(rank)
            own = result.setdefault(statement, {})
            own.setdefault(rank, []).append(frozenset(targets))
    for rank, statements in posted.items():
        for turn, statement in enumerate(statements):
            own = result.setdefault(statement, {})
            own.setdefault(rank, []).append(frozenset(reached[rank, turn]))
    return result


def _rank_epochs(
    facts: CallFacts, calls: Sequence[Call]
) -> tuple[RankEpochs, dict[int, list[int]]]:
    """Find each rank's starts and whom they reach, and the statements of its posts."""
    rows: list[tuple[int, int, str, int, int]] = []
    for call in calls:
        if call.operation not in EPOCH_OPERATIONS | ONE_SIDED:
            continue
        own = slice(*facts.begins[call.index : call.index + 2].tolist())
        to, source = facts.columns["to"][own], facts.columns["source"][own]
        columns: list[Ints] = [facts.rank[own], facts.call[own], np.maximum(to, source)]
        for rank, at, partner in zip(*(c.tolist() for c in columns), strict=True):
            rows.append((rank, at, call.operation, call.index, partner))
    started: RankEpochs = {}
    posted: dict[int, list[int]] = {}
    within: set[int] = set()
    for rank, _, operation, statement, partner in sorted(rows):
        if operation == "Win_start":
            started.setdefault(rank, []).append((statement, set()))
            within.add(rank)
        elif operation == "Win_complete":
            within.discard(rank)
        elif operation == "Win_post":
            posted.setdefault(rank, []).append(statement)
        elif operation in ONE_SIDED and partner >= 0 and rank in within:
            started[rank][-1][1].add(partner)
    return started, posted


def _epoch_group(
    match: Match, members: dict[int, list[frozenset[int]]]
) -> EpochGroup | None:
    """Return a group by steps if they are the same for all, else by rank."""
    if any(len(set(own)) > 1 for own in members.values()):
        return None
    ranks = len(match.vertex)
    by_rank: list[tuple[int, ...]] = [()] * ranks
    for rank, own in members.items():
        by_rank[rank] = tuple(sorted(own[0]))
    steps = _group_steps(match, members)
    return EpochGroup(steps) if steps is not None else EpochGroup(None, tuple(by_rank))


def _group_steps(
    match: Match, members: dict[int, list[frozenset[int]]]
) -> tuple[tuple[int, ...], ...] | None:
    here = np.array([r for r, own in members.items() for _ in own[0]], np.int64)
    there = np.array([t for own in members.values() for t in sorted(own[0])], np.int64)
    steps = steps_between(match, here, there)
    if steps is None:
        return None
    distinct = np.unique(steps, axis=0)
    places = match.topology.coordinates[match.vertex].astype(np.int64)
    dims = np.array(match.topology.dims, np.int64)
    wraps = np.array(match.topology.periodic, bool)
    for rank, own in members.items():
        ends = places[rank] + distinct
        inside = (((ends >= 0) & (ends < dims)) | wraps).all(axis=1)
        if int(inside.sum()) != len(own[0]):
            return None  # it does not reach all that there are
    return tuple(tuple(step) for step in distinct.tolist())
