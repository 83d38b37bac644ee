"""Sizes of collective operations: what tracers record, as sizes of buffers.

Here ``sent`` and ``received`` are the bytes of the buffer that a rank gives to an
operation, and of the one that it gets filled; 0 where the operation takes nothing of it
or gives it nothing (MPI 4.1, chapter 6).

Score-P adds up what goes to each partner: the root of a Bcast of 8 B among 16 ranks
sends 128 B, each rank of such an Allreduce sends and receives 128 B
(``scorep_mpi_coll_bytes_*``, Score-P 9; SST's dumpi does so to be alike). Of an
operation in place it leaves out the rank's own share, which looks like another size.
EZTrace 2.0 records the count that a call was given times the size of its type, on all
ranks, whether it means anything there or not. The tests' writer records buffers.

Neighbourhood collectives stay what is sent to all neighbours.
"""

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.definitions.communicators import Communicators
from topoview.model import Bools, Calls, Collectives, Indices, Ints, Regions
from topoview.model.trace import COLLECTIVE_OPERATIONS

_PARTS_AT_ONCE: Final = 1 << 20
_WORD: Final = 4
"""Bytes of the smallest common type; data are whole words more often than not."""

_NEIGHBOURS: Final = re.compile("I?neighbor_", re.IGNORECASE)
_CODE: Final = {name: code for code, name in enumerate(COLLECTIVE_OPERATIONS)}


class _Parts(NamedTuple):
    """Parts in operations, an element each."""

    code: NDArray[np.integer]
    """OTF2_CollectiveOp."""
    is_root: Bools
    local: Ints
    partners: Ints
    """`local` and `partners`: rank within the communicator, and how many ranks take
    part: on the other side of one between two groups."""
    sent: Ints
    received: Ints
    """`sent` and `received`: bytes, to be changed."""

    def among(self, *names: str) -> Ints:
        """List those of some operations."""
        return np.flatnonzero(np.isin(self.code, [_CODE[name] for name in names]))


def settle_sizes(  # noqa: PLR0913 - what a size depends on
    parts: Collectives,
    calls: Calls,
    rank_of_row: Indices,
    regions: Regions,
    communicators: Communicators,
    producer: str,
) -> None:
    """Write the sizes of buffers over those that a tracer recorded.

    Parameters
    ----------
    parts
        Its columns ``sent`` and ``received`` change.
    calls
        Of the same locations.
    rank_of_row : int32, shape (rows,)
        Rank of each of these.
    producer
        What wrote the trace.
    """
    if producer.startswith("topoview") or not len(parts):
        return
    settle = _of_calls if producer.startswith("EZTrace") else _of_sums
    of_neighbours = np.array(
        [*(bool(_NEIGHBOURS.match(name)) for name in regions.operations), False]
    )
    sizes = np.array([max(len(one.ranks), 1) for one in communicators.items] + [1])
    columns = parts.sent, parts.received
    for column in columns:
        column.flags.writeable = True
    for first in range(0, len(parts), _PARTS_AT_ONCE):
        some = slice(first, first + _PARTS_AT_ONCE)
        number, call = parts.communicator[some], parts.call[some]
        row = np.searchsorted(calls.offsets, call, side="right") - 1
        rank = rank_of_row[row]
        local, partners = _within(communicators, number, rank, sizes[number])
        code = np.where(
            of_neighbours[regions.operation[calls.region[call]]],
            len(COLLECTIVE_OPERATIONS),
            parts.operation[some],
        )
        settle(
            _Parts(
                code=code,
                is_root=rank == parts.root[some],
                local=local,
                partners=partners,
                sent=parts.sent[some],
                received=parts.received[some],
            )
        )
    for column in columns:
        column.flags.writeable = False


def _within(
    communicators: Communicators, number: Indices, rank: Indices, sizes: Ints
) -> tuple[Ints, Ints]:
    """Find ranks in communicators, and how many partners they have, themselves too."""
    inside = np.flatnonzero(number >= 0)
    local = np.zeros(len(number), np.int64)
    local[inside] = communicators.local_ranks(rank[inside], number[inside])
    partners = sizes.copy()
    for one, (near, far) in communicators.remote.items():
        here = np.flatnonzero(number == one)
        is_near = np.isin(rank[here], near)
        partners[here] = np.maximum(np.where(is_near, len(far), len(near)), 1)
    return local, partners


def _of_calls(parts: _Parts) -> None:
    """Settle sizes that are the counts of calls, as of EZTrace."""
    sent, received, partners = parts.sent, parts.received, parts.partners
    is_other = ~parts.is_root & (partners > 1)
    some = parts.among("Gather", "Allgather", "Alltoall")
    received[some] *= partners[some]
    some = parts.among("Scatter", "Alltoall", "Reduce_scatter_block")
    sent[some] *= partners[some]
    some = parts.among("Reduce_scatter")
    received[some] //= partners[some]  # its mean: the shares are not recorded
    some = parts.among("Bcast", "Scatter", "Scatterv")
    sent[some[is_other[some]]] = 0
    some = parts.among("Reduce", "Gather", "Gatherv")
    received[some[is_other[some]]] = 0
    some = parts.among("Bcast")
    received[some[parts.is_root[some]]] = 0


def _of_sums(parts: _Parts) -> None:
    """Settle sizes that are sums over all partners, as of Score-P."""
    sent, received, partners = parts.sent, parts.received, parts.partners
    some = parts.among("Bcast")
    sent[some] //= partners[some]
    received[some[parts.is_root[some]]] = 0

    some = parts.among("Reduce")
    in_place = parts.is_root[some] & (sent[some] == 0)
    received[some] //= np.maximum(partners[some] - in_place, 1)
    sent[some] = np.where(in_place, received[some], sent[some])

    some = parts.among("Allreduce")
    sent[some] = received[some] = _share(sent[some], partners[some], _WORD)

    for name, shared, whole, word in (
        ("Allgather", sent, received, _WORD),
        ("Allgatherv", sent, received, 1),
        ("Reduce_scatter", received, sent, 1),
        ("Reduce_scatter_block", received, sent, _WORD),
    ):
        some = parts.among(name)
        share = _share(shared[some], partners[some], word)
        left_out = share * partners[some] != shared[some]
        whole[some] += np.where(left_out, share, 0)
        shared[some] = share

    # Rank r of p gives its data to those from it on, and gets those of r + 1 ranks;
    # in place, and of an exclusive scan, it leaves itself out.
    some = parts.among("Scan", "Exscan")
    before, exclusive = parts.local[some], parts.code[some] == _CODE["Exscan"]
    after = partners[some] - before - 1
    itself = sent[some] * (before + 1) == received[some] * (after + 1)
    to = after + (itself & ~exclusive)
    share = np.where(
        to > 0,
        sent[some] // np.maximum(to, 1),
        received[some] // np.maximum(before, 1),
    )
    sent[some] = share
    received[some] = np.where(exclusive & (before == 0), 0, share)


def _share(total: Ints, partners: Ints, word: int) -> Ints:
    """Share out a sum over partners: without oneself if only that gives whole words.

    Counts of bytes that differ by rank are often none: there a word is a byte.
    """
    others = np.maximum(partners - 1, 1)
    share = total // partners
    in_place = (total % others == 0) & (total // others % word == 0)
    in_place &= (total % partners != 0) | (share % word != 0)
    return np.where(in_place, total // others, share)
