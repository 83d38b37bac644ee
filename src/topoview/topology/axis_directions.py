"""What a step along each axis of a layout is called, as logical traces call it."""

from collections.abc import Sequence

import numpy as np

from topoview.model import Indices, Ints, Match
from topoview.topology.lattice import strides_of
from topoview.topology.partners.directions import directions

MOST = 512
"""Steps along an axis that are looked at."""


def axis_directions(
    match: Match, coordinates: Indices, dims: Sequence[int]
) -> tuple[str, ...]:
    """Name the step by one along each axis: ``EAST``, ``SOUTH``, ``EXCHANGE 4``.

    Parameters
    ----------
    match
        Whose directions they are.
    coordinates : int32, shape (ranks, dims)
        Of the layout; -1 for ranks that are not in it.
    dims
        Extent of each dimension.

    Returns
    -------
    tuple of str
        Empty where steps along an axis have no name, or different ones, or are
        only told as differences of ranks.
    """
    inside = np.flatnonzero((coordinates >= 0).all(axis=1))
    if not len(inside) or match.topology.kind in ("none", "unknown"):
        return ("",) * len(dims)
    strides = strides_of(dims)
    slot = coordinates[inside].astype(np.int64) @ strides
    order = np.argsort(slot, kind="stable")
    slot, ranks = slot[order], inside[order]
    named = directions(match)
    found = []
    for axis, count in enumerate(dims):
        pairs = _steps(slot, ranks, coordinates[:, axis], count, int(strides[axis]))
        if not len(pairs):
            found.append("")
            continue
        index, names = named.names(*np.ascontiguousarray(pairs.T, np.int32))
        one = len(index) > 0 and index[0] >= 0 and bool((index == index[0]).all())
        name = names[int(index[0])] if one else ""
        found.append("" if name[:1] in "+-" or name.startswith("rank ") else name)
    return tuple(found)


def _steps(slot: Ints, ranks: Ints, at: Indices, count: int, stride: int) -> Ints:
    """Find some pairs of ranks, the second one step further along an axis: (n, 2)."""
    here = np.flatnonzero(at[ranks] < count - 1)
    here = here[:: max(1, len(here) // MOST)]
    there = np.searchsorted(slot, slot[here] + stride)
    there = np.minimum(there, len(slot) - 1)
    known = slot[there] == slot[here] + stride
    return np.stack([ranks[here[known]], ranks[there[known]]], axis=1)
