"""Kernels of scene."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Floats, Indices, Ints

ABSENT = -1.0
"""What a cell holds whose ranks do not communicate."""


@kernel
def bin_pairs(  # noqa: PLR0913
    begins: Ints,
    columns: Indices,
    data: Floats,
    ranks: Indices,
    place: Indices,
    extract: tuple[int, int, int],
    lines: int,
) -> Floats:
    left, top, count = extract
    out = np.full((lines, lines), ABSENT)
    for row in range(top, min(top + count, len(ranks))):
        rank = ranks[row]
        y = (row - top) * lines // count
        for k in range(begins[rank], begins[rank + 1]):
            column = place[columns[k]] - left
            if 0 <= column < count:
                x = column * lines // count
                out[y, x] = max(out[y, x], 0.0) + data[k]
    return out
