"""Arithmetic of users' patterns: whole numbers, and nothing that could do harm."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from topoview.model import Ints

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
                known = ", ".join(names)
                raise ValueError(f"names {name!r}; known are {known}")
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
