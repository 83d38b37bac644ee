"""Tables: what each column is, and rows of named columns over read-only arrays.

What a result shows is declared once, in a `Schema` beside the function that makes its
`Table`. The command line, JSON, CSV, Parquet, Markdown, HTML (`topoview.report.write`),
panels of the window and Python all write these tables by their schemas.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from topoview.base.extras import need
from topoview.base.text import column_lines, did_you_mean, html_text, tr, write
from topoview.model.frozen.arrays import Bools, Frozen, Indices, Ints, named

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import xarray as xr

ColumnData: TypeAlias = NDArray[Any] | tuple[Indices, Sequence[str]]
"""An array, or one of indices and the names that they are of; -1 for none."""

Unit: TypeAlias = str
"""Of a column's numbers: empty (counts and ratios), ``#`` (a number that names
something: a rank, a tag), ``at`` (seconds from the trace's beginning), ``s``, ``B``,
``share`` (a fraction), or another, as `topoview.base.text.write` takes it."""

Link: TypeAlias = Literal["", "rank", "call", "message", "communicator"]

CODES: Final[Mapping[int, str]] = {-1: "", -2: tr("several")}
"""What stands for numbers that name nothing."""

PAGE_ROWS: Final = 256
"""Rows of a lazy table that are made together where some are shown."""

BATCH_ROWS: Final = 1 << 16
"""Rows of a lazy table that are made together where all are written."""

ROWS_SHOWN: Final = 10
"""Rows that Python prints of a table."""

_MIN_IN_MICROSECONDS: Final = 1e-5
"""Seconds from which on a time written to a microsecond has digits enough."""

CUT: Final = "\u2026"


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds, and how it is shown."""

    name: str
    """What JSON, CSV, Python and ``--sort`` call it."""
    unit: Unit = ""
    title: str = ""
    """What the window and reports call it; empty: its name."""
    tip: str = ""
    """What it tells, for who points at the title, and for the reference."""
    link: Link = field(default="", kw_only=True)
    """What its numbers name, that can be gone to."""
    codes: Mapping[Any, str] = field(default_factory=dict, kw_only=True)
    """What readers see for certain numbers or words, such as ``{0: "outside"}``."""
    ordered: bool = field(default=False, kw_only=True)
    """Whether names are sorted as they are listed, not by the alphabet."""
    sparse: bool = field(default=False, kw_only=True)
    """Whether the window hides it where no row has a number."""
    missing: str = field(default="", kw_only=True)
    """What stands for a name that is none."""
    letters: int = field(default=0, kw_only=True)
    """How many letters the window shows of it at first at most; 0: any."""
    bar: bool = field(default=False, kw_only=True)
    """Whether a bar shows how its numbers compare with the greatest."""

    @property
    def heading(self) -> str:
        """Return the title, or the name in words."""
        return self.title or self.name.replace("_", " ")

    @property
    def is_amount(self) -> bool:
        """Return whether the greatest numbers matter most: not of ranks or times."""
        return self.unit not in ("#", "at")

    def text(self, value: Any) -> str:  # noqa: ANN401 - a number, a word or nothing
        """Write a value with its unit; empty for what is not known."""
        if value is None or value != value:
            return self.missing
        if value in self.codes:
            return self.codes[value]
        if isinstance(value, str):
            return value
        if self.unit == "#":
            return CODES.get(value, str(value))
        return _time_text(value) if self.unit == "at" else write(value, self.unit)


def _time_text(seconds: float) -> str:
    """Write a time to the microsecond; one of the first ten to the picosecond."""
    if abs(seconds) >= _MIN_IN_MICROSECONDS:
        return f"{seconds:.6f} s"
    whole, _, decimals = f"{seconds:.12f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(6, '0')} s"


class Schema:
    """Columns in order, by name; a table may lack some of them."""

    def __init__(self, *columns: Column) -> None:
        self.columns = columns
        self._by_name = {column.name: column for column in columns}

    def __getitem__(self, name: str) -> Column:
        """Return the column of a name."""
        return self._by_name[name]

    def __iter__(self) -> Iterator[Column]:
        """Iterate over the columns."""
        return iter(self.columns)

    def __contains__(self, name: str) -> bool:
        """Return whether there is a column of that name."""
        return name in self._by_name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Frozen):
    """Rows of named columns.

    ``table["seconds"]`` is a column as a read-only array, ``len(table)`` the number of
    rows; to go through it gives a dict a row. pandas, Arrow, Polars and DuckDB take it
    by ``to_pandas()``, ``to_arrow()``, or Arrow's stream.
    """

    schema: Schema
    data: Mapping[str, ColumnData]
    """Arrays of one length, or such with the names that they are indices of."""

    def __post_init__(self) -> None:
        """Hold the columns read-only, and only such that the schema has."""
        for name in self.data:
            if name not in self.schema:
                raise KeyError(f"the schema has no column {name!r}")
        kept = {
            name: (_readonly(column[0]), column[1])
            if isinstance(column, tuple)
            else _readonly(column)
            for name, column in self.data.items()
        }
        object.__setattr__(self, "data", kept)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return tuple(self.data)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return what the columns are, in order."""
        return tuple(self.schema[name] for name in self.data)

    def __len__(self) -> int:
        """Return the number of rows."""
        first = next(iter(self.data.values()), ())
        return len(first[0] if isinstance(first, tuple) and first else first)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column: read-only numbers; names written out, None for no name.

        Raises
        ------
        KeyError
            There is no such column; with the one that was probably meant.
        """
        column = self._column(name)
        if not isinstance(column, tuple):
            return column
        words = np.array([*column[1], None], object)[column[0]]
        return _readonly(words)

    def _column(self, name: str) -> ColumnData:
        """Return a column as it is kept; `KeyError` says which one was meant."""
        if name not in self.data:
            names = ", ".join(self.data)
            meant = did_you_mean(str(name), self.data) or f": there are {names}"
            raise KeyError(f"no column {name!r}{meant}")
        return self.data[name]

    def numbers(self, name: str) -> NDArray[Any]:
        """Return a column of numbers; of names their indices, -1 for none."""
        column = self.data[name]
        return column[0] if isinstance(column, tuple) else column

    def cell(self, row: int, name: str) -> Any:  # noqa: ANN401 - a number or a word
        """Return a cell: None for what is not known."""
        column = self.data[name]
        if isinstance(column, tuple):
            return _values((column[0][row : row + 1], column[1]))[0]
        return _values(column[row : row + 1])[0]

    def row(self, row: int) -> dict[str, Any]:
        """Return a row: values by name, None for what is not known."""
        return {name: self.cell(row, name) for name in self.names}

    def is_words(self, name: str) -> bool:
        """Return whether a column holds names."""
        return isinstance(self.data[name], tuple)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over the rows: names written out, None for what is not known."""
        return zip(*map(_values, self.data.values()), strict=True)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows: values by name, None for what is not known."""
        names = self.names
        return (dict(zip(names, row, strict=True)) for row in self.rows())

    def texts(self) -> list[tuple[str, ...]]:
        """Write the cells of all rows, with units."""
        data = self.data
        written = [
            [column.text(value) for value in _values(data[column.name])]
            for column in self.columns
        ]
        return list(zip(*written, strict=True))

    def take(self, rows: NDArray[Any] | slice) -> "Table":
        """Return some rows, in the order given."""
        return Table(
            self.schema,
            {
                name: (column[0][rows], column[1])
                if isinstance(column, tuple)
                else column[rows]
                for name, column in self.data.items()
            },
        )

    def pages(self) -> Iterator["Table"]:
        """Iterate over all rows, as many at once as fit into memory."""
        yield self

    def select(self, *names: str) -> "Table":
        """Return some columns, in the order given."""
        data = self.data
        return Table(self.schema, {name: data[name] for name in names})

    def head(self, rows: int = ROWS_SHOWN) -> "Table":
        """Return the first rows."""
        return self.take(slice(rows))

    def filter(self, keep: Bools) -> "Table":
        """Return the rows that a mask keeps: ``t.filter(t["seconds"] > 1)``."""
        return self.take(np.flatnonzero(keep))

    def sort(self, name: str, *, descending: bool | None = None) -> "Table":
        """Return the rows sorted by a column; amounts are largest first.

        Parameters
        ----------
        descending
            Largest, or last of the alphabet, first; None: as suits the column.
        """
        self._column(name)
        if descending is None:
            descending = self.is_amount(name)
        return self.take(self.order(name, descending=descending))

    def is_amount(self, name: str) -> bool:
        """Return whether the largest numbers of a column matter most."""
        return self.schema[name].is_amount and not self.is_words(name)

    def order(self, name: str, *, descending: bool) -> Ints:
        """Return the order of the rows by a column, unknown numbers last: int64."""
        column = self.data[name]
        if isinstance(column, tuple):
            words = [word.casefold() for word in column[1]]
            places = np.arange(len(words), dtype=np.float64)
            if not self.schema[name].ordered:
                places[np.argsort(np.array(words, str), kind="stable")] = places.copy()
            keys = np.append(places, np.nan)[column[0]]
        else:
            keys = column.astype(np.float64)
        keys = np.where(np.isnan(keys), np.inf, -keys if descending else keys)
        return np.argsort(keys, kind="stable")

    def to_pandas(self) -> "pd.DataFrame":
        """Return a data frame that shares the memory of numbers; names are categories.

        ``frame.attrs["units"]`` has the columns' units.

        Raises
        ------
        ExtraError
            If pandas is not installed.
        """
        need("tables", "pandas")
        import pandas as pd

        frame = pd.DataFrame(
            {
                name: pd.Categorical.from_codes(column[0], pd.Index(column[1]))
                if isinstance(column, tuple)
                else column
                for name, column in self.data.items()
            },
            copy=False,
        )
        frame.attrs["units"] = {c.name: c.unit for c in self.columns if c.unit}
        return frame

    def to_xarray(self, *by: str) -> "xr.Dataset":
        """Return arrays of as many dimensions as columns are named: labelled by these.

        Parameters
        ----------
        by
            Columns that tell the rows apart, such as ``"rank", "iteration"``.

        Raises
        ------
        ExtraError
            If xarray or pandas is not installed.

        Examples
        --------
        >>> runs = trace.iterations().to_xarray("rank", "iteration")
        >>> runs.sizes
        Frozen({'rank': 288, 'iteration': 48})
        >>> int((runs.seconds - runs.mpi).max("iteration").argmax("rank"))
        273
        """
        need("notebook", "xarray")
        return self.to_pandas().set_index(list(by)).to_xarray()

    def to_arrow(self) -> "pa.Table":
        """Return an Arrow table that shares the memory of numbers.

        What is not known is null, names are dictionaries, and a field's metadata has
        its ``unit``.

        Raises
        ------
        ExtraError
            If pyarrow is not installed.
        """
        need("tables", "pyarrow")
        import pyarrow as pa

        arrays = [
            pa.DictionaryArray.from_arrays(
                pa.array(column[0], mask=column[0] < 0), list(column[1])
            )
            if isinstance(column, tuple)
            else pa.array(column, from_pandas=True)  # NaN: not known
            for column in self.data.values()
        ]
        fields = [
            pa.field(column.name, array.type, metadata={"unit": column.unit})
            for column, array in zip(self.columns, arrays, strict=True)
        ]
        return pa.table(arrays, schema=pa.schema(fields))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as a stream of Arrow, as Polars and DuckDB read it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, **options: bool) -> object:
        """Return the table by the protocol of data frames."""
        return self.to_arrow().__dataframe__(**options)

    def shown(self, rows: int = ROWS_SHOWN) -> tuple[list[tuple[str, ...]], str]:
        """Write the first rows, and say how many there are if not all of them."""
        more = len(self) - rows
        return self.head(rows).texts(), f"{CUT} {write(more)} more" if more > 0 else ""

    def lines(self, rows: int = ROWS_SHOWN) -> list[str]:
        """Write the first rows in columns below their names: words left."""
        left = [self.is_words(name) for name in self.names]
        return column_lines([self.names, *self.shown(rows)[0]], left=left)

    def __repr__(self) -> str:
        """Show the first rows."""
        size = f"[{write(len(self))} rows x {len(self.names)} columns]"
        return "\n".join([*self.lines(), size]) if self.names else size

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        rows, more = self.shown()
        left = [self.is_words(name) for name in self.names]
        return html_text(self.names, rows, left) + (f"<p>{more}</p>" if more else "")


class LazyTable(Table):
    """A table whose rows are made as they are taken: there may be 10^9 of them.

    Parameters
    ----------
    schema
        Its columns.
    count
        Number of rows.
    make
        Makes a table of some rows: those of a slice.
    words
        Columns of names.
    """

    count: int
    make: Callable[[slice], Table]
    words: Sequence[str]

    def __init__(
        self,
        schema: Schema,
        count: int,
        make: Callable[[slice], Table],
        words: Sequence[str],
    ) -> None:
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "make", make)

    @property
    def data(self) -> Mapping[str, ColumnData]:
        """Compute all rows."""
        return self.take(slice(None)).data

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return tuple(column.name for column in self.schema)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return what the columns are, in order."""
        return self.schema.columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.count

    def take(self, rows: NDArray[Any] | slice) -> Table:
        """Compute some rows."""
        if isinstance(rows, slice):
            first, last, _ = rows.indices(self.count)
            return self.make(slice(first, last)).select(*self.names)
        return self.take(slice(None)).take(rows)

    def is_words(self, name: str) -> bool:
        """Return whether a column holds names."""
        return name in self.words

    def cell(self, row: int, name: str) -> Any:  # noqa: ANN401 - a number or a word
        """Compute a row, and return a cell of it."""
        return self.take(slice(row, row + 1)).cell(0, name)

    def pages(self) -> Iterator[Table]:
        """Compute all rows, as many at once as fit into memory."""
        for first in range(0, self.count, BATCH_ROWS):
            yield self.take(slice(first, first + BATCH_ROWS))


def words(texts: Sequence[str]) -> tuple[Indices, list[str]]:
    """Build a column of texts, a row each."""
    return named(np.arange(len(texts)), texts)


def _readonly(values: NDArray[Any]) -> NDArray[Any]:
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view


def _values(column: ColumnData) -> Sequence[Any]:
    """Return the values of a column: names written out, None for what is not known."""
    if isinstance(column, tuple):
        texts = column[1]
        return [texts[k] if k >= 0 else None for k in column[0].tolist()]
    values: list[Any] = column.tolist()
    return (
        [None if v != v else v for v in values] if column.dtype.kind == "f" else values
    )
