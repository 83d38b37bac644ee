"""The network of a machine, where ranks are in it, and what goes over its links."""

from dataclasses import dataclass, field, fields
from html import escape
from typing import Any, Final, NamedTuple, Self

import numpy as np

from topoview.base.text import mark, tr, write
from topoview.errors import UsageError
from topoview.model.frozen.arrays import Floats, Frozen, Indices, Ints, occurring
from topoview.model.table import Column, Schema, Table

NOWHERE_PLACED: Final = -1
"""Node of a rank whose place is not known."""

ASSUMED_NETWORKS: Final = {
    mark("torus"): "4x4x4",
    mark("mesh"): "4x4x4",
    mark("fat tree"): "16x8x4[/1x8x4]",
    mark("dragonfly"): "4x8x33",
}
"""Networks that can be assumed, with examples of how their extents are written."""


@dataclass(frozen=True, slots=True, eq=False)
class Network(Frozen):
    """Nodes and switches of a machine, and the links between them.

    Vertices below `nodes` are those that ranks run on, the others switches. A cable is
    two links, one each way: traffic is told for each.
    """

    kind: str
    """``torus``, ``mesh``, ``fat tree``, ``dragonfly`` or ``graph``."""
    name: str
    """Name shown: ``3D torus 4x4x4``."""
    dims: tuple[int, ...]
    """Of a torus or mesh: its extents, x first, which changes fastest with the node. Of
    a fat tree: children of a switch, level by level from the nodes. Of a dragonfly:
    nodes on a router, routers in a group, groups. Empty for a graph."""
    nodes: int
    vertices: int
    """`nodes` and `vertices`: number of nodes, and of nodes and switches."""
    links: Indices
    """int32, shape (links, 2): vertices that each link leads from and to."""
    direction: Indices
    """int32, shape (links,): index into `directions`."""
    directions: tuple[str, ...]
    """What kinds of links there are: ``x+``, ``x-``, ...; ``up 1``, ``down 1``, ..."""
    slot: Ints
    """int64, shape (links,): number that formulas give each link, ascending. Of a
    graph, whose routes are searched for, its key ``from * vertices + to``."""
    periodic: tuple[bool, ...] = ()
    """Of a torus or mesh: whether each dimension wraps. A dimension of two nodes has
    one cable, whether it wraps or not."""
    parents: tuple[int, ...] = ()
    """Of a fat tree: parents of a switch, level by level from the nodes."""
    names: tuple[str, ...] = ()
    """Names of the vertices where a file gives them, else none."""

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
    result = np.empty((len(node), len(dims)), np.int32)
    rest = np.asarray(node, np.int64)
    for axis, extent in enumerate(dims):
        result[:, axis] = rest % extent
        rest = rest // extent
    return result


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """What the user says of the machine; what is empty the trace tells, or nobody."""

    file: str = ""
    """Path of a file that tells of it."""
    kind: str = ""
    """Network that is assumed: ``torus``, ``mesh``, ``fat tree``, ``dragonfly``."""
    dims: str = ""
    """Its extents: ``4x4x4``."""
    per_node: int = 0
    """Ranks on a node, which fill one node after the other; 0: as the trace or the file
    says."""
    names: str = ""
    """Regular expression that finds coordinates in names of hosts."""
    counters: str = ""
    """Regular expression of the names of counters that measure its traffic."""

    @classmethod
    def of(cls, options: object) -> Self:
        """Return what options that have these fields, too, say of the machine."""
        return cls(*(getattr(options, one.name) for one in fields(cls)))

    @classmethod
    def assuming(cls, dims: dict[str, str], **options: Any) -> Self:  # noqa: ANN401
        """Return a machine, and a network that is assumed by the extents of its kind.

        Raises `UsageError` if there is more than one.
        """
        if len(dims) > 1:
            raise UsageError(f"only one network can be assumed, not {', '.join(dims)}")
        kind, extents = next(iter(dims.items()), ("", ""))
        return cls(kind=kind, dims=extents, **options)


@dataclass(frozen=True, slots=True, eq=False)
class Placement(Frozen):
    """Which node each rank ran on, and how that is known."""

    node: Indices
    """int32, shape (ranks,): node of the network; `NOWHERE_PLACED` where it is not
    known."""
    hosts: tuple[str, ...] = ()
    """Name of the host at each node of the network; empty where none is known or no
    rank ran. May have no entry at all."""
    sources: tuple[str, ...] = ()
    """What was understood, a sentence each."""
    missing: tuple[str, ...] = ()
    """What is not known, and what would tell, a sentence each."""
    assumed: bool = False
    """Whether the network, or where ranks are in it, was assumed."""

    @property
    def used(self) -> Ints:
        """Nodes that ranks run on, ascending: int64."""
        return occurring(self.node, int(self.node.max(initial=-1)) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTraffic(Frozen):
    """What counters of nodes and links counted."""

    counters: tuple[str, ...]
    """Their names."""
    unit: str
    """What they count. Where that is not ``bytes``, arrays are scaled so that they add
    up to what is modelled there: only shares can be compared."""
    sent: Floats
    """float64, shape (nodes,): bytes that each node sent; NaN where none were
    counted."""
    links: Floats
    """float64, shape (links,): bytes on each link; NaN where none were counted."""
    left_out: tuple[str, ...] = ()
    """Counters that do not count, and why, a sentence each."""


_AGAINST: Final = (
    Column("bytes", "B", tr("bytes"), bar=True),
    Column("measured", "B", tr("measured"), tr("What counters counted")),
    Column("ratio", "", tr("modelled / measured")),
)
LINKS: Final = Schema(
    Column("from", "#", tr("from")),
    Column("to", "#", tr("to")),
    Column("direction", "", tr("direction")),
    *_AGAINST,
)
NODES: Final = Schema(Column("node", "#", tr("node")), *_AGAINST)


@dataclass(frozen=True, slots=True, eq=False)
class LinkLoads(Frozen):
    """What messages put on the links of a network, without congestion."""

    network: Network
    placement: Placement
    """`network` and `placement`: what it was computed for."""
    bytes: Floats
    """float64, shape (links,): on each link. Halves and other parts arise where traffic
    is split between shortest routes."""
    total_bytes: int
    """Of all messages between ranks whose node is known."""
    between_nodes: int
    """Bytes of those of different nodes."""
    hop_bytes: float
    """Bytes times the links that they crossed."""
    sent: Floats
    """float64, shape (nodes,): bytes that each node sent to others."""
    unplaced_bytes: int = 0
    """Bytes of messages of which the node of an end is not known, or between which
    there is no route."""
    measured: MeasuredTraffic | None = None
    """What counters counted in the same time; None without any."""

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

    def __repr__(self) -> str:
        """Return in a line what the links carry."""
        return (
            f"<LinkLoads of {len(self.bytes)} links: a byte crosses "
            f"{self.mean_hops:.3g} in the mean, {write(self.hottest_bytes, 'B')} are "
            f"on the hottest, {self.idle_links} are idle>"
        )

    def _repr_html_(self) -> str:
        """Show the links with most bytes in a notebook."""
        table = self.table().sort("bytes", descending=True)
        return f"<p>{escape(repr(self))}</p>{table._repr_html_()}"

    def by_direction(self) -> dict[str, tuple[float, float, int]]:
        """Bytes, most bytes on a link, and number of links of each direction."""
        network, result = self.network, {}
        for number, name in enumerate(network.directions):
            own = self.bytes[network.direction == number]
            result[name] = float(own.sum()), float(own.max(initial=0.0)), len(own)
        return result

    def table(self) -> Table:
        """Links with their ends, direction and bytes: one row per link.

        Where counters were recorded also what they ``measured``, and the ``ratio`` of
        modelled and measured: above 1 where traffic took other ways than the model's.
        """
        network = self.network
        counted = None if self.measured is None else self.measured.links
        return Table(
            LINKS,
            {
                "from": network.links[:, 0],
                "to": network.links[:, 1],
                "direction": (network.direction, list(network.directions)),
                "bytes": self.bytes,
                **_beside(self.bytes, counted),
            },
        )

    def node_table(self) -> Table:
        """Nodes with the bytes that they sent to others, and what was measured."""
        counted = None if self.measured is None else self.measured.sent
        return Table(
            NODES,
            {
                "node": np.arange(self.network.nodes, dtype=np.int32),
                "bytes": self.sent,
                **_beside(self.sent, counted),
            },
        )


def _beside(modelled: Floats, measured: Floats | None) -> dict[str, Floats]:
    if measured is None:
        return {}
    return {"measured": measured, "ratio": ratio_of(modelled, measured)}


def ratio_of(modelled: Floats, measured: Floats) -> Floats:
    """Divide what is modelled by what was measured: NaN where neither is anything."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = modelled / measured
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Frozen):
    """Ranks on the places of a job, and what that does to the links.

    A job's places are those that its ranks had as it ran: a mapping gives each of them
    to another rank.
    """

    method: str
    """How it was found: ``as run``, ``tiling 2x4x1``, ``greedy, annealed``, ..."""
    order: Indices
    """int32, shape (ranks,): rank that runs where each rank ran: `order[p]` goes to the
    place of rank p."""
    loads: LinkLoads
    """With it."""


class Mappings(NamedTuple):
    """Mappings, that of the run first, others by hop-bytes; and what was left out."""

    mappings: tuple[Mapping, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MachineFacts(Frozen):
    """What one source tells of a machine; what it does not tell is empty."""

    form: str
    """What the source is: ``Slurm topology``, ``Open MPI rank file``."""
    hosts: tuple[str, ...] = ()
    """Names of nodes, in the source's order."""
    host_of_rank: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32, shape (ranks named,): index into `hosts`, -1 where it says nothing of a
    rank."""
    coordinates: Indices = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32, shape (hosts, dims) or (0, 0): place of each host in the network."""
    cables: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """int32, shape (cables, 2): pairs of vertices; those from ``len(hosts)`` on are
    switches."""
    switches: tuple[str, ...] = ()
    """Their names."""
    per_node: int = 0
    """Ranks that go onto a node, 0 if it is not said."""
    ranks_in_order: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32, shape (n,): ranks in the order in which they are put onto places."""
    sources: tuple[str, ...] = ()
    """What was understood, a sentence each."""
    missing: tuple[str, ...] = ()
    """What is not known, a sentence each."""
