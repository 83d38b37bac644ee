"""What it takes to write down what stands at each position, in bits.

Lines and tables cost what they do in `logical.loops.cost`. What stands at a position is
told by names, each with its condition and its bytes, or by a table of what each rank
does, whichever is shorter (minimum description length: Rissanen 1978).
"""

from dataclasses import dataclass

import numpy as np

from topoview.grouping import combined, first_entries, sums_by_owner
from topoview.logical.calls.call_table import CallTable
from topoview.logical.kernels import mix_bits
from topoview.logical.loops.cost import HIDDEN, LINE
from topoview.logical.merge.lists import Lists, RowKeys
from topoview.model import Bools, Floats, Ints, places_among

NAME = 14.0
"""Bits of a partner's name and a number of bytes."""

CONDITION, SIMPLE_CONDITION, RANK_LIST = 2.0, 6.0, 12.0
"""Bits of a condition that is just "has that neighbour"; of another that may be told by
places; of any other, beside half a bit for each rank."""

TABLE, KIND = 16.0, 20.0
"""Bits of a table's head, and of each different thing that stands in it."""


@dataclass(frozen=True, slots=True, eq=False)
class ContentRows:
    """Rows that say what stands at some positions."""

    row: Ints
    place: Ints
    """`row` and `place`: int64, shape (rows,): index into the call table, and the
    position, below `count`."""
    members: Ints
    """int64, shape (rows,): how many ranks each row stands for."""
    count: int
    """Number of positions."""
    script: Bools
    """bool, shape (count,): positions told by a table whatever it costs."""


@dataclass(frozen=True, slots=True, eq=False)
class ContentBits:
    """What it takes to tell contents."""

    bits: Floats
    """float64, shape (count,): 0 for positions without rows."""
    names_tell: Bools
    bytes_tell: Bools
    """`names_tell` and `bytes_tell`: bool, shape (count,): whether names are far
    shorter than a table; and one number of bytes for each."""
    names_shorter: Bools
    """bool, shape (count,): whether names take no more than a table of names."""


def content_bits(
    rows: CallTable, lists: Lists, keys: RowKeys, content_rows: ContentRows
) -> ContentBits:
    """Weigh what stands at positions."""
    row, place, count = content_rows.row, content_rows.place, content_rows.count
    symbol = rows.symbol[row]

    def distinct(key: Ints) -> tuple[Ints, Ints]:
        """First row of each different key at a place, and the key of each row."""
        which = combined((place, key))
        return first_entries(which, int(which.max(initial=-1)) + 1), which

    def at(first: Ints) -> Ints:
        return np.bincount(place[first], minlength=count)

    def by_rank(first: Ints) -> Ints:
        return sums_by_owner(place[first], content_rows.members[first], count)

    named_key, sized_key = _whole_keys(rows, keys, row, combined((place, symbol)))
    sized, _ = distinct(sized_key)
    names, which = distinct(named_key)
    kinds, named = at(sized), at(names)
    members = np.bincount(which, weights=content_rows.members)
    to, source = rows.symbols.to[symbol[names]], rows.symbols.source[symbol[names]]
    name = np.where(to >= 0, to, source)
    everyone = lists.had[name]
    ranks = int(lists.had[-1])
    plain = (members == ranks) | (members % np.maximum(everyone, 1) == 0)
    guards = np.where(plain, CONDITION, RANK_LIST + 0.5 * ranks)
    rank = lists.rank[row]
    own = combined((rank, named_key))
    once = distinct(own)[0]
    if lists.may_tell is not None:
        sets = np.zeros(len(names), np.uint64)
        np.add.at(sets, which[once], mix_bits(rank[once].astype(np.uint64)))
        sets[plain] = 0
        of_name = once[np.argsort(which[once], kind="stable")]
        begins = np.searchsorted(which[of_name], np.arange(len(names) + 1))
        for name in np.unique(sets, return_index=True)[1].tolist():
            having = rank[of_name[begins[name] : begins[name + 1]]]
            if not plain[name] and lists.may_tell(having):
                guards[sets == sets[name]] = SIMPLE_CONDITION
    conditions = np.bincount(place[names], weights=guards, minlength=count)
    calls = np.bincount(place, weights=content_rows.members, minlength=count)
    # which of a name's bytes comes when, where a rank has several
    sizes = distinct(combined((own, sized_key)))[0]
    several = by_rank(sizes) / np.maximum(by_rank(once), 1)
    mixed = HIDDEN * calls * np.log2(np.maximum(several, 1))
    by_name = NAME * kinds + conditions + mixed
    by_table = calls * (np.log2(kinds + 1) + 2) + KIND * kinds + TABLE
    by_names_only = NAME * named + conditions
    table_of_names = calls * (np.log2(named + 1) + 2) + KIND * named + TABLE
    operations = at(distinct(rows.symbols.operation[symbol])[0])
    scripted = HIDDEN * by_table + LINE * np.maximum(operations - 1, 0)
    bits = np.where(content_rows.script, scripted, np.minimum(by_name, by_table))
    bits[calls == 0] = 0.0
    names_tell = (2 * by_names_only <= table_of_names) & ~content_rows.script
    bytes_tell = names_tell & (2 * by_name <= by_table) & (kinds == named)
    shorter = by_names_only <= table_of_names
    return ContentBits(bits, names_tell, bytes_tell, shorter)


def _whole_keys(
    rows: CallTable, keys: RowKeys, row: Ints, statement: Ints
) -> tuple[Ints, Ints]:
    """Names of rows, and names with bytes; those of half a Sendrecv as of a whole one.

    At an edge a rank has the half for which it has a partner: that is no other name.
    """
    named, sized = (key[row].view(np.int64) for key in (keys.named, keys.sized))
    symbol = rows.symbol[row]
    lacks = (rows.symbols.to[symbol] >= 0) & (rows.receiver[row] < 0)
    lacks |= (rows.symbols.source[symbol] >= 0) & (rows.sender[row] < 0)
    if lacks.any():
        whole = np.flatnonzero(~lacks)
        statements, example = np.unique(statement[whole], return_index=True)
        place = places_among(statements, statement)
        half = np.flatnonzero(lacks & (place >= 0))
        full = whole[example[place[half]]]
        named[half], sized[half] = named[full], sized[full]
    return named, sized
