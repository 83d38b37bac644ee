"""Markers: remarks on moments, from the file of their own beside the anchor.

Its chunks and records are like those of definitions (libotf2 3.2, source of
``OTF2_MarkerReader.c``).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from topoview.io.archive.chunks import Chunk, chunks_of
from topoview.io.definitions.locations import RanksAndLocations
from topoview.io.definitions.records import Definitions
from topoview.model import Marker

_DEFINITION: Final = 5
_MARKER: Final = 6
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
    try:
        for part in chunks_of(data, chunk):
            if not _read_chunk(part, kinds, remarks):
                return remarks, "damaged or cut short"
    except ValueError:
        return remarks, "damaged"
    return sorted(remarks, key=lambda remark: remark.time), ""


def _read_chunk(
    chunk: Chunk, kinds: dict[int, MarkerKind], remarks: list[MarkerRecord]
) -> bool:
    """Read a chunk; tells whether it is whole."""
    try:
        for record, end in chunk.records():
            if end > len(chunk.data):
                return False
            if record == _DEFINITION:
                ref = chunk.integer()
                kind = MarkerKind(chunk.text(), chunk.text(), chunk.byte())
                kinds.setdefault(ref, kind)
            elif record == _MARKER:
                time, duration = chunk.integer(), chunk.integer()
                kind = kinds.get(chunk.integer(), MarkerKind())
                scope, identifier = chunk.byte(), chunk.integer()
                remarks.append(
                    MarkerRecord(
                        time=time,
                        duration=duration,
                        kind=kind,
                        scope=scope,
                        identifier=identifier,
                        text=chunk.text(),
                    )
                )
    except (IndexError, ValueError):
        return False
    return True


def find_markers(
    remarks: list[MarkerRecord],
    definitions: Definitions,
    processes: RanksAndLocations,
    origin: int,
) -> tuple[Marker, ...]:
    """Find what markers are about.

    Parameters
    ----------
    origin
        Time stamp of the trace's beginning.
    """
    rows = {place.id: row for row, place in enumerate(processes.locations)}
    scopes = _scopes(definitions)
    markers = []
    for remark in remarks:
        row = rows.get(remark.identifier, -1) if remark.scope == _LOCATION_SCOPE else -1
        scope = ""
        if row >= 0:
            place = processes.locations[row]
            scope = f"rank {place.rank}, {place.name}"
        elif remark.scope < len(scopes):
            scope = scopes[remark.scope](remark.identifier)
        severity = min(remark.kind.severity, len(_SEVERITIES) - 1)
        markers.append(
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
    return tuple(markers)


def _scopes(definitions: Definitions) -> tuple[Callable[[int], str], ...]:
    """Return functions that name an identifier, by OTF2_MarkerScope."""
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
