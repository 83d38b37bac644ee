"""An archive with every kind of definition, and with markers: written by libotf2."""

from pathlib import Path

import _otf2
import otf2
from otf2.enums import (
    GroupType,
    InterruptGeneratorMode,
    IoParadigmClass,
    IoParadigmFlag,
    RegionRole,
    Type,
)

NOTHING = 0xFFFFFFFF


def write_everything(path: Path) -> Path:
    """Write a trace of one location; returns the path of its anchor.

    ``main`` calls ``solve`` in line 20, which calls ``MPI_Send`` in lines 7 and 8.
    """
    with otf2.writer.open(str(path), timer_resolution=1000) as archive:
        define = archive.definitions
        machine = define.system_tree_node("cluster", class_name="machine")
        node = define.system_tree_node("kn1", class_name="node", parent=machine)
        process = define.location_group("rank 0", system_tree_parent=node)
        main = define.location("main", group=process)
        define.system_tree_node_property(node, "HOST", Type.STRING, "kn1.example")
        define.location_group_property(process, "PID", Type.INT32, -7)
        define.location_property(main, "Core", Type.UINT64, 3)
        region = {
            name: define.region(name, source_file="s.c", begin_line_number=line)
            for name, line in (("main", 1), ("solve", 5))
        }
        region["MPI_Send"] = define.region(
            "MPI_Send",
            region_role=RegionRole.POINT2POINT,
            paradigm=otf2.enums.Paradigm.MPI,
        )
        define.callsite("s.c", 20, region["solve"], region["main"])
        line = [define.source_code_location("s.c", number) for number in (20, 7, 8, 6)]
        outer = define.calling_context(region["main"], None, None)
        inner = define.calling_context(region["solve"], line[0], outer)
        sends = [
            define.calling_context(region["MPI_Send"], line[k], inner) for k in (1, 2)
        ]
        here = define.calling_context(region["solve"], line[3], outer)
        define.calling_context_property(here, "why", Type.DOUBLE, 1.5)
        timer = define.interrupt_generator(
            "clock", InterruptGeneratorMode.TIME, otf2.enums.Base.DECIMAL, -3, 10
        )
        posix = define.io_paradigm(
            "POSIX",
            "POSIX I/O",
            IoParadigmClass.SERIAL,
            IoParadigmFlag.NONE,
            {otf2.enums.IoParadigmProperty.VERSION: "2024"},
        )
        file = define.io_regular_file("data.bin", scope=node)
        define.io_file_property(file, "Stripes", Type.UINT8, 4)
        groups = [
            define.group(
                "", kind, otf2.enums.Paradigm.MPI, otf2.enums.GroupFlag.NONE, [main]
            )
            for kind in (GroupType.COMM_LOCATIONS, GroupType.COMM_GROUP)
        ]
        comm = define.comm("all", group=groups[1])
        define.io_handle("", file, posix, otf2.enums.IoHandleFlag.NONE, comm, None)
        define.rma_win("window", comm)
        define.parameter("cycle")
        writer = archive.event_writer_from_location(main)
        writer.calling_context_enter(100, outer, 1)
        writer.calling_context_enter(110, inner, 1)
        for begin, send in zip((120, 140, 160), (0, 1, 0), strict=True):
            writer.calling_context_enter(begin, sends[send], 1)
            writer.calling_context_leave(begin + 10, sends[send])
        writer.calling_context_sample(175, here, 1, timer)
        writer.calling_context_leave(180, inner)
        writer.calling_context_leave(200, outer)
    _write_markers(path)
    return path / "traces.otf2"


def _write_markers(path: Path) -> None:
    reader = _otf2.Reader_Open(str(path / "traces.otf2"))
    _otf2.Reader_SetSerialCollectiveCallbacks(reader)
    markers = _otf2.Reader_GetMarkerWriter(reader)
    define, put = _otf2.MarkerWriter_WriteDefMarker, _otf2.MarkerWriter_WriteMarker
    define(markers, 0, "Tool", "Remark", _otf2.SEVERITY_LOW)
    define(markers, 1, "Tool", "Fault", _otf2.SEVERITY_HIGH)
    put(markers, 150, 0, 1, _otf2.MARKER_SCOPE_LOCATION, 0, "slow here")
    put(markers, 120, 50, 0, _otf2.MARKER_SCOPE_GLOBAL, NOTHING, "the first step")
    put(markers, 130, 0, 7, _otf2.MARKER_SCOPE_SYSTEM_TREE_NODE, 1, "of no kind")
    _otf2.Reader_CloseMarkerWriter(reader, markers)
    _otf2.Reader_Close(reader)
