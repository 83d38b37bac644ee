"""Array types of the model, what makes them read-only, and tables of columns.

`ColumnTable` gives any dataclass of columns as a table of pandas or Arrow, without
copying.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Indices = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Shorts = NDArray[np.uint16]


def freeze(instance: object) -> None:
    """Make every array that a dataclass instance holds read-only.

    Called by ``__post_init__`` of the model's dataclasses: what is shared
    between threads and views is never written to.
    """
    for field in fields(instance):  # type: ignore[arg-type]
        value = getattr(instance, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False


def readonly(values: NDArray[Any], dtype: type[Any] = np.int64) -> NDArray[Any]:
    """See values as a contiguous read-only array of a type, copied only if need be.

    Compiled code is made anew for each kind of array that it gets: what it only reads
    is given to it like this.
    """
    view = np.ascontiguousarray(values, dtype).view()
    view.flags.writeable = False
    return view


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Sort values and keep each once, of integers of any shape.

    As `numpy.unique`, which since NumPy 2.3 enters them into a hash table that is up
    to 200 times slower than sorting.
    """
    ordered = np.sort(values, axis=None)
    if not len(ordered):
        return ordered
    found: NDArray[Any] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return found


def count_before(time: Ints, low: Ints, high: Ints, ticks: int) -> Ints:
    """Search many stretches of a column at once.

    Parameters
    ----------
    time : int64, shape (n,)
        Ascending within each stretch.
    low, high : int64, shape (stretches,)
        Begin and end of each.
    ticks
        What is looked for.

    Returns
    -------
    int64, shape (stretches,)
        First index of each stretch whose time is not before `ticks`, else its end.
    """
    low, high = low.copy(), high.copy()
    while np.any(low < high):
        middle = (low + high) >> 1
        before = time[np.minimum(middle, len(time) - 1)] < ticks
        open_ = low < high
        low = np.where(open_ & before, middle + 1, low)
        high = np.where(open_ & ~before, middle, high)
    return low


class ColumnTable:
    """What is stored as columns of one length.

    ``to_pandas`` needs the package ``pandas``, ``to_arrow`` ``pyarrow``; both come
    with ``pip install topoview[tables]``.
    """

    __slots__ = ("__weakref__",)

    def columns(self, *, rows: bool = False) -> dict[str, NDArray[Any]]:
        """Columns by name, as they are: read-only, not copied.

        Parameters
        ----------
        rows
            Add ``row`` in front, the location of each element, where elements
            belong to locations; that column is made (int32).
        """
        found = {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if field.name != "offsets"
        }
        offsets = getattr(self, "offsets", None)
        if rows and offsets is not None:
            numbers = np.arange(len(offsets) - 1, dtype=np.int32)
            found = {"row": np.repeat(numbers, np.diff(offsets)), **found}
        return found

    def to_pandas(self, *, rows: bool = False) -> "pd.DataFrame":
        """Make a data frame whose columns share the memory of these.

        Parameters
        ----------
        rows
            As for `columns`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas as pd

        return pd.DataFrame(self.columns(rows=rows), copy=False)

    def to_arrow(self, *, rows: bool = False) -> "pa.Table":
        """Make an Arrow table whose columns share the memory of these.

        Parameters
        ----------
        rows
            As for `columns`.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        """
        import pyarrow as pa

        columns = self.columns(rows=rows)
        return pa.table({name: pa.array(column) for name, column in columns.items()})
