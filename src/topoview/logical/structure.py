"""From a sequence of symbols to a program: loops, numbers, parts, blocks."""

import gc
from collections.abc import Sequence

import numpy as np

from topoview.logical.blocks import name_blocks
from topoview.logical.loops.compress import compress
from topoview.logical.loops.nodes import Nodes
from topoview.logical.loops.numbers import Numbers, fold_numbers
from topoview.logical.loops.sizes import Sizes, fold_sizes
from topoview.logical.loops.tree import Tree
from topoview.logical.loops.variation import fold_variation, fold_visits
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
    visits: Sequence[Ints] = (),
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
    visits
        For some functions the places in the sequence at which they are entered: each
        may be a turn of a loop.

    Raises
    ------
    Cancelled
        From `report`.
    """
    if len(sequence) < MANY:
        return _found(sequence, numbers, sizes, visits, report)
    collects = gc.isenabled()
    gc.disable()  # nothing here is garbage; looking for it takes half of the time
    try:
        return _found(sequence, numbers, sizes, visits, report)
    finally:
        if collects:
            gc.enable()


def _found(
    sequence: Ints,
    numbers: Numbers | None,
    sizes: Sizes | None,
    visits: Sequence[Ints],
    report: Report,
) -> Tree:
    tokens, written = compress(sequence, report)
    nodes = Nodes()
    body = nodes.written(tokens, written)
    if numbers is not None:
        body = fold_numbers(nodes, body, numbers)
    if sizes is not None:
        body = fold_sizes(nodes, body, sizes)
    shortest = nodes.tree(*name_blocks(nodes, body, report), whole=tokens.whole)
    others = [fold_variation(nodes, body, report)]
    if visits:
        others.append(fold_visits(nodes, body, visits, report))
    for varied in others:
        if varied == body:
            continue
        tree = nodes.tree(*name_blocks(nodes, varied, report), whole=tokens.whole)
        shorter = tree.lines() < shortest.lines()
        if shorter and tree.leaves <= shortest.leaves:
            shortest = tree
    assert np.array_equal(shortest.expand()[:, 1], sequence)
    return shortest
