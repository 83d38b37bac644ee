from topoview.base.kinds cimport *

cdef inline Bool are_joined(Ints indptr, Indices indices, Int u, Int v) noexcept nogil
