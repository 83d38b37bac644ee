"""Which communicators the calls made that make ones between two groups.

EZTrace numbers communicators by a counter of the first rank of their group, so those
that a rank leads are, by their numbers, in the order in which it made them.
"""

from typing import Final

import numpy as np

from topoview.io.communicators import Communicators
from topoview.model import Indices, Ints, Regions

_BETWEEN: Final = frozenset({
    "Intercomm_create", "Intercomm_create_from_groups", "Comm_accept",
    "Comm_connect", "Comm_join", "Comm_spawn", "Comm_spawn_multiple",
})  # fmt: skip
_WITHIN: Final = frozenset({
    "Comm_create", "Comm_create_from_group", "Comm_create_group", "Comm_dup",
    "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info", "Comm_split",
    "Comm_split_type", "Cart_create", "Cart_sub", "Graph_create",
    "Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_merge",
})  # fmt: skip
_GIVEN: Final = 2
"""Communicators of one rank that EZTrace defines for each rank at the beginning."""


def makes_between(region: Indices, regions: Regions) -> bool:
    """Tell whether some call makes a communicator between two groups."""
    wanted = _regions_of(regions, _BETWEEN)
    return bool(len(wanted)) and bool(np.isin(region, wanted).any())


def made_between(
    communicators: Communicators, region: Indices, offsets: Ints, regions: Regions
) -> dict[int, bool]:
    """Tell which communicators are between two groups.

    Parameters
    ----------
    region : int32, shape (calls,)
        Regions of calls.
    offsets : int64, shape (rows + 1,)
        Where the calls of each row begin; rows of ranks are the first ones.

    Returns
    -------
    dict
        By number. Communicators whose first rank made others than those that are
        defined are not in it.
    """
    led: dict[int, list[int]] = {}
    for _, number in sorted(communicators.numbers.items()):
        ranks = communicators.items[number].ranks
        if len(ranks) and len(ranks) < len(communicators.items[0].ranks):
            led.setdefault(int(ranks[0]), []).append(number)
    between, within = _regions_of(regions, _BETWEEN), _regions_of(regions, _WITHIN)
    found: dict[int, bool] = {}
    for leader, numbers in led.items():
        own = region[offsets[leader] : offsets[leader + 1]]
        made = np.isin(own[np.isin(own, [*between, *within])], between).tolist()
        if len(numbers) == len(made) + _GIVEN:
            found |= dict(zip(numbers[_GIVEN:], made, strict=True))
    return found


def _regions_of(regions: Regions, operations: frozenset[str]) -> Ints:
    wanted = [i for i, name in enumerate(regions.operations) if name in operations]
    return np.flatnonzero(np.isin(regions.operation, wanted))
