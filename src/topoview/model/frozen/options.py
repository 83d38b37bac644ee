"""Options that know their words: which texts a field may hold is part of its type.

A field of few fixed words is a `Literal`, which the type checker sees. One that names a
row of a table of the program, such as a colouring, is annotated with `OneOf`: such
tables grow, in rooms above. The user's own words are `FreeText`.
"""

import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Annotated, Any, Literal, Union, get_args, get_origin


@dataclass(frozen=True, slots=True)
class OneOf:
    """Says that a text is a name in tables, or one of some others."""

    tables: str
    """Modules within topoview and the names of tables there, apart by spaces:
    ``live.layouts:LAYOUT_TEXTS``."""
    also: tuple[str, ...] = ()
    """Further words."""
    counters: bool = False
    """Whether it may name a counter of the trace, too: ``counter-3-0``."""


@dataclass(frozen=True, slots=True)
class _Free:
    """Says that a text is the user's own, or is looked up without harm."""


FreeText = Annotated[str, _Free()]

_COUNTER = re.compile(r"counter-\d+-\d+")


@cache
def words_of(kind: Any) -> frozenset[str] | None:  # noqa: ANN401 - any type
    """Return the words that a text may be by its type; None if there is no such list.

    Parameters
    ----------
    kind
        The type of a field, with its annotations (``get_type_hints(...,
        include_extras=True)``).
    """
    if get_origin(kind) is Literal:
        return frozenset(map(str, get_args(kind)))
    for note in _notes(kind):
        if isinstance(note, OneOf):
            tables = [resolve_name(f"topoview.{name}") for name in note.tables.split()]
            return frozenset(
                (*note.also, *(word for table in tables for word in table))
            )
    return None


def is_word(kind: Any, text: str) -> bool:  # noqa: ANN401 - any type
    """Return whether a text may be the value of a field of a type."""
    notes = _notes(kind)
    if any(isinstance(note, _Free) for note in notes):
        return True
    if any(isinstance(n, OneOf) and n.counters for n in notes) and (
        _COUNTER.fullmatch(text)
    ):
        return True
    words = words_of(kind)
    return words is not None and text in words


def texts_in(kind: Any) -> Iterator[Any]:  # noqa: ANN401 - any type
    """Find the types of the texts in a type: of a tuple those of its items."""
    if kind is str or get_origin(kind) is Literal or _is_noted_text(kind):
        yield kind
    elif get_origin(kind) in (Union, types.UnionType, tuple, frozenset):
        for part in get_args(kind):
            yield from texts_in(part)


def _is_noted_text(kind: Any) -> bool:  # noqa: ANN401 - any type
    return get_origin(kind) is Annotated and get_args(kind)[0] is str


def _notes(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any type
    return get_args(kind)[1:] if get_origin(kind) is Annotated else ()
