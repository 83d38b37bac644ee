cimport cython
from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long MAX_CHOICES = 4000;
    static const long long MAX_COMPARED = 3;
    """
    const Int MAX_CHOICES, MAX_COMPARED

cdef Int bits(Int mask) noexcept nogil

@cython.final
cdef class Naming:
    cdef Int degree
    cdef Ints indptr
    cdef Indices indices
    cdef Bools inner
    cdef OutBools named
    cdef OutIndices waiting
    cdef OutIndexRows ends
    cdef OutInts opposite, at, allowed, chosen, joined, beside, step, untried, taken
    cdef OutIntRows ours, theirs, left

    cdef Int name_from(self, Int w, Bool guess) noexcept nogil
    cdef Int allow(self, Int w) noexcept nogil
    cdef inline Int listed_beside(self, Int v) noexcept nogil
    cdef void join(self, Indices near, OutInts joined) noexcept nogil
    cdef void compare_joined(self) noexcept nogil
    cdef void share(self, Indices near, OutIntRows shared) noexcept nogil
    cdef Int assign(self, Bool guess) noexcept nogil
    cdef Bool oppose(self, Int w) noexcept nogil
