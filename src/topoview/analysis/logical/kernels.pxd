from libc.math cimport frexp as split_double
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right
from topoview.logical.loops.kernels cimport CALL, LOOP, NEXT, SCRIPT, SOMETIMES, STOP, USE, WHEN

cdef extern from *:
    """
    static const long long BITS = 32, LOW = 0xFFFFFFFF, FULL = 0x4000000000000000;
    static const long long FLOAT_BITS = 1127;
    static const long long COUNT = 0, TOTAL = 1, MOST = 2, LONGEST = 3, SQUARES = 4;
    static const long long NOWHERE = -1;
    """
    const Int BITS, LOW, FULL, FLOAT_BITS
    const Int COUNT, TOTAL, MOST, LONGEST, SQUARES
    const Int NOWHERE

cdef class Program:
    cdef readonly IntRows words, rank_trips
    cdef readonly BoolRows guards
    cdef readonly Bools polls
    cdef readonly Ints cells, period, runs, visit, recorded, begins, entries
    cdef readonly Indices sequence
    cdef readonly Int loops, uses

cdef inline (Float, Int) frexp(Float number) noexcept nogil:
    cdef int power = 0
    cdef Float share = split_double(number, &power)
    return share, power

cdef inline void carry(OutIntRows rows, Int row, Int first) noexcept nogil
cpdef void note_ticks(Int group, Int ticks, Int call, OutIntRows tally) noexcept nogil
cdef Bool is_run(Program program, Int rank, Indices statement, Ints enter, Ints leave, Int begin, Int end, Bool record, OutInts turns, OutInts visits, OutIntRows stack, OutIntRows returns, OutIntRows tally, OutInts uses) noexcept nogil
cdef inline Int calls_of_turn(Program program, Int statement, Int visit, Int rank) noexcept nogil
cdef Bool is_placed(Program program, Ints skips, Int rank, Indices statement, Indices of_statement, Indices of_call, Int begin, Int end, OutInts turns, OutInts visits, OutIntRows stack, OutInts returns, OutInts ahead, OutInts positions) noexcept nogil
cpdef Pair place_left_out(IntRows words, Int pc, Int leap, Int position, Indices of_statement, Indices of_call, Indices statement, Int call, Int end, Int last, OutInts positions, OutInts ahead) noexcept nogil
