"""Tasks that build on each other, and what runs them.

A graph of tasks is written once, against an `Executor`: `Here` runs each at once,
`Threads` side by side in threads of this process; `topoview.worker` has one of
processes of this machine and one of Dask.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self

from topoview.base.memory import granted_memory
from topoview.base.progress import Cancelled, Report, silent
from topoview.base.scratch import scratch_folder


class Executor(Protocol):
    """Runs tasks somewhere: here, in processes of this machine, or on a cluster."""

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - a future
        """Begin a task; what is given may be what others will give, also in lists."""
        ...

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives."""
        ...


class Here:
    """Runs each task at once, in this process."""

    def __init__(self, report: Report = silent) -> None:
        self._report = report

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - what it gives
        """Run a task."""
        self._report(stage, 0.0)
        return task(*given)

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Return what a task gave."""
        return future


@dataclass(slots=True, eq=False)
class _Task:
    """A task of `Threads`, and what it gave."""

    run: Callable[..., Any]
    given: tuple[object, ...]
    is_running: bool = False
    is_done: bool = False
    value: Any = None
    thread: int = 0
    """Identifies the thread that runs it."""

    needs: "list[_Task]" = field(init=False)
    """The tasks whose values it is given."""

    def __post_init__(self) -> None:
        self.needs = list(_tasks_among(self.given))


def _tasks_among(given: Iterable[object]) -> Iterator[_Task]:
    for item in given:
        if isinstance(item, list):
            yield from _tasks_among(item)
        elif isinstance(item, _Task):
            yield item


def _values(item: object) -> object:
    """Return what a task is given, with values in place of other tasks."""
    if isinstance(item, list):
        return [_values(inner) for inner in item]
    return item.value if isinstance(item, _Task) else item


class Threads:
    """Runs tasks in threads of this process, the first that can begin before others.

    So compiled code that needs no lock of Python runs on several cores; what needs it
    takes turns. All threads have ended when the executor is left.

    Parameters
    ----------
    count
        How many threads.
    """

    def __init__(self, count: int, report: Report = silent) -> None:
        self._report = report
        self._tasks: list[_Task] = []
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._is_left = False
        self._threads = [
            threading.Thread(target=self._work, name="tasks", daemon=True)
            for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        """Wait for the threads in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Begin no more tasks, end those that report, and wait for the threads."""
        with self._changed:
            self._is_left = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - a future
        """Begin a task when all is there that it is given; it reports by itself."""
        del stage
        new = _Task(partial(copy_context().run, task), given)
        with self._changed:
            self._tasks.append(new)
            self._changed.notify_all()
        return new

    def value(self, future: _Task) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives; raises what any task raised."""
        with self._changed:
            self._changed.wait_for(lambda: future.is_done or self._failure)
            if self._failure is not None:
                raise self._failure
        return future.value

    def report(self, stage: str, fraction: float) -> None:
        """Report progress of a task: only of the first that is not done.

        Raises `Cancelled` where another task failed, or what the report raises.
        """
        with self._changed:
            if self._is_left or self._failure is not None:
                raise Cancelled
            first = next((task for task in self._tasks if not task.is_done), None)
            if first is not None and first.thread == threading.get_ident():
                self._report(stage, fraction)

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                value = task.run(*map(_values, task.given))
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                with self._changed:
                    self._failure = self._failure or error
                    self._changed.notify_all()
                return
            with self._changed:
                task.value, task.is_done = value, True
                self._changed.notify_all()

    def _next(self) -> _Task | None:
        """Wait for a task that can begin; None: there will be none."""
        with self._changed:
            while not self._is_left and self._failure is None:
                for task in self._tasks:
                    if not task.is_running and all(one.is_done for one in task.needs):
                        task.is_running, task.thread = True, threading.get_ident()
                        return task
                self._changed.wait()
        return None


class Graph:
    """Tasks on an executor.

    Parameters
    ----------
    memory
        Bytes that each task may take; None: what the process may take.
    folder
        Where arrays lie for which that is too little.
    """

    def __init__(
        self, executor: Executor, memory: int | None = None, folder: str = ""
    ) -> None:
        self._executor, self._bounds = executor, (memory, folder)

    def submit(
        self,
        stage: str,
        task: Callable[..., Any],
        *given: object,
        after: Sequence[object] = (),
    ) -> Any:  # noqa: ANN401 - a future
        """Begin a task when all is there that it is given, and after others."""
        return self._executor.submit(
            stage, run_task, self._bounds, list(after), task, *given
        )

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives."""
        return self._executor.value(future)


def run_task(
    bounds: tuple[int | None, str],
    _after: object,
    task: Callable[..., Any],
    *given: object,
) -> Any:  # noqa: ANN401 - what it gives
    """Run a task within its memory; what it comes after was only waited for."""
    memory, folder = bounds
    if memory is None:
        return task(*given)
    with granted_memory(memory), scratch_folder(Path(folder)):
        return task(*given)


def tell_progress(report: Report, tasks: Iterable[tuple[str, bool]]) -> None:
    """Report the first stage that is not done, and which share of it is.

    Parameters
    ----------
    tasks
        Stage of each, and whether it is done.
    """
    noted = list(tasks)
    waiting = next((stage for stage, is_done in noted if not is_done), None)
    if waiting is not None:
        kind = kind_of_stage(waiting)
        same = [done for name, done in noted if kind_of_stage(name) == kind]
        report(waiting, sum(same) / len(same))


def kind_of_stage(stage: str) -> str:
    """Return the kind of a stage: behind a colon it names one of several things."""
    return stage.partition(":")[0]
