"""Communicators as a tree: each below the smallest that holds all of its members."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import mark, tr
from topoview.grouping import begins_run
from topoview.live.colourings.run import smallest_communicators
from topoview.live.tables.parts.parts import COMMUNICATORS, communicator_table
from topoview.model import AXES, Analysis, Ints, Match, Table, distinct, words

WHOLE: Final = mark("all ranks")
SINGLE: Final = mark("single rank")
UNNAMED: Final = "MPI_COMM"
"""What names begin with that the tracer gave."""


@dataclass(frozen=True, slots=True)
class CommunicatorNode:
    """A communicator, or several alike below the same one."""

    number: int
    """Index into the trace's communicators; -1: several."""
    name: str
    """What it is called: ``row 2``, ``6 rows``."""
    shape: str
    """Its members in the topology's words: ``y 1`` or ``2D grid 4x2``; may be empty."""
    members: int
    """Ranks; of several those of all together."""
    operations: int
    messages: int
    bytes: int
    """`operations`, `messages` and `bytes`: collective operations, and messages sent
    point-to-point."""
    seconds: float
    """Of all members in collective operations."""
    spread: float
    spread_most: float
    """`spread` and `spread_most`: from the first arrival to the last: mean and most, in
    seconds; NaN where there is no operation, or clocks are not aligned."""
    colour: int = -1
    """Number of its colour where ranks are coloured by communicator; -1: none."""
    nodes: tuple["CommunicatorNode", ...] = ()
    """What is below it."""


def parents_of(members: list[Ints], ranks: int) -> Ints:
    """Find for each communicator the smallest other one that holds all its members.

    Of several with the same members the first holds the others.

    Parameters
    ----------
    members
        Ranks of each, without those that the trace does not hold.

    Returns
    -------
    int64, shape (communicators,)
        -1 for those that lie in no other.
    """
    from scipy.sparse import csr_array  # takes long to import

    count = len(members)
    sizes = np.array([len(each) for each in members], np.int64)
    if not count:
        return sizes
    row = np.repeat(np.arange(count), sizes)
    column = np.concatenate(members)
    matrix = csr_array(
        (np.ones(len(row), np.int64), (row, column)), shape=(count, ranks)
    )
    shared = (matrix @ matrix.T).tocoo()
    one, other = (each.astype(np.int64) for each in shared.coords)
    inside = (shared.data == sizes[one]) & (sizes[one] > 0)
    inside &= (sizes[other] > sizes[one]) | (
        (sizes[other] == sizes[one]) & (other < one)
    )
    one, other = one[inside], other[inside]
    order = np.lexsort((other, sizes[other], one))
    first = begins_run(one[order])
    result = np.full(count, -1, np.int64)
    result[one[order][first]] = other[order][first]
    return result


def shape_words(match: Match | None, ranks: Ints) -> tuple[str, str]:
    """Return the shape of ranks in a lattice: kind and place, like ``row`` and ``y 1``.

    Parameters
    ----------
    ranks
        Members, each a rank of the world.

    Returns
    -------
    tuple of str
        Kind: ``row``, ``column``, ``plane``, ``line``, ``block``, `SINGLE`, `WHOLE`, or
        empty where they are nothing of that kind; and where it is.
    """
    if match is None or not len(ranks) or not match.topology.is_lattice:
        return "", ""
    places = match.coordinates
    dims = match.topology.dims
    if places.shape[1] != len(dims) or (match.vertex[ranks] < 0).any():
        return "", ""
    own = places[ranks]
    low, high = own.min(axis=0), own.max(axis=0)
    extent = high - low + 1
    if len(distinct(own @ np.cumprod((1, *dims[:-1])))) != extent.prod():
        return "", ""
    wide = np.flatnonzero(extent > 1).tolist()
    fixed = [k for k in range(len(dims)) if extent[k] == 1 and dims[k] > 1]
    at = ", ".join(f"{AXES[k]} {low[k]}" for k in fixed)
    if len(ranks) == 1:
        return SINGLE, at
    if any(extent[k] != dims[k] for k in wide):
        parts = (f"{AXES[k]} {low[k]}-{high[k]}" for k in wide if extent[k] != dims[k])
        return "block", ", ".join(filter(None, (*parts, at)))
    if not fixed:
        return WHOLE, ""
    if len(wide) == 1:
        kinds = ("row", "column") if len(dims) == 2 else ()
        return (kinds[wide[0]] if kinds else f"line along {AXES[wide[0]]}"), at
    return ("plane" if len(wide) == 2 else "block"), at


def communicator_tree(
    analysis: Analysis, match: Match | None, window: tuple[int, int] | None = None
) -> tuple[CommunicatorNode, ...]:
    """Build the tree of a trace's communicators.

    Parameters
    ----------
    match
        The topology in whose words members are told.
    window
        As for `communicator_table`.
    """
    trace = analysis.trace
    communicators = trace.communicators
    members = [c.ranks[c.ranks >= 0].astype(np.int64) for c in communicators]
    parents = parents_of(members, trace.ranks)
    table = communicator_table(analysis, window)
    rows = {row["communicator"]: row for row in table}
    colours = smallest_communicators(trace)
    colours = distinct(colours[colours >= 0])
    below: dict[int, list[int]] = defaultdict(list)
    for number, parent in enumerate(parents.tolist()):
        if len(members[number]):
            below[parent].append(number)

    def node(number: int) -> tuple[str, CommunicatorNode]:
        kind, at = shape_words(match, members[number])
        row, colour = rows.get(number, {}), -1
        place = int(np.searchsorted(colours, number))
        if place < len(colours) and colours[place] == number:
            colour = place
        name = row.get("name") or communicators[number].name
        operations = row.get("operations", 0)
        made = CommunicatorNode(
            number=number,
            name=name or f"communicator {number}",
            shape=" ".join(filter(None, (kind, at))) or row.get("topology", ""),
            members=len(members[number]),
            operations=operations,
            messages=row.get("messages", 0),
            bytes=row.get("bytes", 0),
            seconds=row.get("seconds", 0.0),
            spread=_known(row.get("spread"), operations),
            spread_most=_known(row.get("spread_most"), operations),
            colour=colour,
            nodes=gather(below[number]),
        )
        if not kind and name[-1:].isdigit():
            stem = name.rstrip("0123456789").rstrip(" _-")
            stem = "communicator" if stem.startswith(UNNAMED) else stem
            kind = f"{stem} of {made.members}"
        return kind if kind != WHOLE else "", made

    def gather(numbers: list[int]) -> tuple[CommunicatorNode, ...]:
        alike: dict[str, list[CommunicatorNode]] = defaultdict(list)
        for number in numbers:
            kind, made = node(number)
            alike[kind].append(made)
        siblings: list[CommunicatorNode] = []
        for kind, nodes in alike.items():
            several = len(nodes) > 1 and bool(kind)
            siblings += [_several(kind, nodes)] if several else nodes
        return tuple(sorted(siblings, key=lambda each: -each.seconds))

    return gather(below[-1])


def _known(spread: float | None, operations: int) -> float:
    return spread if spread is not None and operations else np.nan


def _several(kind: str, nodes: list[CommunicatorNode]) -> CommunicatorNode:
    """Sum up communicators of a kind."""
    operations = np.array([each.operations for each in nodes])
    spread = np.nan_to_num([each.spread for each in nodes])
    most = [each.spread_most for each in nodes if not np.isnan(each.spread_most)]
    first, _, rest = (kind, "", "") if kind == SINGLE else kind.partition(" ")
    return CommunicatorNode(
        number=-1,
        name=" ".join(filter(None, (f"{len(nodes)} {first}s", rest))),
        shape="",
        members=sum(each.members for each in nodes),
        operations=int(operations.sum()),
        messages=sum(each.messages for each in nodes),
        bytes=sum(each.bytes for each in nodes),
        seconds=sum(each.seconds for each in nodes),
        spread=float(operations @ spread / operations.sum()) if most else np.nan,
        spread_most=max(most, default=np.nan),
        nodes=tuple(nodes),
    )


def tree_table(nodes: Sequence[CommunicatorNode]) -> Table:
    """Return a tree as a table: a row a node, with how deep it is."""
    rows = list(_walk(nodes))
    flat = [node for _, node in rows]
    numbers = {
        name: np.array([getattr(node, name) for node in flat])
        for name in ("operations", "messages", "bytes", "seconds", "spread")
    }
    return Table(
        COMMUNICATORS,
        {
            "depth": np.array([depth for depth, _ in rows], np.int64),
            "communicator": np.array([node.number for node in flat], np.int64),
            "name": words([node.name for node in flat]),
            "ranks": np.array([node.members for node in flat], np.int64),
            "shape": words([tr(node.shape) for node in flat]),
            **numbers,
            "spread_most": np.array([node.spread_most for node in flat]),
            "colour": np.array([node.colour for node in flat], np.int64),
        },
    )


def _walk(
    nodes: Sequence[CommunicatorNode], depth: int = 0
) -> Iterator[tuple[int, CommunicatorNode]]:
    for node in nodes:
        yield depth, node
        yield from _walk(node.nodes, depth + 1)
