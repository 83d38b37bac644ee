"""Lattices behind missing and extra edges, grown from a vertex with whole surroundings.

Edges that no short cycle supports are left out. From a vertex and its neighbours along
the axes (`MODELS`) the lattice is grown over the graph, on an endless lattice; edges
that then join far points give the periods, the layers of points the extents. What
results is laid over the graph again as a template, so that edits are counted.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Bools, Ints
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.graph.percolation import grow_points
from topoview.topology.lattices.lattice import STENCILS, Offsets, lattice, strides_of
from topoview.topology.lattices.templates import edge_count
from topoview.topology.noise.fit import Fit, fitted, regrown, scattered

# Edges that no short cycle supports: most of those that do not belong there.

MIN_SHARE_OF_CYCLES = 0.34
"""Share of the median number of cycles below which an edge is left out."""

MAX_DEGREE = 512
"""Neighbours of a vertex beyond which cycles are not counted."""


def supported(graph: Graph) -> Graph:
    """Leave out the edges that lie in far fewer short cycles than most.

    An edge that joins two vertices at random closes hardly any triangle or
    square; those of lattices lie in several. Triangles are counted where most
    edges lie in two or more of them, squares otherwise.
    """
    if not len(graph.edges):
        return graph
    cycles = graph.triangles
    if np.median(cycles) < 2:
        if graph.degree.max() > MAX_DEGREE:
            return graph
        cycles = graph.squares
    least = max(1.0, MIN_SHARE_OF_CYCLES * float(np.median(cycles)))
    kept = cycles >= least
    return graph_of(graph.n, np.ascontiguousarray(graph.edges[kept]))


SeedFrame = tuple[Ints, Ints]
"""Vertices, and their points: int64, shape (s,) and (s, d)."""


@dataclass(frozen=True, slots=True)
class LatticeModel:
    """A lattice that is looked for, whatever its dims and periods."""

    d: int
    """Number of dimensions."""
    offsets: Offsets
    """Neighbours, one of each +/- pair."""
    frame: Callable[[Graph, int, int], SeedFrame | None]
    """Finds the neighbours along the axes of a vertex: a function of the graph and the
    vertex."""
    turn: tuple[tuple[int, ...], ...] = ()
    """Matrix of a turn that leaves the offsets and gives other axes: a frame may have
    found any of these. Empty if there is none."""
    turns: int = 1
    """How many turns give other axes, and none counted."""
    twos: int = 0
    """How many axes, the last ones, have two places only."""

    @property
    def degree(self) -> int:
        """Neighbours of an inner vertex."""
        return 2 * len(self.offsets) - self.twos

    @property
    def has_two(self) -> Bools:
        """Whether each axis has two places only, bool, shape (d,)."""
        result: Bools = np.arange(self.d) >= self.d - self.twos
        return result

    @property
    def steps(self) -> Ints:
        """Neighbours of a point at 0 along axes of two places: (degree, d)."""
        return self.both_ways[(self.both_ways[:, self.has_two] >= 0).all(axis=1)]

    @property
    def both_ways(self) -> Ints:
        """All steps to a neighbour, int64, shape (k, d)."""
        one = np.array(self.offsets, np.int64)
        return np.concatenate([one, -one])


def _beside(graph: Graph, v: int) -> list[int]:
    result: list[int] = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    return result


def _cross(
    v: int, opposite: list[tuple[int, int]], d: int, single: Iterable[int] = ()
) -> SeedFrame:
    axes = np.eye(d, dtype=np.int64)
    ends = [*(end for pair in opposite for end in pair), *single]
    points = [sign * axes[i] for i in range(len(opposite)) for sign in (1, -1)]
    points += [*axes[len(opposite) :]]
    return np.array([v, *ends]), np.array([np.zeros(d, np.int64), *points])


def _pairs(
    ends: list[int], apart: Callable[[int, int], bool]
) -> list[tuple[int, int]] | None:
    """Pair each end with the only one that is apart from it."""
    pairs = []
    for a in ends:
        partners = [b for b in ends if b != a and apart(a, b)]
        if len(partners) != 1:
            return None
        if a < partners[0]:
            pairs.append((a, partners[0]))
    return pairs if 2 * len(pairs) == len(ends) else None


def plain_frame(graph: Graph, v: int, d: int, twos: int = 0) -> SeedFrame | None:
    """Find opposite neighbours: they share no square, all others do.

    One along an axis of two places has no opposite: where all are, none is looked for.
    """
    ends = _beside(graph, v)
    if len(ends) != 2 * d - twos:
        return None
    if twos == d:
        return _cross(v, [], d, ends)
    around = {a: set(_beside(graph, a)) - {v} for a in ends}

    def apart(a: int, b: int) -> bool:
        return not around[a] & around[b]

    single = [a for a in ends if twos and all(a == b or not apart(a, b) for b in ends)]
    pairs = _pairs([a for a in ends if a not in single], apart)
    if pairs is None or len(single) != twos:
        return None
    return _cross(v, pairs, d, single)


def box_frame(graph: Graph, v: int, d: int) -> SeedFrame | None:
    """Neighbours along the axes have most neighbours in common with the vertex."""
    ends = _beside(graph, v)
    around = {a: set(_beside(graph, a)) for a in ends}
    inside = set(ends)
    common = sorted(((len(around[a] & inside), a) for a in ends), reverse=True)
    if len(common) <= 2 * d or common[2 * d - 1][0] == common[2 * d][0]:
        return None
    along = [a for _, a in common[: 2 * d]]
    pairs = _pairs(along, lambda a, b: b not in around[a])
    return None if pairs is None else _cross(v, pairs, d)


def hexagon_frame(graph: Graph, v: int, d: int) -> SeedFrame | None:
    """Put the neighbours on the ring of six that they form."""
    ends = _beside(graph, v)
    if len(ends) != 6:
        return None
    around = {a: [b for b in _beside(graph, a) if b in ends] for a in ends}
    if any(len(beside) != 2 for beside in around.values()):
        return None
    walk = [ends[0], around[ends[0]][0]]
    while len(walk) < 6:
        walk.append(next(b for b in around[walk[-1]] if b != walk[-2]))
    if len(set(walk)) < 6:
        return None
    ring = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    return np.array([v, *walk]), np.array([(0,) * d, *ring], np.int64)


MODELS: dict[str, LatticeModel] = {
    "2D": LatticeModel(2, STENCILS["plain"](2), plain_frame),
    "3D": LatticeModel(3, STENCILS["plain"](3), plain_frame),
    "4D": LatticeModel(4, STENCILS["plain"](4), plain_frame),
    "5D": LatticeModel(5, STENCILS["plain"](5), plain_frame),
    "6-point": LatticeModel(
        2, STENCILS["6-point"](2), hexagon_frame, ((0, -1), (1, 1)), 3
    ),
    "2D box": LatticeModel(2, STENCILS["box"](2), box_frame),
    "19-point": LatticeModel(3, STENCILS["19-point"](3), box_frame),
    "3D box": LatticeModel(3, STENCILS["box"](3), box_frame),
}
"""Lattices that are grown. To add one is to add a line."""

MAX_LONG_AXES = 5
"""Axes with more than two places, as in `MODELS`, beside any number with two."""


def _models(graph: Graph) -> Iterator[LatticeModel]:
    """Yield `MODELS`, then plain lattices with axes of two places: four are two twice.

    All axes have if the vertices are as many as one neighbour along each makes them.
    """
    yield from MODELS.values()
    degree = int(np.bincount(graph.degree).argmax())
    for twos in range(degree, max(0, degree - 2 * MAX_LONG_AXES - 1), -2):
        d = (degree + twos) // 2
        if graph.n % (1 << twos) == 0 and (d == twos) == (graph.n == 1 << degree):
            frame = partial(plain_frame, twos=twos)
            yield LatticeModel(d, STENCILS["plain"](d), frame, twos=twos)


MAX_FRAMES = 6
"""Beginnings that are grown for each model."""

MAX_FRAMES_IF_LARGE = 2
"""The same for more than `LARGE_GRAPH` vertices."""

MAX_VERTICES_TRIED = 2000
"""Vertices that are tried as a beginning."""

MIN_SHARE_PLACED = 0.8
"""Share of the vertices that a growth must place."""

GOOD_EDITS_PER_EDGE = 0.08
"""Edits per edge from which on no other beginning is tried, once two agree."""

LARGE_GRAPH = 20_000
"""Vertices beyond which one is enough."""

MAX_PART = 4096
"""Vertices up to which places that are left out are looked for."""


def grown_lattices(graph: Graph, report: Report = silent) -> list[Fit]:
    """Find the lattices that a graph nearly is.

    Parameters
    ----------
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Fit
        At most two for each of `MODELS`, fewest edits first: a whole lattice, and where
        this leaves many one of which places are left out.
    """
    clean = supported(graph)
    fits = []
    for model in _models(clean):
        if _plausible(clean, model):
            report("looking past noise", 0.5)
            best = _best_growths(graph, clean, model)
            fits += best
            if any(_settled(graph, fit) for fit in best):
                break
    return sorted(fits, key=lambda fit: fit.edits)


def _plausible(graph: Graph, model: LatticeModel) -> bool:
    full = model.degree
    mean = float(graph.degree.mean())
    whole = int((graph.degree == full).sum())
    more = int((graph.degree > full).sum())
    return 0.4 * full <= mean <= 1.05 * full and whole > 0 and more <= 0.25 * graph.n


def _best_growths(graph: Graph, clean: Graph, model: LatticeModel) -> list[Fit]:
    best: dict[bool, Fit] = {}
    agreed = 0
    for vertices, points in _frames(clean, model):
        grown, placed = grow_points(clean, model.has_two, model.steps, vertices, points)
        if placed.sum() < MIN_SHARE_PLACED * graph.n:
            continue
        for fit in _fits(graph, clean, model, grown, placed):
            before = best.get(fit.left_out > 0)
            agreed += before is not None and fit.edits == before.edits
            if before is None or fit.bits < before.bits:
                best[fit.left_out > 0], agreed = fit, 0
        enough = agreed or graph.n > LARGE_GRAPH
        if enough and any(_settled(graph, fit) for fit in best.values()):
            break
    return list(best.values())


def _fits(
    graph: Graph, clean: Graph, model: LatticeModel, points: Ints, placed: Bools
) -> Iterator[Fit]:
    """Lay the lattice that a growth shows over the graph, along each choice of axes."""
    for _ in range(model.turns):
        periods = _periods(clean, model, points, placed)
        shape = _shape(clean, model, points, placed, periods)
        settled = False
        if shape is not None:
            dims, periodic, vertex = shape
            topology = lattice(dims, periodic, model.offsets)
            template = graph_of(graph.n, topology.edges)
            regrown(clean, template, vertex)
            fit = fitted(graph, template, vertex, topology.name)
            settled = _settled(graph, fit)
            yield fit
        if not settled and graph.n <= MAX_PART and model.twos < model.d:
            yield _part(graph, model, points, placed, periods)
        if model.turn:
            points = points @ np.array(model.turn).T


@dataclass(slots=True)
class _Places:
    """Places of vertices on an endless lattice, closed along some axes."""

    graph: Graph
    steps: Ints
    """int64, shape (degree, d): all neighbours of a place."""
    wraps: Ints
    """int64, shape (d,): places after which an axis comes back, 0 for open ones."""
    place: Ints
    """int64, shape (n, d): place of each vertex in `at`."""
    at: dict[tuple[int, ...], int]
    """Vertex at each place that is held."""

    def around(self, place: Ints) -> list[tuple[int, ...]]:
        """Places beside a place."""
        there = place + self.steps
        there = np.where(self.wraps > 0, there % np.maximum(self.wraps, 1), there)
        return list(map(tuple, there.tolist()))

    def fill(self, left: list[int], low: Ints, high: Ints) -> bool:
        """Place vertices between two corners, beside most neighbours and few others."""
        placed = np.zeros(self.graph.n, bool)
        placed[list(self.at.values())] = True
        while left:
            beside = {v: [w for w in _beside(self.graph, v) if placed[w]] for v in left}
            v = max(left, key=lambda v: len(beside[v]))
            free: dict[tuple[int, ...], int] = {}
            for p in (p for w in beside[v] for p in self.around(self.place[w])):
                if p not in self.at and (low <= p).all() and (p <= high).all():
                    near = [
                        self.at[q] for q in self.around(np.array(p)) if q in self.at
                    ]
                    free[p] = 2 * sum(w in beside[v] for w in near) - len(near)
            if not free:
                return False
            best = max(free, key=lambda p: free[p])
            self.at[best], placed[v], self.place[v] = v, True, best
            left.remove(v)
        return True

    def corners(self) -> tuple[Ints, Ints]:
        """First and last place along each axis."""
        held = np.array(list(self.at), np.int64)
        open_ = self.wraps == 0
        return held.min(0) * open_, np.where(open_, held.max(0), self.wraps - 1)

    def fit(self) -> Fit:
        """Lay the edges between places beside each other over the graph."""
        ends = [
            (v, self.at[q])
            for p, v in self.at.items()
            for q in self.around(np.array(p))
            if q in self.at
        ]
        low, high = self.corners()
        left_out = math.prod((high - low + 1).tolist()) - len(self.at)
        fit = Fit.of("", self.graph, *np.array(ends, np.int64).reshape(-1, 2).T)
        return replace(fit, left_out=left_out)

    def drawn_in(self) -> "_Places":
        """Place a layer that sticks out anew within the others, while that is shorter.

        A vertex at the border that lost an edge fits beyond it as well.
        """
        best, least = self, self.fit().bits
        while True:
            low, high = best.corners()
            layers = []
            for axis in np.flatnonzero(best.wraps == 0).tolist():
                for inner, end, step in ((low, low, 1), (high, high, -1)):
                    out = [p for p in best.at if p[axis] == end[axis]]
                    inside = inner.copy()
                    inside[axis] += step
                    box = (inside, high) if step > 0 else (low, inside)
                    layers.append((len(out), out, box))
            before = least
            for _, out, box in sorted(layers, key=lambda layer: layer[0]):
                at = {p: v for p, v in best.at.items() if p not in set(out)}
                other = replace(best, place=best.place.copy(), at=at)
                if other.fill([best.at[p] for p in out], *box):
                    bits = other.fit().bits
                    if bits < least:
                        best, least = other, bits
                        break
            if least == before:
                return best


def _part(
    graph: Graph, model: LatticeModel, points: Ints, placed: Bools, periods: list[int]
) -> Fit:
    """Lay the places that a growth holds over the graph, and no others."""
    wraps = np.array([period or 0 for period in periods], np.int64)
    place = np.where(wraps > 0, points % np.maximum(wraps, 1), points)
    at: dict[tuple[int, ...], int] = {}
    for v in np.flatnonzero(placed).tolist():
        at.setdefault(tuple(place[v].tolist()), v)
    places = _Places(graph, model.steps, wraps, place, at)
    left = sorted(set(range(graph.n)) - set(at.values()))
    far = np.full(model.d, 2 * graph.n)
    places.fill(left, -far, far)
    fit = places.drawn_in().fit()
    template = graph_of(graph.n, fit.edges)
    better = fitted(graph, template, np.arange(graph.n), "")
    return replace(better, left_out=max(1, fit.left_out))


def _settled(graph: Graph, fit: Fit) -> bool:
    """Return whether no other beginning is likely to lead to fewer edits."""
    return fit.edits <= GOOD_EDITS_PER_EDGE * len(fit.edges) and scattered(graph, fit)


def _frames(graph: Graph, model: LatticeModel) -> Iterator[tuple[Ints, Ints]]:
    whole = np.flatnonzero(graph.degree == model.degree)
    order = np.random.default_rng(1).permutation(whole)[:MAX_VERTICES_TRIED]
    count, most = 0, MAX_FRAMES if graph.n <= LARGE_GRAPH else MAX_FRAMES_IF_LARGE
    for v in order.tolist():
        frame = model.frame(graph, v, model.d)
        if frame is not None:
            yield frame
            count += 1
            if count == most:
                return


def _shape(
    graph: Graph, model: LatticeModel, points: Ints, placed: Bools, periods: list[int]
) -> tuple[list[int], list[bool], Ints] | None:
    """Dims and periods of a growth, and the vertex of each that it placed."""
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
    ends = vertex[graph.edges[(vertex[graph.edges] >= 0).all(axis=1)]]
    flags = [n > 2 and _wraps(model, dims, i, ends) for i, n in enumerate(dims)]
    return dims, flags, vertex


def _wraps(model: LatticeModel, dims: list[int], axis: int, ends: Ints) -> bool:
    """Return whether most edges that would join the ends of an axis are there.

    Parameters
    ----------
    ends : int64, shape (k, 2)
        Edges between numbers of places.
    """
    open_, closed = ([i == one for i in range(len(dims))] for one in (-1, axis))
    seam = edge_count(dims, closed, model.offsets)
    seam -= edge_count(dims, open_, model.offsets)
    strides = strides_of(dims)
    across = np.abs(np.diff(ends // strides[axis] % dims[axis])) == dims[axis] - 1
    here, there = ends[across[:, 0]].T[:, :, None] // strides % dims
    apart = there - here
    apart[:, axis] = -np.sign(apart[:, axis])
    return 2 * int(_explained(apart, model.both_ways).sum()) > seam > 0


def _periods(
    graph: Graph, model: LatticeModel, points: Ints, placed: Bools
) -> list[int]:
    """Period of each axis, 0 if it is open: edges that join far points tell it."""
    u, v = graph.edges[:, 0], graph.edges[:, 1]
    both = placed[u] & placed[v]
    apart = points[v[both]] - points[u[both]]
    steps = model.both_ways
    periods = [2 * two for two in model.has_two.tolist()]
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
    reach = int(np.abs(steps).max())
    weights = (2 * reach + 1) ** np.arange(steps.shape[1])
    near = (np.abs(apart) <= reach).all(axis=1)
    result: Bools = near & np.isin(apart @ weights, steps @ weights)
    return result


def _strongest(
    apart: Ints, steps: Ints, periods: list[int], layers: list[int]
) -> tuple[int, int, int]:
    """Axis and length that most edges wrap by, and how many do.

    Each edge votes for some lengths; among those with about as many votes it is
    the one that is nearest to the number of layers.
    """
    best = (0, 0, 0)
    for axis, period in enumerate(periods):
        if period:
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
    """Complete the product of the extents to `n` by changing open ones, least in all.

    A patch that slid over a border fills a layer beyond, along any of the open axes.
    """
    ways = [
        [extent] if period else range(max(2, extent - 2), extent + 3)
        for extent, period in zip(extents, periods, strict=True)
    ]
    return min(
        (list(dims) for dims in itertools.product(*ways) if math.prod(dims) == n),
        key=lambda dims: sum(abs(np.subtract(dims, extents))),
        default=None,
    )
