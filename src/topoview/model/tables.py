"""Columns of the model as tables of pandas and Arrow."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class Table:
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
