"""Kernels of analysis/network."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Floats, Indices, Ints


@kernel
def placed_greedily(
    begin: Ints, partner: Ints, weight: Floats, counts: Ints, distance: Indices
) -> Ints:
    """Put the rank that is tied most to placed ones where that costs least."""
    ranks = len(begin) - 1
    node, free = np.full(ranks, -1, np.int64), counts.copy()
    gain, every = np.zeros(ranks), np.zeros(ranks)
    for rank in range(ranks):
        for k in range(begin[rank], begin[rank + 1]):
            every[rank] += weight[k]
    for _ in range(ranks):
        chosen = most_tied(node, gain, every)
        best, least = -1, np.inf
        for at in range(len(counts)):
            if free[at] > 0:
                cost = 0.0
                for k in range(begin[chosen], begin[chosen + 1]):
                    if node[partner[k]] >= 0:
                        cost += weight[k] * distance[at, node[partner[k]]]
                if cost < least:
                    best, least = at, cost
        node[chosen] = best
        free[best] -= 1
        for k in range(begin[chosen], begin[chosen + 1]):
            gain[partner[k]] += weight[k]
    return node


@kernel
def most_tied(node: Ints, gain: Floats, every: Floats) -> int:
    chosen = -1
    for rank in range(len(node)):
        if node[rank] < 0 and (
            chosen < 0
            or gain[rank] > gain[chosen]
            or (gain[rank] == gain[chosen] and every[rank] > every[chosen])
        ):
            chosen = rank
    return chosen


@kernel
def mapping_cost(  # noqa: PLR0913 - of a kernel
    rank: int,
    at: int,
    without: int,
    node: Ints,
    begin: Ints,
    partner: Ints,
    weight: Floats,
    distance: Indices,
) -> float:
    """Hop-bytes of a rank's messages, if it were on a node; one partner left out."""
    found = 0.0
    for k in range(begin[rank], begin[rank + 1]):
        if partner[k] != without:
            found += weight[k] * distance[at, node[partner[k]]]
    return found


@kernel
def cooled(  # noqa: PLR0913 - of a kernel
    node: Ints,
    begin: Ints,
    partner: Ints,
    weight: Floats,
    distance: Indices,
    moves: int,
    warmest: float,
    seed: int,
) -> None:
    """Exchange ranks, also for the worse while it is warm; cold for the last fifth."""
    np.random.seed(seed)  # noqa: NPY002
    ranks = len(node)
    for move in range(moves):
        warmth = warmest * max(1.0 - 1.25 * move / moves, 0.0) ** 2
        one = np.random.randint(ranks)  # noqa: NPY002
        other = np.random.randint(ranks)  # noqa: NPY002
        if begin[one + 1] > begin[one] and np.random.random() < 0.7:  # noqa: NPY002
            # aim at the neighbourhood of a partner
            near = node[partner[np.random.randint(begin[one], begin[one + 1])]]  # noqa: NPY002
            for _ in range(8):
                if distance[node[other], near] <= 1:
                    break
                other = np.random.randint(ranks)  # noqa: NPY002
        a, b = node[one], node[other]
        if a == b:
            continue
        change = (
            mapping_cost(one, b, other, node, begin, partner, weight, distance)
            - mapping_cost(one, a, other, node, begin, partner, weight, distance)
            + mapping_cost(other, a, one, node, begin, partner, weight, distance)
            - mapping_cost(other, b, one, node, begin, partner, weight, distance)
        )
        if change < 0 or (
            warmth > 0 and np.random.random() < np.exp(-change / warmth)  # noqa: NPY002
        ):
            node[one], node[other] = b, a


@kernel
def cover(  # noqa: PLR0913 - of a kernel
    found: Floats,
    begin: int,
    start: int,
    steps: int,
    extent: int,
    stride: int,
    amount: float,
) -> None:
    """Add at the begin of a stretch of a line of nodes, and take off at its end."""
    stop = start + steps
    found[begin + start * stride] += amount
    if stop < extent:
        found[begin + stop * stride] -= amount
    elif stop > extent:
        found[begin] += amount
        found[begin + (stop - extent) * stride] -= amount


@kernel
def grid_loads(
    source: Ints, target: Ints, size: Floats, dims: Ints, wraps: Bools
) -> Floats:
    """Note where each route turns into a dimension and leaves it; then sum up.

    Cost grows with pairs x dimensions + links, not with the length of routes.
    """
    count = len(dims)
    nodes = 1
    for axis in range(count):
        nodes *= dims[axis]
    found = np.zeros(2 * count * nodes)
    for pair in range(len(source)):
        at, end = source[pair], target[pair]
        stride = 1
        for axis in range(count):
            extent = dims[axis]
            a, b = at // stride % extent, end // stride % extent
            ahead, back = b - a, a - b
            shorter = abs(ahead)
            if wraps[axis]:
                ahead %= extent
                back %= extent
                shorter = min(ahead, back)
            begin, base = 2 * axis * nodes, at - a * stride
            amount = 0.5 * size[pair] if ahead == back else size[pair]
            if a != b and ahead == shorter:
                cover(found, begin + base, a, ahead, extent, stride, amount)
            if a != b and back == shorter:
                low = (a - back + 1) % extent
                cover(found, begin + nodes + base, low, back, extent, stride, amount)
            at = base + b * stride
            stride *= extent
    sum_up(found, dims, nodes)
    return found


@kernel
def sum_up(found: Floats, dims: Ints, nodes: int) -> None:
    """Turn changes along the lines of nodes into amounts, for both ways."""
    stride = 1
    for axis in range(len(dims)):
        begin = 2 * axis * nodes
        for place in range(begin, begin + 2 * nodes):
            if place // stride % dims[axis]:
                found[place] += found[place - stride]
        stride *= dims[axis]


@kernel
def breadth_first(  # noqa: PLR0913 - of a kernel
    begin: Ints, reached: Ints, start: int, far: Indices, ways: Floats, queue: Ints
) -> int:
    """Search breadth first: distances, numbers of shortest ways, vertices in order."""
    far[:] = -1
    ways[:] = 0.0
    far[start] = 0
    ways[start] = 1.0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        vertex = queue[head]
        head += 1
        for link in range(begin[vertex], begin[vertex + 1]):
            other = reached[link]
            if far[other] < 0:
                far[other] = far[vertex] + 1
                queue[tail] = other
                tail += 1
            if far[other] == far[vertex] + 1:
                ways[other] += ways[vertex]
    return tail


@kernel
def graph_loads(
    begin: Ints, reached: Ints, first: Ints, target: Ints, size: Floats
) -> Floats:
    vertices = len(begin) - 1
    found = np.zeros(len(reached))
    far = np.empty(vertices, np.int32)
    ways, due = np.empty(vertices), np.empty(vertices)
    queue = np.empty(vertices, np.int64)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        tail = breadth_first(begin, reached, start, far, ways, queue)
        due[:] = 0.0
        for pair in range(first[start], first[start + 1]):
            due[target[pair]] += size[pair]
        for place in range(tail - 1, -1, -1):
            vertex = queue[place]
            for link in range(begin[vertex], begin[vertex + 1]):
                other = reached[link]
                if far[other] == far[vertex] + 1 and due[other] > 0:
                    part = ways[vertex] / ways[other] * due[other]
                    found[link] += part
                    due[vertex] += part
    return found


@kernel
def graph_distances(begin: Ints, reached: Ints, first: Ints, target: Ints) -> Indices:
    vertices = len(begin) - 1
    found = np.empty(len(target), np.int32)
    far = np.empty(vertices, np.int32)
    ways, queue = np.empty(vertices), np.empty(vertices, np.int64)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        breadth_first(begin, reached, start, far, ways, queue)
        for pair in range(first[start], first[start + 1]):
            found[pair] = far[target[pair]]
    return found


@kernel
def graph_shares(  # noqa: PLR0913 - of a kernel
    begin: Ints, reached: Ints, first: Ints, target: Ints, one: int, other: int
) -> Floats:
    vertices = len(begin) - 1
    found = np.zeros(len(target))
    far, behind = np.empty(vertices, np.int32), np.empty(vertices, np.int32)
    ways, onwards = np.empty(vertices), np.empty(vertices)
    queue = np.empty(vertices, np.int64)
    breadth_first(begin, reached, other, behind, onwards, queue)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        breadth_first(begin, reached, start, far, ways, queue)
        if far[one] < 0:
            continue
        for pair in range(first[start], first[start + 1]):
            end = target[pair]
            if behind[end] >= 0 and far[one] + 1 + behind[end] == far[end]:
                found[pair] = ways[one] * onwards[end] / ways[end]
    return found
