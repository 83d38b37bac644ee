"""Places of an arbitrary graph: distances in space follow those along its paths.

Pivot MDS gives the first places, sparse stress majorisation improves them, and the
vertices are given room.
"""

import numpy as np

from topoview.model import Floats, Indices, Ints
from topoview.topology import kernels
from topoview.topology.graph.graph import Graph, distances_from, induced
from topoview.topology.layout.curves import rows

# Places whose distances follow the paths of a graph, on a sample of the paths.

MAX_STRESS_ROUNDS = 30
"""Rounds of improvement of small graphs."""

MAX_STRESS_WORK = 30_000_000
"""Paths and edges that are looked at in all: large graphs get fewer rounds."""

MIN_STRESS_ROUNDS = 4
"""Rounds of the largest graphs."""


def majorised(graph: Graph, places: Floats, distance: Indices) -> Floats:
    """Move vertices so that distances in space follow those along paths.

    Sparse stress majorisation (Ortmann, Klimenta, Brandes, 2017, "A sparse stress
    model", J. Graph Algorithms Appl. 21): each vertex is drawn to its distance from
    its neighbours and from the pivots; a pivot counts for the vertices nearest to
    it, with the inverse square of the distance. A round is linear in the edges.

    Parameters
    ----------
    graph
        A connected graph.
    places : float64, shape (n, dims)
        Where to begin, such as `pivot_mds`; it is not changed.
    distance : int32, shape (n, pivots)
        Length of the shortest path from each vertex to each pivot.

    Returns
    -------
    float64, shape (n, dims)
        Edges about 1 long.
    """
    n, pivots = distance.shape
    if n < 3:
        return places
    pivot = distance.argmin(axis=0)
    nearest = np.bincount(distance.argmin(axis=1), minlength=pivots).astype(np.float64)
    moved = _scaled(places, distance, pivot)
    # vertices with equal distances to all pivots would never part
    moved += np.random.default_rng(1).normal(scale=1e-2, size=moved.shape)
    each = n * pivots + len(graph.indices)
    rounds = max(
        MIN_STRESS_ROUNDS, min(MAX_STRESS_ROUNDS, MAX_STRESS_WORK // max(each, 1))
    )
    kernels.majorise(
        graph.indptr, graph.indices, distance, pivot, nearest, moved, rounds
    )
    return moved


def _scaled(places: Floats, distance: Indices, pivot: Ints) -> Floats:
    """Scale places so that distances to pivots are those along paths, by and large."""
    total = along = 0.0
    for p, lengths in zip(pivot, distance.T, strict=True):
        squared = ((places - places[p]) ** 2).sum(axis=1)
        total += float(squared.sum())
        along += float(np.sqrt(squared) @ lengths)
    scale = along / total if total > 0 else 1.0
    scaled: Floats = places * scale
    return scaled


PIVOTS = 50
"""Vertices from which distances are measured."""

MAX_COMPONENTS_PLACED = 200
"""Components up to which each is placed by itself; more stand in plain rows."""

NEIGHBOURS_KEPT_APART = 8
"""Neighbours in space that a vertex keeps away from."""

MIN_DISTANCE = 0.9
"""How far it keeps them away; edges are 1 long."""

MAX_STEPS, MAX_STEP_WORK = 80, 400_000
"""Most steps of relaxation, and steps times vertices for large graphs."""


def spread(graph: Graph) -> Floats:
    """Place the vertices of any graph in space: float64, shape (n, 3).

    Components stand side by side in rows, the largest first.
    """
    label = graph.component_of
    places = np.zeros((graph.n, 3))
    count = int(label.max(initial=-1)) + 1
    if count > MAX_COMPONENTS_PLACED:
        places[:, :2] = rows(graph.n)[np.argsort(np.argsort(label, kind="stable"))]
        return places
    components = [np.flatnonzero(label == c) for c in range(count)]
    blocks = []
    for members in components:
        part = induced(members, graph.edges)
        distances = pivot_distances(part)
        begun = majorised(part, pivot_mds(distances), distances)
        blocks.append(relaxed(unit_edges(begun, part.edges), part.edges))
    for members, block in zip(components, side_by_side(blocks), strict=True):
        places[members] = block
    return places


def side_by_side(blocks: list[Floats]) -> list[Floats]:
    """Set blocks of places in rows on the page, the largest first, 2 apart."""
    width = 1.3 * sum(np.prod(np.ptp(b[:, :2], axis=0) + 2) for b in blocks) ** 0.5
    placed = list(blocks)
    corner, height = np.zeros(2), 0.0
    for i in sorted(range(len(blocks)), key=lambda i: -len(blocks[i])):
        low, size = blocks[i].min(axis=0), np.ptp(blocks[i], axis=0)
        if corner[0] and corner[0] + size[0] > width:
            corner, height = np.array([0.0, corner[1] - height - 2]), 0.0
        top = low[1] + size[1]
        placed[i] = blocks[i] + [corner[0] - low[0], corner[1] - top, 0.0]
        corner[0] += size[0] + 2
        height = max(height, float(size[1]))
    return placed


def pivot_mds(distances: Indices) -> Floats:
    """Place the vertices of a connected graph so that distances follow its paths.

    PivotMDS (Brandes, Pich, 2007, "Eigensolver methods for progressive
    multidimensional scaling of large data", Graph Drawing 2006, section 4), each
    pivot the vertex farthest from those before. Linear in the vertices.

    Parameters
    ----------
    distances : int32, shape (n, pivots)
        As of `pivot_distances`.

    Returns
    -------
    float64, shape (n, 3)
        Columns in order of falling spread; zero where there is none.
    """
    n = len(distances)
    centred = distances.astype(np.float64)
    centred *= centred
    mean, of_rows = centred.mean(), centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    centred -= of_rows - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = np.zeros((n, 3))
    best = vectors[:, ::-1][:, :3]
    # signs of eigenvectors are arbitrary: the largest entry is made positive
    best = best * np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    places[:, : best.shape[1]] = -centred @ best / 2
    return places


def pivot_distances(graph: Graph) -> Indices:
    """Lengths of the shortest paths to `PIVOTS` vertices: int32, (n, pivots)."""
    distance = np.empty((min(PIVOTS, graph.n), graph.n), np.int32)
    pivot, nearest = 0, np.full(graph.n, graph.n, np.int32)
    for row in distance:
        row[:] = distances_from(graph, np.array([pivot]))[0]
        np.minimum(nearest, row, out=nearest)
        pivot = int(nearest.argmax())
    return np.ascontiguousarray(distance.T)


def unit_edges(places: Floats, edges: Indices) -> Floats:
    """Scale places so that the median edge is 1 long."""
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    lengths = lengths[lengths > 1e-9]
    return places / np.median(lengths) if len(lengths) else places


def relaxed(places: Floats, edges: Indices) -> Floats:
    """Move vertices apart, and edges to equal lengths, near where they are.

    Distances to pivots are the same for vertices with the same neighbours. In
    turns each edge is drawn towards length 1, and the nearest vertices of each
    are pushed that far apart (Jacobi steps of position-based dynamics; Mueller
    et al., 2007). Costs n log n a step.

    Parameters
    ----------
    places : float64, shape (n, 3)
        Where `pivot_mds` puts them, edges about 1 long.
    edges : int32, shape (m, 2)
        Pairs of vertices.
    """
    from scipy.spatial import cKDTree  # loads long, and lattices have no use for it

    n = len(places)
    moved = places + np.random.default_rng(1).normal(scale=0.05, size=places.shape)
    near = min(NEIGHBOURS_KEPT_APART, n - 1)
    if near < 1:
        return moved
    weight = 1 + np.bincount(edges.ravel(), minlength=n)[:, None]
    for _ in range(min(MAX_STEPS, max(4, MAX_STEP_WORK // n))):
        moved += _pulled(moved, edges) / weight
        tree = cKDTree(moved, balanced_tree=False, compact_nodes=False)
        places_near = tree.query(moved, near + 1, distance_upper_bound=MIN_DISTANCE)[1]
        near_by = np.asarray(places_near)
        own, place = np.nonzero(near_by[:, 1:] < n)  # those farther away have n
        step, length = _between(moved, own, near_by[own, place + 1])
        push = 0.5 * np.maximum(0, MIN_DISTANCE - length) / length * step
        moved -= _sums_of(push, own, n) / 2
    return moved


def _pulled(places: Floats, edges: Indices) -> Floats:
    step, length = _between(places, edges[:, 0], edges[:, 1])
    pull = 0.5 * (length - 1) / length * step
    n = len(places)
    return _sums_of(pull, edges[:, 0], n) - _sums_of(pull, edges[:, 1], n)


def _sums_of(rows: Floats, vertex: Indices | Ints, n: int) -> Floats:
    """Add up the rows of each vertex: float64, shape (n, 3)."""
    return np.stack([np.bincount(vertex, column, n) for column in rows.T], axis=1)


def _between(
    places: Floats, u: Indices | Ints, v: Indices | Ints
) -> tuple[Floats, Floats]:
    step = places[v] - places[u]
    length = np.sqrt((step**2).sum(axis=1, keepdims=True))
    return step, np.maximum(length, 1e-6)
