"""Who sends how much to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a window must not wait for SciPy
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class CommunicationMatrix:
    """Point-to-point or one-sided traffic of all pairs of ranks; row sends to column.

    Attributes
    ----------
    calls : scipy.sparse.csr_array, int64, shape (ranks, ranks)
        Messages sent. Holds every pair that exchanged any message.
    volume : scipy.sparse.csr_array, int64, shape (ranks, ranks)
        Bytes sent; same structure (explicit zeros where all were empty).
    one_sided
        Whether `calls` are one-sided transfers, which a rank puts into another's
        memory or gets from it, and no messages.
    """

    calls: csr_array
    volume: csr_array
    one_sided: bool = False

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return int(self.calls.shape[0])

    @property
    def noun(self) -> str:
        """What `calls` are: ``message`` or ``one-sided transfer``."""
        return "one-sided transfer" if self.one_sided else "message"
