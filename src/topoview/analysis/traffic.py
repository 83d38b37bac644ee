"""Bytes that were sent along edges within a stretch of time."""

import numba
import numpy as np

from topoview.analysis.message_blocks import BLOCK, message_blocks
from topoview.model import Indices, Ints, Trace


def traffic(trace: Trace, window: tuple[int, int], edges: Indices) -> Ints:
    """Sum up the bytes of the messages that were sent in a window, both ways.

    Blocks of messages that were all sent and received outside of it are passed over.

    Parameters
    ----------
    trace
        The trace.
    window
        Begin and end in ticks.
    edges : int32, shape (n, 2)
        Pairs of ranks.

    Returns
    -------
    int64, shape (n,)
    """
    blocks = message_blocks(trace.messages)
    pairs = np.sort(edges.astype(np.int64), axis=1)
    keys = pairs[:, 0] * trace.ranks + pairs[:, 1]
    order = np.argsort(keys, kind="stable")
    messages = trace.messages
    found = _summed(
        blocks.begin,
        blocks.end,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.size,
        keys[order],
        trace.ranks,
        window,
    )
    volume = np.empty(len(keys), np.int64)
    volume[order] = found
    return volume


@numba.njit(nogil=True, cache=True)
def _summed(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    size: Ints,
    keys: Ints,
    ranks: int,
    window: tuple[int, int],
) -> Ints:
    found = np.zeros(len(keys), np.int64)
    for block in range(len(begin)):
        if begin[block] >= window[1] or end[block] < window[0]:
            continue
        first = block * BLOCK
        for i in range(first, min(first + BLOCK, len(sender))):
            if not window[0] <= sent[i] < window[1]:
                continue
            low = np.int64(min(sender[i], receiver[i]))
            high = np.int64(max(sender[i], receiver[i]))
            key = low * ranks + high
            at = np.searchsorted(keys, key)
            if at < len(keys) and keys[at] == key:
                found[at] += size[i]
    return found
