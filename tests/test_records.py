"""Records are what `dataclasses` makes of the same class, but quickly defined."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import (
    FrozenInstanceError,
    asdict,
    dataclass,
    field,
    fields,
    is_dataclass,
    replace,
)
from typing import Any, ClassVar

import pytest

from topoview.base.records import record


class _Body:
    """A class before it is decorated."""

    first: int
    """Words."""
    second: str = "b"
    third: list[int] = field(default_factory=list, compare=False)
    sum_: float = field(init=False, repr=False, compare=False)
    late: int = field(default=3, init=False)
    named: tuple[int, ...] = field(default=(), kw_only=True)
    kind: ClassVar[str] = "body"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum_", self.first + len(self.third))


def define(decorator: Callable[[type[Any]], type[Any]], name: str) -> type[Any]:
    body = dict(_Body.__dict__)
    for made in ("__dict__", "__weakref__"):
        del body[made]
    return decorator(type(name, (), body | {"__qualname__": name}))


Record = define(record(eq=True), "Record")
Plain = define(record, "Plain")
Wanted = define(dataclass(frozen=True, slots=True), "Wanted")


def words(value: object) -> str:
    return repr(value).replace("Record", "Wanted").replace("Plain", "Wanted")


@pytest.mark.parametrize("kind", [Record, Plain])
def test_as_a_dataclass(kind: type[Any]) -> None:
    one, wanted = kind(1, third=[4, 5], named=(7,)), Wanted(1, third=[4, 5], named=(7,))
    assert is_dataclass(kind)
    assert words(one) == repr(wanted)
    assert asdict(one) == asdict(wanted)
    assert [f.name for f in fields(one)] == [f.name for f in fields(wanted)]
    assert kind(1).third is not kind(1).third
    assert one.sum_ == 3
    assert one.kind == "body"
    assert not hasattr(one, "__dict__")
    assert kind.__slots__ == Wanted.__slots__
    ours, theirs = inspect.signature(kind), inspect.signature(Wanted)
    assert list(ours.parameters) == list(theirs.parameters)
    for name, parameter in theirs.parameters.items():
        assert ours.parameters[name].kind == parameter.kind
    changed = replace(one, first=10)
    assert (changed.first, changed.sum_, changed.third) == (10, 12, [4, 5])
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert type(other) is kind
        assert asdict(other) == asdict(one)
    with pytest.raises(TypeError, match="missing 1 required"):
        kind()
    with pytest.raises(TypeError, match="unexpected keyword"):
        kind(1, late=4)


@pytest.mark.parametrize("kind", [Record, Plain])
def test_nothing_can_be_changed(kind: type[Any]) -> None:
    one = kind(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        one.first = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
        del one.first
    with pytest.raises(FrozenInstanceError):
        one.other = 2


def test_compared_by_fields_or_not() -> None:
    assert Record(1, third=[1]) == Record(1, third=[2])
    assert Record(1) != Record(2)
    assert Record(1) != Wanted(1)
    assert hash(Record(1)) == hash(Record(1, third=[1]))
    nan = float("nan")
    assert Record(nan) == Record(nan)  # the same object, as in tuples
    assert Plain(1) != Plain(1)
    assert len({Plain(1), Plain(1)}) == 2


def test_own_methods_stay() -> None:
    @record(eq=True)
    class Own:
        """A class with methods of its own."""

        value: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 5

    @record(eq=True)
    class Empty:
        """A class without fields."""

    assert (repr(Own(1)), hash(Own(1))) == ("own", 5)
    assert Own(1) == Own(2)
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
