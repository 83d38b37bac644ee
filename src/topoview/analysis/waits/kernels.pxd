from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right

cdef extern from *:
    """
    static const long long BROADCAST = 4, REDUCE = 5, SCAN = 6;
    static const long long BOUNDARY = 1, ANNIHILATED = 2, ABSORBED = 3;
    static const long long NEVER = 0x7fffffffffffffff;
    """
    const Int BROADCAST, REDUCE, SCAN, BOUNDARY, ANNIHILATED, ABSORBED, NEVER
