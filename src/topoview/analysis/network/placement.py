"""Which network a machine has, and on which of its nodes each rank ran.

Three things are taken, each from the first source that has it:

- on which host each rank ran: the user's file, ranks on a node that the user
  states, the trace's system tree;
- the network: what the user assumes, cables in a file, coordinates of hosts in a file
  or in their names, which make a mesh; hosts without any of these are taken to be on
  one switch;
- where each host is in it: coordinates, names of the vertices, numbers in names as
  nodes, and last the order of the hosts.

The result says what was understood, and what is missing.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from topoview.analysis.network.networks import assumed_network, fat_tree, graph, grid
from topoview.base.text import plural
from topoview.errors import UsageError
from topoview.io.machine import read_machine
from topoview.io.machine.names import NameCoordinates, coordinates_of_names
from topoview.model import (
    NOWHERE_PLACED,
    Indices,
    Ints,
    MachineChoice,
    MachineFacts,
    Network,
    Placement,
    Trace,
    coordinates_of,
    distinct,
)

NOTHING = MachineChoice()
"""The trace alone tells of the machine."""


class _Hosts(NamedTuple):
    """Names of hosts, and the host of each rank; -1 where unknown."""

    names: tuple[str, ...]
    of_rank: Indices
    source: str
    assumed: bool = False


class _Places(NamedTuple):
    """Node of each host in the network, -1 for hosts that are not in it."""

    node: Ints
    source: str
    assumed: bool = False


def machine_network(
    trace: Trace, choice: MachineChoice = NOTHING
) -> tuple[Network, Placement]:
    """Find the network, and where ranks are in it.

    Parameters
    ----------
    trace
        With its system tree, if it has one.
    choice
        What the user says.

    Raises
    ------
    PlacementError
        The user's file cannot be read.
    UsageError
        Nothing tells of nodes, or what the user says does not fit.
    """
    facts = machine_facts(choice.file)
    hosts = _hosts(trace, choice, facts)
    if not (choice.kind or len(facts.cables)) and len(hosts.names) < 2:
        sources = "; ".join((*facts.sources, hosts.source))
        raise UsageError(
            f"{trace.name} does not describe the machine's network ({sources}): give a "
            "file that does, assume a network such as a torus of 4x4x4 nodes, or say "
            "how many ranks run on a node"
        )
    places = _coordinates(hosts.names, facts, choice)
    network, words, assumed = _network(choice, facts, hosts, places)
    node_places = _nodes(network, hosts, places)
    node = np.full(trace.ranks, NOWHERE_PLACED, np.int32)
    has_host = hosts.of_rank >= 0
    node[has_host] = node_places.node[hosts.of_rank[has_host]]
    names = [""] * network.nodes
    for name, at in zip(hosts.names, node_places.node.tolist(), strict=True):
        if at >= 0:
            names[at] = name
    missing = [*facts.missing]
    if lost := int((node < 0).sum()):
        missing.append(f"the node of {plural(lost, 'rank')}: not in the network")
    if network.kind == "mesh" and not choice.kind:
        missing.append("whether it wraps: coordinates do not show that")
    all_sources = (*facts.sources, hosts.source, words, node_places.source)
    return network, Placement(
        node,
        tuple(names),
        tuple(dict.fromkeys(filter(None, all_sources))),
        tuple(missing),
        assumed or node_places.assumed or hosts.assumed,
    )


def machine_facts(file: str) -> MachineFacts:
    """Read the user's file; it says nothing without one.

    Raises
    ------
    PlacementError
        It cannot be read.
    """
    return read_machine(Path(file)) if file else MachineFacts("")


def _hosts(trace: Trace, choice: MachineChoice, facts: MachineFacts) -> _Hosts:
    ranks = trace.ranks
    if len(facts.host_of_rank):
        table = np.full(ranks, -1, np.int32)
        table[: len(facts.host_of_rank)] = facts.host_of_rank[:ranks]
        return _Hosts(facts.hosts, table, f"hosts of ranks from the {facts.form}")
    words = trace.hosts[:ranks]
    names = tuple(dict.fromkeys(filter(None, words)))
    # one host is where somebody tried the program, if a network is spoken of
    spoken = choice.kind or choice.file or choice.per_node
    if not choice.per_node and (len(names) > 1 or (names and not spoken)):
        number = {name: k for k, name in enumerate(names)}
        of_rank = np.array([number.get(word, -1) for word in words], np.int32)
        remark = f"{plural(len(names), 'host')} from the trace's system tree"
        return _Hosts(names, of_rank, remark)
    per_node = choice.per_node or facts.per_node
    if not per_node and not spoken:
        return _Hosts((), np.full(ranks, -1, np.int32), "no hosts in the trace")
    if not per_node:
        count = len(facts.hosts) or _size(choice) or ranks
        per_node = -(-ranks // count)
    rank = np.arange(ranks)
    if len(facts.ranks_in_order):
        order = facts.ranks_in_order[facts.ranks_in_order < ranks]
        if len(order) < ranks:
            raise UsageError(
                f"the {facts.form} orders {len(order)} ranks, {trace.name} has {ranks}"
            )
        rank[order] = np.arange(ranks)
    of_rank = (rank // per_node).astype(np.int32)
    count = int(of_rank.max(initial=0)) + 1
    if facts.hosts and count > len(facts.hosts):
        raise UsageError(
            f"{ranks} ranks, {per_node} on a node, need {count} nodes: the "
            f"{facts.form} has {len(facts.hosts)}"
        )
    remark = f"ranks one node after the other, {per_node} on each: assumed"
    hosts = facts.hosts if not len(facts.cables) else facts.hosts[:count]
    return _Hosts(hosts or ("",) * count, of_rank, remark, assumed=True)


def _size(choice: MachineChoice) -> int:
    return assumed_network(choice.kind, choice.dims).nodes if choice.kind else 0


def _coordinates(
    names: Sequence[str], facts: MachineFacts, choice: MachineChoice
) -> NameCoordinates:
    if facts.coordinates.size and not choice.names:
        number = {name: k for k, name in enumerate(facts.hosts)}
        row = [_entry(number, name, -1) for name in names]
        if row and min(row) >= 0:
            source = f"coordinates from the {facts.form}"
            return NameCoordinates(facts.coordinates[row], source)
    if not any(names):
        if choice.names:
            raise UsageError(f"no names of hosts are known that {choice.names!r} fits")
        return NameCoordinates(np.zeros((len(names), 0), np.int32), "")
    result = coordinates_of_names(names, choice.names)
    if not result.source:
        return result
    return result._replace(source=f"coordinates from names {result.source}")


def _entry(table: Mapping[str, int], name: str, without: int) -> int:
    """Look a host up, by its name and by that without its domain."""
    return table.get(name, table.get(name.partition(".")[0], without))


def _network(
    choice: MachineChoice, facts: MachineFacts, hosts: _Hosts, places: NameCoordinates
) -> tuple[Network, str, bool]:
    """Choose the network; say how, and whether it is assumed."""
    if choice.kind:
        network = assumed_network(choice.kind, choice.dims)
        return network, f"{network.name}: assumed", True
    if len(facts.cables):
        names = (*facts.hosts, *facts.switches)
        what = (
            f"tree of {plural(len(facts.switches), 'switch')}".replace(
                "switchs", "switches"
            )
            if len(facts.cables) == len(names) - 1 and facts.switches
            else ""
        )
        network = graph(len(facts.hosts), facts.cables, names, what)
        return network, f"{network.name} from the {facts.form}", False
    dims = places.coordinates.shape[1]
    if places.is_mesh and (dims > 1 or (dims == 1 and facts.coordinates.size)):
        low, high = places.coordinates.min(0), places.coordinates.max(0)
        extents = (high - low + 1).tolist()
        if math.prod(extents) <= len(hosts.names) * MAX_HOLES:
            network = grid(extents, periodic=False)
            return network, f"{network.name}: the box around the coordinates", False
    network = fat_tree((len(hosts.names),))
    return network, f"{network.name}: assumed, no coordinates are known", True


MAX_HOLES = 64
"""Nodes of the box around coordinates for each host, above which they are no places."""


def _nodes(network: Network, hosts: _Hosts, places: NameCoordinates) -> _Places:
    """Find the node of each host."""
    count = len(hosts.names)
    if network.kind == "graph":
        vertex = {name: k for k, name in enumerate(network.names[: network.nodes])}
        if any(hosts.names):
            node = np.array([_entry(vertex, name, -1) for name in hosts.names])
            if (node >= 0).any():
                return _Places(node, "hosts are the vertices of their names")
        return _in_order(network, count)
    rows = places.coordinates.astype(np.int64)
    if network.is_grid and rows.shape[1] == len(network.dims):
        low = rows.min(0)
        inside = (rows < network.dims).all()
        remark = places.source
        if not inside:
            rows = rows - low
            remark += f", counted from ({', '.join(map(str, low.tolist()))})"
        if not (rows < network.dims).all():
            worst = hosts.names[int((rows >= network.dims).any(1).argmax())]
            raise UsageError(
                f"host {worst} lies outside of the {network.name}: {places.source}; "
                "assume a larger network"
            )
        strides = np.cumprod([1, *network.dims[:-1]])
        return _Places(rows @ strides, remark)
    if rows.shape[1] == 1:
        number = rows[:, 0] - rows[:, 0].min()
        if number.max(initial=0) < network.nodes:
            remark = (
                f"nodes numbered as {places.source.removeprefix('coordinates from ')}"
            )
            return _Places(number, f"{remark}, from the lowest on", assumed=True)
    if rows.shape[1] > 1 and not network.is_grid and count <= network.nodes:
        number = np.empty(count, np.int64)
        number[np.lexsort(rows.T[::-1])] = np.arange(count)
        remark = places.source.removeprefix("coordinates from ")
        return _Places(number, f"hosts on nodes in the order of {remark}", assumed=True)
    return _in_order(network, count)


def _in_order(network: Network, count: int) -> _Places:
    if count > network.nodes:
        raise UsageError(
            f"{plural(count, 'node')} with ranks do not fit on {network.name}, which "
            f"has {network.nodes}: assume a larger network, or more ranks on a node"
        )
    way = ", x fastest" if network.is_grid else ""
    remark = f"hosts on nodes in their order{way}: assumed"
    return _Places(np.arange(count), remark, assumed=True)


def extent_of(network: Network, nodes: Ints | Indices) -> tuple[int, ...]:
    """Return how many places nodes take along each dimension of a grid.

    Around a torus that is the shortest stretch that holds all of them.
    """
    rows = coordinates_of(nodes, network.dims)
    extents = []
    for axis, extent in enumerate(network.dims):
        places = distinct(rows[:, axis])
        if not len(places):
            extents.append(0)
        elif network.periodic[axis]:
            gaps = np.diff(np.append(places, places[0] + extent))
            extents.append(int(extent - gaps.max() + 1))
        else:
            extents.append(int(places[-1] - places[0]) + 1)
    return tuple(extents)
