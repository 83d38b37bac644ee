from topoview.base.kinds cimport *

cdef extern from *:
    """
    static const long long BOUNDARY = 1, ANNIHILATED = 2, ABSORBED = 3;
    """
    const Int BOUNDARY, ANNIHILATED, ABSORBED
