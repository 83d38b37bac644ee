"""Event records that states, calls and messages do not hold."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.model.arrays import Floats, Ints, freeze
from topoview.model.tables import Table

# Codes of OTF2_Type.
_UINT64: Final = 4
_FLOAT: Final = 9
_DOUBLE: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Records(Table):
    """All records of one type: metrics, parameters, RMA, threads, I/O, and so on.

    Attributes
    ----------
    name
        The type, as OTF2 names it: ``RmaPut``, ``ParameterInt``, ``Metric``.
    fields
        Names of what a record holds besides its time. A metric's record is a row
        for each of its values: ``metric, place, type, value``, the value being
        the bits of a number of the type (OTF2_Type: 8 is int64, 4 uint64, 10 a
        float64). That of an event's attribute holds ``attribute, type, value`` and
        ``record``, the number of the event's type; its value may be an identifier.
    offsets : int64, shape (rows + 1,)
        Row ``r`` of the trace owns the records ``offsets[r]`` to
        ``offsets[r + 1]``.
    time : int64, shape (records,)
        Times in ticks.
    values : int64, shape (records, len(fields))
        Numbers, or the trace's own identifiers; unsigned ones as their bits. When a
        buffer's flush stopped is in ticks, as times are.
    """

    name: str
    fields: tuple[str, ...]
    offsets: Ints
    time: Ints
    values: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.time)

    def columns(self, *, rows: bool = False) -> dict[str, NDArray[Any]]:
        """Columns by name: the time and what else a record holds.

        Those of metrics and attributes have ``number`` too, as `numbers` makes it.
        Fields lie side by side, a record after the other: Arrow copies them.

        Parameters
        ----------
        rows
            Add ``row`` in front, the location of each record; that column is made.
        """
        found: dict[str, NDArray[Any]] = {}
        if rows:
            numbers = np.arange(len(self.offsets) - 1, dtype=np.int32)
            found["row"] = np.repeat(numbers, np.diff(self.offsets))
        found["time"] = self.time
        found |= {field: self.column(field) for field in self.fields}
        if {"type", "value"} <= found.keys():
            found["number"] = self.numbers()
        return found

    def column(self, field: str) -> Ints:
        """Give one field of all records: int64, shape (records,).

        Raises
        ------
        ValueError
            If the records have no such field.
        """
        return self.values[:, self.fields.index(field)]

    def numbers(self) -> Floats:
        """Give the values of metrics or attributes, whatever their type.

        Returns
        -------
        float64, shape (records,)

        Raises
        ------
        ValueError
            If the records are neither.
        """
        bits, kind = np.ascontiguousarray(self.column("value")), self.column("type")
        found = bits.astype(np.float64)
        is_unsigned = (kind == _UINT64) & (bits < 0)
        found[is_unsigned] = bits.view(np.uint64)[is_unsigned]
        is_short = kind == _FLOAT
        found[is_short] = bits.astype(np.uint32).view(np.float32)[is_short]
        is_real = kind == _DOUBLE
        found[is_real] = bits.view(np.float64)[is_real]
        return found
