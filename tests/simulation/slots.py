"""Where the calls of a simulated iteration lie among those of their rank."""

from dataclasses import dataclass

import numpy as np

from simulation.program import Exchange
from topoview.model import Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Number of each message's calls among those that a rank posts in an iteration.

    Attributes
    ----------
    receive, send : int64, shape (messages,)
        Of the receiver's Irecv, and of the sender's Isend, which come after.
    among_sends : int64, shape (messages,)
        Number of the message among those that the sender sends.
    sends, posts : int64, shape (ranks,)
        Number of Isend, and of both, that each rank posts.
    """

    receive: Ints
    send: Ints
    among_sends: Ints
    sends: Ints
    posts: Ints


def slots_of(ranks: int, traffic: Exchange) -> Slots:
    """Give the calls of one iteration their numbers."""
    sends = np.bincount(traffic.sender, minlength=ranks)
    receives = np.bincount(traffic.receiver, minlength=ranks)
    among_sends = _number_within(traffic.sender, sends)
    return Slots(
        receive=_number_within(traffic.receiver, receives),
        send=receives[traffic.sender] + among_sends,
        among_sends=among_sends,
        sends=sends,
        posts=sends + receives,
    )


def _number_within(group: Indices, sizes: Ints) -> Ints:
    """Count the elements of each group, in order of appearance."""
    order = np.argsort(group, kind="stable")
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - offsets_of(sizes)[group[order]]
    return number


def offsets_of(sizes: Ints) -> Ints:
    """Begin of each of adjacent blocks, and their end: int64, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
