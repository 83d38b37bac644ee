from topoview.base.kinds cimport *

# Python has them too.
cpdef enum:
    STOP = 0
    CALL = 1
    SCRIPT = 2
    LOOP = 3
    NEXT = 4
    WHEN = 5
    SOMETIMES = 6
    USE = 7
    RETURN = 8

cdef inline Int next_entry(Int table, Ints offsets, OutInts turns) noexcept nogil
