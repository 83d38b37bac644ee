from topoview.base.kinds cimport *

# Bodies are here, so that the kernels of other files have them compiled in.

cdef extern from *:
    """
    static inline uint64_t topoview_mix(uint64_t code)
    {
        code *= 0x9E3779B97F4A7C15u;
        code = (code ^ (code >> 30)) * 0xBF58476D1CE4E5B9u;
        code = (code ^ (code >> 27)) * 0x94D049BB133111EBu;
        return code ^ (code >> 31);
    }

    static inline __attribute__((always_inline)) void topoview_mix_each(
        const uint64_t *codes, uint64_t *mixed, Py_ssize_t n)
    {
        for (Py_ssize_t k = 0; k < n; k++) {
            mixed[k] = topoview_mix(codes[k]);
        }
    }

    /* Of the vectors of x86-64 only the widest multiply 64 bits: four times as fast. */
    #ifdef __x86_64__
    __attribute__((target("avx512dq"))) static void topoview_mix_wide(
        const uint64_t *codes, uint64_t *mixed, Py_ssize_t n)
    {
        topoview_mix_each(codes, mixed, n);
    }
    #endif

    static void topoview_mix_codes(const uint64_t *codes, uint64_t *mixed, Py_ssize_t n)
    {
    #ifdef __x86_64__
        if (__builtin_cpu_supports("avx512dq")) {
            topoview_mix_wide(codes, mixed, n);
            return;
        }
    #endif
        topoview_mix_each(codes, mixed, n);
    }
    """
    Code mix "topoview_mix" (Code code) noexcept nogil
    void mix_codes "topoview_mix_codes" (
        const uint64_t *codes, uint64_t *mixed, Py_ssize_t n
    ) noexcept nogil

cdef inline Code chained(Code total, Code word) noexcept nogil:
    total ^= word
    total = (total ^ total >> 29) * <Code>0x9E3779B97F4A7C15
    return total << 31 | total >> 33

cdef inline void mix_all(Codes codes, OutCodes mixed) noexcept nogil:
    if codes.shape[0]:
        mix_codes(&codes[0], &mixed[0], codes.shape[0])

cdef inline Int slot_of(const int64_t[::1] keys, Int key) noexcept nogil:
    cdef Code mask = <Code>(keys.shape[0] - 1)
    cdef Code mixed = <Code>key * <Code>0x9E3779B97F4A7C15
    cdef Code slot = ((mixed ^ (mixed >> 29)) >> 8) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return <Int>slot
