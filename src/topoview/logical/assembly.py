"""From merged positions to a tree of places: what each says, and for which ranks.

Also the numbers that stand beside a statement because they vary, sizes and partners:
their range, and a table of them by rank and turn.
"""

import re
from dataclasses import dataclass

import numpy as np

from topoview.grouping import factorize
from topoview.kernels import kernel
from topoview.logical.arrays import run_offsets
from topoview.logical.calls.call_table import CallTable
from topoview.logical.conditions import Conditions
from topoview.logical.functions.parameter_ranges import with_parameter_values
from topoview.logical.functions.visits import UnevenVisits, visit_begins, with_visits
from topoview.logical.loops.numbered import NumberedSymbols, SizedSymbols
from topoview.logical.loops.rank_trips import SymbolGuards, join_rank_trips
from topoview.logical.loops.reordering import join_across
from topoview.logical.loops.repetitions import cycle_length
from topoview.logical.loops.structure import structure
from topoview.logical.loops.tree import Tree
from topoview.logical.merge.groups import RankGroups
from topoview.logical.merge.sequences import MergedSequence, group_sets
from topoview.logical.stages import NAMING
from topoview.model import Bools, Ints, SideTable
from topoview.progress import Report, silent

# Numbers beside the statements: sizes, and partners, that vary.


@kernel
def size_range(statement: Ints, size: Ints, statements: int) -> tuple[Ints, Ints]:
    """Least and most of each statement's sizes; -1 and -1 if there are none.

    Parameters
    ----------
    statement, size : int64, shape (rows,)
        Rows with -1 in either count for nothing.

    Returns
    -------
    least, most : int64, shape (statements,)
    """
    least = np.full(statements, -1, np.int64)
    most = np.full(statements, -1, np.int64)
    for row in range(len(statement)):
        s, value = statement[row], size[row]
        if s < 0 or value < 0:
            continue
        if least[s] < 0 or value < least[s]:
            least[s] = value
        most[s] = max(most[s], value)
    return least, most


def side_table(
    offsets: Ints,
    statement: Ints,
    sides: tuple[Ints, Ints],
    varies: tuple[Bools, Bools],
    report: Report = silent,
) -> SideTable:
    """Write down the numbers of statements of which they vary.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Rows of each rank.
    statement : int64, shape (rows,)
        Statement of each row, -1 if it has none.
    sides : two of int64, shape (rows,)
        Numbers of the side sent and of that received, -1 where there is none.
    varies : two of bool, shape (statements,)
        Whether a statement's numbers vary, on either side.
    """
    ranks = len(offsets) - 1
    columns = np.concatenate([np.flatnonzero(v) for v in varies])
    received = np.repeat([False, True], [int(v.sum()) for v in varies])
    counts, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for varying, numbers in zip(varies, sides, strict=True):
        column = np.full(len(varying) + 1, -1, np.int64)
        cells = int(varying.sum()) * ranks
        column[np.flatnonzero(varying)] = np.arange(int(varying.sum()))
        if not cells:
            continue
        report("writing statements", 0.0)
        own = np.where(numbers >= 0, column[statement], -1)
        count, value = _table_cells(offsets, own, numbers, cells)
        counts.append(count)
        values.append(value)
    return SideTable(
        columns.astype(np.int32),
        received,
        run_offsets(np.concatenate(counts)),
        np.concatenate(values),
    )


@kernel
def _table_cells(
    offsets: Ints, column: Ints, size: Ints, cells: int
) -> tuple[Ints, Ints]:
    """Count and sizes of each cell, each reduced to its shortest cycle."""
    ranks = len(offsets) - 1
    counts = np.zeros(cells, np.int64)
    for rank in range(ranks):
        for row in range(offsets[rank], offsets[rank + 1]):
            if column[row] >= 0:
                counts[column[row] * ranks + rank] += 1
    begins = np.zeros(cells + 1, np.int64)
    begins[1:] = np.cumsum(counts)
    values = np.zeros(begins[cells], np.int64)
    filled = begins.copy()
    for rank in range(ranks):
        for row in range(offsets[rank], offsets[rank + 1]):
            if column[row] >= 0:
                cell = column[row] * ranks + rank
                values[filled[cell]] = size[row]
                filled[cell] += 1
    end = 0
    for cell in range(cells):
        own = values[begins[cell] : begins[cell + 1]]
        counts[cell] = cycle_length(own)
        for k in range(counts[cell]):
            values[end + k] = own[k]
        end += counts[cell]
    return counts, values[:end].copy()


_NUMBERED = re.compile(r"(.*?)(\d+)$")


@dataclass(frozen=True, slots=True, eq=False)
class PlaceTree:
    """A tree of places, and what the places are.

    Attributes
    ----------
    rows
        The rows; their call paths tell the values of parameters as the program does.
    tree
        Loops and blocks over places.
    place : int64, shape (rows,)
        Leaf of the tree that each row is of, -1 if it is left out.
    row : int64, shape (symbols of the tree,)
        A row that says what each symbol of the tree says.
    guard, to_guard, source_guard : int64, shape (symbols of the tree,)
        Guards of the place and of its halves, -1 for all ranks.
    turns, uneven
        As of `topoview.logical.functions.visits.VisitedTree`.
    """

    rows: CallTable
    tree: Tree
    place: Ints
    row: Ints
    guard: Ints
    to_guard: Ints
    source_guard: Ints
    turns: Bools
    uneven: tuple[UnevenVisits, ...] = ()


def assemble(
    rows: CallTable,
    groups: RankGroups,
    merged: MergedSequence,
    conditions: Conditions,
    report: Report,
) -> PlaceTree:
    """Find the structure of a merged sequence.

    Raises
    ------
    Cancelled
        From `report`.
    """
    flat, offsets = groups.sequences(rows)
    begins = rows.offsets[groups.first]
    shift = np.repeat(begins - offsets[:-1], np.diff(offsets))
    entry_row = np.arange(len(flat)) + shift
    held = merged.position >= 0
    positions = len(merged.symbol)
    members = _PositionMembers(groups, conditions)
    report(NAMING, 0.0)
    which, sets = group_sets(merged.position, offsets, held, positions)
    guard = members.guards(sets)[which]
    row = np.zeros(positions, np.int64)
    row[merged.position[held][::-1]] = entry_row[held][::-1]
    halves = []
    for partner, wanted in (
        (rows.receiver, rows.symbols.to),
        (rows.sender, rows.symbols.source),
    ):
        symbol = rows.symbol[entry_row]
        half = (wanted >= 0) & (rows.symbols.awaited < 0)
        lone = np.zeros(positions, bool)
        lone[merged.position[held & half[symbol] & (partner[entry_row] < 0)]] = True
        found = np.full(positions, -1, np.int64)
        if lone.any():
            has = held & (partner[entry_row] >= 0)
            some, their_sets = group_sets(merged.position, offsets, has, positions)
            own = members.guards(their_sets)[some]
            found[lone] = own[lone]
        halves.append(found)
    code = merged.symbol
    for column in (guard, *halves):
        code = factorize(code * (len(conditions.guards) + 1) + column + 1)[1]
    first = np.zeros(int(code.max(initial=-1)) + 1, np.int64)
    first[code[::-1]] = np.arange(positions)[::-1]
    report(NAMING, 0.9)
    position_of_row = groups.spread(rows, merged.position)
    report(NAMING, 1.0)
    of_row = np.append(code, -1)[position_of_row]
    guards = (guard[first], *(h[first] for h in halves))
    report(NAMING, 1.0)
    numbers = _numbered_symbols(rows, row[first], of_row, guards)
    report(NAMING, 1.0)
    sizes = _sized_symbols(rows, row[first], of_row, guards)
    report(NAMING, 1.0)
    visits = visit_begins(rows, entry_row, offsets, merged)
    tree = structure(code, numbers, report, sizes=sizes, visits=visits)
    joined, numbers_of = join_across(tree, guard[first], conditions.guards)
    alone = (halves[0][first] < 0) & (halves[1][first] < 0)
    places = SymbolGuards(
        np.where(alone, merged.symbol[first], -1),
        guard[first],
        conditions.guards,
        len(groups.of),
    )
    shortest, stands = join_rank_trips(joined, places)
    report(NAMING, 0.0)
    leaf = np.append(stands[numbers_of[tree.expand()[:, 0]]], -1)
    place = leaf[position_of_row]
    shortest, told = with_parameter_values(shortest, rows, place)
    visited = with_visits(shortest, told, place, guard[first], conditions.guards)
    return PlaceTree(
        told,
        visited.tree,
        place,
        row[first],
        guard[first],
        halves[0][first],
        halves[1][first],
        visited.turns,
        visited.uneven,
    )


@dataclass(slots=True)
class _PositionMembers:
    groups: RankGroups
    conditions: Conditions

    def guards(self, sets: list[Ints]) -> Ints:
        """Guard of each set of groups, int64."""
        found = np.full(len(sets), -1, np.int64)
        of = self.groups.of
        for index, some in enumerate(sets):
            if len(some) == len(self.groups):
                continue
            chosen = np.zeros(len(self.groups), bool)
            chosen[some] = True
            found[index] = self.conditions.guard(np.flatnonzero(chosen[of]))
        return found


def _numbered_symbols(
    rows: CallTable, row: Ints, of_row: Ints, guards: tuple[Ints, ...]
) -> NumberedSymbols:
    """Find what differs only in a number: ``EXCHANGE 1``, ``EXCHANGE 2``."""
    symbols = rows.symbols
    split = [_NUMBERED.match(name) for name in rows.names]
    stem: dict[str, int] = {}
    stems = np.full(len(split) + 1, -1, np.int64)
    values = np.full(len(split) + 1, -1, np.int64)
    for index, found in enumerate(split):
        if found:
            stems[index] = stem.setdefault(found[1], len(stem))
            values[index] = int(found[2])
    for index, name in enumerate(rows.names):
        if f"{name} x" in stem:  # EAST is EAST x1
            stems[index], values[index] = stem[f"{name} x"], 1
    symbol = rows.symbol[row]
    to, source = symbols.to[symbol], symbols.source[symbol]
    number_to, number_source = values[to], values[source]
    value = np.maximum(number_to, number_source)
    usable = (
        (value >= 0)
        & ((to < 0) | (number_to == value))
        & ((source < 0) | (number_source == value))
    )
    columns = [
        symbols.operation[symbol],
        symbols.family[symbol],
        symbols.root[symbol],
        symbols.awaited[symbol],
        stems[to],
        stems[source],
        *guards,
    ]
    for size in (rows.size, rows.source_size):
        columns += size_range(of_row, size, len(row))
    key = _keys(columns)
    return NumberedSymbols(np.where(usable, key, -1), np.where(usable, value, -1))


def _sized_symbols(
    rows: CallTable, row: Ints, of_row: Ints, guards: tuple[Ints, ...]
) -> SizedSymbols | None:
    """Find what differs only in how large messages are; none where nothing does."""
    extents = [
        column
        for size in (rows.size, rows.source_size)
        for column in size_range(of_row, size, len(row))
    ]
    size = np.stack(extents, axis=1)
    symbols, symbol = rows.symbols, rows.symbol[row]
    columns = [
        symbols.operation[symbol],
        symbols.family[symbol],
        symbols.root[symbol],
        symbols.awaited[symbol],
        symbols.to[symbol],
        symbols.source[symbol],
        *guards,
    ]
    if len(rows.path):
        columns += size_range(of_row, rows.path, len(row))
    key = _keys(columns)
    several = np.bincount(key, minlength=1)[key] > 1
    has = (size >= 0).any(axis=1) & several
    return SizedSymbols(np.where(has, key, -1), size) if has.any() else None


def _keys(columns: list[Ints]) -> Ints:
    """Give equal combinations of columns equal numbers."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        distinct = factorize(column)[1]
        key = factorize(key * (int(distinct.max(initial=0)) + 1) + distinct)[1]
    return key
