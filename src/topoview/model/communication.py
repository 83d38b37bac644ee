"""Who sends how much to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a window must not wait for SciPy
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class CommunicationMatrix:
    """Point-to-point traffic of all pairs of ranks; row sends to column.

    Attributes
    ----------
    calls : scipy.sparse.csr_array, int64, shape (ranks, ranks)
        Messages sent. Holds every pair that exchanged any message.
    volume : scipy.sparse.csr_array, int64, shape (ranks, ranks)
        Bytes sent; same structure (explicit zeros where all were empty).
    """

    calls: csr_array
    volume: csr_array

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return int(self.calls.shape[0])
