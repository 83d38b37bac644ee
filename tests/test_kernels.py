"""Kernels: what they share is right, and nothing stale is run."""

import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_builds import CHOICE

from topoview import build
from topoview.base import ordering

numbers = st.lists(st.integers(-5, 5) | st.integers(-(1 << 62), 1 << 62))


@given(numbers, st.integers(-6, 6))
def test_places_in_order_are_those_of_numpy(values: list[int], value: int) -> None:
    array = np.sort(np.array(values, np.int64))
    assert ordering.search_left(array, value) == np.searchsorted(array, value)
    right = np.searchsorted(array, value, side="right")
    assert ordering.search_right(array, value) == right


@given(numbers, st.integers(0, 20))
def test_the_first_numbers_are_sorted(values: list[int], stop: int) -> None:
    array, stop = np.array(values, np.int64), min(stop, len(values))
    ordering.sort_ints(array, stop)
    assert array.tolist() == sorted(values[:stop]) + values[stop:]


@given(st.lists(st.integers(0, 3)), st.integers(0, 5), st.integers(0, 20))
def test_a_part_is_sorted_by_keys_stably(
    keys: list[int], first: int, last: int
) -> None:
    first, last = min(first, len(keys)), min(last, len(keys))
    order, key = np.arange(len(keys)), np.array(keys, np.int64)
    ordering.sort_by_key(order, first, max(first, last), key, np.zeros(len(keys), int))
    within = sorted(range(first, max(first, last)), key=lambda k: keys[k])
    rest = range(max(first, last), len(keys))
    assert order.tolist() == [*range(first), *within, *rest]


@pytest.mark.skipif(CHOICE != "compiled", reason="other kernels are asked for")
def test_all_kernels_are_compiled() -> None:
    for path in build.kernels():
        place = path.relative_to(build.PACKAGE.parent).with_suffix("")
        module = import_module(".".join(place.parts))
        assert re.search(r"\.(so|pyd)$", str(module.__file__)), path


SOURCE = """
import cython

if not cython.compiled:
    from topoview.base.kinds import Int, Ints


def count(values: Ints) -> Int:
    number: Int = 0
    k: Int
    with cython.nogil:
        for k in range(len(values)):
            number += values[k]
    return number
"""


def make_package(package: Path, patch: pytest.MonkeyPatch) -> None:
    """Make a source checkout with one kernel."""
    base = package / "base"
    base.mkdir(parents=True)
    (package / "__init__.py").touch()
    (base / "__init__.py").touch()
    kinds = build.PACKAGE / "base" / "kinds.pxd"
    (base / "kinds.pxd").write_text(kinds.read_text())
    (base / "counting.pxd").write_text("from topoview.base.kinds cimport *\n")
    (base / "counting.py").write_text(SOURCE)
    use(package, patch)


def use(package: Path, patch: pytest.MonkeyPatch) -> None:
    """Build that package from now on."""
    patch.setattr(build, "PACKAGE", package)
    fast = [*build._KERNEL_OPTIONS, "-O0"]  # what is compiled here is not run
    patch.setattr(build, "_KERNEL_OPTIONS", fast)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a source checkout with one kernel."""
    package = tmp_path / "src" / "topoview"
    make_package(package, monkeypatch)
    return package


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a source checkout in which all is compiled."""
    top = tmp_path_factory.mktemp("checkout")
    with pytest.MonkeyPatch.context() as patch:
        make_package(top / "src" / "topoview", patch)
        assert len(build.build_kernels(build.PACKAGE)) == 2
    return top


@pytest.fixture
def compiled(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a source checkout in which all is compiled already."""
    shutil.copytree(checkout, tmp_path, dirs_exist_ok=True)
    package = tmp_path / "src" / "topoview"
    use(package, monkeypatch)
    return package


def test_what_changed_is_compiled_again_and_nothing_else(compiled: Path) -> None:
    package = compiled
    made = [package / "_memoryviews", package / "base" / "counting"]
    times = [build._compiled(path.with_suffix(".py")).stat().st_ino for path in made]
    assert [path.stat().st_ino for path in build.build_kernels(package)] == times
    source = package / "base" / "counting.py"
    source.write_text(SOURCE.replace("+=", "-="))
    assert build._is_stale()
    again = [path.stat().st_ino for path in build.build_kernels(package)]
    assert again[0] == times[0]
    assert again[1] != times[1]
    assert not build._is_stale()


def test_a_mistake_is_told_with_its_line(compiled: Path) -> None:
    package = compiled
    source = package / "base" / "counting.py"
    source.write_text(SOURCE.replace("number += values[k]", "number.append(k)"))
    with pytest.raises(build.BuildError, match=r"counting\.py:13:"):
        build.build_kernels(package)
    with pytest.raises(ImportError, match=r"counting\.py"):
        build.compile_stale()


def test_without_a_compiler_it_is_said_what_to_install(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(build.BuildError, match="apt install gcc"):
        build.build_kernels(package)


def test_without_headers_it_is_said_what_to_install(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    with pytest.raises(build.BuildError, match=r"apt install libpython3\.\d+-dev"):
        build.build_kernels(package)


def test_what_is_installed_needs_nothing_that_compiles(tmp_path: Path) -> None:
    """Wheels have no `build`: only a source checkout looks at what is stale."""
    installed = tmp_path / "site" / "packages" / "topoview"
    installed.mkdir(parents=True)
    for name in ("__init__.py", "version.py", "base/__init__.py", "base/lazy.py"):
        (installed / name).parent.mkdir(exist_ok=True)
        shutil.copy(build.PACKAGE / name, installed / name)
    subprocess.run(
        [sys.executable, "-P", "-c", "import topoview; print(topoview.__file__)"],
        env={"PYTHONPATH": str(installed.parent)},
        check=True,
    )
