"""Traces, tables and topologies that are written for other tools, and read back."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as own
from traces import real_path, simulated

from topoview.__main__ import main
from topoview.errors import TopoviewError
from topoview.live.export import FORMATS, tables
from topoview.pipeline import Results
from topoview.report.formats.chrome import events
from topoview.report.formats.graphml import write_graphml
from topoview.report.formats.perfetto import packets, varint

TRACE = "sp-rowcol-6x4"


@pytest.fixture(scope="module")
def found() -> Results:
    results = Results(simulated("grid", (4, 3)))
    wanted = {name for table in tables().values() for name in table.wanted}
    for name in ("identification", *sorted(wanted)):
        results.make(name)
    return results


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Decode a message as the encoding says: numbers of fields, and their values."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        elif key & 7 == 1:
            yield key >> 3, int.from_bytes(data[at : at + 8], "little")
            at += 8
        else:
            assert key & 7 == 2
            size = number()
            yield key >> 3, data[at : at + size]
            at += size


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**63])
def test_numbers_of_any_length(number: int) -> None:
    assert list(fields(b"\x08" + varint(number))) == [(1, number)]


def test_perfetto_tracks_slices_and_flows(found: Results, tmp_path: Path) -> None:
    trace = found.trace
    file = tmp_path / "f.perfetto-trace"
    count = FORMATS[".perfetto-trace"].write(found, file, "")
    told = [dict(fields(packet)) for key, packet in fields(file.read_bytes())]
    assert len(told) == count == len(list(packets(trace)))
    events = [list(fields(one[11])) for one in told if 11 in one]
    assert len(events) == 2 * len(trace.calls)
    begins = [dict(event)[23].decode() for event in events if (9, 1) in event]
    names = [trace.regions.title(int(region)) for region in trace.calls.region]
    assert begins == names
    times = [one[8] for one in told if 11 in one]
    expected = np.stack([trace.calls.enter, trace.calls.leave], axis=1).ravel()
    assert times == expected.tolist()  # a tick is a nanosecond
    ends = [
        [value for event in events for key, value in event if key == k]
        for k in (47, 48)
    ]
    assert sorted(ends[0]) == sorted(ends[1]) == list(range(1, 1 + len(trace.messages)))


def test_perfetto_by_its_own_definitions(found: Results, tmp_path: Path) -> None:
    file = tmp_path / "f.perfetto-trace"
    FORMATS[".perfetto-trace"].write(found, file, "")
    told = own.Trace()
    told.ParseFromString(file.read_bytes())
    events = [one.track_event for one in told.packet if one.HasField("track_event")]
    begins = [
        event for event in events if event.type == own.TrackEvent.TYPE_SLICE_BEGIN
    ]
    assert len(begins) == len(found.trace.calls)
    assert {event.name for event in begins} == {
        found.trace.regions.title(int(one)) for one in set(found.trace.calls.region)
    }
    flows = [flow for event in begins for flow in event.flow_ids]
    assert len(flows) == len(found.trace.messages)
    waits = [a for event in begins for a in event.debug_annotations]
    assert {one.name for one in waits} == {"waits for rank"}
    assert all(0 <= one.int_value < found.trace.ranks for one in waits)


def test_chrome_has_calls_and_flows(found: Results, tmp_path: Path) -> None:
    trace = found.trace
    FORMATS[".json"].write(found, tmp_path / "f.json", "")
    told = json.loads((tmp_path / "f.json").read_text("utf-8"))["traceEvents"]
    calls = [one for one in told if one["ph"] == "X"]
    assert len(calls) == len(trace.calls)
    spent = sum(one["dur"] for one in calls)
    assert spent == pytest.approx(
        int((trace.calls.leave - trace.calls.enter).sum()) / 1e3
    )
    flows = {ph: [one for one in told if one["ph"] == ph] for ph in "sf"}
    for begin, end in zip(flows["s"], flows["f"], strict=True):
        number = begin["id"]
        assert end["id"] == number
        assert begin["pid"] == trace.messages.sender[number]
        assert end["pid"] == trace.messages.receiver[number]
        assert begin["args"]["bytes"] == trace.messages.size[number]
        assert begin["ts"] <= end["ts"]
    assert len(flows["s"]) == len(trace.messages)


def test_chrome_names_no_rank_for_locations_of_none() -> None:
    trace = simulated("grid", (4, 3))
    alone = replace(trace.locations[0], rank=-1)
    told = map(json.loads, events(replace(trace, locations=(*trace.locations, alone))))
    names = [one["args"]["name"] for one in told if one["name"] == "process_name"]
    assert names == [*(f"rank {rank}" for rank in range(12)), "no rank"]


@pytest.mark.parametrize("table", sorted(tables().keys() - {"devices", "gpu_waits"}))
def test_tables_as_csv_and_parquet(found: Results, tmp_path: Path, table: str) -> None:
    csv, parquet = tmp_path / "f.csv", tmp_path / "f.parquet"
    count = FORMATS[".csv"].write(found, csv, table)
    assert count == FORMATS[".parquet"].write(found, parquet, table)
    one, other = pd.read_csv(csv), pd.read_parquet(parquet)
    assert len(one) == len(other) == count
    assert list(one.columns) == list(other.columns)
    for name in one.columns:
        if one[name].dtype.kind in "if" and len(one[name].dropna()):
            assert one[name].to_numpy() == pytest.approx(
                other[name].to_numpy().astype(float), nan_ok=True
            )


def graph_of(file: Path) -> nx.Graph:
    graph = nx.read_graphml(file, node_type=int)
    for key in ("node_default", "edge_default"):
        del graph.graph[key]  # which networkx adds
    return graph


def test_the_topology_as_a_graph(found: Results, tmp_path: Path) -> None:
    FORMATS[".graphml"].write(found, tmp_path / "f.graphml", "")
    graph = graph_of(tmp_path / "f.graphml")
    assert nx.is_isomorphic(graph, nx.grid_2d_graph(4, 3))
    assert nx.utils.graphs_equal(graph, found["identification"].best.to_networkx())


def test_graphml_as_networkx_reads_it(tmp_path: Path) -> None:
    """Of all types, with letters that XML has its own words for, both ways."""
    graph = nx.DiGraph(name='a "<&>" b', part=1.5)
    graph.add_node(3, x=1, silent=True)
    graph.add_node(0)
    graph.add_edge(0, 3, calls=2, seconds=1e-30, kind="<rank>")
    graph.add_edge(3, 0, calls=1 << 40)
    file = tmp_path / "g.graphml"
    ends = ((*pair, graph.edges[pair]) for pair in graph.edges)
    write_graphml(file, graph.nodes.items(), ends, graph.graph, directed=True)
    again = graph_of(file)
    assert again.is_directed()
    assert nx.utils.graphs_equal(again, graph)


@pytest.mark.usefixtures("one_store")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.graphml"
    assert main(["export", str(real_path(TRACE)), "-o", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == nx.read_graphml(file).number_of_edges()
    assert main(["export", str(real_path(TRACE)), "-o", str(tmp_path / "f.txt")]) == 2
    assert ".perfetto-trace" in capsys.readouterr().err


@pytest.mark.parametrize("table", ["waits", "delays"])
def test_no_waits_without_aligned_clocks(tmp_path: Path, table: str) -> None:
    trace = simulated("grid", (4, 3))
    results = Results(replace(trace, clock=replace(trace.clock, aligned=False)))
    for name in tables()[table].wanted:
        results.make(name)
    with pytest.raises(TopoviewError, match="cannot be aligned"):
        FORMATS[".csv"].write(results, tmp_path / "f.csv", table)


@pytest.mark.usefixtures("one_store")
def test_a_table_where_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "f.json")
    command = ["export", str(real_path(TRACE)), "-o", file, "--table", "waits"]
    assert main(command) == 2
    assert "write .csv or .parquet" in capsys.readouterr().err


def test_a_folder_that_is_not_there(found: Results, tmp_path: Path) -> None:
    with pytest.raises(TopoviewError, match="cannot be written"):
        FORMATS[".json"].write(found, tmp_path / "none" / "f.json", "")
