from topoview.base.kinds cimport *

cdef extern from *:
    """static const long long MAX_DEGREE = 256;"""
    const long long MAX_DEGREE

cdef void count_agreeing(Ints indptr, Indices indices, Ints tptr, Indices tind, Ints vertex, OutInts mark, OutInts agree) noexcept nogil
cdef inline Int fits_at(Ints indptr, Indices indices, Ints tptr, Indices tind, OutInts vertex, Int v, OutInts mark) noexcept nogil
