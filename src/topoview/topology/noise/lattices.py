"""Lattices behind edges that are missing and edges that are too many.

From a vertex around which all is whole the lattice is grown over the graph, on an
endless lattice; edges that then join far points tell the periods, the layers of
points the extents. What dims result is laid over the graph again as a template, so
that the numbers of missing and extra edges are counted, not estimated.
"""

import math
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Ints
from topoview.progress import Report, breathe, silent
from topoview.topology.graph import Graph, edge_keys, graph_of
from topoview.topology.growth import grow_points
from topoview.topology.lattice import lattice, strides_of
from topoview.topology.matching import merged_in
from topoview.topology.noise.fit import Fit, fitted, regrown, scattered
from topoview.topology.noise.frames import MODELS, Model
from topoview.topology.noise.support import supported

FRAMES = 6
"""Beginnings that are grown for each model."""

FRAMES_OF_MANY = 2
"""The same for more than `LARGE` vertices."""

LOOKED_AT = 2000
"""Vertices that are tried as a beginning."""

REACHED = 0.8
"""Share of the vertices that a growth must place."""

GOOD = 0.08
"""Edits per edge from which on no other beginning is tried, once two agree."""

LARGE = 20_000
"""Vertices beyond which one is enough."""


def grown_lattices(graph: Graph, report: Report = silent) -> list[Fit]:
    """Find the lattices that a graph nearly is.

    Parameters
    ----------
    graph
        Any graph.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Fit
        At most one for each of `MODELS`, fewest edits first.
    """
    clean = supported(graph)
    found = []
    for model in MODELS.values():
        if _plausible(clean, model):
            report("looking past noise", 0.5)
            fit = _best_growth(graph, clean, model)
            if fit is not None:
                found.append(fit)
                if _settled(graph, fit):
                    break
    return sorted(found, key=lambda fit: fit.edits)


def _plausible(graph: Graph, model: Model) -> bool:
    full = model.degree
    mean = float(graph.degree.mean())
    whole = int((graph.degree == full).sum())
    more = int((graph.degree > full).sum())
    return 0.4 * full <= mean <= 1.05 * full and whole > 0 and more <= 0.25 * graph.n


def _best_growth(graph: Graph, clean: Graph, model: Model) -> Fit | None:
    best: Fit | None = None
    agreed = 0
    for vertices, points in _frames(clean, model):
        grown, placed = grow_points(clean, model.d, model.both_ways, vertices, points)
        if placed.sum() < REACHED * graph.n:
            continue
        for fit in _fits(graph, clean, model, grown, placed):
            agreed += best is not None and fit.edits == best.edits
            if best is None or fit.edits < best.edits:
                best, agreed = fit, 0
        enough = agreed or graph.n > LARGE
        if enough and best is not None and _settled(graph, best):
            break
    return best


def _fits(
    graph: Graph, clean: Graph, model: Model, points: Ints, placed: Bools
) -> Iterator[Fit]:
    """Lay the lattice that a growth shows over the graph, along each choice of axes."""
    for _ in range(model.turns):
        shape = _shape(clean, model, points, placed)
        if shape is not None:
            dims, periodic, vertex = shape
            topology = lattice(dims, periodic, model.offsets)
            template = graph_of(graph.n, topology.edges)
            regrown(clean, template, vertex)
            yield fitted(graph, template, vertex, topology.name)
        if model.turn:
            points = points @ np.array(model.turn).T


def _settled(graph: Graph, fit: Fit) -> bool:
    """Tell whether no other beginning is likely to lead to fewer edits."""
    return fit.edits <= GOOD * len(fit.edges) and scattered(graph, fit)


def _frames(graph: Graph, model: Model) -> Iterator[tuple[Ints, Ints]]:
    whole = np.flatnonzero(graph.degree == model.degree)
    order = np.random.default_rng(1).permutation(whole)[:LOOKED_AT]
    count, most = 0, FRAMES if graph.n <= LARGE else FRAMES_OF_MANY
    for v in order.tolist():
        frame = model.frame(graph, v, model.d)
        if frame is not None:
            yield frame
            count += 1
            if count == most:
                return


def _shape(
    graph: Graph, model: Model, points: Ints, placed: Bools
) -> tuple[list[int], list[bool], Ints] | None:
    """Dims and periods of a growth, and the vertex of each that it placed."""
    periods = _periods(graph, model, points, placed)
    extents = [period or _layers(points[placed, i]) for i, period in enumerate(periods)]
    dims = _completed(extents, periods, graph.n)
    if dims is None:
        return None
    place = points.copy()
    inside = placed.copy()
    for i, n in enumerate(dims):
        if periods[i]:
            place[:, i] %= n
        else:
            place[:, i] -= _first_layer(points[placed, i], n)
            inside &= (place[:, i] >= 0) & (place[:, i] < n)
    number = place @ strides_of(dims)
    vertex = np.full(graph.n, -1, np.int64)
    chosen = np.flatnonzero(inside)
    first = np.full(math.prod(dims), -1, np.int64)
    first[number[chosen][::-1]] = chosen[::-1]
    taken = np.flatnonzero(first >= 0)
    vertex[first[taken]] = taken
    breathe()
    flags = [
        n > 2 and _wraps(graph, model, dims, i, vertex) for i, n in enumerate(dims)
    ]
    return dims, flags, vertex


def _wraps(
    graph: Graph, model: Model, dims: list[int], axis: int, vertex: Ints
) -> bool:
    """Tell whether most edges that would join the ends of an axis are there."""
    closed = [i == axis for i in range(len(dims))]
    u, v = (vertex[side] for side in graph.edges.T)
    breathe()
    there = (u >= 0) & (v >= 0)
    u, v = u[there], v[there]
    keys = np.sort(np.minimum(u, v) * graph.n + np.maximum(u, v))
    breathe()
    one = edge_keys(graph.n, lattice(dims, closed, model.offsets).edges)
    other = edge_keys(graph.n, lattice(dims, [False] * len(dims), model.offsets).edges)
    breathe()
    seam = one[~merged_in(one, other)]
    return 2 * int(merged_in(seam, keys).sum()) > len(seam) > 0


def _periods(graph: Graph, model: Model, points: Ints, placed: Bools) -> list[int]:
    """Period of each axis, 0 if it is open: edges that join far points tell it."""
    u, v = graph.edges[:, 0], graph.edges[:, 1]
    both = placed[u] & placed[v]
    apart = points[v[both]] - points[u[both]]
    steps = model.both_ways
    periods = [0] * model.d
    layers = [_layers(points[placed, i]) for i in range(model.d)]
    for _ in range(model.d):
        apart = apart[~_explained(apart, steps)]
        axis, period, votes = _strongest(apart, steps, periods, layers)
        if not votes:
            break
        seam = graph.n / period * int((steps[:, axis] > 0).sum())
        if votes < max(2, 0.3 * seam):
            break
        periods[axis] = period
        half = period // 2
        apart[:, axis] = (apart[:, axis] + half) % period - half
    return periods


def _explained(apart: Ints, steps: Ints) -> Bools:
    found = np.zeros(len(apart), bool)
    for step in steps:
        found |= (apart == step).all(axis=1)
    return found


def _strongest(
    apart: Ints, steps: Ints, periods: list[int], layers: list[int]
) -> tuple[int, int, int]:
    """Axis and length that most edges wrap by, and how many do.

    Each edge votes for some lengths; among those with about as many votes it is
    the one that is nearest to the number of layers.
    """
    best = (0, 0, 0)
    for axis, known in enumerate(periods):
        if known:
            continue
        others = [i for i in range(len(periods)) if i != axis]
        lengths = [
            np.abs((apart - step)[((apart - step)[:, others] == 0).all(axis=1), axis])
            for step in steps
        ]
        counts = np.bincount(np.concatenate(lengths)) if len(apart) else np.zeros(0)
        counts[:3] = 0
        if counts.max(initial=0) > best[2]:
            likely = np.flatnonzero(counts > 0.8 * counts.max())
            length = int(likely[np.abs(likely - layers[axis]).argmin()])
            best = (axis, length, int(counts[length]))
    return best


def _layers(values: Ints) -> int:
    """Count the layers along an open axis that are well filled."""
    counts = np.bincount(values - values.min())
    return int((counts > 0.5 * np.median(counts[counts > 0])).sum())


def _first_layer(values: Ints, extent: int) -> int:
    """Find the layer from which on a number of layers holds most vertices."""
    low = int(values.min())
    counts = np.bincount(values - low)
    held = np.convolve(counts, np.ones(extent, np.int64))[extent - 1 :]
    return low + int(held.argmax())


def _completed(extents: list[int], periods: list[int], n: int) -> list[int] | None:
    """Make the product of the extents `n` by changing one of the open axes."""
    if math.prod(extents) == n:
        return extents
    choices = []
    for i, extent in enumerate(extents):
        rest = math.prod(extents) // max(extent, 1)
        if not periods[i] and rest and n % rest == 0 and n // rest > 1:
            made = [*extents[:i], n // rest, *extents[i + 1 :]]
            choices.append((abs(n // rest - extent), made))
    if not choices or min(choices)[0] > 2:
        return None
    return min(choices)[1]
