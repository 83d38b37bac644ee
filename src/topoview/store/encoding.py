"""Frozen data as JSON and plain arrays: what the store keeps, and nothing that runs.

Dataclasses of the model become their fields, tuples of one dataclass (100,000
locations) become columns, arrays a reference to a file or to a place in a pack of
small arrays. Nothing but known dataclasses is made when it is read back.
"""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
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

_NUMBERS_TAG: Final = "numbers"
_TEXTS_TAG: Final = "texts"
_COLUMN_TAGS: Final = frozenset({_NUMBERS_TAG, _TEXTS_TAG})
"""`_NUMBERS_TAG` and `_TEXTS_TAG`: columns as arrays; of texts as each text once, and
which of these each is."""

_LONG_COLUMN: Final = 1 << 12
"""Items from which on a column is an array."""

PutArray = Callable[[str, NDArray[Any]], Any]
"""Takes an array by its name (``messages.size``), gives a reference in JSON."""

GetArray = Callable[[Any], NDArray[Any]]
"""Gives the array back for the reference."""


def encode_value(
    value: object, put: PutArray, name: str = "", *, columns: bool = False
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
    columns
        Whether long columns of integers and of texts become arrays, too: those of a
        million ranks take JSON a second each time.

    Raises
    ------
    TypeError
        If it holds anything else.
    """
    encode = _Encoder(put, columns=columns)
    return encode.value(value, name)


class _Encoder:
    def __init__(self, put: PutArray, *, columns: bool) -> None:
        self._put, self._columns = put, columns

    def value(self, value: object, name: str) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, model.TimeState):
            return {_STATE_TAG: int(value)}
        if isinstance(value, float) and not math.isfinite(value):
            return {_NO_NUMBER_TAG: str(float(value))}
        if value is None or isinstance(value, (bool, str, int, float)):
            return value
        if isinstance(value, np.generic):
            return self.value(value.item(), name)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in _NUMBER_KINDS:
                raise TypeError(f"{name} holds {value.dtype}, not numbers")
            return {"array": self._put(name, value)}
        if isinstance(value, dict):
            items = [
                [self.value(k, name), self.value(v, name)] for k, v in value.items()
            ]
            return {"dict": items}
        if isinstance(value, tuple):
            return self._tuple(value, name)
        return {_name_of(type(value), name): self._fields(value, name)}

    def _tuple(self, value: tuple[Any, ...], name: str) -> Any:  # noqa: ANN401 - JSON
        kinds = set(map(type, value))
        kind = next(iter(kinds), None)
        if kind is None or len(kinds) != 1 or not is_dataclass(kind):
            return self._items(value, name)
        columns = [
            self._items(tuple(map(attrgetter(field), value)), name, f".{field}")
            for field in _field_names(kind)
        ]
        return {"rows": [_name_of(kind, name), len(value), columns]}

    def _items(self, items: tuple[Any, ...], name: str, field: str = "") -> Any:  # noqa: ANN401 - JSON
        kinds = set(map(type, items))
        if self._columns and len(items) >= _LONG_COLUMN:
            if kinds == {int} and (numbers := np.array(items)).dtype.kind in "iu":
                return {_NUMBERS_TAG: self._put(f"{name}{field}", numbers)}
            if kinds == {str}:
                place = {text: k for k, text in enumerate(dict.fromkeys(items))}
                which = np.fromiter(map(place.__getitem__, items), np.int32, len(items))
                return {_TEXTS_TAG: [[*place], self._put(f"{name}{field}", which)]}
        if kinds <= _PLAIN and (float not in kinds or all(map(_is_plain, items))):
            return list(items)
        return [self.value(one, f"{name}.{i}{field}") for i, one in enumerate(items)]

    def _fields(self, value: Any, name: str) -> list[Any]:  # noqa: ANN401 - dataclass
        begin = f"{name}." if name else ""
        return [
            self.value(getattr(value, field), begin + field)
            for field in _field_names(value)
        ]


def _is_plain(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _field_names(kind: Any) -> list[str]:  # noqa: ANN401 - dataclass
    return [field.name for field in fields(kind) if field.init]


@cache
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
    if tag in _COLUMN_TAGS:
        return tuple(_decode_items(value, get))
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


def _decode_items(items: list[Any] | dict[str, Any], get: GetArray) -> list[Any]:
    if isinstance(items, dict):
        ((tag, content),) = items.items()
        if tag == _NUMBERS_TAG:
            numbers: list[Any] = get(content).tolist()
            return numbers
        texts, which = content
        return list(map(texts.__getitem__, get(which).tolist()))
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
        if name != PACK_FILE and Path(name).name != name:
            raise ValueError(f"{name} leads out of the folder")
        if "at" not in payload:
            array = load_array(folder / name)
            if array.dtype != dtype or array.shape != shape:
                raise ValueError(f"{name} is not what the manifest says")
            return array
        if name not in blobs:
            blobs[name] = load_array(folder / name)
        blob, begin = blobs[name], int(payload["at"])
        count = math.prod(shape)
        if begin < 0 or begin + count * dtype.itemsize > len(blob):
            raise ValueError(f"an array is not in {name}")
        return np.frombuffer(blob, dtype, count, begin).reshape(shape)

    return get
