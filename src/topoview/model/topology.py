"""Communication matrices, topologies, and how the one matches the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from topoview.model.arrays import ColumnTable, Indices, freeze

if TYPE_CHECKING:
    import networkx as nx
    from scipy.sparse import csr_array

MASTER, WORKER = "MASTER", "WORKER"
"""Names of the ranks of a star."""
