"""Butterflies: the network of the fast Fourier transform.

Between level i and the next one each row has an edge to itself and to the row that
differs in bit i (Leighton, 1992, "Introduction to parallel algorithms and
architectures", section 3.2).
"""

from collections.abc import Iterator

import numpy as np

from topoview.model import Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import unique_edges
from topoview.topology.members import Member

AHEAD, BACK, CROSS, LEVEL = "AHEAD", "BACK", " CROSS", "level "


def butterfly(bits: int, wrapped: bool = False, by_level: bool = True) -> Topology:
    """Build a butterfly of 2^bits rows.

    Parameters
    ----------
    bits
        Number of exchanges: there are ``bits + 1`` levels, or ``bits`` where the
        last one leads back to the first.
    wrapped
        Whether it does.
    by_level
        Whether vertices are numbered level by level, not row by row.
    """
    levels, rows = bits + (not wrapped), 1 << bits
    row, step = np.meshgrid(np.arange(rows), np.arange(bits))
    ahead = (step + 1) % levels
    near, pitch = (1, rows) if by_level else (levels, 1)
    here = (pitch * step + near * row).ravel()
    straight = (pitch * ahead + near * row).ravel()
    across = (pitch * ahead + near * (row ^ (1 << step))).ravel()
    n = levels * rows
    edges = unique_edges(n, np.tile(here, 2), np.concatenate([straight, across]))
    vertex = np.arange(n)
    place = [vertex // pitch % levels, vertex // near % rows]
    places = np.stack(place, 1).astype(np.int32)
    dims, periodic = (levels, rows), (wrapped, False)
    name = f"{'wrapped ' if wrapped else ''}butterfly {levels}x{rows}"
    return Topology(
        kind="butterfly",
        name=name,
        dims=dims,
        periodic=periodic,
        edges=edges,
        coordinates=places,
    )


def butterflies(n: int) -> Iterator[Member]:
    """List those of `n` vertices: one of each kind at most."""
    for bits in range(2, n.bit_length()):
        rows = 1 << bits
        if (bits + 1) * rows == n:
            yield _member(bits, False, {2: 2 * rows, 4: (bits - 1) * rows})
        if bits > 2 and bits * rows == n:
            yield _member(bits, True, {4: bits * rows})


def _member(bits: int, wrapped: bool, degrees: dict[int, int]) -> Member:
    levels = bits + (not wrapped)
    return Member(
        "butterfly",
        f"{'wrapped ' if wrapped else ''}butterfly {levels}x{1 << bits}",
        degrees,
        lambda: butterfly(bits, wrapped),
        variants=lambda: [butterfly(bits, wrapped, by_level=False)],
    )


class ButterflyDirections(NamedDirections):
    """AHEAD and BACK a level, CROSS to the other row, else the place."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.level, self.row = topology.coordinates.astype(np.int64).T
        self.levels, self.rows = topology.dims
        self.wrapped = topology.periodic[0]
        self.at = np.empty(topology.dims, np.int64)
        self.at[self.level, self.row] = np.arange(topology.vertices)

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        step = self.level[there] - self.level[here]
        if self.wrapped:
            step = np.where(abs(step) == self.levels - 1, -np.sign(step), step)
        changed = self.row[there] ^ self.row[here]
        between = np.where(step > 0, self.level[here], self.level[there])
        valid = (abs(step) == 1) & ((changed == 0) | (changed == 1 << between))
        codes: Ints = np.where(valid, (step < 0) * 2 + (changed > 0), 4 + there)
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code < 4:
            return (AHEAD, BACK)[code // 2] + CROSS * (code % 2)
        return f"{LEVEL}{self.level[code - 4]} row {self.row[code - 4]}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        level, row = int(self.level[vertex]), int(self.row[vertex])
        for word, step in ((AHEAD, 1), (BACK, -1)):
            if name in (word, word + CROSS):
                there = (level + step) % self.levels if self.wrapped else level + step
                bit = level if step > 0 else there
                row ^= (1 << bit) * name.endswith(CROSS)
                inside = 0 <= there < self.levels
                return int(self.at[there, row]) if inside else None
        first, _, second = name.partition(" row ")
        place = number_after(first, LEVEL), number_after(second, "")
        if place[0] is None or place[1] is None:
            return None
        inside = place[0] < self.levels and place[1] < self.rows
        return int(self.at[place[0], place[1]]) if inside else None
