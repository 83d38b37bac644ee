"""Patterns from TOML: a lattice, a rule for partners, or a list of edges."""

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from topoview.model import Ints, Topology
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import divisions, lattice

MAX_VALUES_TRIED = 100_000
"""Values of parameters that are tried for a number of ranks."""

MAX_RULES = 64
"""Rules and offsets of a pattern."""

MAX_AXES = 8
"""Dims of a pattern."""

KEYS = {"name", "dims", "offsets", "periodic", "partners", "ranks", "edges",
        "parameters"}  # fmt: skip


def topologies(table: dict[str, Any], name: str, n: int) -> Iterator[Topology]:
    """Yield what a table describes with `n` vertices.

    Raises `ValueError` with what is wrong in the table, in words.
    """
    unknown = set(table) - KEYS
    if unknown:
        raise ValueError(f"has a key {sorted(unknown)[0]!r} that is not known")
    given = [key for key in ("offsets", "partners", "edges") if key in table]
    if len(given) != 1:
        raise ValueError("needs one of the keys offsets, partners and edges")
    makers = {"offsets": _lattices, "partners": _by_rule, "edges": _listed}
    for topology in makers[given[0]](table, n):
        yield replace(topology, kind="user", name=name)


def _plain(n: int, u: Ints, v: Ints) -> Topology:
    number = np.arange(n, dtype=np.int32)[:, None]
    return Topology(
        kind="user", name="", edges=unique_edges(n, u, v), coordinates=number
    )


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
            if len(dims) == d:
                yield from sorted(set(itertools.permutations(dims)))
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
            "ranks: give narrower bounds"
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


# Arithmetic of users' patterns: whole numbers, and nothing that could do harm.

MAX_LENGTH = 1000
"""Characters of the longest expression."""

MAX_BITS = 40
"""Largest shift, and largest exponent."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}

_BOUNDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.LShift: np.left_shift,
    ast.RShift: np.right_shift,
    ast.Pow: np.power,
}

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "abs": (1, np.abs),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "gcd": (2, np.gcd),
}


class NoValueError(ValueError):
    """An expression has no value for these numbers; it may have one for others."""


def evaluate(text: str, names: Mapping[str, Ints | int]) -> Ints:
    """Value of an expression of whole numbers.

    Numbers, names, ``+ - * // % ** << >> & | ^``, comparisons, ``and or not``,
    ``a if c else b``, ``abs min max gcd``. Conditions count as 0 and 1.

    Parameters
    ----------
    text
        The expression.
    names
        What names stand for: numbers, or arrays of one shape.

    Raises
    ------
    NoValueError
        If it divides by zero.
    ValueError
        With what is wrong, in words.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"is no expression: {text!r}") from error
    with np.errstate(all="ignore"):
        try:
            return np.asarray(_value(tree, names)).astype(np.int64)
        except (TypeError, OverflowError, RecursionError) as error:
            raise ValueError(f"has no value: {text!r}") from error


def _value(node: ast.expr, names: Mapping[str, Ints | int]) -> Any:  # noqa: ANN401, C901
    match node:
        case ast.Constant(value=int(number)):
            return np.int64(number)
        case ast.Name(id=name):
            if name not in names:
                choices = ", ".join(names)
                raise ValueError(f"names {name!r}; known are {choices}")
            return np.asarray(names[name], np.int64)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return np.asarray(_value(operand, names) == 0).astype(np.int64)
        case ast.BoolOp(op=op, values=values):
            truths = [np.asarray(_value(v, names) != 0) for v in values]
            joined = np.logical_and if isinstance(op, ast.And) else np.logical_or
            result = truths[0]
            for truth in truths[1:]:
                result = joined(result, truth)
            return result.astype(np.int64)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compared(left, ops, others, names)
        case ast.IfExp(test=test, body=body, orelse=other):
            chosen = _value(test, names) != 0
            return np.where(chosen, _value(body, names), _value(other, names))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            many, function = _FUNCTIONS.get(name, (0, None))
            if function is not None and len(args) == many:
                return function(*(_value(argument, names) for argument in args))
    raise ValueError(f"uses what is not understood: {ast.unparse(node)!r}")


def _binary(op: ast.operator, left: Any, right: Any) -> Any:  # noqa: ANN401
    if isinstance(op, ast.FloorDiv | ast.Mod) and np.any(np.asarray(right) == 0):
        raise NoValueError("divides by zero")
    if type(op) in _BOUNDED:
        small = (np.asarray(right) >= 0) & (np.asarray(right) <= MAX_BITS)
        if not np.all(small):
            raise ValueError(f"shifts or raises by less than 0 or more than {MAX_BITS}")
        return _BOUNDED[type(op)](left, right)
    if type(op) not in _BINARY:
        raise ValueError("divides by /; // gives whole numbers")
    return _BINARY[type(op)](left, right)


def _compared(
    left: ast.expr,
    ops: list[ast.cmpop],
    others: list[ast.expr],
    names: Mapping[str, Ints | int],
) -> Any:  # noqa: ANN401
    first, result = _value(left, names), np.asarray(True)
    for op, other in zip(ops, others, strict=True):
        if type(op) not in _COMPARED:
            raise ValueError("compares by what is not understood")
        second = _value(other, names)
        result = result & np.asarray(_COMPARED[type(op)](first, second))
        first = second
    return result.astype(np.int64)
