"""Lists of calls, and the segments between the collectives of all ranks.

The k-th collective of all ranks is one event, an anchor: nobody drifts across it. What
lies between two anchors is a segment. In it neighbouring calls of one point-to-point
operation are one list: a rank makes as many as it has partners.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.grouping import Hashes, factorize, sums_by_owner
from topoview.logical.calls.call_table import CallTable
from topoview.logical.calls.operations import POINT_TO_POINT, POLLING, is_one_of
from topoview.logical.kernels import mix_bits
from topoview.logical.loops.alignment import align, limit_for
from topoview.logical.merge import kernels
from topoview.model import Bools, Ints, Regions

LISTED = POINT_TO_POINT - {"Sendrecv", "Sendrecv_replace"} | {
    "Wait",
    "Waitany",
    "Cancel",
    "Request_free",
}
"""Operations of which neighbouring calls are one list: one for each partner."""

OF_PLACE = np.uint64(0x9FB21C651E98DF25)
"""Added to a place before it is scrambled: as a symbol it would meet equal symbols."""

MAX_CALLS_BETWEEN_POLLS = 4
"""Calls from a poll to the next that belong to one loop which serves what comes."""


@dataclass(frozen=True, slots=True, eq=False)
class RowKeys:
    """What the rows say, as 64 random bits each: equal where they say the same."""

    exact: Hashes
    """uint64, shape (rows,): all: operation, partners, their names, bytes,
    communicator, root."""
    named: Hashes
    """uint64, shape (rows,): all but bytes, and partners by their names only."""
    sized: Hashes
    """uint64, shape (rows,): names, and bytes."""
    kind: Hashes
    """uint64, shape (rows,): operation, communicator and root."""
    listed: Bools
    polling: Bools
    anchored: Bools
    """`listed`, `polling` and `anchored`: bool, shape (rows,): whether a row can be in
    a list, polls, is a collective of all ranks."""
    lone: Bools
    """bool, shape (rows,): whether a row could be in a list but has no partner on
    record."""
    completing: Bools
    """bool, shape (rows,): whether it completes requests."""

    @staticmethod
    def of(
        rows: CallTable, regions: Regions, function: Ints | None = None
    ) -> "RowKeys":
        """Compute the keys; calls of different `function` numbers are told apart."""
        symbols = rows.symbols

        def hash_columns(*columns: Ints) -> Hashes:
            key = np.zeros(len(columns[0]), np.uint64)
            for column in columns:
                key = mix_bits(key ^ (column + 2).astype(np.uint64))
            return key

        def is_of(names: frozenset[str]) -> Bools:
            named = is_one_of(regions, names)[symbols.operation]
            return named & (symbols.family < 0)

        kind = hash_columns(symbols.operation, symbols.family, symbols.root)[
            rows.symbol
        ]
        named = hash_columns(np.arange(len(symbols)))[rows.symbol]
        if function is not None:
            kind = mix_bits(kind ^ function.astype(np.uint64))
            named = mix_bits(named ^ function.astype(np.uint64))
        # half of a Sendrecv may be missing at an edge
        named = mix_bits(
            named ^ (2 * (rows.receiver >= 0) + (rows.sender >= 0)).astype(np.uint64)
        )
        sized = named
        for column in (rows.size, rows.source_size):
            sized = mix_bits(sized ^ (column + 2).astype(np.uint64))
        exact = sized
        for column in (rows.receiver, rows.sender):
            exact = mix_bits(exact ^ (column + 2).astype(np.uint64))
        listed = is_of(LISTED)
        partnerless = (symbols.to < 0) & (symbols.source < 0) & listed
        return RowKeys(
            exact=exact,
            named=named,
            sized=sized,
            kind=kind,
            listed=listed[rows.symbol],
            polling=is_of(POLLING)[rows.symbol],
            anchored=(symbols.family == 0)[rows.symbol],
            lone=partnerless[rows.symbol],
            completing=is_of(frozenset({"Wait", "Waitall", "Waitany", "Waitsome"}))[
                rows.symbol
            ],
        )


def sums_of(cell_begins: Ints, key: Hashes) -> Hashes:
    """Hash consecutive rows, in order: one number for each cell.

    Parameters
    ----------
    cell_begins : int64, shape (cells,)
        First row of each cell, ascending.
    """
    longest = int(np.diff(cell_begins, append=len(key)).max(initial=0))
    places = mix_bits(np.arange(longest, dtype=np.uint64) + OF_PLACE)
    return kernels.sums(cell_begins, np.ascontiguousarray(key), places)


def joint(place: Ints, rank: Ints, key: Hashes, places: int) -> Hashes:
    """Hash what all ranks do at each place: a key for each rank that is there."""
    hashes = np.zeros(places, np.uint64)
    of_rank = mix_bits(rank.astype(np.uint64) + OF_PLACE)
    np.add.at(hashes, place, mix_bits(key ^ of_rank))
    return mix_bits(hashes)


MAX_SEGMENTS_TOLD_BY_PLACE = 4
"""Different segments of which it is seen whether places tell who does what."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Rows as lists within segments."""

    ranks: int
    """Number of ranks that the rows are of."""
    members: Ints
    """int64, shape (ranks,): how many ranks of the trace each of them stands for."""
    rank: Ints
    """int64, shape (rows,): rank of each row."""
    anchor: Bools
    serving: Bools
    begins: Bools
    """`anchor`, `serving` and `begins`: bool, shape (rows,): whether a row is an
    anchor, serves messages as they come, begins a list."""
    word: Hashes
    """uint64, shape (rows,): what a row's list is: equal for lists that can be one
    position."""
    number: Ints
    """int64, shape (rows,): how many lists of the rank's segment come before that of a
    row."""
    segment: Ints
    """int64, shape (rows,): how many anchors the rank has come to before."""
    segments: int
    """Number of segments."""
    cell: Ints
    """int64, shape (cells + 1,): first row of each rank's part of a segment, and the
    number of rows."""
    had: Ints
    """int64, shape (names + 1,): how many ranks of the trace have a partner of each
    name; all for no name."""
    content: Hashes
    """uint64, shape (segments,): what all ranks do in each segment."""
    may_tell: Callable[[Ints], bool] | None
    """Whether a simple condition may tell some of the ranks from the others; None where
    segments differ so often that it would take long."""

    @staticmethod
    def of(
        rows: CallTable,
        keys: RowKeys,
        members: Ints,
        may_tell: Callable[[Ints], bool],
    ) -> "Lists":
        """Find anchors, segments and lists."""
        rank, offsets = rows.rank, rows.offsets
        anchor = _anchors(rows, keys)
        count = len(rank)
        before = np.concatenate(([0], np.cumsum(anchor)))
        segment = before[:-1] - before[offsets[:-1]][rank]
        first = np.zeros(count + 1, bool)
        first[offsets[:-1]] = True
        first[1:count] |= anchor[: max(count - 1, 0)]
        cell = np.flatnonzero(first[:count])
        serving = _serving(keys, rank)
        word = np.where(serving, np.uint64(1), keys.kind)
        joins = keys.listed | serving
        begins = np.ones(count, bool)
        begins[1:] = (word[1:] != word[:-1]) | ~joins[1:] | ~joins[:-1]
        begins[cell] = True
        number = np.cumsum(begins) - 1
        number -= np.repeat(number[cell], np.diff(np.append(cell, count)))
        segments = int(segment.max(initial=-1)) + 1
        exact = sums_of(cell, keys.exact)
        content = joint(segment[cell], rank[cell], exact, segments)
        regular = len(np.unique(content)) <= MAX_SEGMENTS_TOLD_BY_PLACE
        return Lists(
            ranks=len(offsets) - 1,
            members=members,
            rank=rank,
            anchor=anchor,
            serving=serving,
            begins=begins,
            word=word,
            number=number,
            segment=segment,
            segments=segments,
            cell=np.append(cell, count),
            had=_ranks_of_names(rows, rank, members),
            content=content,
            may_tell=may_tell if regular else None,
        )


def _ranks_of_names(rows: CallTable, rank: Ints, members: Ints) -> Ints:
    """Count the ranks that have a partner of each name, and of no name all."""
    ranks = len(members)
    names = len(rows.names)
    cells = [np.zeros(0, np.int64)]
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        has = np.flatnonzero(partner >= 0)
        cells.append(direction[rows.symbol[has]] * ranks + rank[has])
    pairs = factorize(np.concatenate(cells))[0]
    name, own = pairs // max(ranks, 1), pairs % max(ranks, 1)
    return np.append(sums_by_owner(name, members[own], names), members.sum())


def _anchors(rows: CallTable, keys: RowKeys) -> Bools:
    """Find the collectives of all ranks: bool, shape (rows,).

    Where ranks do not agree which ones they are (a rank that ended early, one that
    lacks a call), those are taken that the ranks' sequences have in common.
    """
    anchor = keys.anchored.copy()
    where = [
        begin + np.flatnonzero(anchor[begin:end])
        for begin, end in zip(
            rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True
        )
    ]
    first = keys.kind[where[0]] if where else np.zeros(0, np.uint64)
    if all(len(own) == len(first) and (keys.kind[own] == first).all() for own in where):
        return anchor
    sequences = {keys.kind[own].tobytes(): own for own in where}
    if len(sequences) > MAX_SEQUENCES_ALIGNED or min(map(len, where)) == 0:
        return np.zeros(len(anchor), bool)
    codes = factorize(keys.kind.view(np.int64))[1]
    common = codes[where[0]]
    limit = limit_for(len(sequences) * max(map(len, where)))
    for own in sequences.values():
        partner = align(common.copy(), codes[own], limit)
        common = common[partner >= 0]
    anchor[:] = False
    if len(common) < MIN_SHARE_COMMON * max(map(len, where)):
        return anchor
    taken: dict[bytes, Ints] = {}
    for own in where:
        key = keys.kind[own].tobytes()
        if key not in taken:
            taken[key] = align(common.copy(), codes[own], limit)
        if (taken[key] < 0).any():
            return np.zeros(len(anchor), bool)
        anchor[own[taken[key]]] = True
    return anchor


MIN_SHARE_COMMON = 0.9
"""Share of a rank's collectives that all ranks have, where they nearly agree."""

MAX_SEQUENCES_ALIGNED = 64
"""Different sequences of collectives of which it is sought what they have in common."""


def _serving(keys: RowKeys, rank: Ints) -> Bools:
    """Find rows from the first poll to the last of a loop that serves what comes."""
    result = np.zeros(len(rank), bool)
    polls = np.flatnonzero(keys.polling)
    if not len(polls):
        return result
    near = np.diff(polls) <= MAX_CALLS_BETWEEN_POLLS
    near &= rank[polls[1:]] == rank[polls[:-1]]
    other = np.concatenate(([0], np.cumsum(~(keys.listed | keys.polling))))
    near &= other[polls[1:]] == other[polls[:-1] + 1]
    step = np.zeros(len(rank) + 1, np.int64)
    np.add.at(step, polls[:-1][near], 1)
    np.add.at(step, polls[1:][near], -1)
    result = np.cumsum(step)[:-1] > 0
    result[polls] = True
    return result
