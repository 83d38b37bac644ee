"""Which receive belongs to which send, if only the order of both is known.

Messages between the same two ranks on the same communicator with the same tag
do not overtake each other (MPI 4.1, section 3.5): the k-th send matches the
k-th receive, in the order in which the receives were posted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder import library
from topoview.model import Indices, Ints


class Ends(NamedTuple):
    """What sends or receives are matched by.

    Attributes
    ----------
    sender, receiver : int32, shape (n,)
        Ranks; a message with a negative one matches nothing.
    communicator : int32, shape (n,)
    tag : uint32, shape (n,)
    """

    sender: Indices
    receiver: Indices
    communicator: Indices
    tag: NDArray[np.uint32]


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
    found = np.empty(len(receives.sender), np.int64)
    columns = [[np.ascontiguousarray(c) for c in ends] for ends in (sends, receives)]
    told = [library.Ends(*library.addresses(*ends), len(ends[0])) for ends in columns]
    library.load_decoder().match(
        told[0].address, told[1].address, library.address(found)
    )
    return found
