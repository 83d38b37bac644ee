from libc.math cimport NAN, frexp as split_double
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_left, search_right

cdef extern from *:
    """
    static const long long BITS = 32;
    static const long long LOW = 0xFFFFFFFF;
    static const long long FULL = 0x4000000000000000;
    static const long long FLOAT_BITS = 1127;

    static const long long COUNT = 0;
    static const long long TOTAL = 1;
    static const long long MOST = 2;
    static const long long LONGEST = 3;
    static const long long SQUARES = 4;

    static const long long NOWHERE = -1;

    static const long long STOP = 0;
    static const long long CALL = 1;
    static const long long SCRIPT = 2;
    static const long long LOOP = 3;
    static const long long NEXT = 4;
    static const long long WHEN = 5;
    static const long long SOMETIMES = 6;
    static const long long USE = 7;
    """
    const long long BITS
    const long long LOW
    const long long FULL
    const long long FLOAT_BITS
    const long long COUNT
    const long long TOTAL
    const long long MOST
    const long long LONGEST
    const long long SQUARES
    const long long NOWHERE
    const long long STOP
    const long long CALL
    const long long SCRIPT
    const long long LOOP
    const long long NEXT
    const long long WHEN
    const long long SOMETIMES
    const long long USE

cdef class Program:
    cdef readonly IntRows words
    cdef readonly Int loops
    cdef readonly Int uses
    cdef readonly Bools polls
    cdef readonly Ints cells
    cdef readonly Ints turns
    cdef readonly Ints visit
    cdef readonly Ints recorded
    cdef readonly BoolRows guards
    cdef readonly Ints begins
    cdef readonly Ints entries
    cdef readonly IntRows rank_trips

cdef inline (Float, Int) frexp(Float number) noexcept nogil:
    cdef int power = 0
    cdef Float share = split_double(number, &power)
    return share, power

cdef inline Float between_samples(Ints times, Floats values, Int sample, Int time) noexcept nogil
cdef inline void carry(OutIntRows rows, Int row, Int first) noexcept nogil
cpdef void note_ticks(Int group, Int ticks, Int call, OutIntRows tally) noexcept nogil
cdef Bool is_run(Program program, Int rank, Indices statement, Ints enter, Ints leave, Int begin, Int end, Bool record, OutInts turns, OutInts visits, OutIntRows stack, OutIntRows returns, OutIntRows tally, OutInts uses) noexcept nogil
cdef inline Int calls_of_turn(Program program, Int statement, Int visit, Int rank) noexcept nogil
cdef Bool is_placed(Program program, Ints skips, Int rank, Indices statement, Indices of_statement, Indices of_call, Int begin, Int end, OutInts turns, OutInts visits, OutIntRows stack, OutInts returns, OutInts ahead, OutInts positions) noexcept nogil
cpdef Pair place_left_out(IntRows words, Int pc, Int leap, Int position, Indices of_statement, Indices of_call, Indices statement, Int call, Int end, Int last, OutInts positions, OutInts ahead) noexcept nogil
