from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_left

cdef extern from *:
    """
    static const long long SENDER = 0, RECEIVER = 1;
    static const long long NEVER = 0x7fffffffffffffff;
    """
    const Int SENDER, RECEIVER, NEVER

cdef inline Int place_of(IntRows stretches, Int call) noexcept nogil
cdef inline Int sent_within(IntRows stretches, Ints waits, Int place, Int completion) noexcept nogil
cdef inline Int length_of(Int number) noexcept nogil
cdef inline Int last_done(Indices before, Ints done, Int message, Int call) noexcept nogil
cdef inline void note_later(OutInts own, OutInts other, Int wait, Int mine, Int its) noexcept nogil
