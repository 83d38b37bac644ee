"""Perfetto's protocol buffers: tracks for locations, slices for calls, and flows.

Only the few fields that are needed are written, by the wire format itself (Protocol
Buffers, Encoding); their numbers are those of ``trace_packet.proto``,
``track_event.proto``, ``track_descriptor.proto``, ``process_descriptor.proto`` and
``debug_annotation.proto``. Times are nanoseconds.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview.errors import writing
from topoview.model import Ints, Trace, WaitStates

if TYPE_CHECKING:
    from topoview.pipeline import Results

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_SLICE_BEGIN, _SLICE_END = 1, 2
_SEQUENCE: Final = 1
_BOOT_CLOCK: Final = 6
"""Values of the enumerations that are used."""


def varint(number: int) -> bytes:
    """Encode a whole number, from 0 on."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def _data(field: int, value: bytes | str) -> bytes:
    data = value.encode("utf-8", "replace") if isinstance(value, str) else value
    return varint(field << 3 | _BYTES) + varint(len(data)) + data


def _fixed(field: int, value: int) -> bytes:
    return varint(field << 3 | _FIXED64) + value.to_bytes(8, "little")


def write_perfetto(results: "Results", path: Path, _: str) -> int:
    """Write a trace as protocol buffers; returns the number of packets."""
    count = 0
    with writing(path), path.open("wb") as file:
        for packet in packets(results.trace, results["waits"]):
            file.write(_data(1, packet))  # Trace.packet
            count += 1
    return count


def packets(trace: Trace, waits: WaitStates | None = None) -> Iterator[bytes]:
    """Yield all packets: tracks, then the calls of each.

    Parameters
    ----------
    waits
        What calls waited for: told with them as annotations.
    """
    process = 1 << 32
    owner = trace.rank_of_location.tolist()
    for rank in sorted({*owner, *range(trace.ranks)} - {-1}):
        # TrackDescriptor: uuid 1, process 3 (pid 1, process_name 6)
        named = _number(1, rank + 1) + _data(6, f"rank {rank}")
        yield _sequence() + _data(60, _number(1, process + rank) + _data(3, named))
    for row, location in enumerate(trace.locations):
        parent = _number(5, process + owner[row]) if owner[row] >= 0 else b""
        name = location.name or f"location {row}"
        yield _sequence() + _data(60, _number(1, row + 1) + parent + _data(2, name))
    starts, ends = _flows(trace)
    names = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    for row in range(len(trace.calls.offsets) - 1):
        yield from _slices(trace, row, names, (starts, ends), waits)


def _sequence() -> bytes:
    # TracePacket: trusted_packet_sequence_id 10
    return _number(10, _SEQUENCE)


def _flows(trace: Trace) -> tuple[Ints, Ints]:
    """Order messages by the call that sends, and by the one that completes them."""
    messages = trace.messages
    return (
        np.argsort(messages.send_call, kind="stable"),
        np.argsort(messages.completion_call, kind="stable"),
    )


def _slices(
    trace: Trace,
    row: int,
    names: list[str],
    flows: tuple[Ints, Ints],
    waits: WaitStates | None,
) -> Iterator[bytes]:
    """Yield the packets of the calls of a location."""
    calls, messages = trace.calls, trace.messages
    begin, end = int(calls.offsets[row]), int(calls.offsets[row + 1])
    number = np.arange(begin, end)
    slices = []
    for column, order in zip(
        (messages.send_call, messages.completion_call), flows, strict=True
    ):
        ordered = column[order]
        slices.append(
            (
                order,
                np.searchsorted(ordered, number),
                np.searchsorted(ordered, number, side="right"),
            )
        )
    track = _number(11, row + 1)  # TrackEvent.track_uuid
    for k, call in enumerate(number.tolist()):
        payload = (
            _number(9, _SLICE_BEGIN) + track + _data(23, names[calls.region[call]])
        )
        for order, low, high in slices[:1]:
            payload += b"".join(
                _fixed(47, int(flow) + 1) for flow in order[low[k] : high[k]]
            )
        for order, low, high in slices[1:]:
            payload += b"".join(
                _fixed(48, int(flow) + 1) for flow in order[low[k] : high[k]]
            )
        if waits is not None and waits.until[call] > calls.enter[call]:
            # DebugAnnotation 4: name 10, int_value 4
            payload += _data(
                4, _data(10, "waits for rank") + _number(4, int(waits.whom[call]))
            )
        yield _event(_nanoseconds(trace, int(calls.enter[call])), payload)
        last = _number(9, _SLICE_END) + track
        yield _event(_nanoseconds(trace, int(calls.leave[call])), last)


def _nanoseconds(trace: Trace, ticks: int) -> int:
    return ticks * 1_000_000_000 // trace.clock.resolution


def _event(when: int, payload: bytes) -> bytes:
    # TracePacket: timestamp 8, timestamp_clock_id 58, track_event 11
    return (
        _number(8, when) + _number(58, _BOOT_CLOCK) + _sequence() + _data(11, payload)
    )
