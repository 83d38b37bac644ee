"""Which receive belongs to which send, if only the order of both is known.

Messages between the same two ranks on the same communicator with the same tag do not
overtake each other (MPI 4.1, section 3.5): the k-th send matches the k-th receive, in
the order in which the receives were posted. `pair` matches those of a trace, for one
receiving rank after the other; ``c/pairing.c`` tells how. `match_in_order` matches few.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder import library
from topoview.io.decoder.library import Columns, address, addresses, load_decoder
from topoview.model import Indices, Ints

_WIDE_BYTES = 8


class Sent(NamedTuple):
    """Columns of messages, by send; the last three are filled here."""

    sender: Indices
    receiver: Indices
    communicator: Indices
    tag: Indices
    send_time: Ints
    receive_call: Ints
    completion_call: Ints
    receive_time: Ints


class Received(NamedTuple):
    """Fields of receives."""

    rank: Indices
    communicator: Indices
    tag: NDArray[np.uint32]
    call: Ints
    time: Ints
    post: Ints


def group_by_receiver(
    receiver: Indices, ranks: int, order: Ints, grouped: NDArray[Any]
) -> Ints:
    """Group sends by their receiver, in order within each group.

    Parameters
    ----------
    order : int64
        Order of the sends, or of some of them; empty if it is theirs.
    grouped : uint32 or int64, shape (sends,)
        Filled here.

    Returns
    -------
    int64, shape (ranks + 1,)
        Where the groups begin.
    """
    begins = np.zeros(ranks + 1, np.int64)
    count = len(order) or len(receiver)
    load_decoder().group(
        address(receiver), count, address(order) if len(order) else None,
        ranks, address(begins), address(grouped), grouped.itemsize == _WIDE_BYTES,
    )  # fmt: skip
    return begins


def pair(  # noqa: PLR0913
    ranks: tuple[int, int],
    begins: Ints,
    grouped: NDArray[Any],
    slots: Ints,
    order: Ints,
    sent: Sent,
    receives: NDArray[np.void],
) -> tuple[int, int, int]:
    """Match the receives of some ranks.

    Parameters
    ----------
    ranks
        The first one, and the one behind the last.
    begins, grouped
        Sends by receiver.
    slots : int64, shape (ranks, 2)
        Where the receives of each rank begin and end, in `order`.
    order : int64
        Order of the receives; empty if it is theirs.
    receives
        The rank of one that was matched becomes `EMPTY_RECEIVE`.

    Returns
    -------
    int, int, int
        Matched; received before they were sent; by how many ticks at most.
    """
    addresses = {name: address(column) for name, column in sent._asdict().items()}
    columns, tally = Columns(**addresses, receives=address(receives)), (0, 0, 0)
    counts = np.array(tally)
    load_decoder().pair(
        columns.address, *ranks, address(begins), address(grouped),
        grouped.itemsize == _WIDE_BYTES, address(slots),
        address(order) if len(order) else None, address(counts),
    )  # fmt: skip
    matched, backwards, worst = counts.tolist()
    return matched, backwards, worst


def forget_unset(parts: Ints, receives: NDArray[np.void]) -> int:
    """Forget posted receives if some hold memory that was never set; how many.

    Parameters
    ----------
    parts : int64, shape (rows, 2)
        Where those of each row begin and end.
    """
    result: int = load_decoder().forget_unset(
        address(receives), address(parts), len(parts)
    )
    return result


class Ends(NamedTuple):
    """What sends or receives are matched by."""

    sender: Indices
    receiver: Indices
    """`sender` and `receiver`: int32, shape (n,): ranks; a message with a negative one
    matches nothing."""
    communicator: Indices
    """int32, shape (n,)"""
    tag: NDArray[np.uint32]
    """uint32, shape (n,)"""


def match_in_order(sends: Ends, receives: Ends) -> Ints:
    """Match the k-th send to the k-th receive of the same ends.

    Parameters
    ----------
    sends, receives
        In the order in which they were posted.

    Returns
    -------
    int64, shape (receives,)
        Index of each receive's send, -1 if there is none.
    """
    result = np.empty(len(receives.sender), np.int64)
    columns = [[np.ascontiguousarray(c) for c in ends] for ends in (sends, receives)]
    both = [library.Ends(*addresses(*ends), len(ends[0])) for ends in columns]
    load_decoder().match(both[0].address, both[1].address, address(result))
    return result
