"""Which rank each location belongs to, and on which node each rank ran.

Ranks of locations come from the trace's definitions; nodes and what they are in from
its system tree, or from a placement file of the user's.
"""

from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from topoview.io.placement_file import read_placement
from topoview.model import Indices, Ints, Machine, Timeline, Trace

_RANK_OF_LOCATION: WeakKeyDictionary[Timeline, Ints] = WeakKeyDictionary()
_FURTHER_LOCATIONS: WeakKeyDictionary[Timeline, dict[str, Ints]] = WeakKeyDictionary()


def rank_of_location(trace: Trace) -> Ints:
    """Give the rank of each location; made once.

    Returns
    -------
    int64, shape (locations,)
        -1 for a location of no rank of the trace.
    """
    if trace.timeline not in _RANK_OF_LOCATION:
        ranks = np.array([place.rank for place in trace.locations], np.int64)
        ranks[ranks >= trace.ranks] = -1
        ranks.flags.writeable = False
        _RANK_OF_LOCATION[trace.timeline] = ranks
    return _RANK_OF_LOCATION[trace.timeline]


def further_locations(trace: Trace, kind: str) -> Ints:
    """Find the locations of a kind that are no main threads of ranks; made once.

    Parameters
    ----------
    kind
        ``thread`` or ``accelerator``.

    Returns
    -------
    int64, shape (n,)
        Rows of the timeline, ascending.
    """
    kept = _FURTHER_LOCATIONS.setdefault(trace.timeline, {})
    if kind not in kept:
        same = np.array([place.kind == kind for place in trace.locations], bool)
        same[: trace.ranks] = False
        rows = np.flatnonzero(same & (rank_of_location(trace) >= 0))
        rows.flags.writeable = False
        kept[kind] = rows
    return kept[kind]


def machine_of(trace: Trace, placement: str = "") -> Machine:
    """Find the units that ranks ran on.

    Parameters
    ----------
    trace
        With its system tree, if it has one.
    placement
        Path of a placement file, which goes before the trace; may be empty.

    Raises
    ------
    PlacementError
        The file cannot be read.
    """
    if placement:
        found = read_placement(Path(placement), trace.ranks)
        if not found.levels:
            found = replace(_machine_of_trace(trace), places=found.places)
    else:
        found = _machine_of_trace(trace)
    return replace(found, communicator=_smallest_communicators(trace))


def has_nodes(trace: Trace) -> bool:
    """Tell whether a trace says on which nodes its ranks ran: at once."""
    return bool(trace.locations) and bool(trace.locations[0].node)


def _machine_of_trace(trace: Trace) -> Machine:
    """Take nodes, and what they are in, if it parts them."""
    names = [place.node for place in trace.locations[: trace.ranks]]
    if not any(names):
        return Machine()
    number: dict[str, int] = {}
    leaf = np.array([number.setdefault(n, len(number)) for n in names], np.int32)
    levels, units, words = ["node"], [leaf], [tuple(number)]
    above, kind = _units_above(trace, tuple(number))
    if above:
        outer: dict[str, int] = {}
        racks = np.array([outer.setdefault(a, len(outer)) for a in above], np.int32)
        if 1 < len(outer) < len(number):
            levels.insert(0, kind)
            units.insert(0, racks[leaf])
            words.insert(0, tuple(outer))
    return Machine(tuple(levels), np.stack(units), tuple(words))


def _units_above(trace: Trace, nodes: tuple[str, ...]) -> tuple[list[str], str]:
    """Name what each node is in, and what that is called; empty if it is not known."""
    by_name = {node.name: node for node in trace.nodes}
    if len(by_name) < len(trace.nodes) or not all(name in by_name for name in nodes):
        return [], ""
    found = [by_name[name].parent for name in nodes]
    if min(found) < 0:
        return [], ""
    return [trace.nodes[k].name for k in found], trace.nodes[found[0]].kind or "rack"


def _smallest_communicators(trace: Trace) -> Indices:
    """Find the smallest communicator that a rank shares with some, not with all."""
    size = np.full(trace.ranks, trace.ranks, np.int64)
    found = np.full(trace.ranks, -1, np.int32)
    for number, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks[communicator.ranks >= 0]
        if 1 < len(ranks) < trace.ranks:
            smaller = ranks[size[ranks] > len(ranks)]
            size[smaller], found[smaller] = len(ranks), number
    return found if (found >= 0).any() else np.zeros(0, np.int32)
