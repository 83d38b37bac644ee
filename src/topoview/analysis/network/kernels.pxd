from libc.math cimport INFINITY, exp
from topoview.base.hashing cimport mix
from topoview.base.kinds cimport *

cdef inline Int most_tied(Ints node, Floats gain, Floats whole) noexcept nogil
cdef inline Float mapping_cost(Int rank, Int place, Int without, Ints node, Ints begin, Ints partner, Floats weight, IndexRows distance) noexcept nogil
cdef inline Int drawn_below(Int number, Int limit) noexcept nogil
cdef inline Float drawn_share(Int number) noexcept nogil
cdef inline void cover(OutFloats load, Int begin, Int start, Int steps, Int extent, Int stride, Float amount) noexcept nogil
cdef void sum_up(OutFloats load, Ints dims, Int nodes) noexcept nogil
cdef Int breadth_first(Ints begin, Ints reached, Int start, OutIndices far, OutFloats ways, OutInts queue) noexcept nogil
