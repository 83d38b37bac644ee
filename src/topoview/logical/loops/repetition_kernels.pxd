from topoview.base.hashing cimport mix
from topoview.base.kinds cimport *

cdef class InnerRuns:
    cdef OutInts text, backwards
    cdef OutIntRows runs
    cdef OutInts classes, first
    cdef OutInts ahead, behind, over, under
    cdef int reserve(self, Int symbols) except -1

cdef inline Int lines_saved(Int uses, Int lines) noexcept nogil
cdef inline Int spread_uses(Ints place, Int low, Int high, Int length, OutInts begins) noexcept nogil
cdef void sort_suffixes(Ints text, OutInts order, OutInts place, OutInts other, OutInts count) noexcept nogil
cdef void common_prefixes(Ints text, Ints order, Ints place, OutInts common) noexcept nogil
cdef Int cycle_within(Ints s, Int begin, Int n, OutInts border) noexcept nogil
cdef inline Int find_width(Ints s, Ints backwards, Int width, Int low, Int high, OutIntRows runs, Int count, OutInts ahead, OutInts behind, OutInts over, OutInts under) noexcept nogil
cdef inline Int runs_across(Ints s, Ints backwards, Int low, Int middle, Int high, OutIntRows runs, Int count, OutInts ahead, OutInts behind, OutInts over, OutInts under) noexcept nogil
cdef inline void own_matches(Ints s, Int start, Int stop, OutInts out) noexcept nogil
cdef inline void matches(Ints s, Int pattern, Int text, Int stop, Ints own, Int starts, OutInts out) noexcept nogil
cdef inline Int class_at(Ints s, Ints text, Int root, Int length, Ints table, Ints begin, Ints period) noexcept nogil
cdef inline Int least_rotation(Ints s, Int begin, Int n) noexcept nogil
cdef Int find_inner_runs(Int which, Ints s, Ints table, Ints begin, Ints period, InnerRuns inner) noexcept nogil
