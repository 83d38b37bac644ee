"""Cable lists of whole machines: what is read of them, loads and distances on them."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import fabrics
import networkx as nx
import numpy as np
import pytest

from topoview.analysis.network import routing
from topoview.analysis.network.networks import graph
from topoview.errors import PlacementError
from topoview.io.machine import read_machine
from topoview.model import MachineFacts

DRAGONFLY = fabrics.dragonfly(4, 6, 5, cables=2)
TREE = fabrics.tapered_tree(6, 8, 4)


def read(folder: Path, text: str) -> MachineFacts:
    path = folder / "machine"
    path.write_text(text)
    return read_machine(path)


def short(name: str) -> str:
    return name.removeprefix("MF0;").partition(":")[0]


def cables_of(facts: MachineFacts) -> set[frozenset[str]]:
    names = (*facts.hosts, *map(short, facts.switches))
    return {frozenset((names[a], names[b])) for a, b in facts.cables.tolist()}


@pytest.mark.parametrize("machine", [DRAGONFLY, TREE])
@pytest.mark.parametrize(
    ("write", "form"),
    [
        (fabrics.ib_net_discover, "ibnetdiscover"),
        (fabrics.ib_link_info, "iblinkinfo"),
    ],
)
def test_all_cables_are_read(
    tmp_path: Path, machine: nx.Graph, write: Callable[[nx.Graph], str], form: str
) -> None:
    facts = read(tmp_path, write(machine))
    assert facts.form == form
    assert cables_of(facts) == set(map(frozenset, machine.edges))
    switches = [name for name in machine if fabrics.is_switch(machine, name)]
    assert set(map(short, facts.switches)) == set(switches)
    assert len(facts.hosts) == len(machine) - len(switches)


def test_adapters_of_a_host_are_one_node(tmp_path: Path) -> None:
    text = fabrics.ib_net_discover(fabrics.tapered_tree(2, 2, 1))
    text = text.replace("cn00001 mlx5_0", "cn00000 mlx5_1")
    facts = read(tmp_path, text)
    assert facts.hosts == ("cn00000", "cn00002", "cn00003")


def test_what_is_no_host_of_ranks(tmp_path: Path) -> None:
    text = fabrics.ib_net_discover(fabrics.tapered_tree(2, 2, 1))
    text = text.replace("cn00001 mlx5_0", "Mellanox Technologies Aggregation Node")
    text = text.replace("cn00002 mlx5_0", "MT4123 ConnectX6   Mellanox Technologies")
    text = text.replace("cn00003 mlx5_0", "MT4123 ConnectX6   Mellanox Technologies")
    facts = read(tmp_path, text)
    assert facts.hosts[0] == "cn00000"
    assert [name.split()[0] for name in facts.hosts[1:]] == ["MT4123", "MT4123"]


def test_link_speeds_with_names(tmp_path: Path) -> None:
    text = fabrics.ib_link_info(TREE).replace("Gbps Active", "Gbps (FDR10) Active")
    assert cables_of(read(tmp_path, text)) == set(map(frozenset, TREE.edges))


def test_a_switch_that_is_not_listed_is_told(tmp_path: Path) -> None:
    text = fabrics.ib_net_discover(TREE)
    head, _, rest = text.partition("Switch\t")
    with pytest.raises(PlacementError, match=r"ends at .*, which is not listed"):
        read(tmp_path, head + "#" + rest)


def test_slurm_topology_of_a_tree(tmp_path: Path) -> None:
    facts = read(tmp_path, fabrics.slurm_topology(TREE))
    expected = {
        frozenset(edge) for edge in TREE.edges if not any("spine" in n for n in edge)
    }
    expected |= {frozenset((f"leaf{n}", "top")) for n in range(6)}
    assert cables_of(facts) == expected


@pytest.mark.parametrize(
    "machine",
    [
        DRAGONFLY,
        TREE,
        nx.path_graph(2),
        nx.path_graph(3),
        nx.star_graph(4),
        nx.barbell_graph(3, 2),
        nx.compose(
            nx.path_graph(4), nx.relabel_nodes(nx.path_graph(2), lambda n: n + 9)
        ),
        nx.random_labeled_tree(40, seed=3),
    ],
)
def test_loads_and_distances_are_those_of_networkx(machine: nx.Graph) -> None:
    names = sorted(machine, key=lambda name: fabrics.is_switch(machine, name))
    place = {name: number for number, name in enumerate(names)}
    cables = np.array([(place[a], place[b]) for a, b in machine.edges], np.int32)
    network = graph(len(names), cables, tuple(map(str, names)))
    rng = np.random.default_rng(4)
    source, target = rng.integers(0, len(names), (2, 60))
    size = rng.integers(1, 1000, 60)
    expected = dict.fromkeys(map(tuple, network.links.tolist()), 0.0)
    lengths = []
    for a, b, amount in zip(source, target, size, strict=True):
        ends = names[a], names[b]
        if not nx.has_path(machine, *ends):
            lengths.append(routing.NO_ROUTE)
            continue
        paths = list(nx.all_shortest_paths(machine, *ends))
        lengths.append(len(paths[0]) - 1)
        for path in paths:
            for one, other in pairwise(path):
                expected[place[one], place[other]] += amount / len(paths)
    assert routing.distances(network, source, target).tolist() == lengths
    there = np.array(lengths) != routing.NO_ROUTE
    loads = routing.loads(network, source[there], target[there], size[there])
    of_links = dict(zip(map(tuple, network.links.tolist()), loads, strict=True))
    assert of_links == pytest.approx(expected)
