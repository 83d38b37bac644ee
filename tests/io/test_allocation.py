"""Arrays from blocks of memory: apart from each other, aligned, given back."""

import gc
import weakref

import numpy as np
import pytest

from topoview.store.arrays import MemoryAllocator

LARGE = 1 << 18


def test_arrays_do_not_overlap() -> None:
    memory = MemoryAllocator()
    arrays = [
        memory(str(number), length, dtype, scratch=bool(number % 2))
        for number, (length, dtype) in enumerate(
            [(LARGE, np.int64), (7, np.uint8), (3 * LARGE + 1, np.int32)] * 20
        )
    ]
    for number, array in enumerate(arrays):
        array[:] = number
    for number, array in enumerate(arrays):
        assert array.flags.writeable
        assert array.flags.aligned
        assert (array == number).all()


def test_a_block_is_given_back_with_its_last_array() -> None:
    memory = MemoryAllocator()
    kept, passing = memory("a", LARGE, np.int64), memory("b", LARGE, np.int64)
    alone = memory("c", LARGE, np.int64, scratch=True)
    block = weakref.ref(memory("d", LARGE, np.int64).base.obj)
    del memory, passing, alone
    gc.collect()
    assert block() is not None
    del kept
    gc.collect()
    assert block() is None


def test_too_much_is_no_memory() -> None:
    with pytest.raises(MemoryError):
        MemoryAllocator()("a", 1 << 60, np.uint8)
