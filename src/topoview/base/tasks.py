"""Tasks that build on each other, and what runs them.

A graph of tasks is written once, against an `Executor`: `Here` runs each at once, in
this process; `topoview.worker` has one of processes of this machine and one of Dask.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from topoview.base.memory import granted_memory
from topoview.base.progress import Report, silent


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


class Graph:
    """Tasks on an executor.

    Parameters
    ----------
    memory
        Bytes that each task may take; None: what the process may take.
    """

    def __init__(self, executor: Executor, memory: int | None = None) -> None:
        self._executor, self._memory = executor, memory

    def submit(
        self,
        stage: str,
        task: Callable[..., Any],
        *given: object,
        after: Sequence[object] = (),
    ) -> Any:  # noqa: ANN401 - a future
        """Begin a task when all is there that it is given, and after others."""
        return self._executor.submit(
            stage, run_task, self._memory, list(after), task, *given
        )

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives."""
        return self._executor.value(future)


def run_task(
    memory: int | None, _after: object, task: Callable[..., Any], *given: object
) -> Any:  # noqa: ANN401 - what it gives
    """Run a task within its memory; what it comes after was only waited for."""
    bounds = contextlib.nullcontext() if memory is None else granted_memory(memory)
    with bounds:
        return task(*given)


def tell_progress(report: Report, tasks: Iterable[tuple[str, bool]]) -> None:
    """Report the first stage that is not done, and which share of it is.

    Parameters
    ----------
    tasks
        Stage of each, and whether it is done. A stage of several things names that
        behind a colon.
    """
    noted = list(tasks)
    waiting = next((stage for stage, is_done in noted if not is_done), None)
    if waiting is not None:
        stage = waiting.partition(":")[0]
        same = [done for name, done in noted if name.partition(":")[0] == stage]
        report(waiting, sum(same) / len(same))
