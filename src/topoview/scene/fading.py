"""Depth as colour: what is far mixes with the background, in sixteen levels.

A rank's or an edge's colour is one number, its colour's and its level; a look-up
table holds all of them. So a change of colours, of the camera or of the
theme never touches geometry.
"""

from collections.abc import Sequence

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable

from topoview.model import Bytes, Floats
from topoview.scene.palette import rgb
from topoview.scene.parts import copied

LEVELS = 16
"""Steps from near to far."""


def fading_table(
    colours: Sequence[str], amounts: Sequence[float], background: str
) -> Bytes:
    """Mix each colour with the background, more at each level.

    Parameters
    ----------
    colours
        As ``#rrggbb``.
    amounts
        Share of the background at the furthest level, for each colour.
    background
        Colour that they fade to.

    Returns
    -------
    uint8, shape (LEVELS * colours, 4)
        RGBA of colour ``c`` at level ``l`` in row ``LEVELS * c + l``.
    """
    table = np.zeros((LEVELS * len(colours), 4), np.uint8)
    table[:, 3] = 255
    base = np.array(rgb(background), float)
    level = np.linspace(0, 1, LEVELS)[:, None]
    for number, (colour, amount) in enumerate(zip(colours, amounts, strict=True)):
        rows = slice(number * LEVELS, (number + 1) * LEVELS)
        mixed = np.array(rgb(colour)) * (1 - amount * level) + base * amount * level
        table[rows, :3] = np.rint(mixed)
    return table


def mix(colour: str, other: str, share: float) -> str:
    """Mix two colours; `share` is that of the second."""
    pairs = zip(rgb(colour), rgb(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def depth_levels(depths: Floats, near: float, far: float) -> Bytes:
    """Level of each depth between the nearest and the furthest: uint8."""
    share = (depths - near) / max(far - near, 1e-9)
    return np.asarray(np.clip(share * (LEVELS - 1) + 0.5, 0, LEVELS - 1), np.uint8)


def fill(lookup: vtkLookupTable, table: Bytes) -> None:
    """Put a table of `fading_table` into VTK's."""
    lookup.SetNumberOfTableValues(len(table))
    lookup.SetTable(copied(table))
    lookup.SetTableRange(0, len(table) - 1)
    lookup.Modified()
