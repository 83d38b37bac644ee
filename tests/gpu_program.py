"""Programs with GPUs that are made up: what they do is known tick by tick."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import otf2
from otf2.enums import GroupType, LocationType, Paradigm, RegionRole, Type

TO_HOST, FROM_HOST, NOTHING = "copy to the host", "copy from the host", "nothing"

CALLS = {
    "cuLaunchKernel": Paradigm.CUDA,
    "cuMemcpyHtoDAsync": Paradigm.CUDA,
    "cuMemcpyDtoH": Paradigm.CUDA,
    "cuStreamSynchronize": Paradigm.CUDA,
    "cuCtxSynchronize": Paradigm.CUDA,
    "MPI_Barrier": Paradigm.MPI,
}
KERNELS = ("stencil", "reduce", "pack")
WAITS = ("cuMemcpyDtoH", "cuStreamSynchronize", "cuCtxSynchronize")


@dataclass
class Operation:
    """What runs on a stream."""

    stream: int
    begin: int
    end: int
    name: str


@dataclass
class Call:
    """A call of the host."""

    begin: int
    end: int
    name: str
    stream: int = -1
    """The stream that it tells of by an attribute; -1 for none."""


@dataclass
class Rank:
    """What a rank does: it is in `main` outside of its calls."""

    calls: list[Call] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    end: int = 0

    def host_at(self, tick: int) -> str:
        """Name what the host is in."""
        inside = (c.name for c in self.calls if c.begin <= tick < c.end)
        return next(inside, "main")

    def running(self, tick: int, stream: int = -1) -> str:
        """Name what runs on a stream, or any: of several what ends last."""
        some = [
            one
            for one in sorted(self.operations, key=lambda o: (o.begin, o.stream))
            if one.begin <= tick < one.end and stream in (-1, one.stream)
        ]
        return max(some, key=lambda one: one.end).name if some else NOTHING

    def waits(self) -> Iterator[Call]:
        """Go through the calls that wait for the device."""
        return (call for call in self.calls if call.name in WAITS)

    def blamed_operations(self) -> Counter[tuple[str, str]]:
        """Count the ticks of waits by call and by what runs meanwhile."""
        return Counter(
            (call.name, self.running(tick, call.stream))
            for call in self.waits()
            for tick in range(call.begin, call.end)
        )

    def blamed_hosts(self) -> Counter[tuple[str, str]]:
        """Count the ticks of gaps by what comes next and what the host does."""
        found: Counter[tuple[str, str]] = Counter()
        begins = sorted(self.operations, key=lambda one: (one.begin, one.stream))
        for tick in range(
            begins[0].begin if begins else 0,
            max((one.end for one in begins), default=0),
        ):
            if self.running(tick) == NOTHING:
                after = next(one for one in begins if one.begin > tick)
                found[after.name, self.host_at(tick)] += 1
        return found

    def ticks_of(self, names: tuple[str, ...]) -> int:
        """Count the ticks that the host is in calls of some names."""
        return sum(c.end - c.begin for c in self.calls if c.name in names)


def run(rng: np.random.Generator, streams: int, steps: int) -> Rank:
    """Make up what a rank does."""
    rank, now, free = Rank(), int(rng.integers(1, 20)), [0] * streams

    def enqueue(at: int, stream: int, name: str, ticks: int) -> None:
        begin = max(free[stream], at)
        free[stream] = begin + ticks
        rank.operations.append(Operation(stream, begin, begin + ticks, name))

    for _ in range(steps):
        stream, name = int(rng.integers(streams)), str(rng.choice(list(CALLS)))
        begin, cost = now, int(rng.integers(1, 8))
        told = -1
        if name == "cuLaunchKernel":
            kernel = KERNELS[int(rng.integers(len(KERNELS)))]
            enqueue(begin + 1 + cost // 2, stream, kernel, int(rng.integers(1, 60)))
        elif name == "cuMemcpyHtoDAsync":
            enqueue(begin + 1, stream, FROM_HOST, int(rng.integers(1, 20)))
        elif name == "cuMemcpyDtoH":
            enqueue(begin + 1, stream, TO_HOST, int(rng.integers(1, 20)))
            cost += free[stream] - begin
        elif name == "cuStreamSynchronize":
            cost += max(free[stream] - begin, 0)
            told = stream if rng.integers(2) else -1
        elif name == "cuCtxSynchronize":
            cost += max(*free, begin, 0) - begin
        else:
            cost = int(rng.integers(1, 50))
        rank.calls.append(Call(begin, begin + cost, name, told))
        now = begin + cost + int(rng.integers(1, 30))
    rank.end = max(now, *free) + 5
    return rank


def write(ranks: list[Rank], streams: int, path: Path) -> Path:
    """Write ranks as Score-P does: copies are transfers of the streams."""
    with otf2.writer.open(str(path), timer_resolution=1000) as archive:
        define = archive.definitions
        node = define.system_tree_node("kn1", class_name="node")
        main = define.region("main", paradigm=Paradigm.COMPILER)
        regions = {
            name: define.region(name, region_role=RegionRole.WRAPPER, paradigm=paradigm)
            for name, paradigm in CALLS.items()
        }
        regions |= {
            name: define.region(name, paradigm=Paradigm.CUDA) for name in KERNELS
        }
        told = define.attribute("CUDA_STREAM_REF", type=Type.LOCATION)
        hosts, devices = [], []
        for number in range(len(ranks)):
            process = define.location_group(
                f"MPI Rank {number}", system_tree_parent=node
            )
            hosts.append(define.location("Master thread", group=process))
            devices.append(
                [
                    define.location(
                        f"CUDA[0:{stream}]", type=LocationType.GPU, group=process
                    )
                    for stream in range(streams)
                ]
            )
        groups = [
            define.group("", kind, Paradigm.MPI, otf2.enums.GroupFlag.NONE, members)
            for kind, members in (
                (GroupType.COMM_LOCATIONS, hosts),
                (GroupType.COMM_GROUP, hosts),
            )
        ]
        window = define.rma_win("CUDA", define.comm("all", group=groups[1]))
        for rank, host, rows in zip(ranks, hosts, devices, strict=True):
            writer = archive.event_writer_from_location(host)
            writer.enter(0, main)
            for call in rank.calls:
                writer.enter(call.begin, regions[call.name])
                stream = {told: rows[call.stream]} if call.stream >= 0 else None
                writer.leave(call.end, regions[call.name], attributes=stream)
            writer.leave(rank.end, main)
            for number, row in enumerate(rows):
                writer = archive.event_writer_from_location(row)
                for one in rank.operations:
                    if one.stream != number:
                        continue
                    if one.name in regions:
                        writer.enter(one.begin, regions[one.name])
                        writer.leave(one.end, regions[one.name])
                    else:
                        put = one.name == TO_HOST
                        record = writer.rma_put if put else writer.rma_get
                        record(one.begin, window, 0, 64, 42)
                        writer.rma_op_complete_blocking(one.end, window, 42)
    return path
