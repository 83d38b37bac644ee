"""Patterns from TOML: a lattice, a rule for partners, or a list of edges."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from topoview.model import Ints, Topology
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import divisions, lattice
from topoview.topology.patterns.expressions import NoValueError, evaluate

MAX_VALUES_TRIED = 100_000
"""Values of parameters that are tried for a number of ranks."""

MAX_RULES = 64
"""Rules and offsets of a pattern."""

MAX_AXES = 8
"""Dims of a pattern."""

KEYS = {"name", "dims", "offsets", "periodic", "partners", "ranks", "edges",
        "parameters"}  # fmt: skip


def topologies(table: dict[str, Any], name: str, n: int) -> Iterator[Topology]:
    """Make what a table describes with `n` vertices.

    Raises
    ------
    ValueError
        With what is wrong in the table, in words.
    """
    unknown = set(table) - KEYS
    if unknown:
        raise ValueError(f"has a key {sorted(unknown)[0]!r} that is not known")
    given = [key for key in ("offsets", "partners", "edges") if key in table]
    if len(given) != 1:
        raise ValueError("needs one of the keys offsets, partners and edges")
    makers = {"offsets": _lattices, "partners": _by_rule, "edges": _listed}
    for topology in makers[given[0]](table, n):
        yield Topology(
            "user",
            name,
            topology.dims,
            topology.periodic,
            topology.offsets,
            topology.edges,
            topology.coordinates,
        )


def _plain(n: int, u: Ints, v: Ints) -> Topology:
    number = np.arange(n, dtype=np.int32)[:, None]
    return Topology("user", "", (), (), (), unique_edges(n, u, v), number)


def _lattices(table: dict[str, Any], n: int) -> Iterator[Topology]:
    offsets = tuple(_numbers(row, "offsets") for row in _list(table, "offsets"))
    widths = {len(offset) for offset in offsets}
    if len(widths) != 1 or not 0 < (d := widths.pop()) <= MAX_AXES:
        raise ValueError(f"needs offsets of one length, at most {MAX_AXES}")
    if any(not any(offset) for offset in offsets):
        raise ValueError("has an offset that leads nowhere")
    flags = table.get("periodic", False)
    periodic = [flags] * d if isinstance(flags, bool) else flags
    if not isinstance(periodic, list) or len(periodic) != d or not all(
        isinstance(flag, bool) for flag in periodic
    ):  # fmt: skip
        raise ValueError(f"needs {d} times true or false as periodic")
    for dims in _dims(table, n, d):
        yield lattice(dims, periodic, offsets)


def _dims(table: dict[str, Any], n: int, d: int) -> Iterator[tuple[int, ...]]:
    if "dims" not in table:
        for dims in divisions(n, d):
            padded = dims + (1,) * (d - len(dims))
            if len(dims) == d:
                yield from sorted(set(itertools.permutations(padded)))
        return
    wanted = _list(table, "dims")
    if len(wanted) != d:
        raise ValueError(f"needs {d} dims, as long as its offsets")
    for values in _parameters(table, n):
        dims = tuple(_number(dim, values, "dims") for dim in wanted)
        if min(dims) > 0 and math.prod(dims) == n:
            yield dims


def _by_rule(table: dict[str, Any], n: int) -> Iterator[Topology]:
    rules = _list(table, "partners")
    rank = np.arange(n)
    for values in _parameters(table, n):
        if "ranks" in table and _number(table["ranks"], values, "ranks") != n:
            continue
        names = {**values, "n": n, "rank": rank}
        u, v = [], []
        for rule in rules:
            there = np.broadcast_to(_evaluated(rule, names, "partners"), (n,))
            inside = (there >= 0) & (there < n)
            u.append(rank[inside])
            v.append(there[inside])
        yield _plain(n, np.concatenate(u), np.concatenate(v))


def _listed(table: dict[str, Any], n: int) -> Iterator[Topology]:
    pairs = table["edges"]
    if not isinstance(pairs, list) or not pairs:
        raise ValueError("needs a list of pairs as edges")
    ends = np.array([_numbers(pair, "edges") for pair in pairs], object)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ValueError("needs two ranks in each of its edges")
    ranks = table.get("ranks", int(ends.max()) + 1)
    if not isinstance(ranks, int) or ends.min() < 0 or ends.max() >= ranks:
        raise ValueError("has an edge to a rank that it has not")
    if ranks == n:
        yield _plain(n, ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64))


def _parameters(table: dict[str, Any], n: int) -> Iterator[dict[str, int]]:
    given = table.get("parameters", {})
    if not isinstance(given, dict):
        raise ValueError("needs a table of names as parameters")  # noqa: TRY004
    ranges = []
    for name, bounds in given.items():
        low, high = _numbers(bounds, f"parameters.{name}") if bounds else (1, n)
        if low > high:
            raise ValueError(f"has no values for {name}: {low} to {high}")
        ranges.append(range(low, min(high, max(n, low)) + 1))
    if math.prod(len(r) for r in ranges) > MAX_VALUES_TRIED:
        raise ValueError(
            f"has more than {MAX_VALUES_TRIED:,} values of its parameters for {n} "
            "ranks: "
            "give narrower bounds"
        )
    for values in itertools.product(*ranges):
        yield dict(zip(given, values, strict=True))


def _list(table: dict[str, Any], key: str) -> list[Any]:
    value = table[key]
    if not isinstance(value, list) or not 0 < len(value) <= MAX_RULES:
        raise ValueError(f"needs a list of 1 to {MAX_RULES} entries as {key}")
    return value


def _numbers(value: object, key: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"needs lists of whole numbers in {key}")
    if any(isinstance(v, bool) or not isinstance(v, int) for v in value):
        raise ValueError(f"needs whole numbers in {key}")
    if any(abs(v) > 2**31 for v in value):
        raise ValueError(f"has too large a number in {key}")
    return tuple(value)


def _number(value: object, names: dict[str, int], key: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(_evaluated(value, names, key))


def _evaluated(text: object, names: Any, key: str) -> Ints:  # noqa: ANN401
    if not isinstance(text, str):
        raise ValueError(f"needs expressions, in quotes, in {key}")  # noqa: TRY004
    try:
        return evaluate(text, names)
    except ValueError as error:
        kind = NoValueError if isinstance(error, NoValueError) else ValueError
        raise kind(f"has an expression in {key} that {error}") from error
