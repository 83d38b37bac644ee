"""Which iteration of the program calls are in."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoview.model import CallPositions, Indices, Ints, LoopStep


def iterations(positions: CallPositions, calls: Ints) -> Indices:
    """Tell the iteration of the program that calls are in.

    They are those of the outermost loop; where its body is mostly another loop with
    more iterations, such as twenty steps between two reductions, those of that one,
    numbered through all its runs.

    Parameters
    ----------
    calls : int64, shape (n,)
        Indices of calls.

    Returns
    -------
    int32, shape (n,)
        From 1; 0 outside of loops, and of calls whose position is not known.
    """
    ways = {_repeated(way) for ways in positions.loops for way in ways}
    found, place = np.zeros(len(calls), np.int32), positions.of_call[calls]
    for nest in ways:
        if len(nest) == 1:
            _number_iterations(place, _main_nest(nest, ways), found)
    return found


def _repeated(way: tuple[LoopStep, ...]) -> tuple[LoopStep, ...]:
    """Leave out loops that run once; others keep their places."""
    found, before = [], 0
    for step in way:
        before += step.offset
        if step.count > 1:
            found.append(replace(step, offset=before))
            before = 0
    return tuple(found)


def _main_nest(
    nest: tuple[LoopStep, ...], ways: Iterable[tuple[LoopStep, ...]]
) -> tuple[LoopStep, ...]:
    """Go down to the loop whose iterations are the program's."""
    for inner in ways:
        if len(inner) == len(nest) + 1 and inner[:-1] == nest:
            outer, own = inner[-2:]
            if 2 * own.count * own.size > outer.size and own.count > outer.count:
                return _main_nest(inner, ways)
    return nest


def _number_iterations(
    position: Ints, nest: tuple[LoopStep, ...], found: Indices
) -> None:
    """Give the calls of a loop their numbers."""
    place = position - nest[0].offset
    inside = np.flatnonzero((place >= 0) & (place < nest[0].count * nest[0].size))
    place, number = position[inside], np.zeros(len(inside), np.int64)
    for step in nest:
        place = place - step.offset
        turn = np.clip(place // step.size, 0, step.count - 1)
        place = place - turn * step.size
        number = number * step.count + turn
    found[inside] = number + 1
