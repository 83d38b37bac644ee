"""Times counted from the trace's beginning."""

import numpy as np

from topoview.model import Indices, Ints


def origins(first: Ints, rank: Indices, aligned: bool) -> Ints:
    """Time stamp that is taken as time 0, for each row.

    Parameters
    ----------
    first : int64, shape (rows,)
        Time of each row's first event, -1 without events.
    rank : int32, shape (rows,)
        Rank that each row belongs to.
    aligned
        Whether clocks of different ranks can be compared: the earliest event
        of all is the beginning. Otherwise each rank's first event is.
    """
    never = np.iinfo(np.int64).max
    known = np.where(first < 0, never, first)
    if aligned:
        earliest = np.full(len(first), known.min(initial=never))
    else:
        of_rank = np.full(int(rank.max(initial=-1)) + 1, never)
        np.minimum.at(of_rank, rank, known)
        earliest = of_rank[rank]
    beginning: Ints = np.where(earliest == never, 0, earliest)
    return beginning
