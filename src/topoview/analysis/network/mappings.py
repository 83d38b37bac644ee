"""Better mappings: the ranks of a job put onto its places in other ways.

What is tried: tilings where ranks form a lattice and its extents can be split onto the
job's nodes; greedy placement and recursive bisection, by the spectrum and by METIS if
``pymetis`` is installed, improved by annealing. Each is measured by the same routing,
and told with what it does to the hottest link: fewer hop-bytes may heat it.

References
----------
S. H. Bokhari, "On the mapping problem", 1981. T. Hoefler and M. Snir, "Generic topology
mapping strategies for large-scale parallel architectures", 2011. A. Pothen, H. Simon
and K.-P. Liou, "Partitioning sparse matrices with eigenvectors of graphs", 1990.
"""

import math
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from topoview.analysis.network import kernels, routing
from topoview.analysis.network.tilings import Tiling, tiled, tilings, variants
from topoview.analysis.network.traffic import link_loads
from topoview.base.progress import Report, silent
from topoview.base.text import plural
from topoview.errors import UsageError
from topoview.model import (
    Bools,
    Floats,
    Indices,
    Ints,
    LinkLoads,
    Mapping,
    Mappings,
    Match,
    Network,
    Placement,
    coordinates_of,
    readonly,
)

MAX_NODES: Final = 4096
"""Nodes of a job whose distances are kept: annealing needs them all."""

MAX_GREEDY_WORK: Final = 8e9
"""Steps of the greedy placement, above which it is left out: seconds are a
billionth of that."""

SAMPLED_PAIRS: Final = 20_000
"""Pairs of ranks by which tilings are compared."""

BEST_TILINGS: Final = 32
"""Tilings of which all orders of digits are compared."""

MOVES: Final = 8_000_000
"""Exchanges that annealing tries."""

MOVES_A_RANK: Final = 100
"""Exchanges a rank, below which annealing is left out: it would gain nothing."""

WARMEST: Final = 0.6
"""Temperature that annealing begins with, in means of what a pair of ranks sends."""

WARMEST_OF_HALVES: Final = 0.1
"""The same where it begins with what bisection found, which is good as a whole."""

DENSE_RANKS: Final = 300
"""Ranks up to which all of a spectrum is computed, which is exact, and as fast."""

SPECTRUM_STEPS: Final = 60
"""Steps towards the lowest of a spectrum: halves need them only about."""

SPECTRUM_VECTORS: Final = 3
"""The lowest vectors of a spectrum, of which halves are made: as a body has axes."""

PLANES: Final = 20
"""Directions in their space along which ranks are halved: the best counts."""

SEED: Final = 1
"""Of all that is drawn: the same trace has the same mappings."""

STAGE: Final = "mapping ranks"


class RankLattice(NamedTuple):
    """The lattice of the ranks: extents x first, and the place of each rank.

    `places` is int32, shape (ranks, len(dims)).
    """

    dims: tuple[int, ...]
    places: Indices


class _Job(NamedTuple):
    """What mappings are made of."""

    volume: csr_array
    """Bytes between ranks."""
    network: Network
    placement: Placement
    """`network` and `placement`: as it ran."""
    nodes: Ints
    """int64, shape (n,): nodes of the job, ascending."""
    of_rank: Ints
    """int64, shape (ranks,): index into `nodes` of each rank's place."""
    source: Ints
    target: Ints
    size: Ints
    """`source`, `target` and `size`: pairs of different ranks and their bytes."""
    distance: Indices
    """int32, shape (n, n) or (0, 0): links between nodes of the job, if there are not
    too many."""

    def hop_bytes(self, node: Ints) -> float:
        """Sum up bytes times links for an index into `nodes` of each rank."""
        one, other = node[self.source], node[self.target]
        if self.distance.size:
            return float(self.distance[one, other] @ self.size)
        ends = self.nodes[one], self.nodes[other]
        return float(routing.distances(self.network, *ends) @ self.size)


def lattice_of(match: Match | None, ranks: int) -> RankLattice | None:
    """Return the lattice of an answer that has all ranks, or None."""
    if match is None or not match.topology.is_lattice:
        return None
    dims = match.topology.dims
    if math.prod(dims) != ranks or (match.vertex < 0).any():
        return None
    places = match.topology.coordinates[match.vertex]
    return RankLattice(dims, places) if places.shape[1] == len(dims) else None


def map_ranks(
    volume: csr_array,
    network: Network,
    placement: Placement,
    lattice: RankLattice | None = None,
    report: Report = silent,
) -> Mappings:
    """Find mappings of ranks onto the places of the job.

    Parameters
    ----------
    volume : int64, shape (ranks, ranks)
        Bytes between ranks.
    network, placement
        Where they ran.
    lattice
        Of the ranks, if they form one.
    report
        Progress.

    Raises
    ------
    UsageError
        The place of a rank is not known.
    """
    job = _job(volume, network, placement)
    ranks = np.arange(len(job.of_rank))
    orders = {"as run": ranks.astype(np.int32)}
    notes: list[str] = []
    report(STAGE, 0.0)
    if lattice is None:
        notes.append("no tiling: ranks form no lattice")
    elif (best := _best_tiling(job, lattice)) is None:
        shape = "x".join(map(str, lattice.dims))
        notes.append(f"no tiling: {shape} cannot be split onto the nodes of the job")
    else:
        orders[f"tiling ({best[0].text()})"] = best[1]
    report(STAGE, 0.3)
    degree = job.volume.nnz / max(len(ranks), 1)
    work = len(ranks) * (len(ranks) + len(job.nodes) * degree)
    if not job.distance.size or work > MAX_GREEDY_WORK:
        notes.append(
            f"no greedy placement: {plural(len(ranks), 'rank')} on "
            f"{plural(len(job.nodes), 'node')} are too many"
        )
    else:
        made = _greedy(job)
        orders["greedy"] = made
        report(STAGE, 0.6)
        if MOVES_A_RANK * len(ranks) <= MOVES:
            orders["greedy, annealed"] = _annealed(job, made)
            orders["as run, annealed"] = _annealed(job, orders["as run"])
            halved = _bisected(job, _half_of_spectrum)
            orders["bisection"] = halved
            orders["bisection, annealed"] = _annealed(job, halved, WARMEST_OF_HALVES)
        else:
            notes.append(f"no annealing: {plural(len(ranks), 'rank')} are too many")
    report(STAGE, 0.9)
    if find_spec("pymetis") is not None:
        orders["METIS bisection"] = _bisected(job, _metis_half)
    orders["random"] = np.random.default_rng(SEED).permutation(ranks).astype(np.int32)
    first, *others = (
        Mapping(method, order, _loads_of(job, order))
        for method, order in orders.items()
    )
    report(STAGE, 1.0)
    others.sort(key=lambda mapping: mapping.loads.hop_bytes)
    return Mappings((first, *others), tuple(notes))


def mapped(placement: Placement, order: Indices) -> Placement:
    """Return the placement with ranks exchanged: p goes to where ``order[p]`` is."""
    node = np.empty_like(placement.node)
    node[order] = placement.node
    return Placement(
        node, placement.hosts, placement.sources, placement.missing, placement.assumed
    )


def _loads_of(job: _Job, order: Indices) -> LinkLoads:
    return link_loads(job.volume, job.network, mapped(job.placement, order))


def _job(volume: csr_array, network: Network, placement: Placement) -> _Job:
    lost = int((placement.node < 0).sum())
    if lost:
        raise UsageError(
            f"ranks cannot be mapped: the node of {plural(lost, 'rank')} is not known"
        )
    nodes, of_rank = np.unique(placement.node.astype(np.int64), return_inverse=True)
    pairs = volume.tocoo()
    source, target = (np.asarray(ends, np.int64) for ends in pairs.coords)
    keep = (source != target) & (pairs.data > 0)
    distance = np.zeros((0, 0), np.int32)
    count = len(nodes)
    if count <= MAX_NODES:
        distance = np.empty((count, count), np.int32)
        for row, node in enumerate(nodes):
            distance[row] = routing.distances(network, np.full(count, node), nodes)
        if (distance == routing.NO_ROUTE).any():
            raise UsageError(
                "ranks cannot be mapped: some nodes of the job have no route to others"
            )
    return _Job(
        volume=volume,
        network=network,
        placement=placement,
        nodes=nodes,
        of_rank=of_rank.astype(np.int64),
        source=source[keep],
        target=target[keep],
        size=pairs.data[keep].astype(np.int64),
        distance=distance,
    )


# Tilings.


def _best_tiling(job: _Job, lattice: RankLattice) -> tuple[Tiling, Indices] | None:
    """Find the tiling with fewest hop-bytes: with the order of ranks that it makes."""
    counts = np.bincount(job.of_rank)
    if counts.min() != counts.max():
        return None
    box, index = _box(job)
    targets = (int(counts[0]), *box)
    strides = np.cumprod([1, *box[:-1]])

    def cost(tiling: Tiling) -> float:
        return some.hop_bytes(index[tiled(tiling, lattice.places)[:, 1:] @ strides])

    some = _sampled(job)
    every = sorted(tilings(lattice.dims, targets), key=cost)[:BEST_TILINGS]
    if not every:
        return None
    best = min((one for each in every for one in variants(each)), key=cost)
    at = tiled(best, lattice.places)
    node = index[at[:, 1:] @ strides]
    order = np.empty(len(node), np.int32)
    places = np.argsort(job.of_rank, kind="stable")  # node by node
    order[places[node * targets[0] + at[:, 0]]] = np.arange(len(node))
    return best, order


def _sampled(job: _Job) -> _Job:
    """Leave so many pairs that finding their distances for each tiling is quick."""
    if len(job.source) <= SAMPLED_PAIRS:
        return job
    rng = np.random.default_rng(SEED)
    some = rng.choice(len(job.source), SAMPLED_PAIRS, replace=False)
    return job._replace(
        source=job.source[some], target=job.target[some], size=job.size[some]
    )


def _box(job: _Job) -> tuple[tuple[int, ...], Ints]:
    """Extents of the box that the job's nodes fill, and its nodes, x fastest.

    Nodes that fill no box of the network are taken one after the other. An index is
    one into the job's nodes.
    """
    network, count = job.network, len(job.nodes)
    line = (count,), np.arange(count)
    if network.kind == "graph":
        return line
    rows = coordinates_of(job.nodes, network.dims)
    low = rows.min(0)
    extents = tuple((rows.max(0) - low + 1).tolist())
    if math.prod(extents) != count:
        return line
    strides = np.cumprod([1, *extents[:-1]])
    index = np.empty(count, np.int64)
    index[(rows - low) @ strides] = np.arange(count)
    return extents, index


# Greedy placement and annealing.


def _neighbours(job: _Job) -> tuple[Ints, Ints, Floats]:
    """Partners of each rank in CSR form, both ways together, and bytes in means."""
    ranks = len(job.of_rank)
    both = csr_array((job.size, (job.source, job.target)), shape=(ranks, ranks))
    both = (both + both.T).tocsr()
    weight = both.data.astype(np.float64)
    mean = weight.mean() if len(weight) else 1.0
    return (
        readonly(both.indptr),
        readonly(both.indices),
        weight / mean,
    )


def _greedy(job: _Job) -> Indices:
    counts = np.bincount(job.of_rank)
    node = kernels.placed_greedily(*_neighbours(job), counts, job.distance)
    return _order_of(job, node)


def _annealed(job: _Job, order: Indices, warmest: float = WARMEST) -> Indices:
    before = np.empty(len(order), np.int64)
    before[order] = job.of_rank
    node = before.copy()
    kernels.cooled(node, *_neighbours(job), job.distance, MOVES, warmest, SEED)
    return _order_of(job, min(before, node, key=job.hop_bytes))


def _order_of(job: _Job, node: Ints) -> Indices:
    """Turn nodes of ranks into the order of ranks on the job's places.

    Ranks that stay on their node keep their places.
    """
    order = np.full(len(node), -1, np.int32)
    stays = node == job.of_rank
    order[stays] = np.flatnonzero(stays)
    places, ranks = np.flatnonzero(~stays), np.flatnonzero(~stays)
    places = places[np.argsort(job.of_rank[places], kind="stable")]
    ranks = ranks[np.argsort(node[ranks], kind="stable")]
    order[places] = ranks
    return order


# Recursive bisection.


def _bisected(job: _Job, halve: Callable[[csr_array, int], Bools]) -> Indices:
    """Halve the nodes along their longest side, and the ranks to cut little; again."""
    begin, partner, weight = _neighbours(job)
    ranks = len(job.of_rank)
    ties = csr_array((weight, partner, begin), shape=(ranks, ranks))
    counts = np.bincount(job.of_rank)
    node = np.zeros(ranks, np.int64)
    dims = job.network.dims or (job.network.nodes,)
    rows = coordinates_of(job.nodes, dims)
    work = [(np.arange(ranks), np.arange(len(job.nodes)))]
    while work:
        own, nodes = work.pop()
        if len(nodes) == 1:
            node[own] = nodes[0]
            continue
        side = int(np.ptp(rows[nodes], 0).argmax())
        nodes = nodes[np.argsort(rows[nodes, side], kind="stable")]
        half = len(nodes) // 2
        first = halve(ties[own][:, own].tocsr(), int(counts[nodes[:half]].sum()))
        work += [(own[first], nodes[:half]), (own[~first], nodes[half:])]
    return _order_of(job, node)


def _half_of_spectrum(ties: csr_array, size: int) -> Bools:
    """Choose `size` ranks, cutting few bytes: the first along a direction.

    The lowest vectors of the Laplacian are places of the ranks, near where they
    exchange much; of several directions there the one that cuts least counts.
    """
    ranks = ties.shape[0]
    if size in (0, ranks) or not ties.nnz:
        return np.arange(ranks) < size
    values, vectors = _lowest_of_spectrum(ties)
    # where ranks are apart values are 0 but for rounding, either way
    places = vectors / np.sqrt(np.maximum(values, 1e-6 * ties.max()))
    rng = np.random.default_rng(SEED)
    drawn = rng.standard_normal((PLANES, places.shape[1]))
    best, least = np.arange(ranks) < size, math.inf
    for direction in (*np.eye(places.shape[1]), *drawn):
        inside = np.zeros(ranks, bool)
        inside[np.argsort(places @ direction, kind="stable")[:size]] = True
        cut = float(inside @ (ties @ (1.0 - inside)))
        if cut < least:
            best, least = inside, cut
    return best


def _lowest_of_spectrum(ties: csr_array) -> tuple[Floats, Floats]:
    """Compute the lowest eigenvalues of a Laplacian but the first, and their vectors.

    float64, shapes (n,) and (ranks, n), n at most `SPECTRUM_VECTORS`.
    """
    ranks = ties.shape[0]
    degree = np.asarray(ties.sum(1), np.float64).ravel()
    if ranks <= DENSE_RANKS:
        values, vectors = np.linalg.eigh(np.diag(degree) - ties.toarray())
        own = slice(1, SPECTRUM_VECTORS + 1)
        return values[own], vectors[:, own]
    from scipy.sparse.linalg import lobpcg

    guess = np.random.default_rng(SEED).standard_normal((ranks, SPECTRUM_VECTORS + 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is not exact
        values, vectors = lobpcg(
            (diags_array(degree) - ties).tocsr(),
            guess,
            M=diags_array(1 / np.where(degree > 0, degree, 1.0)),
            Y=np.ones((ranks, 1)),
            largest=False,
            maxiter=SPECTRUM_STEPS,
        )
    lowest = np.argsort(values)[:SPECTRUM_VECTORS]
    return values[lowest], vectors[:, lowest]


def _metis_half(ties: csr_array, size: int) -> Bools:
    """Choose `size` ranks, cutting few bytes: bool, shape (ranks,)."""
    import pymetis

    ranks = ties.shape[0]
    if size in (0, ranks) or not ties.nnz:
        return np.arange(ranks) < size
    weights = np.maximum(1, ties.data / ties.data.max() * 1e4).astype(int)
    adjacency = pymetis.CSRAdjacency(ties.indptr, ties.indices)
    _, part = pymetis.part_graph(
        2,
        adjacency,
        eweights=weights,
        tpwgts=[size / ranks, 1 - size / ranks],
        recursive=True,
    )
    return of_size(ties, np.array(part) == 0, size)  # METIS keeps sizes only about


def of_size(ties: csr_array, inside: Bools, size: int) -> Bools:
    """Move the ranks that are tied least until `size` are inside; in place."""
    gain = ties @ (2.0 * inside - 1.0)
    while inside.sum() > size:
        own = np.flatnonzero(inside)
        inside[own[gain[own].argmin()]] = False
    while inside.sum() < size:
        own = np.flatnonzero(~inside)
        inside[own[gain[own].argmax()]] = True
    return inside
