"""Call paths: which regions of the program MPI calls were made in."""

from dataclasses import dataclass, field

import numpy as np

from topoview.model.arrays import Indices, freeze
from topoview.model.tables import Table


def _only_the_first() -> Indices:
    return np.full(1, -1, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Paths(Table):
    """Call paths as a tree: each is another one, and a region in it.

    Attributes
    ----------
    parent : int32, shape (paths,)
        Path around each, a smaller number; -1 for the first.
    region : int32, shape (paths,)
        Innermost region. The first path is that of calls in no region, or in none
        that is known: -1.
    """

    parent: Indices = field(default_factory=_only_the_first)
    region: Indices = field(default_factory=_only_the_first)

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the paths, the empty one too."""
        return len(self.parent)

    def regions_of(self, path: int) -> tuple[int, ...]:
        """Regions of a path, the outermost first."""
        found: list[int] = []
        while path > 0:
            found.append(int(self.region[path]))
            path = int(self.parent[path])
        return tuple(reversed(found))
