"""What GPUs and other devices do, and what waits for them."""

import re
from dataclasses import dataclass
from typing import Final

from topoview.model.definitions import Location
from topoview.model.frozen.arrays import Bytes, Frozen, Indices, Ints

STREAM_NAME: Final = re.compile(r"(.*)\[(\d+):(\w+)\]")
"""Names of streams, ``CUDA[0:13]``: interface, device and stream."""


def device_name(place: Location) -> str:
    """Name the device of a stream: ``CUDA[0]``; else the location's own name."""
    match = STREAM_NAME.fullmatch(place.name)
    return f"{match[1]}[{match[2]}]" if match else place.name


@dataclass(frozen=True, slots=True, eq=False)
class DeviceOperations(Frozen):
    """What ran on devices' streams: by row, of a row in order of its begin."""

    row: Indices
    """int32, shape (n,): row of the stream in the trace's locations."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): in ticks."""
    region: Indices
    """int32, shape (n,): the kernel's region; -1 for copies recorded without one."""
    kind: Bytes
    """uint8, shape (n,): ``KERNEL`` or ``COPY`` of `TimeState`."""
    size: Ints
    """int64, shape (n,): bytes of a copy: to the host, or from it if negative; 0 where
    that is not recorded."""

    def __len__(self) -> int:
        """Count the operations."""
        return len(self.begin)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWaits(Frozen):
    """Each time that a thread waits for a device, by row and time."""

    row: Indices
    """int32, shape (n,): row of the thread."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): in ticks."""
    call: Indices
    around: Indices
    """`call` and `around`: int32, shape (n,): region in which most of the wait is, and
    the one that it is called from; -1 if there is none."""
    stream: Indices
    """int32, shape (n,): row of the stream that is waited for, -1 where the trace does
    not tell."""
    operation: Ints
    """int64, shape (n,): operation whose end ends the wait, -1 if none does."""

    def __len__(self) -> int:
        """Count the waits."""
        return len(self.begin)


@dataclass(frozen=True, slots=True, eq=False)
class BlamedTime(Frozen):
    """Time of waiting, summed up by who waits where and for what: most time first."""

    by_device: Bytes
    """uint8, shape (n,): 1 if a device waits for its host, 0 if a thread waits for a
    device."""
    around: Indices
    call: Indices
    """`around` and `call`: int32, shape (n,): of threads as in `DeviceWaits`; of
    devices the region of the operation after the gap (codes below), and -1."""
    waited_for: Indices
    """int32, shape (n,): region of the device's operation, or that the host's main
    thread is in; or a code: -1 for nothing that is recorded, `TO_HOST`, `FROM_HOST`,
    `COPY_ONLY` for copies that are recorded without a region."""
    ticks: Ints
    count: Ints
    """`ticks` and `count`: int64, shape (n,): how long in all, and how often."""

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.ticks)


TO_HOST = -2
FROM_HOST = -3
COPY_ONLY = -4


@dataclass(frozen=True, slots=True, eq=False)
class DeviceActivity(Frozen):
    """What devices and the ranks' main threads do in a span."""

    span: tuple[int, int]
    """Begin and end in ticks."""
    devices: tuple[str, ...]
    """Name of each device; streams of one count as one."""
    rank: Indices
    """int32, shape (devices,): rank that uses it."""
    kernel: Ints
    copy: Ints
    """`kernel` and `copy`: int64, shape (devices,): ticks in which a kernel runs on any
    of its streams, and in which it only copies. Else it is idle."""
    host: Ints
    """int64, shape (ranks, 5): ticks that main threads compute, are in calls of a GPU's
    interface, wait for one, wait for threads, and are measured; what is none of these
    is MPI, I/O, or not recorded."""
    communicating: Ints
    overlapped: Ints
    """`communicating` and `overlapped`: int64, shape (ranks,): ticks that a rank's main
    thread is in MPI calls, and those of them in which a kernel runs on one of its
    devices."""
    blamed: BlamedTime
    """What waited for what."""


@dataclass(frozen=True, slots=True)
class DeviceEfficiency:
    """Efficiencies of devices, fractions; NaN where there is nothing."""

    device: float
    """Devices: kernels by time: `device_load_balance` times `orchestration`."""
    device_load_balance: float
    """Devices: mean time in kernels by the longest."""
    orchestration: float
    """Devices: longest time in kernels by time."""
    gpu_waiting: float
    """Share of the hosts' time in which they wait for devices."""
    overlapped: float
    """Share of the time in MPI calls in which a kernel of the rank runs."""
