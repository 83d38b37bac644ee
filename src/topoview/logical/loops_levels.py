"""A row of nodes with some of its loops written out, or put together otherwise."""

from collections import Counter

import numpy as np

from topoview.logical.loops_nodes import Kind, Nodes, Row
from topoview.model import Ints

LONGEST = 100_000
"""Nodes of the longest row."""


def levels(nodes: Nodes, row: Row) -> list[tuple[Row, Ints]]:
    """Take the row as it is, its loops broken up, and its loops written out.

    The deepest loops are written out first. Beside each level stands which
    node of the row each of its nodes is from.
    """
    levels: list[tuple[Row, Ints]] = []
    origin = np.arange(len(row))
    while len(row) <= LONGEST:
        levels.append((row, origin))
        broken = _broken(nodes, row)
        if len(broken[0]) <= LONGEST and broken[0] != row:
            levels.append((broken[0], origin[broken[1]]))
        depth = max(_depth(nodes, node) for node in row)
        if not depth:
            break
        width = [_width(nodes, node, depth) for node in row]
        if sum(width) > LONGEST:
            break
        bodies = _often(nodes, row, depth)
        row = tuple(i for node in row for i in _written_out(nodes, node, depth))
        origin = np.repeat(origin, width)
        for body in bodies:
            collected, first = _collected(nodes, row, body)
            levels.append((collected, origin[first]))
    return levels


def _often(nodes: Nodes, row: Row, depth: int) -> list[Row]:
    """Bodies of the loops of a depth, those that run most often first."""
    runs: Counter[Row] = Counter()
    for node in row:
        if _depth(nodes, node) == depth:
            _, value, body = nodes.keys[node]
            runs[body] += value[0]
    return [body for body, _ in runs.most_common(3)]


def _collected(nodes: Nodes, row: Row, body: Row) -> tuple[Row, Ints]:
    """Make each stretch of a body one loop, also of one trip.

    Returns
    -------
    The row, and at which node of the given one each of its nodes begins.
    """
    collected: list[int] = []
    first: list[int] = []
    at = 0
    while at < len(row):
        first.append(at)
        count = 0
        while row[at : at + len(body)] == body:
            count += 1
            at += len(body)
        if count:
            collected.append(nodes.add(Kind.LOOP, (count,), body))
        else:
            collected.append(row[at])
            at += 1
    return tuple(collected), np.array(first, np.int64)


def _depth(nodes: Nodes, node: int) -> int:
    kind, _, body = nodes.keys[node]
    if kind is not Kind.LOOP:
        return 0
    return 1 + max(_depth(nodes, inner) for inner in body)


def _width(nodes: Nodes, node: int, depth: int) -> int:
    _, value, body = nodes.keys[node]
    return value[0] * len(body) if _depth(nodes, node) == depth else 1


def _written_out(nodes: Nodes, node: int, depth: int) -> Row:
    _, value, body = nodes.keys[node]
    return value[0] * body if _depth(nodes, node) == depth else (node,)


def _broken(nodes: Nodes, row: Row) -> tuple[Row, Ints]:
    """Break loops with one body but different counts up into equal shares.

    Returns
    -------
    The row, and which node of the given one each of its nodes is from.
    """
    counts: dict[Row, set[int]] = {}
    for node in set(row):
        kind, value, body = nodes.keys[node]
        if kind is Kind.LOOP:
            counts.setdefault(body, set()).add(value[0])
    broken: list[int] = []
    width: list[int] = []
    for node in row:
        kind, value, body = nodes.keys[node]
        units: Row = (node,)
        if kind is Kind.LOOP and len(counts[body]) > 1:
            share = int(np.gcd.reduce(list(counts[body])))
            unit = body if share == 1 else (nodes.add(kind, (share,), body),)
            units = value[0] // share * unit
        broken += units
        width.append(len(units))
    return tuple(broken), np.repeat(np.arange(len(row)), width)
