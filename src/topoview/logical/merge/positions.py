"""Positions that all ranks share: the program is the sequence of what stands at them.

Every row of the call table gets a position; along a rank positions never go down. What
all ranks do at a position is its content. Whatever assigns positions, the program is
exact: the steps only make it short. Where the ranks have lists of the same operations
in a segment, the k-th list is one position, whoever the partners are; where they have
not, their calls are merged in several ways, and the shortest is taken.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import Report, silent
from topoview.grouping import run_offsets
from topoview.logical.calls.call_table import CallTable
from topoview.logical.merge.lists import Lists, RowKeys, sums_of
from topoview.logical.merge.segments import APART, MergedSegment, merge_segment
from topoview.logical.stages import MERGING
from topoview.model import Bools, Ints


class PositionKind(IntEnum):
    """What stands at a position."""

    CALL = 0
    """A call of each rank that is there."""
    LIST = 1
    """Calls of one operation."""
    SERVING = 2
    """Polls, and what is done for the messages that they find."""
    SCRIPT = 3
    """Calls in an order of each rank's own."""
    ANCHOR = 4
    """A collective of all ranks."""


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """A position for each row."""

    of: Ints
    """int64, shape (rows,): position of each row; ascending for each rank, equal for
    the calls of a list."""
    kind: NDArray[np.int8]
    """int8, shape (positions,): A `PositionKind` each."""
    segment: Ints
    """int64, shape (positions,): how many anchors come before."""
    uniform: Bools
    """bool, shape (segments,): whether all ranks have the same lists between two
    anchors."""

    def __len__(self) -> int:
        """Count the positions."""
        return len(self.kind)


MAX_ROWS_APART = 200_000
"""Rows of all different segments that are so few that lists are also torn up."""


@dataclass(slots=True)
class PositionFinder:
    """Assigns positions; keeps how segments were merged, to be asked again."""

    rows: CallTable
    lists: Lists
    keys: RowKeys
    report: Report = silent
    solved: dict[int, dict[str, MergedSegment]] = field(default_factory=dict)
    uniform: Bools = field(init=False)
    _length: Ints = field(init=False)

    def __post_init__(self) -> None:
        """Find in which segments all ranks have the same lists, and which are equal."""
        lists, cell = self.lists, self.lists.cell[:-1]
        segments, of_cell = lists.segments, lists.segment[cell]
        heads = np.flatnonzero(lists.begins)
        first = np.searchsorted(heads, cell)
        words = sums_of(first, lists.word[heads])
        low = np.full(segments, np.iinfo(np.uint64).max, np.uint64)
        high = np.zeros(segments, np.uint64)
        np.minimum.at(low, of_cell, words)
        np.maximum.at(high, of_cell, words)
        alike = np.bincount(of_cell, minlength=segments) == lists.ranks
        self.uniform = (low == high) & alike
        self._length = np.zeros(segments, np.int64)
        np.maximum.at(self._length, of_cell, np.diff(np.append(first, len(heads))))

    def differs(self, way: str) -> bool:
        """Return whether any segment may be merged in a way of its own."""
        return not self.uniform.all() or (way == APART and self._few())

    def positions(self, prefer: str | None = None) -> Positions:
        """Find a position for every row.

        Parameters
        ----------
        prefer
            Way in which segments are merged that can be merged so; the others, and all
            without it, in the shortest way.
        """
        lists, cell = self.lists, self.lists.cell[:-1]
        segments, of_cell = lists.segments, lists.segment[cell]
        content, length = lists.content, self._length.copy()
        local = lists.number.copy()
        scripts: list[tuple[int, Bools]] = []
        odd = ~self.uniform
        if prefer == APART and self._few():
            odd[:] = True
        said = sums_of(cell, self.keys.named) if odd.any() else np.zeros(0, np.uint64)
        order = np.argsort(of_cell, kind="stable")
        begins = np.searchsorted(of_cell[order], np.arange(segments + 1))
        for segment in np.flatnonzero(odd).tolist():
            cells = order[begins[segment] : begins[segment + 1]]
            merged = self._merged(int(content[segment]), cells, said[cells])
            way = (
                prefer
                if prefer in merged
                else min(merged, key=lambda w: merged[w].bits)
            )
            chosen = merged[way]
            for at, group in zip(cells.tolist(), chosen.group.tolist(), strict=True):
                local[lists.cell[at] : lists.cell[at + 1]] = chosen.places[group]
            length[segment] = len(chosen.script)
            scripts.append((segment, chosen.script))
        base = run_offsets(length)
        of = base[lists.segment] + local
        kinds = np.full(len(of), PositionKind.CALL, np.int8)
        kinds[self.keys.listed] = PositionKind.LIST
        kinds[lists.serving] = PositionKind.SERVING
        kinds[lists.anchor] = PositionKind.ANCHOR
        kind = np.full(int(base[-1]), PositionKind.CALL, np.int8)
        np.maximum.at(kind, of, kinds)
        for segment, script in scripts:
            kind[base[segment] + np.flatnonzero(script)] = PositionKind.SCRIPT
        place = np.repeat(np.arange(segments), length)
        return Positions(of, kind, place, self.uniform)

    def _few(self) -> bool:
        """Whether all different segments together have few rows."""
        example = np.unique(self.lists.content, return_index=True)[1]
        of_cell = self.lists.segment[self.lists.cell[:-1]]
        rows = np.bincount(of_cell, np.diff(self.lists.cell), len(self.lists.content))
        return bool(rows[example].sum() <= MAX_ROWS_APART)

    def _merged(
        self, content: int, cells: Ints, said: NDArray[np.uint64]
    ) -> dict[str, MergedSegment]:
        """Merge the ranks' calls of a segment; equal segments once."""
        if content not in self.solved:
            self.report(MERGING, 0.0)
            self.solved[content] = merge_segment(
                self.rows, self.lists, self.keys, cells, said
            )
        return self.solved[content]
