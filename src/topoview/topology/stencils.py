"""Stencils: which offsets of a lattice are neighbours.

To add one is to add a line to `STENCILS`.
"""

import itertools
from collections.abc import Callable, Iterable

Offset = tuple[int, ...]
Offsets = tuple[Offset, ...]


def canonical(offset: Iterable[int]) -> Offset:
    """Of an offset and its opposite, the one whose first step is positive."""
    steps = tuple(int(step) for step in offset)
    first = next((step for step in steps if step), 0)
    return tuple(-step for step in steps) if first < 0 else steps


def plain(d: int) -> Offsets:
    """Offsets of the 3-, 5-, 7-point stencil: one step along one axis."""
    return tuple(tuple(int(i == j) for j in range(d)) for i in range(d))


def _six(d: int) -> Offsets:
    return ((1, 0), (0, 1), (1, -1)) if d == 2 else ()


def _box(d: int) -> Offsets:
    steps = itertools.product((-1, 0, 1), repeat=d)
    return tuple(s for s in steps if s > (0,) * d) if d > 1 else ()


def _nineteen(d: int) -> Offsets:
    return tuple(s for s in _box(3) if sum(map(abs, s)) < 3) if d == 3 else ()


STENCILS: dict[str, Callable[[int], Offsets]] = {
    "plain": plain,
    "6-point": _six,
    "box": _box,
    "19-point": _nineteen,
}
"""Name to the offsets in `d` dimensions, one of each +/- pair; empty if none."""


def stencil_of(offsets: Iterable[Offset], d: int) -> str:
    """Name in `STENCILS` that offsets have, up to reflections; empty if none."""
    found = frozenset(map(canonical, offsets))
    for name, make in STENCILS.items():
        wanted = make(d)
        if wanted and len(wanted) == len(found):
            signs = [(1, *s) for s in itertools.product((1, -1), repeat=d - 1)]
            # boxes are their own reflections: try the mirrored 6-point only
            for flips in signs if name == "6-point" else signs[:1]:
                mirrored = (
                    canonical(a * b for a, b in zip(offset, flips, strict=True))
                    for offset in wanted
                )
                if frozenset(mirrored) == found:
                    return name
    return ""


def stencil_label(offsets: Offsets, d: int) -> str:
    """Name a stencil by its points: ``6-point stencil``.

    The literature counts neighbours in the 6-point stencil, and neighbours plus
    the centre in all others.
    """
    name = stencil_of(offsets, d)
    return f"{2 * len(offsets) + (name != '6-point')}-point stencil"
