"""Communication matrices, topologies, and how the one matches the other.

What else is found beside matches is in `topoview.model.identification`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import html_text, share_text, size_text
from topoview.model.frozen.arrays import (
    Bools,
    ColumnTable,
    Frozen,
    Indices,
    Ints,
    are_offsets,
    distinct,
)
from topoview.model.frozen.derived import kept_with_source
from topoview.model.table import ROWS_SHOWN

if TYPE_CHECKING:
    import networkx as nx
    from scipy.sparse import csr_array


AXES = "xyzwvutsrqponmlkjihgfedcba"
"""Names of the axes of a lattice, that which changes fastest with the rank first."""

MOST_PAIRS: Final = 0.9
"""Share of the pairs that communicate which are along an axis of a plan that says more
than their graph does."""

WITHOUT_WHOLE: Final = frozenset({"none", "unknown", "copies", "union"})
"""Kinds of topologies that do not tell how all ranks are to one another."""

NO_MESSAGES = "no point-to-point messages"
"""Name of the topology of a run without messages."""

GLOBES: Final = {
    "cubed sphere": ("face", "column", "row"),
    "yin-yang": ("panel", "column", "row"),
}
"""Names of the coordinates of several grids on a globe, by their kind."""

_KINDS_WITH_ROWS = frozenset({"lattice", "rook", "cg", "transpose"})

LINES = ("rows", "columns")
"""Names of the axes of a plan of two that have no others; those of more are `AXES`."""

GraphNode = tuple[int, dict[str, int]]
"""A rank, and its coordinates."""
GraphEdge = tuple[int, int, dict[str, bool]]
"""Two ranks, and whether they were seen to communicate, and expected to."""

MASTER, WORKER = "MASTER", "WORKER"
"""Names of the ranks of a star."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class CommunicationMatrix(ColumnTable):
    """Point-to-point or one-sided traffic of pairs of ranks: row sends to column.

    What `calls` and `volume` give as sparse arrays is held as their parts: SciPy takes
    longer to import than to count all pairs.
    """

    begins: Ints
    """int64, shape (ranks + 1,): where the pairs of each sender begin."""
    receiver: Indices
    """int32, shape (pairs,): ranks that are sent to, ascending for each sender."""
    counts: Ints
    """int64, shape (pairs,): messages sent."""
    sizes: Ints
    """int64, shape (pairs,): bytes sent."""
    one_sided: bool = False
    """Whether `calls` are one-sided transfers, which a rank puts into another's memory
    or gets from it, and no messages."""
    unrecorded: int = 0
    """Calls that reach another rank, of which the trace does not tell whom."""
    waits: csr_array | None = None
    """scipy.sparse.csr_array, float64, shape (ranks, ranks): seconds that the column's
    rank waited for the row's; of a structure of its own. None where that was not asked
    for."""
    modelled: tuple[str, ...] = ()
    """How collective operations were modelled that count as messages, too: a sentence
    each."""
    seconds: float = 0.0
    """Length of the part of the run that was counted; 0: that is not told."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.begins) - 1

    @property
    def sender(self) -> Indices:
        """Ranks that send, int32, shape (pairs,), ascending."""
        ranks = np.arange(self.ranks, dtype=np.int32)
        return np.repeat(ranks, np.diff(self.begins))

    def is_sound(self) -> bool:
        """Return whether the columns fit together; compiled code does not look again.

        What is read from a file may hold anything.
        """
        begins, pairs = self.begins, len(self.receiver)
        if not are_offsets(begins, self.receiver, self.counts, self.sizes):
            return False
        ascends = np.append(True, np.diff(self.receiver) > 0)
        ascends[begins[:-1][begins[:-1] < pairs]] = True  # the first of each sender
        within = self.receiver.min(initial=0) >= 0
        return bool(
            within
            and self.receiver.max(initial=-1) < self.ranks
            and ascends[:pairs].all()
        )

    @property
    def calls(self) -> csr_array:
        """Messages sent: scipy.sparse.csr_array, int64, shape (ranks, ranks).

        Holds every pair that exchanged any message.
        """
        return self._sparse(self.counts)

    @property
    def volume(self) -> csr_array:
        """Bytes sent: scipy.sparse.csr_array, int64, shape (ranks, ranks).

        Of the same structure as `calls`: explicit zeros where all were empty.
        """
        return self._sparse(self.sizes)

    def _sparse(self, amount: Ints) -> csr_array:
        from scipy.sparse import csr_array

        parts = amount.copy(), self.receiver, self.begins  # SciPy may write into them
        return csr_array(parts, shape=(self.ranks, self.ranks))

    @classmethod
    def of_sparse(cls, calls: csr_array, volume: csr_array) -> CommunicationMatrix:
        """Return the matrix of SciPy's sparse arrays of one structure.

        Raises `ValueError` if they hold other pairs.
        """
        both = [amount.tocsr(copy=True) for amount in (calls, volume)]
        for amount in both:
            amount.sum_duplicates()
        structures = [(one.indptr.tolist(), one.indices.tolist()) for one in both]
        if structures[0] != structures[1]:
            raise ValueError("messages and bytes are of other pairs")
        return cls(
            begins=both[0].indptr.astype(np.int64),
            receiver=both[0].indices.astype(np.int32),
            counts=both[0].data.astype(np.int64),
            sizes=both[1].data.astype(np.int64),
        )

    def with_pairs_of(self, other: CommunicationMatrix) -> CommunicationMatrix:
        """Return this matrix with the pairs of another one, and what they exchange."""
        names = "begins", "receiver", "counts", "sizes"
        return replace(self, **{name: getattr(other, name) for name in names})

    def __repr__(self) -> str:
        """Return in a line what it counts."""
        return (
            f"<CommunicationMatrix of {self.ranks} ranks: {len(self.counts)} pairs, "
            f"{self.counts.sum()} {self.noun}s, {size_text(int(self.sizes.sum()))}>"
        )

    def _repr_html_(self) -> str:
        """Show the pairs with most bytes in a notebook."""
        columns = self.columns()
        order = np.argsort(-columns["bytes"], kind="stable")[:ROWS_SHOWN]
        rows = zip(*(columns[name][order].tolist() for name in columns), strict=True)
        texts = ([f"{value:.6g}" for value in row] for row in rows)
        table = html_text([*columns], texts, [False] * len(columns))
        return f"<p>{escape(repr(self))}</p>{table}"

    @property
    def noun(self) -> str:
        """What `calls` are: ``message`` or ``one-sided transfer``."""
        return "one-sided transfer" if self.one_sided else "message"

    def per_second(self, amount: csr_array) -> csr_array:
        """Divide `calls` or `volume` by `seconds`; zeros if these are not told."""
        result: csr_array = amount.astype(np.float64)
        result.data /= self.seconds or np.inf
        return result

    def columns(self, *, rows: bool = False) -> dict[str, NDArray[Any]]:
        """Pairs that exchange anything: sender, receiver, calls, bytes, mean size.

        With `seconds` also messages and bytes a second; with `waits` how many seconds
        the receiver waited for the sender, and pairs that did nothing else.
        """
        del rows
        sender, receiver, waited = self.sender, self.receiver, None
        table: dict[str, NDArray[Any]]
        amounts = [self.counts, self.sizes]
        if self.waits is not None:
            own = sender.astype(np.int64) * self.ranks + receiver
            key = distinct(np.concatenate([own, _keys(self.waits)]))
            places = np.searchsorted(key, own)
            amounts = [np.zeros(len(key), np.int64) for _ in amounts]
            amounts[0][places], amounts[1][places] = self.counts, self.sizes
            waited = np.zeros(len(key))
            waited[np.searchsorted(key, _keys(self.waits))] = self.waits.data
            ends = np.divmod(key, max(self.ranks, 1))
            sender, receiver = (one.astype(np.int32) for one in ends)
        table = {
            "sender": sender,
            "receiver": receiver,
            "calls": amounts[0],
            "bytes": amounts[1],
            "mean_bytes": amounts[1] / np.maximum(amounts[0], 1),
        }
        if self.seconds:
            rates = (amount / self.seconds for amount in amounts)
            names = "calls_per_second", "bytes_per_second"
            table |= dict(zip(names, rates, strict=True))
        return table if waited is None else {**table, "wait_seconds": waited}


def _keys(matrix: csr_array) -> Ints:
    """Enumerate the stored pairs, row by row: int64, ascending."""
    pairs = matrix.tocoo()
    row, column = (np.asarray(ends, np.int64) for ends in pairs.coords)
    return row * matrix.shape[1] + column


@dataclass(frozen=True, slots=True, eq=False)
class Topology(Frozen):
    """A graph of the library, or the unknown one that was seen."""

    kind: str
    """``lattice``, ``star``, ``complete``, ..., ``user``, ``none`` or ``unknown``."""
    name: str
    """Name shown: ``2D torus 8x4``."""
    edges: Indices
    """int32, shape (edges, 2): undirected edges as pairs of vertices, smaller first,
    sorted."""
    coordinates: Indices
    """int32, shape (vertices, k): place of each vertex (lattice: x first; star: 0 for
    the master, 1 for workers and their number; ring and chain: one column)."""
    dims: tuple[int, ...] = ()
    periodic: tuple[bool, ...] = ()
    """`dims` and `periodic`: for a lattice: extent of each dimension, x first, and
    whether it wraps."""
    offsets: tuple[tuple[int, ...], ...] = ()
    """For a lattice: one neighbour offset of each +/- pair."""
    factors: tuple[Topology, ...] = ()
    """Of a product: what is multiplied, fastest with the rank first; of disjoint
    copies: the one that is repeated."""
    variant: tuple[str, ...] = ()
    """Which of its kind it is, where edges lead otherwise: the seam of a folded grid;
    order of the trees and the second one of a double tree. Of a plan: what runs along
    each axis most often."""

    def __repr__(self) -> str:
        """Return in a line what it is."""
        return (
            f"<Topology {self.name}: {self.vertices} vertices, {len(self.edges)} edges>"
        )

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return len(self.coordinates)

    @property
    def is_lattice(self) -> bool:
        """Whether it is a whole lattice, of which `dims` to `offsets` say all."""
        return self.kind == "lattice"

    @property
    def is_on_lattice(self) -> bool:
        """Whether its vertices are places of a lattice, all of them or some."""
        return self.kind in ("lattice", "part")

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of its dimensions: of a plan, of grids on a globe, or ``x``, ``y``, ...

        Rows and columns are no names of coordinates: the first of a row is its column.
        """
        if self.kind in GLOBES:
            return GLOBES[self.kind]
        if self.kind == "plan" and self.factors[0].name not in LINES:
            return tuple(factor.name for factor in self.factors)
        return tuple(AXES[: len(self.dims)])

    @property
    def has_rows(self) -> bool:
        """Whether its vertices stand in rows and columns."""
        return self.kind in _KINDS_WITH_ROWS and len(self.dims) > 1

    @property
    def is_globe(self) -> bool:
        """Whether it is of several grids on a globe; `dims` begins with these."""
        return self.kind in GLOBES

    @property
    def has_places(self) -> bool:
        """Whether the place of a vertex says which are its neighbours."""
        return self.kind not in ("unknown", "complete")

    @property
    def is_named(self) -> bool:
        """Whether it is one of the library or the user's, not one as it was seen."""
        return not self.is_empty and not self.is_unknown

    @property
    def is_empty(self) -> bool:
        """Whether it is that of a run without point-to-point messages."""
        return self.kind == "none"

    @property
    def is_unknown(self) -> bool:
        """Whether it is none of the library: what was seen, as it is."""
        return self.kind == "unknown"

    def to_networkx(self) -> nx.Graph[int]:
        """Return a graph: its vertices with their coordinates ``x``, ``y``, ``z``, ...

        Attributes are plain numbers and texts, so that all formats of networkx, such
        as GraphML, can hold them.
        """
        import networkx as nx

        graph: nx.Graph[int] = nx.Graph(
            kind=self.kind,
            name=self.name,
            dims=" ".join(map(str, self.dims)),
            periodic=" ".join(str(int(wraps)) for wraps in self.periodic),
        )
        for vertex, place in enumerate(self.coordinates.tolist()):
            graph.add_node(
                vertex, **dict(zip(_axis_names(len(place)), place, strict=True))
            )
        graph.add_edges_from(self.edges.tolist())
        return graph


def _axis_names(count: int) -> list[str]:
    return ["x", "y", "z", "w"][:count] + [f"x{axis}" for axis in range(4, count)]


@dataclass(frozen=True, slots=True, eq=False)
class Match(Frozen):
    """A topology held against the communication of the ranks.

    Attributes
    ----------
    matched, missing
        Edges of the topology that were seen at any level, and that were not.
    """

    topology: Topology
    """The topology."""
    vertex: Indices
    """int32, shape (ranks,): vertex of each rank; -1 for ranks that are not part of
    it."""
    matched: int
    missing_edges: Indices
    extra_edges: Indices
    """`missing_edges` and `extra_edges`: int32, shape (n, 2): pairs of ranks, smaller
    first: the topology's that were not seen; those seen at this level that are not the
    topology's."""
    calls_covered: float
    bytes_covered: float
    """`calls_covered` and `bytes_covered`: fraction of all point-to-point messages and
    bytes, at the sender, that the topology's edges and messages to oneself carry; 1 if
    there are none. Calls of which the partner is not recorded count as messages that
    are not covered; how many bytes they move is not known. Of a match by collective
    operations: fraction of the collective calls, and of the bytes sent in them."""
    level: int = 0
    """0: all pairs that communicate; 1: those above the lowest cut, and so on."""
    also: tuple[str, ...] = ()
    """Other names of the same graph."""
    by: tuple[str, ...] = ()
    """Collective operations that it is a match of; empty for messages."""

    def __repr__(self) -> str:
        """Return in a line what it is, and how well it fits."""
        return f"<Match {', '.join(self.summary())}>"

    def summary(self) -> tuple[str, ...]:
        """Write its name, the messages and bytes on its edges, and how these differ."""
        edges = f"{self.missing} edges missing, {self.extra} extra"
        covered = (
            f"{share_text(self.calls_covered)} of {'calls' if self.by else 'messages'}",
            f"{share_text(self.bytes_covered)} of bytes",
        )
        return self.topology.name, *covered, edges

    @property
    def missing(self) -> int:
        """Edges of the topology that were not seen."""
        return len(self.missing_edges)

    @property
    def extra(self) -> int:
        """Edges seen that are not the topology's."""
        return len(self.extra_edges)

    @property
    def edits(self) -> int:
        """Edges that are missing, or too many."""
        return self.missing + self.extra

    @property
    def coordinates(self) -> Indices:
        """Coordinates of each rank, int32, shape (ranks, k); -1 for silent ones."""
        return _coordinates_of(self)

    def planes(self) -> list[tuple[str, Ints]]:
        """List the ranks of each plane of a lattice or plan; of two axes of each line.

        Returns
        -------
        list of str and int64, shape (ranks,)
            The plane's name, ``z = 3``, and its ranks; nothing of other topologies.
        """
        places, topology = self.coordinates, self.topology
        has_planes = topology.is_on_lattice or topology.kind == "plan"
        if not has_planes or places.shape[1] < 2:
            return []
        planes = (
            (f"{axis} = {one}", np.flatnonzero(column == one))
            for axis, column in zip(topology.axes, places.T, strict=True)
            for one in range(int(column.max(initial=-1)) + 1)
        )
        return [(name, ranks) for name, ranks in planes if len(ranks)]

    def to_networkx(self) -> nx.Graph[int]:
        """Return a graph of ranks: their coordinates, and whether edges were seen.

        Edges have ``seen`` and ``expected``: missing ones are not seen, extra ones are
        not expected.
        """
        import networkx as nx

        nodes, edges = self.graph_parts()
        graph: nx.Graph[int] = nx.Graph(name=self.topology.name)
        graph.add_nodes_from(nodes)
        graph.add_edges_from(edges)
        return graph

    def graph_parts(self) -> tuple[list[GraphNode], list[GraphEdge]]:
        """Return nodes and edges of the graph of ranks, with what each has."""
        nodes: list[GraphNode] = []
        for rank, place in enumerate(self.coordinates.tolist()):
            silent = self.vertex[rank] < 0
            names = [] if silent else zip(_axis_names(len(place)), place, strict=True)
            nodes.append((rank, dict(names)))
        edges: dict[tuple[int, int], dict[str, bool]] = {}
        for pairs, seen, expected in (
            (self.rank_edges, True, True),
            (self.missing_edges, False, True),
            (self.extra_edges, True, False),
        ):
            for one, other in np.sort(pairs, axis=1).tolist():
                edges[one, other] = {"seen": seen, "expected": expected}
        return nodes, [(*ends, told) for ends, told in edges.items()]

    @property
    def rank_edges(self) -> Indices:
        """The topology's edges as pairs of ranks, smaller first, sorted."""
        rank = np.full(self.topology.vertices, -1, np.int32)
        present = self.vertex >= 0
        rank[self.vertex[present]] = np.flatnonzero(present)
        one, other = (rank[side].astype(np.int64) for side in self.topology.edges.T)
        n = len(self.vertex) + 1  # a vertex without a rank is -1
        keys = (np.minimum(one, other) + 1) * n + np.maximum(one, other) + 1
        keys.sort()
        result = np.empty((len(keys), 2), np.int32)
        result[:, 0] = keys // n - 1
        result[:, 1] = keys % n - 1
        return result


@kept_with_source(1)
def _coordinates_of(match: Match) -> Indices:
    """Look places up: read-only, as it is kept."""
    places, vertex = match.topology.coordinates, match.vertex
    result: Indices = np.full((len(vertex), 1), -1, np.int32)
    if len(places):
        result = places[vertex].astype(np.int32, copy=False)
        result[vertex < 0] = -1
    result.flags.writeable = False
    return result


@dataclass(frozen=True, slots=True, eq=False)
class PhaseFacts(Frozen):
    """What tells whether a run can have phases, of some ranks."""

    events: int
    """Messages as their senders and their receivers see them."""
    unnamed: bool
    """Whether any of them is in no region of the user's code."""
    regions: Bools
    """bool, shape (regions,): in which regions they are."""
    cuts: Ints
    """int64, shape (widths, 4): for windows of each width: cuts, places where windows
    can be compared, those where they have few, and many partners in common."""
