"""Reading in a child process: same result, clean ends."""

import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from same import assert_same
from writer import write_trace

from topoview.__main__ import main
from topoview.base.progress import Cancelled
from topoview.errors import TraceError
from topoview.model import Trace
from topoview.store.temporary import ScratchFolder
from topoview.store.traces import user_store
from topoview.worker import open_trace, process, read_in_process
from topoview.worker import process as sweep


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


@pytest.mark.usefixtures("started_workers")
def test_the_result_is_the_same(anchor: Path) -> None:
    assert_same(read_in_process(anchor), open_trace(anchor))


@pytest.mark.usefixtures("started_workers")
def test_progress_comes_often(anchor: Path) -> None:
    times, stages = [time.monotonic()], set()

    def report(stage: str, fraction: float) -> None:
        assert 0 <= fraction <= 1
        times.append(time.monotonic())
        stages.add(stage)

    read_in_process(anchor, report)
    assert len(times) > (times[-1] - times[0]) / 1.0
    assert stages > {"starting"}  # a stage that is over at once may not be seen


def children() -> set[str]:
    """List the processes that this one has started and not waited for."""
    listing = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    return set(listing.read_text().split()) if listing.exists() else set()


@pytest.mark.usefixtures("started_workers")
@pytest.mark.parametrize(
    "when", ["starting", "reading definitions", "saving to the cache"]
)
def test_giving_up_kills_the_child(anchor: Path, tmp_path: Path, when: str) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = children()

    def report(stage: str, fraction: float) -> None:
        del fraction
        if stage == when:
            raise Cancelled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(scratch))
        with pytest.raises(Cancelled):
            read_in_process(anchor, report)
    sweep.wait_for_cleanup()
    assert not list(scratch.iterdir())
    assert children() <= before
    store = user_store()
    assert store is not None
    left = list(store.folder.iterdir()) if store.folder.exists() else []
    # Who keeps it may have been faster: then it is whole.
    assert not left or (
        when == "saving to the cache" and [e.stale for e in store.entries()] == [False]
    )
    assert len(left) == len(store.entries())


def test_an_error_arrives_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="does not exist"):
        read_in_process(tmp_path / "nothing.otf2")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGSEGV, "crashed .SIGSEGV"),
        (signal.SIGABRT, "crashed .SIGABRT"),
        (signal.SIGKILL, "memory ran out"),
        (signal.SIGTERM, "ended from outside .SIGTERM"),
        (signal.SIGINT, "ended from outside .SIGINT"),
        (signal.SIGXCPU, "ended from outside .SIGXCPU"),
        (signal.SIGRTMIN + 5, "ended from outside"),
    ],
)
def test_a_crash_is_told(
    anchor: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    start = process.ProcessWorker._start

    def struck(*arguments: object) -> subprocess.Popen[bytes]:
        child = start(*arguments)  # type: ignore[arg-type]
        child.send_signal(number)  # before it is told what to do
        return child

    monkeypatch.setattr(process.ProcessWorker, "_start", struck)
    with pytest.raises(TraceError, match=words) as caught:
        read_in_process(anchor)
    assert str(anchor) in str(caught.value)


def test_a_fault_of_ours_is_told_in_one_line(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(TraceError, match="could not be read") as caught:
        read_in_process(anchor)
    assert "\n" not in str(caught.value)


def test_the_main_module_is_not_run_again(anchor: Path, tmp_path: Path) -> None:
    """A window's program reads in a thread; its main module runs once."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, threading\n"
        "print('main runs')\n"
        "from topoview.worker import read_in_process\n"
        "found = []\n"
        "job = threading.Thread(target=lambda: found.append(\n"
        "    read_in_process(sys.argv[1]).ranks))\n"
        "job.start(); job.join()\n"
        "print(found)\n"
    )
    run = subprocess.run(
        [sys.executable, str(program), str(anchor)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == ["main runs", "[12]"]
    assert run.stderr == ""


def test_giving_up_waits_for_nothing(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor for a process that takes its time to end, or files that are many."""
    asked, removed = threading.Event(), threading.Event()
    clean = process.ProcessWorker._clean

    def slow(*arguments: object) -> None:
        asked.wait(60)
        clean(*arguments)  # type: ignore[arg-type]
        removed.set()

    def report(stage: str, fraction: float) -> None:
        del fraction
        if stage == "reading definitions":
            raise Cancelled

    monkeypatch.setattr(process.ProcessWorker, "_clean", slow)
    with pytest.raises(Cancelled):
        read_in_process(anchor, report)
    assert not removed.is_set()
    asked.set()
    sweep.wait_for_cleanup()
    assert removed.is_set()


def test_what_killed_processes_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scratch folder that another process uses stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    used, left = ScratchFolder(), ScratchFolder()
    (left.path / "traces.otf2").write_bytes(b"x")
    os.close(left.descriptor)
    store = user_store()
    assert store is not None
    store.folder.mkdir(parents=True)
    (store.folder / ("0" * 32 + ".lock")).touch()
    entry = store.folder / ("1" * 32)
    entry.mkdir()
    for writer in (used, left):
        (entry / f"{writer.path.name}0.writing").touch()
    sweep.clean_up(store)
    assert used.path.exists()
    assert not left.path.exists()
    assert list(store.folder.rglob("*")) == [
        entry,
        entry / f"{used.path.name}0.writing",
    ]
    used.remove()
    assert not used.path.exists()


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack so many files that to unpack them takes a while."""
    path = tmp_path_factory.mktemp("many") / "many.tar"
    with tarfile.open(path, "w") as packed:
        for count in range(20_000):
            packed.addfile(tarfile.TarInfo(f"run/traces/{count}.evt"))
    return path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_ended_from_outside_leaves_nothing(
    many_files: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Neither in TMPDIR nor beside what is kept."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "topoview", "info", many_files],
        env={**os.environ, "TMPDIR": str(scratch), "TOPOVIEW_PROGRESS": "lines"},
        stderr=subprocess.PIPE,
        text=True,
        # below nohup the tests, and what they start, would not hear a hang-up
        preexec_fn=partial(signal.signal, number, signal.SIG_DFL),
    ) as command:
        assert command.stderr is not None
        assert any("unpacking" in line for line in command.stderr)
        assert list(scratch.iterdir())
        command.send_signal(number)
        assert "Traceback" not in command.stderr.read()
    assert command.returncode == 128 + number
    assert not list(scratch.iterdir())


def test_a_signal_in_a_callback_ends_a_command_too() -> None:
    """Python prints and forgets what is raised there, as while a module is imported."""
    program = """if True:
        import os, signal, time
        from topoview.__main__ import _end_orderly
        class Last:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _end_orderly()
        Last()
        time.sleep(60)
    """
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50
    )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, "")


def test_a_signal_that_a_package_takes_for_its_fault_ends_a_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As NumPy's import does."""

    def broken(_: object) -> int:
        raise ImportError("PyCapsule_Import could not import module")

    monkeypatch.setattr("topoview.__main__._run", broken)
    with pytest.raises(ImportError):
        main(["info"])
    monkeypatch.setattr("topoview.__main__._received", [int(signal.SIGTERM)])
    assert main(["info"]) == 128 + signal.SIGTERM


def test_a_trace_that_is_read_here_leaves_nothing_for_long(
    anchor: Path, tmp_path: Path
) -> None:
    """Also if the process that reads is killed: the next one removes its folder."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = """if True:
        import os, signal, sys, topoview
        from topoview.worker import open_trace
        open_trace(sys.argv[1], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    """
    subprocess.run(
        [sys.executable, "-c", program, anchor],
        env={**os.environ, "TMPDIR": str(scratch)},
        check=False,
    )
    assert list(scratch.iterdir())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(scratch))
        sweep.clean_up(user_store())
    assert not list(scratch.iterdir())
