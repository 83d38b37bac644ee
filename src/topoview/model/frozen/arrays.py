"""Array types of the model, what makes them read-only, and columns of a trace.

`ColumnTable` gives any dataclass of columns as a table of pandas or Arrow, without
copying.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from topoview.base.extras import need

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
    """Set every array that a dataclass instance holds read-only, columns contiguous.

    Called by ``__post_init__`` of the model's dataclasses: what is shared
    between threads and views is never written to, and kernels take what is contiguous.
    """
    for field in fields(instance):  # type: ignore[arg-type]
        value = getattr(instance, field.name)
        if isinstance(value, np.ndarray):
            if value.ndim == 1 and not value.flags.c_contiguous:
                value = np.ascontiguousarray(value)
                object.__setattr__(instance, field.name, value)
            value.flags.writeable = False


MAX_VALUES_WRITTEN: Final = 6
"""Values of a field of which each is written where the object is shown."""


class Frozen:
    """A dataclass of the model: every array that it holds is read-only."""

    __slots__ = ("__weakref__",)

    def __init_subclass__(cls) -> None:
        """Keep `dataclass` from writing whole arrays where an object is shown."""
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Frozen.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Set the arrays read-only."""
        freeze(self)

    def __repr__(self) -> str:
        """Write the fields on a line: of arrays their type and shape alone."""
        written = (f"{f.name}={_short(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(written)})"


def _short(value: object) -> str:
    """Write a value of a field so that a line holds it."""
    if isinstance(value, np.ndarray):
        return f"<{value.dtype}, {' x '.join(map(str, value.shape))}>"
    if isinstance(value, tuple) and len(value) > MAX_VALUES_WRITTEN:
        return f"<{len(value)} values>"
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))})"
    return repr(value)


def readonly(values: NDArray[Any], dtype: type[Any] = np.int64) -> NDArray[Any]:
    """Return values as a contiguous read-only array of a type, copied only if need be.

    Kernels take arrays of one type and order only.
    """
    view = np.ascontiguousarray(values, dtype).view()
    view.flags.writeable = False
    return view


def writable(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same array, which can be written again: its memory is the caller's."""
    values.flags.writeable = True
    return values


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Sort values and keep each once, of integers of any shape.

    As `numpy.unique`, which since NumPy 2.3 enters them into a hash table that is up
    to 200 times slower than sorting.
    """
    ordered = np.sort(values, axis=None)
    if not len(ordered):
        return ordered
    result: NDArray[Any] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return result


def evenly(values: NDArray[Any], most: int) -> NDArray[Any]:
    """Choose at most so many values, evenly, the first and the last among them."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.int64)]


def bounds_of(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Find the least and the greatest number of each column, of one row at least.

    Column by column: of long arrays NumPy takes twenty times as long along the rows.
    """
    columns = points.T
    low, high = ([way(column) for column in columns] for way in (np.min, np.max))
    return np.array(low), np.array(high)


def occurring(numbers: NDArray[Any], size: int) -> Ints:
    """Find which of the numbers from 0 below `size` occur, in order; -1 does not count.

    Without sorting: linear.
    """
    seen = np.zeros(size + 1, bool)
    seen[numbers] = True
    result: Ints = np.flatnonzero(seen[:-1])
    return result


def are_offsets(offsets: Ints, *columns: NDArray[Any]) -> bool:
    """Return whether offsets begin at 0, do not fall, and end where all columns do."""
    ascend = not offsets[0] and bool((np.diff(offsets) >= 0).all())
    return ascend and all(len(column) == offsets[-1] for column in columns)


def places_among(keys: NDArray[Any], wanted: NDArray[Any]) -> Ints:
    """Find values among ascending ones: int64, -1 for those that are not there."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def count_before(time: Ints, low: Ints, high: Ints, ticks: int | Ints) -> Ints:
    """Search many stretches of a column at once.

    Parameters
    ----------
    time : int64, shape (n,)
        Ascending within each stretch.
    low, high : int64, shape (stretches,)
        Begin and end of each.
    ticks
        What is looked for: in all of them, or in each.

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


class Legend(Protocol):
    """What numbers in columns mean."""

    def seconds(self, ticks: NDArray[Any]) -> Floats:
        """Turn ticks to seconds; NaN for times that were not recorded."""

    def names(self, kind: str) -> list[str]:
        """List the names of regions, communicators, states, or operations."""


def to_seconds(ticks: NDArray[Any], resolution: int) -> Floats:
    """Turn ticks to seconds; NaN for -1: times that were not recorded."""
    return np.where(ticks == -1, np.nan, ticks / resolution)


class AlsoListed:
    """Columns of which there is a table of the same name."""

    __slots__ = ()

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Show where the table is, as an error.

        Raises
        ------
        TypeError
            Always.
        """
        name = type(self).__name__.lower()
        raise TypeError(
            f"trace.{name} holds columns: trace.table({name!r}, ...) lists them in "
            f"words, as topoview.{name}(trace, ...) does"
        )


class ColumnTable(Frozen):
    """What is stored as columns of one length.

    ``to_pandas`` needs the package ``pandas``, ``to_arrow`` ``pyarrow``; both come
    with ``pip install topoview[tables]``. A table of a trace knows names and seconds.
    """

    __slots__ = ("_legend",)

    TICKS: ClassVar[tuple[str, ...]] = ()
    """Columns that are times."""

    NAMED: ClassVar[Mapping[str, str]] = {}
    """Columns that are indices, and what of."""

    _legend: Legend

    def explain(self, legend: Legend) -> None:
        """Set what numbers mean, for `to_pandas` and `to_arrow`."""
        object.__setattr__(self, "_legend", legend)

    def columns(self, *, rows: bool = False) -> dict[str, NDArray[Any]]:
        """Columns by name, as they are: read-only, not copied.

        Parameters
        ----------
        rows
            Add ``row`` in front, the location of each element, where elements
            belong to locations; that column is made (int32).
        """
        result = {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if field.name != "offsets"
        }
        offsets = getattr(self, "offsets", None)
        if rows and offsets is not None:
            numbers = np.arange(len(offsets) - 1, dtype=np.int32)
            result = {"row": np.repeat(numbers, np.diff(offsets)), **result}
        return result

    def _told(
        self, rows: bool, names: bool, seconds: bool
    ) -> dict[str, NDArray[Any] | tuple[Indices, list[str]]]:
        """Columns as they are asked for; of names: indices, and different names."""
        result: dict[str, Any] = dict(self.columns(rows=rows))
        if not (names or seconds):
            return result
        legend = getattr(self, "_legend", None)
        if legend is None:
            raise ValueError(
                "names and seconds are known of tables that are part of a trace"
            )
        for name in self.TICKS if seconds else ():
            if name in result:
                result[name] = legend.seconds(result[name])
        for name, kind in self.NAMED.items() if names else ():
            result[name] = named(result[name], legend.names(kind))
        return result

    def to_pandas(
        self, *, rows: bool = False, names: bool = False, seconds: bool = False
    ) -> "pd.DataFrame":
        """Build a data frame whose columns share the memory of these.

        Parameters
        ----------
        rows
            As for `columns`.
        names
            Make categories of indices of regions, communicators, states and
            operations; what has none is missing.
        seconds
            Turn ticks to seconds from the trace's beginning (float64); times that
            were not recorded are NaN.

        Raises
        ------
        ExtraError
            If pandas is not installed.
        ValueError
            If the table is not part of a trace, and names or seconds are asked for.
        """
        need("tables", "pandas")
        import pandas as pd

        columns = self._told(rows, names, seconds)
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(column[0], pd.Index(column[1]))
                if isinstance(column, tuple)
                else column
                for name, column in columns.items()
            },
            copy=False,
        )

    def to_arrow(
        self, *, rows: bool = False, names: bool = False, seconds: bool = False
    ) -> "pa.Table":
        """Build an Arrow table whose columns share the memory of these.

        Parameters
        ----------
        rows, names, seconds
            As for `to_pandas`; categories are dictionaries.

        Raises
        ------
        ExtraError
            If pyarrow is not installed.
        ValueError
            As for `to_pandas`.
        """
        need("tables", "pyarrow")
        import pyarrow as pa

        columns = self._told(rows, names, seconds)
        return pa.table(
            {
                name: pa.DictionaryArray.from_arrays(
                    pa.array(column[0], mask=column[0] < 0), column[1]
                )
                if isinstance(column, tuple)
                else pa.array(column)
                for name, column in columns.items()
            }
        )


def named(indices: NDArray[Any], names: Sequence[str]) -> tuple[Indices, list[str]]:
    """Index different names only: several regions may have one; -1 for none."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    place_of = np.array([*(places[name] for name in names), -1], np.int32)
    valid = (indices >= 0) & (indices < len(names))
    return place_of[np.where(valid, indices, np.int64(-1))], list(places)
