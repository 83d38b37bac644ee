from libc.math cimport INFINITY as inf, copysign, fabs as abs, sqrt
from topoview.base.kinds cimport *

cpdef enum:
    NO_RANK = -1

cdef extern from *:
    """
    static const double BEVEL_BEGIN = 0.8, FLAT_SHARE = 0.05, MIN_SLOPE = 1e-9;
    static const double AMBIENT = 0.6, DIFFUSE = 0.42;
    static const long long DEPTH_LEVELS = 16;
    static const long long EVEN_BYTES = 0x00FF00FF;
    static const long long EVEN_HALVES = 0x00800080;
    static const long long LAST_BYTE = 0xFF000000;
    """
    const Float BEVEL_BEGIN, FLAT_SHARE, MIN_SLOPE, AMBIENT, DIFFUSE
    const Int DEPTH_LEVELS, EVEN_BYTES, EVEN_HALVES, LAST_BYTE

cdef inline Float _dot(FloatTriple a, FloatTriple b) noexcept nogil
cdef inline Float _reach(FloatTriple a, FloatTriple half) noexcept nogil
cdef inline Float _inverse(Float number) noexcept nogil
cdef inline FloatPair _crossed(
    FloatTriple to, FloatTriple way, FloatTriple half
) noexcept nogil
cdef inline FloatPair _clipped(
    FloatTriple to, FloatTriple way, FloatTriple half
) noexcept nogil
cdef inline Bool _bevelled(
    FloatTriple to, FloatTriple way, FloatTriple half, Float t
) noexcept nogil
cdef inline Float _box_light(
    FloatTriple at, FloatTriple half, FloatTriple lamp
) noexcept nogil
cdef inline FloatPair _ball_met(
    FloatTriple to, FloatTriple way, Float radius
) noexcept nogil
cdef inline FloatPair _box_met(
    FloatTriple to, FloatTriple way, FloatTriple half, Float hull
) noexcept nogil
cdef inline Pair _pixels_of(Float place, Float around, Float middle, Int size) noexcept nogil
cdef inline Int _row_of(Int code, Single depth, Single before, Single steps) noexcept nogil
cdef inline Int _lit(Int pair, Int light) noexcept nogil
cdef inline void _mix_samples(
    IndexRows ranks, SingleRows depths, ByteRows lights, Shorts codes, Words table,
    Single before, Single steps, OutWordRows pixels
) noexcept nogil
