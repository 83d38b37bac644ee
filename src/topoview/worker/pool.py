"""Tasks in processes of this machine that nobody else can reach.

Each process holds one end of a pair of sockets without a name, and reads there what it
has to do: nothing listens, and who is no parent or child of these processes cannot ask
them anything. What a task gives stays here as it was pickled, and goes once to each
process that needs it.

Run as ``python -P -m topoview.worker.pool DESCRIPTOR ...``, with one end of a pair for
each process: all are forked from the first, when that has imported what they need. They
end with their standard input, which the parent holds.
"""

import heapq
import os
import pickle
import socket
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from multiprocessing.connection import Connection, wait
from typing import Any, Final, NamedTuple, Self

from topoview.base import platform
from topoview.base.platform import child_environment
from topoview.base.progress import Report
from topoview.base.tasks import kind_of_stage
from topoview.errors import TopoviewError
from topoview.worker.process import end_with_parent

RETRIES: Final = 3
"""How often a task is begun again whose process has died."""

_LOOK_SECONDS: Final = 0.05
_ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
"""Threads of libraries would have to end before a process is forked."""

_DONE: Final = b"1"
_FAILED: Final = b"0"


class WorkersDiedError(Exception):
    """Processes died at the same task, again and again."""


class Future(NamedTuple):
    """What a task will give."""

    number: int


@dataclass(slots=True, eq=False)
class _Task:
    """A task; what it waits for is counted down."""

    stage: str
    call: bytes
    needs: frozenset[int]
    waits_for: int
    followers: list[int] = field(default_factory=list)
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, by its end of the pair: what it does, and what it was given."""

    channel: Connection
    task: int = -1
    has: set[int] = field(default_factory=set)


class Pool:
    """Processes that do tasks as `topoview.base.tasks.Executor` says.

    Tasks are handed out while somebody waits for a value, in the order in which they
    were submitted. One whose process died is begun again in another.

    Parameters
    ----------
    processes
        How many.
    environment
        Variables that they are started with, beside those of this process.
    """

    def __init__(
        self, processes: int, environment: Mapping[str, str], report: Report
    ) -> None:
        self._report, self._first = report, 0
        self._many, self._done = Counter[str](), Counter[str]()
        self._environment = {**child_environment(), **_ONE_THREAD, **environment}
        self._tasks: list[_Task] = []
        self._given: dict[int, bytes] = {}
        self._failure = b""
        self._ready: list[int] = []
        self._workers: list[_Worker] = []
        self._groups: list[subprocess.Popen[bytes]] = []
        self._start(processes)

    def __enter__(self) -> Self:
        """End all processes in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        for group in self._groups:
            platform.kill_group(group)
            group.communicate()
        for worker in self._workers:
            worker.channel.close()

    def _start(self, processes: int) -> None:
        """Start processes: a group of their own, which Ctrl+C does not reach."""
        pairs = [socket.socketpair() for _ in range(processes)]
        ends = [theirs.fileno() for _, theirs in pairs]
        # -P: no module is taken from the current folder
        command = [sys.executable, "-P", "-m", "topoview.worker.pool"]
        try:
            for some in [ends] if platform.CAN_FORK else [[end] for end in ends]:
                group = subprocess.Popen(
                    [*command, *map(str, some)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,  # what is raised comes by the pair
                    pass_fds=some,
                    env=self._environment,
                    **platform.apart(),
                )
                self._groups.append(group)
        except OSError as error:
            raise TopoviewError(
                f"no process can be started ({error.strerror}); close other programs"
            ) from error
        finally:
            for _, theirs in pairs:
                theirs.close()
        self._workers += [_Worker(Connection(ours.detach())) for ours, _ in pairs]

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Future:
        """Note a task; it is begun when all is there that it is given."""
        number = len(self._tasks)
        lists = [one if isinstance(one, list) else [one] for one in given]
        every = chain.from_iterable(lists)
        needs = frozenset(one.number for one in every if isinstance(one, Future))
        open_needs = needs - self._given.keys()
        new = _Task(stage, pickle.dumps((task, given)), needs, len(open_needs))
        self._tasks.append(new)
        self._many[kind_of_stage(stage)] += 1
        for need in open_needs:
            self._tasks[need].followers.append(number)
        if not open_needs:
            heapq.heappush(self._ready, number)
        return Future(number)

    def value(self, future: Future) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives; see `Executor`.

        Raises what any task raised, then and whatever is waited for afterwards.

        Raises
        ------
        WorkersDiedError
            If several processes died at a task.
        """
        while future.number not in self._given:
            if self._failure:
                raise pickle.loads(self._failure)
            self._hand_out()
            self._tell()
            busy = [worker.channel for worker in self._workers if worker.task >= 0]
            for channel in wait(busy, _LOOK_SECONDS):
                self._hear(next(w for w in self._workers if w.channel is channel))
        self._tell()
        return pickle.loads(self._given[future.number])

    def forget(self) -> None:
        """Let go of the files that are mapped: the processes end."""
        self.__exit__()
        self._groups.clear()
        self._workers.clear()

    def _tell(self) -> None:
        """Report the first stage that is not done, after each task: so it counts."""
        while self._first < len(self._tasks) and self._first in self._given:
            self._first += 1
        if self._first < len(self._tasks):
            stage = self._tasks[self._first].stage
            self._report(
                stage,
                self._done[kind_of_stage(stage)] / self._many[kind_of_stage(stage)],
            )

    def _hand_out(self) -> None:
        """Assign tasks that can begin to idle processes."""
        for worker in self._workers:
            if worker.task < 0 and self._ready:
                worker.task = heapq.heappop(self._ready)
                task = self._tasks[worker.task]
                lacks = task.needs - worker.has
                worker.has |= lacks
                values = {number: self._given[number] for number in lacks}
                try:
                    request = pickle.dumps((worker.task, values, task.call))
                    worker.channel.send_bytes(request)
                except OSError:  # it has died, which is heard, too
                    continue

    def _hear(self, worker: _Worker) -> None:
        """Store what a task returned, or replace its process."""
        number = worker.task
        task = self._tasks[number]
        try:
            answer = worker.channel.recv_bytes()
        except (EOFError, OSError):
            self._replace(worker)
            return
        if answer[:1] == _FAILED:
            self._failure = answer[1:]
            return
        worker.task = -1
        worker.has.add(number)  # it keeps what it gave
        self._given[number] = answer[1:]
        self._done[kind_of_stage(task.stage)] += 1
        for follower in task.followers:
            self._tasks[follower].waits_for -= 1
            if not self._tasks[follower].waits_for:
                heapq.heappush(self._ready, follower)

    def _replace(self, worker: _Worker) -> None:
        task = self._tasks[worker.task]
        task.deaths += 1
        if task.deaths > RETRIES:
            raise WorkersDiedError
        heapq.heappush(self._ready, worker.task)
        worker.channel.close()
        self._workers.remove(worker)
        self._start(1)


def _serve(channel: Connection) -> None:
    """Run tasks until nobody asks any more."""
    values: dict[int, Any] = {}

    def resolved(given: object) -> object:
        if isinstance(given, list):
            return [resolved(one) for one in given]
        return values[given.number] if isinstance(given, Future) else given

    while True:
        number, further, call = pickle.loads(channel.recv_bytes())
        try:
            values.update({n: pickle.loads(value) for n, value in further.items()})
            task, given = pickle.loads(call)
            values[number] = task(*map(resolved, given))
            answer = _DONE + pickle.dumps(values[number])
        except Exception as error:  # noqa: BLE001 - raised by the parent
            answer = _FAILED + _pickled(error)
        channel.send_bytes(answer)


def _pickled(error: Exception) -> bytes:
    """Pickle an error with the lines that led to it; as a text where it does not."""
    lines = "".join(traceback.format_exception(error))
    try:
        error.add_note(lines)
        pickle.loads(made := pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever its class does
        return pickle.dumps(RuntimeError(lines))
    return made


def main() -> None:
    """Run what a parent asks, in as many processes as it holds ends for."""
    mine, *others = map(int, sys.argv[1:])
    import_module("topoview.pipeline.logical_steps")  # once for all that are forked
    while others:
        one = others.pop()
        if not os.fork():
            os.close(mine)
            mine = one
            break
        os.close(one)
    for end in others:  # else nobody would notice that their processes die
        os.close(end)
    end_with_parent(sys.stdin.fileno())
    try:
        _serve(Connection(mine))
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    # as the parent calls this module: what it sends is unpickled by that name
    from topoview.worker.pool import main as serve

    serve()
