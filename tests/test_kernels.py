"""Compiled code is kept until something changes that it was made of."""

import subprocess
import sys
from pathlib import Path

import pytest

import topoview
from topoview.base import kernels

INNER = """from topoview.base.kernels import kernel
@kernel
def inner():
    return {value}
"""
OUTER = """from topoview.base.kernels import kernel
from example.inner import inner
from example.constants import MOST, words
@kernel
def outer():
    return inner() + MOST
"""
SCRIPT = """import os, shutil
before = dict(os.environ)
{before}
from example.outer import outer
print(outer(), sum(outer.stats.cache_hits.values()), os.environ == before)
"""


class Example:
    """A package of two kernels, one of which calls the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "example"
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        (self.folder / "outer.py").write_text(OUTER)
        self.change()

    def change(self, value: int = 1, most: int = 10) -> None:
        (self.folder / "inner.py").write_text(INNER.format(value=value))
        text = f"MOST = {most}\ndef words(): pass\n"
        (self.folder / "constants.py").write_text(text)

    def run(self, before: str = "", **environment: str) -> tuple[int, bool]:
        """Return what the outer kernel says, and whether it was kept."""
        paths = f"{Path(topoview.__file__).parents[1]}:{self.folder.parent}"
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(before=before)],
            env={"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"} | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found, hits, same = done.stdout.split()
        assert same == "True", "no variable is set for who is started from here"
        return int(found), hits == "1"


@pytest.fixture
def example(tmp_path: Path) -> Example:
    return Example(tmp_path)


def test_a_kernel_is_kept_until_what_it_is_made_of_changes(example: Example) -> None:
    assert example.run() == (11, False)
    assert example.run() == (11, True)
    example.change(value=5)
    assert example.run() == (15, False)
    example.change(value=5, most=20)
    assert example.run() == (25, False)
    kept = [path.name for path in (example.folder / "__pycache__").glob("example.*")]
    assert sorted(name.partition("-")[0] for name in kept) == [
        "example.inner",
        "example.outer",
    ]


def test_where_nothing_may_be_written_kernels_are_kept_with_the_user(
    example: Example, tmp_path: Path
) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    # A file is in the place: root may write everywhere.
    (example.folder / "__pycache__").write_text("")
    assert example.run(**cache) == (11, False)
    assert example.run(**cache) == (11, True)
    assert list((tmp_path / "cache" / "topoview" / "kernels").iterdir())


def test_without_any_place_they_are_compiled_each_time(
    example: Example, tmp_path: Path
) -> None:
    for name in (".cache", "example/__pycache__", "nowhere"):
        (tmp_path / name).write_text("")
    nowhere = {"HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "nowhere/x")}
    for _ in range(2):
        assert example.run(**nowhere) == (11, False)


FULL = "shutil.disk_usage = lambda _: shutil._ntuple_diskusage(1 << 40, 1 << 40, {})"


def test_on_a_full_disk_nothing_more_is_kept(example: Example) -> None:
    full = FULL.format(kernels._KERNELS_BYTES - 1)
    for _ in range(2):
        assert example.run(full) == (11, False)
    assert example.run(FULL.format(kernels._KERNELS_BYTES)) == (11, False)
    assert example.run(full) == (11, True)  # what was kept before is used
