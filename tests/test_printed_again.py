"""What a command printed and wrote is given again, as long as it would be the same."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from traces import real_path

from topoview.__main__ import _parser, main
from topoview.cli import printing
from topoview.cli.commands import COMMANDS
from topoview.cli.options import WRITTEN, WrittenPath, csv_path
from topoview.store.integrity import seal

pytestmark = pytest.mark.usefixtures("few_moves")

NAME = "sp-rowcol-6x4"
WRITE = ("digest", "fetch", "skeleton", "report", "render", "movie", "export")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Read traces once, in a cache of their own; its folder is the current one."""
    folder = tmp_path_factory.mktemp("printed")
    shutil.copy(real_path(NAME), folder / "a.tar.xz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOPOVIEW_CACHE", str(folder / "cache"))
        patch.setenv("TOPOVIEW_PROGRESS", "none")  # which a slow machine prints
        patch.chdir(folder)
        yield folder


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    assert main(line.split()) == 0
    told = capsys.readouterr()
    return told.out, told.err


def answers(folder: Path) -> list[Path]:
    return sorted((folder / "cache").rglob("*.printed"))


LINES = {
    "compare": "a.tar.xz a.tar.xz",
    "scaling": "a.tar.xz a.tar.xz",
    "network": "a.tar.xz --torus 2x3x4",
    "map": "a.tar.xz --torus 2x3x4",
    "query": "a.tar.xz from(select(1))",
}


@pytest.mark.parametrize(
    "name",
    [name for name, command in COMMANDS.items() if command.reads and name not in WRITE],
)
def test_a_kept_answer_is_printed_without_numpy(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Importing it takes as long as all the rest."""
    line = f"{name} {LINES.get(name, 'a.tar.xz')}"
    first = printed(line, capsys)
    code = (
        "import sys\nfrom topoview.__main__ import main\n"
        "main(sys.argv[1:])\n"
        "heavy = {'numpy', 'scipy', 'topoview.model.trace'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    again = subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert again.returncode == 0, again.stderr
    assert (again.stdout, again.stderr) == first


def test_other_words_have_other_answers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["info a.tar.xz", "info a.tar.xz --json", "info a.tar.xz --read-ranks 0-3"]
    told = [printed(line, capsys) for line in lines]
    assert len({*told}) == 3
    assert [printed(line, capsys) for line in lines] == told
    assert len(answers(folder)) >= 3


def test_another_trace_of_the_name_has_another_answer(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "b.tar.xz"
    shutil.copy(real_path(NAME), path)
    both = "compare a.tar.xz b.tar.xz"
    first, compared = printed("info b.tar.xz", capsys), printed(both, capsys)
    shutil.copy(real_path("ez-cg-8"), path)
    assert printed("info b.tar.xz", capsys) != first
    assert printed(both, capsys) != compared


WRITING = (
    "matrix a.tar.xz --csv m.csv",
    "matrix a.tar.xz --json --csv m.csv",
    "matrix a.tar.xz --npz m.npz",
    "matrix a.tar.xz --graphml m.graphml",
    "logical a.tar.xz --html m.html",
    "skeleton a.tar.xz -o m.c",
    "report a.tar.xz -o m.md",
    "report a.tar.xz --json -o m.html",
    "export a.tar.xz -o m.perfetto-trace",
    "map a.tar.xz --torus 2x3x4 --rankfile m.txt --slurm m.list",
    "render a.tar.xz -o m.png",
)


@pytest.mark.parametrize("line", WRITING)
def test_files_are_written_again_without_numpy(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they were; nothing is drawn, or found, again."""
    files = [folder / word for word in line.split() if word.startswith("m.")]
    first = printed(line, capsys)
    wanted = [file.read_bytes() for file in files]
    kept = answers(folder)
    for file in files:
        file.write_text("something else")
    line_of_code = (
        "import sys\nfrom topoview.__main__ import main\n"
        "main(sys.argv[1:])\n"
        "assert not {'numpy', 'PySide6', 'vtkmodules'} & set(sys.modules)"
    )
    again = subprocess.run(
        [sys.executable, "-c", line_of_code, *line.split()],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert again.returncode == 0, again.stderr
    assert (again.stdout, again.stderr) == first
    assert [file.read_bytes() for file in files] == wanted
    assert answers(folder) == kept
    for file in files:
        file.unlink()
    assert printed(line, capsys) == first
    assert [file.read_bytes() for file in files] == wanted


def test_what_cannot_be_written_again_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "matrix a.tar.xz --csv below/m.csv"
    (folder / "below").mkdir()
    printed(line, capsys)
    shutil.rmtree(folder / "below")
    assert main(line.split()) == 1
    assert "below/m.csv cannot be written" in capsys.readouterr().err


def test_pipes_and_what_is_larger_are_not_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "export a.tar.xz -o calls.csv"
    count = len(answers(folder))
    for size, more in ((0, 0), (1 << 24, 1)):
        monkeypatch.setattr("topoview.store.answers.MOST_BYTES_WRITTEN", size)
        printed(line, capsys)
        assert len(answers(folder)) == count + more
    whole = (folder / "calls.csv").read_bytes()
    (folder / "link.csv").symlink_to(folder / "calls.csv")
    for _ in range(2):
        (folder / "calls.csv").write_bytes(b"")
        printed("export a.tar.xz -o link.csv", capsys)
        assert (folder / "calls.csv").read_bytes() == whole
    assert len(answers(folder)) == count + 1


@pytest.mark.parametrize("when", ["while it is printed", "while it is kept"])
def test_what_another_program_wrote_meanwhile_is_not_kept(
    when: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def and_then(done: Callable[..., None]) -> Callable[..., None]:
        def write(*given: object, **options: object) -> None:
            done(*given, **options)
            (folder / "other.npz").write_bytes(b"of another command")

        return write

    with monkeypatch.context() as patch:
        if when == "while it is printed":
            patch.setattr(printing, "write", and_then(printing.write))
        else:
            read = Path.read_bytes

            def slow(path: Path) -> bytes:
                data = read(path)
                path.write_bytes(b"of another command")
                return data

            patch.setattr(Path, "read_bytes", slow)
        printed(f"matrix a.tar.xz --npz other.npz --full --limit {len(when)}", capsys)
    count = len(answers(folder))
    printed(f"matrix a.tar.xz --npz other.npz --full --limit {len(when)}", capsys)
    assert len(answers(folder)) == count + 1


@pytest.mark.parametrize("size", [-1, 0])
def test_the_largest_file_that_is_kept(
    size: int,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = f"export a.tar.xz -o limit{size}.csv"
    printed("export a.tar.xz -o calls.csv", capsys)
    limit = (folder / "calls.csv").stat().st_size + size
    monkeypatch.setattr("topoview.store.answers.MOST_BYTES_WRITTEN", limit)
    count = len(answers(folder))
    printed(line, capsys)
    assert len(answers(folder)) == count + (size == 0)


def test_other_packages_may_write_otherwise(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "matrix a.tar.xz --csv packages.csv"
    printed(line, capsys)
    count = len(answers(folder))
    (folder / "site" / "vtk-99.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(folder / "site")
    printed(line, capsys)
    assert len(answers(folder)) == count + 1


def test_all_options_that_write_are_named() -> None:
    """By these words a path is no trace."""
    written = set()
    for name, command in COMMANDS.items():
        module = import_module(f"topoview.cli.{command.file}")
        for action in _parser(name, module)._actions:
            writes = action.type in (WrittenPath, csv_path)
            assert writes == bool({*action.option_strings} & {*WRITTEN}) or (
                name == "demo"  # which reads no trace
            )
            written |= {*action.option_strings} if writes else set()
    assert written == {*WRITTEN}


def test_a_file_that_is_read_is_read_each_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = folder / "machine.txt"
    told = []
    for nodes in (4, 12):
        lines = [f"{rank} node{rank * nodes // 24}" for rank in range(24)]
        machine.write_text("\n".join(lines))
        told.append(printed("network a.tar.xz --machine=machine.txt", capsys))
    assert told[0] != told[1]


def test_a_damaged_answer_is_made_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "identify a.tar.xz --edges"
    before = {*answers(folder)}
    first = printed(line, capsys)
    (file,) = {*answers(folder)} - before
    whole = file.read_bytes()
    for bad in (b"", whole[:-9], whole.replace(b"torus", b"rings"), b"x" * 99):
        file.write_bytes(bad)
        assert printed(line, capsys) == first
        assert file.read_bytes() == whole
    other = next(one for one in answers(folder) if one != file)
    file.write_bytes(other.read_bytes())  # a whole one, of another question
    assert printed(line, capsys) == first


def test_an_answer_that_others_may_write_to_is_not_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "identify a.tar.xz --json"
    first = printed(line, capsys)
    for file in answers(folder):
        _, _, text = file.read_bytes().partition(b"\n")
        head, _, _ = text.partition(b"\n")
        payload = {**json.loads(head), "said": [[False, "forged"]], "files": []}
        file.write_bytes(seal(json.dumps(payload).encode()))
    assert printed(line, capsys) == ("forged\n", "")  # by the user alone
    for file in answers(folder):
        file.chmod(0o666)
    assert printed(line, capsys) == first
    for file in answers(folder):
        file.unlink()


def test_settings_and_loudness_have_answers_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(answers(folder))
    printed("matrix a.tar.xz --limit 3 -v", capsys)
    assert len(answers(folder)) == count
    printed("matrix a.tar.xz --limit 3", capsys)
    monkeypatch.setenv("TOPOVIEW_MEMORY", "1G")
    printed("matrix a.tar.xz --limit 3", capsys)
    assert len(answers(folder)) == count + 2


def test_the_cache_is_cleared_of_answers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed("info a.tar.xz --json", capsys)
    assert answers(folder)
    printed("cache --clear", capsys)
    assert not answers(folder)
