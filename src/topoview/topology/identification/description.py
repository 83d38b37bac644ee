"""How long it takes to write traffic down with the help of a topology.

The shortest description is the answer: one rule for exact and near members, for heavy
structure above a light remainder, and for ``unknown`` (Rissanen, 1978, "Modeling by
shortest data description"). It is written in four parts, each in bits:

name
    Which topology, of which size; of what it is made, if of others: each piece is
    named, and how many there are of it. ``unknown`` has none.
places
    Which rank has which place, whatever the numbers of the ranks: log2 of n!, without
    the orders of ranks that have the same neighbours, which may change places, or
    those that only move or turn a lattice.
differences
    Which of all pairs of ranks communicate but are no edges, or are edges but do not
    communicate: log2 of the number of ways to choose so many of them. ``unknown``
    lists all pairs.
traffic
    Which pair a message, and which pair a byte is of: first whether it is an edge of
    the topology, then which of these, all alike. So traffic that mostly goes along a
    few pairs is shorter with these than with all; light pairs cost nothing here and
    heavy ones much. There are as many units of either as pairs, however long a
    program runs. A share takes half log2 of the units (Rissanen, 1983, "A universal
    prior for integers and estimation by minimum description length").
"""

import itertools
import math

import numpy as np

from topoview.model import Bools, Ints, Match, Topology
from topoview.topology.graph.graph import graph_of, neighbourhoods
from topoview.topology.identification.traffic import PairTraffic, carried_pairs
from topoview.topology.lattices.lattice import stencil_of
from topoview.topology.lattices.partial import log2_choices

BITS_OF_A_KIND = 4.0
"""Bits of a name without its size: the library has about 16 kinds."""


MAX_AXES_OF_BOXES = 4
"""Axes up to which places that are left out are told by boxes, in any order of axes."""


def description_bits(traffic: PairTraffic, match: Match, ranks: int) -> float:
    """Count the bits that describe traffic with a match.

    Parameters
    ----------
    traffic
        The pairs that are to be described.
    match
        A topology on their ranks, or on some of them.
    ranks
        Of how many ranks these are some.
    """
    if match.topology.kind == "unknown":
        return bits_of_pairs(traffic, np.zeros(len(traffic.pairs), bool), 0, ranks)
    topology, placed = match.topology, int((match.vertex >= 0).sum())
    return (
        bits_of_name(topology, ranks)
        + bits_of_left_out(topology)
        + log2_choices(max(ranks, placed), placed)  # silent ones may have places
        + bits_of_places(match.topology)
        + bits_of_pairs(traffic, carried_pairs(traffic, match), match.missing, ranks)
    )


def bits_when_listed(traffic: PairTraffic, match: Match, ranks: int) -> float:
    """Count the bits that describe traffic with a list of the pairs a match explains.

    These first, then the others: whoever chooses the heavy ones of random pairs finds
    that they are heavy. What a topology says beside that must be shorter than the list.
    """
    carried = carried_pairs(traffic, match)
    several = ranks * (ranks - 1) // 2
    listed = log2_choices(several, min(int(carried.sum()), several // 2))
    return listed + bits_of_pairs(traffic, carried, 0, ranks)


def bits_of_name(topology: Topology, ranks: int) -> float:
    """Count the bits that tell a topology's kind and size, or these of its pieces.

    And of pieces how many there are of each, of a stencil without a name its steps, of
    a tree how it branches.
    """
    size = math.log2(ranks)
    pieces = set(topology.factors)
    if not pieces:
        steps, dims = topology.offsets, topology.dims
        listed = 0 if stencil_of(steps, len(dims)) else len(steps)
        listed += topology.kind == "tree"
        return BITS_OF_A_KIND + size + listed * size
    return BITS_OF_A_KIND + sum(size + bits_of_name(one, ranks) for one in pieces)


def left_out(topology: Topology) -> int:
    """Count the places of a lattice, or of lattices in it, that are left out."""
    if topology.kind == "part":
        return math.prod(topology.dims) - topology.vertices
    if topology.kind == "union":
        return sum(left_out(piece) for piece in topology.factors)
    return sum(
        topology.vertices // factor.vertices * left_out(factor)
        for factor in topology.factors
    )


def bits_of_left_out(topology: Topology) -> float:
    """Count the bits that tell which places are left out: one by one, or by boxes.

    Each box takes two of its corners. Land and holes hang together.
    """
    if topology.kind != "part":
        return sum(bits_of_left_out(factor) for factor in set(topology.factors))
    places = math.prod(topology.dims)
    single = log2_choices(places, topology.vertices)
    if len(topology.dims) > MAX_AXES_OF_BOXES:
        return single
    held = np.zeros(topology.dims, bool)
    held[tuple(topology.coordinates.T)] = True
    corners = 2 * math.log2(places)
    most = math.ceil(single / corners)
    few = min(
        _boxes(np.flip(held.transpose(axes), flipped), most)
        for axes in itertools.permutations(range(held.ndim))
        for many in range(held.ndim + 1)
        for flipped in itertools.combinations(range(held.ndim), many)
    )
    return min(single, few * corners)


def _boxes(held: Bools, most: int) -> int:
    """Count boxes without a place that is held that together are all others.

    Greedily, each as far as it goes along the last axis, then the one before; as many
    as `most` if there are more.
    """
    taken = held.copy()
    for count in range(most):
        first = int(np.argmin(taken))
        if taken.flat[first]:
            return count
        low = [int(i) for i in np.unravel_index(first, taken.shape)]
        box = [slice(i, i + 1) for i in low]
        for axis in reversed(range(taken.ndim)):
            while box[axis].stop < taken.shape[axis]:
                beside = box.copy()
                beside[axis] = slice(box[axis].stop, box[axis].stop + 1)
                if taken[tuple(beside)].any():
                    break
                box[axis] = slice(box[axis].start, box[axis].stop + 1)
        taken[tuple(box)] = True
    return most


def bits_of_steps(traffic: PairTraffic, steps: Match, ranks: int) -> float:
    """Count the bits that describe traffic with longer steps on places that are known.

    Each step is named, and how many and which of the pairs so far apart communicate.
    """
    topology = steps.topology
    named = len(topology.offsets) * math.log2(max(topology.dims))
    several = len(topology.edges)
    which = math.log2(several + 1) + log2_choices(several, steps.missing)
    rest = bits_of_pairs(traffic, carried_pairs(traffic, steps), 0, ranks)
    return BITS_OF_A_KIND + named + which + rest


def bits_in_order(traffic: PairTraffic, match: Match, orders: int, ranks: int) -> float:
    """Count the bits that describe traffic with a topology on one of some orders."""
    which = math.log2(max(orders, 1))
    rest = bits_of_pairs(traffic, carried_pairs(traffic, match), 0, ranks)
    return BITS_OF_A_KIND + math.log2(ranks) + which + rest


def bits_of_pairs(
    traffic: PairTraffic, carried: Bools, missing: int, ranks: int
) -> float:
    """Count the bits of differences and traffic; a bound for all that explains these.

    Parameters
    ----------
    traffic
        The pairs that are to be described.
    carried : bool, shape (pairs,)
        Pairs that are edges of the topology.
    missing
        Its edges that are none of the pairs.
    ranks
        Of how many ranks these are some.
    """
    pairs, edges = len(traffic.pairs), int(carried.sum())
    several = ranks * (ranks - 1) // 2
    # at most so many: more differences never take fewer bits
    bits = log2_choices(several, min(pairs - edges + missing, several // 2))
    if 0 < edges < pairs:
        for amounts in (traffic.calls, traffic.volume):
            bits += 0.5 * math.log2(pairs) - pairs * _gain(amounts, carried)
    return bits


def _gain(amounts: Ints, carried: Bools) -> float:
    """Bits that each unit of traffic saves: the divergence of Kullback and Leibler.

    Of the shares of the traffic inside and outside from those of the pairs. None where
    less is inside than on as many pairs by chance: what is quiet explains no traffic.
    """
    total = float(amounts.sum())
    expected = float(carried.mean())
    inside = float(amounts[carried].sum()) / total if total else 0.0
    if inside <= expected:
        return 0.0
    gain = 0.0
    for share, of_pairs in ((inside, expected), (1 - inside, 1 - expected)):
        if share > 0:
            gain += share * math.log2(share / of_pairs)
    return gain


def bits_of_places(topology: Topology) -> float:
    """Bits that tell who has which place.

    Vertices with the same neighbours may change places, and components that are alike;
    or a lattice is moved along its periodic axes, and turned about its middle.
    """
    n = topology.vertices
    graph = graph_of(n, topology.edges)
    alike = [np.bincount(same) for same in neighbourhoods(graph)]
    sizes = np.bincount(graph.component_of)
    alike.append(np.bincount(sizes[sizes > 1]))
    often = np.bincount(np.concatenate(alike))
    ways: float = sum(
        often[size] * math.lgamma(size + 1) for size in np.flatnonzero(often).tolist()
    )
    if topology.kind == "lattice" and n > 2:
        around = itertools.compress(topology.dims, topology.periodic)
        ways = max(ways, math.log(2 * math.prod(around)))
    return (math.lgamma(n + 1) - ways) / math.log(2)
