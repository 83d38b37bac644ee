"""The network of a machine, where ranks are in it, and what goes over its links."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from topoview.model.arrays import Floats, Frozen, Indices, Ints, Table, occurring

NOWHERE_PLACED: Final = -1
"""Node of a rank whose place is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Network(Frozen):
    """Nodes and switches of a machine, and the links between them.

    Vertices below `nodes` are those that ranks run on, the others switches. A cable is
    two links, one each way: traffic is told for each.

    Attributes
    ----------
    kind
        ``torus``, ``mesh``, ``fat tree``, ``dragonfly`` or ``graph``.
    name
        Name shown: ``3D torus 4x4x4``.
    dims
        Of a torus or mesh: its extents, x first, which changes fastest with the
        node. Of a fat tree: children of a switch, level by level from the nodes. Of a
        dragonfly: nodes on a router, routers in a group, groups. Empty for a graph.
    nodes, vertices
        Number of nodes, and of nodes and switches.
    links : int32, shape (links, 2)
        Vertices that each link leads from and to.
    direction : int32, shape (links,)
        Index into `directions`.
    directions
        What kinds of links there are: ``x+``, ``x-``, ...; ``up 1``, ``down 1``, ...
    periodic
        Of a torus or mesh: whether each dimension wraps. A dimension of two nodes has
        one cable, whether it wraps or not.
    parents
        Of a fat tree: parents of a switch, level by level from the nodes.
    names
        Names of the vertices where a file gives them, else none.
    slot : int64, shape (links,)
        Number that formulas give each link, ascending. Of a graph, whose routes are
        searched for, its key ``from * vertices + to``.
    """

    kind: str
    name: str
    dims: tuple[int, ...]
    nodes: int
    vertices: int
    links: Indices
    direction: Indices
    directions: tuple[str, ...]
    slot: Ints
    periodic: tuple[bool, ...] = ()
    parents: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_grid(self) -> bool:
        """Whether nodes have coordinates: a torus or a mesh."""
        return self.kind in ("torus", "mesh")

    def coordinates(self) -> Indices:
        """Place of each node of a grid, x first: int32, shape (nodes, dims)."""
        return coordinates_of(np.arange(self.nodes), self.dims)

    def vertex_name(self, vertex: int) -> str:
        """Name a vertex: as a file does, by its coordinates, or by its number."""
        if self.names:
            return self.names[vertex]
        if self.is_grid:
            place = coordinates_of(np.array([vertex]), self.dims)[0]
            return f"({','.join(map(str, place.tolist()))})"
        if vertex < self.nodes:
            return f"node {vertex}"
        word = "router" if self.kind == "dragonfly" else "switch"
        return f"{word} {vertex - self.nodes}"


def coordinates_of(node: Ints | Indices, dims: tuple[int, ...]) -> Indices:
    """Place of nodes of a grid, x first, which changes fastest.

    Parameters
    ----------
    node : integers, shape (n,)
        From 0 below the product of `dims`.

    Returns
    -------
    int32, shape (n, len(dims))
    """
    found = np.empty((len(node), len(dims)), np.int32)
    rest = np.asarray(node, np.int64)
    for axis, extent in enumerate(dims):
        found[:, axis] = rest % extent
        rest = rest // extent
    return found


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """What the user says of the machine; what is empty the trace tells, or nobody.

    Attributes
    ----------
    file
        Path of a file that tells of it.
    kind
        Network that is assumed: ``torus``, ``mesh``, ``fat tree``, ``dragonfly``.
    dims
        Its extents: ``4x4x4``.
    per_node
        Ranks on a node, which fill one node after the other; 0: as the trace or the
        file says.
    names
        Regular expression that finds coordinates in names of hosts.
    counters
        Regular expression of the names of counters that measure its traffic.
    """

    file: str = ""
    kind: str = ""
    dims: str = ""
    per_node: int = 0
    names: str = ""
    counters: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Placement(Frozen):
    """Which node each rank ran on, and how that is known.

    Attributes
    ----------
    node : int32, shape (ranks,)
        Node of the network; `NOWHERE_PLACED` where it is not known.
    hosts
        Name of the host at each node of the network; empty where none is known or no
        rank ran. May have no entry at all.
    found
        What was understood, a sentence each.
    missing
        What is not known, and what would tell, a sentence each.
    assumed
        Whether the network, or where ranks are in it, was assumed.
    """

    node: Indices
    hosts: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    assumed: bool = False

    @property
    def used(self) -> Ints:
        """Nodes that ranks run on, ascending: int64."""
        return occurring(self.node, int(self.node.max(initial=-1)) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTraffic(Frozen):
    """What counters of nodes and links counted.

    Attributes
    ----------
    counters
        Their names.
    unit
        What they count. Where that is not ``bytes``, arrays are scaled so that they
        add up to what is modelled there: only shares can be compared.
    sent : float64, shape (nodes,)
        Bytes that each node sent; NaN where none were counted.
    links : float64, shape (links,)
        Bytes on each link; NaN where none were counted.
    left_out
        Counters that do not count, and why, a sentence each.
    """

    counters: tuple[str, ...]
    unit: str
    sent: Floats
    links: Floats
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LinkLoads(Frozen):
    """What messages put on the links of a network, without congestion.

    Attributes
    ----------
    network, placement
        What it was computed for.
    bytes : float64, shape (links,)
        On each link. Halves and other parts arise where traffic is split between
        shortest routes.
    total_bytes
        Of all messages between ranks whose node is known.
    between_nodes
        Bytes of those of different nodes.
    hop_bytes
        Bytes times the links that they crossed.
    sent : float64, shape (nodes,)
        Bytes that each node sent to others.
    unplaced_bytes
        Bytes of messages of which the node of an end is not known, or between which
        there is no route.
    measured
        What counters counted in the same time; None without any.
    """

    network: Network
    placement: Placement
    bytes: Floats
    total_bytes: int
    between_nodes: int
    hop_bytes: float
    sent: Floats
    unplaced_bytes: int = 0
    measured: MeasuredTraffic | None = None

    @property
    def mean_hops(self) -> float:
        """Links that a byte crosses in the mean, none within a node."""
        return self.hop_bytes / self.total_bytes if self.total_bytes else 0.0

    @property
    def hottest(self) -> int:
        """The link with most bytes, the first of equal ones; -1 if there is none."""
        return int(self.bytes.argmax()) if len(self.bytes) else -1

    @property
    def hottest_bytes(self) -> float:
        """Bytes on the hottest link."""
        return float(self.bytes.max(initial=0.0))

    @property
    def mean_bytes(self) -> float:
        """Bytes on a link in the mean, idle ones included."""
        return float(self.bytes.mean()) if len(self.bytes) else 0.0

    @property
    def idle_links(self) -> int:
        """Number of links that nothing goes over."""
        return int(len(self.bytes) - np.count_nonzero(self.bytes))

    def by_direction(self) -> dict[str, tuple[float, float, int]]:
        """Bytes, most bytes on a link, and number of links of each direction."""
        network, found = self.network, {}
        for number, name in enumerate(network.directions):
            own = self.bytes[network.direction == number]
            found[name] = float(own.sum()), float(own.max(initial=0.0)), len(own)
        return found

    def table(self) -> Table:
        """Links with their ends, direction and bytes: a row a link.

        Where counters were recorded also what they ``measured``, and the ``ratio`` of
        modelled and measured: above 1 where traffic took other ways than the model's.
        """
        network = self.network
        counted = None if self.measured is None else self.measured.links
        return Table(
            {
                "from": network.links[:, 0],
                "to": network.links[:, 1],
                "direction": (network.direction, list(network.directions)),
                "bytes": self.bytes,
                **_beside(self.bytes, counted),
            }
        )

    def node_table(self) -> Table:
        """Nodes with the bytes that they sent to others, and what was measured."""
        counted = None if self.measured is None else self.measured.sent
        return Table(
            {
                "node": np.arange(self.network.nodes, dtype=np.int32),
                "bytes": self.sent,
                **_beside(self.sent, counted),
            }
        )


def _beside(modelled: Floats, measured: Floats | None) -> dict[str, Floats]:
    if measured is None:
        return {}
    return {"measured": measured, "ratio": ratio_of(modelled, measured)}


def ratio_of(modelled: Floats, measured: Floats) -> Floats:
    """Divide what is modelled by what was measured: NaN where neither is anything."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = modelled / measured
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Frozen):
    """Ranks on the places of a job, and what that does to the links.

    A job's places are those that its ranks had as it ran: a mapping gives each of them
    to another rank.

    Attributes
    ----------
    method
        How it was found: ``as run``, ``tiling 2x4x1``, ``greedy, annealed``, ...
    order : int32, shape (ranks,)
        Rank that runs where each rank ran: `order[p]` goes to the place of rank p.
    loads
        With it.
    """

    method: str
    order: Indices
    loads: LinkLoads


class Mappings(NamedTuple):
    """Mappings, that of the run first, others by hop-bytes; and what was left out."""

    mappings: tuple[Mapping, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MachineFacts(Frozen):
    """What one source tells of a machine; what it does not tell is empty.

    Attributes
    ----------
    form
        What the source is: ``Slurm topology``, ``Open MPI rank file``.
    hosts
        Names of nodes, in the source's order.
    host_of_rank : int32, shape (ranks named,)
        Index into `hosts`, -1 where it says nothing of a rank.
    coordinates : int32, shape (hosts, dims) or (0, 0)
        Place of each host in the network.
    cables : int32, shape (cables, 2)
        Pairs of vertices; those from ``len(hosts)`` on are switches.
    switches
        Their names.
    per_node
        Ranks that go onto a node, 0 if it is not said.
    ranks_in_order : int32, shape (n,)
        Ranks in the order in which they are put onto places.
    found
        What was understood, a sentence each.
    missing
        What is not known, a sentence each.
    """

    form: str
    hosts: tuple[str, ...] = ()
    host_of_rank: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    coordinates: Indices = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    cables: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    switches: tuple[str, ...] = ()
    per_node: int = 0
    ranks_in_order: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
