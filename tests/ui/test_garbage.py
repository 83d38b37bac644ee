"""Garbage is looked for between events alone, where no lock of Qt is held."""

import gc
import weakref

import pytest

from topoview.ui.shell.app import collect_garbage


class Node:
    """Part of a cycle."""

    def __init__(self) -> None:
        self.own = self


@pytest.mark.parametrize(("limit", "is_found"), [(0, True), (1 << 30, False)])
def test_garbage_is_found_when_there_is_enough(limit: int, *, is_found: bool) -> None:
    before = gc.get_threshold()
    gc.disable()
    gc.collect()
    try:
        gc.set_threshold(limit + 1, *before[1:])
        gone = weakref.ref(Node())
        some = [[number] for number in range(10)]
        collect_garbage()
        assert (gone() is None) == is_found
        assert len(some) == 10
    finally:
        gc.set_threshold(*before)
        gc.enable()
