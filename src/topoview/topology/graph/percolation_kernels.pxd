from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long NOWHERE = -1;
    static const long long CLEAR_LEAD = 2;
    static const long long FILLING_LEAD = 5;
    static const long long MAX_UNDECIDED = 16;
    static const long long MAX_VAIN_VOTES = 8;
    static const long long MAX_VOTES = 65536;
    """
    const long long NOWHERE, CLEAR_LEAD, FILLING_LEAD, MAX_UNDECIDED, MAX_VAIN_VOTES, MAX_VOTES

cdef class Growth:
    cdef Ints indptr, steps, template_indptr
    cdef Int mask
    cdef Indices indices, template_indices
    cdef Floats looks, template_looks
    cdef OutInts code, keys, at
    cdef OutInts voted, votes, touched
    cdef OutInts entry, after, head, tail, count
    cdef OutInts held
    cdef OutBools is_held

cdef inline Int slot_of_place(Growth growth, Int place) noexcept nogil
cdef inline void settle(Growth growth, Int vertex, Int place) noexcept nogil
cdef inline Int occupied(Growth growth, Int place) noexcept nogil
cdef inline Bool near(Int a, Int b, Int width) noexcept nogil
cdef inline Int append(Growth growth, Int vertex, Int used) noexcept nogil
cdef Int vote(Growth growth, Int v, Int need, Int margin, Int width) noexcept nogil
cdef void grow(Growth growth, Int need, Bool ties, Int width) noexcept nogil
