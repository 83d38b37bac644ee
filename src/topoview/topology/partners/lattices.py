"""Directions on lattices: offsets the shortest way round, and hypercubes' bits."""

import numba
import numpy as np

from topoview.model import Bools, Directions, Indices, Ints, Match
from topoview.progress import in_breaths
from topoview.topology.lattice import strides_of
from topoview.topology.named import Exchange, Named
from topoview.topology.partners.compass import offset_name, offset_of


class LatticeDirections(Named):
    """Offsets on a lattice, the shortest way round."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.places = topology.coordinates
        self.dims = np.array(topology.dims, np.int64)
        self.wraps = np.array(topology.periodic, bool)
        self.strides = strides_of(topology.dims)
        self.widths = 2 * self.dims - 1
        self.weights = strides_of(self.widths.tolist())

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        codes = np.empty(len(here), np.int64)
        shape = self.dims, self.wraps, self.weights
        for some in in_breaths(len(codes)):
            codes[some] = _codes(self.places, here[some], there[some], *shape)
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        steps = code // self.weights % self.widths - (self.dims - 1)
        return offset_name(steps.tolist())

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        steps = offset_of(name, len(self.dims))
        if steps is None:
            return None
        place = self.places[vertex] + np.array(steps)
        place = np.where(self.wraps, place % self.dims, place)
        if (place < 0).any() or (place >= self.dims).any():
            return None
        return int(place @ self.strides)


@numba.njit(nogil=True, cache=True)
def _codes(  # noqa: PLR0913
    places: Indices, here: Ints, there: Ints, dims: Ints, wraps: Bools, weights: Ints
) -> Ints:
    codes = np.zeros(len(here), np.int64)
    for k in range(len(here)):
        for axis in range(len(dims)):
            extent = dims[axis]
            step = np.int64(places[there[k], axis]) - places[here[k], axis]
            if wraps[axis]:
                low = (extent - 1) // 2
                if step < -low:
                    step += extent
                elif step >= extent - low:
                    step -= extent
            codes[k] += (step + extent - 1) * weights[axis]
    return codes


def lattice_directions(match: Match) -> Directions:
    """Name by offsets; on a hypercube by the bits of the vertex that differ."""
    dims = match.topology.dims
    cube = len(dims) > 2 and set(dims) == {2}
    return Exchange(match) if cube else LatticeDirections(match)
