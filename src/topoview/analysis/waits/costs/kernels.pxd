from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long BLOCK = 16, MARKS = 64;
    """
    const Int BLOCK, MARKS

cpdef Int marks_before(Bools marks, Ints counts, Int place) noexcept nogil
cdef inline Int least_waiting(Int at, Int search, Ints place, Indices rank, Ints cause, Bools held, Ints waited, OutInts seen) noexcept nogil
# for kernels of other files, too
cdef Int first_stuck(Ints place, Ints stops, Ints enter) noexcept nogil
cdef void leave_queue(OutIndices first, OutIndices following, Int call, Int rank) noexcept nogil
cdef inline Int largest(Ints tree, Ints sums, Int begin, Int end) noexcept nogil
cdef inline void note_largest(Ints tree, Ints sums, Int begin, Int end, Float share, Int k, OutIntRows origins, OutFloatRows ticks) noexcept nogil
cdef inline void note_origin(OutIntRows origins, OutFloatRows ticks, Int k, Int piece, Float share) noexcept nogil
cdef inline void split_wait(Int call, Int end, Int since, Int begin, Ints own, Ints excess, Ints waited, OutFloats shares) noexcept nogil
