"""What goes over the machine's links in a part of a run, and what loads a link."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from topoview.analysis.network import routing
from topoview.analysis.network.measured_traffic import (
    measured_traffic,
    traffic_counters,
)
from topoview.analysis.network.placement import NOTHING, machine_network
from topoview.analysis.network.traffic import link_loads
from topoview.base.progress import Report, silent
from topoview.base.text import tr
from topoview.errors import UsageError
from topoview.live.tables.scope import Scope
from topoview.model import (
    Analysis,
    CommunicationMatrix,
    Floats,
    Indices,
    Ints,
    LinkLoads,
    MachineChoice,
    Mapping,
    Mappings,
    Placement,
    Trace,
    places_among,
)
from topoview.topology.identification.traffic import cut_matrix

if TYPE_CHECKING:
    from topoview.analysis.network.mappings import RankLattice


@dataclass(frozen=True, slots=True)
class NetworkRequest:
    """Traffic of a part of a run on a machine's network."""

    scope: Scope
    """Which messages."""
    machine: MachineChoice = NOTHING
    """What the user says of the machine."""
    level: int = 0
    """Level of volume among the pairs that count, as identification counts levels; 0:
    all pairs."""
    collectives: bool = False
    """Whether collective operations of the scope count, too, as a model of each."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkTraffic:
    """The answer: loads, and what they are made of."""

    loads: LinkLoads
    """Of the links."""
    matrix: CommunicationMatrix
    """What ranks send each other."""


def network_traffic(request: NetworkRequest) -> NetworkTraffic:
    """Put the messages of a part of a run on the links.

    Raises
    ------
    UsageError, PlacementError
        Nothing tells of the machine, or what the user says does not fit.
    """
    scope, machine = request.scope, request.machine
    trace = scope.analysis.trace
    network, placement = machine_network(trace, machine)
    matrix = _counted(request)
    loads = link_loads(matrix, network, placement)
    if not (scope.query or scope.ranks or request.level):
        loads = beside_measured(trace, loads, machine, scope.window)
    elif machine.counters:
        raise UsageError(
            "counters count all that was sent: leave out --find, --communicator, "
            "--ranks and --level"
        )
    return NetworkTraffic(loads, matrix)


def beside_measured(
    trace: Trace,
    loads: LinkLoads,
    machine: MachineChoice,
    window: tuple[int, int] | None = None,
) -> LinkLoads:
    """Add what counters measured in a window, or in the run; raises as above."""
    measured = measured_traffic(trace, loads, machine.counters, window)
    return replace(loads, measured=measured)


def traffic_of_matrix(
    trace: Trace, machine: MachineChoice, matrix: CommunicationMatrix
) -> NetworkTraffic:
    """Put messages that are counted already on the links; raises as above."""
    network, placement = machine_network(trace, machine)
    loads = link_loads(matrix, network, placement)
    return NetworkTraffic(loads, matrix)


def understood(trace: Trace, machine: MachineChoice) -> tuple[str, Placement]:
    """Return the network that a choice means, and the placement; raises as above."""
    network, placement = machine_network(trace, machine)
    names = dict.fromkeys(c.name for c in traffic_counters(trace, machine.counters))
    if names:
        remark = tr("measured by {name}", name=", ".join(list(names)[:4]))
        placement = replace(placement, sources=(*placement.sources, remark))
    return network.name, placement


def near_cube(nodes: int) -> str:
    """Suggest extents of a torus of that many nodes, as alike as they can be.

    >>> near_cube(512), near_cube(24), near_cube(7)
    ('8x8x8', '4x3x2', '7x1x1')
    """
    factors, left = [], nodes
    for rest in (3, 2):
        wanted = round(left ** (1 / rest))
        parts = [part for part in range(1, left + 1) if left % part == 0]
        near = min(parts, key=lambda part: (abs(part - wanted), -part))
        factors.append(near)
        left //= near
    return "x".join(map(str, sorted([*factors, left], reverse=True)))


def mappings_of(request: NetworkRequest, report: Report = silent) -> Mappings:
    """Find better mappings for a part of a run.

    Raises
    ------
    UsageError, PlacementError
        As `network_traffic`; or the node of a rank is not known.
    """
    from topoview.analysis.network.mappings import map_ranks  # imports SciPy

    analysis = request.scope.analysis
    network, placement = machine_network(analysis.trace, request.machine)
    volume = _counted(request).volume
    return map_ranks(volume, network, placement, _lattice(analysis), report)


def mappings_of_traffic(analysis: Analysis, traffic: NetworkTraffic) -> Mappings:
    """Find better mappings for traffic that is known; raises as above."""
    from topoview.analysis.network.mappings import map_ranks

    loads, volume = traffic.loads, traffic.matrix.volume
    return map_ranks(volume, loads.network, loads.placement, _lattice(analysis))


def remapped(traffic: NetworkTraffic, mapping: Mapping) -> NetworkTraffic:
    """Return the traffic as it would be with another mapping."""
    return NetworkTraffic(mapping.loads, traffic.matrix)


def _lattice(analysis: Analysis) -> "RankLattice | None":
    from topoview.analysis.network.mappings import lattice_of

    identification = analysis.identification
    return lattice_of(
        identification.best if identification else None, analysis.trace.ranks
    )


def _counted(request: NetworkRequest) -> CommunicationMatrix:
    matrix = request.scope.matrix(collectives=request.collectives)
    return cut_matrix(matrix, request.level)[0]


@dataclass(frozen=True, slots=True, eq=False)
class PairsOnLink:
    """Pairs of ranks whose messages go over a link, most bytes first."""

    sender: Ints
    receiver: Ints
    """`sender` and `receiver`: int64, shape (n,): world ranks."""
    bytes: Floats
    """float64, shape (n,): that go over the link."""
    hops: Ints
    """int64, shape (n,): links of their routes."""


def pairs_on_link(network_traffic: NetworkTraffic, link: int) -> PairsOnLink:
    """Find the pairs of ranks that load a link."""
    matrix = network_traffic.matrix
    sender, receiver = (
        np.asarray(ends, np.int64) for ends in (matrix.sender, matrix.receiver)
    )
    node = network_traffic.loads.placement.node.astype(np.int64)
    there = (node[sender] >= 0) & (node[receiver] >= 0) & (matrix.sizes > 0)
    sender, receiver, size = sender[there], receiver[there], matrix.sizes[there]
    network = network_traffic.loads.network
    part = routing.shares(network, node[sender], node[receiver], link)
    crossing = np.flatnonzero(part)
    order = crossing[np.argsort(-(part * size)[crossing], kind="stable")]
    sender, receiver = sender[order], receiver[order]
    hops = routing.distances(network, node[sender], node[receiver])
    return PairsOnLink(
        sender, receiver, (part * size)[order], np.asarray(hops, np.int64)
    )


def links_of_pair(loads: LinkLoads, sender: int, receiver: int) -> Ints:
    """Find the links that messages from a rank to another go over: int64."""
    source, target = (int(loads.placement.node[rank]) for rank in (sender, receiver))
    if min(source, target) < 0:
        return np.zeros(0, np.int64)
    return routing.route(loads.network, source, target)[0]


@dataclass(frozen=True, slots=True, eq=False)
class LinkCauses:
    """What loads a link, most bytes first: numbers and bytes."""

    statements: tuple[tuple[int, float], ...]
    """Statements of the logical trace that send."""
    communicators: tuple[tuple[int, float], ...]
    """Communicators that messages are sent in."""
    total: float
    """Bytes of all messages over the link."""


def causes_on_link(
    analysis: Analysis, traffic: NetworkTraffic, pairs: PairsOnLink
) -> LinkCauses:
    """Find the statements and communicators whose messages go over a link.

    Messages of the whole run count by the share of their pair that takes the link.
    """
    trace, messages = analysis.trace, analysis.trace.messages
    ranks = trace.ranks
    key = pairs.sender * ranks + pairs.receiver
    if not len(key):
        return LinkCauses((), (), 0.0)
    volume = np.asarray(traffic.matrix.volume[pairs.sender, pairs.receiver]).ravel()
    order = np.argsort(key)
    share = (pairs.bytes / np.maximum(volume, 1))[order]
    key = key[order]
    of = messages.sender.astype(np.int64) * ranks + messages.receiver
    at = places_among(key, of)
    own = np.flatnonzero(at >= 0)
    size = messages.size[own] * share[at[own]]
    logical = analysis.logical
    statements: tuple[tuple[int, float], ...] = ()
    if logical is not None:
        call = messages.send_call[own]
        sent = call >= 0
        number = np.asarray(logical.statement_of_call)[call[sent]]
        statements = _most(number, size[sent])
    return LinkCauses(
        statements, _most(messages.communicator[own], size), float(size.sum())
    )


def _most(number: Indices, size: Floats) -> tuple[tuple[int, float], ...]:
    valid = number >= 0
    sums = np.bincount(number[valid], size[valid])
    order = np.argsort(-sums, kind="stable")
    return tuple((int(k), float(sums[k])) for k in order if sums[k] > 0)
