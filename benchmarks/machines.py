"""Measure machines of 10^4 nodes: cable lists read, loads of 10^6 ranks, mappings.

Run: ``python benchmarks/machines.py [RANKS]``; a million ranks if nothing is said.
Lists of cables are written by ``tests/fabrics.py`` after the tools' public
descriptions. Ranks exchange with six neighbours in a 3D torus and fill one node after
the other. Distances of a few pairs are compared with networkx.

Mappings are compared on the same instances with METIS and KaHIP, if ``pymetis`` and
``kahip`` are installed (in an environment of its own: neither is a dependency):
recursive bisection of the nodes, each half by the partitioner, as `map_ranks` does. The
cost is hop-bytes; that of the best of them is 1.
"""

import math
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import TypeVar

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.spatial import cKDTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import fabrics

from topoview.analysis.network import mappings, routing
from topoview.analysis.network.mappings import RankLattice, map_ranks, mapped, of_size
from topoview.analysis.network.networks import dragonfly, fat_tree, graph, grid
from topoview.analysis.network.traffic import link_loads
from topoview.io.machine import read_machine
from topoview.model import Network, Placement, coordinates_of

T = TypeVar("T")

FEW = 50
"""Pairs whose distance networkx tells, too."""

SEED = 2


def torus(dims: tuple[int, ...]) -> csr_array:
    """Bytes between ranks that form a torus: 1000 to each of two an axis."""
    ranks = math.prod(dims)
    places = coordinates_of(np.arange(ranks), dims)
    strides = np.cumprod([1, *dims[:-1]])
    ends = []
    for axis, extent in enumerate(dims):
        for step in (1, -1):
            there = places.astype(np.int64)
            there[:, axis] = (there[:, axis] + step) % extent
            ends.append(there @ strides)
    source = np.tile(np.arange(ranks), len(ends))
    size = np.full(len(source), 1000)
    pairs = (source, np.concatenate(ends))
    return coo_array((size, pairs), shape=(ranks, ranks)).tocsr()


def mesh(ranks: int, neighbours: int) -> csr_array:
    """Bytes between the parts of an unstructured mesh: points and their nearest."""
    rng = np.random.default_rng(SEED)
    points = rng.random((ranks, 3))
    _, near = cKDTree(points).query(points, neighbours + 1)
    source, target = np.repeat(np.arange(ranks), neighbours), near[:, 1:].ravel()
    size = rng.integers(100, 2000, len(source))
    one_way = coo_array((size, (source, target)), shape=(ranks, ranks)).tocsr()
    return (one_way + one_way.T).tocsr()


def scrambled(volume: csr_array) -> csr_array:
    """Give the ranks other numbers, at random."""
    order = np.random.default_rng(SEED).permutation(volume.shape[0])
    return volume[order][:, order]


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Processor time, and the result."""
    begin = process_time()
    result = act()
    return process_time() - begin, result


def in_order(ranks: int, nodes: int) -> Placement:
    """Ranks one node after the other."""
    return Placement((np.arange(ranks) * nodes // ranks).astype(np.int32))


# Whole machines.

MACHINES = {
    "dragonfly 16x16x40": fabrics.dragonfly(16, 16, 40, cables=2),
    "fat tree, tapered 2:1": fabrics.tapered_tree(313, 32, 16),
}

LISTS = {
    "ibnetdiscover": fabrics.ib_net_discover,
    "iblinkinfo": fabrics.ib_link_info,
    "Slurm topology": fabrics.slurm_topology,
}


def whole_machines(ranks: int, folder: Path) -> None:
    """Read each list of each machine, and put the traffic of all ranks on its links."""
    side = round(ranks ** (1 / 3))
    volume = torus((side, side, side))
    print(f"{side**3} ranks, {volume.nnz} pairs: seconds of processor time")
    for name, machine in MACHINES.items():
        for form, write in LISTS.items():
            if form == "Slurm topology" and name.startswith("dragonfly"):
                continue
            file = folder / "machine"
            file.write_text(write(machine))
            reading, facts = timed(lambda f=file: read_machine(f))
            names = (*facts.hosts, *facts.switches)
            network = graph(len(facts.hosts), facts.cables, names)
            placement = in_order(side**3, network.nodes)
            seconds, loads = timed(
                lambda n=network, p=placement: link_loads(volume, n, p)
            )
            check(network)
            print(
                f"  {name:22} {form:15} {file.stat().st_size / 1e6:5.1f} MB, "
                f"{network.nodes} nodes, {len(facts.cables)} cables: read {reading:.2f}"
                f", loads {seconds:.2f} (mean hops {loads.mean_hops:.2f})",
                flush=True,
            )


def check(network: Network) -> None:
    """Compare distances of a few pairs with networkx."""
    plain = nx.Graph(network.links.tolist())
    ends = np.random.default_rng(SEED).integers(0, network.nodes, (2, FEW))
    hops = [nx.shortest_path_length(plain, a, b) for a, b in ends.T.tolist()]
    assert routing.distances(network, *ends).tolist() == hops


# Mappings.


def kahip_half(ties: csr_array, size: int) -> np.ndarray:
    """Choose half of the ranks by KaHIP; none are moved where it keeps the sizes."""
    ranks = ties.shape[0]
    if size in (0, ranks) or not ties.nnz or 2 * size != ranks:
        return np.arange(ranks) < size
    import kahip

    weights = np.maximum(1, ties.data / ties.data.max() * 1e4).astype(int)
    ends = ties.indptr.tolist(), weights.tolist(), ties.indices.tolist()
    _, part = kahip.kaffpa([1] * ranks, *ends, 2, 0.0, True, SEED, kahip.STRONG)
    return of_size(ties, np.array(part) == 0, size)


INSTANCES = {
    "3D torus 16x16x16 on torus 8x8x8": (torus((16, 16, 16)), grid((8, 8, 8))),
    "the same, scrambled": (scrambled(torus((16, 16, 16))), grid((8, 8, 8))),
    "mesh of 4096 on torus 8x8x8": (mesh(4096, 12), grid((8, 8, 8))),
    "mesh of 4096 on 64 nodes, a switch": (mesh(4096, 12), fat_tree((64,))),
    "mesh of 4096 on fat tree 16x16": (mesh(4096, 12), fat_tree((16, 16))),
    "mesh of 4096 on dragonfly 4x8x16": (mesh(4096, 12), dragonfly(4, 8, 16)),
}
OF_TORUS = "3D torus 16x16x16 on torus 8x8x8"


def partitioners(volume: csr_array, network: Network) -> dict[str, float]:
    """Hop-bytes of what METIS and KaHIP find, and seconds of each."""
    placement = in_order(volume.shape[0], network.nodes)
    job = mappings._job(volume, network, placement)
    acts: dict[str, Callable[[], np.ndarray]] = {}
    if find_spec("pymetis"):
        acts["METIS"] = lambda: mappings._bisected(job, mappings._metis_half)
    if find_spec("kahip"):
        acts["KaHIP"] = lambda: mappings._bisected(job, kahip_half)
    found = {}
    for name, act in acts.items():
        seconds, order = timed(act)
        cost = link_loads(volume, network, mapped(placement, order)).hop_bytes
        found[f"{name} ({seconds:.0f} s)"] = cost
    return found


def compare_mappings() -> None:
    """Print what each method costs, beside the best partitioner."""
    for name, (volume, network) in INSTANCES.items():
        ranks = volume.shape[0]
        placement = in_order(ranks, network.nodes)
        lattice = None
        if name == OF_TORUS:
            dims = (16, 16, 16)
            lattice = RankLattice(dims, coordinates_of(np.arange(ranks), dims))
        seconds, maps = timed(
            lambda v=volume, n=network, p=placement, x=lattice: map_ranks(v, n, p, x)
        )
        own = {
            one.method: one.loads.hop_bytes
            for one in maps.mappings
            if not one.method.startswith("METIS")
        }
        others = partitioners(volume, network)
        best = min(others.values(), default=min(own.values()))
        print(f"{name} ({seconds:.0f} s)")
        for method, cost in sorted((own | others).items(), key=lambda item: item[1]):
            print(f"  {method:34} {cost / best:6.3f}", flush=True)


def main(ranks: int) -> None:
    """Measure machines, then mappings."""
    with tempfile.TemporaryDirectory() as folder:
        whole_machines(ranks, Path(folder))
    compare_mappings()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
