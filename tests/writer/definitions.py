"""Global definitions of an archive that is written."""

from typing import Any

import _otf2
import numpy as np

from topoview.model import CartesianTopology, Ints, Location, TimeState, Trace

UNDEFINED = 0xFFFFFFFF
UNDEFINED_TIME = 0xFFFFFFFFFFFFFFFF

ROLES = {
    TimeState.SEND: _otf2.RegionRole.POINT2POINT,
    TimeState.RECEIVE: _otf2.RegionRole.POINT2POINT,
    TimeState.WAIT: _otf2.RegionRole.POINT2POINT,
    TimeState.COLLECTIVE: _otf2.RegionRole.COLL_OTHER,
    TimeState.BARRIER: _otf2.RegionRole.BARRIER,
    TimeState.ONE_SIDED: _otf2.RegionRole.RMA,
    TimeState.IO: _otf2.RegionRole.FILE_IO,
    TimeState.MEASUREMENT: _otf2.RegionRole.ARTIFICIAL,
    TimeState.WAIT_FOR_THREADS: _otf2.RegionRole.IMPLICIT_BARRIER,
    TimeState.KERNEL: _otf2.RegionRole.KERNEL,
}
"""Role of a region by the state of a rank in it; others are functions."""

KINDS = {
    "thread": _otf2.LocationType.CPU_THREAD,
    "accelerator": _otf2.LocationType.ACCELERATOR_STREAM,
    "metric": _otf2.LocationType.METRIC,
}
"""Type of a location by its kind."""


def write_definitions(writer: Any, trace: Trace, events: Ints) -> None:  # noqa: ANN401 - a pointer of ctypes
    """Write the definitions of a trace.

    Parameters
    ----------
    writer
        Global definition writer.
    trace
        The trace.
    events : int64, shape (rows,)
        Number of records of each row.
    """
    clock = trace.clock
    _otf2.GlobalDefWriter_WriteClockProperties(
        writer, clock.resolution, clock.origin, clock.length, UNDEFINED_TIME
    )
    text = _Strings(writer)
    text(trace.name)  # string 0: the program's name, see `records_of`
    nodes = _write_locations(writer, text, trace, events)
    _write_regions(writer, text, trace)
    _write_communicators(writer, text, trace)
    _write_windows(writer, text, trace)
    _write_topologies(writer, text, trace)
    counted = {counter.name for counter in trace.counters}
    for i, name in enumerate(trace.metrics):
        if name in counted:
            continue  # see `_write_counters`
        _otf2.GlobalDefWriter_WriteMetricMember(
            writer,
            i,
            text(name),
            text(""),
            _otf2.MetricType.OTHER,
            _otf2.MetricMode.ABSOLUTE_POINT,
            _otf2.Type.UINT64,
            _otf2.Base.DECIMAL,
            0,
            text("#"),
        )
    _write_counters(writer, text, trace, nodes)


def _write_counters(
    writer: Any,  # noqa: ANN401 - a pointer of ctypes
    text: "_Strings",
    trace: Trace,
    nodes: dict[str, int],
) -> None:
    """Write each counter as a metric of its own, of the node that it was counted for.

    The class of a metric has a number above those of all metrics.
    """
    most = max((counter.metric for counter in trace.counters), default=0)
    modes = {
        "grows": _otf2.MetricMode.ACCUMULATED_START,
        "value": _otf2.MetricMode.ABSOLUTE_POINT,
        "change": _otf2.MetricMode.RELATIVE_POINT,
    }
    members = {name: i for i, name in enumerate(trace.metrics)}
    for i, counter in enumerate(trace.counters):
        member = members.setdefault(counter.name, len(members))
        number = most + 1 + i
        _otf2.GlobalDefWriter_WriteMetricMember(
            writer,
            member,
            text(counter.name),
            text(counter.description),
            _otf2.MetricType.OTHER,
            modes[counter.mode],
            _otf2.Type.UINT64,
            _otf2.Base.DECIMAL,
            counter.power,
            text(counter.unit),
        )
        _otf2.GlobalDefWriter_WriteMetricClass(
            writer,
            number,
            [member],
            _otf2.MetricOccurrence.ASYNCHRONOUS,
            _otf2.RecorderKind.ABSTRACT,
        )
        _otf2.GlobalDefWriter_WriteMetricInstance(
            writer,
            counter.metric,
            number,
            counter.recorder,
            _otf2.MetricScope.SYSTEM_TREE_NODE,
            nodes[counter.scope.removeprefix("node ")],
        )


class _Strings:
    """Defines each string once, when it is first used; returns its number."""

    def __init__(self, writer: Any) -> None:  # noqa: ANN401 - a pointer of ctypes
        self._writer = writer
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self._numbers)
            _otf2.GlobalDefWriter_WriteString(self._writer, self._numbers[text], text)
        return self._numbers[text]


def _write_locations(
    writer: Any,  # noqa: ANN401 - a pointer of ctypes
    text: _Strings,
    trace: Trace,
    events: Ints,
) -> dict[str, int]:
    """Write the machine: its nodes, a process for each rank, their locations.

    Returns the numbers of the nodes.
    """
    _otf2.GlobalDefWriter_WriteSystemTreeNode(
        writer, 0, text("machine"), text("machine"), UNDEFINED
    )
    nodes = {"": 0}
    for location in trace.locations:
        if location.node not in nodes:
            nodes[location.node] = len(nodes)
            _otf2.GlobalDefWriter_WriteSystemTreeNode(
                writer, nodes[location.node], text(location.node), text("node"), 0
            )
    processes: set[int] = set()
    for row, location in enumerate(trace.locations):
        if location.rank not in processes:
            processes.add(location.rank)
            _write_process(writer, text, location, nodes[location.node])
        _otf2.GlobalDefWriter_WriteLocation(
            writer,
            location.id,
            text(location.name),
            KINDS[location.kind],
            int(events[row]) if row < len(events) else 0,
            location.rank,
        )
    return nodes


def _write_process(writer: Any, text: _Strings, location: Location, node: int) -> None:  # noqa: ANN401 - a pointer of ctypes
    _otf2.GlobalDefWriter_WriteLocationGroup(
        writer,
        location.rank,
        text(f"MPI Rank {location.rank}"),
        _otf2.LocationGroupType.PROCESS,
        node,
        UNDEFINED,
    )


def _write_regions(writer: Any, text: _Strings, trace: Trace) -> None:  # noqa: ANN401 - a pointer of ctypes
    regions = trace.regions
    for i, name in enumerate(regions.names):
        state = TimeState(int(regions.state[i]))
        paradigm = _otf2.Paradigm.USER
        if regions.operation[i] >= 0:
            paradigm = _otf2.Paradigm.MPI
        _otf2.GlobalDefWriter_WriteRegion(
            writer,
            i,
            text(name),
            text(name),
            text(""),
            ROLES.get(state, _otf2.RegionRole.FUNCTION),
            paradigm,
            _otf2.RegionFlag.NONE,
            text(regions.files[i] if regions.files else ""),
            *(regions.lines[i].tolist() if regions.files else (0, 0)),
        )


def _write_communicators(writer: Any, text: _Strings, trace: Trace) -> None:  # noqa: ANN401 - a pointer of ctypes
    """Write group 0, the locations of the ranks, and a group a communicator."""
    kinds = _otf2.GroupType
    groups: list[tuple[Any, list[int]]] = [
        (kinds.COMM_LOCATIONS, [place.id for place in trace.locations[: trace.ranks]])
    ]
    for communicator in trace.communicators:
        alone = not len(communicator.ranks)
        kind = kinds.COMM_SELF if alone else kinds.COMM_GROUP
        groups.append((kind, communicator.ranks.tolist()))
    for i, (kind, members) in enumerate(groups):
        _otf2.GlobalDefWriter_WriteGroup(
            writer,
            i,
            text(""),
            kind,
            _otf2.Paradigm.MPI,
            _otf2.GroupFlag.NONE,
            members,
        )
    for i, communicator in enumerate(trace.communicators):
        parent = 0 if i else UNDEFINED
        _otf2.GlobalDefWriter_WriteComm(
            writer, i, text(communicator.name), i + 1, parent, _otf2.CommFlag.NONE
        )


def _write_windows(writer: Any, text: _Strings, trace: Trace) -> None:  # noqa: ANN401 - a pointer of ctypes
    """Write the windows that one-sided records name, of all ranks, and the groups."""
    for number, members in trace.groups.items():
        _otf2.GlobalDefWriter_WriteGroup(
            writer,
            number,
            text(""),
            _otf2.GroupType.COMM_GROUP,
            _otf2.Paradigm.MPI,
            _otf2.GroupFlag.NONE,
            members.tolist(),
        )
    named = [each.column("window") for each in trace.further if "window" in each.fields]
    for number in np.unique(np.concatenate(named)).tolist() if named else ():
        _otf2.GlobalDefWriter_WriteRmaWin(
            writer, number, text(f"window {number}"), 0, _otf2.RmaWinFlag.NONE
        )


def _write_topologies(writer: Any, text: _Strings, trace: Trace) -> None:  # noqa: ANN401 - a pointer of ctypes
    dimensions = 0
    for i, declared in enumerate(trace.topologies):
        numbers = list(range(dimensions, dimensions + len(declared.dims)))
        dimensions += len(declared.dims)
        for axis, number in enumerate(numbers):
            name = declared.names[axis] if axis < len(declared.names) else ""
            wraps = bool(declared.periodic[axis])
            periods = _otf2.CartPeriodicity
            _otf2.GlobalDefWriter_WriteCartDimension(
                writer,
                number,
                text(name),
                int(declared.dims[axis]),
                periods.TRUE if wraps else periods.FALSE,
            )
        communicator = max(declared.communicator, 0)
        _otf2.GlobalDefWriter_WriteCartTopology(
            writer, i, text(declared.name), communicator, numbers
        )
        for rank, place in _coordinates(trace, declared, communicator):
            _otf2.GlobalDefWriter_WriteCartCoordinate(writer, i, rank, place)


def _coordinates(
    trace: Trace, declared: CartesianTopology, communicator: int
) -> list[tuple[int, list[int]]]:
    """Coordinates with the communicator's own ranks."""
    members = trace.communicators[communicator].ranks
    local = np.full(trace.ranks, -1, np.int64)
    local[members] = np.arange(len(members))
    pairs = zip(
        local[declared.ranks].tolist(), declared.coordinates.tolist(), strict=True
    )
    return [(rank, place) for rank, place in pairs if rank >= 0]
