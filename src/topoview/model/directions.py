"""What partners are called in a topology."""

from typing import Protocol

from topoview.model.arrays import Indices


class Directions(Protocol):
    """Names of partners as directions: ``EAST``, ``PARENT``, ``EXCHANGE 4``.

    The package `topoview.topology` makes one for each match; logical traces
    are written and expanded with it.
    """

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank.

        Parameters
        ----------
        ranks, partners : int32, shape (n,)
            World ranks; pairs need not be edges of the topology.

        Returns
        -------
        int32, shape (n,), and list of str
            Index into the list for each pair; -1 where the topology has no
            name for it.
        """

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to, None where there is none."""
