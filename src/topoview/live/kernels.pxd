from libc.math cimport ceil
from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long CALLS_PER_BLOCK = 1 << 18;
    static const long long MESSAGES_PER_BLOCK = 512;
    static const long long ROWS_PER_BLOCK = 4096;
    static const long long LAST_TIME = 0x7fffffffffffffff;
    """
    const Int CALLS_PER_BLOCK, MESSAGES_PER_BLOCK, ROWS_PER_BLOCK, LAST_TIME

cdef inline Int first_from(Ints time, Int low, Int stop, Int ticks) noexcept nogil
cdef inline Int first_after(Ints time, Int low, Int stop, Int ticks) noexcept nogil
cdef inline Bool is_marked(Bools mask, Indices key, Int call) noexcept nogil
cdef inline Bool is_chosen(Bools chosen, Int rank) noexcept nogil
cdef inline Int last_until(Ints time, Int low, Int first, Int stop, Int ticks) noexcept nogil
cdef inline Int foremost(Bytes state, Int before, Int now, Bytes priority) noexcept nogil
