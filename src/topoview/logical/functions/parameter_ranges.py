"""What parameters of functions are, over all the calls of a place.

Calls of one place can be made with different values of a parameter: a loop around
them may go over the values, else they are told as a range. All calls of one visit
tell the same.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np

from topoview.base.text import numbers_text
from topoview.grouping import factorize, index_in_run
from topoview.logical.calls.call_table import CallTable
from topoview.logical.functions import kernels
from topoview.logical.functions.call_paths import sorted_paths
from topoview.logical.functions.parameters import Parameters
from topoview.logical.loops.tree import (
    EachOf,
    IterationPart,
    Leaf,
    Repeat,
    Tree,
    TreeBody,
    TreeNode,
)
from topoview.model import Ints

# Loops around the places of a program, and the numbers that they may go over.


class LoopsAround:
    """Loops around the leaves of a tree, each with a number."""

    def __init__(self, tree: Tree, several: Set[int] = frozenset()) -> None:
        self.several = several
        self.around: list[list[tuple[int, int, int]]] = [[] for _ in range(tree.leaves)]
        """For each leaf the loops around it, the innermost first: number of the
        loop, how often the leaf runs in a turn of it, turns."""
        self.over: list[tuple[int, ...]] = []
        """Numbers that each loop goes over already."""
        self._number: dict[int, int] = {}
        for body in (tree.body, *tree.blocks):
            self._walk(body, (), usable=True)

    def _walk(
        self, body: TreeBody, around: tuple[tuple[int, int], ...], *, usable: bool
    ) -> None:
        for node in body:
            if isinstance(node, Leaf):
                if node.place in self.several:
                    continue
                times = 1
                for loop, count in reversed(around):
                    if loop >= 0:
                        self.around[node.place].append((loop, times, count))
                    times *= count
            elif isinstance(node, EachOf):
                self._walk(node.body, around, usable=usable)
            elif isinstance(node, IterationPart):
                self._walk(node.body, (), usable=usable)
            elif isinstance(node, Repeat):
                inner = usable and not node.over and not node.sized
                if node.is_fixed:
                    loop = self._number[id(node)] = len(self.over)
                    self.over.append(node.over)
                    own = loop if usable and not _goes_over(node.body) else -1
                    self._walk(node.body, (*around, (own, node.count)), usable=inner)
                else:
                    self._walk(node.body, (), usable=inner)

    def written(self, body: TreeBody, over: dict[int, tuple[int, ...]]) -> TreeBody:
        """Write a body with the numbers that its loops go over."""
        return tuple(self._rewritten(node, over) for node in body)

    def _rewritten(self, node: TreeNode, over: dict[int, tuple[int, ...]]) -> TreeNode:
        if isinstance(node, EachOf | IterationPart):
            return replace(node, body=self.written(node.body, over))
        if not isinstance(node, Repeat):
            return node
        own = over.get(self._number.get(id(node), -1), node.over)
        return replace(node, over=own, body=self.written(node.body, over))


def _goes_over(body: TreeBody) -> bool:
    """Whether a loop over numbers is in a body."""
    return any(
        (isinstance(node, Repeat) and bool(node.over)) or _goes_over(node.body)
        for node in body
        if isinstance(node, EachOf | Repeat | IterationPart)
    )


MAX_VALUES_LISTED: Final = 8
"""Numbers without a rule that a loop goes over at most, and values that are listed."""

ParameterCell = tuple[int, int]
"""A class of places in one visit, and a parameter."""


def with_parameter_values(
    tree: Tree, rows: CallTable, place: Ints, several: Set[int] = frozenset()
) -> tuple[Tree, CallTable]:
    """Write parameters of functions once for all calls of a place.

    Parameters
    ----------
    place : int64, shape (rows,)
        Leaf of each row, -1 if it has none.
    several
        Leaves that stand for several rows of a rank at once.

    Returns
    -------
    Tree
        Its loops that go through the numbers of a parameter do so.
    Records
        Paths have one value, ``k``, or a range for each parameter.
    """
    parameters = rows.paths.parameters
    if parameters is None or not len(place) or place.min() < 0:
        return tree, rows
    teller = _RangeFinder(tree, rows, place, parameters, several)
    tree = teller.over()
    return tree, teller.table()


@dataclass(slots=True)
class _RangeFinder:
    tree: Tree
    rows: CallTable
    place: Ints
    parameters: Parameters
    several: Set[int]
    width: int = field(init=False)
    joined: Ints = field(init=False)
    cells: Ints = field(init=False)
    cell: Ints = field(init=False)
    values: dict[ParameterCell, set[int]] = field(default_factory=dict)
    labels: dict[ParameterCell, str] = field(default_factory=dict)
    loops: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find which places are in one visit, and what values they have there."""
        paths, rows = self.rows.paths, self.rows
        self.width = int(paths.level.max(initial=0)) + 1
        self.joined = kernels.join_levels(
            rows.offsets,
            self.place,
            rows.path,
            rows.kept,
            paths.parent,
            paths.region,
            paths.level,
            self.parameters.first,
            self.tree.leaves * self.width,
        )
        count = len(paths.level)
        self.cells, self.cell = factorize(self.place * count + rows.path)
        for code in self.cells.tolist():
            for key, value in self._on(code // count, code % count):
                self.values.setdefault(key, set()).add(value)

    def _on(self, place: int, path: int) -> Iterator[tuple[ParameterCell, int]]:
        """Values of parameters on a path of a place, the innermost first."""
        paths, first = self.rows.paths, self.parameters.first
        while path > 0:
            value = int(paths.region[path]) - first
            if value >= 0:
                at = self.joined[place * self.width + int(paths.level[path])]
                yield (int(at), int(self.parameters.parameter[value])), value
            path = int(paths.parent[path])

    def over(self) -> Tree:
        """Let loops go over the numbers that parameters have in their turns."""
        varied: dict[ParameterCell, list[int]] = {}
        texts = self.parameters.is_text
        for code in self.cells.tolist():
            place, path = divmod(code, len(self.rows.paths.level))
            for key, value in self._on(place, path):
                if len(self.values[key]) > 1 and not texts[value]:
                    places = varied.setdefault(key, [])
                    places += [place] if place not in places[-1:] else []
        if not varied:
            return self.tree
        turns = LoopsAround(self.tree, self.several)
        order = np.argsort(self.place, kind="stable")
        bounds = np.searchsorted(self.place[order], np.arange(self.tree.leaves + 1))
        for key, places in varied.items():
            self._find(key, places, turns, (order, bounds))
        bodies = [
            turns.written(body, self.loops)
            for body in (self.tree.body, *self.tree.blocks)
        ]
        return replace(self.tree, body=bodies[0], blocks=tuple(bodies[1:]))

    def _find(
        self,
        key: ParameterCell,
        places: list[int],
        turns: LoopsAround,
        sorted_: tuple[Ints, Ints],
    ) -> None:
        """Find the innermost loop whose turns tell a parameter's numbers."""
        order, bounds = sorted_
        for loop, _, count in turns.around[places[0]]:
            least = np.full(count, np.iinfo(np.int64).max)
            most = np.full(count, np.iinfo(np.int64).min)
            for place in places:
                periods = [
                    (d, c) for other, d, c in turns.around[place] if other == loop
                ]
                if not periods:
                    break
                row = order[bounds[place] : bounds[place + 1]]
                before = index_in_run(np.bincount(self.rows.rank[row]))
                turn = before // periods[0][0] % count
                value = self._numbers(key, place, row)
                some = value >= 0
                number = self.parameters.number[value[some]]
                np.minimum.at(least, turn[some], number)
                np.maximum.at(most, turn[some], number)
            else:
                over = tuple(least.tolist())
                known_over = self.loops.get(loop, turns.over[loop])
                if not np.array_equal(least, most) or len(set(over)) < 2:
                    continue
                if (not known_over and _is_short(over)) or known_over == over:
                    self.loops[loop] = over
                    self.labels[key] = "k"
                    return

    def _numbers(self, key: ParameterCell, place: int, row: Ints) -> Ints:
        """Value of a parameter in each row of a place, -1 where it has none."""
        count = len(self.rows.paths.level)
        values = np.full(count, -1, np.int64)
        for path in np.unique(self.rows.path[row]).tolist():
            for other, value in self._on(place, path):
                if other == key:
                    values[path] = value
        return values[self.rows.path[row]]

    def table(self) -> CallTable:
        """Return the table in which each row has the path of its place."""
        paths, first = self.rows.paths, self.parameters.first
        count, further = len(paths.level), first + len(self.parameters.texts)
        words: dict[str, int] = {}
        nodes: dict[tuple[int, int], int] = {}
        parent, region = [-1], [-1]
        new = np.zeros(len(self.cells), np.int64)
        for at, code in enumerate(self.cells.tolist()):
            place, path = divmod(code, count)
            values = dict(self._on(place, path))
            keys = iter(reversed(values))
            made = 0
            for own in paths.regions(path):
                key = own
                if own >= first:
                    text = self._text(next(keys))
                    key = (
                        own
                        if not text
                        else further + words.setdefault(text, len(words))
                    )
                if (made, key) not in nodes:
                    nodes[made, key] = len(parent)
                    parent.append(made)
                    region.append(key)
                made = nodes[made, key]
            new[at] = made
        tree, numbers = sorted_paths(
            np.array(parent, np.int32), np.array(region, np.int64)
        )
        tree = replace(tree, parameters=self.parameters, further=tuple(words))
        return replace(self.rows, paths=tree, path=numbers[new][self.cell])

    def _text(self, key: ParameterCell) -> str:
        """Words for the values of a parameter; empty if there is just one."""
        values = sorted(self.values[key])
        if len(values) < 2:
            return ""
        name = self.parameters.names[key[1]]
        if key in self.labels:
            return f"with {name} = {self.labels[key]}"
        if self.parameters.is_text[values].any():
            said = [self.parameters.texts[v].removeprefix(f"{name} = ") for v in values]
            rest = len(said) - MAX_VALUES_LISTED
            more = f" and {rest} more" if rest > 0 else ""
            return f"with {name} = {', '.join(said[:MAX_VALUES_LISTED])}{more}"
        numbers = sorted(self.parameters.number[values].tolist())
        in_a_row = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
        if in_a_row or not _is_short(numbers):
            return f"with {name} = {numbers[0]}..{numbers[-1]}"
        return f"with {name} = {numbers_text(numbers)}"


def _is_short(numbers: tuple[int, ...] | list[int]) -> bool:
    """Whether numbers are few, or follow each other in equal steps."""
    return (
        len(numbers) <= MAX_VALUES_LISTED
        or len({b - a for a, b in pairwise(numbers)}) == 1
    )
