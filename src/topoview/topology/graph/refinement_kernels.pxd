from topoview.base.kinds cimport *
from topoview.base.ordering cimport sort_by_key, sort_ints

cpdef Int last_shared(IntRows cells, Int last) noexcept nogil
cdef inline void swap(OutInts order, OutInts position, Int p, Int q) noexcept nogil
cdef inline Code mixed(Code trace, Int value) noexcept nogil
cdef inline (Code, Int) split(OutInts order, OutInts position, OutInts start, OutInts length, Int cell, Int first, OutInts count, OutInts queue, OutInts waits, Int tail, Code trace, OutInts spare) noexcept nogil
