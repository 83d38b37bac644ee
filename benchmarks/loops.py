"""Time and length of loop compression and of the programs made of it.

Run: ``python benchmarks/loops.py [TRACE...]``

First curves over the length of the sequence, up to a million calls, for nested
loops, for iterations that differ, for a Fibonacci word (the most repetitions that
there are; up to 100,000), and for calls without order: CPU seconds of exact loops
(`topoview.logical.loops.compression.compress`) and of the whole program
(`topoview.logical.loops.structure.structure`), and the loops' ratio to a peer of the
same run, bz2 on the same numbers as 32-bit integers, which sorts their suffixes. Then,
for each TRACE, the length of its logical trace: with loops only, with loops over
numbers and varying bodies, and with blocks written once; statements are calls, lines
are all that is printed.
"""

import argparse
import bz2
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from topoview.base.progress import Report, silent
from topoview.logical import assembly
from topoview.logical.loops.compression import compress
from topoview.logical.loops.numbered import VaryingSymbols
from topoview.logical.loops.structure import structure
from topoview.logical.loops.tree import BlockUse, Leaf, Nodes, Tree, TreeBody
from topoview.model import Ints
from topoview.pipeline import analyse
from topoview.worker import open_trace


def nested(n: int) -> Ints:
    """Make four loops in each other."""
    inner = np.concatenate((np.tile([1, 2, 3], 10), [4, 5]))
    outer = np.concatenate((np.tile(inner, 30), [6, 7, 8]))
    return np.tile(outer, n // len(outer) + 1)


def varying(n: int) -> Ints:
    """Make iterations of 100 calls of which 30 % have two more."""
    some = np.random.default_rng(0).random(n // 100) < 0.3
    head, tail = list(range(50)), list(range(50, 100))
    return np.concatenate([[*head, *[100, 101] * int(bit), *tail] for bit in some])


def fibonacci(n: int) -> Ints:
    """Make a Fibonacci word."""
    before, word = [0], [0, 1]
    while len(word) < n:
        before, word = word, word + before
    return np.array(word[:n])


def random(symbols: int) -> Callable[[int], Ints]:
    """Make calls without order."""
    return lambda n: np.random.default_rng(0).integers(0, symbols, n)


INPUTS: dict[str, Callable[[int], Ints]] = {
    "nested": nested,
    "varying": varying,
    "Fibonacci": fibonacci,
    "random of 50": random(50),
    "random of 2": random(2),
}


def seconds(function: Callable[[], object], times: int = 3) -> float:
    """CPU seconds of the fastest of several runs."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        function()
        spent.append(time.process_time() - began)
    return min(spent)


def curves(longest: int) -> None:
    """Time all inputs at growing lengths."""
    print(
        f"{'input':>14} {'calls':>9} {'loops s':>8} {'x bz2':>7} {'program s':>9} "
        f"{'leaves':>8} {'program':>8}"
    )
    for name, make in INPUTS.items():
        most = min(longest, 5) if name == "Fibonacci" else longest
        for n in (10**k for k in range(3, most + 1)):
            sequence = make(n)
            raw = sequence.astype(np.int32).tobytes()
            loops = seconds(lambda s=sequence: compress(s), 1 if n > 1e5 else 3)
            peer = seconds(lambda r=raw: bz2.compress(r))
            whole = seconds(lambda s=sequence: structure(s), 1 if n > 1e5 else 3)
            tokens, written = compress(sequence)
            tree = structure(sequence)
            limit = "" if tokens.whole else "  (work limit)"
            print(
                f"{name:>14} {len(sequence):>9} {loops:>8.4f} {loops / peer:>7.1f} "
                f"{whole:>9.4f} {tokens.leaves(written):>8} {tree.leaves:>8}{limit}",
                flush=True,
            )


def uses(body: TreeBody) -> int:
    """Count the places where a body uses blocks."""
    return sum(
        isinstance(node, BlockUse)
        if isinstance(node, Leaf | BlockUse)
        else uses(node.body)
        for node in body
    )


Seen = tuple[Ints, VaryingSymbols | None, VaryingSymbols | None, Tree, float]
"""What was asked for, the program found, and the seconds that it took."""


def length(row: Seen) -> int:
    """Lines of a program that was found."""
    return row[3].lines()


def lengths(paths: list[Path]) -> None:
    """Print the length of traces' logical traces."""
    print(
        f"{'trace':>36} {'calls':>7} {'distinct':>8} {'loops':>6} "
        f"{'+ vary':>6} {'+ blocks':>8} "
        f"{'uses':>5} {'lines':>6} {'seconds':>8}"
    )
    for path in paths:
        seen: list[Seen] = []

        def recorded(
            sequence: Ints,
            numbers: VaryingSymbols | None = None,
            report: Report = silent,
            *,
            sizes: VaryingSymbols | None = None,
            seen: list[Seen] = seen,
            **known: Any,  # noqa: ANN401 - as `structure` takes it
        ) -> Tree:
            began = time.process_time()
            tree = structure(sequence, numbers, report, sizes=sizes, **known)
            spent = time.process_time() - began
            seen.append((sequence, numbers, sizes, tree, spent))
            return tree

        with mock.patch.object(assembly, "structure", recorded):
            for _ in analyse(open_trace(path)):
                pass
        for sequence, numbers, sizes, tree, spent in sorted(seen, key=length)[:1]:
            tokens, written = compress(sequence)

            def unnamed(nodes: Nodes, body: tuple[int, ...], *_: object) -> object:
                del nodes
                return body, []

            with mock.patch("topoview.logical.loops.structure.name_blocks", unnamed):
                plain = structure(sequence, numbers, sizes=sizes)
            used = sum(uses(body) for body in (tree.body, *tree.blocks))
            print(
                f"{path.name.split('.')[0]:>36} {len(sequence):>7} "
                f"{len(np.unique(sequence)):>8} "
                f"{tokens.leaves(written):>6} {plain.leaves:>6} {tree.leaves:>8} "
                f"{used:>5} {tree.lines():>6} {spent:>8.3f}",
                flush=True,
            )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description="Time loop compression.")
    parser.add_argument("traces", nargs="*", type=Path, metavar="TRACE")
    power = "calls of the longest input, as a power of ten (6)"
    parser.add_argument("--longest", type=int, default=6, metavar="N", help=power)
    args = parser.parse_args()
    for make in INPUTS.values():  # compile
        structure(make(2000))
    if args.traces:
        lengths(args.traces)
    else:
        curves(args.longest)


if __name__ == "__main__":
    main()
