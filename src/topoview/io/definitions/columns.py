"""Global definitions decoded: the fields of each type of record as columns of numbers.

Types and their fields are those of OTF2 3.1 (source of ``OTF2_GlobalDefReader_inc.c``,
libotf2 3.2). What older versions wrote is brought to the form of the newest.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from topoview.base.memory import memory_budget
from topoview.base.text import size_text
from topoview.errors import TraceError
from topoview.io.archive.anchor import AnchorFile
from topoview.io.archive.contents import TraceFile
from topoview.io.decoder.library import address, load_decoder
from topoview.io.definitions.tables import Words, text_of

T = TypeVar("T")

UNDEFINED: Final = 0xFFFFFFFF
"""Identifier of nothing."""

_FORMS: Final = {
    "u8": 1, "u32": 2, "u64": 3, "text": 4, "value": 5, "u32s": 6, "u64s": 7,
    "properties": 8, "later": 9,
}  # fmt: skip
"""How fields are written, by the decoder's number (``c/globals.c``)."""

_MAX_FORMS: Final = 16
_LEADING: Final = 2
_TYPES: Final = 256
_PADDING_BYTES: Final = 64
"""Zeros that the decoder wants behind a file."""

_MEMORY_SHARE: Final = 8
"""A compressed file takes no more than this part of the budget of memory, inflated."""

_END_OF_FILE: Final = b"\1"
"""What stands behind the mark that ends a file; a tool for texts adds line ends."""


class DefinitionType(NamedTuple):
    """A type of definitions: its name, and the names and forms of its fields."""

    name: str
    fields: tuple[str, ...]
    forms: tuple[int, ...]


def _type(name: str, fields: str) -> DefinitionType:
    """Parse a type of ``name:form``, blanks between; newer ones follow ``later``."""
    parts = [part.partition(":") for part in fields.split()]
    return DefinitionType(
        name,
        tuple(title for title, _, form in parts if form),
        tuple(_FORMS[form or title] for title, _, form in parts),
    )


_PROPERTY: Final = "name:u32 text:u32 later type:u8 value:value"
_NAMED: Final = "self:u32 name:u32"
DEFINITION_TYPES: Final = {
    5: _type(
        "ClockProperties", "resolution:u64 begin:u64 length:u64 later realtime:u64"
    ),
    6: _type("Paradigm", "paradigm:u8 name:u32 class:u8"),
    7: _type("ParadigmProperty", "paradigm:u8 property:u8 type:u8 value:value"),
    8: _type(
        "IoParadigm",
        "self:u8 identification:u32 name:u32 class:u8 flags:u32 count:u8 "
        "properties:properties",
    ),
    10: _type("String", "self:u32 text:text"),
    11: _type("Attribute", f"{_NAMED} type:u8 later description:u32"),
    12: _type("SystemTreeNode", f"{_NAMED} kind:u32 parent:u32"),
    13: _type("LocationGroup", f"{_NAMED} kind:u8 node:u32 later creator:u32"),
    14: _type("Location", "self:u64 name:u32 kind:u8 events:u64 group:u32"),
    15: _type(
        "Region",
        f"{_NAMED} description:u32 old_kind:u8 file:u32 begin:u32 end:u32 "
        "later canonical:u32 role:u8 paradigm:u8 flags:u32",
    ),
    16: _type("Callsite", "self:u32 file:u32 line:u32 entered:u32 left:u32"),
    17: _type("Callpath", "self:u32 parent:u32 region:u32"),
    18: _type(
        "Group",
        f"{_NAMED} old_kind:u8 size:u32 members:u64s "
        "later kind:u8 paradigm:u8 flags:u32",
    ),
    19: _type(
        "MetricMember",
        f"{_NAMED} description:u32 kind:u8 mode:u8 type:u8 base:u8 exponent:u64 "
        "unit:u32",
    ),
    20: _type(
        "MetricClass",
        "self:u32 count:u8 members:u32s occurrence:u8 later recorder:u8",
    ),
    21: _type(
        "MetricInstance", "self:u32 class:u32 recorder:u64 scope_kind:u8 scope:u64"
    ),
    22: _type("Comm", f"{_NAMED} group:u32 parent:u32 later flags:u32"),
    23: _type("Parameter", f"{_NAMED} type:u8"),
    24: _type("RmaWin", f"{_NAMED} communicator:u32 later flags:u32"),
    25: _type("MetricClassRecorder", "class:u32 location:u64"),
    26: _type("SystemTreeNodeProperty", f"owner:u32 {_PROPERTY}"),
    27: _type("SystemTreeNodeDomain", "node:u32 domain:u8"),
    28: _type("LocationGroupProperty", f"owner:u32 {_PROPERTY}"),
    29: _type("LocationProperty", f"owner:u64 {_PROPERTY}"),
    30: _type("CartDimension", f"{_NAMED} size:u32 periodic:u8"),
    31: _type("CartTopology", f"{_NAMED} communicator:u32 count:u8 dimensions:u32s"),
    32: _type("CartCoordinate", "topology:u32 rank:u32 count:u8 place:u32s"),
    33: _type("SourceCodeLocation", "self:u32 file:u32 line:u32"),
    34: _type("CallingContext", "self:u32 region:u32 line:u32 parent:u32"),
    35: _type("CallingContextProperty", "owner:u32 name:u32 type:u8 value:value"),
    36: _type(
        "InterruptGenerator", f"{_NAMED} mode:u8 base:u8 exponent:u64 period:u64"
    ),
    37: _type("IoFileProperty", "owner:u32 name:u32 type:u8 value:value"),
    38: _type("IoRegularFile", f"{_NAMED} node:u32"),
    39: _type("IoDirectory", f"{_NAMED} node:u32"),
    40: _type(
        "IoHandle",
        f"{_NAMED} file:u32 paradigm:u8 flags:u32 communicator:u32 parent:u32",
    ),
    41: _type("IoPreCreatedHandleState", "handle:u32 mode:u8 flags:u32"),
    42: _type("CallpathParameter", "owner:u32 parameter:u32 type:u8 value:value"),
    43: _type("InterComm", f"{_NAMED} group:u32 other:u32 parent:u32 flags:u32"),
}  # fmt: skip
"""Every type of global definition, by its number."""


_FIELDS: Final = {
    kind.name: ("number", "given", *kind.fields) for kind in DEFINITION_TYPES.values()
}
"""Columns of each type: its number among all records, how many fields it has, these."""


@dataclass(frozen=True, slots=True, eq=False)
class DefinitionColumns:
    """Definitions as they stand in a file."""

    tables: dict[str, Words]
    """Records of each type of `DEFINITION_TYPES` that there is, by its name: uint64,
    shape (records, columns). A text or a list is where it begins."""
    items: Words
    """Items of all lists."""
    data: bytes
    """The file, and zeros behind it."""
    whole: bool
    """Whether this is all of it."""

    def columns(self, name: str, fields: str) -> Words:
        """Return some fields of a type, names with blanks between.

        Returns
        -------
        uint64, shape (records, fields)
        """
        names = _FIELDS[name]
        table = self.tables.get(name, np.zeros((0, len(names)), np.uint64))
        return table[:, [names.index(field) for field in fields.split()]]

    def rows(self, name: str, fields: str) -> Iterator[tuple[int, ...]]:
        """Iterate over the records of a type: some fields of each."""
        return zip(*self.columns(name, fields).T.tolist(), strict=True)

    def table(self, name: str, fields: str, make: Callable[..., T]) -> dict[int, T]:
        """Return some fields of each record of a type, shaped by `make`, by identifier.

        Of several with the same identifier the first one counts.
        """
        values = self.columns(name, f"self {fields}")
        _, first = np.unique(values[:, 0], return_index=True)
        if len(first) < len(values):
            values = values[np.sort(first)]
        identifiers, *rest = values.T.tolist()
        return dict(zip(identifiers, map(make, *rest), strict=True))

    def text(self, place: int) -> str:
        """Read the text that begins at a place of the file."""
        return text_of(self.data[place : self.data.index(b"\0", place)])

    def items_at(self, begin: int, count: int) -> Words:
        """Return the items of the list that begins at a place."""
        return self.items[begin : begin + count]

    def numbers_at(self, begin: int, count: int) -> tuple[int, ...]:
        """Return the items of a list as numbers."""
        return tuple(self.items_at(begin, count).tolist())


def decode_definitions(path: Path, head: AnchorFile) -> DefinitionColumns:
    """Decode a file of global definitions, up to where it is damaged.

    Parameters
    ----------
    head
        What the anchor file says.

    Raises
    ------
    TraceError
        If it is compressed, and too large for the memory.
    """
    data = bytes(_PADDING_BYTES)
    with (
        contextlib.suppress(OSError),
        TraceFile(path, compressed=head.compressed) as file,
    ):
        if head.compressed and file.size > memory_budget() // _MEMORY_SHARE:
            raise TraceError(
                f"{path} is not read: its definitions would take {size_text(file.size)}"
            )
        data = file.read(0, file.size) + data
    size = len(data) - _PADDING_BYTES
    chunk = min(max(head.definition_chunk, 1), size + 1)
    places, counts = np.zeros(_TYPES, np.uint64), np.zeros(_TYPES + 1, np.uint64)
    decode = partial(
        load_decoder().definitions, data, size, chunk,
        address(DEFINITION_FORMATS), address(places),
    )  # fmt: skip
    decode(None, address(counts))
    items = np.empty(int(counts[-1]), np.uint64)
    tables = {
        kind.name: np.empty((int(counts[number]), len(_FIELDS[kind.name])), np.uint64)
        for number, kind in DEFINITION_TYPES.items()
        if counts[number]
    }
    for number, kind in DEFINITION_TYPES.items():
        if kind.name in tables:
            places[number] = address(tables[kind.name])
    end = decode(address(items), address(counts))
    for name, table in tables.items():
        _complete(name, table)
    whole = end > 0 and data[end:size].rstrip(b"\r\n") == _END_OF_FILE
    return DefinitionColumns(tables, items, data, whole)


def _formats() -> NDArray[np.uint8]:
    table = np.zeros((_TYPES, _MAX_FORMS), np.uint8)
    for number, kind in DEFINITION_TYPES.items():
        table[number, : len(kind.forms)] = kind.forms
    return table


DEFINITION_FORMATS: Final = _formats()
"""Forms of the fields of each type, by its number."""

# What records of older versions of OTF2 lack, as libotf2 fills it in.

_TEXT_PROPERTY: Final[dict[str, int | str]] = {"type": 11, "value": "text"}
_OLDER: Final[dict[str, dict[str, int | str]]] = {
    "ClockProperties": {"realtime": (1 << 64) - 1},
    "Attribute": {"description": UNDEFINED},
    "LocationGroup": {"creator": UNDEFINED},
    "Region": {"canonical": "name"},
    "RmaWin": {"flags": 1},
    "SystemTreeNodeProperty": _TEXT_PROPERTY,
    "LocationGroupProperty": _TEXT_PROPERTY,
    "LocationProperty": _TEXT_PROPERTY,
}
"""Values of fields that are not 0, or fields that have the same value."""

_USER, _OPENMP, _MPI = 1, 3, 4
_OLD_REGIONS: Final = np.array(
    [(0, 0, 0), (1, 0, 0), (3, _USER, 0), (1, 0, 0), (27, _USER, 0)]
    + [
        (role, _OPENMP, 0)
        for role in (5, 3, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 13, 10)
    ]
    + [(role, _OPENMP, 0) for role in (2, 20, 22)]
    + [(role, _MPI, 0) for role in (15, 23, 24, 25, 26)]
    + [(4, _USER, 0), (4, _USER, 1), (4, _USER, 3)]
    + [(3, _USER, 1), (1, _USER, 1), (3, _USER, 3)]
    + [(role, _OPENMP, 0) for role in (21, 18, 19)],
    np.uint64,
)
"""Role, paradigm and flags by the kinds of regions before OTF2 1.1."""

_OLD_GROUPS: Final = np.array(
    [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 0),
        (2, 0, 0),
        (5, _MPI, 0),
        (6, _MPI, 0),
        (4, _MPI, 0),
    ],
    np.uint64,
)
"""Kind, paradigm and flags by the kinds of groups before OTF2 1.2."""

_OLD_KINDS: Final = {
    "Region": ("old_kind", "role paradigm flags", _OLD_REGIONS),
    "Group": ("old_kind", "kind paradigm flags", _OLD_GROUPS),
}


def _complete(name: str, table: Words) -> None:
    """Fill in the fields that the records of a type lack, in place."""
    names = _FIELDS[name]
    older = np.flatnonzero(table[:, names.index("given")] < len(names) - _LEADING)
    if not len(older):
        return
    for field, value in _OLDER.get(name, {}).items():
        if isinstance(value, str):
            table[older, names.index(field)] = table[older, names.index(value)]
        else:
            table[older, names.index(field)] = value
    if name in _OLD_KINDS:
        kind, fields, meanings = _OLD_KINDS[name]
        kinds = table[older, names.index(kind)]
        kinds[kinds >= len(meanings)] = 0
        places = [names.index(field) for field in fields.split()]
        table[older[:, None], places] = meanings[kinds.astype(np.intp)]
