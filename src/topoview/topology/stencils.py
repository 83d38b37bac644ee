"""Stencils: which offsets of a lattice are neighbours.

To add one is to add a line to `STENCILS`. They are made once: a box of twelve
dimensions has 265,720 offsets.
"""

import functools
import itertools
from collections.abc import Callable, Iterable

Offset = tuple[int, ...]
Offsets = tuple[Offset, ...]


def canonical(offset: Iterable[int]) -> Offset:
    """Of an offset and its opposite, the one whose first step is positive."""
    steps = tuple(int(step) for step in offset)
    first = next((step for step in steps if step), 0)
    return tuple(-step for step in steps) if first < 0 else steps


@functools.cache
def plain(d: int) -> Offsets:
    """Offsets of the 3-, 5-, 7-point stencil: one step along one axis."""
    return tuple(tuple(int(i == j) for j in range(d)) for i in range(d))


@functools.cache
def _six(d: int) -> Offsets:
    return ((1, 0), (0, 1), (1, -1)) if d == 2 else ()


@functools.cache
def _box(d: int) -> Offsets:
    steps = itertools.product((-1, 0, 1), repeat=d)
    return tuple(s for s in steps if s > (0,) * d) if d > 1 else ()


@functools.cache
def _nineteen(d: int) -> Offsets:
    return tuple(s for s in _box(3) if sum(map(abs, s)) < 3) if d == 3 else ()


@functools.cache
def _fifteen(d: int) -> Offsets:
    if d != 3:
        return ()
    return tuple(s for s in _box(3) if sum(map(abs, s)) in (1, 3))


@functools.cache
def _thirteen(d: int) -> Offsets:
    if d != 2:
        return ()
    steps = itertools.product(range(-2, 3), repeat=2)
    return tuple(s for s in steps if s > (0, 0) and sum(map(abs, s)) <= 2)


@functools.cache
def _twenty_five(d: int) -> Offsets:
    if d != 2:
        return ()
    return tuple(s for s in itertools.product(range(-2, 3), repeat=2) if s > (0, 0))


@functools.cache
def _knight(d: int) -> Offsets:
    return ((1, 2), (2, 1), (1, -2), (2, -1)) if d == 2 else ()


def _arms(length: int) -> Callable[[int], Offsets]:
    @functools.cache
    def offsets(d: int) -> Offsets:
        if d > 3:
            return ()
        return tuple(
            tuple(step * s for s in unit)
            for step in range(1, length + 1)
            for unit in plain(d)
        )

    return offsets


STENCILS: dict[str, Callable[[int], Offsets]] = {
    "plain": plain,
    "6-point": _six,
    "box": _box,
    "19-point": _nineteen,
    "15-point": _fifteen,
    "13-point": _thirteen,
    "25-point": _twenty_five,
    "arms of 2": _arms(2),
    "arms of 3": _arms(3),
    "arms of 4": _arms(4),
    "knight's moves": _knight,
}
"""Name to the offsets in `d` dimensions, one of each +/- pair; empty if none."""

MOST_STEPS = 6
"""Steps of a stencil without a name up to which they are listed."""


def stencil_of(offsets: Iterable[Offset], d: int) -> str:
    """Name in `STENCILS` that offsets have, up to reflections; empty if none."""
    found = frozenset(map(canonical, offsets))
    # A box of many dimensions is not made to see that this is none.
    boxed = len(found) == (3**d - 1) // 2
    tried = {n: make for n, make in STENCILS.items() if n != "box" or boxed}
    for name, make in tried.items():
        if offsets and offsets is make(d):
            return name
    for name, make in tried.items():
        wanted = make(d)
        if wanted and len(wanted) == len(found):
            # all others are their own reflections
            signs = ((1, 1), (1, -1)) if name == "6-point" else ((1,) * d,)
            for flips in signs:
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
    the centre in all others; those with arms of several steps are told apart from
    boxes. Offsets that no stencil has are listed: ``steps 1 and 4``.
    """
    name = stencil_of(offsets, d)
    if not name and len(offsets) <= MOST_STEPS:
        listed = [str(o[0] if d == 1 else o) for o in sorted(offsets)]
        *most, last = listed
        return f"steps {', '.join(most)}{' and ' if most else ''}{last}"
    if name == "knight's moves":
        return name
    points = 2 * len(offsets) + (name != "6-point")
    if name.startswith("arms") and d > 1:
        return f"{points}-point star stencil"
    return f"{points}-point stencil{'' if name else ' of its own'}"
