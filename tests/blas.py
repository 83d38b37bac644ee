"""Lets linear algebra compute in one thread; imported before NumPy is.

Each process of the tests has a core: threads of OpenBLAS wait for each other there,
spinning, which took a fifth of the time of what computes spectra.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
