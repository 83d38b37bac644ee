from topoview.base.kinds cimport *

cpdef Int search_left(Ints values, Int value) noexcept nogil
cpdef Int search_right(Ints values, Int value) noexcept nogil
cpdef void last_places(Ints values, Ints begins, Ints ends, Ints bounds, OutInts places)
cpdef void place_by_group(Ints values, Ints group, OutInts following, OutInts placed)
cpdef void sort_ints(OutInts values, Int stop) noexcept nogil
cpdef void sort_by_key(OutInts order, Int first, Int stop, Ints key, OutInts scratch) noexcept nogil
