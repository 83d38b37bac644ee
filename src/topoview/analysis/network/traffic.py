"""Messages and, on request, collective operations on the links of a network."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.network import routing
from topoview.grouping import run_begins
from topoview.model import (
    Bools,
    CommunicationMatrix,
    Floats,
    Ints,
    LinkLoads,
    Network,
    Placement,
    Trace,
)
from topoview.model.trace import COLLECTIVE_OPERATIONS
from topoview.topology.matrix import matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

COLLECTIVE_ALGORITHMS: Final = {
    "Bcast": "binomial tree from the root",
    "Scatter": "the root sends each its part",
    "Gather": "each sends its part to the root",
    "Reduce": "binomial tree to the root",
    "Allreduce": "ring: reduce-scatter, then allgather",
    "Allgather": "ring",
    "Alltoall": "each sends to each",
    "Reduce_scatter": "ring",
    "Scan": "chain",
    "Exscan": "chain",
}
"""What collective operations are taken to do. Libraries choose between several ways, by
size and by network: this is a model."""

SHORT_ALGORITHMS: Final = {
    "Allreduce": "recursive doubling",
    "Allgather": "recursive doubling",
    "Reduce_scatter": "recursive halving",
}
"""What operations with little data are taken to do: few steps count more than few bytes
then (R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
operations in MPICH", 2005)."""

SHORT_BYTES: Final = 10_000
"""Bytes of all ranks' data, gathered or reduced, up to which an operation has little:
Open MPI's bound for Allreduce."""

MAX_COLLECTIVE_PAIRS: Final = 50_000_000
"""Pairs of an all-to-all among all ranks, above which it is not modelled."""


def link_loads(
    matrix: "CommunicationMatrix | csr_array", network: Network, placement: Placement
) -> LinkLoads:
    """Put the bytes between pairs of ranks on the links of a network.

    Congestion and adaptive routing are not modelled.

    Parameters
    ----------
    matrix
        Bytes between ranks: of the run, or of a part of it. Either a matrix of the
        trace, or int64, shape (ranks, ranks).
    network, placement
        What they go over, and where ranks are.
    """
    if isinstance(matrix, CommunicationMatrix):
        one, other, amount = matrix.sender, matrix.receiver, matrix.sizes
    else:
        pairs = matrix.tocoo()
        (one, other), amount = pairs.coords, pairs.data
    sender, receiver = (np.asarray(ends, np.int64) for ends in (one, other))
    source, target, size = node_pairs(placement, sender, receiver, amount)
    there = (source >= 0) & (target >= 0)
    every = int(amount.sum())
    source, target, size = source[there], target[there], size[there]
    if network.kind == "graph":
        joined = routing.distances(network, source, target) != routing.NO_ROUTE
        source, target, size = source[joined], target[joined], size[joined]
    loads = routing.loads(network, source, target, size)
    total = int(size.sum())
    away = np.where(source != target, size, 0)
    return LinkLoads(
        network=network,
        placement=placement,
        bytes=loads,
        total_bytes=total,
        between_nodes=int(away.sum()),
        hop_bytes=float(loads.sum()),
        sent=np.bincount(source, away, network.nodes).astype(np.float64),
        unplaced_bytes=every - total,
    )


def node_pairs(
    placement: Placement, sender: Ints, receiver: Ints, size: Ints
) -> tuple[Ints, Ints, Ints]:
    """Add up pairs of ranks by pairs of nodes: nodes, nodes, bytes; int64 each."""
    node = placement.node.astype(np.int64)
    source, target = node[sender], node[receiver]
    count = int(node.max(initial=0)) + 2
    key = (source + 1) * count + target + 1
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = run_begins(key)
    if not len(first):
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    size = np.add.reduceat(np.asarray(size, np.int64)[order], first)
    return key[first] // count - 1, key[first] % count - 1, size


def collective_matrix(
    trace: Trace, window: tuple[int, int] | None = None, chosen: Bools | None = None
) -> tuple[CommunicationMatrix, tuple[str, ...]]:
    """Model the messages that collective operations are made of.

    Each part that a rank took sends what `COLLECTIVE_ALGORITHMS` says of its
    operation. Operations without data, such as barriers, send nothing.

    Parameters
    ----------
    window
        Begin and end in ticks; calls that begin within it count.
    chosen : bool, shape (calls,)
        Calls that count; all if None.

    Returns
    -------
    CommunicationMatrix
        Messages and bytes that each rank sends to each.
    operations
        What was modelled and how, a sentence each.
    """
    parts, ranks = trace.collectives, trace.ranks
    rank = np.searchsorted(trace.calls.offsets, parts.call, "right") - 1
    counted = (parts.communicator >= 0) & (rank < ranks) & (parts.sent >= 0)
    if window is not None:
        begin = trace.calls.enter[parts.call]
        counted &= (begin >= window[0]) & (begin < window[1])
    if chosen is not None:
        counted &= chosen[parts.call]
    part = np.flatnonzero(counted)
    given, short = _given(trace, part)
    columns = short, parts.communicator[part], parts.operation[part], parts.root[part]
    operations: dict[str, None] = {}
    made: list[tuple[Ints, Ints, Ints, Floats]] = []
    for run in _runs(np.lexsort(columns), *columns):
        own, few = part[run], bool(short[run[0]])
        name = COLLECTIVE_OPERATIONS[parts.operation[own[0]]]
        kind = _kind(name)
        communicator = trace.communicators[int(parts.communicator[own[0]])]
        members = communicator.ranks.astype(np.int64)
        if not kind or len(members) < 2 or (members < 0).any():
            continue
        if kind == "Alltoall" and len(members) ** 2 > MAX_COLLECTIVE_PAIRS:
            operations[f"{name} of {len(members)} ranks is left out: too many"] = None
            continue
        sent, received = (
            np.bincount(rank[own], column, ranks)[members].astype(np.float64)
            for column in (given[run], parts.received[own].clip(0))
        )
        at = np.flatnonzero(members == parts.root[own[0]])
        first = int(at[0]) if len(at) else 0
        if few:
            one, other, amount = _modelled_short(kind, members, sent)
            steps, how = 1, SHORT_ALGORITHMS[kind]
        else:
            one, other, amount = _modelled(kind, members, first, sent, received)
            steps, how = _steps(kind, len(members)), COLLECTIVE_ALGORITHMS[kind]
        each_sends = int(np.bincount(rank[own]).max()) * steps
        made.append((one, other, np.full(len(one), each_sends), amount))
        side = f" {'up to' if few else 'above'} {SHORT_BYTES} B"
        operations[f"{name}{side * (kind in SHORT_ALGORITHMS)}: {how}"] = None
    if not made:
        nothing = np.zeros(0, np.int64)
        return matrix_of(ranks, nothing, nothing, nothing, nothing), tuple(operations)
    one, other, count, amount = (
        np.concatenate(column) for column in zip(*made, strict=True)
    )
    volume = np.rint(amount).astype(np.int64)
    return matrix_of(ranks, one, other, count, volume), tuple(operations)


def _steps(kind: str, size: int) -> int:
    """Messages that a rank sends to one partner in an operation of so many ranks."""
    return {
        "Allreduce": 2 * (size - 1),
        "Allgather": size - 1,
        "Reduce_scatter": size - 1,
    }.get(kind, 1)


_BY_LENGTH: Final = sorted(COLLECTIVE_ALGORITHMS, key=len, reverse=True)


def _kind(name: str) -> str:
    """Key of `COLLECTIVE_ALGORITHMS` of an operation, such as ``Alltoallv``."""
    return next((kind for kind in _BY_LENGTH if name.startswith(kind)), "")


def _given(trace: Trace, part: Ints) -> tuple[Floats, Bools]:
    """Bytes that parts in operations give one partner, and which have little data.

    Both of shape (len(part),). An operation gathers as much from each member; what it
    reduces is as large as what each gives.
    """
    code = trace.collectives.operation[part]
    kinds = [_kind(name) for name in COLLECTIVE_OPERATIONS]
    size = trace.communicator_sizes[trace.collectives.communicator[part]]
    shared = np.array([kind == "Alltoall" for kind in kinds])[code]
    given = trace.collectives.sent[part] / np.where(shared, size, 1)
    gathers = np.array([kind == "Allgather" for kind in kinds])[code]
    short = np.array([kind in SHORT_ALGORITHMS for kind in kinds])[code]
    short &= given * np.where(gathers, size, 1) <= SHORT_BYTES
    return given, short


def _runs(order: Ints, *columns: NDArray[Any]) -> list[Ints]:
    """Cut rows where any column changes."""
    if not len(order):
        return []
    return np.split(order, run_begins(*(column[order] for column in columns))[1:])


def _modelled(
    kind: str, members: Ints, root: int, sent: Floats, received: Floats
) -> tuple[Ints, Ints, Floats]:
    """Sender, receiver and bytes of the messages that an operation is taken to make.

    Parameters
    ----------
    members : int64, shape (size,)
        World ranks.
    root
        Index of the root.
    sent, received : float64, shape (size,)
        Bytes of each member: what it gives one partner, or all of them if that is
        one message.
    """
    size = len(members)
    turned, following = np.roll(members, -root), np.roll(members, -1)
    match kind:
        case "Bcast" | "Reduce":
            child = np.arange(1, size)
            parent = child - (1 << np.floor(np.log2(child)).astype(np.int64))
            if kind == "Bcast":
                return turned[parent], turned[child], np.full(size - 1, received.max())
            return turned[child], turned[parent], np.roll(sent, -root)[1:]
        case "Scatter":
            return np.repeat(turned[:1], size - 1), turned[1:], _others(received, root)
        case "Gather":
            return turned[1:], np.repeat(turned[:1], size - 1), _others(sent, root)
        case "Allreduce":
            return members, following, 2 * sent * (size - 1) / size
        case "Allgather":
            return members, following, np.full(size, sent.sum() * (size - 1) / size)
        case "Reduce_scatter":
            return members, following, sent * (size - 1) / size
        case "Scan" | "Exscan":
            return members[:-1], members[1:], sent[:-1]
        case _:
            one, other = (part.ravel() for part in np.indices((size, size)))
            one, other = one[one != other], other[one != other]
            return members[one], members[other], sent[one]


def _modelled_short(
    kind: str, members: Ints, sent: Floats
) -> tuple[Ints, Ints, Floats]:
    """Model an operation with little data, as `SHORT_ALGORITHMS` says."""
    block = sent if kind == "Allgather" else sent / len(members)
    one, other, amount = _doubled(block)
    if kind == "Allreduce":
        amount = sent[one]
    elif kind == "Reduce_scatter":  # the same in reverse
        one, other = other, one
    return members[one], members[other], amount


def _doubled(block: Floats) -> tuple[Ints, Ints, Floats]:
    """Gather blocks of members by recursive doubling: sender, receiver, bytes.

    In each step members twice as far apart exchange all that they hold. Those that
    are too many for a power of two give theirs to the next one first, and get the
    result in the end. Messages are in order of steps.
    """
    size = len(block)
    core = 1 << (size.bit_length() - 1)
    even = np.arange(0, 2 * (size - core), 2)
    inner = np.concatenate([even + 1, np.arange(2 * len(even), size)])
    held = block.copy()
    held[even + 1] += block[even]
    held = held[inner]
    steps = [(even, even + 1, block[even])]
    for bit in range(core.bit_length() - 1):
        partner = np.arange(core) ^ 1 << bit
        steps.append((inner, inner[partner], held))
        held = held + held[partner]
    steps.append((even + 1, even, np.full(len(even), block.sum())))
    one, other, amount = (np.concatenate(ends) for ends in zip(*steps, strict=True))
    return one, other, amount


def _others(values: Floats, root: int) -> Floats:
    return np.roll(values, -root)[1:]
