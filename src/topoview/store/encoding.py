"""Frozen data as JSON and plain arrays: what the store keeps, and nothing that runs.

Dataclasses of the model become their fields, tuples of one dataclass (100,000
locations) become columns, arrays a reference to a file or to a place in a pack of
small arrays. Nothing but known dataclasses is made when it is read back.
"""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview import model
from topoview.store.arrays import load_array

_NUMBER_KINDS: Final = frozenset("biuf")

_PLAIN: Final = frozenset({type(None), bool, str, int, float})
"""Types of what JSON has itself: very many of these are looked at together."""

_STATE_TAG: Final = "state"
_NO_NUMBER_TAG: Final = "float"
"""`_STATE_TAG` and `_NO_NUMBER_TAG`: what JSON has no word for, as NaN."""

PutArray = Callable[[str, NDArray[Any]], Any]
"""Takes an array by its name (``messages.size``), gives a reference in JSON."""

GetArray = Callable[[Any], NDArray[Any]]
"""Gives the array back for the reference."""


def encode_value(value: object, put: PutArray, name: str = "") -> Any:  # noqa: ANN401 - JSON
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

    Raises
    ------
    TypeError
        If it holds anything else.
    """
    if isinstance(value, model.TimeState):
        return {_STATE_TAG: int(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {_NO_NUMBER_TAG: str(float(value))}
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, np.generic):
        return encode_value(value.item(), put, name)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _NUMBER_KINDS:
            raise TypeError(f"{name} holds {value.dtype}, not numbers")
        return {"array": put(name, value)}
    if isinstance(value, dict):
        items = [
            [encode_value(k, put, name), encode_value(v, put, name)]
            for k, v in value.items()
        ]
        return {"dict": items}
    if isinstance(value, tuple):
        return _encode_tuple(value, put, name)
    return {_name_of(type(value), name): _encode_fields(value, put, name)}


def _encode_tuple(value: tuple[Any, ...], put: PutArray, name: str) -> Any:  # noqa: ANN401
    kinds = set(map(type, value))
    kind = next(iter(kinds), None)
    if kind is None or len(kinds) != 1 or not is_dataclass(kind):
        return _encode_items(value, put, name)
    columns = [
        _encode_items(tuple(map(attrgetter(field), value)), put, name, f".{field}")
        for field in _field_names(kind)
    ]
    return {"rows": [_name_of(kind, name), len(value), columns]}


def _encode_items(
    items: tuple[Any, ...], put: PutArray, name: str, field: str = ""
) -> list[Any]:
    kinds = set(map(type, items))
    if kinds <= _PLAIN and (float not in kinds or all(map(_is_plain, items))):
        return list(items)
    return [encode_value(one, put, f"{name}.{i}{field}") for i, one in enumerate(items)]


def _is_plain(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _field_names(kind: Any) -> list[str]:  # noqa: ANN401 - dataclass
    return [field.name for field in fields(kind) if field.init]


def _encode_fields(
    value: Any,  # noqa: ANN401 - dataclass
    put: PutArray,
    name: str,
) -> list[Any]:
    begin = f"{name}." if name else ""
    return [
        encode_value(getattr(value, field), put, begin + field)
        for field in _field_names(value)
    ]


def _model_type(name: str) -> type:
    """Return the dataclass of the model with a name; raises `KeyError` without one."""
    kind = getattr(model, name) if name in model.NAMES else None
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise KeyError(name)
    return kind


def _name_of(kind: type, name: str) -> str:
    own: str = kind.__name__
    if not is_dataclass(kind) or getattr(model, own, None) is not kind:
        raise TypeError(f"{name} is of type {own}, which is not in the model")
    return own


def decode_value(
    value: Any,  # noqa: ANN401 - JSON
    get: GetArray,
) -> Any:  # noqa: ANN401 - as it was
    """Return the value that `encode_value` was given.

    Raises `ValueError` or `TypeError` or `KeyError` or `IndexError` if it is not what
    `encode_value` made.
    """
    if isinstance(value, list):
        return tuple(_decode_items(value, get))
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "array":
        return get(content)
    if tag == _STATE_TAG:
        return model.TimeState(content)
    if tag == _NO_NUMBER_TAG:
        return float(content)
    if tag == "dict":
        return {decode_value(k, get): decode_value(v, get) for k, v in content}
    if tag == "rows":
        name, count, columns = content
        kind = _model_type(name)
        if not columns:
            return tuple(kind() for _ in range(count))
        plain = (_decode_items(column, get) for column in columns)
        return tuple(starmap(kind, zip(*plain, strict=True)))
    return _model_type(tag)(*(decode_value(item, get) for item in content))


def _decode_items(items: list[Any], get: GetArray) -> list[Any]:
    if _PLAIN.issuperset(map(type, items)):
        return items
    return [decode_value(item, get) for item in items]


PACK_FILE: Final = "small.npy"

_ALIGNMENT_BYTES: Final = 64


class Pack:
    """Arrays one behind the other, as bytes."""

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.uint8]] = []
        self._size = 0

    def put(self, array: NDArray[Any]) -> dict[str, Any]:
        """Add an array; returns the reference to it."""
        reference = {
            "at": self._size,
            "dtype": array.dtype.str,
            "shape": list(array.shape),
        }
        block = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        gap = -len(block) % _ALIGNMENT_BYTES
        self._blocks += [block, np.zeros(gap, np.uint8)]
        self._size += len(block) + gap
        return reference

    @property
    def blocks(self) -> tuple[memoryview, ...]:
        """All of them, one behind the other."""
        return tuple(block.data for block in self._blocks)

    def bytes(self) -> NDArray[np.uint8]:
        """All of them."""
        return np.concatenate([np.zeros(0, np.uint8), *self._blocks])


def array_getter(folder: Path, pack: memoryview | None = None) -> GetArray:
    """Return the function that finds the array of a reference.

    Parameters
    ----------
    folder
        Where the files are.
    pack
        The pack, if it is a part of another file.
    """
    blobs: dict[str, NDArray[np.uint8]] = {}
    if pack is not None:
        blobs[PACK_FILE] = np.frombuffer(pack, np.uint8)

    def get(payload: Any) -> NDArray[Any]:  # noqa: ANN401 - JSON
        dtype = np.dtype(str(payload["dtype"]))
        shape = tuple(int(n) for n in payload["shape"])
        name = str(payload.get("file", PACK_FILE))
        if Path(name).name != name:
            raise ValueError(f"{name} leads out of the folder")
        if "at" not in payload:
            array = load_array(folder / name)
            if array.dtype != dtype or array.shape != shape:
                raise ValueError(f"{name} is not what the manifest says")
            return array
        if name not in blobs:
            blobs[name] = load_array(folder / name)
        blob, begin = blobs[name], int(payload["at"])
        count = int(np.prod(shape, dtype=np.int64))
        if begin < 0 or begin + count * dtype.itemsize > len(blob):
            raise ValueError(f"an array is not in {name}")
        return np.frombuffer(blob, dtype, count, begin).reshape(shape)

    return get
