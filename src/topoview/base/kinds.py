"""Types of what kernels take, for Python and mypy; `kinds.pxd` has those of C.

``X`` is only read, and may be read-only; ``OutX`` is written; ``XRows`` has two axes.
Arrays are contiguous in memory: another dtype, shape or order is a `ValueError`.
"""

import numpy as np
from numpy.typing import NDArray

Int = int
Code = np.uint64
Float = float
Single = np.float32
Bool = bool
Ints = NDArray[np.int64]
OutInts = NDArray[np.int64]
IntRows = NDArray[np.int64]
OutIntRows = NDArray[np.int64]
Indices = NDArray[np.int32]
OutIndices = NDArray[np.int32]
IndexRows = NDArray[np.int32]
OutIndexRows = NDArray[np.int32]
Codes = NDArray[np.uint64]
OutCodes = NDArray[np.uint64]
CodeRows = NDArray[np.uint64]
OutCodeRows = NDArray[np.uint64]
Words = NDArray[np.uint32]
OutWords = NDArray[np.uint32]
WordRows = NDArray[np.uint32]
OutWordRows = NDArray[np.uint32]
Shorts = NDArray[np.uint16]
OutShorts = NDArray[np.uint16]
Bytes = NDArray[np.uint8]
OutBytes = NDArray[np.uint8]
ByteRows = NDArray[np.uint8]
OutByteRows = NDArray[np.uint8]
Bools = NDArray[np.bool_]
OutBools = NDArray[np.bool_]
BoolRows = NDArray[np.bool_]
OutBoolRows = NDArray[np.bool_]
Floats = NDArray[np.float64]
OutFloats = NDArray[np.float64]
FloatRows = NDArray[np.float64]
OutFloatRows = NDArray[np.float64]
Singles = NDArray[np.float32]
OutSingles = NDArray[np.float32]
SingleRows = NDArray[np.float32]
OutSingleRows = NDArray[np.float32]
Pair = tuple[int, int]
Triple = tuple[int, int, int]
FloatPair = tuple[float, float]
FloatTriple = tuple[float, float, float]


def unlikely(condition: bool) -> bool:
    """Return a condition that is seldom true, so that what follows is out of the way.

    That is worth it where a loop has a handful of instructions.
    """
    return condition
