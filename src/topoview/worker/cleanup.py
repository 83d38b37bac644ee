"""Clean up after a worker process, in the background.

To end a process that has gigabytes mapped, and to remove its files, takes longer than
somebody who cancels should wait. If this process is killed before that is done, the
next one that reads a trace removes what is left.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from topoview.store.traces import Store

SHARED_MEMORY: Final = Path("/dev/shm")
"""Where files lie in memory, if the system has it."""

SCRATCH_PREFIX: Final = "topoview-read-"
_UNLOCKED_PREFIX: Final = ".topoview-read-"
_ABANDONED_AFTER_SECONDS: Final = 3600.0

_jobs: list[threading.Thread] = []


class ScratchFolder:
    """A temporary folder that is removed in the end, by whoever is left.

    Parameters
    ----------
    where
        The folder that it lies in; None: the one for temporary files.

    Attributes
    ----------
    path
        The folder.
    descriptor
        Who has it open uses the folder: to be passed to child processes.
    """

    def __init__(self, where: Path | None = None) -> None:
        self._owner = os.getpid()
        unborn = Path(tempfile.mkdtemp(prefix=_UNLOCKED_PREFIX, dir=where))
        self.descriptor = os.open(unborn, os.O_RDONLY)
        # Locked before it has the name that is looked for.
        with contextlib.suppress(OSError):  # a file system that cannot lock
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.path = unborn.with_name(
            SCRATCH_PREFIX + unborn.name.removeprefix(_UNLOCKED_PREFIX)
        )
        unborn.rename(self.path)

    def remove(self) -> None:
        """Remove it, unless this is a copy of the process that made it."""
        if os.getpid() != self._owner:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.descriptor)


def run_now(work: Callable[[], None]) -> None:
    """Do some work here and now."""
    work()


def run_in_background(work: Callable[[], None]) -> None:
    """Do some work in a thread that this process does not end before."""
    _jobs[:] = [job for job in _jobs if job.is_alive()]
    job = threading.Thread(target=work, name="sweeping", daemon=False)
    try:
        job.start()
    except RuntimeError:  # the interpreter is about to end, or has no thread left
        work()
    else:
        _jobs.append(job)


def wait_for_cleanup(seconds: float | None = None) -> None:
    """Wait until nothing is left to do, or for some seconds."""
    for job in list(_jobs):
        job.join(seconds)


def clean_up(store: Store | None) -> None:
    """Remove what processes left that were killed."""
    if store is not None:
        store.sweep()
    for place in (Path(tempfile.gettempdir()), SHARED_MEMORY):
        for folder in _abandoned_folders(place):
            shutil.rmtree(folder, ignore_errors=True)


def _abandoned_folders(folder: Path) -> Iterator[Path]:
    """Scratch folders of this user that nobody has open."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{SCRATCH_PREFIX}*"):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == os.getuid() and _is_free(path):
                    yield path
        for path in folder.glob(f"{_UNLOCKED_PREFIX}*"):
            with contextlib.suppress(OSError):
                told = path.lstat()
                if told.st_uid == os.getuid() and _is_old(told.st_mtime):
                    yield path


def _is_free(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _is_old(changed: float) -> bool:
    return time.time() - changed > _ABANDONED_AFTER_SECONDS
