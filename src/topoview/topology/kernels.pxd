from libc.math cimport sqrt

from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *

cdef inline Int row_from(Ints indptr, Indices indices, Int u, Int least) noexcept nogil
