"""Whether any simple conditions can tell a set of ranks: a quick test, never wrong.

Simple conditions look at one value of a rank at a time: a coordinate, the sum or the
difference of two, whether it has a partner in a direction. All conditions on a value
that hold for a set allow at least certain values, and a rank whose values are all
allowed but that is not of the set cannot be excluded. Finding one takes far less time
than making the conditions, and irregular sets of ranks have many.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from topoview.logical.atoms import STEPS, Places
from topoview.model import Bools, Ints

LONG = 256
"""Values beyond which those that do not occur all count as excluded."""

NAMED = 4
"""Values of a coordinate that a condition may list."""


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """A value of every rank that conditions look at.

    Attributes
    ----------
    of : int32, shape (ranks,)
        The values, from 0.
    count
        How many there are.
    classes : bool, shape (conditions, count)
        Where conditions hold that do not depend on the set.
    is_range
        Whether conditions on least, greatest and one missing value exist.
    listed
        Up to how many values conditions list.
    """

    of: Ints
    count: int
    classes: Bools
    is_range: bool
    listed: int

    def allowed(self, inside: Bools) -> Bools:
        """Tell which values conditions that hold for a set allow, or fewer."""
        present = np.zeros(self.count, bool)
        present[self.of[inside]] = True
        own = np.flatnonzero(present)
        if len(own) <= self.listed or self.count > LONG:
            return present
        allow = np.ones(self.count, bool)
        if self.is_range:
            low, high = int(own[0]), int(own[-1])
            allow[:low] = allow[high + 1 :] = False
            if len(own) == high - low:
                allow = present
        held = self.classes[:, own].all(axis=1)
        return allow & self.classes[held].all(axis=0)


@dataclass(slots=True)
class Closures:
    """Tests sets of ranks at some places.

    Attributes
    ----------
    places
        Where the ranks are.
    """

    places: Places
    _values: list[_Value] = field(default_factory=list)

    def may_be_told(self, chosen: Bools) -> bool:
        """Tell whether simple conditions may hold together just for these ranks.

        Parameters
        ----------
        chosen : bool, shape (ranks,)

        Returns
        -------
        bool
            False only if no conjunction of simple conditions is this set.
        """
        size = int(np.count_nonzero(chosen))
        if size <= 1 or self.places.ranks == 2:
            return True
        if not self._values:
            self._values = _values(self.places)
        left = np.ones(len(chosen), bool)
        for value in self._values:
            left &= value.allowed(chosen)[value.of]
        for _, holds in self.places.has:
            having = int(np.count_nonzero(holds & chosen))
            if having == size:
                left &= holds
            elif having == 0:
                left &= ~holds
        return int(np.count_nonzero(left)) == size


def _values(places: Places) -> list[_Value]:
    """Collect the values that conditions look at."""
    found = []
    for name, column in zip(places.names, places.columns, strict=True):
        count = int(column.max(initial=0)) + 1
        listed = 1 if name == "rank" else NAMED
        found.append(
            _Value(column.astype(np.int32), count, _rests(count), True, listed)
        )
    for a, b in combinations(places.columns, 2):
        for column, parts in ((a + b, _parities), (a - b, _signs)):
            least = int(column.min(initial=0))
            count = int(column.max(initial=0)) - least + 1
            classes = parts(np.arange(least, least + min(count, LONG)))
            found.append(
                _Value((column - least).astype(np.int32), count, classes, False, 1)
            )
    return found


def _rests(count: int) -> Bools:
    """Rests of divisions, and bits, of the values below a number."""
    values = np.arange(min(count, LONG))
    rests = [values % step == rest for step in STEPS for rest in range(step)]
    bits = [(values & 1 << bit) != 0 for bit in range(1, count.bit_length())]
    return np.stack(rests + bits + [~bit for bit in bits])


def _parities(values: Ints) -> Bools:
    return np.stack([values % 2 == 0, values % 2 == 1])


def _signs(values: Ints) -> Bools:
    return np.stack([values <= 0, values >= 0, values != 0, values < 0, values > 0])
