from topoview.analysis.waits.costs.kernels cimport first_stuck, leave_queue
from topoview.base.kinds cimport *

cdef inline Int release(OutIndices waiting, OutIndices before, Int node, OutIndices ready, Int many) noexcept nogil
