"""Group ranks that do the same, with calls told apart in all ways worth trying."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import (
    count_at,
    factorize,
    mix_bits,
    repeat,
    run_offsets,
    widen_ranges,
)
from topoview.logical.calls.call_table import CallTable
from topoview.logical.stages import GROUPING
from topoview.model import Bools, Ints
from topoview.progress import Report, batches, silent

MAX_GROUP_GROWTH = 4
"""How many times more groups there may be where all sizes tell rows apart."""

MAX_ROWS_SIZES_TRIED = 200_000
"""Rows of a trace that is so short that sizes are tried as names of statements."""


@dataclass(frozen=True, slots=True, eq=False)
class RankGroups:
    """Groups of ranks with equal sequences, longest sequence first.

    Attributes
    ----------
    of : int64, shape (ranks,)
        Group of each rank.
    first : int64, shape (groups,)
        Lowest rank of each group.
    code : int64, shape (rows,)
        Number of what each row says: its symbol and its class of sizes; from 0,
        without gaps.
    """

    of: Ints
    first: Ints
    code: Ints

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.first)

    def sequences(self, rows: CallTable) -> tuple[Ints, Ints]:
        """Codes of the groups' first ranks one after the other, and offsets."""
        begins, ends = rows.offsets[self.first], rows.offsets[self.first + 1]
        parts = [
            self.code[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        flat = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return flat, run_offsets(ends - begins)

    def spread(
        self, rows: CallTable, found: Ints, report: Report = silent, stage: str = ""
    ) -> Ints:
        """Give every rank's rows what was found for its group's sequence.

        Parameters
        ----------
        found : int64, shape (entries,)
            One for each entry of `sequences`.
        report, stage
            Where to tell how far it is, and as what.
        """
        counts = np.diff(rows.offsets)
        offsets = run_offsets(counts[self.first])
        shift = offsets[self.of] - rows.offsets[:-1]
        spread = np.empty(len(rows.symbol), found.dtype)
        shifts = repeat(shift, counts)
        for some in batches(len(spread), report, stage):
            spread[some] = found[np.arange(some.start, some.stop) + shifts[some]]
        return spread


def group_ranks(rows: CallTable, report: Report = silent) -> list[RankGroups]:
    """Group the ranks that do the same, in all ways worth trying.

    Sizes tell rows of one symbol apart where ranks agree about them; but not if
    that makes more groups. That all sizes do so is tried where a trace is short and
    does not fall into many more groups.

    Returns
    -------
    list of Groups
        One or two.
    """
    coded = factorize(_with_sizes(rows, report), report, GROUPING, (0.55, 0.6))[1]
    found = [groups_by_code(rows, coded, report)]
    report(GROUPING, 0.8)
    plain = groups_by_code(rows, rows.symbol, report)
    if len(found[0]) > len(plain):
        found = [plain]
    if len(plain) > 1 and len(rows.symbol) <= MAX_ROWS_SIZES_TRIED:
        exact = groups_by_size(rows, report)
        few = len(exact) <= MAX_GROUP_GROWTH * len(plain)
        if few and exact.code.max() > found[0].code.max():
            found.append(exact)
    return found


def groups_by_size(rows: CallTable, report: Report = silent) -> RankGroups:
    """Group ranks that do the same with the same sizes: all of them tell rows apart."""
    code = rows.symbol
    for size in (rows.size, rows.source_size):
        distinct = factorize(size + 1, report, GROUPING, (0.5, 0.55))[1]
        own = code * (int(distinct.max(initial=0)) + 1) + distinct
        code = factorize(own, report, GROUPING, (0.55, 0.6))[1]
    return groups_by_code(rows, code, report)


def groups_by_code(rows: CallTable, code: Ints, report: Report = silent) -> RankGroups:
    """Group ranks by their codes and by which halves of calls they have.

    Parameters
    ----------
    code : int64, shape (rows,)
        Not negative.

    Notes
    -----
    Sequences are compared by a sum of scrambled (code, place) pairs; what
    follows from equality is verified in the end.
    """
    counts = np.diff(rows.offsets)
    begins = repeat(rows.offsets[:-1], counts)
    sums = np.zeros(len(code) + 1, np.uint64)
    for some in batches(len(code), report, GROUPING, (0.6, 0.8)):
        place = np.arange(some.start, some.stop) - begins[some]
        has = (rows.receiver[some] >= 0).astype(np.uint64) * np.uint64(2)
        has += (rows.sender[some] >= 0).astype(np.uint64)
        own = code[some].astype(np.uint64) * np.uint64(4) + has
        terms = mix_bits(mix_bits(own) + place.astype(np.uint64))
        terms[:1] += sums[some.start : some.start + 1]
        np.cumsum(terms, dtype=np.uint64, out=sums[some.start + 1 : some.stop + 1])
    key = mix_bits(sums[rows.offsets[1:]] - sums[rows.offsets[:-1]])
    key += counts.astype(np.uint64)
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, -counts[first]))
    place_of = np.empty(len(order), np.int64)
    place_of[order] = np.arange(len(order))
    return RankGroups(place_of[of], first[order], code)


def _with_sizes(rows: CallTable, report: Report) -> Ints:
    """Give each row the number of its symbol and class of sizes."""
    code = rows.symbol
    rank = rows.rank
    several = np.append(rows.several, False)
    for size, direction in (
        (rows.size, rows.symbols.to),
        (rows.source_size, rows.symbols.source),
    ):
        report(GROUPING, 0.2)
        varying = several[direction]
        told = size
        if varying.any():
            told = np.empty_like(size)
            for some in batches(len(size), report, GROUPING, (0.2, 0.25)):
                told[some] = np.where(varying[rows.symbol[some]], -1, size[some])
        class_ = _size_classes(rows.symbol, rank, told, len(rows.symbols), report)
        own = code * (int(class_.max(initial=0)) + 1) + class_
        code = factorize(own, report, GROUPING, (0.5, 0.55))[1]
    return code


def _size_classes(
    symbol: Ints, rank: Ints, size: Ints, symbols: int, report: Report
) -> Ints:
    """Class of each row's size among those of its symbol.

    The size itself if one rank has every size that the symbol has; else its place
    among the rank's own sizes, if all ranks have equally many, each equally often;
    else there is one class.
    """
    ranks = int(rank.max(initial=0)) + 1
    values, value = factorize(size + 1, report, GROUPING, (0.25, 0.3))
    if len(values) < 2:
        return np.zeros(len(size), np.int64)
    code = np.empty_like(value)  # ordered by symbol, rank, size
    for some in batches(len(code), report, GROUPING, (0.3, 0.35)):
        code[some] = (symbol[some] * ranks + rank[some]) * len(values) + value[some]
    cells, cell_of_row = factorize(code, report, GROUPING, (0.35, 0.45))
    often = np.zeros(len(cells), np.int64)
    for some in batches(len(cell_of_row), report, GROUPING, (0.45, 0.46)):
        count_at(often, cell_of_row[some])
    owner, its_value = np.empty_like(cells), np.empty_like(cells)
    for some in batches(len(cells), report, GROUPING, (0.46, 0.47)):
        owner[some], its_value[some] = np.divmod(cells[some], len(values))
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    report(GROUPING, 0.47)
    many = np.diff(np.append(first, len(cells)))
    place = np.arange(len(cells)) - repeat(first, many)
    report(GROUPING, 0.47)
    its_symbol = owner // ranks
    report(GROUPING, 0.48)
    kinds = factorize(its_symbol * len(values) + its_value)[0] // len(values)
    all_sizes = np.bincount(kinds, minlength=symbols)
    most = np.zeros(symbols, np.int64)
    widen_ranges(np.zeros(symbols, np.int64), most, its_symbol[first], many)
    report(GROUPING, 0.48)
    whole = most == all_sizes
    alike = _have_like_sizes(its_symbol, place, often, many, first, symbols)
    report(GROUPING, 0.49)
    class_ = np.where(
        whole[its_symbol], its_value + 1, np.where(alike[its_symbol], place, 0)
    )
    found = np.empty(len(cell_of_row), np.int64)
    for some in batches(len(found), report, GROUPING, (0.49, 0.5)):
        found[some] = class_[cell_of_row[some]]
    return found


def _have_like_sizes(  # noqa: PLR0913
    symbol: Ints, place: Ints, often: Ints, many: Ints, first: Ints, symbols: int
) -> Bools:
    """Whether all ranks of a symbol have equally many sizes, equally often."""
    low = np.full(symbols, np.iinfo(np.int64).max)
    high = np.zeros(symbols, np.int64)
    widen_ranges(low, high, symbol[first], many)
    alike = low >= high
    slot = symbol * (int(place.max(initial=0)) + 1) + place
    slots = int(slot.max(initial=0)) + 1
    least = np.full(slots, np.iinfo(np.int64).max)
    largest = np.zeros(slots, np.int64)
    widen_ranges(least, largest, slot, often)
    alike[symbol[least[slot] != largest[slot]]] = False
    return alike
