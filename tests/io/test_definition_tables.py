"""Definitions as they stand in a trace, against what libotf2 wrote and reads."""

from collections.abc import Callable
from pathlib import Path

import otf2
import pytest
from everything import write_everything
from otf2.enums import (
    IoAccessMode,
    IoHandleFlag,
    Paradigm,
    ParadigmClass,
    ParadigmProperty,
    RegionFlag,
    RegionRole,
    SystemTreeDomain,
)
from same import assert_same

from topoview.base.progress import silent
from topoview.io.archive.finding import find_anchor
from topoview.io.definitions.tables import TABLE_FIELDS
from topoview.model import DefinitionTable, Trace
from topoview.worker import open_trace, read_in_process


def tables(trace: Trace) -> dict[str, DefinitionTable]:
    return {table.name: table for table in trace.definitions}


def test_all_that_was_written(tmp_path: Path) -> None:
    """Every type that the archive with everything has; the store keeps them."""
    path = write_everything(tmp_path / "run")
    trace = open_trace(path)
    found = tables(trace)
    assert found["RmaWin"].words("name") == ("window",)
    assert found["RmaWin"].column("communicator").tolist() == [0]
    assert found["IoParadigm"].words("identification") == ("POSIX",)
    assert found["IoParadigmProperty"].words("value") == ("2024",)
    handle = found["IoHandle"]
    assert handle.column("parent").tolist() == [-1]
    assert handle.column("flags").tolist() == [0]
    assert found["InterruptGenerator"].column("exponent").tolist() == [-3]
    assert found["InterruptGenerator"].column("period").tolist() == [10]
    assert found["ClockProperties"].column("resolution").tolist() == [1000]
    assert found["Parameter"].words("name") == ("cycle",)
    region = found["Region"]
    by_name = dict(zip(region.words("name"), region.column("role"), strict=True))
    assert by_name["MPI_Send"] == RegionRole.POINT2POINT.value
    with pytest.raises(ValueError, match="role of Region is no text"):
        region.words("role")
    with pytest.raises(ValueError, match="read-only"):
        region.values[0, 0] = 1
    assert set(found) <= {*TABLE_FIELDS, "IoParadigmProperty"}
    for one, other in zip(
        trace.definitions, read_in_process(path).definitions, strict=True
    ):
        assert_same(one, other)


def test_paradigms_flags_and_creators(tmp_path: Path) -> None:
    with otf2.writer.open(str(tmp_path / "run"), timer_resolution=1000) as archive:
        define = archive.definitions
        node = define.system_tree_node("kn1", class_name="node")
        process = define.location_group("rank 0", system_tree_parent=node)
        device = define.location_group(
            "GPU",
            location_group_type=otf2.enums.LocationGroupType.ACCELERATOR,
            system_tree_parent=node,
            creating_location_group=process,
        )
        main = define.location("main", group=process)
        define.location("stream", group=device)
        define.region("phase", region_flags=RegionFlag.PHASE | RegionFlag.DYNAMIC)
        posix = define.io_paradigm(
            "POSIX",
            "POSIX I/O",
            otf2.enums.IoParadigmClass.SERIAL,
            otf2.enums.IoParadigmFlag.OS,
        )
        file = define.io_regular_file("stdout", scope=node)
        handle = define.io_handle("", file, posix, IoHandleFlag.PRE_CREATED, None, None)
        archive.event_writer_from_location(main).parameter_int(
            10, define.parameter("cycle", otf2.enums.ParameterType.INT64), 3
        )
        define.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)
        define.paradigm_property(
            Paradigm.MPI, ParadigmProperty.COMM_NAME_TEMPLATE, value="MPI"
        )
        define.system_tree_node_domain(node, SystemTreeDomain.SHARED_MEMORY)
        define.io_pre_created_handle_state(handle, IoAccessMode.WRITE_ONLY)
    found = tables(open_trace(tmp_path / "run"))
    assert found["Paradigm"].words("name") == ("MPI",)
    assert found["Paradigm"].column("class").tolist() == [ParadigmClass.PROCESS.value]
    assert found["ParadigmProperty"].words("value") == ("MPI",)
    both = RegionFlag.PHASE.value | RegionFlag.DYNAMIC.value
    assert found["Region"].column("flags").tolist() == [both]
    assert found["LocationGroup"].column("creator").tolist() == [0]
    assert found["LocationGroup"].column("self").tolist() == [1]
    assert found["IoHandle"].column("flags").tolist() == [
        IoHandleFlag.PRE_CREATED.value
    ]
    assert found["IoPreCreatedHandleState"].column("mode").tolist() == [
        IoAccessMode.WRITE_ONLY.value
    ]
    domain = found["SystemTreeNodeDomain"].column("domain")
    assert domain.tolist() == [SystemTreeDomain.SHARED_MEMORY.value]


@pytest.mark.parametrize("name", ["sp-lu-8-flush", "sp-rowcol-6x4"])
def test_what_the_package_reads(
    name: str, real_path: Callable[[str], Path], tmp_path: Path
) -> None:
    path = find_anchor(real_path(name), tmp_path, silent).file
    found = tables(open_trace(path))
    with otf2.reader.open(str(path)) as archive:
        define = archive.definitions
        regions = [
            (region.name, region.canonical_name, region.region_flags.value)
            for region in define.regions
        ]
        comms = [(c.name, c.flags.value) for c in define._comms]
    region, comm = found["Region"], found["Comm"]
    assert regions == list(
        zip(
            region.words("name"), region.words("canonical"), region.column("flags"),
            strict=True,
        )
    )  # fmt: skip
    assert comms == list(zip(comm.words("name"), comm.column("flags"), strict=True))
    assert found["Paradigm"].words("name")
