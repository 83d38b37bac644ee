"""Records of one sort, with communicators and partners in ranks of the world."""

from typing import Final, NamedTuple

import numba
import numpy as np

from otf2_reader.columns import Columns
from topoview.io.definitions.communicators import CommunicatorMembers, Communicators
from topoview.io.definitions.regions import Identifiers
from topoview.model import Bools, Indices, Ints

NOBODY: Final = -1
"""Partner where none is meant: MPI_PROC_NULL, no root."""
UNKNOWN: Final = -2
"""Partner that is not in the communicator."""

_SPECIAL: Final = 0xFFFFFF00  # MPI_PROC_NULL, OTF2_UNDEFINED and other codes


class Records(NamedTuple):
    """Records of the columns that are of one sort.

    Attributes
    ----------
    at : int64, shape (n,)
        Their indices.
    rank : int32, shape (n,)
        Rank that recorded each.
    communicator : int32, shape (n,)
        Number of the communicator; one that is not defined is taken for the
        world.
    partner : int32, shape (n,)
        World rank of the partner or root; `NOBODY` or `UNKNOWN`.
    tag : uint32, shape (n,)
        Tag, or operation of a collective.
    """

    at: Ints
    rank: Indices
    communicator: Indices
    partner: Indices
    tag: Identifiers


def keep(records: Records, which: Bools | Ints) -> Records:
    """Keep the records that a mask or an order selects."""
    if which.dtype == np.bool_ and which.all():
        return records
    return Records(
        records.at[which],
        records.rank[which],
        records.communicator[which],
        records.partner[which],
        records.tag[which],
    )


def select(
    columns: Columns,
    kinds: tuple[int, ...],
    record_offsets: Ints,
    rank: Indices,
    communicators: Communicators,
) -> Records:
    """Select the records of some kinds.

    Parameters
    ----------
    kinds
        Kinds of tape entries.
    record_offsets : int64, shape (rows + 1,)
        Where the records of each row begin.
    rank : int32, shape (rows,)
        Rank that each row belongs to.
    """
    wanted = np.zeros(256, np.bool_)
    wanted[list(kinds)] = True
    members = communicators.members()
    count = int(np.count_nonzero(wanted[columns.kind]))
    # Allocated here: NumPy asks for huge pages, which numba does not.
    found = Records(
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.uint32),
    )
    _select(columns, wanted, record_offsets, rank, members, found)
    _correct_remote(communicators, found, columns.partner)
    return found


def _correct_remote(
    communicators: Communicators, found: Records, local: Identifiers
) -> None:
    """Correct partners in communicators between two groups, in place.

    There a partner is a rank of the other group.
    """
    for number, (one, other) in communicators.remote.items():
        here = np.flatnonzero(found.communicator == number)
        for mine, theirs in ((one, other), (other, one)):
            rows = here[np.isin(found.rank[here], mine)]
            rows = rows[local[found.at[rows]] < len(theirs)]
            found.partner[rows] = theirs[local[found.at[rows]]]


@numba.njit(nogil=True, cache=True)
def _select(
    columns: Columns,
    wanted: Bools,
    offsets: Ints,
    rank: Indices,
    members: CommunicatorMembers,
    found: Records,
) -> None:
    kind, identifier = columns.kind, columns.communicator
    local, tag = columns.partner, columns.tag
    identifiers, numbers, begins, ranks = members
    at, owner, communicator, partner, label = found
    there = 0
    known, number = np.int64(-1), np.int32(0)
    for row in range(len(offsets) - 1):
        for record in range(offsets[row], offsets[row + 1]):
            if not wanted[kind[record]]:
                continue
            if identifier[record] != known:
                known = np.int64(identifier[record])
                place = np.searchsorted(identifiers, identifier[record])
                defined = place < len(identifiers) and identifiers[place] == known
                number = numbers[place] if defined else np.int32(0)
            begin, end = begins[number], begins[number + 1]
            at[there] = record
            owner[there] = rank[row]
            communicator[there] = number
            label[there] = tag[record]
            if local[record] >= _SPECIAL:
                partner[there] = NOBODY
            elif begin + local[record] < end:
                partner[there] = ranks[begin + np.int64(local[record])]
            elif begin == end and local[record] == 0:
                partner[there] = rank[row]
            else:
                partner[there] = UNKNOWN
            there += 1


@numba.njit(nogil=True, cache=True)
def in_order(records: Records, post: Ints, when: Ints) -> bool:
    """Tell whether records are ordered by rank, and by when they were posted."""
    rank, at = records.rank, records.at
    for i in range(1, len(at)):
        here, before = post[at[i]], post[at[i - 1]]
        if rank[i] < rank[i - 1]:
            return False
        if rank[i] == rank[i - 1] and (when[here], here) < (when[before], before):
            return False
    return True
