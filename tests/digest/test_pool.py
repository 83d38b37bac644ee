"""Processes of this machine that do tasks, and that nobody else reaches."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
import traces
from pool_tasks import added, die, fail, modules_path, pages_of_arrays, process, refuse
from test_cluster import assert_same_digest

from topoview.base.memory import memory_environment
from topoview.base.progress import Cancelled, Report, silent
from topoview.cli.commands import COMMANDS
from topoview.errors import RefusedError, TopoviewError
from topoview.pipeline import Results
from topoview.store.digest import read_digest
from topoview.worker import cluster as clusters
from topoview.worker.cluster import digest_on_cluster
from topoview.worker.digest import write_results
from topoview.worker.pool import Pool, WorkersDiedError

NAME = "sp-rowcol-6x4"

Start = Callable[..., Pool]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start processes that can import the tasks."""
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}")
    pools: list[Pool] = []

    def started(processes: int, report: Report = silent, keep: int = 0) -> Pool:
        environment = memory_environment(keep) if keep else {}
        pools.append(Pool(processes, environment, report))
        return pools[-1]

    yield started
    for pool in pools:
        pool.__exit__()


def descendants(top: int) -> set[int]:
    """Find all processes below one."""
    parent = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent[int(stat.parent.name)] = int(
                stat.read_text().rpartition(")")[2].split()[1]
            )
        except (OSError, IndexError):
            continue
    found, before = {top}, 0
    while len(found) > before:
        before = len(found)
        found |= {child for child, of in parent.items() if of in found}
    return found - {top}


def test_tasks_are_given_what_others_gave(start: Start) -> None:
    pool = start(2)
    three = pool.submit("adding", added, [1], 2)
    six = pool.submit("adding", added, [three, 2], 1)
    assert pool.value(pool.submit("adding", added, [three, six, 1], six)) == 16
    assert pool.value(three) == 3
    assert pool.value(pool.submit("adding", added, [six], three)) == 9


def test_tasks_are_done_at_the_same_time(start: Start) -> None:
    pool = start(2)
    both = [pool.submit("naming", process) for _ in range(2)]
    assert len({pool.value(one) for one in both}) == 2


def test_progress_is_told_by_stages(start: Start) -> None:
    told: list[tuple[str, float]] = []
    pool = start(1, lambda *stage: told.append(stage))
    first = [pool.submit("one", added, [n], 0) for n in range(2)]
    pool.value(pool.submit("two: last", added, first, 0))
    assert list(dict.fromkeys(stage for stage, _ in told)) == ["one", "two: last"]
    assert {part for stage, part in told if stage == "one"} <= {0.0, 0.5}


def test_what_a_task_raises_is_raised_here(start: Start) -> None:
    pool = start(1)
    with pytest.raises(RefusedError, match="too large"):
        pool.value(pool.submit("failing", refuse))
    with pytest.raises(RefusedError, match="too large"):
        pool.value(pool.submit("adding", added, [1], 2))
    other = start(1)
    with pytest.raises(RuntimeError, match="OddError: 1 2"):
        other.value(other.submit("failing", fail))


def test_a_task_whose_process_dies_is_done_by_another(
    start: Start, tmp_path: Path
) -> None:
    pool, file = start(2), tmp_path / "times"
    assert pool.value(pool.submit("dying", die, file, 3)) == "xxxx"
    assert pool.value(pool.submit("adding", added, [1], 1)) == 2


def test_a_task_at_which_processes_always_die_is_given_up(
    start: Start, tmp_path: Path
) -> None:
    pool, file = start(1), tmp_path / "times"
    with (
        pytest.raises(TopoviewError, match=r"died 4 times at the same step"),
        clusters._sentences("trace", str(tmp_path), ""),
    ):
        pool.value(pool.submit("dying", die, file, 99))
    assert file.read_text() == "xxxx"
    with pytest.raises(WorkersDiedError):
        pool.value(pool.submit("dying", die, file, 99))


@pytest.mark.usefixtures("started_workers")
def test_processes_use_again_what_they_free(start: Start) -> None:
    """Fresh memory comes a page at a time, each cleared by the system."""
    pool = start(1, keep=1 << 30)
    assert pool.value(pool.submit("filling", pages_of_arrays)) < 200 * 128 / 10


def test_processes_end_with_the_parent() -> None:
    """However it ends, and whatever they do."""
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from pool_tasks import process\n"
        "from topoview.worker.pool import Pool\n"
        "os.environ['PYTHONPATH'] = sys.argv[1]\n"
        "pool = Pool(2, {}, lambda *_: None)\n"
        "pool.value(pool.submit('', process))\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        below = descendants(parent.pid)
        assert len(below) == 2
        parent.kill()
    deadline = time.monotonic() + 30
    while any(is_running(one) for one in below):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2][1] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the digest as one process makes it."""
    file = tmp_path_factory.mktemp("expected") / "one.topoview"
    write_results(Results(traces.read_real(NAME)), file)
    return file


@pytest.mark.usefixtures("started_workers")
def test_processes_that_are_killed_change_nothing(
    expected: Path, tmp_path: Path
) -> None:
    file, killed = tmp_path / "f.topoview", list[str]()

    def report(stage: str, _fraction: float) -> None:
        # In some stages all processes die at once, the first that was started too.
        if stage in {"reading", "writing columns", "adding up parts"} - {*killed}:
            killed.append(stage)
            for number in descendants(os.getpid()):
                if b"topoview.worker.pool" in command_of(number):
                    os.kill(number, 9)

    digest_on_cluster(traces.real_path(NAME), file, workers=2, parts=5, report=report)
    assert len(killed) == 3
    assert_same_digest(file, expected)
    assert not Path(f"{file}.work").exists()


def command_of(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.usefixtures("started_workers")
def test_a_cancelled_digest_leaves_no_process(tmp_path: Path) -> None:
    def stop(stage: str, _fraction: float) -> None:
        if stage == "reading":
            raise Cancelled

    before = descendants(os.getpid())
    with pytest.raises(Cancelled):
        digest_on_cluster(
            traces.real_path(NAME), tmp_path / "f.topoview", workers=2, report=stop
        )
    assert descendants(os.getpid()) <= before


# What is reached from outside: nothing.


def lines_of(table: str) -> list[str]:
    return Path(table).read_text().splitlines()[1:]


def listening(top: int) -> list[str]:
    """List the sockets on which a process, or one below it, waits for others."""
    held = set()
    for number in (top, *descendants(top)):
        for file in Path(f"/proc/{number}/fd").glob("*"):
            try:
                held.add(str(file.readlink()))
            except OSError:
                continue
    found = []
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        rows = [line.split() for line in lines_of(f"/proc/net/{kind}")]
        waits = {"tcp": "0A", "udp": "07"}[kind[:3]]
        found += [
            f"{kind} {row[1]}"
            for row in rows
            if row[3] == waits and f"socket:[{row[9]}]" in held
        ]
    rows = [line.split() for line in lines_of("/proc/net/unix")]
    accepts = 1 << 16  # __SO_ACCEPTCON
    found += [
        f"unix {row[7:]}"
        for row in rows
        if int(row[3], 16) & accepts and f"socket:[{row[6]}]" in held
    ]
    return found


def test_who_listens_is_noticed() -> None:
    """Else the next test says nothing."""
    with socket.socket() as near, socket.socket(socket.AF_UNIX) as named:
        near.bind(("127.0.0.1", 0))
        near.listen()
        named.bind(f"\0topoview-test-{os.getpid()}")
        named.listen()
        port = f"{near.getsockname()[1]:04X}"
        told = listening(os.getpid())
        assert [one for one in told if one.endswith(f":{port}")]
        assert [one for one in told if "topoview-test" in one]


COMMAND: Final = Path(sys.executable).with_name("topoview")


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed here")
def test_a_digest_by_processes_listens_on_nothing(tmp_path: Path) -> None:
    """Another user finds nothing to connect to."""
    file = tmp_path / "f.topoview"
    told, looked = set[str](), 0
    with subprocess.Popen(
        [COMMAND, "digest", "--workers", "1", "-o", file, traces.real_path(NAME)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as command:
        while command.poll() is None:
            told |= set(listening(command.pid))
            looked += 1
            time.sleep(0.05)
    assert command.returncode == 0
    assert read_digest(file).ranks == 24
    assert looked > 3
    assert not told


def plant(folder: Path) -> Path:
    """Put modules into a folder, named as all of Python's and others; notes who ran."""
    ran = folder / "ran"
    names = {"numpy", "scipy", "cython", "otf2", "networkx", "dask", "distributed",
             "jinja2", "PySide6", "platformdirs", "sitecustomize", "usercustomize",
             "topoview", *sys.stdlib_module_names}  # fmt: skip
    for name in names:
        (folder / f"{name}.py").write_text(
            f"open({str(ran)!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(9)\n"
        )
    return ran


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed here")
@pytest.mark.parametrize(
    "command",
    [
        ["info"],
        pytest.param(["digest", "-o", "one.topoview"], marks=pytest.mark.slow),
        ["digest", "-o", "two.topoview", "--workers", "2"],
    ],
)
def test_no_module_of_the_current_folder_is_imported(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trace comes with such a file, and the user goes there to work."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    path = traces.unpacked(NAME, folder)
    ran = plant(folder)
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / "cache"))
    anchor = path.relative_to(folder)
    done = subprocess.run(
        [COMMAND, *command, str(anchor)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.exists(), ran.read_text()
    assert done.returncode == 0, done.stderr
    # the same files run where Python is started as usual
    subprocess.run([sys.executable, "-c", "import csv"], cwd=folder, check=False)
    assert ran.exists()


@pytest.mark.slow
@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed here")
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_imports_modules_of_the_current_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command, whether it can do its work with these words or not."""
    ran = plant(tmp_path)
    path = traces.unpacked("app-futures-9", tmp_path).relative_to(tmp_path)
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / "cache"))
    words = [str(path)] * COMMANDS[name].reads + MORE_WORDS.get(name, "").split()
    done = subprocess.run(
        [COMMAND, name, *words],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.exists(), ran.read_text()
    assert "Traceback" not in done.stderr


MORE_WORDS: Final = {
    "skeleton": "-o a.c",
    "render": "-o a.png",
    "movie": "-o a.gif --seconds 1 --size 64x64",
    "report": "-o a.html",
    "export": "-o a.json",
    "digest": "-o a.topoview",
    "demo": "--output demo",
    "query": "from(select(1))",
    "compare": "app-futures-9",
    "network": "--torus 3x3x3",
    "map": "--torus 3x3x3",
}
"""What commands need besides a trace."""


def test_an_empty_entry_of_the_path_is_not_the_current_folder(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in ``PYTHONPATH=$PYTHONPATH:/opt/tools``, which many set."""
    monkeypatch.setenv("PYTHONPATH", f":{Path(__file__).parent}:lib")
    monkeypatch.chdir(tmp_path)
    pool = start(1)
    path = pool.value(pool.submit("looking", modules_path))
    assert str(Path(__file__).parent) in path
    assert not [one for one in path if Path(one).is_relative_to(tmp_path) or not one]


def test_every_python_is_started_without_the_current_folder() -> None:
    seen = 0
    for file in (Path(__file__).parents[2] / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        for rest in re.findall(r"[\[(]\s*sys\.executable,([^)]*)", text):
            assert rest.lstrip(" [").startswith('"-P"'), file
            assert "child_environment()" in text, file
            seen += 1
    assert seen >= 5
