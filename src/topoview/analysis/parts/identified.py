"""What is identified in the parts of a run: phases, communicators, and splits of it.

Of a communicator its messages count, or without any its collective operations.
Disjoint communicators of one size are a family.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from topoview.analysis.partners.collectives import MAX_ALL_TO_ALL_PAIRS, whole_match
from topoview.analysis.partners.inferred import inferred_parts
from topoview.analysis.parts.phases import find_phases
from topoview.analysis.parts.splits import (
    Patterns,
    component_parts,
    message_window,
    split_parts,
)
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import scratch
from topoview.model import (
    Bools,
    CommunicationMatrix,
    Identification,
    IdentifiedPart,
    Indices,
    Ints,
    Match,
    PhaseFacts,
    Plan,
    Trace,
)
from topoview.topology import communication_matrix, identify
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.composite import copies
from topoview.topology.kinds.star import star

# What each communicator of the program is used for.

MAX_COMMUNICATORS = 24
"""Communicators that are told one by one; more of them are told by family."""

MAX_FAMILIES = 32
"""Families of disjoint communicators that are told."""


@dataclass(frozen=True, slots=True, eq=False)
class _UsedCommunicator:
    """A communicator that is used: its members, and whether for messages."""

    number: int
    name: str
    ranks: Indices
    messages: bool
    calls: int


def communicator_parts(
    trace: Trace,
    report: Report = silent,
    patterns: Patterns = (),
    plan: Plan | None = None,
) -> tuple[IdentifiedPart, ...]:
    """Identify what communicators other than the world are used for.

    Those with messages by their messages, those with collective operations only
    by these: all-to-all, or a star around the root. Communicators that are
    disjoint and of one size, such as the rows of a process grid, are a family; those
    of an axis of a plan are told so.

    Returns
    -------
    tuple of Part
        Each communicator, or each family if there are more than
        `MAX_COMMUNICATORS`.
    """
    used = _used_communicators(trace)
    axes = {
        number: axis.name
        for axis in (() if plan is None else plan.axes)
        for number in axis.communicators
    }
    if not used:
        return ()
    report("looking at communicators", 0.0)
    parts = []
    if len(used) <= MAX_COMMUNICATORS:
        groups = [[one] for one in used]
    else:
        groups = _families(trace.ranks, used, axes)
    for i, group in enumerate(groups):
        report("looking at communicators", i / len(groups))
        part = _part(trace, group, patterns, axes.get(group[0].number, ""))
        if part is not None:
            parts.append(part)
    return tuple(parts)


def _used_communicators(trace: Trace) -> list[_UsedCommunicator]:
    count = len(trace.communicators)
    sent, calls = (
        _uses(table.communicator, count)
        for table in (trace.messages, trace.collectives)
    )
    names = Counter(c.name for c in trace.communicators)
    so_far: Counter[str] = Counter()
    used = []
    for number, one in enumerate(trace.communicators):
        so_far[one.name] += 1
        ranks = one.ranks[one.ranks >= 0]
        everyone = len(ranks) == trace.ranks
        some = 0 < sent[number] < len(trace.messages)  # all: the run once more
        tells = some or (calls[number] and not everyone)
        if number and len(ranks) > 1 and tells:
            alone = names[one.name] == 1
            name = one.name if alone else f"{one.name} {so_far[one.name]}"
            messages = bool(sent[number])
            used.append(
                _UsedCommunicator(number, name, ranks, messages, int(calls[number]))
            )
    return used


def _uses(communicator: Indices, count: int) -> Ints:
    """Count how often each communicator is used: int64, shape (count,)."""
    uses = np.zeros(count + 1, np.int64)
    for some in batches(len(communicator)):
        uses += np.bincount(communicator[some] + 1, minlength=count + 1)
    return uses[1:]


def _families(
    ranks: int, used: list[_UsedCommunicator], axes: Mapping[int, str]
) -> list[list[_UsedCommunicator]]:
    """Gather disjoint communicators of one size that are used alike."""
    families: list[list[_UsedCommunicator]] = []
    taken: list[Bools] = []
    by_shape: dict[tuple[int, bool, str], list[int]] = {}
    for one in used:
        axis = axes.get(one.number, "")
        same = by_shape.setdefault((len(one.ranks), one.messages, axis), [])
        for index in same:
            if not taken[index][one.ranks].any():
                break
        else:
            if len(families) == MAX_FAMILIES:
                continue
            index = len(families)
            families.append([])
            taken.append(np.zeros(ranks, bool))
            same.append(index)
        families[index].append(one)
        taken[index][one.ranks] = True
    return families


def _part(
    trace: Trace, group: list[_UsedCommunicator], patterns: Patterns, axis: str
) -> IdentifiedPart | None:
    numbers = [one.number for one in group]
    ranks = np.unique(np.concatenate([one.ranks for one in group]))
    here = np.flatnonzero(np.isin(trace.collectives.communicator, numbers))
    matches: tuple[Match, ...]
    if group[0].messages:
        chosen = np.isin(trace.messages.communicator, numbers)
        traffic = communication_matrix(trace, chosen)
        matches = identify(traffic, patterns=patterns).matches[:1]
        begin, end = message_window(trace, chosen)
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
    remark = ", ".join(filter(None, (remark, f"along {axis}" * bool(axis))))
    return IdentifiedPart(
        by="communicator",
        name=name,
        begin=begin,
        end=end,
        ranks=ranks,
        matches=matches,
        remark=remark,
    )


def _operations(trace: Trace, here: Ints, how: str) -> str:
    calls = trace.collectives.call[here]
    codes = trace.regions.operation[trace.calls.region[calls[calls >= 0]]]
    named = [trace.regions.operations[c] for c in np.unique(codes[codes >= 0])]
    return f"{how} " + ", ".join(named) if named else ""


def _by_collectives(
    trace: Trace, group: list[_UsedCommunicator], here: Ints
) -> tuple[Match, ...]:
    """Match the collective operations as if each were messages between members."""
    root = trace.collectives.root[here]
    size = len(group[0].ranks)
    rooted = len(group) == 1 and len(root) > 0 and (root == max(root[0], 0)).all()
    if (
        len(group) * (size - 1 if rooted else size * (size - 1) // 2)
        > MAX_ALL_TO_ALL_PAIRS
    ):
        return ()
    topology = star(size) if rooted else complete(size)
    if len(group) > 1:
        topology = copies(len(group), topology)
    members = np.concatenate([one.ranks for one in group])
    if rooted:
        members = np.append(root[:1], members[members != root[0]])
    return (whole_match(trace.ranks, topology, members),)


def _call_window(trace: Trace, here: Ints) -> tuple[int, int]:
    calls = trace.collectives.call[here]
    calls = calls[calls >= 0]
    if not len(calls):
        return 0, 0
    return int(trace.calls.enter[calls].min()), int(trace.calls.leave[calls].max())


def find_parts(  # noqa: PLR0913
    trace: Trace,
    matrix: CommunicationMatrix,
    report: Report = silent,
    patterns: Patterns = (),
    identification: Identification | None = None,
    phases: tuple[IdentifiedPart, ...] | None = None,
) -> tuple[IdentifiedPart, ...]:
    """Identify the topology in each phase, communicator, component and kind of message.

    Parameters
    ----------
    trace
        The trace.
    matrix
        Its point-to-point traffic.
    report
        Told what is looked at; may raise `Cancelled`.
    patterns
        The user's own patterns; they go before the library.
    identification
        What the whole run was identified as: where it leaves pairs, it is split.
    phases
        Those of `phase_parts`; None: they are sought.

    Returns
    -------
    tuple of Part
        Phases only if patterns differ, components only if there are several; first
        what is inferred of calls whose partners are not recorded.
    """
    split = (
        ()
        if identification is None
        else split_parts(trace, matrix, identification, report, patterns)
    )
    return (
        *inferred_parts(trace, matrix),
        *(phase_parts(trace, report, patterns) if phases is None else phases),
        *communicator_parts(
            trace, report, patterns, identification.plan if identification else None
        ),
        *component_parts(trace, matrix, report, patterns),
        *split,
    )


def phase_parts(
    trace: Trace,
    report: Report = silent,
    patterns: Patterns = (),
    facts: PhaseFacts | None = None,
) -> tuple[IdentifiedPart, ...]:
    """Identify the topology in each phase; none if all have the same."""
    phases = find_phases(trace, report, facts)
    if phases is None:
        return ()
    matches: list[tuple[Match, ...]] = []
    ranks: list[Indices] = []
    messages, chosen = trace.messages, scratch(len(trace.messages), np.bool_)
    for kind in range(len(phases.names)):
        report("identifying phases", kind / len(phases.names))
        seen = np.zeros(trace.ranks, np.bool_)
        for some in batches(len(messages)):
            chosen[some] = phases.kind_of(some) == kind
            for ends in (messages.sender[some], messages.receiver[some]):
                own = ends[chosen[some]]
                seen[own[(own >= 0) & (own < trace.ranks)]] = True
        traffic = communication_matrix(trace, chosen)
        matches.append(identify(traffic, patterns=patterns).matches[:1])
        ranks.append(np.flatnonzero(seen).astype(np.int32))
    single = phases.times.max() == 1
    if not single and any(best.topology.is_unknown for best, *_ in matches):
        return ()  # stretches that alternate all the time, cut anywhere
    parts = []
    for i, kind in enumerate(phases.kind.tolist()):
        name = phases.names[kind]
        times = f"{phases.times[i]} times"
        parts.append(
            IdentifiedPart(
                by="phase",
                name=f"{i + 1}" if single else name or chr(65 + kind),
                begin=int(phases.begin[i]),
                end=int(phases.end[i]),
                ranks=ranks[kind],
                matches=matches[kind],
                remark=name if single else times,
            )
        )
    return tuple(parts)
