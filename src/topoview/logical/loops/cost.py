"""What a program takes to be written down, in bits: its lines and its tables.

The shortest description is the best one (minimum description length: Rissanen 1978).
"""

import numpy as np

from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.logical.loops.tree import Tree
from topoview.model import Bools, Ints

LINE = 40.0
"""Bits of a line of the listing."""

TABLE_HEAD = 80.0
"""Bits of a table of turns, beside what it holds."""

RULE = 20.0
"""Bits of a table that a word tells: every tenth, all but the last."""

HIDDEN = 4.0
"""How much dearer a bit of a table is than one of the text, where both tell the same:
nobody reads it."""


def table_bits(table: Ints | Bools) -> float:
    """Weigh a table by what its entries tell (Shannon 1948), to its shortest cycle."""
    own = table.astype(np.int64)
    own = own[: cycle_length(own)]
    counts = np.unique(own, return_counts=True)[1]
    if len(counts) == 2 and counts.min() == 1:  # every n-th, all but the last
        return RULE + float(np.log2(len(own)))
    share = counts / len(own)
    return TABLE_HEAD - HIDDEN * len(own) * float(np.sum(share * np.log2(share)))


def tree_bits(tree: Tree) -> float:
    """Weigh a program: its lines, and its tables of trips and patterns."""
    tables: list[Ints | Bools] = [*tree.trips, *tree.patterns, *tree.rank_trips]
    return LINE * tree.lines() + sum(map(table_bits, tables))
