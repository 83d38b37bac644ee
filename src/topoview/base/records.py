"""Frozen dataclasses that are defined quickly.

A command that shows what is kept needs 150 to 200 classes of data. For each of them
`dataclasses` compiles up to seven functions, which takes a third of the command's time.
Only ``__init__`` differs so much that it is worth compiling.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Final, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_FACTORY: Final = object()
"""Default of what a function makes anew for each instance."""


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, eq: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: type[Any] | None = None, /, *, eq: bool = False) -> Any:
    """Return a class as ``dataclass(frozen=True, slots=True, eq=eq)`` does.

    Parameters
    ----------
    eq
        Whether instances are compared, and hashed, by their fields.
    """

    def define(cls: type[Any]) -> type[Any]:
        own = dict(cls.__dict__)
        made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        made.__dataclass_params__.frozen = True
        made.__dataclass_params__.eq = eq
        shared = {
            "__init__": _initializer(made),
            "__repr__": _repr,
            "__setattr__": _refuse_to_assign,
            "__delattr__": _refuse_to_delete,
            "__getstate__": _state,
            "__setstate__": _restore,
        }
        if eq:
            compared = [f.name for f in fields(made) if f.compare]
            shared |= _comparison(attrgetter(*compared) if compared else type)
        for name, function in shared.items():
            if name not in own:
                setattr(made, name, function)
        return made

    return define if cls is None else define(cls)


def _initializer(cls: type[Any]) -> Callable[..., None]:
    """Compile the ``__init__`` of a class with these fields."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_FACTORY": _FACTORY}
    positional, by_keyword, body = ["self"], ["*"], []
    for each in fields(cls):
        name, factory = each.name, each.default_factory is not MISSING
        value, default = name, ""
        if factory:
            scope[f"_make_{name}"] = each.default_factory
            made = f"_make_{name}()"
            value = f"{made} if {name} is _FACTORY else {name}" if each.init else made
            default = "=_FACTORY"
        elif each.default is not MISSING:
            scope[f"_default_{name}"] = each.default
            value = name if each.init else f"_default_{name}"
            default = f"=_default_{name}"
        if each.init:
            (by_keyword if each.kw_only else positional).append(f"{name}{default}")
        if each.init or default:
            body.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    given = ", ".join(positional + by_keyword * (len(by_keyword) > 1))
    exec("\n".join([f"def __init__({given}):", *body, " return"]), scope)
    result: Callable[..., None] = scope["__init__"]
    result.__qualname__ = f"{cls.__qualname__}.__init__"
    result.__annotations__ = {f.name: f.type for f in fields(cls) if f.init}
    return result


@recursive_repr()
def _repr(self: Any) -> str:  # noqa: ANN401 - a record
    shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_assign(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:  # noqa: ANN401 - a record
    return [getattr(self, f.name) for f in fields(self)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401 - a record
    names: tuple[Field[Any], ...] = fields(self)
    for each, value in zip(names, state, strict=True):
        object.__setattr__(self, each.name, value)


def _comparison(values: Callable[[Any], object]) -> dict[str, Callable[..., Any]]:
    """Return ``__eq__`` and ``__hash__`` of classes by the values of their fields."""

    def equals(self: object, other: object) -> Any:  # noqa: ANN401 - or NotImplemented
        if other.__class__ is not self.__class__:
            return NotImplemented
        # a tuple takes what is the same object for equal
        return (values(self),) == (values(other),)

    def hash_of(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equals, "__hash__": hash_of}
