"""Which ranks are shown: those in chosen ranges of their coordinates."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from topoview.live.moments.messages import MessagesInFlight
from topoview.model import Bools, Geometry, Indices, Layout, Match


def sliced_dimensions(layout: Layout, match: Match) -> tuple[Indices, tuple[int, ...]]:
    """Coordinates that ranges are of, and extents of the dimensions.

    Those of the layout, if it follows a lattice, else those of the topology.

    Returns
    -------
    int32, shape (ranks, dims)
        -1 for ranks that have none.
    tuple of int
        Empty if there are no such dimensions.
    """
    if layout.grid is not None:
        return layout.grid.coordinates, layout.grid.dims
    if match.topology.dims and not layout.free:
        return match.coordinates, match.topology.dims
    return np.zeros((len(layout.positions), 0), np.int32), ()


def ranks_inside(layout: Layout, match: Match, geometry: Geometry) -> Bools | None:
    """Ranks that are in all chosen ranges: shape (ranks,); None if that is all.

    Ranks without coordinates stay, unless a plane is seen alone.
    """
    coordinates, dims = sliced_dimensions(layout, match)
    inside = np.ones(len(coordinates), bool)
    for axis, first, last in geometry.ranges:
        if axis < len(dims):
            column = coordinates[:, axis]
            inside &= (column < 0) | ((column >= first) & (column <= last))
    if layout.alone >= 0:
        inside &= match.coordinates[:, layout.axes[2]] == layout.alone
    return None if inside.all() else inside


def messages_inside(flying: MessagesInFlight, inside: Bools) -> MessagesInFlight:
    """Messages in flight between ranks that are shown."""
    if inside.all():
        return flying
    both = inside[flying.sender] & inside[flying.receiver]
    columns = {field.name: getattr(flying, field.name) for field in fields(flying)}
    kept: dict[str, Any] = {
        name: column[both]
        for name, column in columns.items()
        if isinstance(column, np.ndarray) and len(column) == len(both)
    }
    return replace(flying, **kept)


def pairs_inside(pairs: Indices, inside: Bools) -> Indices:
    """Pairs of ranks that are both shown: shape (n, 2)."""
    return pairs[inside[pairs[:, 0]] & inside[pairs[:, 1]]]
