from topoview.base.hashing cimport mix_all
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right
from topoview.logical.loops.repetition_kernels cimport cycle_within

cdef inline Int rows_of_call(Int sent, Int received) noexcept nogil
