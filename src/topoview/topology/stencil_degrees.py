"""Degrees of lattices in closed form."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence

from topoview.topology.stencils import STENCILS, Offsets


def degree_histogram(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Counter[int]:
    """Count the vertices of each degree without making the lattice.

    No two steps may lead from a vertex to the same one: see `fits`. Degrees of
    plain lattices add along the axes, those of boxes multiply.
    """
    d = len(dims)
    if _same(offsets, STENCILS["plain"](d)):
        histogram = Counter({0: 1})
        for m, wraps in zip(dims, periodic, strict=True):
            histogram = _added(histogram, _axis_degrees(m, wraps))
        return histogram
    if _same(offsets, STENCILS["box"](d)):
        histogram = Counter({1: 1})
        for m, wraps in zip(dims, periodic, strict=True):
            histogram = _multiplied(histogram, _axis_degrees(m, wraps))
        return Counter({degree - 1: count for degree, count in histogram.items()})
    return _by_zones(dims, periodic, offsets)


def _same(offsets: Offsets, wanted: Offsets) -> bool:
    if offsets is wanted:
        return bool(offsets)
    return len(offsets) == len(wanted) and set(offsets) == set(wanted)


def edge_count(dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets) -> int:
    """Count the edges; as for the degrees no two steps may lead to the same vertex."""
    axes = list(zip(dims, periodic, strict=True))
    return sum(
        math.prod(
            m if wraps else max(m - abs(s), 0)
            for (m, wraps), s in zip(axes, offset, strict=True)
        )
        for offset in offsets
    )


def _axis_degrees(m: int, wraps: bool) -> Counter[int]:
    if wraps and m > 2:
        return Counter({2: m})
    return +Counter({1: 2, 2: m - 2}) if m > 1 else Counter({0: 1})


def _added(first: Counter[int], second: Counter[int]) -> Counter[int]:
    total: Counter[int] = Counter()
    for (a, many), (b, more) in itertools.product(first.items(), second.items()):
        total[a + b] += many * more
    return total


def _multiplied(first: Counter[int], second: Counter[int]) -> Counter[int]:
    total: Counter[int] = Counter()
    for (a, many), (b, more) in itertools.product(first.items(), second.items()):
        total[a * (b + 1)] += many * more
    return total


def _by_zones(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Counter[int]:
    """Count by zones: along open axes the places near each end, and the rest."""
    signed = [*offsets, *(tuple(-s for s in offset) for offset in offsets)]
    zones: list[list[tuple[int, int, int]]] = []  # room below, room above, places
    for axis, (m, wraps) in enumerate(zip(dims, periodic, strict=True)):
        reach = max(abs(offset[axis]) for offset in offsets)
        if wraps:
            zones.append([(reach, reach, m)])
            continue
        near = [*range(min(reach, m)), *range(max(reach, m - reach), m)]
        rooms = Counter((min(p, reach), min(m - 1 - p, reach)) for p in near)
        rooms[reach, reach] += m - len(near)
        zones.append([(low, high, many) for (low, high), many in rooms.items()])
    histogram: Counter[int] = Counter()
    for corner in itertools.product(*zones):
        degree = sum(
            all(-low <= s <= high for s, (low, high, _) in zip(o, corner, strict=True))
            for o in signed
        )
        histogram[degree] += math.prod(many for _, _, many in corner)
    return histogram
