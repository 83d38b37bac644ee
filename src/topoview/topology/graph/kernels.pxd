from topoview.base.kinds cimport *

# for kernels of other files, too
cdef Int breadth_first(Ints indptr, Indices indices, Int met, OutIndices distance, OutIndices queue) noexcept nogil

cdef inline Int next_ring(Ints indptr, Indices indices, Int begin, Int end, OutIndices distance, OutIndices queue) noexcept nogil
cdef inline Code mixed_colour(Int vertex) noexcept nogil
cdef inline Int beside(Ints indptr, Indices indices, Int here, OutIndices place, OutIndices near, OutCodes marks) noexcept nogil
cdef inline Int find_root(OutInts parent, Int x) noexcept nogil
cdef inline void unite(OutInts parent, Int a, Int b) noexcept nogil
