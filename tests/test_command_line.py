"""Wrong values of options: exit status 2, one line that says what is allowed."""

import csv
import json
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from pyarrow import parquet
from scipy.sparse import csr_array
from simulation import Program, simulate
from writer import write_trace

from topoview.__main__ import main
from topoview.base.resources import demo_trace
from topoview.topology import lattice
from topoview.ui.shell import screenshots
from topoview.ui.shell.screenshots import DrawnPictures

pytestmark = pytest.mark.usefixtures("one_store")


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    program = Program(lattice((4, 3), (True, False)), iterations=2)
    return write_trace(simulate(program), folder / "run")


WRONG = {
    "info --read-ranks 50-60": "has no rank 60: its ranks are 0 to 11",
    "info --read-ranks abc": "'abc' is no rank; ranks are written like 0-63,70",
    "info --read-ranks 5-2": "'5-2' ends before it begins; write 2-5",
    "info --read-ranks=-3": "'-3' is no rank; ranks are written like 0-63,70",
    "info --read-ranks ,": "',' names no rank; ranks are written like 0-63,70",
    "info --read-from=-1": "-1 s is no time in a trace: it begins at 0 s",
    "info --read-from 100": "has nothing after 100 s: it lasts 0.0",
    "info --read-from 2 --read-to 1": "it cannot end at 1 s and begin at 2 s",
    "logical --expand 12": "has no rank 12: its ranks are 0 to 11",
    "calls --find tag>": "'tag>' is not understood: a number is missing at the end",
    "calls --sort x": "there is no column 'x': there are call, rank, function",
    "iterations --loop 9": "has no such loop: its logical trace has",
    "messages --communicator x": "has no communicator 'x': it has MPI_COMM_WORLD",
    "matrix --phase x": "has no phase 'x': it has none",
    "skeleton -o x.f90": "x.f90 must end in .c or .py",
    "movie -o x.mp4 --calls 5 --calls-of 12": "has no rank 12: its ranks are 0 to 11",
}

REFUSED = {
    "info --read-to nan": "'nan' is no number of seconds",
    "info --read-from abc": "'abc' is no number of seconds",
    "info --memory 0": "nothing can be read in no memory: write 6G",
    "info --memory 3X": "'3X' is no size: write 6G or 512M",
    "logical --expand x": "'x' is no rank: write 12",
    "logical --expand=-1": "'-1' is no rank: write 12",
    "logical --loops-above 200": "'200' is no number from 0 to 100",
    "logical --loops-above nan": "'nan' is no number from 0 to 100",
    "logical --burst=-5": "'-5' is no number from 0 on",
    "compare --around=-1 OTHER": "'-1' is no whole number from 0 to 1000000000",
    "identify --threshold 2": "'2' is no fraction: write 0.05 for 5 %",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_not_there_is_wrong_usage(
    anchor: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = line.split()
    assert main([command, str(anchor), *options]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert WRONG[line] in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_value_is_wrong_usage(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = line.split()
    with pytest.raises(SystemExit) as end:
        main([command, "run", *options])
    assert end.value.code == 2
    assert REFUSED[line] in capsys.readouterr().err


def test_a_trace_that_is_not_there_is_no_wrong_usage(
    anchor: Path, tmp_path: Path
) -> None:
    assert main(["info", str(tmp_path / "run")]) == 1
    shutil.copytree(anchor.parent, tmp_path / "run")
    assert main(["info", str(tmp_path / "run")]) == 0


def test_the_demo_is_unpacked_where_there_is_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[Path] = []

    def draw(anchor: Path, *_: object) -> DrawnPictures:
        drawn.append(anchor)
        return DrawnPictures({}, "drawn")

    monkeypatch.setattr(screenshots, "draw_pictures", draw)
    assert main(["demo", "--pictures", "x"]) == 0
    unpack = ["demo", "--pictures", "x", "--output", str(tmp_path / "new" / "demo")]
    assert main(unpack) == 0
    assert drawn == [demo_trace(), tmp_path / "new" / "demo" / "traces.otf2"]
    assert drawn[1].is_file()
    capsys.readouterr()
    assert main(["demo", "mapping", "--output", str(tmp_path / "only")]) == 0
    assert Path(capsys.readouterr().out.strip()) == tmp_path / "only" / "traces.otf2"
    assert len(drawn) == 2
    assert main(unpack) == 1
    assert "holds a trace already" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main([*unpack[:-1], str(tmp_path / "file" / "demo")]) == 1
    assert "Not a directory; name another folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["calls", "messages", "matrix", "iterations", "communicators", "phases"],
)
def test_tables_are_alike_in_all_formats(
    command: str, anchor: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / name) for name in ("t.csv", "t.parquet")]
    line = [command, str(anchor), "--csv", files[0], "--parquet", files[1]]
    assert main(line) == 0
    assert not capsys.readouterr().out
    rows = list(csv.DictReader(Path(files[0]).read_text().splitlines()))
    arrow = parquet.read_table(files[1])
    assert main([command, str(anchor), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    if command == "matrix":
        names = ("sender", "receiver", "calls", "bytes")
        assert told["pairs"] == [[int(row[n]) for n in names] for row in rows]
        assert told["pairs"] == [[row[n] for n in names] for row in arrow.to_pylist()]
    else:
        assert told["count"] == len(rows) == arrow.num_rows
        same = [
            {k: "" if v is None else str(v) for k, v in row.items()}
            for row in told[command]
        ]
        assert same == rows
    assert main([command, str(anchor), "--limit", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + min(2, len(rows))


def test_a_matrix_as_a_graph_and_as_sparse_arrays(
    anchor: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tmp_path / "m.graphml", tmp_path / "m.npz"
    line = ["matrix", str(anchor), "--graphml", str(files[0]), "--npz", str(files[1])]
    assert main([*line, "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    graph = nx.read_graphml(files[0], node_type=int)
    edges = [[a, b, d["calls"], d["bytes"]] for a, b, d in graph.edges(data=True)]
    assert sorted(edges) == sorted(pairs)
    with np.load(files[1]) as parts:
        structure = parts["indices"], parts["indptr"]
        volume = csr_array((parts["bytes"], *structure), shape=tuple(parts["shape"]))
    assert {(a, b): volume[a, b] for a, b, *_ in pairs} == {
        (a, b): size for a, b, _, size in pairs
    }


def test_a_table_that_cannot_be_written(
    anchor: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calls", str(anchor), "--csv", str(tmp_path / "no" / "t.csv")]) == 1
    assert "cannot be written (No such file or directory)" in capsys.readouterr().err
