"""Forks the workers that tests start, from a process that has imported all they need.

To start Python and import it all takes half a second of processor time, hundreds of
times. Descriptors, environment, folder, limits, group and end of a worker are those of
one that is started; the fixture `started_workers` is for tests of just these.

Run as ``python -P forked_workers.py DESCRIPTOR``, with one end of a pair of sockets:
that is the process which the others are forked from.
"""

import array
import contextlib
import gc
import importlib
import json
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Final, NoReturn

MODULES: Final = ("topoview.worker.main", "topoview.worker.pool")
"""What is forked; `main` of each is called."""

ROOMS: Final = ("analysis", "io", "logical", "pipeline", "store", "topology")
"""Rooms of the package that workers use."""

_COMMAND: Final = [sys.executable, "-P", "-m"]
_MOST_BYTES: Final = 1 << 17
"""Bytes of a request: the environment, mostly."""
_MOST_DESCRIPTORS: Final = 64
_LIMITS: Final = sorted(
    {getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}
)


class ForkedProcess:
    """Stands for a process as `subprocess.Popen` does for one that it started."""

    def __init__(self, status: socket.socket, stdin: IO[bytes]) -> None:
        self._status = status
        self.stdin = stdin
        self.stdout = self.stderr = None
        self.returncode: int | None = None
        self.pid = int(status.recv(32))

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends; returns what `subprocess.Popen.wait` does."""
        if self.returncode is None:
            self._status.settimeout(timeout)
            try:
                code = self._status.recv(32)
            except TimeoutError as error:
                raise subprocess.TimeoutExpired(_COMMAND, timeout or 0) from error
            self.returncode = int(code)
            self._status.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return what it ended with; None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired, BlockingIOError):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal while it runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> None:
        """Wait until it ends; it writes nothing here."""
        self.stdin.close()
        self.wait()


class _Server:
    """The process that others are forked from, begun when it is needed."""

    def __init__(self) -> None:
        from topoview.base.platform import child_environment

        self._control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        # libraries shall have no threads, which would not be forked
        environment = {**child_environment(), "OPENBLAS_NUM_THREADS": "1"}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
                process_group=0,
            )
        self._control.recv(1)

    def fork(
        self,
        command: Sequence[str],
        *,
        stdin: int,
        stdout: int,
        stderr: int | IO[bytes],
        pass_fds: Sequence[int],
        env: dict[str, str],
        process_group: int,
    ) -> ForkedProcess:
        """Fork a process that does what a command says."""
        assert (stdin, stdout) == (subprocess.PIPE, subprocess.DEVNULL)
        assert process_group == 0
        ours, status = socket.socketpair(type=socket.SOCK_SEQPACKET)
        reader, writer = os.pipe()
        nothing = os.open(os.devnull, os.O_WRONLY)
        complaints = nothing if isinstance(stderr, int) else stderr.fileno()
        request = {
            "module": command[3],
            "arguments": command[4:],
            "environment": env,
            "folder": os.getcwd(),  # noqa: PTH109 - as it is, links and all
            "limits": [resource.getrlimit(limit) for limit in _LIMITS],
            "descriptors": [0, 1, 2, *pass_fds],
        }
        sent = [status.fileno(), reader, nothing, complaints, *pass_fds]
        socket.send_fds(self._control, [json.dumps(request).encode()], sent)
        status.close()
        os.close(reader)
        os.close(nothing)
        return ForkedProcess(ours, os.fdopen(writer, "wb"))

    def end(self) -> None:
        """End it; what was forked goes on for as long as its parent lives."""
        self._control.close()
        self._process.wait()


_servers: list[_Server] = []


def _start(command: Sequence[str], **options: Any) -> Any:  # noqa: ANN401 - of Popen
    """Fork what can be forked, and start everything else."""
    if [*command[:3]] != _COMMAND or command[3] not in MODULES:
        return subprocess.Popen(command, **options)
    if not _servers:
        _servers.append(_Server())
    return _servers[0].fork(command, **options)


FORKING: Final = SimpleNamespace(
    Popen=_start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL
)
"""In place of `subprocess`, in the modules that start workers."""


def end() -> None:
    """End what was begun to fork workers."""
    while _servers:
        _servers.pop().end()


def _import_rooms() -> None:
    """Import what workers import when they need it."""
    package = importlib.import_module("topoview")
    top = Path(package.__path__[0])
    for path in chain.from_iterable((top / room).rglob("*.py") for room in ROOMS):
        name = path.relative_to(top.parent).with_suffix("").parts
        importlib.import_module(".".join(name).removesuffix(".__init__"))
    for module in MODULES:
        importlib.import_module(module)
    importlib.import_module("topoview.store.keys").code_version()  # reads all sources


def _serve(control: socket.socket) -> None:
    """Fork processes, and tell how they end, until nobody asks any more."""
    ended, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as workers have it
    running: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as events:
        events.register(control, selectors.EVENT_READ)
        events.register(ended, selectors.EVENT_READ)
        while True:
            asked = [key.fileobj for key, _ in events.select()]
            if ended in asked:
                os.read(ended, 4096)
                for pid, code in iter(_next_ended, None):
                    with running.pop(pid) as status, contextlib.suppress(OSError):
                        status.send(str(code).encode())
            if control in asked:
                request, sent, *_ = socket.recv_fds(
                    control, _MOST_BYTES, _MOST_DESCRIPTORS
                )
                if not request:
                    return
                if not (pid := os.fork()):
                    _become(json.loads(request), sent[1:])
                running[pid] = socket.socket(fileno=sent[0])
                running[pid].send(str(pid).encode())
                for descriptor in sent[1:]:
                    os.close(descriptor)


def _next_ended() -> tuple[int, int] | None:
    """Give number and end of a process that has ended, if there is one."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None


def _become(request: dict[str, Any], sent: list[int]) -> NoReturn:
    """Do in a process that was forked what one would do that was started."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        _take_descriptors(sent, request["descriptors"])
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        for limit, values in zip(_LIMITS, request["limits"], strict=True):
            if resource.getrlimit(limit) != tuple(values):
                resource.setrlimit(limit, values)
        sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
        sys.argv[1:] = request["arguments"]
        importlib.import_module(request["module"]).main()
        status = 0
    except BaseException:  # noqa: BLE001 - as Python itself does
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _take_descriptors(sent: list[int], numbers: list[int]) -> None:
    """Give descriptors the numbers that the command names, and close all others."""
    above = max(*numbers, *sent) + 1
    moved = array.array("i", [above + place for place in range(len(sent))])
    for descriptor, place in zip(sent, moved, strict=True):
        os.dup2(descriptor, place)
    os.closerange(0, above)
    for place, number in zip(moved, numbers, strict=True):
        os.dup2(place, number)
    os.closerange(above, above + len(sent))


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        _import_rooms()
        gc.collect()
        gc.freeze()  # else a search for garbage copies every page in each process
        channel.send(b".")
        _serve(channel)
