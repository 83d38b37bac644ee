"""Digests made by several processes, of this machine or of a cluster that Dask runs.

Both run the graph of `topoview.worker.graph`.
"""

import contextlib
import io
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from topoview.analysis.digest import STEPS
from topoview.base.extras import need
from topoview.base.memory import memory_environment
from topoview.base.platform import machine_memory
from topoview.base.progress import Report, silent
from topoview.base.tasks import tell_progress
from topoview.errors import NO_ROOM, TopoviewError
from topoview.io.archive.finding import open_trace
from topoview.model import Subset
from topoview.store.digest import put_digest
from topoview.worker.digest import DigestMade
from topoview.worker.graph import Job, forget, make_on
from topoview.worker.pool import RETRIES, Pool, WorkersDiedError

_CONNECT_SECONDS: Final = 20


class DaskCluster:
    """Tasks as futures of a Dask client."""

    def __init__(self, client: Any, report: Report) -> None:  # noqa: ANN401 - of Dask
        self._client, self._report = client, report
        self._manned = time.monotonic()
        self._futures: list[tuple[str, Any]] = []

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - a future
        """Begin a task."""
        result = self._client.submit(task, *given, pure=False, retries=RETRIES)
        self._futures.append((stage, result))
        return result

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives, and report how far the others are.

        Raises what a task raised, and `Cancelled` from the report.
        """
        while future.status in ("pending", "lost"):  # lost: it is done again
            self._tell()
            self._look_for_faults()
            time.sleep(_LOOK_SECONDS)
        self._tell()
        return future.result()

    def _look_for_faults(self) -> None:
        """Raise what has gone wrong elsewhere: in other tasks, with the scheduler."""
        if self._client.status != "running":
            raise TimeoutError
        alone = time.monotonic() - self._manned
        if alone > _ALONE_SECONDS / 4:  # not at each look: it is asked over the network
            if self._client.scheduler_info(n_workers=1)["workers"]:
                self._manned = time.monotonic()
            elif alone > _ALONE_SECONDS:  # nobody replaces them
                raise _NoWorkersError
        for _, one in self._futures:
            if one.status in ("error", "cancelled"):
                one.result()

    def _tell(self) -> None:
        tasks = ((stage, future.status != "pending") for stage, future in self._futures)
        tell_progress(self._report, tasks)

    def forget(self) -> None:
        """Close the files that workers have mapped."""
        self._client.run(forget, on_error="ignore")


class _NoWorkersError(Exception):
    """The scheduler is there, and no worker is."""


_LOOK_SECONDS: Final = 0.05
_ALONE_SECONDS: Final = 60.0
"""Without any worker, after which none is expected any more."""


def digest_on_cluster(  # noqa: PLR0913 - what a command asks for
    path: str | Path,
    output: str | Path,
    *,
    workers: int = 0,
    scheduler: str = "",
    memory: int | None = None,
    parts: int = 0,
    steps: int = STEPS,
    report: Report = silent,
) -> DigestMade:
    """Write a digest by processes of this machine, or the workers of a scheduler.

    Parameters
    ----------
    path, output
        The trace and the file to write, as the workers see them. Beside the file there
        is a folder, ``OUTPUT.work``, while it is made: what it holds is not done again
        when the same is asked for once more.
    workers
        Processes on this machine, if no scheduler is named.
    scheduler
        Address of a Dask scheduler.
    memory
        Bytes that a worker may take; None: what Dask gives it, or its share of this
        machine. Two thirds of them are shared by its threads: the rest is the
        interpreter's, and Dask ends a worker that takes nearly all.
    parts
        As in `Job`.

    Raises
    ------
    TopoviewError
        If it cannot be made: what happened, and what to do.
    Cancelled
        From `report`.
    """
    folder = Path(f"{output}.work").absolute()
    report("starting", 0.0)
    with (
        _sentences(str(path), str(folder), scheduler),
        _executor(workers, scheduler, memory, report) as (executor, tasks, share),
    ):
        job = Job(
            path=str(Path(path).absolute()),
            output=str(Path(output).absolute()),
            folder=str(folder),
            parts=parts,
            workers=tasks,
            memory=share,
            steps=steps,
        )
        made = make_on(executor, job)
        executor.forget()
    shutil.rmtree(folder, ignore_errors=True)
    return made


@contextlib.contextmanager
def _executor(
    workers: int, scheduler: str, memory: int | None, report: Report
) -> Iterator[tuple[Pool | DaskCluster, int, int]]:
    """Start or reach what runs tasks.

    Yields
    ------
    executor, tasks, share
        How many tasks it runs at a time, and bytes that each may take.
    """
    if not scheduler:
        limit = memory or machine_memory() // workers
        with Pool(workers, memory_environment(limit // 2), report) as pool:
            yield pool, workers, limit * 2 // 3
        return
    with _client(scheduler) as client:
        nodes = list(client.scheduler_info(n_workers=-1)["workers"].values())
        limits = [node["memory_limit"] for node in nodes if node["memory_limit"]]
        threads = [node["nthreads"] for node in nodes]
        limit = memory or min(limits, default=machine_memory())
        share = limit * 2 // 3 // max(threads, default=1)
        yield DaskCluster(client, report), max(sum(threads), 1), share


def read_on_cluster(
    path: str, subset: Subset, scheduler: str, report: Report = silent
) -> bytes:
    """Read a part of a trace by a worker: the file of `store.digest.write_digest`.

    It comes over the network, through the scheduler: the part has to fit into the
    memory of the worker and of this process.

    Parameters
    ----------
    path
        The trace, as the workers see it.
    scheduler
        Address of a Dask scheduler.

    Raises
    ------
    TopoviewError, Cancelled
        As `digest_on_cluster`.
    """
    report("starting", 0.0)
    with _sentences(path, "", scheduler), _client(scheduler) as client:
        cluster = DaskCluster(client, report)
        result: bytes = cluster.value(cluster.submit("reading", _read, path, subset))
    return result


def _read(path: str, subset: Subset) -> bytes:
    file = io.BytesIO()  # no file of the worker's, whose disk may be full
    put_digest(file, open_trace(path, subset=subset), {})
    return file.getvalue()


def _client(address: Any) -> Any:  # noqa: ANN401 - of Dask
    """Connect to a scheduler.

    Raises `TimeoutError` if it is not reached.
    """
    from distributed import Client

    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise TimeoutError from error


@contextlib.contextmanager
def _sentences(path: str, folder: str, scheduler: str) -> Iterator[None]:
    """Turn errors into sentences; without a folder nothing is kept for later.

    Raises `TopoviewError` in place of what is of Dask or of the system.
    """
    died: type[Exception] = WorkersDiedError
    gone: tuple[type[Exception], ...] = ()
    silenced: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if scheduler:
        need("cluster")
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.utils import silence_logging_cmgr

        died, gone = KilledWorker, (FutureCancelledError, CommClosedError, TimeoutError)
        silenced = silence_logging_cmgr(logging.CRITICAL)  # what is raised is told
    what, again = "read", "give the same command again"
    more, disk = f"{again} for a smaller part", "for temporary files of a worker"
    if folder:
        what, again = "condensed", f"what is done is kept in {folder}: {again}"
        more, disk = f"{again} with more of it (--memory)", f"of {folder}"
    where = f"the scheduler at {scheduler}" if scheduler else "a process"
    try:
        with silenced:
            yield
    except TopoviewError:
        raise
    except _NoWorkersError as error:
        raise TopoviewError(
            f"{path} was not {what}: {where} has had no worker for "
            f"{_ALONE_SECONDS:.0f} s; start some; {again}"
        ) from error
    except died as error:
        raise TopoviewError(
            f"{path} was not {what}: workers died {RETRIES + 1} times at the same "
            f"step, most likely for lack of memory; {more}"
        ) from error
    except gone as error:
        raise TopoviewError(
            f"{path} was not {what}: {where} is gone, or was not reached; {again} "
            "when it is there"
        ) from error
    except MemoryError as error:
        raise TopoviewError(
            f"{path} was not {what}: a worker has too little memory; {more}"
        ) from error
    except OSError as error:
        if error.errno in NO_ROOM:
            raise TopoviewError(
                f"{path} was not {what}: the disk {disk} is full; make room, {again}"
            ) from error
        raise TopoviewError(
            f"{path} was not {what}: {where} is gone, or a file is "
            f"({error.strerror or error}); {again}"
        ) from error
