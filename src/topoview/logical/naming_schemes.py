"""Ways to name the partners of pairs of ranks."""

from collections.abc import Callable

import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.numbering import number
from topoview.model import Directions, Ints
from topoview.progress import breathe

MASTER, WORKER = "MASTER", "WORKER"

Named = tuple[Ints, Ints, list[str]]
"""Direction at the sender and at the receiver of each pair, and the names."""

Scheme = Callable[[Ints, Ints], Named]


def by_topology(directions: Directions) -> Scheme:
    """Name by a topology's directions."""

    def scheme(sender: Ints, receiver: Ints) -> Named:
        here = np.concatenate((sender, receiver)).astype(np.int32)
        there = np.concatenate((receiver, sender)).astype(np.int32)
        breathe()
        found, names = directions.names(here, there)
        breathe()
        direction = found.astype(np.int64)
        return direction[: len(sender)], direction[len(sender) :], list(names)

    return scheme


def by_star(sender: Ints, receiver: Ints) -> Named:
    """Name the one rank that has part in all messages MASTER, its partners WORKER."""
    none = np.full(len(sender), -1, np.int64)
    both = set(np.array([sender[0], receiver[0]]).tolist())
    centre = [r for r in both if bool(np.all((sender == r) | (receiver == r)))]
    if not centre or bool(np.any(sender == receiver)):
        return none, none, []
    return (
        (sender == centre[0]).astype(np.int64),
        (receiver == centre[0]).astype(np.int64),
        [MASTER, WORKER],
    )


def by_partner(sender: Ints, receiver: Ints) -> Named:
    """Give each rank's partners numbers in order of their ranks."""
    ranks = int(max(sender.max(), receiver.max())) + 1
    here = np.concatenate((sender, receiver))
    there = np.concatenate((receiver, sender))
    pairs, which = number(here * ranks + there)
    owner = pairs // ranks
    offsets = spans(np.bincount(owner, minlength=ranks))
    slot = (np.arange(len(pairs)) - offsets[owner])[which]
    most = int(slot.max(initial=0)) + 1
    names = ["PARTNER"] if most == 1 else [f"NEIGHBOUR {k}" for k in range(most)]
    return slot[: len(sender)], slot[len(sender) :], names
