from topoview.base.kinds cimport *

# Python has them too.
cpdef enum:
    STOP
    CALL
    SCRIPT
    LOOP
    NEXT
    WHEN
    SOMETIMES
    USE
    RETURN

cdef inline Int next_entry(Int table, Ints offsets, OutInts turns) noexcept nogil
