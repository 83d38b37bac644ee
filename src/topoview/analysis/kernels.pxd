from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right

cdef extern from *:
    """
    static const long long MAX_TAGS = 256, MESSAGES_PER_BLOCK = 512;
    static const long long SEND = 2, ONE_SIDED = 7;
    static const long long NEVER = 0x7fffffffffffffff;
    """
    const Int MAX_TAGS, MESSAGES_PER_BLOCK, SEND, ONE_SIDED, NEVER
