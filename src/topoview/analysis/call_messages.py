"""The messages of one MPI call: what its selection brings out in other panels."""

import numpy as np

from topoview.analysis.call_facts import messages_of
from topoview.analysis.one_sided_traffic import call_transfers
from topoview.analysis.owners import owners
from topoview.model import Indices, Ints, Trace


def messages_of_call(trace: Trace, call: int) -> Ints:
    """Find the messages that a call sends, posts, receives or completes.

    Parameters
    ----------
    call
        Index into the trace's calls.

    Returns
    -------
    int64, shape (n,)
        Indices into the trace's messages, ascending; empty for an index of no call,
        and for calls without messages, such as collective ones.
    """
    calls = trace.calls
    if not 0 <= call < len(calls):
        return np.zeros(0, np.int64)
    row = int(np.searchsorted(calls.offsets, call, side="right")) - 1
    rank = int(owners(trace)[row])
    if rank < 0:
        return np.zeros(0, np.int64)
    meant = [call]
    posted = int(calls.completes[call])
    if posted >= 0:
        meant.append(posted)
    found = [messages_of(trace, rank, each, each + 1) for each in meant]
    parts = [pairs[:, 1] for each in found for pairs in (each.sent, each.received)]
    return np.unique(np.concatenate(parts))


def pairs_of_call(trace: Trace, call: int) -> Indices:
    """Give sender and receiver of what a call sends, receives or moves, once each.

    Returns
    -------
    int32, shape (pairs, 2)
        Pairs of ranks of the world, ascending.
    """
    found = messages_of_call(trace, call)
    messages = trace.messages
    ends = np.stack([messages.sender[found], messages.receiver[found]], axis=1)
    ends = ends[((ends >= 0) & (ends < trace.ranks)).all(axis=1)]
    ends = np.concatenate([ends, call_transfers(trace, call)])
    return np.unique(ends, axis=0).astype(np.int32).reshape(-1, 2)


def edges_of_call(trace: Trace, call: int) -> Indices:
    """Give the pairs of different ranks that a call's traffic joins, smaller first.

    Returns
    -------
    int32, shape (edges, 2)
    """
    pairs = np.sort(pairs_of_call(trace, call), axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.unique(pairs, axis=0).astype(np.int32).reshape(-1, 2)
