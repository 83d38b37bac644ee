"""Hold the identification against igraph and networkx, in one run.

Run: ``python benchmarks/identification_peers.py [--large]``; igraph comes with
``pip install -e ".[bench]"``.

Every graph is randomly renumbered. topoview finds kind, dims and mapping among all
of its library; BLISS computes canonical forms of the graph and of the right
template, from which a mapping follows, VF2 and VF2++ look for a mapping onto the
right template. All mappings are verified on every edge. CPU seconds of this
process, the best of several runs, compiled code warm; a peer
runs in a process of its own, is given up after `PATIENCE` seconds ("-"), and then
left out of that kind. Last, growth
from 2^10 ranks on, and memory. It takes some minutes; ``--large`` goes on to 2^18
ranks for every kind, and to 2^20 for growth.
"""

import argparse
import multiprocessing
import time
import tracemalloc
from collections.abc import Callable

import igraph
import networkx as nx
import numpy as np
from identification import best_of
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Topology
from topoview.topology import binomial_tree, cg, complete_tree, identify, lattice
from topoview.topology.kinds.butterfly import butterfly
from topoview.topology.kinds.complete import rook
from topoview.topology.kinds.sphere import sphere_of_triangles
from topoview.topology.lattices.lattice import STENCILS

PATIENCE = 5.0
"""Seconds that a peer may take."""

Make = Callable[[int], Topology]


def _box(dims: tuple[int, ...], closed: bool, stencil: str) -> Topology:
    return lattice(dims, (closed,) * len(dims), STENCILS[stencil](len(dims)))


def _cube(bits: int) -> Topology:
    return lattice((2,) * bits, (False,) * bits)


def _two(n: int) -> tuple[int, int]:
    bits = n.bit_length() - 1
    return 1 << (bits - bits // 2), 1 << (bits // 2)


def _three(n: int) -> tuple[int, int, int]:
    bits = n.bit_length() - 1
    third = bits // 3
    return 1 << (bits - 2 * third), 1 << third, 1 << third


KINDS: dict[str, Make] = {
    "2D grid": lambda n: lattice(_two(n), (False, False)),
    "2D torus": lambda n: lattice(_two(n), (True, True)),
    "3D torus": lambda n: lattice(_three(n), (True,) * 3),
    "hypercube": lambda n: _cube(n.bit_length() - 1),
    "6-point torus": lambda n: _box(_two(n), True, "6-point"),
    "9-point grid": lambda n: _box(_two(n), False, "box"),
    "27-point torus": lambda n: _box(_three(n), True, "box"),
    "19-point torus": lambda n: _box(_three(n), True, "19-point"),
    "CG": cg,
    "binary tree": lambda n: complete_tree(n, 2),
    "binomial tree": binomial_tree,
    "butterfly": lambda n: butterfly(max(2, (n // 8).bit_length() - 1)),
    "geodesic sphere": lambda n: sphere_of_triangles(max(1, round((n / 20) ** 0.5))),
    "rows and columns": lambda n: rook(_two(min(n, 1 << 12))),
}


def matrix_of(topology: Topology, seed: int = 1) -> CommunicationMatrix:
    """Matrix of a program that uses a topology, randomly renumbered."""
    n = topology.vertices
    ends = np.random.default_rng(seed).permutation(n)[topology.edges]
    pairs = (np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate(ends.T[::-1]))
    ones = np.ones(len(pairs[0]), np.int64)
    calls = coo_array((ones, pairs), shape=(n, n)).tocsr()
    return CommunicationMatrix(calls, 4096 * calls)


def _verified(seen: np.ndarray, wanted: np.ndarray, vertex: np.ndarray) -> bool:
    def keys(ends: np.ndarray) -> np.ndarray:
        ordered = np.sort(ends, axis=1).astype(np.int64)
        return np.sort(ordered[:, 0] * (1 << 32) + ordered[:, 1])

    return bool(np.array_equal(keys(vertex[seen]), keys(wanted)))


def _bliss(seen: np.ndarray, wanted: np.ndarray, n: int) -> bool:
    ours, theirs = (igraph.Graph(n=n, edges=edges) for edges in (seen, wanted))
    first = np.array(ours.canonical_permutation())
    second = np.array(theirs.canonical_permutation())
    # igraph gives the old number of each new one
    return _verified(seen, wanted, second[np.argsort(first)])


def _vf2(seen: np.ndarray, wanted: np.ndarray, n: int) -> bool:
    ours, theirs = (igraph.Graph(n=n, edges=edges) for edges in (seen, wanted))
    return bool(ours.isomorphic_vf2(theirs))


def _vf2pp(seen: np.ndarray, wanted: np.ndarray, n: int) -> bool:
    graphs = []
    for edges in (seen, wanted):
        graph = nx.empty_graph(n)
        graph.add_edges_from(edges.tolist())
        graphs.append(graph)
    return bool(nx.vf2pp_is_isomorphic(*graphs))


Peer = Callable[[np.ndarray, np.ndarray, int], bool]

PEERS: dict[str, Peer] = {"BLISS": _bliss, "VF2": _vf2, "VF2++": _vf2pp}


def _timed(run: Peer, seen: np.ndarray, wanted: np.ndarray, n: int) -> float | None:
    """CPU seconds of a peer; None if it is given up: it cannot be stopped itself."""

    def child() -> None:
        began = time.process_time()
        assert run(seen, wanted, n)
        tell.send(time.process_time() - began)

    context = multiprocessing.get_context("fork")
    told, tell = context.Pipe(duplex=False)
    process = context.Process(target=child)
    process.start()
    spent = told.recv() if told.poll(PATIENCE) else None
    process.kill()
    process.join()
    return spent


def compare(make: Make, name: str, sizes: list[int]) -> None:
    """Print a line for each size of a kind."""
    tired = dict.fromkeys(PEERS, False)
    done = set()
    for size in sizes:
        topology = make(size)
        n = topology.vertices
        if n in done:
            continue
        done.add(n)
        matrix = matrix_of(topology)
        best = identify(matrix).best
        exact = not best.missing and not best.extra and best.topology.kind != "unknown"
        both = matrix.calls.tocoo()
        once = both.row < both.col
        seen = np.stack([both.row[once], both.col[once]], 1)
        ours = best_of(lambda m=matrix: identify(m), 5 if n < 5000 else 2)
        cells = []
        for peer, run in PEERS.items():
            spent = None if tired[peer] else _timed(run, seen, topology.edges, n)
            tired[peer] = spent is None or spent > PATIENCE / 4
            if spent is None:
                cells.append(f"{'-':>9} {'':>8}")
            else:
                cells.append(f"{spent:>9.4f} {spent / ours:>7.1f}x")
        said = "" if exact else "  NOT EXACT"
        each = 1e6 * ours / len(topology.edges)
        print(f"{name:<17}{n:>8}{len(topology.edges):>9}{ours:>9.4f}{each:>7.2f} "
              f"{' '.join(cells)}{said}", flush=True)  # fmt: skip


def growth(name: str, sizes: list[int]) -> None:
    """Print seconds by size, and the power of the edges that they grow with."""
    edges, spent = [], []
    for size in sizes:
        matrix = matrix_of(KINDS[name](size))
        assert identify(matrix).best.topology.kind == "lattice"
        spent.append(best_of(lambda m=matrix: identify(m), 3 if size < 1 << 14 else 1))
        edges.append(matrix.calls.nnz // 2)
    power = np.polyfit(np.log(edges), np.log(spent), 1)[0]
    each = [1e6 * s / e for s, e in zip(spent, edges, strict=True)]
    listed = ", ".join(
        f"2^{size.bit_length() - 1}: {s:.4f} s ({us:.2f})"
        for size, s, us in zip(sizes, spent, each, strict=True)
    )
    print(f"{name}, seconds (us an edge): {listed}; edges^{power:.2f}", flush=True)


def memory(sizes: list[int]) -> None:
    """Print the most memory that Python and NumPy held meanwhile."""
    for size in sizes:
        matrix = matrix_of(KINDS["3D torus"](size))
        tracemalloc.start()
        identify(matrix)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        each = most / matrix.calls.nnz
        print(
            f"3D torus of {size} ranks: {most / 2**20:.1f} MiB, {each:.0f} bytes a pair"
        )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description="Compare with igraph and networkx.")
    parser.add_argument("--large", action="store_true", help="up to 2^18 and 2^20")
    args = parser.parse_args()
    for make in KINDS.values():  # compile
        identify(matrix_of(make(512)))
    print(f"{'':<17}{'ranks':>8}{'edges':>9}{'topoview':>9}{'us/edge':>8}"
          f"{'BLISS':>8} {'ratio':>8} {'VF2':>9} {'ratio':>8} {'VF2++':>9} "
          f"{'ratio':>8}")  # fmt: skip
    published = lattice((23, 23), (True, True), STENCILS["6-point"](2))
    compare(lambda _: published, "6-point 23x23", [529])
    sizes = [1 << 10, 1 << 12] + [1 << 18] * args.large
    for name, make in KINDS.items():
        compare(make, name, sizes)
    print("\ngrowth")
    most = 20 if args.large else 16
    for name in ("2D grid", "3D torus", "6-point torus", "hypercube"):
        growth(name, [1 << bits for bits in range(10, most + 1, 2)])
    memory([1 << bits for bits in range(12, most + 1, 4)])


if __name__ == "__main__":
    main()
