"""Coordinates that names of hosts tell: ``nid00042``, ``r00-m1-n3``, ``c0-0c1s3n2``.

A node of an HPE Cray EX is named by the cabinet, chassis, slot, board and node in which
it is built, ``x1000c0s0b0n0``. Cables there do not follow these places: they tell the
order of the nodes, and no mesh.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.errors import UsageError
from topoview.model import Indices
from topoview.model.topology import AXES

_DIGITS_COUNTED: Final = 18
"""Digits of a number that are looked at, the last ones."""


_EX_NODE: Final = re.compile(r"x\d+c\d+s\d+b\d+n\d+")


class NameCoordinates(NamedTuple):
    """Coordinates of hosts: int32, shape (hosts, dims); dims is 0 if names tell none.

    `source` says how they were understood.
    """

    coordinates: Indices
    source: str
    is_mesh: bool = True
    """Whether nodes that are next to each other may be taken to have a cable."""


def coordinates_of_names(names: Sequence[str], pattern: str = "") -> NameCoordinates:
    """Read coordinates from names.

    Parameters
    ----------
    names
        Different ones.
    pattern
        The user's regular expression: groups ``(?P<x>...)``, ``(?P<y>...)``, or plain
        groups in order. Empty: the numbers in names that differ in nothing else, of
        which those count that are not the same everywhere.

    Raises
    ------
    UsageError
        The expression is none, or does not fit a name.
    """
    if pattern:
        return _by_pattern(names, pattern)
    parts = [re.split(r"(\d+)", name) for name in names]
    nothing = np.zeros((len(names), 0), np.int32)
    words = {tuple(part[::2]) for part in parts}
    if len(words) != 1 or len(names) < 2:
        return NameCoordinates(nothing, "")
    numbers = np.array(
        [[int(n[-_DIGITS_COUNTED:]) % (1 << 31) for n in part[1::2]] for part in parts]
    )
    varies = (numbers != numbers[0]).any(0) if numbers.size else np.zeros(0, bool)
    coordinates = numbers[:, varies].astype(np.int32)
    if len(np.unique(coordinates, axis=0)) < len(names) or coordinates.shape[1] > len(
        AXES
    ):
        return NameCoordinates(nothing, "")
    shown, axes = "", iter(AXES)
    for k, word in enumerate(next(iter(words))):
        shown += word
        if k < len(varies):
            shown += f"<{next(axes)}>" if varies[k] else parts[0][2 * k + 1]
    is_mesh = not all(map(_EX_NODE.fullmatch, names))
    return NameCoordinates(coordinates, shown, is_mesh)


def _by_pattern(names: Sequence[str], pattern: str) -> NameCoordinates:
    try:
        regex = re.compile(pattern)
    except re.error as error:
        raise UsageError(
            f"{pattern!r} is no regular expression ({error}): write r(\\d+)-m(\\d+)"
        ) from None
    if not regex.groups:
        raise UsageError(f"{pattern!r} has no groups: write r(\\d+)-m(\\d+)")
    order = [regex.groupindex[axis] for axis in AXES if axis in regex.groupindex]
    rows = []
    for name in names:
        match = regex.search(name)
        groups = (
            [match[n] for n in order or range(1, regex.groups + 1)] if match else []
        )
        if not groups or not all(each and each.isdecimal() for each in groups):
            raise UsageError(f"{pattern!r} finds no numbers in {name!r}")
        rows.append([int(each[-_DIGITS_COUNTED:]) % (1 << 31) for each in groups])
    return NameCoordinates(np.array(rows, np.int32), pattern)
