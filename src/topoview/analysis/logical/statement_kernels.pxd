from libc.math cimport NAN
from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right

cdef inline Float between_samples(Ints times, Floats values, Int sample, Int time) noexcept nogil
