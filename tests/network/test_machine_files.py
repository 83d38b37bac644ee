"""Files that tell of a machine: what is read of each form, and what of wrong ones."""

import contextlib
import time
import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.errors import PlacementError, UsageError
from topoview.io.machine import job_files, read_machine
from topoview.io.machine.job_files import expand_hosts
from topoview.io.machine.names import coordinates_of_names
from topoview.model import AXES, MachineFacts

TOPOLOGY = """
# a comment
SwitchName=leaf0 Nodes=tux[0-3]
SwitchName=leaf1 Nodes=tux[4-5,07]
SwitchName=top Switches=leaf[0-1]
"""
SHOWN = """SwitchName=leaf0 Level=0 LinkSpeed=1 Nodes=tux[0-3]
SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=tux[4-5,07]
SwitchName=top Level=1 LinkSpeed=1 Nodes=tux[0-5,07] Switches=leaf[0-1]
"""
HWLOC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0"><object type="Machine" os_index="0">
 <info name="HostName" value="kn01"/>
 <object type="Package" os_index="0">
  <object type="Core"><object type="PU"/><object type="PU"/></object>
  <object type="Core"><object type="PU"/><object type="PU"/></object>
 </object></object></topology>
"""


def read(folder: Path, text: str) -> MachineFacts:
    path = folder / "machine"
    path.write_text(text)
    return read_machine(path)


def hosts_of(facts: MachineFacts) -> list[str]:
    return [facts.hosts[k] for k in facts.host_of_rank.tolist()]


@pytest.mark.parametrize("text", [TOPOLOGY, SHOWN])
def test_switches_of_slurm(tmp_path: Path, text: str) -> None:
    facts = read(tmp_path, text)
    assert facts.form == "Slurm topology"
    assert facts.hosts == ("tux0", "tux1", "tux2", "tux3", "tux4", "tux5", "tux07")
    names = (*facts.hosts, *facts.switches)
    cables = {frozenset((names[a], names[b])) for a, b in facts.cables.tolist()}
    assert cables == {
        *(frozenset((f"tux{n}", "leaf0")) for n in range(4)),
        *(frozenset((name, "leaf1")) for name in ("tux4", "tux5", "tux07")),
        frozenset(("leaf0", "top")),
        frozenset(("leaf1", "top")),
    }


def test_nodes_of_a_job(tmp_path: Path) -> None:
    tasks = "SLURM_JOB_NODELIST=nid[008-009,12]\nSLURM_TASKS_PER_NODE=2(x2),1\n"
    assert hosts_of(read(tmp_path, tasks)) == [
        *("nid008", "nid008", "nid009", "nid009", "nid12")
    ]
    cyclic = read(tmp_path, f"{tasks}SLURM_DISTRIBUTION=cyclic\n")
    assert hosts_of(cyclic) == ["nid008", "nid009", "nid12", "nid008", "nid009"]
    bare = read(tmp_path, "nid[00008-00010]\n")
    assert bare.hosts == ("nid00008", "nid00009", "nid00010")
    assert not len(bare.host_of_rank)
    assert bare.missing


@given(
    prefix=st.sampled_from(["nid", "r0c", "x"]),
    numbers=st.lists(st.integers(0, 99999), min_size=1, max_size=30, unique=True),
    width=st.integers(1, 6),
)
def test_host_lists_expand_to_what_was_written(
    prefix: str, numbers: list[int], width: int
) -> None:
    parts, k = [], 0
    while k < len(numbers):
        end = k
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        low, high = (str(numbers[n]).zfill(width) for n in (k, end))
        parts.append(low if k == end else f"{low}-{high}")
        k = end + 1
    expected = [prefix + str(number).zfill(width) for number in numbers]
    assert expand_hosts(f"{prefix}[{','.join(parts)}]") == expected


def test_brackets_multiply() -> None:
    assert expand_hosts("a[1-2]b[0,3]c,d") == ["a1b0c", "a1b3c", "a2b0c", "a2b3c", "d"]
    for wrong in ("a[1-", "a[x]", "a[3-1]", "a[0-99999999]"):
        with pytest.raises(ValueError, match=r"bracket|range"):
            expand_hosts(wrong)


def test_open_mpi(tmp_path: Path) -> None:
    text = "# made\nrank 1=kn02 slot=0:1\nrank 0=kn01 slot=0-3\nrank 3 = kn01 slot=2\n"
    facts = read(tmp_path, text)
    assert facts.form == "Open MPI rank file"
    assert facts.hosts == ("kn02", "kn01")
    assert facts.host_of_rank.tolist() == [1, 0, -1, 1]
    slots = read(tmp_path, "kn01 slots=2\nkn02 slots=1 max_slots=1\n")
    assert hosts_of(slots) == ["kn01", "kn01", "kn02"]
    assert hosts_of(read(tmp_path, "kn01:2\nkn02:1\n")) == ["kn01", "kn01", "kn02"]
    assert hosts_of(read(tmp_path, "kn01\nkn02\nkn01\n")) == ["kn01", "kn02", "kn01"]


def test_mpich_rank_order(tmp_path: Path) -> None:
    facts = read(tmp_path, "0,4,1,5\n2-3,6,7\n")
    assert facts.form == "MPICH rank order"
    assert facts.ranks_in_order.tolist() == [0, 4, 1, 5, 2, 3, 6, 7]


def test_blue_gene_map(tmp_path: Path) -> None:
    facts = read(tmp_path, "0 0 0 0\n0 0 0 1\n1 0 0 0\n0 1 0 0\n")
    assert facts.form == "Blue Gene map file"
    assert facts.coordinates.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert facts.host_of_rank.tolist() == [0, 0, 1, 2]


def test_tables(tmp_path: Path) -> None:
    facts = read(tmp_path, "rank,node,x,y\n0,a,3,0\n1,a,3,0\n2,b,1,2\n")
    assert facts.hosts == ("a", "b")
    assert facts.coordinates.tolist() == [[3, 0], [1, 2]]
    assert facts.host_of_rank.tolist() == [0, 0, 1]
    nodes = read(tmp_path, "nodename;x_coord;y_coord;z_coord\nc0;0;1;2\nc1;1;1;2\n")
    assert nodes.coordinates.tolist() == [[0, 1, 2], [1, 1, 2]]
    places = read(tmp_path, "rank\ta\tb\tc\td\te\n0\t0\t0\t0\t1\t1\n1\t0\t0\t0\t1\t1\n")
    assert places.coordinates.tolist() == [[0, 0, 0, 1, 1]]
    assert places.host_of_rank.tolist() == [0, 0]


def test_graphs(tmp_path: Path) -> None:
    graph = nx.Graph([("kn01", "s"), ("kn02", "s"), ("kn02", "kn03")])
    nx.set_node_attributes(graph, {"s": "switch"}, "kind")
    nx.write_graphml(graph, tmp_path / "g")
    facts = read_machine(tmp_path / "g")
    assert facts.form == "GraphML"
    assert (set(facts.hosts), facts.switches) == ({"kn01", "kn02", "kn03"}, ("s",))
    for text in ("a b\nb c 2.5\n", "0 1\n1 2\n", "a b {'weight': 1}\nb c {}\n"):
        found = read(tmp_path, text)
        assert (found.form, len(found.hosts)) == ("edge list", 3)
        assert found.cables.tolist() == [[0, 1], [1, 2]]


def test_hwloc(tmp_path: Path) -> None:
    facts = read(tmp_path, HWLOC)
    assert facts.form == "hwloc XML"
    assert facts.per_node == 2
    assert "kn01: 1 package, 2 cores, 4 processing units" in facts.sources
    assert facts.missing


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ("what is this; nothing | known\n", "in no form that is known"),
        ("<topology></topology>", "no object of type Machine"),
        ("<graphml>", "taken for a GraphML"),
        ("SwitchName=s Switches=t[0-1]\n", "switch t0 of s has no line"),
        ("rank 0=a slot=0\nrank 0=b slot=0\n", "rank 0 stands there twice"),
        ("rank 0=a slot=0\nrank one\n", "line 2: 'rank one'"),
        ("0,1,1\n", "each rank from 0 to 1 once"),
        ("0 0 0 0\n0 0 0 0 0\n", "different numbers of columns"),
        ("rank,x,y\n0,1,a\n", "line 2: 'a' is no whole number"),
        ("rank,node,x\n0,a,1\n1,a,2\n", "line 3: a has another place"),
        ("SLURM_JOB_NODELIST=a[1-2]\nSLURM_TASKS_PER_NODE=2\n", "tasks on 1"),
    ],
)
def test_wrong_files_are_told_of(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(PlacementError, match="machine") as error:
        read(tmp_path, text)
    assert fault in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("names", "pattern", "expected", "source"),
    [
        (["nid00007", "nid00012"], "", [[7], [12]], "nid<x>"),
        (["r00-m0-n1", "r00-m1-n0"], "", [[0, 1], [1, 0]], "r00-m<x>-n<y>"),
        (["c0-0c1s3n2", "c1-0c0s3n2"], "", [[0, 1], [1, 0]], "c<x>-0c<y>s3n2"),
        (["b-3-1", "b-0-2"], r"b-(?P<y>\d+)-(?P<x>\d+)", [[1, 3], [2, 0]], ""),
        (["b-3-1", "b-0-2"], r"(\d+)-(\d+)", [[3, 1], [0, 2]], ""),
    ],
)
def test_coordinates_of_names(
    names: list[str], pattern: str, expected: list[list[int]], source: str
) -> None:
    coordinates = coordinates_of_names(names, pattern)
    assert coordinates.coordinates.tolist() == expected
    assert coordinates.source == (source or pattern)


@pytest.mark.parametrize(
    "names", [["alpha", "beta"], ["a1", "b2"], ["n1"], ["n1", "n01"], ["login", "n1"]]
)
def test_names_without_coordinates(names: list[str]) -> None:
    coordinates = coordinates_of_names(names)
    assert coordinates.coordinates.shape == (len(names), 0)
    assert not coordinates.source


@pytest.mark.parametrize("pattern", ["(", "no groups", r"x(\d+)"])
def test_patterns_that_do_not_fit(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"regular expression|groups|finds no"):
        coordinates_of_names(["n1", "n2"], pattern)


def test_names_with_more_numbers_than_axes_tell_no_coordinates() -> None:
    names = ["-".join([f"n{k}"] * (len(AXES) + 1)) for k in range(3)]
    assert coordinates_of_names(names).coordinates.shape == (3, 0)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(PlacementError, match="no name of a file"):
        read_machine(Path("a\0b"))


def test_facts_are_read_only(tmp_path: Path) -> None:
    facts = read(tmp_path, "0 0 0 0\n1 0 0 0\n")
    with pytest.raises(ValueError, match="read-only"):
        facts.coordinates[0] = 3
    assert np.asarray(facts.host_of_rank).dtype == np.int32


BOMBS = {
    "two ranges": "SLURM_JOB_NODELIST=a[0-1048574][0-1048574]\n",
    "ranges in a bracket": f"SLURM_JOB_NODELIST=a[{','.join(60 * ['0-999999'])}]\n",
    "brackets": f"SLURM_JOB_NODELIST=a{'[0-99]' * 8}\n",
    "deep": f"SLURM_JOB_NODELIST=a{'[0]' * 3000}\n",
    "long names": f"SLURM_JOB_NODELIST={'a' * 10_000}[0-1048574]\n",
    "tasks": "SLURM_JOB_NODELIST=a[0-3]\nSLURM_TASKS_PER_NODE=1(x4000000000)\n",
    "ranks": "SLURM_JOB_NODELIST=a[0-3]\nSLURM_TASKS_PER_NODE=400000000(x4)\n",
    "switches": "".join(f"SwitchName=s{n} Nodes=a[0-65534]\n" for n in range(100)),
    "slots": 1000 * "kn01 slots=16000000\n",
    "order": 1000 * "0-9999999,5\n",
    "rank": "rank,node\n999999999,kn01\n",
    "coordinate": "0 0 0 99999999999 0\n",
    "digits": f"kn01 slots={'9' * 5000}\n",
    "names with digits": f"rank,node\n0,n{'1' * 5000}\n1,n{'2' * 5000}\n",
    "a cell": f"rank,node\n0,{'x' * 200_000}\n",
    "deep XML": f"<topology>{'<object>' * 100_000}{'</object>' * 100_000}</topology>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_little_files_take_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What they name is counted before it is listed."""
    most = 1 << 30
    if name == "switches":  # of which lines are listed until there are too many
        monkeypatch.setattr(job_files, "MAX_HOSTS", job_files.MAX_HOSTS >> 4)
        monkeypatch.setattr(job_files, "_MAX_NAMED", job_files._MAX_NAMED >> 4)
        most >>= 4
    tracemalloc.start()
    refused = ""
    try:
        facts = read(tmp_path, BOMBS[name])
        coordinates_of_names(facts.hosts)
    except (PlacementError, UsageError) as error:
        refused = str(error)
    assert "\n" not in refused
    assert len(refused) < 400
    assert refused or name in ("names with digits", "deep")
    assert tracemalloc.get_traced_memory()[1] < most
    tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        f"SLURM_JOB_NODELIST={',' * 300_000}a[0-1]\n",
        "\n" * 300_000 + "kn01\n",
        "SLURM_" * 50_000 + "\nSLURM_JOB_NODELIST=a\n",
        "kn01 " + " " * 300_000 + "=\n",
    ],
)
def test_no_file_takes_the_square_of_its_length(tmp_path: Path, text: str) -> None:
    begin = time.process_time()
    with contextlib.suppress(PlacementError):
        read(tmp_path, text)
    assert time.process_time() - begin < 2.0
