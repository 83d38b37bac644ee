"""Wrong values of options: exit status 2, one line that says what is allowed."""

import argparse
import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from pyarrow import parquet
from scipy.sparse import csr_array
from simulation import Program, simulate
from writer import write_trace

from topoview.__main__ import _parser, main
from topoview.base.progress import silent
from topoview.base.resources import demo_trace, resource
from topoview.cli import printing
from topoview.cli.commands import COMMANDS
from topoview.topology import lattice
from topoview.ui.shell import screenshots
from topoview.ui.shell.screenshots import DrawnPictures

DOCS = Path(__file__).parents[1] / "docs"

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
    "calls --sort=-secnds": "there is no column 'secnds': did you mean seconds?",
    "calls --find Watiall": "has no MPI function 'watiall': did you mean Waitall?",
    "messages --find nonsense": "has no MPI function 'nonsense': it has ",
    "calls --find to@NORD": "has no direction 'NORD': did you mean NORTH?",
    "calls --find in@nowhere": "has no region 'nowhere': it has ",
    "iterations --loop 9": "has no such loop: its logical trace has",
    "messages --communicator x": "has no communicator 'x': it has MPI_COMM_WORLD",
    "matrix --phase x": "has no phase 'x': it has none",
    "calls --from 100": "has no time 100 s: it lasts 0.0",
    "waits --from 100": "has no time 100 s: it lasts 0.0",
    "logical --find Watiall": "passes 'Watiall': did you mean Waitall?",
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
    "profile --jsn": "--jsn is no option: did you mean --json? see topoview profile",
    "profile --by fucntion": "'fucntion' is none of class, function, state, rank, "
    "rank-function, time: did you mean function? see topoview profile --help",
    "info other": "other is one word too many: see topoview info --help",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_not_there_is_wrong_usage(
    anchor: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = (word.replace("@", " ") for word in line.split())
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
    assert main([command, "run", *options]) == 2
    told = capsys.readouterr().err
    assert REFUSED[line] in told
    assert told.count("\n") == 1


def test_a_mistyped_command_is_not_opened(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identfy", "run"]) == 2
    assert "identfy is neither a command nor a trace: did you mean identify?" in (
        capsys.readouterr().err
    )


def test_help_of_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "identfy"]) == 2
    assert "identfy is no command: did you mean identify?" in capsys.readouterr().err


def test_names_that_python_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out.startswith("topoview ")
    main(["doctor"])
    assert "decoder    works" in capsys.readouterr().out
    for name, command in {"delays": "idle-waves", "plot": "render"}.items():
        with pytest.raises(SystemExit):
            main(["help", name])
        assert f"usage: topoview {command}" in capsys.readouterr().out


@pytest.mark.parametrize("line", [["help"], ["help", "calls"], ["calls", "--help"]])
def test_help(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(line)
    assert not end.value.code
    text = capsys.readouterr().out
    if "calls" in line:
        assert "example: topoview calls TRACE" in text
        assert "--find TEXT" in text
    else:
        assert all(f"\n  {name:<15}" in text for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_understood(name: str) -> None:
    command = COMMANDS[name]
    parser = _parser(name, import_module(f"topoview.cli.{command.file}"))
    parser.parse_args(["run"] * command.reads + shlex.split(command.example))


def test_a_function_that_is_never_called_is_not_found(
    anchor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calls", str(anchor), "--find", "Waitsome", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 0


def test_pages_with_one_table_print_it_in_the_order_asked_for(
    anchor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command that has a page and a table, without --by."""
    for name in COMMANDS:
        further = {
            "compare": [str(anchor)],
            "scaling": [str(anchor)],
            "query": ["from calls"],
        }
        line = [name, str(anchor), *further.get(name, [])]
        line += ["--torus", "4x3"] if name in ("network", "map") else []
        parser = _parser(name, import_module(f"topoview.cli.{COMMANDS[name].file}"))
        if "--csv" in parser.format_help():
            lines = printed([*line, "--limit", "1", "--csv", "-"], capsys).splitlines()
            assert "," in lines[0]
            assert len(lines) <= 2


KEYS = (
    *("info", "identify --why", "logical --times", "profile", "waits", "idle-waves"),
    *("efficiency", "matrix", "network --torus 4x3 --links --extents", "phases"),
    *("map --torus 4x3 --orders", "compare @", "scaling @", "calls", "iterations"),
    *("skeleton -o @.c", "digest -o @.topoview"),
)
"""Commands with their options; ``@`` is the trace."""


@pytest.mark.usefixtures("few_moves")
@pytest.mark.parametrize("line", KEYS)
def test_keys_of_json_are_on_a_page(
    anchor: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = line.replace("@", str(anchor)).split()
    result = json.loads(printed([name, str(anchor), *options, "--json"], capsys))
    pages = "".join(page.read_text() for page in DOCS.rglob("*.md"))
    assert (
        sorted(key for key in _keys(result) if not re.search(rf"\b{key}\b", pages))
        == []
    )


def _keys(value: object) -> Iterator[str]:
    """List the keys of objects in an object, but those that data give."""
    if isinstance(value, list):
        for inner in value[:1]:
            yield from _keys(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if re.fullmatch("[a-z_]+", key):
                yield key
                yield from _keys(inner)


def test_smallest_first(anchor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (["--sort", "-seconds"], ["--sort", "seconds"])
    least, most = (
        json.loads(printed(["calls", str(anchor), "--json", *line], capsys))["calls"]
        for line in lines
    )
    seconds = [row["seconds"] for row in least]
    assert seconds == sorted(seconds)
    assert [row["seconds"] for row in most] == seconds[::-1]


def printed(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(line) == 0
    return capsys.readouterr().out


def test_progress_writes_what_changes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TOPOVIEW_PROGRESS")
    steps = [(0.1, 0), (0.101, 0), (0.2, 4), (0.3, 6), (0.304, 6), (1.0, 12)]
    clock = iter([0.0, *(float(second) for _, second in steps)])
    monkeypatch.setattr(printing, "monotonic", lambda: next(clock))
    report = printing.progress(argparse.Namespace(quiet=False, verbose=False))
    for fraction, _ in steps:
        report("reading", fraction)
    assert capsys.readouterr().err == "reading 30%\nreading 100%\n"
    monkeypatch.setattr(printing, "monotonic", lambda: 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    report = printing.progress(argparse.Namespace(quiet=False, verbose=False))
    for fraction, _ in steps:
        report("reading", fraction)
    assert capsys.readouterr().err.count("\r") == 4
    assert printing.progress(argparse.Namespace(quiet=True, verbose=False)) is silent
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    ticks = iter([0.0, 1.5, 2.0])
    monkeypatch.setattr(printing, "monotonic", lambda: next(ticks))
    report = printing.progress(argparse.Namespace(quiet=False, verbose=True))
    for stage in ("reading", "reading", "identifying"):
        report(stage, 0.5)
    written = capsys.readouterr().err.splitlines()
    assert written == ["   1.50 s  reading", "   2.00 s  identifying"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("topoview iden", {"identify"}),
        ("topoview profile --by fu", {"function"}),
        ("topoview calls --fi", {"--find"}),
    ],
)
def test_bash_completes(line: str, words: set[str]) -> None:
    script = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
$(complete -p topoview | grep -o -- '-F [^ ]*' | cut -c4-)
echo "${COMPREPLY[@]}"
"""
    file = str(resource("shell", "topoview.bash"))
    result = subprocess.run(
        ["bash", "-c", script, "bash", file, *line.split()],
        capture_output=True,
        check=True,
        text=True,
    )
    assert set(result.stdout.split()) == words


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


OF_THE_EXCHANGE = ("matrix", "communicators")
"""Tables of numbers of a span, which they name; the others list all there is."""


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
    assert lines[0].startswith("Span: exchange") == (command in OF_THE_EXCHANGE)
    assert len(lines) == 1 + min(2, len(rows)) + (command in OF_THE_EXCHANGE)


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


@pytest.mark.parametrize("line", ["info {} -q", "-q info {}", "--quiet info {}"])
def test_quiet_stands_anywhere(
    line: str, anchor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.format(anchor).split()) == 0
    told = capsys.readouterr()
    assert told.out
    assert not told.err
