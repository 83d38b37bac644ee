"""Loops that differ in their trip counts only, as one with a table of counts."""

from dataclasses import dataclass, field

import numpy as np

from topoview.logical.loops.compress import compress
from topoview.logical.loops.nodes import Key, Kind, Nodes, Row
from topoview.model import Ints


@dataclass(slots=True)
class Shapes:
    """Shapes of nodes: those of one shape differ in trip counts only."""

    nodes: Nodes
    known: dict[int, int] = field(default_factory=dict)
    numbered: dict[Key, int] = field(default_factory=dict)

    def of(self, node: int) -> int:
        """Look the number of a node's shape up."""
        if node not in self.known:
            kind, value, body = self.nodes.keys[node]
            if kind is Kind.LOOP:
                value = ()
            key = (kind, value, tuple(self.of(inner) for inner in body))
            self.known[node] = self.numbered.setdefault(key, len(self.numbered))
        return self.known[node]


def unified(nodes: Nodes, run: Ints) -> int:
    """Make nodes of one shape one node.

    Parameters
    ----------
    run : int64, shape (n,)
        Nodes in the order in which they run at the place of the new one.
    """
    if (run == run[0]).all():
        return int(run[0])
    distinct, which = np.unique(run, return_inverse=True)
    keys = [nodes.keys[node] for node in distinct.tolist()]
    kind, value, first = keys[0]
    counts = np.ones(len(run), np.int64)
    if kind is Kind.LOOP:
        counts = np.array([key[1][0] for key in keys], np.int64)[which]
    bodies = np.array([key[2] for key in keys], np.int64)[which]
    body = tuple(
        unified(nodes, np.repeat(bodies[:, place], counts))
        for place in range(len(first))
    )
    if kind is Kind.LOOP and (counts != counts[0]).any():
        nodes.trips.append(counts)
        return nodes.add(Kind.TRIPS, (len(nodes.trips) - 1,), body)
    return nodes.add(kind, value if kind is not Kind.LOOP else (int(counts[0]),), body)


def plain(nodes: Nodes, row: Row) -> Row:
    """Write loops of one trip as their body."""
    done: list[int] = []
    for node in row:
        kind, value, body = nodes.keys[node]
        done += body if kind is Kind.LOOP and value[0] == 1 else (node,)
    return tuple(done)


def refolded(nodes: Nodes, row: Row) -> Row:
    """Find the loops of a row of nodes."""
    row = plain(nodes, row)
    if len(row) < 2:
        return row
    distinct, dense = np.unique(np.array(row, np.int64), return_inverse=True)
    tokens, written = compress(dense)
    known: dict[int, int] = {}

    def node(token: int) -> int:
        if token < tokens.symbols:
            return int(distinct[token])
        if token not in known:
            count, body = tokens.loops[token - tokens.symbols]
            within = tuple(node(inner) for inner in body)
            known[token] = nodes.add(Kind.LOOP, (count,), within)
        return known[token]

    return tuple(node(token) for token in written)
