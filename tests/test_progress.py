"""Who gives up is heard deep below tables of functions, and only within."""

import pytest

from topoview.progress import (
    Cancelled,
    cancellable,
    cancellable_batches,
    check_cancelled,
)


def test_breaths_are_heard_only_within() -> None:
    told: list[tuple[str, float]] = []
    check_cancelled()
    with cancellable(lambda stage, part: told.append((stage, part)), "one", 0.5):
        check_cancelled()
        with cancellable(lambda stage, part: told.append((stage, part)), "two"):
            assert len(list(cancellable_batches(3))) == 1
        check_cancelled()
    check_cancelled()
    assert told == [("one", 0.5), ("two", 0.0), ("one", 0.5)]


def test_after_giving_up_nobody_is_asked() -> None:
    def give_up(_stage: str, _part: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled), cancellable(give_up, "one"):
        check_cancelled()
    check_cancelled()
