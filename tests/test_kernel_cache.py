"""Compiled code is kept by all the sources that it was made of."""

import subprocess
import sys
from pathlib import Path

import pytest

INNER = """import numba
@numba.njit(cache=True)
def inner():
    return {value}
"""
OUTER = """import numba
from topoview.inner import inner
from topoview.constants import (
    MOST,
)
from topoview.words import said
@numba.njit(cache=True)
def outer():
    return inner() + MOST
"""


def _package(root: Path, value: int = 1, most: int = 10, words: str = "") -> Path:
    root.mkdir()
    (root / "inner.py").write_text(INNER.format(value=value))
    (root / "outer.py").write_text(OUTER)
    (root / "constants.py").write_text(f"MOST = {most}\n")
    (root / "words.py").write_text(f"said = '{words}'\n")
    return root


def _digest(root: Path) -> str:
    return sources_digest(root / "outer.py", root)


def test_what_kernels_take_from_other_files_counts(tmp_path: Path) -> None:
    first = _digest(_package(tmp_path / "a"))
    assert _digest(_package(tmp_path / "b")) == first
    assert _digest(_package(tmp_path / "c", value=2)) != first
    assert _digest(_package(tmp_path / "d", most=11)) != first
    assert _digest(_package(tmp_path / "e", words="hello")) == first


def test_kernels_of_the_package_are_kept_so() -> None:
    from topoview.grouping import _counting_sort

    locator = _counting_sort._cache._impl.locator
    assert isinstance(locator, Locator)
    path = HERE / "grouping.py"
    assert locator.get_source_stamp() == sources_digest(path)


@pytest.mark.slow
def test_a_changed_callee_is_compiled_again(tmp_path: Path) -> None:
    """Run a package of its own twice, the callee changed between."""
    source = (HERE / "kernel_cache.py").read_text()
    script = (
        "import numba, topoview.kernel_cache as k; k.keep_by_sources();"
        "from topoview.outer import outer;"
        "print(outer(), sum(outer.stats.cache_hits.values()))"
    )
    said = []
    root = tmp_path / "topoview"
    _package(root)
    (root / "__init__.py").write_text("")
    (root / "kernel_cache.py").write_text(source)
    for value in (1, 1, 5):
        (root / "inner.py").write_text(INNER.format(value=value))
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout.split())
    assert said == [["11", "0"], ["11", "1"], ["15", "0"]]


LOADED = """
import sys
import numba
import numpy as np
from topoview.logical.numbering import firsts

print(firsts(np.array([0, 1, 0, 2, 1]), 3), "numba.cpython.unicode" in sys.modules)

@numba.njit
def words(text, values):
    if len(values) > 2:
        raise ValueError("too many")
    return text.upper(), np.sort(values), np.array_equal(values, values)

print(*words("abc", np.array([4.0, 3.0])))
try:
    words("abc", np.zeros(3))
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_what_is_kept_is_loaded_without_the_tables_of_the_compiler() -> None:
    """They are filled when something is compiled in the same process."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
        )
    first, *others = done.stdout.splitlines()
    assert first == "[0 1 3] False"
    assert others == ["ABC [3. 4.] True", "too many"]
