from topoview.base.kinds cimport *

cpdef enum:
    SCAN_INTERVALS = -1
    SAMPLE_STATES = -2

cdef enum:
    STATE_COUNT = 24
    CODE_BITS = 5
    MIN_SUMS_PER_PIXEL = 2
    MIN_PREVIEW_SUMS_PER_PIXEL = 4

cdef class Sums:
    cdef Int every
    cdef IntRows places
    cdef Ints begins
    cdef IntRows ticks
    cdef Bytes states

cdef inline Int interval_at(Ints time, Int low, Int high, Int ticks) noexcept nogil
cdef inline Int interval_near(
    Ints time, Int low, Int high, Int place, Int ticks
) noexcept nogil
cdef inline Int last_begun(Ints begins, Int first, Int stop, Int ticks) noexcept nogil
cdef inline Int longest_state(OutInts spent) noexcept nogil
cdef inline Int add_state_times(
    Ints time, Bytes state, Int i, Int stop, Int begin, Int since, Int until, Int tick,
    Int width, OutInts spent
) noexcept nogil
cdef inline void paint_row(
    Ints time, Bytes state, Int i, Int stop, Int begin, Int end, OutInts spent,
    OutBytes line
) noexcept nogil
cdef inline void paint_band(
    OutIntRows ticks, OutIntRows whole, OutBytes changed, OutInts covered, OutBytes line
) noexcept nogil
cdef inline void add_row_ticks(
    Ints time, Bytes state, Int i, Int stop, Int begin, Int end,
    OutIntRows ticks, OutIntRows whole, OutBytes changed
) noexcept nogil
cdef inline void add_whole_pixels(
    IntRows whole, Bytes changed, OutInts covered, OutIntRows ticks
) noexcept nogil
cdef inline Int count_sums(Ints begins, Int first, Int stop, Pair window) noexcept nogil
cdef inline void add_summed_row(
    Ints offsets, Ints time, Bytes state, Int row, Int begin, Int end, Sums sums,
    Int level, Bool rough, OutIntRows ticks, OutIntRows whole,
    OutBytes changed, OutInts spent, OutFloatRows guessed
) noexcept nogil
cdef inline void add_samples(
    Ints time, Bytes state, Int low, Int stop, Int begin, Int end, OutIntRows ticks
) noexcept nogil
cdef inline void add_exact(
    Ints time, Bytes state, Int low, Int stop, Int begin, Int end, Sums sums,
    Int first, Int after, OutIntRows ticks, OutInts spent
) noexcept nogil
cdef inline void add_preview(
    Int last, Int begin, Int end, Sums sums, Int first, Int after, OutIntRows ticks,
    OutFloatRows guessed
) noexcept nogil
