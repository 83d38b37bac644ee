"""Who gives up is heard deep below tables of functions, and only within."""

import pytest

from topoview.progress import Cancelled, breathe, breathing, in_breaths


def test_breaths_are_heard_only_within() -> None:
    told: list[tuple[str, float]] = []
    breathe()
    with breathing(lambda stage, part: told.append((stage, part)), "one", 0.5):
        breathe()
        with breathing(lambda stage, part: told.append((stage, part)), "two"):
            assert len(list(in_breaths(3))) == 1
        breathe()
    breathe()
    assert told == [("one", 0.5), ("two", 0.0), ("one", 0.5)]


def test_after_giving_up_nobody_is_asked() -> None:
    def give_up(_stage: str, _part: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled), breathing(give_up, "one"):
        breathe()
    breathe()
