"""Group ranks that do the same, with calls told apart in all ways worth trying."""

from dataclasses import dataclass

import numpy as np

from topoview.grouping import factorize
from topoview.logical.arrays import index_in_run, mix_bits, run_offsets
from topoview.logical.calls.call_table import CallTable
from topoview.logical.stages import GROUPING
from topoview.model import Bools, Ints
from topoview.progress import Report, silent

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

    def spread(self, rows: CallTable, found: Ints) -> Ints:
        """Give every rank's rows what was found for its group's sequence.

        Parameters
        ----------
        found : int64, shape (entries,)
            One for each entry of `sequences`.
        """
        counts = np.diff(rows.offsets)
        offsets = run_offsets(counts[self.first])
        shift = offsets[self.of] - rows.offsets[:-1]
        spread: Ints = found[np.arange(len(rows.symbol)) + np.repeat(shift, counts)]
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
    report(GROUPING, 0.2)
    coded = factorize(_with_sizes(rows))[1]
    report(GROUPING, 0.6)
    found = [groups_by_code(rows, coded)]
    report(GROUPING, 0.8)
    plain = groups_by_code(rows, rows.symbol)
    if len(found[0]) > len(plain):
        found = [plain]
    if len(plain) > 1 and len(rows.symbol) <= MAX_ROWS_SIZES_TRIED:
        exact = groups_by_size(rows)
        few = len(exact) <= MAX_GROUP_GROWTH * len(plain)
        if few and exact.code.max() > found[0].code.max():
            found.append(exact)
    return found


def groups_by_size(rows: CallTable) -> RankGroups:
    """Group ranks that do the same with the same sizes: all of them tell rows apart."""
    code = rows.symbol
    for size in (rows.size, rows.source_size):
        distinct = factorize(size + 1)[1]
        own = code * (int(distinct.max(initial=0)) + 1) + distinct
        code = factorize(own)[1]
    return groups_by_code(rows, code)


def groups_by_code(rows: CallTable, code: Ints) -> RankGroups:
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
    own = 4 * code + 2 * (rows.receiver >= 0) + (rows.sender >= 0)
    place = index_in_run(counts).astype(np.uint64)
    terms = mix_bits(mix_bits(own.astype(np.uint64)) + place)
    sums = np.zeros(len(code) + 1, np.uint64)
    np.cumsum(terms, out=sums[1:])
    key = mix_bits(sums[rows.offsets[1:]] - sums[rows.offsets[:-1]])
    key += counts.astype(np.uint64)
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, -counts[first]))
    place_of = np.empty(len(order), np.int64)
    place_of[order] = np.arange(len(order))
    return RankGroups(place_of[of], first[order], code)


def _with_sizes(rows: CallTable) -> Ints:
    """Give each row the number of its symbol and class of sizes."""
    code = rows.symbol
    rank = rows.rank
    several = np.append(rows.several, False)
    for size, direction in (
        (rows.size, rows.symbols.to),
        (rows.source_size, rows.symbols.source),
    ):
        varying = several[direction]
        told = np.where(varying[rows.symbol], -1, size) if varying.any() else size
        class_ = _size_classes(rows.symbol, rank, told, len(rows.symbols))
        own = code * (int(class_.max(initial=0)) + 1) + class_
        code = factorize(own)[1]
    return code


def _size_classes(symbol: Ints, rank: Ints, size: Ints, symbols: int) -> Ints:
    """Class of each row's size among those of its symbol.

    The size itself if one rank has every size that the symbol has; else its place
    among the rank's own sizes, if all ranks have equally many, each equally often;
    else there is one class.
    """
    ranks = int(rank.max(initial=0)) + 1
    values, value = factorize(size + 1)
    if len(values) < 2:
        return np.zeros(len(size), np.int64)
    # ordered by symbol, rank, size
    cells, cell_of_row = factorize((symbol * ranks + rank) * len(values) + value)
    often = np.bincount(cell_of_row)
    owner, its_value = np.divmod(cells, len(values))
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    many = np.diff(np.append(first, len(cells)))
    place = index_in_run(many)
    its_symbol = owner // ranks
    kinds = factorize(its_symbol * len(values) + its_value)[0] // len(values)
    all_sizes = np.bincount(kinds, minlength=symbols)
    most = np.zeros(symbols, np.int64)
    np.maximum.at(most, its_symbol[first], many)
    whole = most == all_sizes
    alike = _have_like_sizes(its_symbol, place, often, many, first, symbols)
    class_ = np.where(
        whole[its_symbol], its_value + 1, np.where(alike[its_symbol], place, 0)
    )
    found: Ints = class_[cell_of_row]
    return found


def _have_like_sizes(  # noqa: PLR0913
    symbol: Ints, place: Ints, often: Ints, many: Ints, first: Ints, symbols: int
) -> Bools:
    """Whether all ranks of a symbol have equally many sizes, equally often."""
    low = np.full(symbols, np.iinfo(np.int64).max)
    high = np.zeros(symbols, np.int64)
    np.minimum.at(low, symbol[first], many)
    np.maximum.at(high, symbol[first], many)
    alike = low >= high
    slot = symbol * (int(place.max(initial=0)) + 1) + place
    slots = int(slot.max(initial=0)) + 1
    least = np.full(slots, np.iinfo(np.int64).max)
    largest = np.zeros(slots, np.int64)
    np.minimum.at(least, slot, often)
    np.maximum.at(largest, slot, often)
    alike[symbol[least[slot] != largest[slot]]] = False
    return alike
