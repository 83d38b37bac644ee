"""Counters of nodes and links beside what is modelled: written, read, told."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from traces import simulated
from writer.write import write_trace

from topoview.__main__ import main
from topoview.analysis.network.measured_traffic import SENT, WAY, measured_traffic
from topoview.analysis.network.placement import machine_network
from topoview.analysis.network.traffic import link_loads
from topoview.errors import UsageError
from topoview.model import EventRecords, LinkLoads, MachineChoice, MetricCounter, Trace
from topoview.report.network import network_record
from topoview.topology import communication_matrix
from topoview.worker import open_trace

TORUS = MachineChoice(kind="torus", dims="4x3")
PARTS = 4
"""Values that each counter has, at the ends of quarters of the run."""


def on_hosts() -> Trace:
    """Simulate a torus of 4x3 ranks, each on a host of its own."""
    trace = simulated("torus", (4, 3), numbering=1)
    places = [
        replace(place, node=f"kn{max(place.rank, 0):02d}") for place in trace.locations
    ]
    return replace(trace, locations=tuple(places))


def loads_of(trace: Trace, choice: MachineChoice = TORUS) -> LinkLoads:
    return link_loads(communication_matrix(trace), *machine_network(trace, choice))


def counted(
    trace: Trace, amounts: dict[tuple[str, int], int], mode: str = "grows", **how: str
) -> Trace:
    """Have the first thread of a rank record amounts: by name and rank.

    They come in quarters of the run, what does not divide in the last one.
    """
    counters, rows = [], []
    for number, ((name, rank), amount) in enumerate(amounts.items()):
        told = {"unit": "bytes", "scope": f"node kn{rank:02d}"} | how
        counters.append(
            MetricCounter(
                50 + number, 0, name, mode=mode, timing="start", recorder=rank, **told
            )
        )
        came = np.full(PARTS, amount // PARTS)
        came[-1] += amount % PARTS
        values = came if mode == "change" else np.cumsum(came)
        times = trace.clock.length * (1 + np.arange(PARTS)) // PARTS
        rows += [
            (rank, at, 50 + number, 0, 8, value)
            for at, value in zip(times.tolist(), values.tolist(), strict=True)
        ]
    table = np.array(sorted(rows, key=lambda row: row[:2]), np.int64).reshape(-1, 6)
    ends = np.arange(len(trace.calls.offsets))
    records = EventRecords(
        "Metric",
        ("metric", "place", "type", "value"),
        np.searchsorted(table[:, 0], ends),
        table[:, 1].copy(),
        np.ascontiguousarray(table[:, 2:]),
    )
    return replace(trace, counters=tuple(counters), further=(records,))


def by_link(loads: LinkLoads) -> dict[tuple[str, int], int]:
    """Measure twice of each link, by direction."""
    network = loads.network
    return {
        (f"TORUS_{network.directions[way].upper()}_BYTES", int(ends[0])): 2 * int(size)
        for ends, way, size in zip(
            network.links, network.direction, loads.bytes, strict=True
        )
    }


@pytest.mark.parametrize("mode", ["grows", "change"])
def test_links_that_were_written_are_read(mode: str, tmp_path: Path) -> None:
    trace = on_hosts()
    amounts = by_link(loads_of(trace))
    read = open_trace(write_trace(counted(trace, amounts, mode), tmp_path))
    loads = loads_of(read)
    found = measured_traffic(read, loads)
    assert found is not None
    assert (found.unit, found.left_out) == ("bytes", ())
    np.testing.assert_array_equal(found.links, 2 * loads.bytes)
    assert np.isnan(found.sent).all()
    ratio = replace(loads, measured=found).table()["ratio"]
    np.testing.assert_array_equal(ratio[loads.bytes > 0], 0.5)
    # a part of the run has what came in it
    quarter = read.clock.length // PARTS
    part = measured_traffic(read, loads, window=(0, quarter + 1))
    assert part is not None
    np.testing.assert_array_equal(part.links, 2 * loads.bytes // PARTS)


def test_nodes_where_only_their_sums_are_known() -> None:
    trace = on_hosts()
    loads = loads_of(trace)
    amounts = {("nic tx_bytes", k): 3 * int(loads.sent[k]) for k in range(11)}
    made = counted(trace, amounts)
    found = measured_traffic(made, loads)
    assert found is not None
    assert np.isnan(found.links).all()
    np.testing.assert_array_equal(found.sent[:11], 3 * loads.sent[:11])
    assert np.isnan(found.sent[11])
    told = network_record(replace(loads, measured=found), links=True)["measured"]
    assert told["links"]["counted"] == 0
    assert told["nodes"]["counted"] == 11
    assert all(row[-1] == pytest.approx(1 / 3) for row in told["nodes"]["list"])


def test_what_a_node_sends_is_what_its_messages_bring() -> None:
    trace = on_hosts()
    loads = loads_of(trace, replace(TORUS, dims="3x2", per_node=2))
    volume = communication_matrix(trace).volume.toarray()
    node = loads.placement.node
    for one in range(6):
        assert loads.sent[one] == volume[node == one][:, node != one].sum()


def test_other_units_tell_shares() -> None:
    trace = on_hosts()
    loads = loads_of(trace)
    packets = {key: size // 64 for key, size in by_link(loads).items()}
    found = measured_traffic(counted(trace, packets, unit="packets"), loads)
    assert found is not None
    assert found.unit == "packets"
    np.testing.assert_allclose(found.links, loads.bytes)


def test_the_user_chooses_and_names_other_ends() -> None:
    trace = on_hosts()
    loads = loads_of(trace)
    amounts = {
        (f"cable to kn{b:02d}", a): 7 * a + b + 1
        for a, b in loads.network.links.tolist()
    }
    made = counted(trace, amounts)
    assert measured_traffic(made, loads) is None  # by that name they are none
    found = measured_traffic(made, loads, "^cable")
    assert found is not None
    ends = loads.network.links
    np.testing.assert_array_equal(found.links, 7 * ends[:, 0] + ends[:, 1] + 1)
    with pytest.raises(UsageError, match="no counter 'wire': it has cable"):
        measured_traffic(made, loads, "wire")
    with pytest.raises(UsageError, match="no regular expression"):
        measured_traffic(made, loads, "(")


def test_what_cannot_count_is_told() -> None:
    trace = on_hosts()
    loads = loads_of(trace)
    made = counted(
        trace,
        {("torus U+ bytes", 0): 8, ("tx_bytes", 0): 8, ("link to moon bytes", 0): 8},
    )
    found = measured_traffic(made, loads)
    assert found is not None
    assert found.sent[0] == 8
    assert sorted(found.left_out) == [
        "1 counter: no link leads to moon",
        "1 counter: the 2D torus 4x3 has no direction u+",
    ]
    assert measured_traffic(replace(made, further=made.further[:0]), loads) is None
    (records,) = made.further
    values = records.values + np.array([1000, 0, 0, 0])
    others = replace(records, values=values)
    assert measured_traffic(replace(made, further=(others,)), loads) is None
    falling = counted(trace, {("tx_bytes", 0): -8}, mode="value")
    fallen = measured_traffic(falling, loads)
    assert fallen is not None
    assert fallen.left_out == ("1 counter: falls, so it is no sum",)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("infiniband:::mlx5_0_1:port_xmit_data", ""),
        ("net:::ib0:tx:bytes", ""),
        ("BGP_TORUS_XP_32BCHUNKS", "XP"),
        ("torus a_minus packets", "a_minus"),
        ("bytes sent", ""),
    ],
)
def test_names_of_traffic(name: str, way: str) -> None:
    assert SENT.search(name)
    found = WAY.search(name)
    assert (found[0] if found else "") == way


@pytest.mark.parametrize(
    "name", ["PAPI_TOT_CYC", "ru_utime", "port_rcv_data", "energy"]
)
def test_names_of_other_things(name: str) -> None:
    assert not SENT.search(name)


def test_commands(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    trace = on_hosts()
    loads = loads_of(trace)
    made = counted(trace, by_link(loads) | {("tx_bytes", 3): 2 * int(loads.sent[3])})
    path = str(write_trace(made, tmp_path))
    run: Callable[..., int] = lambda *more: main(  # noqa: E731
        ["network", path, "--torus", "4x3", *more]
    )
    assert run("--json", "--links") == 0
    told = json.loads(capsys.readouterr().out)
    found = told["measured"]
    assert found["links"]["counted"] == told["links"]
    assert found["links"]["measured"] == 2 * found["links"]["bytes"]
    assert [row[:3] for row in found["links"]["list"]] == told["link_list"]
    (row,) = found["nodes"]["list"]
    assert row[0] == 3
    assert row[-1] == 0.5
    assert run() == 0
    assert "modelled / measured 0.50" in capsys.readouterr().out
    assert run("--find", "to EAST", "--counters", "tx") == 2
    assert "leave out --find" in capsys.readouterr().err
    assert run("--find", "tag 0", "--json") == 0
    assert "measured" not in json.loads(capsys.readouterr().out)
