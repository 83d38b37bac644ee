"""Arrays from blocks of memory: apart from each other, aligned, given back."""

import gc
import io
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from topoview.store.arrays import MemoryAllocator, parse_header

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


NUMBERS = st.one_of(
    npst.boolean_dtypes(),
    npst.integer_dtypes(),
    npst.unsigned_integer_dtypes(),
    npst.floating_dtypes(),
)


@given(dtype=NUMBERS, shape=npst.array_shapes(min_dims=0, min_side=0))
def test_headers_are_read_as_numpy_writes_them(
    dtype: np.dtype[np.generic], shape: tuple[int, ...]
) -> None:
    file = io.BytesIO()
    np.save(file, np.zeros(shape, dtype))
    data = file.getvalue()
    *layout, begin = parse_header(data)
    assert layout == [dtype, shape]
    assert len(data) - begin == dtype.itemsize * np.prod(shape, dtype=int)


def test_data_without_a_header_are_refused_at_once() -> None:
    begin = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': ("
    for data in (b"", begin, begin + b"1, " * 100_000, begin + b"1" * 100_000):
        with pytest.raises(ValueError, match="no header"):
            parse_header(data)
