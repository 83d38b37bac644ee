"""A row of nodes with some of its loops written out, or put together otherwise."""

from collections import Counter
from collections.abc import Iterator

import numba
import numpy as np

from topoview.logical.loops.compress import put_in
from topoview.logical.loops.nodes import Kind, Nodes, Row
from topoview.model import Ints

LONGEST = 20_000
"""Nodes of the longest row, for a program of few lines."""

LONGER = 50
"""Nodes of the longest row for each line of the program, for one of many."""

BODIES = 3
"""Bodies of which stretches are made one loop, for each depth."""


def levels(nodes: Nodes, body: Row) -> Iterator[tuple[Ints, Ints]]:
    """Take a row as it is, its loops broken up, and its loops written out.

    The deepest loops are written out first.

    Yields
    ------
    row, origin : int64, shape (n,)
        Nodes, and which node of the given row each of them is from.
    """
    longest = max(LONGEST, LONGER * nodes.lines_of(body))
    row = np.array(body, np.int64)
    origin = np.arange(len(row))
    while len(row) <= longest:
        yield row, origin
        distinct = _distinct(row)
        yield from _broken(nodes, row, origin, distinct, longest)
        depth = max(_depth(nodes, node) for node in distinct)
        if not depth:
            return
        deep = [node for node in distinct if _depth(nodes, node) == depth]
        parts = {node: nodes.keys[node] for node in deep}
        width = np.ones(max(distinct) + 1, np.int64)
        for node, (_, value, within) in parts.items():
            width[node] = value[0] * len(within)
        if width[row].sum() > longest:
            return
        runs: Counter[Row] = Counter()
        times = np.bincount(row)
        for node, (_, value, within) in parts.items():
            runs[within] += value[0] * int(times[node])
        row, origin = (
            put_in(
                row,
                {node: value[0] * within for node, (_, value, within) in parts.items()},
            ),
            np.repeat(origin, width[row]),
        )
        for within, _ in runs.most_common(BODIES):
            yield _collected(nodes, row, origin, within)


def _distinct(row: Ints) -> list[int]:
    found: list[int] = np.flatnonzero(np.bincount(row)).tolist()
    return found


def _depth(nodes: Nodes, node: int) -> int:
    kind, _, body = nodes.keys[node]
    if kind is not Kind.LOOP:
        return 0
    return 1 + max(_depth(nodes, inner) for inner in body)


def _broken(
    nodes: Nodes, row: Ints, origin: Ints, distinct: list[int], longest: int
) -> Iterator[tuple[Ints, Ints]]:
    """Break loops with one body but different counts up into equal shares."""
    counts: dict[Row, dict[int, int]] = {}
    for node in distinct:
        kind, value, body = nodes.keys[node]
        if kind is Kind.LOOP:
            counts.setdefault(body, {})[node] = value[0]
    units: dict[int, Row] = {}
    for body, of in counts.items():
        if len(of) > 1:
            share = int(np.gcd.reduce(list(of.values())))
            unit = body if share == 1 else (nodes.add(Kind.LOOP, (share,), body),)
            units.update({node: count // share * unit for node, count in of.items()})
    width = np.ones(max(distinct) + 1, np.int64)
    for node, unit in units.items():
        width[node] = len(unit)
    if units and width[row].sum() <= longest:
        yield put_in(row, units), np.repeat(origin, width[row])


def _collected(nodes: Nodes, row: Ints, origin: Ints, body: Row) -> tuple[Ints, Ints]:
    """Make each stretch of a body one loop, also of one trip."""
    first, count = _stretches(row, np.array(body, np.int64))
    kept = row[first]
    for times in np.unique(count[count > 0]).tolist():
        kept[count == times] = nodes.add(Kind.LOOP, (times,), body)
    return kept, origin[first]


@numba.njit(nogil=True, cache=True)
def _stretches(row: Ints, body: Ints) -> tuple[Ints, Ints]:
    """Where each node or stretch begins, and how often the body runs there or 0."""
    first, count = np.empty(len(row), np.int64), np.zeros(len(row), np.int64)
    found, at = 0, 0
    while at < len(row):
        first[found] = at
        while at + len(body) <= len(row):
            k = 0
            while k < len(body) and row[at + k] == body[k]:
                k += 1
            if k < len(body):
                break
            count[found] += 1
            at += len(body)
        if not count[found]:
            at += 1
        found += 1
    return first[:found], count[:found]
