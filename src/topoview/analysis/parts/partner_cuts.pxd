from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const double LOW_OVERLAP = 0.3, HIGH_OVERLAP = 0.6;
    static const double MIN_OVERLAP_OF_KIND = 0.5;
    static const long long MAX_KINDS = 12;
    """
    const Float LOW_OVERLAP, HIGH_OVERLAP, MIN_OVERLAP_OF_KIND
    const Int MAX_KINDS

cdef inline Int shift(OutInts more, Int symbol, Int change) noexcept nogil
cdef void join(Indices symbol, Bools starts, OutIndices kind, Int begin, Int end, Int symbols, OutIntRows counts, OutIntRows at_edge, OutBoolRows free, OutIndices target) noexcept nogil
cdef inline Int keep_column(OutBoolRows free, Int symbol, Int least, Int most) noexcept nogil
cdef void find_targets(Indices symbol, Bools starts, Indices kind, Int begin, Int end, IntRows counts, BoolRows free, OutIndices target) noexcept nogil
