cimport cython
from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long MAX_DEGREE = 256;
    static const long long WORD = 32;
    """
    const long long MAX_DEGREE, WORD

@cython.final
cdef class Placing:
    cdef Int n, words, depth
    cdef readonly Int steps
    cdef Ints tptr, by_degree
    cdef Indices tind
    cdef OutInts at, place, turn, many, whole, lack, opens
    cdef OutIntRows choices, open, beside, may, free, full, but_one

    cdef void meet(self, Int depth, Int place) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef void carry_over(self, Int place) noexcept nogil
    cdef Bool put(self) noexcept nogil
    cdef Bool search(self) noexcept nogil

cdef inline Int fits_at(Ints indptr, Indices indices, Ints tptr, Indices tind, Ints vertex, Int v, OutInts mark) noexcept nogil
cdef inline void enter(OutIntRows sets, Int row, Int v) noexcept nogil
cdef inline void leave(OutIntRows sets, Int row, Int v) noexcept nogil
cdef inline Bool has(OutIntRows sets, Int row, Int v) noexcept nogil
cdef inline Int bits_of(Int word) noexcept nogil
