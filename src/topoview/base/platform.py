"""What differs between systems: locks, owners, signals, room on disks, processes.

topoview runs, and is tested, on Linux. What another system lacks has its branch here,
and no other module asks which system it is on: macOS has all but `boot_id`,
`posix_fallocate` and affinities, Windows neither users, groups of processes, `fork` nor
descriptors that are handed to children. No branch was run on either.
"""

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    import subprocess


def _module_or_none(name: str) -> Any:  # noqa: ANN401 - a module
    try:
        return import_module(name)
    except ImportError:
        return None


_fcntl: ModuleType | Any = _module_or_none("fcntl")
_msvcrt: ModuleType | Any = _module_or_none("msvcrt")
_resource: ModuleType | Any = _module_or_none("resource")

LINUX: Final = sys.platform.startswith("linux")
CAN_FORK: Final = hasattr(os, "fork")

NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
NO_CHILD: Final[int] = getattr(os, "O_CLOEXEC", 0)
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
FOLDER: Final[int] = getattr(os, "O_DIRECTORY", 0)
"""Flags of `os.open`: fail at a link, close in children, do not wait for a pipe, open
nothing but a folder."""

KILLED: Final[int] = getattr(signal, "SIGKILL", 9)
LOST_FILE: Final[int] = getattr(signal, "SIGBUS", 7)
CRASHES: Final = (signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT, signal.SIGILL)
"""Signals: ended by force; a mapped file was cut; what a process did itself."""

_ZEROS: Final = bytes(1 << 20)
_USUAL_MEMORY_BYTES: Final = 8 << 30
"""What a machine is taken to have that does not say."""


def try_lock(file: int) -> bool:
    """Lock a descriptor unless another one of that file is locked; tell whether.

    It is not taken from `filelock`: that locks paths, these locks are held by
    descriptors, which children inherit, and of folders.

    Raises `OSError`: the file system cannot lock.
    """
    if _fcntl is not None:
        try:
            _fcntl.flock(file, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    try:
        _msvcrt.locking(file, _msvcrt.LK_NBLCK, 1)
    except PermissionError:
        return False
    return True


def user_id() -> int:
    """Return the number of this user: 0 for all where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


def reserve_room(file: int, size: int) -> None:
    """Reserve room on the disk for a new file at once.

    Raises `OSError`: there is not enough.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    for begin in range(0, size, len(_ZEROS)):
        os.write(file, _ZEROS[: size - begin])


def boot_id() -> str:
    """Return what differs from one run of the machine to the next; empty if unknown."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def machine_memory() -> int:
    """Bytes of memory that the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):
        return _USUAL_MEMORY_BYTES


def peak_memory() -> int:
    """Bytes of memory that this process has had at most; 0 where nobody counts."""
    if _resource is None:
        return 0
    peak = int(_resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss)
    return peak << 10 if LINUX else peak


@contextlib.contextmanager
def limited_memory(more: int) -> Iterator[None]:
    """Let this process ask the system for so many bytes more; then it gets none.

    For libraries that do not count all that they take. Linux alone tells how much a
    process has. It holds for all threads, which limit it one after the other.
    """
    with _ONE_LIMIT:
        yield from _limited_memory(more)


_ONE_LIMIT: Final = threading.RLock()


def _limited_memory(more: int) -> Iterator[None]:
    if not LINUX:
        yield
        return
    before = _resource.getrlimit(_resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    room = pages * _resource.getpagesize() + more
    least = min((each for each in (room, *before) if each >= 0), default=room)
    _resource.setrlimit(_resource.RLIMIT_AS, (least, before[1]))
    try:
        yield
    finally:
        _resource.setrlimit(_resource.RLIMIT_AS, before)


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def end_signals() -> tuple[int, ...]:
    """Return the signals by which a process is asked to end, Ctrl+C left out."""
    names = ("SIGTERM", "SIGHUP")
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


def child_environment() -> dict[str, str]:
    """Return the environment in which a process finds the modules of this one."""
    result = dict(os.environ)
    package = str(Path(__file__).parents[2])
    # an empty one is the current folder, where anybody's files may lie
    absolute = filter(os.path.isabs, result.get("PYTHONPATH", "").split(os.pathsep))
    result["PYTHONPATH"] = os.pathsep.join((package, *absolute))
    return result


def apart() -> dict[str, Any]:
    """Return the arguments of `subprocess.Popen` for a group that Ctrl+C spares."""
    if hasattr(os, "killpg"):
        return {"process_group": 0}
    import subprocess

    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


_THREADED: Final = ("PySide6", "distributed", "pyarrow", "vtkmodules")
"""Packages that have threads of their own, of which a forked process has none."""

_program: list[bool] = []


def be_program() -> None:
    """Mark this process as topoview's own: none that uses it as a package."""
    _program.append(True)


def may_fork() -> bool:
    """Return whether a process that is forked here can go on: nobody else's threads."""
    return bool(
        _program
        and LINUX
        and threading.active_count() == 1
        and not any(name in sys.modules for name in _THREADED)
    )


class ForkedProcess:
    """A process forked from this one, used as a `subprocess.Popen`.

    Parameters
    ----------
    work
        What it does; it ends then.
    complaints
        Descriptor of what it has as stderr.
    pass_fds
        The only other descriptors that it has.
    """

    def __init__(
        self, work: Callable[[], object], complaints: int, pass_fds: Sequence[int]
    ) -> None:
        reader, writer = os.pipe()
        self.stdin = os.fdopen(writer, "wb")
        """Closed when this process ends, however it does."""
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _go_apart(work, reader, complaints, pass_fds)
        os.close(reader)

    def wait(self) -> int:
        """Wait until it ends; returns what `subprocess.Popen.wait` does."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def kill(self) -> None:
        """End it."""
        if self.returncode is None:
            os.kill(self.pid, KILLED)


def _go_apart(
    work: Callable[[], object], stdin: int, complaints: int, pass_fds: Sequence[int]
) -> NoReturn:
    """Run some work in a process that was forked, in a group that Ctrl+C spares."""
    try:
        gc.freeze()  # what is garbage here must not close files of its old numbers
        os.setpgid(0, 0)
        os.dup2(stdin, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(complaints, 2)
        for file in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
            if file > 2 and file not in pass_fds:
                with contextlib.suppress(OSError):  # that of the list itself
                    os.close(file)
        sys.unraisablehook = sys.__unraisablehook__
        for number in end_signals():
            signal.signal(number, signal.SIG_DFL)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        work()
    except BaseException:  # noqa: BLE001 - as Python itself does
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(1)


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process that was started `apart`, and all that it has forked."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, KILLED)


def end_when_closed(pipe: int) -> None:
    """Let a signal end this group when the other end of a pipe is closed.

    It does even while compiled code runs. Where the system sends none, a thread has to
    wait.
    """
    if _fcntl is None or not hasattr(os, "O_ASYNC"):
        return
    with contextlib.suppress(OSError):
        _fcntl.fcntl(pipe, _fcntl.F_SETOWN, -os.getpgrp())
        flags = _fcntl.fcntl(pipe, _fcntl.F_GETFL)
        _fcntl.fcntl(pipe, _fcntl.F_SETFL, flags | os.O_ASYNC)
