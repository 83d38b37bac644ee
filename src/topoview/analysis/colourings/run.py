"""Colourings that do not follow time: of the whole run, and of the machine."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from topoview.analysis.colourings.table import Asked, categories, spanned
from topoview.model import RankValues


def calls(asked: Asked) -> RankValues:
    """Count the MPI calls of each rank."""
    assert asked.known.profile is not None
    return spanned(asked.known.profile.calls.sum(axis=1))


def traffic(axis: int) -> Callable[[Asked], RankValues]:
    """Sum up the bytes that each rank received (0) or sent (1)."""

    def values(asked: Asked) -> RankValues:
        assert asked.known.matrix is not None
        return spanned(asked.known.matrix.volume.sum(axis=axis), unit="B")

    return values


def nodes(asked: Asked) -> RankValues:
    """Name the node of each rank."""
    trace = asked.known.trace
    names = [place.node for place in trace.locations[: trace.ranks]]
    different = dict.fromkeys(name for name in names if name)
    number = {name: n for n, name in enumerate(different)}
    return categories(
        [number.get(name, -1) for name in names], tuple(different), "not recorded"
    )


def communicators(asked: Asked) -> RankValues:
    """Find the smallest communicator that a rank shares with some, not with all."""
    trace = asked.known.trace
    size = np.full(trace.ranks, trace.ranks)
    chosen = np.full(trace.ranks, -1)
    for number, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks[communicator.ranks >= 0]
        better = ranks[len(ranks) < size[ranks]] if len(ranks) > 1 else ranks[:0]
        chosen[better], size[better] = number, len(ranks)
    used, of = np.unique(chosen, return_inverse=True)
    names = [trace.communicators[c].name for c in used[used >= 0].tolist()]
    return categories((of - (used[0] < 0)).tolist(), _distinct(names), "in none")


def symmetry(asked: Asked) -> RankValues:
    """Name the ranks that look alike by who communicates with whom."""
    from topoview.analysis.symmetry import symmetry_values

    assert asked.known.matrix is not None
    return symmetry_values(asked.known.matrix)


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Add numbers to names that occur more than once: ``row 1``, ``row 2``."""
    times, seen = Counter(names), Counter[str]()
    shown = []
    for name in names:
        seen[name] += 1
        shown.append(f"{name} {seen[name]}" if times[name] > 1 else name)
    return tuple(shown)
