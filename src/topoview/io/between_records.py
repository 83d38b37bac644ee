"""Records that tell which communicators are one between two groups."""

import numpy as np

from topoview.io.between import Endpoints, Pairs, find_pairs, unseen
from topoview.io.communicators import Communicators
from topoview.io.decoder.decode import Decoded
from topoview.io.decoder.partners import SPECIAL
from topoview.io.making import made_between, makes_between
from topoview.io.pairing import Received, Sent
from topoview.model import Indices, Ints, Regions


def pairs_of_groups(  # noqa: PLR0913
    found: Decoded,
    sent: Sent,
    received: Received,
    left: Ints,
    owner: Indices,
    communicators: Communicators,
    regions: Regions,
) -> Pairs:
    """Find which communicators are one between two groups.

    Parameters
    ----------
    sent, received
        Sends and receives, paired within communicators as they are defined.
    left : int64, shape (n,)
        Receives that were not paired.
    owner : int32, shape (n,)
        Their ranks.
    """
    calls = found.columns["calls.region"][: found.call_offsets[-1]]
    if not makes_between(calls, regions):
        return ()
    made = made_between(communicators, calls, found.call_offsets, regions)
    seen = sent.receive_time >= 0
    candidates = np.concatenate([sent.communicator, received.communicator[left]])
    foreign = np.zeros(len(candidates), np.bool_)
    foreign[: len(seen)] = seen & (sent.sender != sent.receiver)
    known = [n for n, is_between in made.items() if is_between]
    wanted = np.union1d(unseen(candidates, foreign), np.array(known, np.int64))
    wanted = np.setdiff1d(wanted, [*communicators.remote])
    local = found.columns["receives.local"][left]
    blocking = received.post[left] == received.call[left]
    blocking &= np.isin(received.communicator[left], wanted) & (local < SPECIAL)
    left, owner, local = left[blocking], owner[blocking], local[blocking]
    send = np.flatnonzero(np.isin(sent.communicator, wanted))
    number, sender = sent.communicator[send], sent.sender[send]
    receiver, tag = sent.receiver[send], sent.tag[send]
    of_sender = communicators.local_ranks(sender, number)
    of_receiver = communicators.local_ranks(receiver, number)
    own = seen[send]
    receives = Endpoints(
        np.concatenate([number[own], received.communicator[left]]),
        np.concatenate([receiver[own], owner]),
        np.concatenate([of_sender[own], local]),
        np.concatenate([tag[own], received.tag[left].view(np.int32)]),
    )
    sends = Endpoints(number, sender, of_receiver, tag)
    return find_pairs(communicators, sends, receives, made)
