"""A trace as JSON and plain arrays: what the store keeps, and nothing that runs.

Dataclasses of the model become their fields, tuples of one dataclass (100,000
locations) columns, arrays a reference. Nothing but the model's own dataclasses
is made when it is read back.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview import model

_TYPES: Final[dict[str, type]] = {
    name: value
    for name, value in vars(model).items()
    if isinstance(value, type) and is_dataclass(value)
}
_KINDS: Final = frozenset("biuf")

_STATE: Final = "state"

Types = Mapping[str, type]
"""Dataclasses by their names."""

Put = Callable[[str, NDArray[Any]], Any]
"""Takes an array by its name (``messages.size``), gives a reference in JSON."""

Get = Callable[[Any], NDArray[Any]]
"""Gives the array back for the reference."""


def encode(
    value: object, put: Put, name: str = "", types: Types = MappingProxyType({})
) -> Any:  # noqa: ANN401 - JSON
    """Turn a value of the model into what JSON can hold.

    Parameters
    ----------
    value
        Dataclasses of the model, tuples, dictionaries, numbers, texts, arrays of
        numbers.
    put
        Takes the arrays.
    name
        Where the value is, for the names of arrays.
    types
        Dataclasses that it may hold beside the model's own.

    Raises
    ------
    TypeError
        If it holds anything else.
    """
    if isinstance(value, model.MPIState):
        return {_STATE: int(value)}
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"{name} holds {value.dtype}, not numbers")
        return {"array": put(name, value)}
    if isinstance(value, dict):
        items = [
            [encode(k, put, name, types), encode(v, put, name, types)]
            for k, v in value.items()
        ]
        return {"dict": items}
    if isinstance(value, tuple):
        return _encode_tuple(value, put, name, types)
    return {_name_of(type(value), name, types): _fields(value, put, name, types)}


def _encode_tuple(value: tuple[Any, ...], put: Put, name: str, types: Types) -> Any:  # noqa: ANN401
    kinds = {type(item) for item in value}
    kind = next(iter(kinds), None)
    if len(kinds) != 1 or not is_dataclass(kind):
        return [encode(item, put, f"{name}.{i}", types) for i, item in enumerate(value)]
    rows = [_fields(item, put, f"{name}.{i}", types) for i, item in enumerate(value)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return {"rows": [_name_of(kind, name, types), len(value), columns]}


def _fields(
    value: Any,  # noqa: ANN401 - dataclass
    put: Put,
    name: str,
    types: Types,
) -> list[Any]:
    begin = f"{name}." if name else ""
    return [
        encode(getattr(value, field.name), put, begin + field.name, types)
        for field in fields(value)
    ]


def _name_of(kind: type, name: str, types: Types) -> str:
    if kind not in (_TYPES.get(kind.__name__), types.get(kind.__name__)):
        raise TypeError(f"{name} is of type {kind.__name__}, which is not in the model")
    return kind.__name__


def decode(
    value: Any,  # noqa: ANN401 - JSON
    get: Get,
    types: Types = MappingProxyType({}),
) -> Any:  # noqa: ANN401 - as it was
    """Make the value again that `encode` was given.

    Raises
    ------
    ValueError, TypeError, KeyError, IndexError
        If it is not what `encode` made.
    """
    if isinstance(value, list):
        return tuple(decode(item, get, types) for item in value)
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "array":
        return get(content)
    if tag == _STATE:
        return model.MPIState(content)
    if tag == "dict":
        return {decode(k, get, types): decode(v, get, types) for k, v in content}
    if tag == "rows":
        name, count, columns = content
        kind = _kind_of(name, types)
        if not columns:
            return tuple(kind() for _ in range(count))
        plain = [[decode(item, get, types) for item in column] for column in columns]
        return tuple(kind(*row) for row in zip(*plain, strict=True))
    return _kind_of(tag, types)(*(decode(item, get, types) for item in content))


def _kind_of(name: str, types: Types) -> type:
    return types[name] if name in types else _TYPES[name]
