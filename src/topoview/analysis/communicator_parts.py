"""What each communicator of the program is used for."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import (
    Bools,
    CommunicationMatrix,
    Indices,
    Ints,
    Match,
    Part,
    Trace,
)
from topoview.progress import Report, silent
from topoview.topology import communication_matrix, identify
from topoview.topology.matching import match_topology
from topoview.topology.matrix import matrix_of
from topoview.topology.shapes import complete, star
from topoview.topology.traffic import pair_traffic

MOST = 24
"""Communicators that are told one by one; more of them are told by family."""

MOST_FAMILIES = 32
"""Families of disjoint communicators that are told."""

MOST_PAIRS = 2_000_000
"""Pairs within communicators from which a process grid is found."""


@dataclass(frozen=True, slots=True, eq=False)
class _Used:
    """A communicator that is used: its members, and whether for messages."""

    number: int
    name: str
    ranks: Indices
    messages: bool
    calls: int


def communicator_parts(trace: Trace, report: Report = silent) -> tuple[Part, ...]:
    """Identify what communicators other than the world are used for.

    Those with messages by their messages, those with collective operations only
    by these: all-to-all, or a star around the root. Communicators that are
    disjoint and of one size, such as the rows of a process grid, are a family.
    Collective operations in several families tell the grid itself.

    Returns
    -------
    tuple of Part
        The grid first, if there is one; then each communicator, or each family
        if there are more than `MOST`.
    """
    used = _used(trace)
    if not used:
        return ()
    report("looking at communicators", 0.0)
    found = _grid(trace, used)
    if len(used) <= MOST:
        groups = [[one] for one in used]
    else:
        groups = _families(trace.ranks, used)
    for i, group in enumerate(groups):
        report("looking at communicators", i / len(groups))
        part = _part(trace, group)
        if part is not None:
            found.append(part)
    return tuple(found)


def _used(trace: Trace) -> list[_Used]:
    count = len(trace.communicators)
    communicator = trace.messages.communicator
    sent = np.bincount(communicator[communicator >= 0], minlength=count)
    communicator = trace.collectives.communicator
    calls = np.bincount(communicator[communicator >= 0], minlength=count)
    names = Counter(c.name for c in trace.communicators)
    so_far: Counter[str] = Counter()
    used = []
    for number, one in enumerate(trace.communicators):
        so_far[one.name] += 1
        ranks = one.ranks[one.ranks >= 0]
        everyone = len(ranks) == trace.ranks
        tells = sent[number] or (calls[number] and not everyone)
        if number and len(ranks) > 1 and tells:
            alone = names[one.name] == 1
            name = one.name if alone else f"{one.name} {so_far[one.name]}"
            messages = bool(sent[number])
            used.append(_Used(number, name, ranks, messages, int(calls[number])))
    return used


def _families(ranks: int, used: list[_Used]) -> list[list[_Used]]:
    """Gather disjoint communicators of one size that are used alike."""
    families: list[list[_Used]] = []
    taken: list[Bools] = []
    by_shape: dict[tuple[int, bool], list[int]] = {}
    for one in used:
        same = by_shape.setdefault((len(one.ranks), one.messages), [])
        for index in same:
            if not taken[index][one.ranks].any():
                break
        else:
            if len(families) == MOST_FAMILIES:
                continue
            index = len(families)
            families.append([])
            taken.append(np.zeros(ranks, bool))
            same.append(index)
        families[index].append(one)
        taken[index][one.ranks] = True
    return families


def _part(trace: Trace, group: list[_Used]) -> Part | None:
    numbers = [one.number for one in group]
    ranks = np.unique(np.concatenate([one.ranks for one in group]))
    here = np.flatnonzero(np.isin(trace.collectives.communicator, numbers))
    matches: tuple[Match, ...]
    if group[0].messages:
        chosen = np.isin(trace.messages.communicator, numbers)
        matches = identify(communication_matrix(trace, chosen)).matches[:1]
        begin, end = _message_window(trace, chosen)
        remark = _operations(trace, here, "besides")
    else:
        remark = _operations(trace, here, "by")
        matches = _by_collectives(trace, group, here)
        begin, end = _call_window(trace, here)
    if not len(ranks):
        return None
    size = len(group[0].ranks)
    few = len(group) == 1
    name = group[0].name if few else f"{len(group)} communicators of {size}"
    return Part("communicator", name, begin, end, ranks, matches, remark)


def _operations(trace: Trace, here: Ints, how: str) -> str:
    calls = trace.collectives.call[here]
    codes = trace.regions.operation[trace.calls.region[calls[calls >= 0]]]
    named = [trace.regions.operations[c] for c in np.unique(codes[codes >= 0])]
    return f"{how} " + ", ".join(named) if named else ""


def _by_collectives(trace: Trace, group: list[_Used], here: Ints) -> tuple[Match, ...]:
    """Match the collective operations as if each were messages between members."""
    root = trace.collectives.root[here]
    size = len(group[0].ranks)
    rooted = len(group) == 1 and root.min(initial=-1) >= 0 and len(set(root)) == 1
    edges = len(group) * (size - 1 if rooted else size * (size - 1) // 2)
    if edges > MOST_PAIRS:
        return ()
    if rooted:
        others = group[0].ranks[group[0].ranks != root[0]]
        matrix = _alike(trace.ranks, np.full(len(others), root[0]), others)
        members = np.append(root[:1], others)
    else:
        matrix = _cliques(trace.ranks, group)
        members = group[0].ranks
    if len(group) > 1:
        return identify(matrix).matches[:1]
    traffic = pair_traffic(matrix)
    vertex = np.full(trace.ranks, -1, np.int32)
    vertex[members] = np.arange(len(members))
    topology = star(len(members)) if rooted else complete(len(members))
    seen = np.ones(len(traffic.pairs), bool)
    return (match_topology(topology, vertex, traffic, 0, seen),)


def _cliques(ranks: int, group: list[_Used]) -> CommunicationMatrix:
    """Join all members of each communicator."""
    ends = [_pairs(one.ranks) for one in group]
    return _alike(
        ranks,
        np.concatenate([one for one, _ in ends]),
        np.concatenate([other for _, other in ends]),
    )


def _pairs(members: Indices) -> tuple[Indices, Indices]:
    one, other = np.triu_indices(len(members), 1)
    return members[one], members[other]


def _alike(ranks: int, one: Indices, other: Indices) -> CommunicationMatrix:
    """Make a matrix in which some pairs exchange as much as each other."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    keys = np.unique(low.astype(np.int64) * ranks + high)
    amount = np.ones(len(keys), np.int64)
    return matrix_of(ranks, keys // ranks, keys % ranks, amount, amount)


def _grid(trace: Trace, used: list[_Used]) -> list[Part]:
    """Find the process grid that families of communicators span.

    Each family must hold the same ranks; the graph in which members of a
    communicator are neighbours is the grid's rook's graph.
    """
    several = [one for one in used if one.calls and len(one.ranks) < trace.ranks]
    families = _families(trace.ranks, several)
    members = [np.sort(np.concatenate([c.ranks for c in f])) for f in families]
    largest = max((len(m) for m in members), default=0)
    spanning = [
        family
        for family, ranks in zip(families, members, strict=True)
        if len(ranks) == largest and len(family) > 1
    ]
    chosen = [one for family in spanning for one in family]
    pairs = sum(len(one.ranks) ** 2 // 2 for one in chosen)
    if len(spanning) < 2 or pairs > MOST_PAIRS:
        return []
    best = identify(_cliques(trace.ranks, chosen)).best
    if best.topology.kind == "unknown" or best.missing or best.extra:
        return []
    numbers = [one.number for one in chosen]
    here = np.flatnonzero(np.isin(trace.collectives.communicator, numbers))
    begin, end = _call_window(trace, here)
    words = " and ".join(f"{len(f)} of {len(f[0].ranks)}" for f in spanning)
    ranks = np.unique(np.concatenate([one.ranks for one in chosen]))
    remark = _operations(trace, here, "by")
    name = f"{words} together"
    return [Part("communicator", name, begin, end, ranks, (best,), remark)]


def _call_window(trace: Trace, here: Ints) -> tuple[int, int]:
    calls = trace.collectives.call[here]
    calls = calls[calls >= 0]
    if not len(calls):
        return 0, 0
    return int(trace.calls.enter[calls].min()), int(trace.calls.leave[calls].max())


def _message_window(trace: Trace, chosen: Bools) -> tuple[int, int]:
    messages = trace.messages
    times = list(_known(messages.send_time[chosen]))
    times += list(_known(messages.receive_time[chosen]))
    return (min(times), max(times)) if times else (0, 0)


def _known(times: Ints) -> Iterator[int]:
    known = times[times >= 0]
    if len(known):
        yield int(known.min())
        yield int(known.max())
