"""The commands and functions about the machine, and the files that they write."""

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traces import real_path

import topoview
from topoview.__main__ import main
from topoview.base.text import size_text
from topoview.cli.network import add_machine, machine_choice
from topoview.errors import UsageError
from topoview.io.machine import read_machine
from topoview.live.tables.scope import needs
from topoview.model import MachineChoice, Mapping, Placement
from topoview.report.network import (
    best_mapping,
    hottest_words,
    link_name,
    machine_options,
    mapping_named,
    mpich_file,
    open_mpi_file,
    permutation_file,
    slurm_file,
    verdict,
)
from topoview.worker import results_of

TORUS = "sp-jacobi2d-8x4-periodic-idlewave"
ROWS = "sp-rowcol-6x4"


pytestmark = pytest.mark.usefixtures("one_store", "few_moves")


def told(capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    name, trace, *options = command
    assert main([name, str(real_path(trace)), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    "choice",
    [
        MachineChoice(),
        MachineChoice(kind="fat tree", dims="16x8/1x8", per_node=4),
        MachineChoice(names="r(?P<x>\\d+) 'n", counters="rx|tx"),
    ],
)
def test_a_machine_is_asked_for_again_by_options(choice: MachineChoice) -> None:
    parser = argparse.ArgumentParser()
    add_machine(parser)
    told = shlex.split(" ".join(machine_options(choice)))
    assert machine_choice(parser.parse_args(told)) == choice


def test_keys_of_network(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "network", TORUS, "--torus", "4x8", "--links")
    assert (found["kind"], found["dims"], found["nodes"]) == ("torus", [4, 8], 32)
    assert found["links"] == len(found["link_list"]) == 128
    links = {(one, other): size for one, other, size in found["link_list"]}
    assert sum(links.values()) == found["hop_bytes"]
    hottest = found["hottest"]
    assert links[hottest["from"], hottest["to"]] == hottest["bytes"]
    assert hottest["bytes"] == max(links.values())
    assert found["mean_bytes"] == pytest.approx(found["hop_bytes"] / 128)
    assert found["idle_links"] == sum(size == 0 for size in links.values())
    assert found["mean_hops"] == 1.0  # a torus on its own torus
    assert found["assumed"] is True
    matrix = told(capsys, "matrix", TORUS)
    assert found["total_bytes"] == sum(row[3] for row in matrix["pairs"])
    assert found["node_of_rank"] == list(range(32))


def test_parts_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    whole = told(capsys, "network", TORUS, "--torus", "4x8")
    half = told(capsys, "network", TORUS, "--torus", "4x8", "--find", "to EAST")
    assert half["total_bytes"] == whole["total_bytes"] / 4
    used = [row["direction"] for row in half["by_direction"] if row["bytes"]]
    assert len(used) == 1
    early = told(capsys, "network", TORUS, "--torus", "4x8", "--to", "0.001")
    assert early["total_bytes"] < whole["total_bytes"]


def test_collectives_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    without = told(capsys, "network", ROWS, "--torus", "6x4")
    found = told(capsys, "network", ROWS, "--torus", "6x4", "--collectives")
    assert found["collectives"] == ["Alltoall: each sends to each"]
    assert found["total_bytes"] > without["total_bytes"]
    assert all(row["bytes"] > 0 for row in found["by_direction"])
    assert found["idle_links"] == 0


def test_collectives_of_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    """What counts are the pairs of `matrix`, with the same options."""
    for options in (
        ["--find", "on row"],
        ["--ranks", "0-5"],
        ["--level", "1"],
        ["--find", "Alltoall", "--ranks", "3"],
    ):
        both = [*options, "--collectives"]
        found = told(capsys, "network", ROWS, "--torus", "6x4", *both)
        pairs = told(capsys, "matrix", ROWS, *both)["pairs"]
        assert found["total_bytes"] == sum(row[3] for row in pairs)
        assert found["total_bytes"] > 0
        assert found["collectives"] == ["Alltoall: each sends to each"]


def test_keys_of_map(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(
        capsys, "map", TORUS, "--torus", "4x2x2", "--per-node", "2", "--orders"
    )
    first, *others = found["mappings"]
    assert first["method"] == "as run"
    assert first["order"] == list(range(32))
    tiling = next(one for one in others if one["method"].startswith("tiling"))
    assert tiling["mean_hops"] == 0.75
    assert tiling["hottest_bytes"] < first["hottest_bytes"]
    network = told(capsys, "network", TORUS, "--torus", "4x2x2", "--per-node", "2")
    assert first["mean_hops"] == network["mean_hops"]
    assert first["hottest_bytes"] == network["hottest"]["bytes"]


def test_only_what_is_told_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path))
    path = real_path(ROWS)
    for command in (["matrix"], ["network", "--torus", "6x4"]):
        assert main([command[0], str(path), *command[1:]]) == 0
    kept = results_of(path, ())
    assert kept.is_kept("matrix")
    assert not any(map(kept.is_kept, ("logical", "waits", "profile")))
    assert main(["phases", str(path)]) == 0  # which tells iterations of loops
    capsys.readouterr()
    kept = results_of(path, ())
    assert kept.is_kept("logical")
    assert not any(map(kept.is_kept, ("waits", "profile")))
    assert "logical" in needs("matrix", "to EAST")
    assert "waits" in needs("matrix", "waited > 1 ms")
    assert "parts" in needs("matrix", phase="1")
    assert needs("matrix", "to 3 tag 7") == ("matrix",)
    assert needs("matrix", span="run") == ("matrix", "outline")


def test_the_machine_is_read_before_the_trace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "machine"
    file.write_text("nothing of the kind\n")
    for path in (file, tmp_path / "none"):
        options = ["--machine", str(path)]
        assert main(["network", str(tmp_path / "no.otf2"), *options]) == 1
        assert path.name in capsys.readouterr().err


def test_texts(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(real_path(TORUS))
    assert main(["network", path, "--fat-tree", "8x4"]) == 0
    text = capsys.readouterr().out
    assert "fat tree 8x4, assumed: 32 nodes" in text
    assert "d-mod-k" in text
    assert main(["map", path, "--dragonfly", "2x4x4"]) == 0
    text = capsys.readouterr().out
    assert "as run" in text
    gained = "of the run" in text and "on a machine that is assumed." in text
    assert gained or "Nothing is gained" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "--torus 4x4x4"),
        (["--torus", "4by4"], "are no extents"),
        (["--torus", "4x4", "--mesh", "4x4"], "only one network"),
        (["--torus", "2x2", "--per-node", "1"], "do not fit"),
    ],
)
def test_wrong_use_is_told(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["network", str(real_path(TORUS)), *options]) == 2
    assert said in capsys.readouterr().err


def test_python_functions(tmp_path: Path) -> None:
    path = real_path(TORUS)
    loads = topoview.network(path, machine={"torus": "4x8"})
    table = loads.table().to_pandas()
    assert table["bytes"].sum() == loads.hop_bytes
    assert set(table.direction) == {"x+", "x-", "y+", "y-"}
    file = tmp_path / "machine.csv"
    file.write_text(
        "rank,x,y\n" + "".join(f"{r},{r % 4},{r // 4}\n" for r in range(32))
    )
    mesh = topoview.network(path, machine=file)
    assert mesh.network.name == "2D mesh 4x8"
    assert mesh.hop_bytes > loads.hop_bytes
    first, *others = topoview.map(path, machine={"mesh": "8x4"})
    assert first.method == "as run"
    assert best_mapping([first, *others]).loads.hop_bytes < first.loads.hop_bytes
    with pytest.raises(UsageError, match="only one"):
        topoview.network(path, machine={"torus": "4x8", "mesh": "4x8"})
    with pytest.raises(UsageError):
        topoview.network(path)


# Files of mappings, read again by what reads such files.


@pytest.fixture(scope="module")
def mapping(store_of_run: Path) -> Mapping:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOPOVIEW_CACHE", str(store_of_run))
        return mapping_of_torus()


def mapping_of_torus() -> Mapping:
    found = topoview.map(real_path(TORUS), machine={"torus": "4x2x2", "per_node": 2})
    chosen = mapping_named(found, "tiling")
    assert chosen is not None
    return chosen


def groups_of(numbers: list[int]) -> set[frozenset[int]]:
    """Ranks that share a node."""
    return {
        frozenset(np.flatnonzero(np.array(numbers) == each).tolist())
        for each in set(numbers)
    }


def test_rank_files_put_ranks_where_they_are(mapping: Mapping, tmp_path: Path) -> None:
    node = mapping.loads.placement.node.tolist()
    for text in (open_mpi_file(mapping), slurm_file(mapping)):
        (tmp_path / "file").write_text(text)
        facts = read_machine(tmp_path / "file")
        assert groups_of(facts.host_of_rank.tolist()) == groups_of(node)
    slots = [line.split("=")[-1] for line in open_mpi_file(mapping).splitlines()]
    assert sorted(slots) == ["0"] * 16 + ["1"] * 16
    (tmp_path / "order").write_text(mpich_file(mapping))
    order = read_machine(tmp_path / "order").ranks_in_order
    assert groups_of(node) == {
        frozenset(order[k : k + 2].tolist()) for k in range(0, 32, 2)
    }
    told = [int(line) for line in permutation_file(mapping).split()]
    as_run = np.arange(32) // 2  # process p stays, and gets a new rank
    assert [int(as_run[told.index(rank)]) for rank in range(32)] == node


def test_files_that_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "ranks"
    options = ["--torus", "4x2x2", "--per-node", "2", "--rankfile", str(file)]
    told(capsys, "map", TORUS, *options, "--method", "greedy")
    assert read_machine(file).form == "Open MPI rank file"
    assert main(["map", str(real_path(TORUS)), *options, "--method", "magic"]) == 2
    assert "there is no mapping 'magic'" in capsys.readouterr().err


def test_a_mapping_read_back_has_the_loads_that_were_told(
    capsys: pytest.CaptureFixture[str], mapping: Mapping, tmp_path: Path
) -> None:
    """The file of a mapping, taken as the machine, gives what was promised."""
    file = tmp_path / "ranks"
    rows = enumerate(mapping.loads.placement.node.tolist())
    file.write_text(
        "rank,x,y,z\n"
        + "".join(f"{r},{n % 4},{n // 4 % 2},{n // 8}\n" for r, n in rows)
    )
    options = ("--machine", str(file), "--torus", "4x2x2")
    found = told(capsys, "network", TORUS, *options)
    assert found["hop_bytes"] == mapping.loads.hop_bytes
    assert found["hottest"]["bytes"] == mapping.loads.hottest_bytes


def test_verdicts_are_honest(mapping: Mapping) -> None:
    assert "Nothing is gained" in verdict(mapping, mapping)
    assert mapping.loads.placement.assumed
    for share, said in ((0.6, "0.60 times"), (0.998, "Nothing is gained")):
        loads = replace(mapping.loads, hop_bytes=share * mapping.loads.hop_bytes)
        words = verdict(mapping, replace(mapping, loads=loads))
        assert said in words
        assert ("on a machine that is assumed" in words) == (share == 0.6)


def test_a_link_is_hottest_where_others_carry_less(mapping: Mapping) -> None:
    loads = mapping.loads
    even = replace(loads, bytes=np.full(len(loads.bytes), 4096.0))
    assert hottest_words(even) == f"all links carry {size_text(4096)}"
    uneven = np.full(len(loads.bytes), 4096.0)
    uneven[3] = 8192
    words = hottest_words(replace(loads, bytes=uneven))
    assert words.startswith(
        f"hottest link {link_name(loads.network, 3)}: {size_text(8192)}, "
    )
    times = 8192 / uneven.mean()
    assert f"{times:.2f} times the mean" in words
    assert isinstance(mapping.loads.placement, Placement)
