"""Bytes of a chunk in memory: loads, stores, and OTF2's compressed integers.

Addresses and values are int64 throughout, unsigned ones as their bit pattern:
kernels that mix signs would compute in floating point. What bounds an access is
said where it is made; behind a chunk there are `PADDING` bytes that may be read.

An integer is compressed to a byte with the number of its bytes that follow, the
highest ones that are zero left out, in the chunk's byte order; 0xFF stands for
"undefined", all bits set (libotf2 3.2, source of ``OTF2_Buffer.h``).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202, ARG001 - numba finds the types of what has none

from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

PADDING: Final = 4096
"""More than any record without a length, or any field, can take."""

UNDEFINED: Final = 255
_WORD: Final = ir.IntType(64)
_MASKS: Final = np.array(
    [(1 << 8 * size) - 1 if size < 8 else -1 for size in range(9)], np.int64
)


def _load(bits: int) -> Any:  # noqa: ANN401 - an intrinsic
    """Make a function that loads unsigned integers of so many bits."""

    def load(_typing, address):
        def generate(context, builder, _signature, arguments):
            pointer = builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer())
            value = builder.load(pointer, align=1)
            return value if bits == 64 else builder.zext(value, _WORD)

        return types.int64(types.int64), generate

    return intrinsic(load)


def _store(bits: int) -> Any:  # noqa: ANN401 - an intrinsic
    """Make a function that stores the lowest bits of an integer in an array."""

    def store(_typing, array, index, value):
        def generate(context, builder, _signature, arguments):
            array, index, value = arguments
            kind = ir.IntType(bits)
            pointer = builder.inttoptr(array, kind.as_pointer())
            place = builder.gep(pointer, [index])
            builder.store(value if bits == 64 else builder.trunc(value, kind), place)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    return intrinsic(store)


load8, load32, load64 = _load(8), _load(32), _load(64)
store8, store32, store64 = _store(8), _store(32), _store(64)


@intrinsic
def move(_typing, to, begin, size):
    """Move bytes from one address to another; the two may overlap."""

    def generate(context, builder, _signature, arguments):
        to, begin, size = arguments
        byte = ir.IntType(8).as_pointer()
        flag = ir.Constant(ir.IntType(1), 0)
        function = builder.module.declare_intrinsic("llvm.memmove", [byte, byte, _WORD])
        places = (builder.inttoptr(to, byte), builder.inttoptr(begin, byte))
        builder.call(function, (*places, size, flag))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def load_real(_typing, address):
    """Load a float64."""

    def generate(context, builder, _signature, arguments):
        kind = ir.DoubleType()
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.load(pointer, align=1)

    return types.float64(types.int64), generate


@intrinsic
def _reverse(_typing, value):
    """Reverse the bytes of an integer."""

    def generate(context, builder, _signature, arguments):
        return builder.bswap(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _down(_typing, value, bits):
    """Shift right, zeros in from the left."""

    def generate(context, builder, _signature, arguments):
        return builder.lshr(*arguments)

    return types.int64(types.int64, types.int64), generate


@numba.njit(inline="always")
def whole(at, swap):
    """Integer of eight bytes at an address, in the chunk's byte order."""
    value = load64(at)
    return _reverse(value) if swap else value


@numba.njit(inline="always")
def compressed(at, swap, widest, bad):
    """Compressed integer of at most `widest` bytes; where the next one begins.

    The third result is `bad`, or 1 if the integer is none.
    """
    size = load8(at)
    if size > widest:
        value = np.int64(-1) if widest == 8 else np.int64(0xFFFFFFFF)
        return value, at + 1, bad if size == UNDEFINED else np.int64(1)
    value = load64(at + 1)
    if swap and size:
        value = _down(_reverse(value), 64 - 8 * size)
    else:
        value &= _MASKS[np.uint64(size)]
    return value, at + 1 + size, bad


@numba.njit(inline="always")
def length(at, swap):
    """Length of a record's content, and where that begins."""
    size = load8(at)
    if size == UNDEFINED:
        return whole(at + 1, swap), at + 9
    return size, at + 1
