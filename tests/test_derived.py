"""What is derived from a frozen thing is made once, and does not hold it."""

import gc
from dataclasses import dataclass
from weakref import ref

from topoview.model import Frozen, kept_with_source


@dataclass(frozen=True, slots=True, eq=False)
class _Thing(Frozen):
    number: int


def test_it_is_made_once_for_each_thing_and_argument_and_goes_with_the_thing() -> None:
    made: list[tuple[int, int]] = []

    @kept_with_source(most=2)
    def scaled(thing: _Thing, by: int = 1) -> int | None:
        made.append((thing.number, by))
        return thing.number * by if by else None

    one, other = _Thing(3), _Thing(3)
    assert [scaled(one, 2), scaled(one, 2), scaled(other, 2)] == [6, 6, 6]
    assert [scaled(one, 0), scaled(one, by=2), scaled(one, 0)] == [None, 6, None]
    assert made == [(3, 2), (3, 2), (3, 0), (3, 2)], "things are told by identity"
    scaled(one, 2)
    assert len(made) == 5, "only the latest two are kept"
    watched = ref(one)
    del one
    gc.collect()
    assert watched() is None
