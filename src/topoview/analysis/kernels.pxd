from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right

cdef extern from *:
    """
    static const long long MAX_TAGS = 256;
    static const long long MESSAGES_PER_BLOCK = 512;
    static const long long NEVER = 9223372036854775807;
    static const long long ONE_SIDED = 7;
    static const long long SEND = 2;
    """
    const long long MAX_TAGS
    const long long MESSAGES_PER_BLOCK
    const long long NEVER
    const long long ONE_SIDED
    const long long SEND
