"""What goes over the machine's links in a part of a run, and what loads a link."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from topoview.analysis.network import routing
from topoview.analysis.network.mappings import Mappings, lattice_of, map_ranks
from topoview.analysis.network.placement import NOTHING, machine_network
from topoview.analysis.network.traffic import (
    collective_matrix,
    level_matrix,
    link_loads,
)
from topoview.errors import UsageError
from topoview.live.tables.scope import Scope
from topoview.model import Floats, Ints, LinkLoads, MachineChoice
from topoview.progress import Report, silent


@dataclass(frozen=True, slots=True)
class NetworkRequest:
    """Traffic of a part of a run on a machine's network.

    Attributes
    ----------
    scope
        Which messages.
    machine
        What the user says of the machine.
    level
        Level of volume, as identification tells them; 0: all pairs.
    collectives
        Whether collective operations are modelled, too: of the scope's window.
    """

    scope: Scope
    machine: MachineChoice = NOTHING
    level: int = 0
    collectives: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NetworkTraffic:
    """The answer: loads, and what they are made of.

    Attributes
    ----------
    loads
        Of the links.
    volume : scipy.sparse.csr_array, int64, shape (ranks, ranks)
        Bytes between ranks.
    modelled
        Collective operations that count, and how they were modelled.
    """

    loads: LinkLoads
    volume: csr_array
    modelled: tuple[str, ...] = ()


def network_traffic(asked: NetworkRequest) -> NetworkTraffic:
    """Put the messages of a part of a run on the links.

    Raises
    ------
    UsageError, PlacementError
        Nothing tells of the machine, or what the user says does not fit.
    """
    network, placement = machine_network(asked.scope.known.trace, asked.machine)
    volume, modelled = _volume(asked)
    return NetworkTraffic(link_loads(volume, network, placement), volume, modelled)


def mappings_of(asked: NetworkRequest, report: Report = silent) -> Mappings:
    """Find better mappings for a part of a run.

    Raises
    ------
    UsageError, PlacementError
        As `network_traffic`; or the node of a rank is not known.
    """
    known = asked.scope.known
    network, placement = machine_network(known.trace, asked.machine)
    volume, _ = _volume(asked)
    found = known.identification
    lattice = lattice_of(found.best if found else None, known.trace.ranks)
    return map_ranks(volume, network, placement, lattice, report)


def _volume(asked: NetworkRequest) -> tuple[csr_array, tuple[str, ...]]:
    matrix = asked.scope.matrix()
    volume = level_matrix(matrix, asked.level) if asked.level else matrix.volume
    if not asked.collectives:
        return volume, ()
    query = asked.scope.query
    if query or asked.scope.ranks:
        raise UsageError(
            "collective operations are modelled of the whole run, a window or a phase: "
            "leave out --find, --communicator and --ranks"
        )
    more, told = collective_matrix(asked.scope.known.trace, asked.scope.window)
    return (volume + more).tocsr(), told


@dataclass(frozen=True, slots=True, eq=False)
class PairsOnLink:
    """Pairs of ranks whose messages go over a link, most bytes first.

    Attributes
    ----------
    sender, receiver : int64, shape (n,)
        World ranks.
    bytes : float64, shape (n,)
        That go over the link.
    hops : int64, shape (n,)
        Links of their routes.
    """

    sender: Ints
    receiver: Ints
    bytes: Floats
    hops: Ints


def pairs_on_link(known: NetworkTraffic, link: int) -> PairsOnLink:
    """Find the pairs of ranks that load a link."""
    pairs = known.volume.tocoo()
    sender, receiver = (np.asarray(ends, np.int64) for ends in pairs.coords)
    node = known.loads.placement.node.astype(np.int64)
    there = (node[sender] >= 0) & (node[receiver] >= 0) & (pairs.data > 0)
    sender, receiver, size = sender[there], receiver[there], pairs.data[there]
    network = known.loads.network
    part = routing.shares(network, node[sender], node[receiver], link)
    found = np.flatnonzero(part)
    order = found[np.argsort(-(part * size)[found], kind="stable")]
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


def links_of_ranks(known: NetworkTraffic, ranks: Ints) -> Floats:
    """Sum up what ranks send and receive: bytes on each link, float64, (links,)."""
    pairs = known.volume.tocoo()
    chosen = np.zeros(known.volume.shape[0], bool)
    chosen[ranks] = True
    one, other = (np.asarray(ends, np.int64) for ends in pairs.coords)
    keep = chosen[one] | chosen[other]
    some = csr_array(
        (pairs.data[keep], (one[keep], other[keep])), shape=known.volume.shape
    )
    return link_loads(some, known.loads.network, known.loads.placement).bytes
