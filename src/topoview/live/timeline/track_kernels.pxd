from topoview.base.kinds cimport *

cdef enum:
    MAX_DEPTH = 64
    MESSAGES_PER_BLOCK = 512
