"""Sends and their receives, for one receiving rank after the other.

``decoder/c/pairing.c`` tells how.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.library import Columns, address, load_decoder
from topoview.model import Indices, Ints

_WIDE = 8


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
        Order of the sends; empty if it is theirs.
    grouped : uint32 or int64, shape (sends,)
        Filled here.

    Returns
    -------
    int64, shape (ranks + 1,)
        Where the groups begin.
    """
    begins = np.zeros(ranks + 1, np.int64)
    load_decoder().group(
        address(receiver), len(receiver), address(order) if len(order) else None,
        ranks, address(begins), address(grouped), grouped.itemsize == _WIDE,
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
    found = np.array(tally)
    load_decoder().pair(
        columns.address, *ranks, address(begins), address(grouped),
        grouped.itemsize == _WIDE, address(slots),
        address(order) if len(order) else None, address(found),
    )  # fmt: skip
    matched, backwards, worst = found.tolist()
    return matched, backwards, worst


def forget_unset(parts: Ints, receives: NDArray[np.void]) -> int:
    """Forget posted receives if some hold memory that was never set; how many.

    Parameters
    ----------
    parts : int64, shape (rows, 2)
        Where those of each row begin and end.
    """
    found: int = load_decoder().forget_unset(
        address(receives), address(parts), len(parts)
    )
    return found
