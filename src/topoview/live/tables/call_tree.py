"""The call tree: time by call path, inclusive and exclusive, as a tree of regions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import ARROW, tr
from topoview.live.timeline.call_stack import StackSpans, stack_spans
from topoview.model import Column, Frozen, Ints, Schema, Table, Trace, words

CALL_TREE: Final = Schema(
    Column("function", "", tr("function"), ordered=True),
    Column("visits", "", tr("calls"), tr("How often ranks enter it and spend time")),
    Column(
        "seconds",
        "s",
        tr("inclusive"),
        tr("Time of all ranks, with what is called within"),
        bar=True,
    ),
    Column(
        "own_seconds",
        "s",
        tr("exclusive"),
        tr("Time of all ranks, without what is called within"),
    ),
    Column("share", "share", tr("share"), tr("Share of the time of the ranks")),
    Column("most_rank", "#", tr("most on"), tr("Rank with most time"), link="rank"),
    Column("most_seconds", "s", tr("most"), tr("Its inclusive time")),
    Column("depth", "#", tr("depth"), tr("How many functions are around it")),
    Column("path", "", tr("call path"), tr("Functions from the outermost to this one")),
)


@dataclass(frozen=True, slots=True, eq=False)
class CallTree(Frozen):
    """Functions below their callers, and the time of each rank in them."""

    table: Table
    """Of `CALL_TREE`: a function stands before what it calls, of that what takes most
    time first."""
    row: Ints
    rank: Ints
    visits: Ints
    ticks: Ints
    """`row`, `rank`, `visits` and `ticks`: int64, shape (n,): for each row of the table
    and each rank that is in it how often, and how long with all that it calls."""

    def of_row(self, row: int, ranks: Ints) -> tuple[Ints, Ints]:
        """Return ticks and visits of some ranks, ascending, in a row."""
        own = self.row == row
        place = np.searchsorted(ranks, self.rank[own])
        result = np.zeros((2, len(ranks)), np.int64)
        result[:, place] = self.ticks[own], self.visits[own]
        return result[0], result[1]


def call_tree(
    trace: Trace, ranks: tuple[int, ...] = (), window: tuple[int, int] | None = None
) -> CallTree:
    """Find the functions that main threads call, each below its caller.

    Parameters
    ----------
    ranks
        Only calls of these; empty: of all.
    window
        Begin and end in ticks: calls count as far as they are in it. None: the run.

    """
    window = window or (trace.clock.begin, max(trace.clock.length, 1))
    some = np.array(ranks or range(trace.ranks), np.int64)
    nodes: dict[tuple[int, int], int] = {}
    node, rank, visits, ticks = _visits(trace, some, window, nodes)
    parent, region = np.array([*nodes], np.int64).reshape(-1, 2).T
    inclusive = np.bincount(node, ticks, len(nodes)).astype(np.int64)
    below = parent >= 0
    within = np.bincount(parent[below], inclusive[below], len(nodes))
    most = np.full(len(nodes), -1)  # the last row of a node has its longest time
    most[node] = np.arange(len(node))
    scale, regions = trace.clock.resolution, trace.regions
    rows, paths, depth = _in_order(parent, region, inclusive, regions.names)
    whole = len(some) * max(window[1] - window[0], 1)
    table = Table(
        CALL_TREE,
        {
            "function": words([regions.title(k) for k in region[rows].tolist()]),
            "visits": np.bincount(node, visits, len(nodes)).astype(np.int64)[rows],
            "seconds": inclusive[rows] / scale,
            "own_seconds": (inclusive - within)[rows] / scale,
            "share": inclusive[rows] / whole,
            "most_rank": rank[most[rows]],
            "most_seconds": ticks[most[rows]] / scale,
            "depth": depth,
            "path": words(paths),
        },
    )
    place = np.empty(len(nodes), np.int64)
    place[rows] = np.arange(len(nodes))
    return CallTree(table, place[node], rank, visits, ticks)


def _visits(
    trace: Trace,
    ranks: Ints,
    window: tuple[int, int],
    nodes: dict[tuple[int, int], int],
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return node, rank, visits and ticks of each rank in each node it visits.

    Rows are in order of ticks, of equal ones the first rank last. A node is a number
    for a parent's node and a region, which `nodes` is given.
    """
    parts = [np.zeros((4, 0), np.int64)]
    for rank in ranks.tolist():
        rows = int(trace.timeline.offsets[rank + 1] - trace.timeline.offsets[rank])
        spans = stack_spans(trace, rank, window, rows)
        assert spans is not None  # no row has more intervals than it has
        visited, place = np.unique(_nodes_of(spans, nodes), return_inverse=True)
        spent = np.bincount(place, spans.end - spans.begin, len(visited))
        parts.append(
            np.array(
                [
                    visited,
                    np.full(len(visited), rank),
                    np.bincount(place, minlength=len(visited)),
                    spent,
                ],
                np.int64,
            )
        )
    node, rank, visits, ticks = np.concatenate(parts, axis=1)
    order = np.lexsort((-rank, ticks))
    return node[order], rank[order], visits[order], ticks[order]


def _nodes_of(spans: StackSpans, nodes: dict[tuple[int, int], int]) -> Ints:
    """Return the node of each span: int64, shape (spans,)."""
    result = np.full(len(spans.region), -1, np.int64)
    callers = np.zeros(0, np.int64)
    for depth in range(int(spans.depth.max(initial=-1)) + 1):
        own = np.flatnonzero(spans.depth == depth)
        parents = np.full(len(own), -1, np.int64)
        if depth:  # spans are in order of ends: the next caller that ends is its own
            parents = result[callers[np.searchsorted(callers, own)]]
        pairs, place = np.unique(
            np.stack([parents, spans.region[own]], axis=1), axis=0, return_inverse=True
        )
        keys = [(int(parent), int(region)) for parent, region in pairs.tolist()]
        numbers = [nodes.setdefault(key, len(nodes)) for key in keys]
        result[own] = np.array(numbers, np.int64)[place.reshape(-1)]
        callers = own
    return result


def _in_order(
    parent: Ints, region: Ints, ticks: Ints, names: Sequence[str]
) -> tuple[Ints, list[str], Ints]:
    """Return nodes, their paths and depths: callers first, then by time."""
    below: dict[int, list[int]] = {}
    for node in np.argsort(ticks, kind="stable").tolist():
        below.setdefault(int(parent[node]), []).append(node)
    rows: list[int] = []
    paths: list[str] = []
    depths: list[int] = []
    left = [(node, "", 0) for node in below.get(-1, [])]
    while left:
        node, around, depth = left.pop()
        path = around + names[int(region[node])]
        rows.append(node)
        paths.append(path)
        depths.append(depth)
        left += [(n, path + ARROW, depth + 1) for n in below.get(node, [])]
    return np.array(rows, np.int64), paths, np.array(depths, np.int64)
