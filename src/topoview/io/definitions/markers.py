"""Markers: remarks on moments, from the file of their own beside the anchor.

A record is a byte that says what it is, its length, and its content; chunks begin
like those of definitions (libotf2 3.2, source of ``OTF2_MarkerReader.c``). The file
is parsed here, because libotf2 reads on for ever where one was cut.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from topoview.io.definitions.locations import RanksAndLocations
from topoview.io.definitions.records import Definitions
from topoview.io.definitions.values import text_of
from topoview.model import Marker

_CHUNK_HEADER_BYTES: Final = 18
_CHUNK_MARK: Final = 3
_BYTE_ORDERS: Final = {0x42: "little", 0x23: "big"}
_LAST_CONTROL_RECORD: Final = 2
_END_OF_FILE: Final = 2
_DEFINITION: Final = 5
_MARKER: Final = 6
_LENGTH_IN_EIGHT_BYTES: Final = 0xFF
_MAX_FILE_BYTES: Final = 1 << 26
"""Bytes of a file; one marker takes some 40."""

_MAX_TIME: Final = 1 << 62

_SEVERITIES: Final = ("none", "low", "medium", "high")
_LOCATION_SCOPE: Final = 1


class MarkerKind(NamedTuple):
    """What a definition says of its markers."""

    group: str = ""
    category: str = ""
    severity: int = 0


class MarkerRecord(NamedTuple):
    """A marker as it stands in the file."""

    time: int
    duration: int
    kind: MarkerKind
    scope: int
    identifier: int
    text: str


def read_markers(path: Path, chunk: int) -> tuple[list[MarkerRecord], str]:
    """Read a file of markers: what is whole, and what is wrong with it, if anything.

    Parameters
    ----------
    chunk
        Bytes of a chunk of definitions.
    """
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            return [], f"larger than {_MAX_FILE_BYTES >> 20} MiB and was not read"
        data = path.read_bytes()
    except FileNotFoundError:
        return [], ""
    except OSError as error:
        return [], f"unreadable ({error.strerror})"
    if not data:
        return [], "empty"
    remarks: list[MarkerRecord] = []
    kinds: dict[int, MarkerKind] = {}
    for begin in range(0, len(data), max(chunk, _CHUNK_HEADER_BYTES)):
        part = data[begin : begin + max(chunk, _CHUNK_HEADER_BYTES)]
        if (
            len(part) <= _CHUNK_HEADER_BYTES
            or part[0] != _CHUNK_MARK
            or part[1] not in _BYTE_ORDERS
        ):
            return remarks, "damaged"
        if not _read_chunk(
            _ChunkBytes(part, _CHUNK_HEADER_BYTES, _BYTE_ORDERS[part[1]]),
            kinds,
            remarks,
        ):
            return remarks, "damaged or cut short"
    return sorted(remarks, key=lambda remark: remark.time), ""


def _read_chunk(
    data: "_ChunkBytes", kinds: dict[int, MarkerKind], remarks: list[MarkerRecord]
) -> bool:
    """Read a chunk; tells whether it is whole."""
    try:
        while (record := data.byte()) > _LAST_CONTROL_RECORD:
            length = data.byte()
            if length == _LENGTH_IN_EIGHT_BYTES:
                length = data.whole(8)
            after = data.at + length
            if after > len(data.data):
                return False
            if record == _DEFINITION:
                ref = data.integer()
                kinds.setdefault(ref, MarkerKind(data.text(), data.text(), data.byte()))
            elif record == _MARKER:
                time, duration = data.integer(), data.integer()
                kind = kinds.get(data.integer(), MarkerKind())
                scope, identifier = data.byte(), data.integer()
                text = data.text()
                remarks.append(
                    MarkerRecord(time, duration, kind, scope, identifier, text)
                )
            data.at = after
    except (IndexError, ValueError):
        return False
    return True


class _ChunkBytes:
    """Bytes of a chunk, read one thing after the other.

    Each method raises `IndexError` or `ValueError` where there is no such thing.
    """

    def __init__(self, data: bytes, at: int, order: str) -> None:
        self.data, self.at, self.order = data, at, order

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def whole(self, size: int) -> int:
        raw = self.data[self.at : self.at + size]
        if len(raw) < size:
            raise IndexError("the chunk ends")
        self.at += size
        return int.from_bytes(raw, "big" if self.order == "big" else "little")

    def integer(self) -> int:
        size = self.byte()
        if size == _LENGTH_IN_EIGHT_BYTES:
            return -1
        if size > 8:
            raise ValueError("no integer")
        return self.whole(size)

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        raw = self.data[self.at : end]
        self.at = end + 1
        return text_of(raw)


def find_markers(
    remarks: list[MarkerRecord],
    definitions: Definitions,
    processes: RanksAndLocations,
    origin: int,
) -> tuple[Marker, ...]:
    """Say what markers are about.

    Parameters
    ----------
    origin
        Time stamp of the trace's beginning.
    """
    rows = {place.id: row for row, place in enumerate(processes.locations)}
    scopes = _scopes(definitions)
    found = []
    for remark in remarks:
        row = rows.get(remark.identifier, -1) if remark.scope == _LOCATION_SCOPE else -1
        scope = ""
        if row >= 0:
            place = processes.locations[row]
            scope = f"rank {place.rank}, {place.name}"
        elif remark.scope < len(scopes):
            scope = scopes[remark.scope](remark.identifier)
        severity = min(remark.kind.severity, len(_SEVERITIES) - 1)
        found.append(
            Marker(
                time=min(remark.time, _MAX_TIME) - origin,
                duration=min(remark.duration, _MAX_TIME),
                group=remark.kind.group,
                category=remark.kind.category,
                severity=_SEVERITIES[severity],
                scope=scope,
                row=row,
                text=remark.text,
            )
        )
    return tuple(found)


def _scopes(definitions: Definitions) -> tuple[Callable[[int], str], ...]:
    """Give what names an identifier, by OTF2_MarkerScope."""
    text, nodes = definitions.string, definitions.further.nodes

    def process(ref: int) -> str:
        group = definitions.location_groups.get(ref)
        return text(group.name) if group else ""

    def node(ref: int) -> str:
        return (
            f"{text(nodes[ref].kind)} {text(nodes[ref].name)}" if ref in nodes else ""
        )

    def group(ref: int) -> str:
        names = [text(g.name) for g in definitions.groups if g.id == ref]
        return f"group {names[0]}" if names else ""

    def communicator(ref: int) -> str:
        record = definitions.communicators.get(ref)
        return text(record.name) if record else ""

    def location(ref: int) -> str:
        record = definitions.locations.get(ref)
        return text(record.name) if record else ""

    return (lambda _: "", location, process, node, group, communicator)
