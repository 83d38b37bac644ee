from topoview.base.kinds cimport *

cdef inline Int find_root(OutInts parent, Int x) noexcept nogil
cdef inline void unite(OutInts parent, Int a, Int b) noexcept nogil
