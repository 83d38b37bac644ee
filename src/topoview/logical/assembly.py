"""From merged positions to a tree of places: what each says, and for which ranks."""

import re
from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import repeated
from topoview.logical.commuting import commuted
from topoview.logical.conditions import Conditions
from topoview.logical.groups import Groups
from topoview.logical.loops.numbers import Numbers
from topoview.logical.loops.sizes import Sizes
from topoview.logical.loops.tree import Tree
from topoview.logical.merging import Merged, group_sets
from topoview.logical.numbering import number
from topoview.logical.parameter_ranges import with_values
from topoview.logical.rank_trips import Places, counted
from topoview.logical.records import Records
from topoview.logical.sizes import extent
from topoview.logical.stages import NAMING
from topoview.logical.structure import structure
from topoview.logical.visit_begins import visit_begins
from topoview.logical.visits import Uneven, with_visits
from topoview.model import Bools, Ints
from topoview.progress import Report, breathing

_NUMBERED = re.compile(r"(.*?)(\d+)$")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
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
        As of `topoview.logical.visits.Visited`.
    """

    rows: Records
    tree: Tree
    place: Ints
    row: Ints
    guard: Ints
    to_guard: Ints
    source_guard: Ints
    turns: Bools
    uneven: tuple[Uneven, ...] = ()


def assemble(
    rows: Records,
    groups: Groups,
    merged: Merged,
    conditions: Conditions,
    report: Report,
) -> Frame:
    """Find the structure of a merged sequence.

    Raises
    ------
    Cancelled
        From `report`.
    """
    flat, offsets = groups.sequences(rows)
    begins = rows.offsets[groups.first]
    entry_row = np.arange(len(flat)) + repeated(begins - offsets[:-1], np.diff(offsets))
    held = merged.position >= 0
    positions = len(merged.symbol)
    members = _Members(groups, conditions)
    report(NAMING, 0.0)
    which, sets = group_sets(merged.position, offsets, held, positions)
    with breathing(report, NAMING):
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
            with breathing(report, NAMING):
                own = members.guards(their_sets)[some]
            found[lone] = own[lone]
        halves.append(found)
    code = merged.symbol
    for column in (guard, *halves):
        code = number(code * (len(conditions.guards) + 1) + column + 1)[1]
    first = np.zeros(int(code.max(initial=-1)) + 1, np.int64)
    first[code[::-1]] = np.arange(positions)[::-1]
    report(NAMING, 0.9)
    position_of_row = groups.spread(rows, merged.position)
    report(NAMING, 1.0)
    of_row = np.append(code, -1)[position_of_row]
    guards = (guard[first], *(h[first] for h in halves))
    report(NAMING, 1.0)
    numbers = _numbers(rows, row[first], of_row, guards)
    report(NAMING, 1.0)
    sizes = _sizes(rows, row[first], of_row, guards)
    report(NAMING, 1.0)
    visits = visit_begins(rows, entry_row, offsets, merged)
    tree = structure(code, numbers, report, sizes=sizes, visits=visits)
    with breathing(report, NAMING):
        joined, numbers_of = commuted(tree, guard[first], conditions.guards)
    alone = (halves[0][first] < 0) & (halves[1][first] < 0)
    places = Places(
        np.where(alone, merged.symbol[first], -1),
        guard[first],
        conditions.guards,
        len(groups.of),
    )
    shortest, stands = counted(joined, places)
    report(NAMING, 0.0)
    leaf = np.append(stands[numbers_of[tree.expand()[:, 0]]], -1)
    place = leaf[position_of_row]
    shortest, told = with_values(shortest, rows, place)
    with breathing(report, NAMING):
        visited = with_visits(shortest, told, place, guard[first], conditions.guards)
    return Frame(
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
class _Members:
    groups: Groups
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


def _numbers(
    rows: Records, row: Ints, of_row: Ints, guards: tuple[Ints, ...]
) -> Numbers:
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
        columns += extent(of_row, size, len(row))
    key = _keys(columns)
    return Numbers(np.where(usable, key, -1), np.where(usable, value, -1))


def _sizes(
    rows: Records, row: Ints, of_row: Ints, guards: tuple[Ints, ...]
) -> Sizes | None:
    """Find what differs only in how large messages are; none where nothing does."""
    extents = [
        column
        for size in (rows.size, rows.source_size)
        for column in extent(of_row, size, len(row))
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
        columns += extent(of_row, rows.path, len(row))
    key = _keys(columns)
    several = np.bincount(key, minlength=1)[key] > 1
    has = (size >= 0).any(axis=1) & several
    return Sizes(np.where(has, key, -1), size) if has.any() else None


def _keys(columns: list[Ints]) -> Ints:
    """Give equal combinations of columns equal numbers."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        distinct = np.unique(column, return_inverse=True)[1].astype(np.int64)
        key = number(key * (int(distinct.max(initial=0)) + 1) + distinct)[1]
    return key
