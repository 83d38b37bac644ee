"""What a simulated MPI program does: a halo exchange on a topology."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoview.model import Indices, Ints, Topology, freeze


@dataclass(frozen=True, slots=True)
class Delay:
    """One rank computes longer in one iteration: the source of an idle wave.

    Attributes
    ----------
    rank
        World rank.
    iteration
        Iteration, from 0.
    seconds
        By how much longer.
    """

    rank: int
    iteration: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A bulk-synchronous MPI program.

    Every rank calls Init, for a lattice Cart_create, and Barrier; then in each
    iteration it computes, posts an Irecv for each message from a neighbour and
    an Isend for each to one, and calls Waitall; now and then all call Allreduce;
    Finalize ends it.

    Attributes
    ----------
    topology
        Who exchanges messages with whom, both ways along each edge. In a lattice
        one message goes along each offset and each opposite, as in programs that
        use MPI_Cart_shift: where a dimension of two wraps, a rank sends two to
        the same neighbour.
    ranks
        Number of ranks, for the topology without vertices; 0: one a vertex.
    numbering
        World rank of each vertex, a permutation; None: the natural numbering.
    iterations
        How often the loop's body is executed.
    compute
        Seconds that a rank computes in an iteration.
    noise
        Mean of the random time on top, as a share of `compute`.
    distribution
        Name in `DISTRIBUTIONS` of that time's distribution.
    size
        Bytes of each message; for a lattice also one number for each offset.
    delays
        Delays injected.
    allreduce_every
        Iterations from one Allreduce to the next; 0: never.
    eager_limit
        Longest message in bytes that is sent before its receive is posted.
    latency, bandwidth
        Seconds that a message takes, and bytes a second on top.
    ranks_per_node
        Ranks on each machine node.
    name
        Name of the trace.
    seed
        Seed of all random numbers.
    """

    topology: Topology
    ranks: int = 0
    numbering: Indices | None = None
    iterations: int = 20
    compute: float = 3e-3
    noise: float = 0.05
    distribution: str = "exponential"
    size: int | tuple[int, ...] = 8192
    delays: tuple[Delay, ...] = ()
    allreduce_every: int = 0
    eager_limit: int = 65536
    latency: float = 2e-6
    bandwidth: float = 1e10
    ranks_per_node: int = 16
    name: str = "simulation"
    seed: int = 0

    def __post_init__(self) -> None:
        """Fill in the number of ranks; check what the caller may get wrong."""
        if not self.ranks:
            object.__setattr__(self, "ranks", self.topology.vertices)
        if self.ranks < max(1, self.topology.vertices):
            raise ValueError(
                f"{self.ranks} ranks cannot be the {self.topology.vertices} "
                f"vertices of {self.topology.name}"
            )
        if self.numbering is not None:
            given = np.sort(self.numbering)
            if not np.array_equal(given, np.arange(self.ranks)):
                raise ValueError(f"numbering is no permutation of {self.ranks} ranks")
        freeze(self)

    @property
    def rank_of(self) -> Indices:
        """World rank of each vertex, int32, shape (ranks,)."""
        if self.numbering is None:
            return np.arange(self.ranks, dtype=np.int32)
        return self.numbering.astype(np.int32)

    @property
    def cartesian(self) -> bool:
        """Whether the program makes a Cartesian communicator of its lattice."""
        return self.topology.kind == "lattice"


SIDES = {
    1_000: (10, 10, 10),
    10_000: (25, 20, 20),
    100_000: (50, 50, 40),
    1_000_000: (100, 100, 100),
}
"""Sides of a grid of so many ranks."""


def grid_program(ranks: int) -> Program:
    """Make a short halo exchange on a grid, for what is measured with many ranks."""
    from topoview.topology import lattice

    dims = SIDES.get(ranks) or (ranks,)
    iterations = 1 if ranks > 100_000 else 3
    return Program(lattice(dims, (False,) * len(dims)), iterations=iterations)


def silent_program(ranks: int, **options: Any) -> Program:  # noqa: ANN401 - fields
    """Make a program whose ranks send no messages."""
    from topoview.topology import none

    return Program(none(), ranks=ranks, **options)


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """Messages of one iteration, in the order in which any rank posts them.

    Attributes
    ----------
    sender, receiver : int32, shape (messages,)
        World ranks.
    size : int64, shape (messages,)
        Bytes.
    tag : int32, shape (messages,)
    """

    sender: Indices
    receiver: Indices
    size: Ints
    tag: Indices


def exchange(program: Program) -> Exchange:
    """List the messages of one iteration of a program."""
    if program.cartesian:
        from_vertex, to_vertex, step = _along_offsets(program.topology)
    else:
        u, v = program.topology.edges.T
        from_vertex, to_vertex = np.concatenate([u, v]), np.concatenate([v, u])
        order = np.lexsort((to_vertex, from_vertex))
        from_vertex, to_vertex = from_vertex[order], to_vertex[order]
        step = np.zeros(len(order), np.int32)
    rank_of = program.rank_of
    sizes = np.atleast_1d(np.array(program.size, np.int64))
    return Exchange(
        rank_of[from_vertex],
        rank_of[to_vertex],
        sizes[step // 2] if len(sizes) > 1 else np.full(len(step), sizes[0]),
        step,
    )


def _along_offsets(topology: Topology) -> tuple[Ints, Ints, Indices]:
    """Directed pairs of a lattice's vertices, direction after direction.

    The third array numbers the direction: twice the offset's index, and one
    more for its opposite.
    """
    from topoview.topology.lattices.lattice import step_ends

    places, dims, wraps = topology.coordinates, topology.dims, topology.periodic
    here, there, direction = [], [], []
    for i, offset in enumerate(topology.offsets):
        for opposite, sign in enumerate((1, -1)):
            step = sign * np.array(offset, np.int64)
            start, end = step_ends(places, dims, wraps, step)
            here.append(start)
            there.append(end)
            direction.append(np.full(len(start), 2 * i + opposite, np.int32))
    return np.concatenate(here), np.concatenate(there), np.concatenate(direction)
