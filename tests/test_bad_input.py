"""What cannot be shown is told in one line, never with a traceback."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bad_traces import DAMAGED, UNREADABLE, UNUSUAL, good_trace

from topoview.__main__ import main
from topoview.errors import TraceError
from topoview.logical.listing import listing
from topoview.pipeline import Options, Results, analyse
from topoview.worker import open_trace


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process: a process for each of many reads takes long."""

    def read(path: Path, wanted: Sequence[str], options: Options, *how: Any) -> Results:  # noqa: ANN401
        report, subset, _ = how
        results = Results(open_trace(path, report, subset), options)
        for name in wanted:
            results.make(name)
        return results

    monkeypatch.setattr("topoview.worker.results_of", read)


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_the_error_is_one_line_that_names_the_place(name: str, tmp_path: Path) -> None:
    path = UNREADABLE[name](tmp_path)
    with pytest.raises(TraceError) as caught:
        open_trace(path)
    text = str(caught.value)
    assert len(text) > 20
    assert "\n" not in text
    assert path.name.partition(".")[0] in text


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("command", ["info", "identify", "logical", "profile"])
def test_the_command_line_tells_it_and_exits_with_1(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = UNREADABLE["a_text_called_otf2"](tmp_path)
    assert main([command, str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("topoview: ")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("name", ["no_such_file", "a_cut_anchor", "cut_definitions"])
def test_the_whole_program_leaves_no_traceback(name: str, tmp_path: Path) -> None:
    path = UNREADABLE[name](tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "topoview", "info", str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("topoview: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", sorted(UNUSUAL))
def test_there_may_be_little_to_see(name: str, tmp_path: Path) -> None:
    trace = open_trace(UNUSUAL[name](tmp_path))
    *_, known = analyse(trace)
    assert known.identification is not None
    assert known.logical is not None
    assert known.identification.best.topology.kind == "none"
    assert known.identification.best.topology.name == "no point-to-point messages"
    assert isinstance(listing(known.logical), str)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("command", ["info", "identify", "logical", "profile"])
@pytest.mark.parametrize("name", ["one_rank", "without_mpi", "without_events"])
def test_every_command_shows_the_little_there_is(
    name: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = UNUSUAL[name](tmp_path)
    for options in ([], ["--json"]):
        assert main([command, str(path), *options]) == 0
        told = capsys.readouterr()
        assert told.out.strip()
        assert "Traceback" not in told.err


def test_processes_without_mpi_are_ranks(tmp_path: Path) -> None:
    trace = open_trace(UNUSUAL["without_mpi"](tmp_path))
    assert trace.ranks == 2
    assert len(trace.calls) == 0


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_what_is_whole_is_read(name: str, tmp_path: Path) -> None:
    whole = open_trace(good_trace(tmp_path / "whole"))
    trace = open_trace(DAMAGED[name](tmp_path / "damaged"))
    assert trace.ranks == 6
    assert any("2" in warning for warning in trace.warnings)
    for rank in (0, 1, 3, 4, 5):
        here = slice(trace.calls.offsets[rank], trace.calls.offsets[rank + 1])
        there = slice(whole.calls.offsets[rank], whole.calls.offsets[rank + 1])
        assert trace.calls.enter[here].tolist() == whole.calls.enter[there].tolist()
