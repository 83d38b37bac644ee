from topoview.base.kinds cimport *

cdef Pair search_edits(Ints a, Int i, Int n, Ints b, Int j, Int m, OutIntRows reach) noexcept nogil
cdef inline Bool from_above(OutIntRows reach, Int d, Int k, Int zero) noexcept nogil
cdef void trace_back(OutIntRows reach, Int d, Int k, Int i, Int j, OutInts partner) noexcept nogil
