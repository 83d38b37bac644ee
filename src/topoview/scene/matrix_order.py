"""In which order the matrix shows the ranks, and where groups of them begin."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.model import Indices, Ints, Match, Trace, freeze
from topoview.scene.timeline.rows import WITHOUT_PLACES, by_place


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """Ranks in the order drawn, along both sides.

    Attributes
    ----------
    ranks : int32, shape (ranks,)
        A permutation of all ranks.
    place : int32, shape (ranks,)
        Place of each rank in it.
    groups : int64, shape (groups,)
        Places at which groups begin (a row of the topology, a node); the first is 0.
    labels
        Name of each group, empty if they have none.
    """

    ranks: Indices
    place: Indices
    groups: Ints
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def arrange(name: str, trace: Trace, match: Match | None) -> Arrangement:
    """Put the ranks in an order of the table; by number if it makes no sense."""
    if name not in possible_arrangements(trace, match):
        name = "rank"
    return ARRANGEMENTS[name](trace, match)


def possible_arrangements(trace: Trace, match: Match | None) -> tuple[str, ...]:
    """Names of the orders that make sense."""
    names = ["rank"]
    if match is not None and len(match.topology.edges):
        names += [] if match.topology.kind in WITHOUT_PLACES else ["place"]
    nodes = {location.node for location in trace.locations[: trace.ranks]}
    return (*names, "node") if len(nodes) > 1 else tuple(names)


def _by_rank(trace: Trace, match: Match | None) -> Arrangement:
    del match
    numbers = np.arange(trace.ranks, dtype=np.int32)
    return Arrangement(numbers, numbers, np.zeros(1, np.int64))


def _by_place(trace: Trace, match: Match | None) -> Arrangement:
    """Row-major by coordinates: x runs fastest."""
    del trace
    assert match is not None
    order = by_place(match)
    return Arrangement(order.ranks, _inverse(order.ranks), order.groups, order.labels)


def _by_node(trace: Trace, match: Match | None) -> Arrangement:
    """Nodes in order of their first rank; within a node by number."""
    del match
    names = [location.node for location in trace.locations[: trace.ranks]]
    number = {name: n for n, name in enumerate(dict.fromkeys(names))}
    node = np.array([number[name] for name in names])
    ranks = np.argsort(node, kind="stable").astype(np.int32)
    groups = np.append(0, np.flatnonzero(np.diff(node[ranks])) + 1)
    return Arrangement(ranks, _inverse(ranks), groups.astype(np.int64), tuple(number))


def _inverse(ranks: Indices) -> Indices:
    place = np.empty(len(ranks), np.int32)
    place[ranks] = np.arange(len(ranks), dtype=np.int32)
    return place


ARRANGEMENTS: dict[str, Callable[[Trace, Match | None], Arrangement]] = {
    "rank": _by_rank,
    "place": _by_place,
    "node": _by_node,
}
"""Every order. To add one is to write a function and a line here."""
