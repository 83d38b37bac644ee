"""From merged positions to a tree of places: what each says, and for which ranks.

Also the numbers that stand beside a statement because they vary, sizes and partners:
their range, and a table of them by rank and turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, groupby, pairwise

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import (
    Hashes,
    combined,
    factorize,
    kinds_by_owner,
    run_begins,
    run_offsets,
)
from topoview.logical import kernels
from topoview.logical.calls.call_table import CallTable
from topoview.logical.conditions.conditions import Conditions
from topoview.logical.functions.parameter_ranges import with_parameter_values
from topoview.logical.functions.visits import with_visits
from topoview.logical.loops.compression import substitute
from topoview.logical.loops.cost import table_bits, tree_bits
from topoview.logical.loops.numbered import MAX_NAMES_APART, VaryingSymbols
from topoview.logical.loops.rank_trips import SymbolGuards, join_rank_trips
from topoview.logical.loops.reordering import join_across
from topoview.logical.loops.structure import structure
from topoview.logical.loops.tree import NodeKind, NodeRow, Nodes, Tree
from topoview.logical.merge.branches import Branches
from topoview.logical.merge.classes import RankClasses
from topoview.logical.merge.levels import EXACT, LeveledProgram
from topoview.logical.merge.lists import Lists, RowKeys, joint
from topoview.logical.merge.positions import PositionKind, Positions
from topoview.logical.stages import NAMING
from topoview.model import Bools, Ints, SideTable, places_among

# Numbers beside the statements: sizes, and partners, that vary.


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
        count, value = kernels.table_cells(offsets, own, numbers, cells)
        counts.append(count)
        values.append(value)
    return SideTable(
        columns.astype(np.int32),
        received,
        run_offsets(np.concatenate(counts)),
        np.concatenate(values),
    )


_NUMBERED = re.compile(r"(?!rank )(.*?)(\d+)")


@dataclass(frozen=True, slots=True, eq=False)
class PlaceTree:
    """A tree of places, and what the places are."""

    rows: CallTable
    """The rows; their call paths tell the values of parameters as the program does."""
    tree: Tree
    """Loops and blocks over places."""
    place: Ints
    """int64, shape (rows,): leaf of the tree that each row is of, -1 if it is left
    out."""
    leaf: Ints
    """int64, shape (visits,): leaf that the program comes to, one after the other."""
    visit: Ints
    """int64, shape (rows,): index into `leaf`: ascending for each rank, equal for rows
    that a leaf stands for at once."""
    row: Ints
    """int64, shape (symbols of the tree,): A row that says what each symbol of the tree
    says."""
    guard: Ints
    to_guard: Ints
    source_guard: Ints
    """`guard`, `to_guard` and `source_guard`: int64, shape (symbols of the tree,):
    guards of the place and of its halves, -1 for all ranks."""
    times: dict[int, Ints]
    """For symbols whose call ranks make differently often in a row: int64, shape
    (ranks,), how often each does."""
    script: Bools
    """bool, shape (symbols of the tree,): whether a symbol stands for calls that follow
    no rule."""
    bits: float
    """What it takes to write all."""
    script_bits: float
    """What of that tells the calls that follow no rule."""
    turns: Bools
    uneven: tuple[int, ...] = ()
    """`turns` and `uneven`: as of `topoview.logical.functions.visits.VisitedTree`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What stands for some calls of a position: a call of some ranks, or a script.

    `count` tells how often each rank makes the call in a row, or `times` does so for
    each rank where they differ.
    """

    key: int
    row: int
    ranks: Ints
    whole: tuple[Ints, Ints]
    count: int = 1
    times: Ints | None = None
    script: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Content:
    """What stands at the positions of a symbol: its parts, in order."""

    parts: list[_Part]
    symbols: list[int]
    each: bool
    neighbours: bool


class ContentTeller:
    """Tells what stands at positions: calls by names in order, or scripts.

    Names are told where the ranks' calls have a common order of them, and where that
    is shorter than a table of what each rank does.
    """

    def __init__(  # noqa: PLR0913
        self,
        rows: CallTable,
        lists: Lists,
        keys: RowKeys,
        positions: Positions,
        program: LeveledProgram,
        classes: RankClasses,
        neighbours: Ints,
    ) -> None:
        self.rows, self.lists, self.keys = rows, lists, keys
        self.classes = classes
        self.positions, self.program = positions, program
        self.neighbours, self.stems = neighbours, _numbered_names(rows.names)[0]
        ranks = len(classes.of)
        self.degree = np.bincount(neighbours // max(ranks, 1), minlength=ranks)
        sequence = program.sequence
        symbols = int(sequence.max(initial=-1)) + 1
        self.first = np.zeros(symbols, np.int64)
        self.first[sequence[::-1]] = np.arange(len(sequence))[::-1]
        self.variants = kinds_by_owner(sequence, program.named, symbols)
        shown = np.zeros(len(positions), bool)
        shown[self.first] = True
        indices = np.flatnonzero(shown[positions.of])
        order = np.argsort(positions.of[indices], kind="stable")
        self.row = indices[order]
        self.begin = np.searchsorted(positions.of[self.row], self.first)
        self.end = np.searchsorted(positions.of[self.row], self.first, side="right")
        self.comes = np.zeros((symbols, lists.ranks), bool)  # which ranks, anywhere
        self.comes[sequence[positions.of], lists.rank] = True
        self.contents = [self._content(symbol) for symbol in range(symbols)]

    def _content(self, symbol: int) -> _Content:
        position = int(self.first[symbol])
        level = int(self.program.level[position])
        row = self.row[self.begin[symbol] : self.end[symbol]]
        kind = int(self.positions.kind[position])
        exact = int(self.program.exact[position])
        if self.variants[symbol] == 1 and self.program.names_shorter[exact]:
            parts = self._by_names(row, level, symbol)
            if parts is not None:
                listed = kind == PositionKind.LIST
                varying = any(part.times is not None for part in parts)
                symbols = [int(self.rows.symbol[part.row]) for part in parts]
                few = 1 if self._are_numbered(row) else MAX_NAMES_APART
                each = listed and (len(parts) > few or varying)
                return _Content(parts, symbols, each, self._to_neighbours(row))
        ranks = self.classes.ranks(self.lists.rank[row])
        if self.variants[symbol] > 1:
            ranks = self.classes.ranks(np.flatnonzero(self.comes[symbol]))
        whole = ranks, ranks
        return _Content(
            [_Part(-1 - symbol, int(row[0]), ranks, whole, script=True)],
            [-1],
            False,
            False,
        )

    def script_bits(self) -> float:
        """Weigh what tells the contents that are scripts."""
        scripted = np.array([own.parts[0].script for own in self.contents], bool)
        written = np.unique(self.program.exact[scripted[self.program.sequence]])
        return float(self.program.content_bits[written].sum())

    def _are_numbered(self, row: Ints) -> bool:
        """Whether rows differ only in a number: ``CHILD 0``, ``CHILD 1``."""
        symbols, symbol = self.rows.symbols, self.rows.symbol[row]
        stems = self.stems[np.maximum(symbols.to, symbols.source)[symbol]]
        sizes = self.rows.size[row], self.rows.source_size[row]
        same = all((column == column[0]).all() for column in (stems, *sizes))
        return bool(same and stems[0] >= 0)

    def _by_names(self, row: Ints, level: int, symbol: int) -> list[_Part] | None:
        """Split rows by names in an order that all ranks share, if there is one."""
        said, rank = self.rows.symbol[row], self.lists.rank[row]
        run = run_begins(said, rank)
        count = np.diff(np.append(run, len(row)))
        names, ranks = said[run], rank[run]
        partner = np.maximum(self.rows.receiver, self.rows.sender)[row[run]]
        order = _common_order(names, ranks, partner > self.classes.first[ranks])
        if order is None:
            return None
        parts = []
        runs, rows_of = _grouped(names), _grouped(said)
        for name in order:
            own = runs[name]
            times, most = None, int(count[own].max())
            if count[own].min() < most:
                made, most = np.zeros(self.lists.ranks, np.int64), 1
                made[ranks[own]] = count[own]
                times = made[self.classes.of]
            example = int(row[run[own[0]]])
            rows = row[rows_of[name]]
            halves = tuple(
                self.classes.ranks(self.lists.rank[rows[side[rows] >= 0]])
                for side in (self.rows.receiver, self.rows.sender)
            )
            key = self._key(rows, level, symbol)
            whole = halves[0], halves[1]
            some = self.classes.ranks(ranks[own])
            parts.append(
                _Part(
                    key=key,
                    row=example,
                    ranks=some,
                    whole=whole,
                    count=most,
                    times=times,
                )
            )
        return parts

    def _key(self, rows: Ints, level: int, symbol: int) -> int:
        """Return a key that is equal for calls that are one statement."""
        key = (self.keys.exact if level == EXACT else self.keys.named)[rows]
        place = np.zeros(len(rows), np.int64)
        key = kernels.mix_bits(key ^ np.uint64(level * (symbol + 1)))
        return int(joint(place, self.lists.rank[rows], key, 1)[0] >> np.uint64(1))

    def _to_neighbours(self, row: Ints) -> bool:
        """Whether each rank calls just once for each of its neighbours."""
        of, rank = self.classes.of, self.lists.rank[row]
        count = np.bincount(rank, minlength=self.lists.ranks)[of]
        if not len(self.neighbours) or not np.array_equal(count, self.degree):
            return False
        partner = np.maximum(self.rows.receiver[row], self.rows.sender[row])
        pairs = (self.classes.first[rank] * len(of) + partner)[partner >= 0]
        return bool((places_among(self.neighbours, pairs) >= 0).all())

    def slots_of_rows(self) -> tuple[Ints, Ints]:
        """Slot of each row within its position, and the slots of each symbol.

        A part has as many as every rank makes its call in a row.
        """
        of_row = self.program.sequence[self.positions.of]
        said = self.rows.symbol
        width = len(self.rows.symbols) + 1
        keys, which = factorize(of_row * width + said)
        first = np.zeros(len(keys), np.int64)
        repeated = np.zeros(len(keys), bool)
        many = np.array(
            [sum(p.count for p in c.parts) for c in self.contents], np.int64
        )
        begins = {
            symbol * width + own: (before, part.count > 1)
            for symbol, content in enumerate(self.contents)
            if many[symbol] > 1
            for own, part, before in zip(
                content.symbols,
                content.parts,
                accumulate((p.count for p in content.parts), initial=0),
                strict=False,
            )
        }
        for at, code in enumerate(keys.tolist()):
            first[at], repeated[at] = begins.get(code, (0, False))
        slot = first[which]
        again = np.flatnonzero(repeated[which])
        if len(again):
            run = run_begins(said, self.lists.rank, self.positions.of)
            slot[again] += again - run[np.searchsorted(run, again, side="right") - 1]
        return slot, many


def _grouped(column: Ints) -> dict[int, Ints]:
    """Find the places of each value, ascending."""
    order = np.argsort(column, kind="stable")
    begins = run_begins(column[order])
    groups = np.split(order, begins[1:])
    return dict(zip(column[order[begins]].tolist(), groups, strict=True))


def _common_order(names: Ints, ranks: Ints, ahead: Bools) -> list[int] | None:
    """Order names so that each rank's come in it; None where there is no such order.

    Where no rank has both of two names, as north and south in two rows of ranks, they
    come as those do of which ranks have both: what leads ahead first, or last.

    Parameters
    ----------
    names, ranks : int64, shape (n,)
        Name of each call, rank after rank, none twice in a row.
    ahead : bool, shape (n,)
        Whether it leads to a rank of a higher number.
    """
    leads_ahead = dict(zip(names.tolist(), ahead.tolist(), strict=True))
    offsets = np.flatnonzero(np.append(np.diff(ranks, prepend=-1), 1))
    distinct = {tuple(names[a:b].tolist()) for a, b in pairwise(offsets.tolist())}
    graph: dict[int, set[int]] = {}

    def turns(own: tuple[int, ...]) -> list[bool]:
        return [leads_ahead[name] != leads_ahead[own[0]] for name in own]

    for own in sorted(distinct, key=lambda own: (-len(own), turns(own), own)):
        if len(set(own)) < len(own):
            return None
        for before, name in pairwise((None, *own)):
            graph.setdefault(name, set())
            if before is not None:
                graph[name].add(before)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return None


def assemble(
    teller: ContentTeller,
    conditions: Conditions,
    report: Report = silent,
) -> PlaceTree:
    """Find the structure of a program: loops and blocks over the parts of its contents.

    Raises
    ------
    Cancelled
        From `report`.
    """
    rows, program = teller.rows, teller.program
    report(NAMING, 0.0)
    # A part that several contents have in common is one leaf: equal parts, one number.
    number: dict[int, int] = {}
    parts: list[_Part] = []
    codes: list[list[int]] = []
    for content in teller.contents:
        own = []
        for part in content.parts:
            if part.key not in number:
                number[part.key] = len(parts)
                parts.append(part)
            own += [number[part.key]] * part.count
        codes.append(own)
    # A Sendrecv may have one of its partners at some ranks only: a condition on that
    # half.
    halves = []
    for side, wanted in enumerate((rows.symbols.to, rows.symbols.source)):
        half_guards = np.full(len(parts), -1, np.int64)
        for index, part in enumerate(parts):
            symbol = rows.symbol[part.row]
            half = wanted[symbol] >= 0 and rows.symbols.awaited[symbol] < 0
            if half and not part.script and len(part.whole[side]) < len(part.ranks):
                half_guards[index] = conditions.guard(part.whole[side])
        halves.append(half_guards)
    row = np.array([part.row for part in parts], np.int64)
    script = np.array([part.script for part in parts], bool)
    times = {i: part.times for i, part in enumerate(parts) if part.times is not None}
    report(NAMING, 0.9)
    # `flat` spells the sequence in parts; `visit` is where in it each row stands.
    slot, many = teller.slots_of_rows()
    sequence = program.sequence
    lengths = many[sequence]
    base = run_offsets(lengths)
    visit = base[teller.positions.of] + slot
    flat = substitute(sequence, {s: tuple(own) for s, own in enumerate(codes)})
    of_row = flat[visit]
    single = ~script & np.array([i not in times for i in range(len(parts))], bool)
    alone = (halves[0] < 0) & (halves[1] < 0) & single
    calls = np.where(alone, _calls_told(rows, row, of_row, teller.keys.kind[row]), -1)
    movable = calls.copy()
    for content, own in zip(teller.contents, codes, strict=True):
        movable[own] = -1 if content.each else movable[own]
    own_ranks = [part.ranks for part in parts]
    branches = (flat, visit, rows.offsets, own_ranks, teller.classes, conditions)
    Branches(*branches).settle(movable)
    of_row = flat[visit]
    guard = np.array([conditions.guard(ranks) for ranks in own_ranks], np.int64)
    guards = guard, *halves
    # Loops are folded over what differs in a number or size only, not over scripts.
    numbers = _numbered_symbols(rows, row, of_row, guards, single)
    sizes = _sized_symbols(rows, row, of_row, guards, single)
    partners = _partnered_symbols(rows, row, teller.keys, single)
    nodes = Nodes()
    leaves = [
        _nodes_of(nodes, content, own)
        for content, own in zip(teller.contents, codes, strict=True)
    ]
    tree = structure(
        flat,
        numbers,
        report,
        sizes=sizes,
        partners=partners,
        written=(nodes, nodes.written(program.tokens, program.written, leaves)),
        whole=program.tokens.whole,
    )
    # Joining across conditions, and of loops that ranks run unequally often, needs the
    # whole structure.
    joined, numbers_of = join_across(tree, guard, conditions.guards)
    ranks = len(teller.classes.of)
    places = SymbolGuards(calls, guard, conditions.guards, ranks)
    shortest, stands = join_rank_trips(joined, places)
    report(NAMING, 0.0)
    leaf = stands[numbers_of[tree.expand()[:, 0]]]
    place = leaf[visit]
    several = frozenset(leaf[~single[flat]].tolist())
    # Parameters and open functions depend on the final places, so they come last.
    shortest, retold = with_parameter_values(shortest, rows, place, several)
    first = teller.classes.first
    holds = [np.isin(first, one.ranks) for one in conditions.guards]
    visited = with_visits(shortest, retold, place, guard, holds, several)
    return PlaceTree(
        rows=retold,
        tree=visited.tree,
        place=place,
        leaf=leaf,
        visit=visit,
        row=row,
        guard=guard,
        to_guard=halves[0],
        source_guard=halves[1],
        times=times,
        script=script,
        bits=tree_bits(visited.tree) + program.beside + _times_bits(teller.contents),
        script_bits=teller.script_bits(),
        turns=visited.turns,
        uneven=visited.uneven,
    )


def _times_bits(contents: list[_Content]) -> float:
    """Weigh how often ranks make calls, where they do not once for each neighbour."""
    tables = {
        part.times.tobytes(): part.times
        for content in contents
        for part in content.parts
        if part.times is not None and not content.neighbours
    }
    return sum(map(table_bits, tables.values()))


def _nodes_of(nodes: Nodes, content: _Content, codes: list[int]) -> NodeRow:
    """Build the nodes of what stands at a position."""
    leaves: NodeRow = ()
    for code, run in groupby(codes):
        leaf, count = nodes.add(NodeKind.LEAF, (code,)), len(list(run))
        leaves += (leaf if count == 1 else nodes.add(NodeKind.LOOP, (count,), (leaf,)),)
    if not content.each:
        return leaves
    return (nodes.add(NodeKind.EACH, (int(content.neighbours),), leaves),)


def _calls_told(rows: CallTable, row: Ints, of_row: Ints, kind: Hashes) -> Ints:
    """Return equal numbers for symbols that differ in their ranks only, int64."""
    columns = [rows.symbol[row], kind.view(np.int64)]
    for size in (rows.size, rows.source_size):
        least, most = kernels.size_range(of_row, size, len(row))
        columns += [np.where(least == most, least, -2)]
    return combined(columns)


def _numbered_symbols(
    rows: CallTable, row: Ints, of_row: Ints, guards: tuple[Ints, ...], single: Bools
) -> VaryingSymbols:
    """Find what differs only in a number: ``EXCHANGE 1``, ``EXCHANGE 2``, the root."""
    symbols, symbol = rows.symbols, rows.symbol[row]
    stems, values = _numbered_names(rows.names)
    to, source = symbols.to[symbol], symbols.source[symbol]
    number_to, number_source = values[to], values[source]
    rooted = (to < 0) & (source < 0) & (symbols.root[symbol] >= 0)
    value = np.maximum(number_to, number_source)
    value[rooted] = symbols.root[symbol][rooted]
    usable = (
        single
        & (value >= 0)
        & ((to < 0) | (number_to == value))
        & ((source < 0) | (number_source == value))
    )
    columns = [
        symbols.operation[symbol],
        symbols.family[symbol],
        np.where(rooted, -2, symbols.root[symbol]),
        symbols.awaited[symbol],
        stems[to],
        stems[source],
        *guards,
    ]
    for size in (rows.size, rows.source_size):
        columns += kernels.size_range(of_row, size, len(row))
    key = combined(columns)
    return VaryingSymbols(np.where(usable, key, -1), np.where(usable, value, -1))


def _numbered_names(names: Sequence[str]) -> tuple[Ints, Ints]:
    """Split names into a stem, told by its index, and a number; a last one has none."""
    stem: dict[str, int] = {}
    stems, values = np.full((2, len(names) + 1), -1, np.int64)
    for index, name in enumerate(names):
        if match := _NUMBERED.fullmatch(name):
            stems[index] = stem.setdefault(match[1], len(stem))
            values[index] = int(match[2])
    for index, name in enumerate(names):
        if f"{name} x" in stem:  # EAST is EAST x1
            stems[index], values[index] = stem[f"{name} x"], 1
    return stems, values


def _sized_symbols(
    rows: CallTable, row: Ints, of_row: Ints, guards: tuple[Ints, ...], single: Bools
) -> VaryingSymbols | None:
    """Find what differs only in how large messages are; none where nothing does."""
    extents = [
        column
        for size in (rows.size, rows.source_size)
        for column in kernels.size_range(of_row, size, len(row))
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
        columns += kernels.size_range(of_row, rows.path, len(row))
    key = combined(columns)
    several = np.bincount(key, minlength=1)[key] > 1
    has = (size >= 0).any(axis=1) & several & single
    return VaryingSymbols(np.where(has, key, -1), size) if has.any() else None


def _partnered_symbols(
    rows: CallTable, row: Ints, keys: RowKeys, single: Bools
) -> VaryingSymbols:
    """Find what differs only in its partner and sizes, of calls that may be listed."""
    symbols, symbol = rows.symbols, rows.symbol[row]
    to, source = symbols.to[symbol], symbols.source[symbol]
    key = combined([symbols.operation[symbol], symbols.awaited[symbol]])
    usable = single & keys.listed[row]
    return VaryingSymbols(np.where(usable, key, -1), np.maximum(to, source))
