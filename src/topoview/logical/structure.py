"""From a sequence of symbols to a program: loops, numbers, parts, blocks."""

import gc

import numpy as np

from topoview.logical.blocks import name_blocks
from topoview.logical.loops.compress import compress
from topoview.logical.loops.nodes import Nodes
from topoview.logical.loops.numbers import Numbers, fold_numbers
from topoview.logical.loops.sizes import Sizes, fold_sizes
from topoview.logical.loops.tree import Tree
from topoview.logical.loops.variation import fold_variation
from topoview.model import Ints
from topoview.progress import Report, silent

MANY = 100_000
"""Symbols of a sequence that may make so many statements that garbage is not sought."""


def structure(
    sequence: Ints,
    numbers: Numbers | None = None,
    report: Report = silent,
    *,
    sizes: Sizes | None = None,
) -> Tree:
    """Write a sequence as a short program that gives just this sequence.

    Parameters
    ----------
    sequence : int64, shape (n,)
        Symbols, not negative.
    numbers
        Numbers in the symbols that loops may go over.
    sizes
        Sizes in the symbols that may grow from turn to turn.

    Raises
    ------
    Cancelled
        From `report`.
    """
    if len(sequence) < MANY:
        return _found(sequence, numbers, sizes, report)
    collects = gc.isenabled()
    gc.disable()  # nothing here is garbage; looking for it takes half of the time
    try:
        return _found(sequence, numbers, sizes, report)
    finally:
        if collects:
            gc.enable()


def _found(
    sequence: Ints, numbers: Numbers | None, sizes: Sizes | None, report: Report
) -> Tree:
    tokens, written = compress(sequence, report)
    nodes = Nodes()
    body = nodes.written(tokens, written)
    if numbers is not None:
        body = fold_numbers(nodes, body, numbers)
    if sizes is not None:
        body = fold_sizes(nodes, body, sizes)
    shortest = nodes.tree(*name_blocks(nodes, body, report), whole=tokens.whole)
    varied = fold_variation(nodes, body, report)
    if varied != body:
        tree = nodes.tree(*name_blocks(nodes, varied, report), whole=tokens.whole)
        shorter = tree.lines() < shortest.lines()
        if shorter and tree.leaves <= shortest.leaves:
            shortest = tree
    assert np.array_equal(shortest.expand()[:, 1], sequence)
    return shortest
