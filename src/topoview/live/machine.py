"""On which node each rank ran: of the system tree, or of a placement file."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from topoview.io.machine.tables import placement_stamp, placement_tells, read_placement
from topoview.model import Indices, Machine, Trace

__all__ = ["machine_of", "placement_stamp", "placement_tells", "read_placement"]


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
        machine = read_placement(Path(placement), trace.ranks)
        if not machine.levels:
            machine = replace(_machine_of_trace(trace), places=machine.places)
    else:
        machine = _machine_of_trace(trace)
    return replace(machine, communicator=_smallest_communicators(trace))


def _machine_of_trace(trace: Trace) -> Machine:
    """Return the nodes, and the units that they are in."""
    names = trace.hosts
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
    """Name what each node is in, and what that is called; empty if unknown."""
    by_name = {node.name: node for node in trace.nodes}
    if len(by_name) < len(trace.nodes) or not all(name in by_name for name in nodes):
        return [], ""
    parents = [by_name[name].parent for name in nodes]
    if min(parents) < 0:
        return [], ""
    return [trace.nodes[k].name for k in parents], trace.nodes[
        parents[0]
    ].kind or "rack"


def _smallest_communicators(trace: Trace) -> Indices:
    """Find the smallest communicator that a rank shares with some, not with all."""
    size = np.full(trace.ranks, trace.ranks, np.int64)
    smallest = np.full(trace.ranks, -1, np.int32)
    for number, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks[communicator.ranks >= 0]
        if 1 < len(ranks) < trace.ranks:
            smaller = ranks[size[ranks] > len(ranks)]
            size[smaller], smallest[smaller] = len(ranks), number
    return smallest if (smallest >= 0).any() else np.zeros(0, np.int32)
