"""Temporary folders, and stores in them, that go with the process that made them.

Whoever uses a folder holds a lock on it. A process that is killed leaves its folders;
the next one that cleans up finds that nobody holds them.
"""

import contextlib
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from topoview.base.platform import FOLDER, NO_LINK, try_lock, user_id
from topoview.errors import TopoviewError
from topoview.store.traces import NO_LIMIT, Store

SCRATCH_PREFIX: Final = "topoview-read-"
_UNLOCKED_PREFIX: Final = ".topoview-read-"
_ABANDONED_AFTER_SECONDS: Final = 3600.0


class ScratchFolder:
    """A temporary folder, of this user only, that is removed by whoever is left.

    Raises
    ------
    TopoviewError
        If there is no room for it.
    """

    def __init__(self) -> None:
        try:
            unborn = Path(tempfile.mkdtemp(prefix=_UNLOCKED_PREFIX))
        except OSError as error:
            raise TopoviewError(
                f"no temporary folder can be made ({error.strerror}): make room, or "
                "set TMPDIR to a folder that has some"
            ) from error
        self.descriptor = os.open(unborn, os.O_RDONLY)
        """Who has it open uses the folder: to be passed to child processes."""
        # Locked before it has the name that is looked for.
        with contextlib.suppress(OSError):  # a file system that cannot lock
            try_lock(self.descriptor)
        self.path = unborn.with_name(
            SCRATCH_PREFIX + unborn.name.removeprefix(_UNLOCKED_PREFIX)
        )
        """The folder."""
        unborn.rename(self.path)

    def __enter__(self) -> Self:
        """Remove it in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it."""
        self.remove()

    def remove(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.descriptor)


def temporary_store() -> Store:
    """Create a store of its own in the temporary folder.

    For what is not to be kept, or cannot be: without a cache, in a home that is
    read-only. It is removed when nothing refers to the store any more, when the process
    ends, or, if that is killed, by the next `remove_abandoned_folders`; what is mapped
    of it stays whole. Other processes come to it as ``Store(store.folder)``.

    Raises `TopoviewError` if there is no room for it.
    """
    scratch = ScratchFolder()
    store = Store(scratch.path / "traces", NO_LIMIT)
    weakref.finalize(store, _remove_own, scratch, os.getpid())
    return store


def _remove_own(scratch: ScratchFolder, owner: int) -> None:
    if os.getpid() == owner:  # not in a copy of the process
        scratch.remove()


def remove_abandoned_folders() -> list[str]:
    """Remove the temporary folders of processes that were killed; returns names."""
    names = []
    for folder in _abandoned_folders():
        shutil.rmtree(folder, ignore_errors=True)
        names.append(folder.name)
    return names


def _abandoned_folders() -> Iterator[Path]:
    """Scratch folders of this user that nobody has open."""
    with contextlib.suppress(OSError):
        folder = Path(tempfile.gettempdir())
        for path in folder.glob(f"{SCRATCH_PREFIX}*"):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == user_id() and _is_free(path):
                    yield path
        for path in folder.glob(f"{_UNLOCKED_PREFIX}*"):
            with contextlib.suppress(OSError):
                status = path.lstat()
                if status.st_uid == user_id() and _is_old(status.st_mtime):
                    yield path


def _is_free(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | NO_LINK | FOLDER)
    try:
        return try_lock(descriptor)
    finally:
        os.close(descriptor)


def _is_old(changed: float) -> bool:
    return time.time() - changed > _ABANDONED_AFTER_SECONDS
