from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_left, search_right

cdef extern from *:
    """
    static const long long BROADCAST = 4, REDUCE = 5, SCAN = 6;
    """
    const Int BROADCAST, REDUCE, SCAN
