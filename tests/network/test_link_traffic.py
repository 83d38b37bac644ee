"""Traffic on links: of the published cases, of parts of a run, of collectives."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from walks import place_of, walked

from topoview.analysis.network.networks import dragonfly, fat_tree, grid
from topoview.analysis.network.traffic import collective_matrix, link_loads
from topoview.live.tables.parts.extents import extent_table, measures
from topoview.live.tables.statistics.histogram import correlation
from topoview.model import CommunicationMatrix, LinkLoads, Network, Placement, Trace
from topoview.topology.identification.traffic import cut_matrix
from topoview.topology.matrix import matrix_of


def lattice_matrix(dims: tuple[int, ...], periodic: bool, size: int) -> csr_array:
    """Each rank sends `size` bytes to each neighbour; x changes fastest."""
    one, other = [], []
    node = np.arange(math.prod(dims))
    stride = 1
    for extent in dims:
        place = node // stride % extent
        for step in (1, -1):
            to = place + step
            if extent == 2 and periodic and step < 0:
                continue
            there = (to >= 0) & (to < extent) | periodic
            one.append(node[there])
            other.append((node + (to % extent - place) * stride)[there])
        stride *= extent
    ends = np.concatenate(one), np.concatenate(other)
    data = np.full(len(ends[0]), size, np.int64)
    return csr_array((data, ends), shape=(len(node), len(node)))


def placed(node: np.ndarray | range) -> Placement:
    return Placement(np.asarray(node, np.int32))


def all_to_all(groups: list[np.ndarray], ranks: int, size: int) -> csr_array:
    ends = np.array([(a, b) for g in groups for a in g for b in g if a != b]).T
    data = np.full(ends.shape[1], size, np.int64)
    return csr_array((data, (ends[0], ends[1])), shape=(ranks, ranks))


# The published cases: T. Gamblin, M. Schulz, P.-T. Bremer, J. A. Levine and
# V. Pascucci, "Intuitive performance visualization techniques for topological
# analysis on capability machines".


def test_a_cube_on_the_torus_loads_every_link_alike() -> None:
    loads = link_loads(
        lattice_matrix((8, 8, 8), True, 64), grid((8, 8, 8)), placed(range(512))
    )
    assert set(loads.bytes.tolist()) == {64.0}
    assert loads.mean_hops == 1.0
    assert loads.idle_links == 0


def test_a_long_problem_has_hot_links_along_x_only() -> None:
    """2x4x64, z fastest: the sums that were drawn, 64 KiB a message, 100 times."""
    size = 100 * 65536
    matrix = lattice_matrix((64, 4, 2), False, size)
    loads = link_loads(matrix, grid((8, 8, 8)), placed(range(512)))
    assert loads.hop_bytes / 2**30 == pytest.approx(24.0, abs=0.05)
    assert loads.mean_hops == pytest.approx(1.72, abs=0.005)
    # ranks of x are 4 nodes apart, so half of the bytes goes either way around
    assert loads.hottest_bytes == 3 * size
    assert loads.hottest_bytes > 2 * loads.mean_bytes
    hot = loads.bytes > loads.hottest_bytes / 2
    directions = loads.network.direction[hot].tolist()
    along = {loads.network.directions[k][0] for k in directions}
    assert len(along) == 1
    others = loads.network.direction // 2 != directions[0] // 2
    assert loads.bytes[others].max() <= size


def test_planes_use_one_plane_of_links_tiled_as_boxes_several() -> None:
    rank = np.arange(512)
    planes = [rank[rank // 64 == z] for z in range(8)]
    matrix = all_to_all(planes, 512, 1024)
    loads = link_loads(matrix, grid((8, 8, 8)), placed(rank))
    told = loads.by_direction()
    assert told["z+"][0] == told["z-"][0] == 0
    assert told["x+"][0] == told["y+"][0] > 0
    # each plane a box of 4x4x4
    x, y, z = rank % 8, rank // 8 % 8, rank // 64
    inside = x + 8 * y
    place = (
        inside % 4 + 4 * (z % 2),
        inside // 4 % 4 + 4 * (z // 2 % 2),
        inside // 16 + 4 * (z // 4),
    )
    boxes = link_loads(
        matrix, grid((8, 8, 8)), placed(place[0] + 8 * place[1] + 64 * place[2])
    )
    told = boxes.by_direction()
    assert told["x+"][0] == told["y+"][0] == told["z+"][0] > 0
    assert boxes.idle_links < loads.idle_links == 2 * 512
    assert boxes.hottest_bytes == loads.hottest_bytes  # nothing is gained there
    assert boxes.hop_bytes < loads.hop_bytes


# Equal to walking, on all networks and numbers of ranks.


@pytest.mark.parametrize("ranks", [64, 512, 4096])
@pytest.mark.parametrize(
    "network",
    [grid((4, 4, 4)), grid((8, 4, 2), False), grid((2, 2, 4, 2, 2))],
    ids=lambda network: network.name,
)
def test_loads_equal_walking(network: Network, ranks: int) -> None:
    rng = np.random.default_rng(ranks)
    ends = rng.integers(0, ranks, (2, 300))
    size = rng.integers(1, 10**6, 300)
    node = np.arange(ranks) * network.nodes // ranks
    matrix = csr_array((size, (ends[0], ends[1])), shape=(ranks, ranks))
    loads = link_loads(matrix, network, placed(node))
    pairs = np.stack([node[ends[0]], node[ends[1]], size], 1).tolist()
    links = map(tuple, network.links.tolist())
    assert dict(zip(links, loads.bytes.tolist(), strict=True)) == walked(network, pairs)


@pytest.mark.parametrize(
    "network",
    [grid((32, 32, 32)), fat_tree((32, 32, 32)), dragonfly(16, 32, 64)],
    ids=lambda network: network.name,
)
def test_many_ranks(network: Network) -> None:
    """131,072 ranks: what crosses links is bytes times hops, whichever way."""
    ranks = 131_072
    node = np.arange(ranks) % network.nodes
    sender = np.arange(ranks)
    receiver = (sender * 7 + 1) % ranks
    matrix = csr_array((np.ones(ranks, np.int64), (sender, receiver)), (ranks, ranks))
    loads = link_loads(matrix, network, placed(node))
    out = np.bincount(network.links[:, 0], loads.bytes, network.vertices)
    into = np.bincount(network.links[:, 1], loads.bytes, network.vertices)
    crosses = node[sender] != node[receiver]
    expected = np.bincount(node[sender[crosses]], minlength=network.vertices) - (
        np.bincount(node[receiver[crosses]], minlength=network.vertices)
    )
    assert np.allclose(out - into, expected)
    assert loads.between_nodes == crosses.sum()


def test_ranks_without_a_place_are_told() -> None:
    matrix = lattice_matrix((4,), True, 10)
    loads = link_loads(matrix, grid((4,)), placed(np.array([0, 1, 2, -1])))
    assert loads.unplaced_bytes == 40
    assert loads.total_bytes == 40
    assert loads.hop_bytes == 40


def figures(loads: LinkLoads) -> tuple[float, ...]:
    return loads.hop_bytes, loads.hottest_bytes, loads.total_bytes


def test_levels_keep_the_heavy_pairs() -> None:
    calls = np.ones(6, np.int64)
    sender = np.array([0, 1, 2, 3, 0, 2])
    receiver = np.array([1, 0, 3, 2, 2, 0])
    volume = np.array([1000, 1000, 1000, 1000, 1, 1])
    matrix: CommunicationMatrix = matrix_of(4, sender, receiver, calls, volume)
    assert cut_matrix(matrix, 0)[0].volume.sum() == 4002
    assert cut_matrix(matrix, 1)[0].volume.sum() == 4000
    assert cut_matrix(matrix, 9)[0].volume.sum() == 4000
    whole = link_loads(matrix, grid((4,)), placed(range(4)))
    assert figures(whole) == figures(
        link_loads(cut_matrix(matrix, 0)[0], grid((4,)), placed(range(4)))
    )


# Collective operations.


def test_an_all_to_all_in_each_row_and_column(
    real_trace: Callable[[str], Trace],
) -> None:
    trace = real_trace("sp-rowcol-6x4")
    found, told = collective_matrix(trace)
    assert told == ("Alltoall: each sends to each",)
    dense = found.volume.toarray()
    rank = np.arange(24)
    same = (rank[:, None] // 6 == rank // 6) | (rank[:, None] % 6 == rank % 6)
    np.fill_diagonal(same, val=False)
    assert ((dense > 0) == same).all()
    sent = np.zeros(24)
    row = np.searchsorted(trace.calls.offsets, trace.collectives.call, "right") - 1
    size = trace.communicator_sizes[trace.collectives.communicator]
    np.add.at(sent, row, trace.collectives.sent * (size - 1) / size)
    assert dense.sum(1).tolist() == pytest.approx(sent.tolist())


def test_windows_take_the_calls_that_begin_in_them(
    real_trace: Callable[[str], Trace],
) -> None:
    trace = real_trace("sp-rowcol-6x4")
    whole = collective_matrix(trace)[0].volume
    middle = int(np.median(trace.calls.enter[trace.collectives.call]))
    one = collective_matrix(trace, (0, middle))[0].volume
    other = collective_matrix(trace, (middle, trace.clock.length + 1))[0].volume
    assert abs(one + other - whole).max() <= 1  # rounded
    assert 0 < one.sum() < whole.sum()
    assert not collective_matrix(trace, (0, 0))[1]


@pytest.mark.parametrize("members", [2, 3, 8, 13])
@pytest.mark.parametrize(
    ("operation", "messages", "share"),
    [
        ("Bcast", lambda p: p - 1, 1.0),
        ("Reduce", lambda p: p - 1, 1.0),
        ("Gather", lambda p: p - 1, 1.0),
        ("Scatter", lambda p: p - 1, 1.0),
        ("Allreduce", lambda p: p, lambda p: 2 * (p - 1) / p),
        ("Allgather", lambda p: p, lambda p: p - 1),
        ("Alltoall", lambda p: p * (p - 1), 1.0),
        ("Scan", lambda p: p - 1, 1.0),
    ],
)
def test_messages_of_each_algorithm(
    members: int,
    operation: str,
    messages: Callable[[int], int],
    share: float | Callable[[int], float],
) -> None:
    from topoview.analysis.network.traffic import _modelled

    ranks = np.arange(100, 100 + members)
    bytes_ = np.full(members, 5040.0)
    root = members // 2
    sender, receiver, amount = _modelled(operation, ranks, root, bytes_, bytes_)
    assert len(sender) == messages(members)
    assert (sender != receiver).all()
    part = share(members) if callable(share) else share
    assert amount.tolist() == pytest.approx([5040 * part] * len(amount))
    if operation in ("Bcast", "Scatter"):  # each but the root receives once
        assert sorted([*receiver, ranks[root]]) == ranks.tolist()
    if operation in ("Reduce", "Gather"):
        assert sorted([*sender, ranks[root]]) == ranks.tolist()


@pytest.mark.parametrize("members", range(2, 18))
def test_doubling_brings_everything_to_everybody(members: int) -> None:
    """Followed message by message: each carries what its sender holds, no more."""
    from topoview.analysis.network.traffic import _modelled_short

    ranks = np.arange(100, 100 + members)
    block = np.arange(1.0, members + 1)
    steps = int(math.log2(members))
    extra = members - 2**steps
    at_once = [extra, *[2**steps] * steps, extra]

    ends = _modelled_short("Allgather", ranks, block)
    held = {rank: {rank} for rank in ranks.tolist()}
    messages = iter(np.stack(ends, 1).tolist())
    for count in at_once:
        before = {rank: set(own) for rank, own in held.items()}
        for sender, receiver, amount in itertools.islice(messages, count):
            assert amount == sum(rank - 99 for rank in before[sender])
            held[receiver] |= before[sender]
    assert next(messages, None) is None
    assert all(own == set(ranks.tolist()) for own in held.values())

    whole = np.full(members, 5040.0)
    sender, receiver, amount = _modelled_short("Allreduce", ranks, whole)
    assert (sender == ends[0]).all()
    assert (receiver == ends[1]).all()
    assert set(amount.tolist()) == {5040.0}

    # scattered: what a rank sends and does not get is what the others are left with
    sender, receiver, amount = _modelled_short("Reduce_scatter", ranks, whole)
    assert (sender == ends[1]).all()
    assert (receiver == ends[0]).all()
    if not extra:
        sent = np.bincount(sender - 100, amount)
        assert sent.tolist() == pytest.approx(
            [5040 * (members - 1) / members] * members
        )


@pytest.mark.traces
def test_one_program_under_two_producers(real_trace: Callable[[str], Trace]) -> None:
    """Producers record sizes differently."""
    one, other = (collective_matrix(real_trace(f"{by}-ft-16")) for by in ("ez", "sp"))
    assert one[1] == other[1]
    assert (one[0].volume != other[0].volume).nnz == 0
    assert one[0].volume.sum() > 0


# Communicators on the machine.


def test_planes_that_reach_far_are_slow(real_trace: Callable[[str], Trace]) -> None:
    """Rows and columns on an irregular slab: times made to follow their extent in z."""
    trace = real_trace("sp-rowcol-6x4")
    network = grid((4, 4, 8))
    rng = np.random.default_rng(5)
    node = rng.permutation(4 * 4 * 6)[:24]  # with holes
    parts, calls = trace.collectives, trace.calls
    spans = {}
    for number, communicator in enumerate(trace.communicators):
        z = {int(node[rank]) // 16 for rank in communicator.ranks}
        # brute force: the shortest stretch of the ring that holds all of them
        spans[number] = (
            min(
                length
                for length in range(1, 9)
                for begin in range(8)
                if z <= {(begin + k) % 8 for k in range(length)}
            )
            if z
            else 0
        )
    enter, leave = calls.enter.copy(), calls.leave.copy()
    for part in range(len(parts)):
        call = parts.call[part]
        enter[call] = 1000 * part  # whoever comes when
    for communicator in set(parts.communicator.tolist()):
        own = parts.call[parts.communicator == communicator]
        leave[own] = enter[own].max() + 100 * spans[communicator]
    made = replace(trace, calls=replace(calls, enter=enter, leave=leave))
    loads = link_loads(csr_array((24, 24), dtype=np.int64), network, placed(node))
    table = extent_table(made, loads).to_pandas()
    used = table[table.operations > 0]
    assert len(used) == 10
    assert [spans[n] for n in used.communicator] == used.z.tolist()
    slow = made.clock.resolution * used.slowest
    assert next(iter(measures(extent_table(made, loads)))) == "z"
    assert correlation(used.z.to_numpy(float), used.slowest.to_numpy()) > 0.95
    ties = used.groupby("z").slowest.mean().to_numpy()
    assert (np.diff(ties) > 0).all()
    assert (slow >= 100 * used.z).all()
    box = used.x * used.y * used.z
    assert (used.holes == box - used.nodes).all()
    for row in used.itertuples():
        own = node[trace.communicators[row.communicator].ranks]
        pairs = [(a, b) for a in own for b in own if a != b]
        far = [
            sum(min(abs(p - q), n - abs(p - q)) for p, q, n in zip(*ends, strict=True))
            for ends in (
                (place_of((4, 4, 8), a), place_of((4, 4, 8), b), (4, 4, 8))
                for a, b in pairs
            )
        ]
        assert row.hops == pytest.approx(np.mean(far))
