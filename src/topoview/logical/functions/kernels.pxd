from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_left

cdef extern from *:
    """
    static const long long ALL_LEVELS = 255, MAX_LEVELS_OPEN = 254;
    static const long long MAX_DEPTH = 256, MAX_PARAMETERS_OF_FUNCTION = 8;
    """
    const Int ALL_LEVELS, MAX_LEVELS_OPEN, MAX_DEPTH, MAX_PARAMETERS_OF_FUNCTION

cdef inline Int root(OutInts joined, Int node) noexcept nogil
cdef inline Int child_node(OutInts keys, OutInts values, OutIndices parent, OutIndices region, Int count, Int node, Int key) noexcept nogil
