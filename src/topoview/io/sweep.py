"""What is left to do when reading has ended: behind the back of who waits for it.

Ending a process that has gigabytes mapped, and removing its files, takes longer than
anybody who gives up should wait. If this process is killed before that is done, the
next one that reads removes what is left.
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

from topoview.io.store.store import Store

PREFIX: Final = "topoview-read-"
_UNBORN: Final = ".topoview-read-"
_OLD_SECONDS: Final = 3600.0

_jobs: list[threading.Thread] = []


class Scratch:
    """A temporary folder that is removed in the end, by whoever is left.

    Attributes
    ----------
    path
        The folder.
    descriptor
        Who has it open uses the folder: to be passed to child processes.
    """

    def __init__(self) -> None:
        unborn = Path(tempfile.mkdtemp(prefix=_UNBORN))
        self.descriptor = os.open(unborn, os.O_RDONLY)
        # Locked before it has the name that is looked for.
        with contextlib.suppress(OSError):  # a file system that cannot lock
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.path = unborn.with_name(PREFIX + unborn.name.removeprefix(_UNBORN))
        unborn.rename(self.path)

    def remove(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.descriptor)


def at_once(work: Callable[[], None]) -> None:
    """Do some work here and now."""
    work()


def behind(work: Callable[[], None]) -> None:
    """Do some work in a thread that this process does not end before."""
    _jobs[:] = [job for job in _jobs if job.is_alive()]
    job = threading.Thread(target=work, name="sweeping", daemon=False)
    try:
        job.start()
    except RuntimeError:  # the interpreter is about to end, or has no thread left
        work()
    else:
        _jobs.append(job)


def wait(seconds: float | None = None) -> None:
    """Wait until nothing is left to do, or for some seconds."""
    for job in list(_jobs):
        job.join(seconds)


def sweep(store: Store | None) -> None:
    """Remove what processes left that were killed."""
    if store is not None:
        store.sweep()
    for folder in _abandoned(Path(tempfile.gettempdir())):
        shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path) -> Iterator[Path]:
    """Scratch folders of this user that nobody has open."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == os.getuid() and _is_free(path):
                    yield path
        for path in folder.glob(f"{_UNBORN}*"):
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
    return time.time() - changed > _OLD_SECONDS
