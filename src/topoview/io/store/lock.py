"""Locks between processes that end with the process that holds them."""

import fcntl
import os
from pathlib import Path
from typing import Self


class FileLock:
    """An exclusive lock on a file that is there only while somebody holds it.

    Raises
    ------
    OSError
        If the file cannot be made, or its file system cannot lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def take(self) -> bool:
        """Take the lock unless another process, or object, holds it."""
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            file = os.open(self._path, flags, 0o666)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return False
            except BaseException:
                os.close(file)
                raise
            # Whoever held it may have removed the file since it was opened here.
            if self._is_there(file):
                self._file = file
                return True
            os.close(file)

    def _is_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except FileNotFoundError:
            return False

    def free(self) -> None:
        """Give it back, if it was taken."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        """Give the lock back at the end, whether it was taken or not."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        self.free()
