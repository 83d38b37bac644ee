cimport cython
from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *

@cython.final
cdef class Board:
    cdef Ints indptr
    cdef Indices indices
    cdef IntRows steps
    cdef Ints periods
    cdef Bool plain
    cdef Int width
    cdef OutInts step_numbers, keys
    cdef OutIndices occupants, order
    cdef OutIntRows place, box, scratch
    cdef OutBools placed
    cdef OutInts beside, mark, off, usual, lead
    cdef OutFloats cost
    cdef Int count
    cdef OutInts top, below
    cdef OutIndices queued
    cdef Int queue_length

    cdef inline Int number_of(self, IntRows points, Int i) noexcept nogil
    cdef inline void move(self, IntRows points, Int i, Int step, OutIntRows there, Int j) noexcept nogil
    cdef inline Int step_between(self, IntRows here, Int i, IntRows there, Int j) noexcept nogil
    cdef inline Int apart(self, IntRows here, Int i, IntRows there, Int j, Int a) noexcept nogil
    cdef inline Int distance(self, IntRows here, Int i, IntRows there, Int j) noexcept nogil
    cdef inline Bool is_turned(self, IntRows points, Int i) noexcept nogil
    cdef inline Bool fits(self, Int v, IntRows points, Int i) noexcept nogil
    cdef void put(self, Int v, IntRows points, Int i) noexcept nogil
    cdef void take(self, Int v) noexcept nogil
    cdef void settle(self, Int v, IntRows points, Int i) noexcept nogil
    cdef Int options(self, Int v, Int most, OutIntRows points) noexcept nogil
    cdef Int viable(self, Int v, OutIntRows points) noexcept nogil
    cdef void note_usual(self) noexcept nogil
    cdef Int best_option(self, Int v, IntRows points, Int count, Bool by_rank, Int nth) noexcept nogil
    cdef void queue(self, Int v) noexcept nogil
    cdef void queue_all(self) noexcept nogil
    cdef Int next_queued(self) noexcept nogil
    cdef Bool is_shut(self, Int v, Int w, Int steps) noexcept nogil
    cdef Int find_clashes(self, OutIntRows clashes) noexcept nogil
