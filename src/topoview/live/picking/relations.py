"""Ranks that have to do with others: a table of functions for selecting them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.base.text import tr
from topoview.model import Analysis, Bools, Indices, Ints, Match, Trace, places_among

AXIS_NAMES = ("x", "y", "z", "w")


@dataclass(frozen=True, slots=True, eq=False)
class RelationRequest:
    """Ranks that others are looked for by."""

    analysis: Analysis
    match: Match
    """`known` and `match`: what is known, and the match that is shown."""
    ranks: Ints
    """int64, shape (n,): at least one."""
    time: int
    """Ticks."""


RanksFound = Bools
"""Which ranks were found: bool, shape (ranks,)."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A row of the table: what it is called, whom it finds, when it makes sense."""

    text: str
    find: Callable[[RelationRequest], RanksFound]
    given: Callable[[Analysis, Match], bool]


def related_ranks(name: str, chosen: RelationRequest) -> tuple[int, ...]:
    """Ranks that stand in a relation of the table to any of those chosen, and these."""
    mask = RELATIONS[name].find(chosen)
    mask[chosen.ranks] = True
    return tuple(np.flatnonzero(mask).tolist())


def _neighbours(chosen: RelationRequest) -> RanksFound:
    matrix = chosen.analysis.matrix
    assert matrix is not None
    mask = np.zeros(matrix.ranks)
    mask[chosen.ranks] = 1
    links = matrix.calls.astype(bool).astype(np.float64)
    result: RanksFound = (links @ mask > 0) | (links.T @ mask > 0)
    return result


def _along(axis: int) -> Callable[[RelationRequest], RanksFound]:
    """Find ranks whose place differs in one coordinate only."""
    return lambda chosen: _alike(chosen, [axis], differ=True)


def _across(axis: int) -> Callable[[RelationRequest], RanksFound]:
    """Find ranks that have the same coordinate in one dimension."""
    return lambda chosen: _alike(chosen, [axis], differ=False)


def _alike(chosen: RelationRequest, axes: list[int], *, differ: bool) -> RanksFound:
    places = chosen.match.coordinates.astype(np.int64)
    kept = np.delete(places, axes, axis=1) if differ else places[:, axes]
    present = chosen.match.vertex >= 0
    _, line = np.unique(kept, axis=0, return_inverse=True)
    wanted = np.unique(line[chosen.ranks[present[chosen.ranks]]])
    result: RanksFound = np.isin(line, wanted) & present
    return result


def _same_communicator(chosen: RelationRequest) -> RanksFound:
    trace = chosen.analysis.trace
    result = np.zeros(trace.ranks, bool)
    mask = np.zeros(trace.ranks, bool)
    mask[chosen.ranks] = True
    for communicator in trace.communicators:
        ranks = communicator.ranks[communicator.ranks >= 0]
        if 1 < len(ranks) < trace.ranks and mask[ranks].any():
            result[ranks] = True
    return result


def _same_node(chosen: RelationRequest) -> RanksFound:
    trace = chosen.analysis.trace
    names = np.array(trace.hosts)
    result: RanksFound = np.isin(names, names[chosen.ranks])
    return result


def _same_state(chosen: RelationRequest) -> RanksFound:
    from topoview.live.moments.moment import moment

    states = moment(chosen.analysis.trace, chosen.time).state
    result: RanksFound = np.isin(states, states[chosen.ranks])
    return result


def _awaited(chosen: RelationRequest) -> RanksFound:
    """Find the ranks that the chosen ones wait for: senders, receivers, latecomers."""
    from topoview.live.call_facts import awaited_partners
    from topoview.live.moments.moment import calls_at

    trace = chosen.analysis.trace
    last, inside = calls_at(trace, chosen.time)
    waiting = chosen.ranks[inside[chosen.ranks]]
    calls = last[waiting]
    result = awaited_partners(chosen.analysis, waiting, calls, chosen.time)
    parts = trace.collectives
    at = places_among(parts.call, calls)
    for communicator in np.unique(parts.communicator[at[at >= 0]]).tolist():
        result[_late(trace, communicator, last, inside)] = True
    return result


def _late(trace: Trace, communicator: int, last: Ints, inside: Bools) -> Indices:
    """Find members of a communicator that are in no collective operation of it."""
    if communicator < 0:
        return np.zeros(0, np.int32)
    parts = trace.collectives
    ranks: Indices = trace.communicators[communicator].ranks
    ranks = ranks[ranks >= 0]
    same = places_among(parts.call, last[ranks])
    there = same >= 0
    there[there] = parts.communicator[same[there]] == communicator
    return ranks[~(there & inside[ranks])]


def _has_links(analysis: Analysis, match: Match) -> bool:
    del match
    return analysis.matrix is not None and len(analysis.matrix.counts) > 0


def _has_axis(axis: int) -> Callable[[Analysis, Match], bool]:
    def given(analysis: Analysis, match: Match) -> bool:
        del analysis
        dims = match.topology.dims
        return match.topology.has_rows and len(dims) > max(axis, 1)

    return given


def _is_solid(axis: int) -> Callable[[Analysis, Match], bool]:
    def given(analysis: Analysis, match: Match) -> bool:
        del analysis
        dims = match.topology.dims
        return match.topology.is_lattice and len(dims) > max(axis, 2)

    return given


def _has_communicators(analysis: Analysis, match: Match) -> bool:
    del match
    return analysis.trace.has_parts


def _has_nodes(analysis: Analysis, match: Match) -> bool:
    del match
    return analysis.trace.has_nodes


def _always(analysis: Analysis, match: Match) -> bool:
    del analysis, match
    return True


RELATIONS: dict[str, Relation] = {
    "neighbours": Relation(tr("Ranks they communicate with"), _neighbours, _has_links),
    "awaited": Relation(tr("Ranks waited for"), _awaited, _always),
    "state": Relation(tr("Ranks in the same state"), _same_state, _always),
    **{
        f"line-{name}": Relation(
            tr("Row along {name}", name=name), _along(i), _has_axis(i)
        )
        for i, name in enumerate(AXIS_NAMES)
    },
    **{
        f"plane-{name}": Relation(
            tr("Plane across {name}", name=name), _across(i), _is_solid(i)
        )
        for i, name in enumerate(AXIS_NAMES)
    },
    "communicator": Relation(
        tr("Ranks in the same communicator"), _same_communicator, _has_communicators
    ),
    "node": Relation(tr("Ranks on the same host"), _same_node, _has_nodes),
}
"""Every relation. To add one is to write a function and a line here."""


def direction_names(
    analysis: Analysis, match: Match | None, sender: int, receiver: int
) -> tuple[str, ...]:
    """Name the ways from one rank to another: as the logical trace, if it is known."""
    if analysis.logical is not None:
        partners = analysis.logical.partners
        own = slice(*partners.offsets[sender : sender + 2].tolist())
        here = partners.direction[own][partners.partner[own] == receiver]
        return tuple(partners.names[d] for d in here.tolist())
    if match is None:
        return ()
    from topoview.topology import directions

    ends = (np.array([rank], np.int32) for rank in (sender, receiver))
    direction, names = directions(match).names(*ends)
    return (names[int(direction[0])],) if direction[0] >= 0 else ()
