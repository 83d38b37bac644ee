from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right

cdef extern from *:
    """
    static const long long ABSORBED = 3;
    static const long long ANNIHILATED = 2;
    static const long long BOUNDARY = 1;
    static const long long BROADCAST = 4;
    static const long long NEVER = 9223372036854775807;
    static const long long REDUCE = 5;
    static const long long SCAN = 6;
    """
    const long long ABSORBED
    const long long ANNIHILATED
    const long long BOUNDARY
    const long long BROADCAST
    const long long NEVER
    const long long REDUCE
    const long long SCAN
