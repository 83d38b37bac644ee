"""Global definitions read through libotf2: the truth about each record."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from otf2_reader.libotf2 import ALL, open_archive
from topoview.io.definitions.tables import text_of

Record = tuple[str, dict[str, Any]]

_C_TYPES = {
    "u8": c_uint8, "u32": c_uint32, "u64": c_uint64, "text": c_char_p,
    "value": c_uint64, "u8s": POINTER(c_uint8), "u32s": POINTER(c_uint32),
    "u64s": POINTER(c_uint64), "values": POINTER(c_uint64),
}  # fmt: skip

_PROPERTY = "name:u32 type:u8 value:value"
_ARGUMENTS = {
    "ClockProperties": "resolution:u64 begin:u64 length:u64 realtime:u64",
    "Paradigm": "paradigm:u8 name:u32 class:u8",
    "ParadigmProperty": "paradigm:u8 property:u8 type:u8 value:value",
    "IoParadigm": "self:u8 identification:u32 name:u32 class:u8 flags:u32 count:u8 "
    "names:u8s types:u8s values:values",
    "String": "self:u32 text:text",
    "Attribute": "self:u32 name:u32 description:u32 type:u8",
    "SystemTreeNode": "self:u32 name:u32 kind:u32 parent:u32",
    "LocationGroup": "self:u32 name:u32 kind:u8 node:u32 creator:u32",
    "Location": "self:u64 name:u32 kind:u8 events:u64 group:u32",
    "Region": "self:u32 name:u32 canonical:u32 description:u32 role:u8 paradigm:u8 "
    "flags:u32 file:u32 begin:u32 end:u32",
    "Callsite": "self:u32 file:u32 line:u32 entered:u32 left:u32",
    "Callpath": "self:u32 parent:u32 region:u32",
    "Group": "self:u32 name:u32 kind:u8 paradigm:u8 flags:u32 size:u32 members:u64s",
    "MetricMember": "self:u32 name:u32 description:u32 kind:u8 mode:u8 type:u8 base:u8 "
    "exponent:u64 unit:u32",
    "MetricClass": "self:u32 count:u8 members:u32s occurrence:u8 recorder:u8",
    "MetricInstance": "self:u32 class:u32 recorder:u64 scope_kind:u8 scope:u64",
    "Comm": "self:u32 name:u32 group:u32 parent:u32 flags:u32",
    "Parameter": "self:u32 name:u32 type:u8",
    "RmaWin": "self:u32 name:u32 communicator:u32 flags:u32",
    "MetricClassRecorder": "class:u32 location:u64",
    "SystemTreeNodeProperty": f"owner:u32 {_PROPERTY}",
    "SystemTreeNodeDomain": "node:u32 domain:u8",
    "LocationGroupProperty": f"owner:u32 {_PROPERTY}",
    "LocationProperty": f"owner:u64 {_PROPERTY}",
    "CartDimension": "self:u32 name:u32 size:u32 periodic:u8",
    "CartTopology": "self:u32 name:u32 communicator:u32 count:u8 dimensions:u32s",
    "CartCoordinate": "topology:u32 rank:u32 count:u8 place:u32s",
    "SourceCodeLocation": "self:u32 file:u32 line:u32",
    "CallingContext": "self:u32 region:u32 line:u32 parent:u32",
    "CallingContextProperty": f"owner:u32 {_PROPERTY}",
    "InterruptGenerator": "self:u32 name:u32 mode:u8 base:u8 exponent:u64 period:u64",
    "IoFileProperty": f"owner:u32 {_PROPERTY}",
    "IoRegularFile": "self:u32 name:u32 node:u32",
    "IoDirectory": "self:u32 name:u32 node:u32",
    "IoHandle": "self:u32 name:u32 file:u32 paradigm:u8 flags:u32 communicator:u32 "
    "parent:u32",
    "IoPreCreatedHandleState": "handle:u32 mode:u8 flags:u32",
    "CallpathParameter": "owner:u32 parameter:u32 type:u8 value:value",
    "InterComm": "self:u32 name:u32 group:u32 other:u32 parent:u32 flags:u32",
}
"""Arguments of the callback of each type (``OTF2_GlobalDefReaderCallbacks.h``)."""

_BITS = {1: 8, 2: 16, 4: 64, 5: 8, 6: 16, 8: 64, 10: 64, 13: 64}
"""Bits of a value by its OTF2_Type, where they are not 32; the others are not set."""

_LAST_TYPE = 25


def significant(kind: int, value: int) -> int:
    """Bits of a value that its type has."""
    bits = _BITS.get(kind, 32) if 0 < kind <= _LAST_TYPE else 64
    return value & ((1 << bits) - 1)


def definitions_through_library(anchor: Path) -> tuple[list[Record], bool]:
    """Read all global definitions, in order; and whether the library was content."""
    found: list[Record] = []

    def listener(name: str, titles: list[str]) -> Any:  # noqa: ANN401 - a C function
        def listen(_: int, *arguments: Any) -> int:  # noqa: ANN401 - C types
            fields = dict(zip(titles, arguments, strict=True))
            count = fields.get("count", fields.get("size", 0))
            for title, value in fields.items():
                if title == "text":
                    fields[title] = text_of(value or b"")
                elif not isinstance(value, int):
                    fields[title] = [value[place] for place in range(count)]
            if "names" in fields:
                lists = (fields.pop(title) for title in ("names", "types", "values"))
                fields["properties"] = [
                    (name, kind, significant(kind, value))
                    for name, kind, value in zip(*lists, strict=True)
                ]
            if "value" in fields:
                fields["value"] = significant(fields["type"], fields["value"])
            found.append((name, fields))
            return 0

        return listen

    alive = []
    with open_archive(anchor) as (library, reader):
        definitions = library.Reader_GetGlobalDefReader(reader)
        callbacks = library.GlobalDefReaderCallbacks_New()
        for name, arguments in _ARGUMENTS.items():
            titles = [part.split(":")[0] for part in arguments.split()]
            types = [_C_TYPES[part.split(":")[1]] for part in arguments.split()]
            kind = ctypes.CFUNCTYPE(c_int, c_void_p, *types)
            alive.append(kind(listener(name, titles)))
            setter = getattr(library, f"GlobalDefReaderCallbacks_Set{name}Callback")
            setter(callbacks, ctypes.cast(alive[-1], c_void_p))
        library.Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, None)
        failed = library.Reader_ReadGlobalDefinitions(
            reader, definitions, ALL, c_uint64()
        )
        library.GlobalDefReaderCallbacks_Delete(callbacks)
        library.Reader_CloseGlobalDefReader(reader, definitions)
    return found, not failed


def head_through_library(anchor: Path) -> tuple[int, int, str] | None:
    """Read an anchor: bytes of chunks of events and definitions, and its writer."""
    with open_archive(anchor) as (library, reader):
        if not reader:
            return None
        return (*library.chunk_sizes(reader), library.creator(reader))
