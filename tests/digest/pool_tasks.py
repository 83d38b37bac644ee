"""Tasks that tests have done in processes: these import them."""

import os
import resource
import signal
import time
from pathlib import Path

import numpy as np

from topoview.errors import RefusedError


def pages_of_arrays() -> int:
    """Count the pages that the system hands out for 200 arrays of 128 pages."""
    np.ones(1 << 16)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(200):
        np.ones(1 << 16)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def added(numbers: list[int], more: int) -> int:
    """Add numbers up."""
    return sum(numbers) + more


def process() -> int:
    """Name the process, after a moment in which another one may take a task."""
    time.sleep(0.5)
    return os.getpid()


def die(file: Path, times: int) -> str:
    """End as by lack of memory, so many times: the file counts."""
    with file.open("a") as out:
        out.write("x")
    if file.stat().st_size <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return file.read_text()


def refuse() -> None:
    """Raise what a step raises."""
    raise RefusedError("too large")


class OddError(Exception):
    """An error that cannot be made again from its text."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} {other}")


def fail() -> None:
    """Raise something that does not come over."""
    raise OddError(1, 2)


def modules_path() -> list[str]:
    """Tell where modules are looked for."""
    import sys

    return sys.path
