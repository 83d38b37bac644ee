from topoview.base.kinds cimport *

cdef extern from *:
    """static const long long MAX_DEGREE = 256;"""
    const long long MAX_DEGREE

cdef inline Int fits_at(Ints indptr, Indices indices, Ints tptr, Indices tind, Ints vertex, Int v, OutInts mark) noexcept nogil
