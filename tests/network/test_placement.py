"""Where ranks are on the machine: what is told, what is assumed, what is missing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fabrics
import numpy as np
import pytest

from topoview.analysis.network.networks import grid
from topoview.analysis.network.placement import extent_of, machine_network
from topoview.errors import UsageError
from topoview.model import MachineChoice, Trace, coordinates_of


@pytest.fixture(scope="module")
def plain() -> Trace:
    from traces import simulated

    return simulated("torus", (4, 3), numbering=1)


def on_hosts(trace: Trace, names: list[str]) -> Trace:
    """Have the system tree say on which hosts ranks ran."""
    places = list(trace.locations)
    for rank, name in enumerate(names):
        places[rank] = replace(places[rank], node=name)
    return replace(trace, locations=tuple(places))


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        (tmp_path / "machine").write_text(text)
        return str(tmp_path / "machine")

    return write


def test_an_assumed_torus_is_filled_x_fastest(plain: Trace) -> None:
    network, found = machine_network(plain, MachineChoice(kind="torus", dims="4x3x1"))
    assert (network.kind, network.dims) == ("torus", (4, 3, 1))
    assert found.node.tolist() == list(range(12))
    assert found.assumed
    choice = MachineChoice(kind="torus", dims="3x2", per_node=2)
    network, found = machine_network(plain, choice)
    places = coordinates_of(found.node, network.dims)
    assert places.tolist() == [[r // 2 % 3, r // 2 // 3] for r in range(12)]
    # without a number, as many as are needed
    _, found = machine_network(plain, MachineChoice(kind="mesh", dims="2x2"))
    assert np.bincount(found.node).tolist() == [3, 3, 3, 3]


def test_a_network_that_is_too_small_is_refused(plain: Trace) -> None:
    with pytest.raises(UsageError, match="do not fit"):
        machine_network(plain, MachineChoice(kind="torus", dims="2x2", per_node=2))


def test_a_trace_that_tells_nothing_is_refused(plain: Trace) -> None:
    with pytest.raises(UsageError, match="such as a torus of 4x4x4"):
        machine_network(plain)
    with pytest.raises(UsageError, match="1 host from the trace"):
        machine_network(on_hosts(plain, ["vm"] * 12))


def test_a_pattern_without_names_to_fit_is_refused(plain: Trace) -> None:
    choice = MachineChoice(kind="torus", dims="4x3", names=r"n(\d+)")
    with pytest.raises(UsageError, match="no names of hosts"):
        machine_network(plain, choice)


def test_hosts_alone_are_on_one_switch(plain: Trace) -> None:
    names = [f"n{'abcdef'[k // 2]}" for k in range(12)]
    network, found = machine_network(on_hosts(plain, names))
    assert network.name == "6 nodes on one switch"
    assert found.node.tolist() == [k // 2 for k in range(12)]
    assert found.assumed
    assert found.hosts == tuple(dict.fromkeys(names))
    network, found = machine_network(plain, MachineChoice(per_node=4))
    assert network.name == "3 nodes on one switch"


def test_coordinates_in_names_make_a_mesh(plain: Trace) -> None:
    names = [f"r{k % 3}-m{k // 3}-x7" for k in range(12)]
    network, found = machine_network(on_hosts(plain, names))
    assert network.name == "2D mesh 3x4"
    assert coordinates_of(found.node, network.dims).tolist() == [
        [k % 3, k // 3] for k in range(12)
    ]
    assert not found.assumed
    assert any("wraps" in word for word in found.missing)
    pattern = MachineChoice(names=r"r(?P<y>\d+)-m(?P<x>\d+)")
    network, found = machine_network(on_hosts(plain, names), pattern)
    assert network.name == "2D mesh 4x3"


def test_holes_are_nodes_without_ranks(plain: Trace) -> None:
    names = [f"nid{k + (k >= 5) * 3:05d}" for k in range(12)]
    choice = MachineChoice(kind="torus", dims="4x4")
    network, found = machine_network(on_hosts(plain, names), choice)
    assert sorted(set(range(16)) - set(found.used.tolist())) == [5, 6, 7, 15]
    assert network.nodes == 16
    assert found.assumed
    assert [found.hosts[k] for k in (4, 5, 8)] == ["nid00004", "", "nid00008"]


def test_coordinates_outside_of_the_torus_are_refused(plain: Trace) -> None:
    trace = on_hosts(plain, [f"r{k}-m{k // 6}" for k in range(12)])
    with pytest.raises(UsageError, match="host r4-m0 lies outside"):
        machine_network(trace, MachineChoice(kind="torus", dims="4x4"))
    _, found = machine_network(trace, MachineChoice(kind="torus", dims="12x2"))
    assert found.node.tolist() == [k + 12 * (k // 6) for k in range(12)]


def test_switches_and_hosts_meet_by_name(
    plain: Trace, written: Callable[[str], str]
) -> None:
    file = written(
        "SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=n[3-5]\n"
        "SwitchName=t Switches=a,b\n"
    )
    names = [f"n{5 - k // 2}.cluster.org" for k in range(12)]
    network, found = machine_network(on_hosts(plain, names), MachineChoice(file=file))
    assert network.name == "tree of 3 switches"
    assert [network.names[k] for k in found.node[::2]] == [
        f"n{5 - k}" for k in range(6)
    ]
    assert not found.assumed


def test_ranks_of_a_file_go_before_the_trace(
    plain: Trace, written: Callable[[str], str]
) -> None:
    text = "".join(f"rank {r}=n{r % 4} slot=0\n" for r in range(11))
    trace = on_hosts(plain, ["vm"] * 12)
    choice = MachineChoice(file=written(text), kind="torus", dims="4")
    _, found = machine_network(trace, choice)
    assert found.node.tolist() == [*(r % 4 for r in range(11)), -1]
    assert any("1 rank" in word for word in found.missing)


def test_tables_tell_places(plain: Trace, written: Callable[[str], str]) -> None:
    rows = "".join(f"{r},{r % 2},{r // 6},{r % 3}\n" for r in range(12))
    choice = MachineChoice(file=written(f"rank,x,y,z\n{rows}"))
    network, found = machine_network(plain, choice)
    assert network.name == "3D mesh 2x2x3"
    assert coordinates_of(found.node, network.dims).tolist() == [
        [r % 2, r // 6, r % 3] for r in range(12)
    ]
    hosts = "node,x,y\nna,0,0\nnb,1,0\nnc,1,2\n"
    trace = on_hosts(plain, ["nb", "nc", "na", "na"] * 3)
    network, found = machine_network(trace, MachineChoice(file=written(hosts)))
    assert network.name == "2D mesh 2x3"
    assert found.node.tolist() == [1, 5, 0, 0] * 3


def test_rank_orders_fill_nodes(plain: Trace, written: Callable[[str], str]) -> None:
    file = written(",".join(map(str, [1, 0, *range(2, 10), 11, 10])))
    choice = MachineChoice(file=file, kind="torus", dims="12")
    _, found = machine_network(plain, choice)
    assert found.node.tolist() == [1, 0, *range(2, 10), 11, 10]


def test_extents_around_a_torus() -> None:
    network = grid((8, 8), (True, False))
    nodes = np.array([7, 0, 1, 8 * 5])
    assert extent_of(network, nodes) == (3, 6)
    assert extent_of(network, np.zeros(0, int)) == (0, 0)


def test_nodes_of_a_cray_ex_are_in_order_and_no_mesh(plain: Trace) -> None:
    names = [fabrics.xname(number) for number in (130, 3, 0, 66, 1, 2)] * 2
    trace = on_hosts(plain, names)
    network, found = machine_network(trace)
    assert network.name == "6 nodes on one switch"
    network, found = machine_network(
        trace, MachineChoice(kind="dragonfly", dims="2x2x2")
    )
    assert found.node.tolist() == [5, 3, 0, 4, 1, 2] * 2
    assert found.assumed
    assert any("in the order of names x" in line for line in found.sources)


def test_nodes_of_a_cray_ex_on_a_list_of_cables(
    plain: Trace, written: Callable[[str], str]
) -> None:
    machine = fabrics.dragonfly(2, 3, 4)
    names = [fabrics.xname(number) for number in range(0, 24, 2)]
    file = written(fabrics.ib_link_info(machine))
    network, found = machine_network(on_hosts(plain, names), MachineChoice(file=file))
    assert [network.names[node] for node in found.node] == names
    assert not found.assumed
