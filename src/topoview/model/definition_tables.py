"""Definitions of a trace as they stand in it, a table for each type."""

from dataclasses import dataclass

from topoview.model.arrays import Ints, freeze


@dataclass(frozen=True, slots=True, eq=False)
class DefinitionTable:
    """Definitions of one type.

    Attributes
    ----------
    name
        Type of the records, such as ``Region`` or ``IoHandle``.
    fields
        Name of each field.
    values : int64, shape (n, fields)
        Values in the trace's order: its own identifiers, and OTF2's codes (as in
        ``otf2.enums``); unsigned ones as their bit pattern. -1 where a reference
        leads nowhere.
    written
        Fields that are texts: their values count in `texts`.
    texts
        Each text once.
    """

    name: str
    fields: tuple[str, ...]
    values: Ints
    written: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the definitions."""
        return len(self.values)

    def column(self, field: str) -> Ints:
        """Give the values of a field: int64, shape (n,).

        Raises
        ------
        ValueError
            If there is no such field.
        """
        return self.values[:, self.fields.index(field)]

    def words(self, field: str) -> tuple[str, ...]:
        """Give the texts of a field, empty where there is none.

        Raises
        ------
        ValueError
            If it is no text.
        """
        if field not in self.written:
            raise ValueError(f"{field} of {self.name} is no text")
        return tuple(self.texts[k] if k >= 0 else "" for k in self.column(field))
