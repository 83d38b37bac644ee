from libc.math cimport sqrt

from topoview.base.hashing cimport slot_of
from topoview.base.kinds cimport *
