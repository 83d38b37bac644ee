from topoview.base.hashing cimport mix, slot_of
from topoview.base.kinds cimport *

cdef extern from *:
    """
    #ifdef __GNUC__
    #define topoview_fetch(place) __builtin_prefetch(place)
    #else
    #define topoview_fetch(place) ((void)(place))
    #endif
    static const long long AHEAD = 12;
    """
    void fetch_from "topoview_fetch" (const void *place) noexcept nogil
    const Int AHEAD

cdef inline void fetch(Indices values, Int place) noexcept nogil:
    fetch_from(&values[place])

# for kernels of other files, too
cdef Int breadth_first(Ints indptr, Indices indices, Int met, OutIndices distance, OutIndices queue) noexcept nogil

cdef inline Int next_ring(Ints indptr, Indices indices, Int begin, Int end, OutIndices distance, OutIndices queue) noexcept nogil
cdef inline Int beside(Ints indptr, Indices indices, Int here, Codes mark, OutIndices near, OutCodes sums) noexcept nogil
cdef inline Int meet(Int u, Int met, Ints indptr, OutIndices vertex, OutIndices number_of, OutInts begin, OutInts free) noexcept nogil
