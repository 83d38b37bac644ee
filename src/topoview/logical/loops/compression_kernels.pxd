from topoview.base.kinds cimport *
from topoview.logical.loops.repetition_kernels cimport InnerRuns, find_inner_runs

cdef extern from *:
    """
    static const long long SYMBOL_COST = 0x100000000;
    static const long long INFINITE_COST = 0x4000000000000000;
    static const long long MAX_ROTATED_SYMBOLS = 1 << 20, MAX_CUTS = 8;
    static const long long SYMBOLS_PER_REPORT = 20000000;
    """
    const Int SYMBOL_COST, INFINITE_COST, MAX_ROTATED_SYMBOLS, MAX_CUTS
    const Int SYMBOLS_PER_REPORT

cdef class Workspace:
    cdef OutInts at, back, run, head, cut
    cdef OutInts follows, room
    cdef OutIntRows active
    cdef OutInts best, start
    cdef int reserve(self, Int symbols, Int runs, Int phases) except -1

cdef Int try_cuts(Int which, Int length, InnerRuns inner, Int many, Ints slot, OutInts cost, Workspace space) noexcept nogil
cdef Int cost_of_part(Int n, Int begin, InnerRuns inner, Int many, Ints slot, Ints cost, Workspace space) noexcept nogil
cdef void find_shortest(Int n, Int begin, IntRows runs, Int many, Ints classes, Ints first, Ints slot, Ints cost, Workspace space) noexcept nogil
cdef OutIntRows items_found(Int n, Int begin, Ints text, IntRows runs, Ints classes, Ints first, Workspace space)
