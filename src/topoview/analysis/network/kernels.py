"""Kernels that put ranks onto nodes, and messages onto the links between these."""

import cython
import numpy as np

if not cython.compiled:
    from math import exp
    from math import inf as INFINITY  # noqa: N812 - as in C

    from topoview.base.hashing import mix
    from topoview.base.kinds import *


# Mappings.


def placed_greedily(
    begin: Ints, partner: Ints, weight: Floats, counts: Ints, distance: IndexRows
) -> OutInts:
    """Put the rank that is tied most to placed ones where that costs least.

    Parameters
    ----------
    begin : int64, shape (ranks + 1,)
        Where the partners of each rank begin.
    partner : int64, shape (n,)
    weight : float64, shape (n,)
        What a rank and its partner send each other.
    counts : int64, shape (nodes,)
        Ranks that go onto each node.
    distance : int32, shape (nodes, nodes)
        Links between nodes.

    Returns
    -------
    int64, shape (ranks,)
        Node of each rank.
    """
    ranks: Int = len(begin) - 1
    nodes = np.full(ranks, -1, np.int64)
    node: OutInts = nodes
    free: OutInts = np.array(counts, np.int64)
    gain: OutFloats = np.zeros(ranks)
    whole: OutFloats = np.zeros(ranks)
    rank: Int
    place: Int
    k: Int
    with cython.nogil:
        for rank in range(ranks):
            for k in range(begin[rank], begin[rank + 1]):
                whole[rank] += weight[k]
        for _ in range(ranks):
            chosen: Int = most_tied(node, gain, whole)
            best: Int = -1
            least: Float = INFINITY
            for place in range(len(counts)):
                if free[place] > 0:
                    cost: Float = 0.0
                    for k in range(begin[chosen], begin[chosen + 1]):
                        if node[partner[k]] >= 0:
                            cost += weight[k] * distance[place, node[partner[k]]]
                    if cost < least:
                        best, least = place, cost
            node[chosen] = best
            free[best] -= 1
            for k in range(begin[chosen], begin[chosen + 1]):
                gain[partner[k]] += weight[k]
    return nodes


def most_tied(node: Ints, gain: Floats, whole: Floats) -> Int:
    """Find the rank without a node that is tied most to those with one, or at all."""
    chosen: Int = -1
    rank: Int
    for rank in range(len(node)):
        if node[rank] < 0 and (
            chosen < 0
            or gain[rank] > gain[chosen]
            or (gain[rank] == gain[chosen] and whole[rank] > whole[chosen])
        ):
            chosen = rank
    return chosen


def mapping_cost(  # noqa: PLR0913
    rank: Int,
    place: Int,
    without: Int,
    node: Ints,
    begin: Ints,
    partner: Ints,
    weight: Floats,
    distance: IndexRows,
) -> Float:
    """Sum up hop-bytes of a rank, if it were on a node; one partner left out."""
    cost: Float = 0.0
    k: Int
    for k in range(begin[rank], begin[rank + 1]):
        if partner[k] != without:
            cost += weight[k] * distance[place, node[partner[k]]]
    return cost


# Random numbers: the n-th of SplitMix64 that begins with nothing, from one that the
# seed says on (Steele, Lea and Flood 2014, Fast splittable pseudorandom number
# generators); numbers below a limit by Lemire 2019, Fast random integer generation in
# an interval, whose bias is below limit / 2^32.


def drawn_below(number: Int, limit: Int) -> Int:
    """Draw an integer from 0 below a limit, itself below 2^31."""
    drawn: Int = cython.cast(Int, mix(cython.cast(Code, number)) >> 32)
    return (drawn * limit) >> 32


def drawn_share(number: Int) -> Float:
    """Draw a number from 0 below 1."""
    drawn: Int = cython.cast(Int, mix(cython.cast(Code, number)) >> 11)
    return drawn * (1.0 / 9007199254740992.0)  # 2^53


def cooled(  # noqa: PLR0913
    node: OutInts,
    begin: Ints,
    partner: Ints,
    weight: Floats,
    distance: IndexRows,
    moves: Int,
    warmest: Float,
    seed: Int,
) -> None:
    """Exchange ranks, also for the worse while it is warm; cold for the last fifth.

    Parameters
    ----------
    node : int64, shape (ranks,)
        Node of each rank; changed in place.
    begin, partner, weight, distance
        As for `placed_greedily`.
    moves
        Exchanges that are tried.
    warmest
        Temperature at first, as a weight.
    seed
        Of random numbers, below 2^31.
    """
    ranks: Int = len(node)
    number: Int = seed << 32
    move: Int
    # ranks node by node, and where each stands among them
    members: OutInts = np.argsort(node, kind="stable").astype(np.int64)
    place: OutInts = np.empty(ranks, np.int64)
    np.asarray(place)[np.asarray(members)] = np.arange(ranks)
    counts = np.bincount(node, minlength=len(distance))
    first: OutInts = np.append(0, np.cumsum(counts)).astype(np.int64)
    with cython.nogil:
        for move in range(moves):
            warmth: Float = max(1.0 - 1.25 * move / moves, 0.0)
            warmth = warmest * warmth * warmth
            rank: Int = drawn_below(number, ranks)
            other: Int = drawn_below(number + 1, ranks)
            number += 2
            partners: Int = begin[rank + 1] - begin[rank]
            if partners > 0 and drawn_share(number) < 0.7:
                # aim at the neighbourhood of a partner
                near: Int = begin[rank] + drawn_below(number + 1, partners)
                near = node[partner[near]]
                number += 2
                if drawn_share(number) < 0.5:  # a rank beside the partner
                    many: Int = first[near + 1] - first[near]
                    other = members[first[near] + drawn_below(number + 1, many)]
                    number += 2
                else:
                    for _ in range(8):
                        if distance[node[other], near] <= 1:
                            break
                        other = drawn_below(number, ranks)
                        number += 1
            a: Int = node[rank]
            b: Int = node[other]
            if a == b:
                continue
            change: Float = (
                mapping_cost(rank, b, other, node, begin, partner, weight, distance)
                - mapping_cost(rank, a, other, node, begin, partner, weight, distance)
                + mapping_cost(other, a, rank, node, begin, partner, weight, distance)
                - mapping_cost(other, b, rank, node, begin, partner, weight, distance)
            )
            number += 1
            if change < 0 or (
                warmth > 0 and drawn_share(number) < exp(-change / warmth)
            ):
                node[rank], node[other] = b, a
                here: Int = place[rank]
                there: Int = place[other]
                members[here], members[there] = other, rank
                place[rank], place[other] = there, here


# Loads of links.


def cover(  # noqa: PLR0913
    load: OutFloats,
    begin: Int,
    start: Int,
    steps: Int,
    extent: Int,
    stride: Int,
    amount: Float,
) -> None:
    """Add at the begin of a stretch of a line of nodes, and take off at its end."""
    stop: Int = start + steps
    load[begin + start * stride] += amount
    if stop < extent:
        load[begin + stop * stride] -= amount
    elif stop > extent:  # it goes on at the line's begin
        load[begin] += amount
        load[begin + (stop - extent) * stride] -= amount


@cython.cdivision(True)
def grid_loads(
    source: Ints, target: Ints, size: Floats, dims: Ints, wraps: Bools
) -> OutFloats:
    """Sum up bytes on the links of a grid, each dimension there and back.

    Where each route turns into a dimension and leaves it is noted, and then summed up:
    the cost grows with pairs x dimensions + links, not with the length of routes.

    Parameters
    ----------
    source, target : int64, shape (pairs,)
        Nodes.
    size : float64, shape (pairs,)
        Bytes.
    dims : int64, shape (dimensions,)
    wraps : bool, shape (dimensions,)
        Which are periodic.

    Returns
    -------
    float64, shape (2 * dimensions * nodes,)
    """
    count: Int = len(dims)
    nodes: Int = 1
    pair: Int
    axis: Int
    for axis in range(count):
        nodes *= dims[axis]
    loads = np.zeros(2 * count * nodes)
    load: OutFloats = loads
    with cython.nogil:
        for pair in range(len(source)):
            place: Int = source[pair]
            end: Int = target[pair]
            stride: Int = 1
            for axis in range(count):
                extent: Int = dims[axis]
                a: Int = place // stride % extent
                b: Int = end // stride % extent
                base: Int = place - a * stride
                if a != b:
                    ahead: Int = b - a
                    back: Int = a - b
                    shorter: Int = max(ahead, back)
                    if wraps[axis]:
                        if ahead < 0:
                            ahead += extent
                        else:
                            back += extent
                        shorter = min(ahead, back)
                    # both ways are as long: half of the bytes take each
                    amount: Float = 0.5 * size[pair] if ahead == back else size[pair]
                    begin: Int = 2 * axis * nodes + base
                    if ahead == shorter:
                        cover(load, begin, a, ahead, extent, stride, amount)
                    if back == shorter:
                        low: Int = a - back + 1
                        if low < 0:
                            low += extent
                        cover(load, begin + nodes, low, back, extent, stride, amount)
                place = base + b * stride
                stride *= extent
        sum_up(load, dims, nodes)
    return loads


@cython.cdivision(True)
def sum_up(load: OutFloats, dims: Ints, nodes: Int) -> None:
    """Turn changes along the lines of nodes into amounts, for both ways."""
    stride: Int = 1
    axis: Int
    place: Int
    for axis in range(len(dims)):
        begin: Int = 2 * axis * nodes
        for place in range(begin, begin + 2 * nodes):
            if place // stride % dims[axis]:
                load[place] += load[place - stride]
        stride *= dims[axis]


def breadth_first(  # noqa: PLR0913
    begin: Ints,
    reached: Ints,
    start: Int,
    far: OutIndices,
    ways: OutFloats,
    queue: OutInts,
) -> Int:
    """Search breadth first: distances, numbers of shortest ways, vertices in order."""
    vertex: Int
    link: Int
    for vertex in range(len(far)):
        far[vertex] = -1
        ways[vertex] = 0.0
    far[start] = 0
    ways[start] = 1.0
    queue[0] = start
    head: Int = 0
    tail: Int = 1
    while head < tail:
        vertex = queue[head]
        head += 1
        for link in range(begin[vertex], begin[vertex + 1]):
            other: Int = reached[link]
            if far[other] < 0:
                far[other] = far[vertex] + 1
                queue[tail] = other
                tail += 1
            if far[other] == far[vertex] + 1:
                ways[other] += ways[vertex]
    return tail


@cython.cdivision(True)
def graph_loads(
    begin: Ints, reached: Ints, first: Ints, target: Ints, size: Floats
) -> OutFloats:
    """Sum up bytes on the links of a graph, split evenly over all shortest routes.

    Parameters
    ----------
    begin : int64, shape (vertices + 1,)
        Where the links from each vertex begin.
    reached : int64, shape (links,)
        Where each ends.
    first : int64, shape (vertices + 1,)
        Where the pairs with each source begin.
    target : int64, shape (pairs,)
    size : float64, shape (pairs,)
        Bytes.

    Returns
    -------
    float64, shape (links,)
    """
    vertices: Int = len(begin) - 1
    loads = np.zeros(len(reached))
    load: OutFloats = loads
    far: OutIndices = np.empty(vertices, np.int32)
    ways: OutFloats = np.empty(vertices)
    due: OutFloats = np.empty(vertices)
    queue: OutInts = np.empty(vertices, np.int64)
    start: Int
    vertex: Int
    pair: Int
    place: Int
    link: Int
    with cython.nogil:
        for start in range(vertices):
            if first[start] == first[start + 1]:
                continue
            tail: Int = breadth_first(begin, reached, start, far, ways, queue)
            for vertex in range(vertices):
                due[vertex] = 0.0
            for pair in range(first[start], first[start + 1]):
                due[target[pair]] += size[pair]
            # from the farthest back: what is due to a vertex came from those before it
            for place in range(tail - 1, -1, -1):
                vertex = queue[place]
                for link in range(begin[vertex], begin[vertex + 1]):
                    other: Int = reached[link]
                    if far[other] == far[vertex] + 1 and due[other] > 0:
                        part: Float = ways[vertex] / ways[other] * due[other]
                        load[link] += part
                        due[vertex] += part
    return loads


def graph_distances(
    begin: Ints, reached: Ints, first: Ints, target: Ints
) -> OutIndices:
    """Count the links between the vertices of pairs.

    Parameters
    ----------
    begin, reached, first, target
        As for `graph_loads`.

    Returns
    -------
    int32, shape (pairs,)
        -1 where no route leads there.
    """
    vertices: Int = len(begin) - 1
    distances = np.empty(len(target), np.int32)
    distance: OutIndices = distances
    far: OutIndices = np.empty(vertices, np.int32)
    ways: OutFloats = np.empty(vertices)
    queue: OutInts = np.empty(vertices, np.int64)
    start: Int
    pair: Int
    with cython.nogil:
        for start in range(vertices):
            if first[start] == first[start + 1]:
                continue
            breadth_first(begin, reached, start, far, ways, queue)
            for pair in range(first[start], first[start + 1]):
                distance[pair] = far[target[pair]]
    return distances


@cython.cdivision(True)
def graph_shares(  # noqa: PLR0913
    begin: Ints, reached: Ints, first: Ints, target: Ints, source: Int, end: Int
) -> OutFloats:
    """Compute what part of the bytes of pairs goes over a link.

    Parameters
    ----------
    begin, reached, first, target
        As for `graph_loads`.
    source, end
        The link's vertices.

    Returns
    -------
    float64, shape (pairs,)
        From 0 to 1.
    """
    vertices: Int = len(begin) - 1
    shares = np.zeros(len(target))
    share: OutFloats = shares
    far: OutIndices = np.empty(vertices, np.int32)
    behind: OutIndices = np.empty(vertices, np.int32)
    ways: OutFloats = np.empty(vertices)
    onwards: OutFloats = np.empty(vertices)
    queue: OutInts = np.empty(vertices, np.int64)
    start: Int
    pair: Int
    with cython.nogil:
        breadth_first(begin, reached, end, behind, onwards, queue)
        for start in range(vertices):
            if first[start] == first[start + 1]:
                continue
            breadth_first(begin, reached, start, far, ways, queue)
            if far[source] < 0:
                continue
            for pair in range(first[start], first[start + 1]):
                last: Int = target[pair]
                # ways to the link and ways from it on, of all shortest ways
                if behind[last] >= 0 and far[source] + 1 + behind[last] == far[last]:
                    share[pair] = ways[source] * onwards[last] / ways[last]
    return shares
