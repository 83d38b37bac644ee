"""Masters and their workers, whom they serve in order of arrival."""

import numpy as np

from topoview.model import Ints

MASTER, WORKER = "MASTER", "WORKER"


def star(sender: Ints, receiver: Ints) -> tuple[Ints, Ints, list[str]]:
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


def stars(
    named: tuple[Ints, Ints, list[str]],
) -> tuple[Ints, Ints, list[str]]:
    """Name the workers of several masters alike, as those of one are."""
    to, source, names = named
    is_worker = np.array([name != MASTER for name in names], np.int64)
    short = [np.where(side < 0, -1, is_worker[side]) for side in (to, source)]
    return short[0], short[1], [MASTER, WORKER]
