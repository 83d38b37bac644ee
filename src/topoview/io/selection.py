"""Records of one sort, with communicators and partners in ranks of the world."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final, NamedTuple

import numba
import numpy as np

from topoview.io.columns import Columns
from topoview.io.communicators import Communicators
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
    """

    at: Ints
    rank: Indices
    communicator: Indices
    partner: Indices


def keep(records: Records, which: Bools | Ints) -> Records:
    """Keep the records that a mask or an order selects."""
    if which.dtype == np.bool_ and which.all():
        return records
    return Records(
        records.at[which],
        records.rank[which],
        records.communicator[which],
        records.partner[which],
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
    found = Records(
        *_select(
            columns.kind,
            columns.communicator,
            columns.partner,
            wanted,
            record_offsets,
            rank,
            members,
        )
    )
    communicators.correct_remote(*found[1:], columns.partner[found.at])
    return found


@numba.njit(nogil=True, cache=True)
def _select(  # noqa: PLR0913
    kind, identifier, local, wanted, offsets, rank, members
):
    count = 0
    for record in range(len(kind)):
        count += wanted[kind[record]]
    at = np.empty(count, np.int64)
    owner = np.empty(count, np.int32)
    communicator = np.empty(count, np.int32)
    partner = np.empty(count, np.int32)
    there = 0
    known, number = np.int64(-1), np.int32(0)
    for row in range(len(offsets) - 1):
        for record in range(offsets[row], offsets[row + 1]):
            if not wanted[kind[record]]:
                continue
            if identifier[record] != known:
                known = np.int64(identifier[record])
                number = np.int32(0)
                place = np.searchsorted(members.identifiers, identifier[record])
                if (
                    place < len(members.identifiers)
                    and members.identifiers[place] == identifier[record]
                ):
                    number = members.numbers[place]
            begin, end = members.begins[number], members.begins[number + 1]
            at[there] = record
            owner[there] = rank[row]
            communicator[there] = number
            if local[record] >= _SPECIAL:
                partner[there] = NOBODY
            elif begin + local[record] < end:
                partner[there] = members.ranks[begin + np.int64(local[record])]
            elif begin == end and local[record] == 0:
                partner[there] = rank[row]
            else:
                partner[there] = UNKNOWN
            there += 1
    return at, owner, communicator, partner
