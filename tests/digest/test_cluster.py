"""A cluster on which workers die and schedulers vanish."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import traces
from same import assert_same

from topoview.base import scratch
from topoview.base.memory import granted_memory, memory_budget
from topoview.base.progress import Cancelled, silent
from topoview.base.tasks import Here
from topoview.errors import TopoviewError, TraceError
from topoview.io.archive.finding import find_anchor
from topoview.io.reading import decoding, joining
from topoview.io.reading.work import size_of_events
from topoview.pipeline import Results, making
from topoview.store.digest import read_digest, read_results
from topoview.worker import cluster as clusters
from topoview.worker import graph
from topoview.worker.cluster import digest_on_cluster
from topoview.worker.digest import write_results
from topoview.worker.graph import Job, make_on

distributed = pytest.importorskip("distributed")

NAME = "sp-rowcol-6x4"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the digest as one process makes it."""
    file = tmp_path_factory.mktemp("expected") / "one.topoview"
    write_results(Results(traces.read_real(NAME)), file)
    return file


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a digest of three parts; gives its folder."""
    folder = tmp_path_factory.mktemp("finished")
    make_on(Here(), job_in(folder))
    return folder


@pytest.fixture
def finished(finished_once: Path, tmp_path: Path) -> Job:
    """Give a digest that is made, and all that its work left: a copy."""
    shutil.copytree(finished_once, tmp_path, dirs_exist_ok=True)
    return job_in(tmp_path)


def job_in(folder: Path) -> Job:
    """Ask for a digest of three parts, in a folder."""
    file, work = str(folder / "f.topoview"), str(folder / "w")
    return Job(str(traces.real_path(NAME)), file, work, 3, 1, 1 << 32, 512)


def assert_same_digest(one: Path, other: Path) -> None:
    left, right = read_digest(one), read_digest(other)
    assert_same(replace(left, path=right.path), right)
    found, wanted = read_results(one), read_results(other)
    assert list(found) == list(wanted)
    for name in ("matrix", "profile", "wait_sums", "delays", "efficiencies"):
        assert_same(found[name], wanted[name])


def on_dask(**options: object) -> Any:  # noqa: ANN401 - of Dask
    """Start a cluster of processes, as the command does."""
    return distributed.LocalCluster(
        threads_per_worker=1, dashboard_address=None, silence_logs=50, **options
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_that_are_killed_change_nothing(expected: Path, tmp_path: Path) -> None:
    file, killed = tmp_path / "f.topoview", []
    with on_dask(n_workers=2) as cluster:

        def report(stage: str, _fraction: float) -> None:
            # Each stage begins with a worker less, until five have died.
            if stage not in killed and stage != "starting" and len(killed) < 5:
                killed.append(stage)
                worker = list(cluster.workers.values())[len(killed) % 2]
                if worker.process is not None and worker.process.pid:
                    os.kill(worker.process.pid, signal.SIGKILL)

        digest_on_cluster(
            traces.real_path(NAME),
            file,
            scheduler=cluster.scheduler_address,
            parts=5,
            report=report,
        )
    assert len(killed) == 5
    assert_same_digest(file, expected)
    assert not Path(f"{file}.work").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_lost_scheduler_is_a_sentence_and_the_next_start_goes_on(
    expected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, path = tmp_path / "f.topoview", traces.real_path(NAME)
    cluster = on_dask(n_workers=1, processes=False)
    gone = threading.Event()

    def report(stage: str, _fraction: float) -> None:
        if stage == "matching messages" and not gone.is_set():
            gone.set()
            cluster.close()

    with pytest.raises(TopoviewError, match=r"is gone.*give the same command again"):
        digest_on_cluster(
            path, file, scheduler=cluster.scheduler_address, parts=3, report=report
        )
    assert not file.exists()
    done = set(Path(f"{file}.work").rglob("decoded-*.kept"))
    assert len(done) == 3
    again = decodings(monkeypatch)
    job = Job(str(path), str(file), f"{file}.work", 0, 1, 1 << 32, 512)
    make_on(Here(), job)
    assert again == []
    assert_same_digest(file, expected)


def decodings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note which parts are decoded: not those that only are looked for."""
    decoded: list[int] = []
    decode: Callable[..., Any] = decoding._decode

    def noted(work: object, part: int, report: object) -> object:
        decoded.append(part)
        return decode(work, part, report)

    monkeypatch.setattr(decoding, "_decode", noted)
    return decoded


def stopped_at(wanted: str, folder: Path) -> Job:
    """Make a digest of three parts up to a stage; gives what was asked for."""
    job = job_in(folder)

    def stop(stage: str, _fraction: float) -> None:
        if stage == wanted:
            raise Cancelled

    with pytest.raises(Cancelled):
        make_on(Here(stop), job)
    return job


def test_a_cancelled_digest_goes_on_where_it_was(
    expected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped_at("aligning clocks", tmp_path)
    decoded = decodings(monkeypatch)
    make_on(Here(), job)
    assert decoded == []
    assert_same_digest(Path(job.output), expected)


def test_columns_that_parts_wrote_are_kept(
    expected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before they are joined; one part was cut off, and writes once more."""
    job = stopped_at("joining parts", tmp_path)
    (cut,) = (tmp_path / "w").rglob("finished-1.kept")
    cut.unlink()
    column = cut.with_name("calls.enter.npy")
    data = bytearray(column.read_bytes())
    half = len(data) // 2
    data[half : half + 64] = bytes(64)  # within the middle one of three parts
    column.write_bytes(data)
    written: list[int] = []
    write: Callable[..., Any] = joining._finish

    def noted(*given: Any) -> object:  # noqa: ANN401 - as given
        written.append(given[-1])
        return write(*given)

    monkeypatch.setattr(joining, "_finish", noted)
    make_on(Here(), job)
    assert written == [1]
    assert_same_digest(Path(job.output), expected)


def test_a_trace_that_grows_while_it_is_read_is_told(tmp_path: Path) -> None:
    anchor = find_anchor(traces.real_path(NAME), tmp_path, silent).file
    work = str(tmp_path / "w")
    job = Job(str(anchor), str(tmp_path / "f"), work, 2, 1, 1 << 32, 512)

    def cut(stage: str, _fraction: float) -> None:
        if stage == "writing columns":
            file = anchor.with_suffix("") / "0.evt"
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    with pytest.raises(TraceError, match="has changed while it was read"):
        make_on(Here(cut), job)


@pytest.fixture(scope="module")
def twelve_differ(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Make a digest, in much memory, of twelve ranks that differ."""
    folder = tmp_path_factory.mktemp("twelve")
    path, file = traces.real_path("app-pennant-12"), folder / "f.topoview"
    job = Job(str(path), str(file), str(folder / "w"), 1, 1, 1 << 32, 512)
    make_on(Here(), job)
    assert read_results(file)["logical"].ranks_verified == 12
    return job


@pytest.mark.parametrize(
    "parts", [1, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 7))]
)
def test_what_does_not_fit_into_memory_lies_in_files(
    parts: int, twelve_differ: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks of twelve differ: the calls of all of them take more than a task may."""
    monkeypatch.setattr(scratch, "_SMALL_BYTES", 1 << 14)
    other = twelve_differ._replace(
        output=str(tmp_path / "other.topoview"),
        folder=str(tmp_path / "other"),
        parts=parts,
        memory=450_000,
    )
    assert make_on(Here(), other).notes == ()
    assert_same_digest(Path(other.output), Path(twelve_differ.output))


def test_what_goes_from_rank_to_rank_does_not_depend_on_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delays and phases are those of the whole, with columns in files."""
    # nor are partners named in all ways: waits are by the lines of any program
    monkeypatch.setattr("topoview.logical.program.MAX_ROWS_NAMED_OTHERWISE", 0)
    name, file = "sp-twophase-6x6-user-metrics", tmp_path / "f.topoview"
    path, little = traces.real_path(name), 140 * len(traces.read_real(name).messages)
    job = Job(str(path), str(file), str(tmp_path / "w"), 1, 1, 1 << 32, 512)
    assert make_on(Here(), job).notes == ()
    assert sum(part.by == "phase" for part in read_results(file)["parts"].parts) == 8
    assert len(read_results(file)["delays"])
    monkeypatch.setattr(scratch, "_SMALL_BYTES", 0)
    monkeypatch.setattr(scratch, "_SHARE", 1 << 40)
    for parts in (1, 2, 3, 7) if traces.slow_tests_run() else (3,):
        other = job._replace(
            output=str(tmp_path / f"{parts}.topoview"),
            folder=str(tmp_path / f"{parts}"),
            parts=parts,
            memory=little,
        )
        assert make_on(Here(), other).notes == ()
        assert_same_digest(Path(other.output), file)


def test_sums_of_other_code_are_made_again(
    finished: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest is begun, what makes the profile is mended, and the command repeated."""

    def kept() -> int:
        return len(list((tmp_path / "w").rglob("profile-*.kept")))

    assert kept() == 1
    for module in (graph, making):
        monkeypatch.setattr(module, "code_version", lambda: "mended")
    make_on(Here(), finished)
    assert kept() == 2


def test_a_step_that_was_cut_off_is_done_again(
    expected: Path, finished: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = sorted((tmp_path / "w").rglob("decoded-*.kept"))
    one.write_bytes(one.read_bytes()[:-100])
    two.unlink()
    for path in (tmp_path / "w").rglob("*.kept"):
        if path.name.startswith(("settled", "matched", "messages", "finished")):
            path.unlink()
    decoded = decodings(monkeypatch)
    make_on(Here(), finished)
    assert sorted(decoded) == [0, 1, 2]  # of the last what it sent and received
    assert_same_digest(Path(finished.output), expected)


def test_a_trace_that_vanished_from_the_store_is_made_again(
    expected: Path, finished: Job, tmp_path: Path
) -> None:
    """Such as after a node went down: columns of calls lie with those of the trace."""
    (trace,) = {file.parent for file in (tmp_path / "w").rglob("waits.until-*.npy")}
    shutil.rmtree(trace)
    make_on(Here(), finished)
    assert_same_digest(Path(finished.output), expected)


def test_columns_that_were_cut_are_told(
    expected: Path, finished: Job, tmp_path: Path
) -> None:
    """Nothing is left out, or made again, without a word; the next start makes it."""
    (column,) = (tmp_path / "w").rglob("positions.of_call-*.npy")
    column.write_bytes(column.read_bytes()[:-100])
    with pytest.raises(TopoviewError, match=r"is damaged in .*: remove that folder"):
        make_on(Here(), finished)
    make_on(Here(), finished)
    assert_same_digest(Path(finished.output), expected)


def test_what_nobody_reads_again_is_removed(
    finished: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What parts exchange goes, columns of calls are nowhere twice: room on disks."""
    files = {path.name: path.stat().st_size for path in (tmp_path / "w").rglob("*.*")}
    steps = {name.partition("-")[0] for name in files}
    assert {"decoded", "matched", "waits"} < steps
    assert not steps & {"events", "sent", "back", "received", "sums"}
    columns = [size for name, size in files.items() if name.startswith("waits.")]
    (kept,) = [size for name, size in files.items() if name.startswith("waits-")]
    assert kept < min(columns) < sum(columns)
    decoded = decodings(monkeypatch)
    make_on(Here(), finished)
    assert not decoded


def test_a_scheduler_that_is_not_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 1)
    with pytest.raises(TopoviewError, match=r"tcp://127\.0\.0\.1:9 is gone, or was"):
        digest_on_cluster(
            traces.real_path(NAME), tmp_path / "f", scheduler="tcp://127.0.0.1:9"
        )


def test_a_scheduler_without_workers_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clusters, "_ALONE_SECONDS", 1)
    with (
        on_dask(n_workers=0) as cluster,
        pytest.raises(TopoviewError, match=r"has had no worker for 1 s; start some"),
    ):
        digest_on_cluster(
            traces.real_path(NAME),
            tmp_path / "f",
            scheduler=cluster.scheduler_address,
        )
    assert not capfd.readouterr().err


def test_tasks_in_threads_of_a_worker_keep_to_their_own_memory() -> None:
    """The one that began first ends first, while the other goes on."""
    began, ended, told = threading.Event(), threading.Event(), list[int]()

    def first() -> None:
        with granted_memory(1 << 20):
            assert began.wait(20)
            told.append(memory_budget())
        ended.set()

    other = threading.Thread(target=first)
    other.start()
    usual = memory_budget()
    with granted_memory(1 << 30):
        began.set()
        assert ended.wait(20)
        told.append(memory_budget())
    other.join()
    assert told == [1 << 20, 1 << 30]
    assert memory_budget() == usual


def test_ranks_are_cut_by_what_there_is_to_do_and_by_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 0

    def parts(workers: int, memory: int = 1 << 32) -> int:
        nonlocal size
        folder = tmp_path / f"{workers}-{memory}-{graph._BYTES_A_PART}"
        folder.mkdir()
        job = Job(str(traces.real_path(NAME)), "", str(folder), 0, workers, memory, 9)
        work = graph._open(job)
        size = size_of_events(work.defined)
        return len(work.parts)

    assert parts(2) == 1
    monkeypatch.setattr(graph, "_BYTES_A_PART", size // 6 + 1)
    assert parts(1) == 2
    assert parts(3) == 6
    assert parts(1, memory=10 * size // 8 + 1) == 8


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_may_have_several_threads(expected: Path, tmp_path: Path) -> None:
    file = tmp_path / "f.topoview"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
        silence_logs=50,
    ) as cluster:  # fmt: skip
        digest_on_cluster(
            traces.real_path(NAME),
            file,
            scheduler=cluster.scheduler_address,
            parts=4,
        )
    assert_same_digest(file, expected)


def test_a_full_disk_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("topoview.io.reading.work.write_kept", full)
    with (
        pytest.raises(TopoviewError, match=r"the disk of .* is full; make room, what"),
        clusters._sentences("trace", str(tmp_path), ""),
    ):
        make_on(
            Here(),
            Job(
                str(traces.real_path(NAME)), "f", str(tmp_path / "w"), 2, 1, 1 << 32, 9
            ),
        )


@pytest.mark.slow
def test_the_session_of_the_documentation_is_what_happens() -> None:
    """Its commands are run, and their answers compared with the page."""
    script = Path(__file__).parents[2] / "scripts" / "cluster_session.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
