"""A cache that others share: what is kept is taken from it, nothing is put there."""

import json
import os
import threading
from pathlib import Path

import pytest
from traces import simulated
from writer import write_trace

from topoview.__main__ import main
from topoview.errors import TopoviewError
from topoview.store.integrity import OF_SHARED, claim_folder
from topoview.worker import results
from topoview.worker.task import Task, Worker

NOBODY = 65534


def states(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
    }


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a trace, and identify it into a cache that belongs to another user."""
    trace = write_trace(simulated("torus", (4, 3), numbering=1), tmp_path / "run")
    shared = tmp_path / "course"
    monkeypatch.setenv("TOPOVIEW_CACHE", str(shared))
    assert main(["identify", str(trace), "-q"]) == 0
    for job in threading.enumerate():  # what is kept is made safe on the disk
        if job.name == "tidying":
            job.join()
    for path in (shared, *shared.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
        if os.getuid() == 0:  # who could write there in spite of that
            os.chown(path, NOBODY, NOBODY)
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / "mine"))
    monkeypatch.setenv("TOPOVIEW_CACHE_SHARED", str(shared))
    return trace


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Note what workers are started for."""
    started: list[Task] = []
    start = results.start

    def noting(task: Task) -> Worker:
        started.append(task)
        return start(task)

    monkeypatch.setattr(results, "start", noting)
    return started


def test_kept_answers_are_shared_and_new_ones_are_ones_own(
    course: Path,
    tasks: list[Task],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shared, mine = tmp_path / "course", tmp_path / "mine"
    before = states(shared)
    assert main(["identify", str(course), "-q"]) == 0
    assert "2D torus 4x3" in capsys.readouterr().out
    assert not tasks
    assert not (mine / "traces").exists()

    assert main(["waits", str(course), "--by", "kind", "-q"]) == 0
    first = capsys.readouterr().out
    assert {task.key for task in tasks} - {""} == {p.name for p in shared.glob("*/*")}
    assert list((mine / OF_SHARED).glob("*/*.kept"))
    tasks.clear()
    assert main(["waits", str(course), "--by", "kind", "-q"]) == 0
    assert capsys.readouterr().out == first
    assert not tasks
    assert states(shared) == before

    assert main(["cache", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["traces"] == []
    assert len(record["shared"]["traces"]) == 1
    assert main(["cache", "--clear"]) == 0
    assert not list(mine.rglob("*.kept"))
    assert states(shared) == before


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_shared_cache_that_others_may_write_to_is_not_used(
    course: Path,
    tasks: list[Task],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    mode: int,
) -> None:
    (tmp_path / "course" / "traces").chmod(mode)
    assert main(["identify", str(course), "-q"]) == 0
    assert "2D torus 4x3" in capsys.readouterr().out
    assert tasks
    assert list((tmp_path / "mine" / "traces").glob("*/trace.json"))


@pytest.mark.usefixtures("course")
def test_a_trace_that_is_not_shared_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = states(tmp_path / "course")
    other = write_trace(simulated("star", (5,)), tmp_path / "other")
    assert main(["identify", str(other), "-q"]) == 0
    assert "star 5" in capsys.readouterr().out
    assert len(list((tmp_path / "mine" / "traces").glob("*/trace.json"))) == 1
    assert states(tmp_path / "course") == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files to others")
def test_what_a_third_user_put_into_a_shared_cache_is_not_used(
    course: Path, tasks: list[Task], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (kept,) = (tmp_path / "course").rglob("trace.json")
    os.chown(kept, NOBODY - 1, NOBODY)
    assert main(["identify", str(course), "-q"]) == 0
    assert "2D torus 4x3" in capsys.readouterr().out
    assert tasks


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files to others")
@pytest.mark.usefixtures("course")
def test_only_traces_of_a_shared_cache_may_be_anothers(tmp_path: Path) -> None:
    """Work folders beside a digest, say, in the same place."""
    work = tmp_path / "course" / "run.topoview.work"
    work.mkdir(0o700)
    os.chown(work, NOBODY, NOBODY)
    with pytest.raises(TopoviewError, match="belongs to another user"):
        claim_folder(work)


def test_ones_own_cache_is_not_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever fills a cache for others may have both variables set."""
    trace = write_trace(simulated("star", (5,)), tmp_path / "run")
    (tmp_path / "course").mkdir()
    (tmp_path / "link").symlink_to("course")
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / "course"))
    for name in ("course", "link", "."):
        monkeypatch.setenv("TOPOVIEW_CACHE_SHARED", str(tmp_path / name))
        assert main(["waits", str(trace), "--by", "kind", "-q"]) == 0
        capsys.readouterr()
        assert main(["cache", "--clear"]) == 0
        assert "removed 1 trace" in capsys.readouterr().out
