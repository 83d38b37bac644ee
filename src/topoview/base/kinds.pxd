# C types of what kernels take; kinds.py has the same names for Python.
# X is only read (the array may be read-only), OutX is written. XRows has two axes.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

# Other names, not other types: Cython infers either of two equal types, by where its
# objects lie in memory, and builds would differ.
from libc.stdint cimport int64_t as Int, uint64_t as Code

ctypedef double Float
ctypedef float Single
ctypedef bint Bool

ctypedef const int64_t[::1] Ints
ctypedef int64_t[::1] OutInts
ctypedef const int64_t[:, ::1] IntRows
ctypedef int64_t[:, ::1] OutIntRows
ctypedef const int32_t[::1] Indices
ctypedef int32_t[::1] OutIndices
ctypedef const int32_t[:, ::1] IndexRows
ctypedef int32_t[:, ::1] OutIndexRows
ctypedef const uint64_t[::1] Codes
ctypedef uint64_t[::1] OutCodes
ctypedef const uint64_t[:, ::1] CodeRows
ctypedef uint64_t[:, ::1] OutCodeRows
ctypedef const uint32_t[::1] Words
ctypedef uint32_t[::1] OutWords
ctypedef const uint32_t[:, ::1] WordRows
ctypedef uint32_t[:, ::1] OutWordRows
ctypedef const uint16_t[::1] Shorts
ctypedef uint16_t[::1] OutShorts
ctypedef const uint8_t[::1] Bytes
ctypedef uint8_t[::1] OutBytes
ctypedef const uint8_t[:, ::1] ByteRows
ctypedef uint8_t[:, ::1] OutByteRows
ctypedef const uint8_t[::1] Bools
ctypedef uint8_t[::1] OutBools
ctypedef const uint8_t[:, ::1] BoolRows
ctypedef uint8_t[:, ::1] OutBoolRows
ctypedef const double[::1] Floats
ctypedef double[::1] OutFloats
ctypedef const double[:, ::1] FloatRows
ctypedef double[:, ::1] OutFloatRows
ctypedef const float[::1] Singles
ctypedef float[::1] OutSingles
ctypedef const float[:, ::1] SingleRows
ctypedef float[:, ::1] OutSingleRows

ctypedef (Int, Int) Pair
ctypedef (Int, Int, Int) Triple
ctypedef (Float, Float) FloatPair
ctypedef (Float, Float, Float) FloatTriple

cdef extern from *:
    bint unlikely(bint condition) noexcept nogil
