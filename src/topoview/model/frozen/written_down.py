"""Reads frozen dataclasses from what was written down as JSON, field by field.

Nothing is made of it before it is checked: types, lengths, words, extra fields.
"""

import math
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from topoview.model.frozen.options import is_word, texts_in
from topoview.model.layout import Geometry

MAX_TEXT_LENGTH: Final = 2000
MAX_INTEGER: Final = 1 << 62
"""What a file may hold at most: characters of a text, whole numbers."""

_CONTROL: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but for the end of a line, and what turns a text's direction."""


@cache
def hints_of(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    """Return the types of a dataclass's fields, with what they say of their words."""
    return get_type_hints(kind, include_extras=True)


def default_of(each: Any) -> object:  # noqa: ANN401 - a dataclass' field
    """Return what a field is unless it is given."""
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default  # MISSING, which no value equals


class UnsoundError(ValueError):
    """What is wrong in what was written down, and where."""


def expect(sound: bool, where: str) -> None:
    """Complain of a place unless it is sound."""
    if not sound:
        raise UnsoundError(f"{where} is not sound")


def decode(kind: Any, payload: Any, where: str) -> Any:  # noqa: ANN401
    """Decode what JSON gave as a value of a type, or complain of the place."""
    if kind in texts_in(kind):
        expect(isinstance(payload, str) and len(payload) <= MAX_TEXT_LENGTH, where)
        expect(not _CONTROL.search(payload) and is_word(kind, payload), where)
        return payload
    plain = _PLAIN.get(kind)
    if plain is not None:
        expect(plain(payload), where)
        return kind(payload)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in get_args(kind) if each is not type(None))
        return None if payload is None else decode(inner, payload, where)
    if origin in (tuple, frozenset):
        return _decode_items(kind, payload, where)
    expect(is_dataclass(kind) and isinstance(payload, dict), where)
    return _decode_fields(kind, payload, where)


_PLAIN: Final[Mapping[object, Callable[[Any], bool]]] = {
    bool: lambda payload: isinstance(payload, bool),
    int: lambda payload: type(payload) is int and abs(payload) < MAX_INTEGER,
    float: lambda payload: type(payload) in (int, float) and math.isfinite(payload),
}


def _decode_items(kind: Any, payload: Any, where: str) -> Any:  # noqa: ANN401
    expect(isinstance(payload, list), where)
    inner = get_args(kind)
    if get_origin(kind) is frozenset or inner[-1] is Ellipsis:
        inner = (inner[0],) * len(payload)
    expect(len(inner) == len(payload), where)
    items = (
        decode(each, item, where) for each, item in zip(inner, payload, strict=True)
    )
    return get_origin(kind)(items)


def _decode_fields(kind: Any, payload: dict[str, Any], where: str) -> Any:  # noqa: ANN401
    hints = hints_of(kind)
    names = {each.name for each in fields(kind)}
    needed = {each.name for each in fields(kind) if default_of(each) is MISSING}
    expect(needed <= set(payload) <= names, where)
    decoded = {
        name: decode(hints[name], value, f"{where}.{name}")
        for name, value in payload.items()
    }
    made = kind(**decoded)
    expect(kind is not Geometry or made.is_sound, where)
    return made
