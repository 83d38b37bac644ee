"""Time to put traffic on links, beside a plain walk and shortest paths of networkx.

Run: ``python benchmarks/network.py [PAIRS]``; a million pairs of ranks if nothing is
said. Networks have 64 to 131,072 nodes, a rank on each. The walk carries each message
hop by hop. Both route a few hundred pairs in the same run, from which their time for
all is told; loads and distances of these are compared with ours.
"""

import sys
from collections.abc import Callable
from time import perf_counter

import networkx as nx
import numpy as np

from topoview.analysis.network import routing
from topoview.analysis.network.networks import dragonfly, fat_tree, graph, grid
from topoview.model import Network

NETWORKS = (
    grid((4, 4, 4)),
    grid((16, 16, 16)),
    grid((64, 64, 32)),
    grid((8, 8, 8, 16, 16)),
    grid((64, 64, 32), periodic=False),
    fat_tree((64, 32, 64)),
    dragonfly(16, 32, 256),
)

FEW = 200
"""Pairs that the walk and networkx route."""


def walk(
    source: np.ndarray,
    target: np.ndarray,
    size: np.ndarray,
    dims: np.ndarray,
    wraps: np.ndarray,
) -> np.ndarray:
    """Carry messages hop by hop in dimension order; ties half each way."""
    nodes = 1
    for extent in dims:
        nodes *= extent
    loads = np.zeros(2 * len(dims) * nodes)
    for pair in range(len(source)):
        at = source[pair]
        stride = 1
        for axis in range(len(dims)):
            extent = dims[axis]
            a, b = at // stride % extent, target[pair] // stride % extent
            base = at - a * stride
            for way in range(2):
                step = 1 - 2 * way
                hops = (b - a) * step
                if wraps[axis]:
                    hops %= extent
                    if 2 * hops > extent:
                        hops = 0
                amount = size[pair]
                if wraps[axis] and 2 * hops == extent:
                    amount *= 0.5
                place = a
                for _ in range(max(hops, 0)):
                    slot = (2 * axis + way) * nodes + base + place * stride
                    loads[slot] += amount
                    place = (place + step) % extent
            at = base + b * stride
            stride *= extent
    return loads


def timed(act: Callable[[], object], times: int = 3) -> tuple[float, object]:
    """Give the least of some times, and the result; compiles first."""
    act()  # compiled
    best, result = np.inf, None
    for _ in range(times):
        begin = perf_counter()
        result = act()
        best = min(best, perf_counter() - begin)
    return best, result


def by_networkx(network: Network, pairs: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the time a pair, and the distances of a few."""
    known = nx.DiGraph(network.links.tolist())
    begin = perf_counter()
    hops = [nx.shortest_path_length(known, a, b) for a, b, _ in pairs[:, :FEW].T]
    return (perf_counter() - begin) / FEW, np.array(hops)


def main(count: int) -> None:
    """Compare all networks."""
    rng = np.random.default_rng(0)
    print(f"{count} pairs of nodes: seconds (others: as for all, from {FEW} pairs)")
    for network in NETWORKS:
        pairs = np.vstack(
            [rng.integers(0, network.nodes, (2, count)), rng.integers(1, 10**6, count)]
        )
        ours, _ = timed(lambda n=network, p=pairs: routing.loads(n, *p))
        text = f"{network.name:24} {network.nodes:7} nodes  {ours:8.4f}"
        if network.is_grid:
            dims = np.array(network.dims)
            wraps = np.array(network.periodic) & (dims > 2)
            few = pairs[:, :FEW]
            ends = few[0], few[1], few[2].astype(float), dims, wraps
            seconds, walked = timed(lambda e=ends: walk(*e), 1)
            assert np.array_equal(walked[network.slot], routing.loads(network, *few))
            seconds *= count / FEW
            text += f"  walk {seconds:8.4f} ({seconds / ours:5.1f} times)"
        each, hops = by_networkx(network, pairs)
        own = routing.distances(network, pairs[0, :FEW], pairs[1, :FEW])
        assert (own >= hops).all()
        assert network.kind == "dragonfly" or (own == hops).all()
        text += f"  networkx {each * count:8.0f} ({each * count / ours:9.0f} times)"
        print(text, flush=True)
    plain = nx.random_regular_graph(8, 4096, 1)
    network = graph(4096, np.array(plain.edges), [str(n) for n in range(4096)])
    pairs = np.vstack([rng.integers(0, 4096, (2, count)), np.ones(count, int)])
    ours, _ = timed(lambda: routing.loads(network, *pairs), 1)
    each, _ = by_networkx(network, pairs)
    print(
        f"{'any graph, degree 8':24} {4096:7} nodes  {ours:8.4f}"
        f"{'':25}  networkx {each * count:8.0f} ({each * count / ours:9.0f} times)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
