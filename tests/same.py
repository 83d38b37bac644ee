"""Whether two values of the model are the same."""

from dataclasses import fields, is_dataclass

import numpy as np


def assert_same(one: object, other: object) -> None:
    """Compare all fields; arrays must be read-only, of the same type and content."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype  # type: ignore[attr-defined]
        np.testing.assert_array_equal(one, other)
        assert not one.flags.writeable
    elif is_dataclass(one):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple):
        assert len(one) == len(other)  # type: ignore[arg-type]
        for left, right in zip(one, other, strict=True):  # type: ignore[call-overload]
            assert_same(left, right)
    elif isinstance(one, dict):
        assert list(one) == list(other)  # type: ignore[call-overload]
        assert_same(tuple(one.values()), tuple(other.values()))  # type: ignore[attr-defined]
    elif isinstance(one, float):
        np.testing.assert_equal(one, other)  # NaN is NaN, where nothing is told
    else:
        assert one == other or (one != one and other != other)  # NaN
