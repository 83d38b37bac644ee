"""Sizes of messages that were sent before the stretch of time that is read."""

from typing import Final

import numpy as np

from topoview.io.decoder.counted import Counted
from topoview.model import Indices, Ints

_TAG: Final = 0xFFFFFFFF


def lend_sizes(
    columns: dict[str, np.ndarray],
    counted: list[Counted],
    rank: Indices,
    sends: Ints,
    receives: Ints,
) -> None:
    """Take the sizes of messages that were sent before from their receives.

    Parameters
    ----------
    sends, receives : int64, shape (rows + 1,)
        Where each row's part of the columns begins; what was before comes first.
    """
    early = [
        np.arange(sends[row], sends[row] + len(found.start.sends))
        for row, found in enumerate(counted)
        if found.start is not None
    ]
    at = np.concatenate(early) if early else np.zeros(0, np.int64)
    if not len(at):
        return
    receiver = columns["messages.receiver"][at].astype(np.int64)
    sender = columns["messages.sender"][at].astype(np.int64)
    wanted = sender << 32 | receiver
    owner = np.repeat(rank, np.diff(receives)).astype(np.int64)
    pair = columns["receives.rank"].astype(np.int64) << 32 | owner
    slots = np.flatnonzero(np.isin(pair, wanted))
    if "receives.posted" in columns:
        slots = slots[np.argsort(columns["receives.posted"][slots], kind="stable")]
    names = [
        np.concatenate([one, other])
        for one, other in (
            (wanted, pair[slots]),
            (
                columns["messages.communicator"][at],
                columns["receives.communicator"][slots],
            ),
            (
                columns["messages.tag"][at].astype(np.int64) & _TAG,
                columns["receives.tag"][slots].astype(np.int64),
            ),
        )
    ]
    is_receive = np.arange(len(names[0])) >= len(at)
    order = np.lexsort((is_receive, *names))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.any([name[order][1:] != name[order][:-1] for name in names], axis=0)
    group = np.cumsum(is_new) - 1
    of_send = ~is_receive[order]
    early_count = np.bincount(group[of_send], minlength=group[-1] + 1)
    # The k-th send of a group has the k-th receive, which comes behind all sends.
    there = np.arange(len(order))[of_send] + early_count[group[of_send]]
    inside = there < len(order)
    inside[inside] = group[there[inside]] == group[of_send][inside]
    message = at[order[of_send][inside]]
    slot = slots[order[there[inside]] - len(at)]
    columns["messages.size"][message] = columns["receives.size"][slot]
