"""Wrong values of options: exit status 2, one line that says what is allowed."""

import shutil
from pathlib import Path

import pytest
from simulation import Program, simulate
from writer import write_trace

from topoview.__main__ import main
from topoview.resources import demo_trace
from topoview.topology import lattice
from topoview.ui.shell import screenshots
from topoview.ui.shell.screenshots import DrawnPictures


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    program = Program(lattice((4, 3), (True, False)), iterations=2)
    return write_trace(simulate(program), folder / "run")


WRONG = {
    "info --ranks 50-60": "has no rank 60: its ranks are 0 to 11",
    "info --ranks abc": "'abc' is no rank; ranks are written like 0-63,70",
    "info --ranks 5-2": "'5-2' ends before it begins; write 2-5",
    "info --ranks=-3": "'-3' is no rank; ranks are written like 0-63,70",
    "info --ranks ,": "',' names no rank; ranks are written like 0-63,70",
    "info --from=-1": "-1 s is no time in a trace: it begins at 0 s",
    "info --from nan": "nan s is no time in a trace: it begins at 0 s",
    "info --from 100": "has nothing after 100 s: it lasts 0.0",
    "info --to nan": "it cannot end at nan s and begin at 0 s",
    "info --from 2 --to 1": "it cannot end at 1 s and begin at 2 s",
    "logical --expand 12": "has no rank 12: its ranks are 0 to 11",
    "logical --expand=-1": "has no rank -1: its ranks are 0 to 11",
    "skeleton -o x.f90": "x.f90 must end in .c or .py",
    "movie -o x.mp4 --calls 5 --calls-of 12": "has no rank 12: its ranks are 0 to 11",
}

REFUSED = {
    "info --from abc": "'abc' is no number of seconds",
    "info --memory 0": "nothing can be read in no memory: write 6G",
    "info --memory 3X": "'3X' is no size: write 6G or 512M",
    "logical --expand x": "'x' is no rank: write 12",
    "logical --loops-above 200": "'200' is no number from 0 to 100",
    "logical --loops-above nan": "'nan' is no number from 0 to 100",
    "logical --burst=-5": "'-5' is no number from 0 on",
    "compare --around=-1 OTHER": "'-1' is no whole number from 0 on",
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
    assert main(unpack) == 1
    assert "holds a trace already" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main([*unpack[:-1], str(tmp_path / "file" / "demo")]) == 1
    assert "Not a directory; name another folder" in capsys.readouterr().err
