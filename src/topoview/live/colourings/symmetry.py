"""Colours of ranks that cannot change places, by who communicates with whom."""

import numpy as np

from topoview.model import CommunicationMatrix, RankValues
from topoview.topology.identification.structure import symmetry_classes

MAX_CLASS_COLOURS = 8
"""Classes that have a colour each; of more, the smallest share the last one."""


def symmetry_values(matrix: CommunicationMatrix) -> RankValues:
    """Colour ranks by the classes of symmetry, the largest first.

    Ranks of different classes cannot change places.
    """
    of = symmetry_classes(matrix)
    sizes = np.bincount(of[of >= 0])
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(len(sizes), np.int64)
    place[order] = np.minimum(np.arange(len(sizes)), MAX_CLASS_COLOURS - 1)
    names = [f"class {i + 1}" for i in range(min(len(sizes), MAX_CLASS_COLOURS))]
    if len(sizes) > MAX_CLASS_COLOURS:
        names[-1] = f"{len(sizes) - MAX_CLASS_COLOURS + 1} smaller classes"
    values = np.full(len(of), np.nan)
    values[of >= 0] = place[of[of >= 0]]
    return RankValues(values, 0, len(names), names=tuple(names), none="silent")
