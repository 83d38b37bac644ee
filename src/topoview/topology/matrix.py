"""From messages to the communication matrix."""

import numpy as np
from scipy.sparse import coo_array

from topoview.model import Bools, CommunicationMatrix, Indices, Ints, Trace


def communication_matrix(
    trace: Trace, chosen: Bools | None = None
) -> CommunicationMatrix:
    """Count the point-to-point messages and bytes of all pairs of ranks.

    Linear in the messages. A message counts once, for its sender; messages to
    oneself are on the diagonal; partners outside the world do not count.

    Parameters
    ----------
    trace
        Its `messages` are read.
    chosen : bool, shape (messages,)
        Messages that count; all if None.
    """
    messages, ranks = trace.messages, trace.ranks
    sender, receiver = messages.sender, messages.receiver
    real = (sender >= 0) & (sender < ranks) & (receiver >= 0) & (receiver < ranks)
    if chosen is not None:
        real &= chosen
    size = messages.size[real]
    return matrix_of(ranks, sender[real], receiver[real], np.ones_like(size), size)


def matrix_of(
    ranks: int,
    sender: Indices | Ints,
    receiver: Indices | Ints,
    calls: Ints,
    volume: Ints,
) -> CommunicationMatrix:
    """Sum up calls and bytes of pairs of ranks, which may be repeated.

    Parameters
    ----------
    ranks
        Number of ranks.
    sender, receiver : integers, shape (n,)
        Ranks of each pair.
    calls, volume : int64, shape (n,)
        Messages and bytes of each.
    """
    shape = (ranks, ranks)
    counted = coo_array((calls, (sender, receiver)), shape=shape).tocsr()
    summed = coo_array((volume, (sender, receiver)), shape=shape).tocsr()
    counted.sort_indices()
    summed.sort_indices()
    return CommunicationMatrix(counted, summed)
