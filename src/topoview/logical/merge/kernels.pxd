from topoview.base.hashing cimport mix
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_left

cdef inline Int push(OutIntRows heap, Int n, Int key, Int value) noexcept nogil
cdef inline Int pop(OutIntRows heap, Int n) noexcept nogil
