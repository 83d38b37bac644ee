"""Sizes of collective operations mean the same whoever recorded them."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from traces import read_real

from topoview.io.definitions.communicators import Communicators
from topoview.io.repairs.collective_sizes import settle_sizes
from topoview.model import Calls, Collectives, Communicator, Regions, Trace
from topoview.model.trace import COLLECTIVE_OPERATIONS

MEMBERS = (5, 2, 7, 4)
"""World ranks of a communicator; its rank 1 is the root."""
P, ROOT = len(MEMBERS), 1
SHARES = (10, 20, 30, 40)


class Sizes(NamedTuple):
    """Bytes sent and received by each member."""

    sent: list[int]
    received: list[int]


def at_root(size: int) -> list[int]:
    return [size * (rank == ROOT) for rank in range(P)]


def elsewhere(size: int) -> list[int]:
    return [size * (rank != ROOT) for rank in range(P)]


def all_of(size: int) -> list[int]:
    return [size] * P


TO_EACH = [[rank + 1 + 10 * k for k in range(P)] for rank in range(P)]
FROM_EACH = [[k + 1 + 10 * rank for k in range(P)] for rank in range(P)]
SUMS_TO, SUMS_FROM = [sum(row) for row in TO_EACH], [sum(row) for row in FROM_EACH]

BUFFERS = {
    "Bcast": Sizes(at_root(28), elsewhere(28)),
    "Reduce": Sizes(all_of(20), at_root(20)),
    "Allreduce": Sizes(all_of(24), all_of(24)),
    "Gather": Sizes(all_of(11), at_root(44)),
    "Gatherv": Sizes(list(SHARES), at_root(100)),
    "Scatter": Sizes(at_root(52), all_of(13)),
    "Scatterv": Sizes(at_root(100), list(SHARES)),
    "Allgather": Sizes(all_of(17), all_of(68)),
    "Allgatherv": Sizes(list(SHARES), all_of(100)),
    "Alltoall": Sizes(all_of(76), all_of(76)),
    "Alltoallv": Sizes(SUMS_TO, SUMS_FROM),
    "Reduce_scatter": Sizes(all_of(100), list(SHARES)),
    "Reduce_scatter_block": Sizes(all_of(92), all_of(23)),
    "Scan": Sizes(all_of(29), all_of(29)),
    "Exscan": Sizes(all_of(31), [0, 31, 31, 31]),
    "Barrier": Sizes(all_of(0), all_of(0)),
}
"""What a program gives and gets: calls with counts of bytes, and shares as above."""

EZTRACE = {
    "Bcast": Sizes(all_of(28), all_of(28)),
    "Reduce": Sizes(all_of(20), all_of(20)),
    "Allreduce": Sizes(all_of(24), all_of(24)),
    "Gather": Sizes(all_of(11), all_of(11)),
    "Gatherv": Sizes(list(SHARES), all_of(100)),
    "Scatter": Sizes(all_of(13), all_of(13)),
    "Scatterv": Sizes(all_of(100), list(SHARES)),
    "Allgather": Sizes(all_of(17), all_of(17)),
    "Allgatherv": Sizes(list(SHARES), all_of(100)),
    "Alltoall": Sizes(all_of(19), all_of(19)),
    "Alltoallv": Sizes([64, 68, 72, 76], [10, 50, 90, 130]),
    "Reduce_scatter": Sizes(all_of(100), all_of(100)),
    "Barrier": Sizes(all_of(0), all_of(0)),
}
"""What EZTrace 2.0 recorded of such a program in C under Open MPI 4.1: it records
neither scans nor Reduce_scatter_block."""


def score_p(in_place: bool = False) -> dict[str, Sizes]:
    """Work out what Score-P 9 records, member by member.

    Parameters
    ----------
    in_place
        Whether members leave themselves out.
    """
    own = int(not in_place)
    times = [P - 1 + own] * P
    found = {
        "Bcast": Sizes(at_root(28 * P), all_of(28)),
        "Reduce": Sizes(
            [20 * (own or rank != ROOT) for rank in range(P)],
            [20 * times[rank] * (rank == ROOT) for rank in range(P)],
        ),
        "Allreduce": Sizes([24 * n for n in times], [24 * n for n in times]),
        "Scan": Sizes(
            [29 * (P - 1 - rank + own) for rank in range(P)],
            [29 * (rank + own) for rank in range(P)],
        ),
        "Exscan": Sizes(
            [31 * (P - 1 - rank) for rank in range(P)], [31 * k for k in range(P)]
        ),
    }
    if own:
        blocks = [23 * n for n in times]
        found |= {
            "Gather": BUFFERS["Gather"],
            "Gatherv": BUFFERS["Gatherv"],
            "Scatter": BUFFERS["Scatter"],
            "Scatterv": BUFFERS["Scatterv"],
            "Allgather": Sizes(all_of(17 * P), all_of(17 * P)),
            "Allgatherv": Sizes([share * P for share in SHARES], all_of(100)),
            "Alltoall": BUFFERS["Alltoall"],
            "Alltoallv": BUFFERS["Alltoallv"],
            "Reduce_scatter": Sizes(all_of(100), [share * P for share in SHARES]),
            "Reduce_scatter_block": Sizes(blocks, blocks),
            "Barrier": BUFFERS["Barrier"],
        }
    return found


def settled(
    recorded: dict[str, Sizes],
    producer: str,
    remote: tuple[int, ...] = (),
    root: int = MEMBERS[ROOT],
    called: str = "",
) -> dict[str, Sizes]:
    """Read operations of one communicator, each of a call of its own."""
    names, ranks = list(recorded), 1 + max(*MEMBERS, *remote)
    size = len(names)
    offsets = np.concatenate(
        [[0], np.cumsum([size * (rank in MEMBERS) for rank in range(ranks)])]
    )
    parts = sorted(
        (int(offsets[rank]) + place, COLLECTIVE_OPERATIONS.index(name), member)
        for place, name in enumerate(names)
        for member, rank in enumerate(MEMBERS)
    )
    call, code, _ = np.array(parts).T
    column = {
        side: np.array(
            [getattr(recorded[COLLECTIVE_OPERATIONS[c]], side)[m] for _, c, m in parts]
        )
        for side in ("sent", "received")
    }
    every = np.array([*MEMBERS, *remote], np.int32)
    groups = {1: (np.array(MEMBERS, np.int32), np.array(remote, np.int32))}
    table = Collectives(
        call=call,
        communicator=np.ones(len(call), np.int32),
        operation=code.astype(np.uint8),
        root=np.full(len(call), root, np.int32),
        **column,
        completion_call=call,
    )
    operations = tuple(called or name for name in names)
    settle_sizes(
        table,
        Calls(
            offsets,
            np.tile(np.arange(size, dtype=np.int32), P),
            *(np.zeros(size * P, np.int64) for _ in range(3)),
            np.zeros(size * P, np.int32),
            np.zeros(size * P, np.uint8),
        ),
        np.arange(ranks, dtype=np.int32),
        Regions(
            tuple(f"MPI_{name}" for name in operations),
            np.zeros(size, np.uint8),
            np.arange(size, dtype=np.int32),
            operations,
        ),
        Communicators(
            (
                Communicator("all", np.arange(ranks, dtype=np.int32)),
                Communicator("some", every),
            ),
            {0: 0, 1: 1},
            groups if remote else {},
        ),
        producer,
    )
    found: dict[str, Sizes] = {name: Sizes([0] * P, [0] * P) for name in names}
    for (_, code_of, member), sent, received in zip(
        parts, table.sent.tolist(), table.received.tolist(), strict=True
    ):
        name = COLLECTIVE_OPERATIONS[code_of]
        found[name].sent[member], found[name].received[member] = sent, received
    return found


def test_eztrace() -> None:
    expected = {name: BUFFERS[name] for name in EZTRACE}
    expected["Reduce_scatter"] = Sizes(all_of(100), all_of(25))  # mean share
    assert settled(EZTRACE, "EZTrace") == expected


@pytest.mark.parametrize("producer", ["Score-P 8.4", "unknown", "SST/macro"])
def test_score_p(producer: str) -> None:
    assert settled(score_p(), producer) == BUFFERS


def test_in_place() -> None:
    recorded = score_p(in_place=True)
    found = settled(recorded, "Score-P 9.0")
    assert found == {name: BUFFERS[name] for name in recorded}


def test_what_topoview_writes() -> None:
    assert settled(BUFFERS, "topoview 0.1.0") == BUFFERS


def test_whole_words_are_not_taken_for_in_place() -> None:
    """Where both are whole words, the plain reading holds."""
    for size in (4, 8, 16, 72, 1 << 20):
        recorded = {"Allreduce": Sizes(all_of(size * P), all_of(size * P))}
        assert settled(recorded, "Score-P")["Allreduce"].sent == all_of(size)


def test_two_groups() -> None:
    """The root's group gives to each of the other: here to three ranks."""
    recorded = {
        "Bcast": Sizes([28 * 3, 0, 0, 0], all_of(0)),
        "Allreduce": Sizes(all_of(24 * 3), all_of(24 * 3)),
    }
    found = settled(recorded, "Score-P 8.4", remote=(0, 1, 3), root=-1)
    assert found["Bcast"] == Sizes([28, 0, 0, 0], all_of(0))
    assert found["Allreduce"] == BUFFERS["Allreduce"]


def test_neighbourhoods_stay() -> None:
    recorded = {"Allgather": Sizes([8, 12, 16, 8], [8, 12, 16, 8])}
    found = settled(recorded, "Score-P 9.0", called="Ineighbor_allgather")
    assert found == recorded


def operations_of(trace: Trace) -> Counter[tuple[str, bool, int, int]]:
    """Count parts of collectives by operation, whether the root's, and sizes."""
    parts = trace.collectives
    rank = np.searchsorted(trace.calls.offsets, parts.call, side="right") - 1
    names = [COLLECTIVE_OPERATIONS[code] for code in parts.operation.tolist()]
    is_root = (rank == parts.root).tolist()
    sizes = parts.sent.tolist(), parts.received.tolist()
    return Counter(zip(names, is_root, *sizes, strict=True))


@pytest.mark.traces
@pytest.mark.parametrize(
    ("one", "other"), [("app-minife", "sp-minife-18"), ("ez-ft-16", "sp-ft-16")]
)
def test_one_program_under_two_producers(one: str, other: str) -> None:
    assert operations_of(read_real(one)) == operations_of(read_real(other))
