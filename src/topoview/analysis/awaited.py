"""Partners of the messages that calls wait for: not all messages are looked at."""

import numba
import numpy as np

from topoview.analysis.message_blocks import BLOCK, message_blocks, recorded_sends
from topoview.model import Bools, Indices, Ints, Trace


def awaited_partners(trace: Trace, ranks: Ints, calls: Ints, ticks: int) -> Bools:
    """Find who sends or receives the messages that some calls still wait for.

    What a call sends is found by a search: messages lie in order of their sends. What
    it completes lies in blocks of messages to its rank that arrive while it lasts.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that are in a call.
    calls : int64, shape (n,)
        The call of each.
    ticks
        Messages that were received before do not count.

    Returns
    -------
    bool, shape (ranks of the trace,)
    """
    messages = trace.messages
    found = np.zeros(trace.ranks, bool)
    if not len(calls) or not len(messages):
        return found
    count = recorded_sends(messages.send_call)
    first, stop = np.searchsorted(messages.send_call[:count], [calls, calls + 1])
    of_rank = np.full(trace.ranks, -1, np.int64)
    of_rank[ranks] = calls
    blocks = message_blocks(messages)
    _mark_receivers(first, stop, messages.receiver, messages.receive_time, ticks, found)
    _mark_senders(
        blocks.ranks,
        blocks.arrival,
        messages.sender,
        messages.receiver,
        messages.completion_call,
        messages.receive_time,
        of_rank,
        (ticks, int(trace.calls.leave[calls].max())),
        found,
    )
    return found


@numba.njit(nogil=True, cache=True)
def _mark_receivers(  # noqa: PLR0913
    first: Ints, stop: Ints, receiver: Indices, received: Ints, ticks: int, found: Bools
) -> None:
    for k in range(len(first)):
        for i in range(first[k], stop[k]):
            is_open = received[i] < 0 or received[i] > ticks
            if is_open and 0 <= receiver[i] < len(found):
                found[receiver[i]] = True


@numba.njit(nogil=True, cache=True)
def _mark_senders(  # noqa: PLR0913
    ranks: Indices,
    arrival: Ints,
    sender: Indices,
    receiver: Indices,
    completed: Ints,
    received: Ints,
    of_rank: Ints,
    span: tuple[int, int],
    found: Bools,
) -> None:
    waiting = np.zeros(len(of_rank) + 1, np.int64)
    waiting[1:] = np.cumsum(of_rank >= 0)
    for block in range(len(ranks)):
        if arrival[block, 1] <= span[0] or arrival[block, 0] > span[1]:
            continue
        low = max(ranks[block, 2], 0)
        high = min(ranks[block, 3], len(of_rank) - 1)
        if low > high or waiting[high + 1] == waiting[low]:
            continue
        begin = block * BLOCK
        for i in range(begin, min(begin + BLOCK, len(sender))):
            to, by = receiver[i], sender[i]
            if not (0 <= to < len(of_rank) and 0 <= by < len(found)):
                continue
            is_open = received[i] < 0 or received[i] > span[0]
            if is_open and completed[i] >= 0 and completed[i] == of_rank[to]:
                found[by] = True
