"""What plain loops over the events of real archives find, with the otf2 package."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import otf2
import traces
from otf2_reader import read_through_library

from topoview.worker import open_trace


@dataclass
class Plain:
    """What a plain loop over events finds.

    Attributes
    ----------
    calls
        Rank, function, seconds, and ticks at which it begins and ends.
    messages
        Sender, receiver, bytes, tag, seconds from send to receive, and ticks of both.
    operations
        For each collective operation: kind, and the (enter, leave, bytes sent) of
        each member, in seconds.
    """

    calls: list[tuple[int, str, float, int, int]] = field(default_factory=list)
    messages: list[tuple[int, int, int, int, float, int, int]] = field(
        default_factory=list
    )
    operations: list[tuple[str, list[tuple[float, float, int]]]] = field(
        default_factory=list
    )


def through_package(name: str, folder: Path) -> Plain:  # noqa: C901 - a plain loop
    """Read Score-P's archive: one loop over the events, with queues of messages."""
    found, open_calls = Plain(), {}
    sent: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    arrived: dict[Any, list[int]] = defaultdict(list)
    parts: dict[Any, list[tuple[str, float, float, int]]] = defaultdict(list)
    pending: dict[Any, Any] = {}
    with otf2.reader.open(str(traces.unpacked(name, folder))) as archive:
        per_second = archive.definitions.clock_properties.timer_resolution
        rank_of = {
            location: int(location.group.name.split()[-1])
            for location in archive.definitions.locations
        }
        for location, event in archive.events:
            rank = rank_of[location]
            name = getattr(getattr(event, "region", None), "name", "")
            if isinstance(event, otf2.events.Enter) and name.startswith("MPI_"):
                open_calls[rank] = event.time
            elif isinstance(event, otf2.events.Leave) and name.startswith("MPI_"):
                took = (open_calls[rank], event.time)
                long = (took[1] - took[0]) / per_second
                found.calls.append((rank, name.removeprefix("MPI_"), long, *took))
                if rank in pending:
                    kind, group, size = pending.pop(rank)
                    parts[group, rank].append(
                        (kind, took[0] / per_second, took[1] / per_second, size)
                    )
            elif isinstance(event, otf2.events.MpiIsend | otf2.events.MpiSend):
                there = rank_of[event.communicator.group.members[event.receiver]]
                key = rank, there, event.msg_tag
                sent[key].append((event.time, event.msg_length))
            elif isinstance(event, otf2.events.MpiIrecv | otf2.events.MpiRecv):
                there = rank_of[event.communicator.group.members[event.sender]]
                arrived[there, rank, event.msg_tag].append(event.time)
            elif isinstance(event, otf2.events.MpiCollectiveEnd):
                kind = str(event.collective_op).rpartition(".")[2].capitalize()
                pending[rank] = kind, event.communicator, event.size_sent
    for (one, other, tag), sends in sent.items():
        for (time, size), end in zip(sends, arrived[one, other, tag], strict=True):
            long = (end - time) / per_second
            found.messages.append((one, other, size, tag, long, time, end))
    of_group: dict[Any, list[list[tuple[str, float, float, int]]]] = defaultdict(list)
    for (group, _), own in parts.items():
        of_group[group].append(own)
    for members in of_group.values():
        for turn in zip(*members, strict=True):
            if not turn[0][0].endswith("handle"):  # no data goes anywhere
                found.operations.append((turn[0][0], [part[1:] for part in turn]))
    return found


def through_library(name: str) -> Plain:
    """Read EZTrace's archive, which `otf2.reader` refuses, through libotf2."""

    def read(defined: Any, report: Any, _: Any, subset: Any) -> Any:  # noqa: ANN401 - as is read
        return read_through_library(defined, report, subset)

    with (
        mock.patch("topoview.io.reading.whole.decode_whole", read),
        mock.patch(
            "topoview.io.reading.whole.match_whole", lambda _, events, *__: events
        ),
    ):
        trace = open_trace(traces.real_path(name))
    calls, messages, found = trace.calls, trace.messages, Plain()
    scale = trace.clock.resolution
    for rank in range(trace.ranks):
        for i in range(calls.offsets[rank], calls.offsets[rank + 1]):
            took = int(calls.enter[i]), int(calls.leave[i])
            title = trace.regions.title(int(calls.region[i]))
            found.calls.append((rank, title, (took[1] - took[0]) / scale, *took))
    for i in range(len(messages)):
        times = int(messages.send_time[i]), int(messages.receive_time[i])
        ends = int(messages.sender[i]), int(messages.receiver[i])
        what = int(messages.size[i]), int(messages.tag[i])
        found.messages.append((*ends, *what, (times[1] - times[0]) / scale, *times))
    return found
