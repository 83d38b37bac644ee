from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long NEVER = 0x7fffffffffffffff;
    """
    const Int NEVER

cdef enum:
    MAX_OPEN = 64
    OUTSIDE = 0
    IO = 8
    MEASUREMENT = 10
    GPU_CALL = 11
    WAIT_FOR_GPU = 12
    WAIT_FOR_THREADS = 13
    KERNEL = 14
    COPY = 15
    CLASS_COUNT = 39
    AS_SHOWN = 255

cdef inline void add_within(
    Int begin, Int end, IntRows spans, Int code, OutIntRows ticks, Int first
) noexcept nogil
