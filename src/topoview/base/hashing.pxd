from topoview.base.kinds cimport *

# Bodies are here, so that the kernels of other files have them compiled in.

cdef inline Code mix(Code code) noexcept nogil:
    code = code * <Code>0x9E3779B97F4A7C15
    code = (code ^ (code >> 30)) * <Code>0xBF58476D1CE4E5B9
    code = (code ^ (code >> 27)) * <Code>0x94D049BB133111EB
    return code ^ (code >> 31)

cdef inline Int slot_of(const int64_t[::1] keys, Int key) noexcept nogil:
    cdef Code mask = <Code>(keys.shape[0] - 1)
    cdef Code mixed = <Code>key * <Code>0x9E3779B97F4A7C15
    cdef Code slot = ((mixed ^ (mixed >> 29)) >> 8) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return <Int>slot
