"""Places on rings, tubes and tori, from lengths and angles: gaps are in these."""

import math
from collections.abc import Sequence

import numpy as np

from topoview.model import Floats, Indices
from topoview.topology.curves import radius_of
from topoview.topology.layout.grid import around


def ring_places(
    coordinates: Indices, dims: Sequence[int], gaps: Sequence[Floats]
) -> Floats:
    """Places of columns of ranks around a circle, from outside in: (ranks, 3).

    Neighbours on the innermost circle are 1 apart; gaps within a column are left
    out.
    """
    angles, total = around(dims[1], gaps[1])
    angle = np.pi / 2 - angles[coordinates[:, 1]]
    outer = radius_of(total) + dims[0] - 1
    radius = outer - coordinates[:, 0]
    flat = np.zeros(len(radius))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), flat], 1)


def tube_places(along: Floats, angle: Floats, total: float) -> tuple[Floats, Floats]:
    """Places and outward normals on a tube along x, of a length around it."""
    turned = np.pi / 2 - angle
    normal = np.stack([np.zeros(len(turned)), np.cos(turned), np.sin(turned)], 1)
    places = radius_of(total) * normal
    places[:, 0] = along
    return places, normal


def torus_places(
    major: Floats, minor: Floats, n_major: float, n_minor: float
) -> tuple[Floats, Floats]:
    """Places and outward normals on a torus that lies flat.

    The radii keep places 1 apart on average; where that would leave no hole
    the ring grows and the tube shrinks to a ratio of 2.2 at the same surface,
    and places on the inside stay at least 3/4 apart.

    Parameters
    ----------
    major, minor : float64, shape (n,)
        Angles around the ring and around the pipe.
    n_major, n_minor
        Lengths around them.
    """
    ring, pipe = radius_of(n_major), radius_of(n_minor)
    if ring < 2.2 * pipe:
        ring, pipe = math.sqrt(2.2 * ring * pipe), math.sqrt(ring * pipe / 2.2)
        ring = max(ring, pipe + 0.75 * radius_of(n_major))
    u, v = np.pi / 2 - major, minor
    outward = np.stack([np.cos(u), np.sin(u), np.zeros(len(u))], 1)
    normal = outward * np.cos(v)[:, None]
    normal[:, 2] = np.sin(v)
    return ring * outward + pipe * normal, normal
