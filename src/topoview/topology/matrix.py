"""From messages to the communication matrix."""

import numpy as np
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Trace


def communication_matrix(trace: Trace) -> CommunicationMatrix:
    """Count the point-to-point messages and bytes of all pairs of ranks.

    Linear in the messages. A message counts once, for its sender; messages to
    oneself are on the diagonal; partners outside the world do not count.

    Parameters
    ----------
    trace
        Its `messages` are read.
    """
    messages, ranks = trace.messages, trace.ranks
    sender, receiver = messages.sender, messages.receiver
    real = (sender >= 0) & (sender < ranks) & (receiver >= 0) & (receiver < ranks)
    pairs = (sender[real], receiver[real])
    calls = coo_array(
        (np.ones(len(pairs[0]), np.int64), pairs), shape=(ranks, ranks)
    ).tocsr()
    volume = coo_array((messages.size[real], pairs), shape=(ranks, ranks)).tocsr()
    calls.sort_indices()
    volume.sort_indices()
    return CommunicationMatrix(calls, volume)
