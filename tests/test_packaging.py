"""What topoview is installed with, and what is said of what is not there."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path
from typing import Final

import pytest
from packaging.specifiers import SpecifierSet

from topoview.__main__ import main
from topoview.base.extras import EXTRAS, Extra
from topoview.base.resources import demo_trace
from topoview.cli import doctor

ROOT: Final = Path(__file__).parents[1]


def without(extra: str, *commands: tuple[str, ...]) -> list[str]:
    """Run commands where an extra's modules are not found: status and complaints."""
    program = (
        "import sys; from topoview.__main__ import main\n"
        f"sys.modules.update(dict.fromkeys({EXTRAS[extra].modules}))\n"
        f"print([main(command) for command in {[list(one) for one in commands]}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return [done.stdout.splitlines()[-1], *done.stderr.splitlines()]


def test_what_draws_says_what_to_install_in_one_sentence(tmp_path: Path) -> None:
    trace = str(demo_trace())
    status, *told = without(
        "window",
        (trace,),
        ("render", trace, "-o", str(tmp_path / "a.png")),
        ("report", trace, "-o", str(tmp_path / "a.html")),
        ("--install-desktop",),
    )
    assert status == "[1, 1, 1, 1]"
    assert len(told) == 4
    assert all('pip install "topoview[window]"' in line for line in told)


def test_a_word_that_is_no_command_is_told_first(tmp_path: Path) -> None:
    (status, told) = without("window", (str(tmp_path / "idntify"),))
    assert status == "[2]"
    assert "neither a command nor a trace" in told


def test_parquet_needs_but_what_writes_it(tmp_path: Path) -> None:
    asked = ("matrix", str(demo_trace()), "--parquet", str(tmp_path / "a.parquet"))
    status, *told = without("tables", asked)
    assert status == "[1]"
    assert "(pyarrow)" in told[-1]
    assert told[-1].endswith('pip install "topoview[tables]"')


def test_extras_are_those_of_the_project() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    given = told["project"]["optional-dependencies"]
    owners = packages_distributions()
    for name, extra in EXTRAS.items():
        packages = {re.split(r"[^\w.-]", line)[0].lower() for line in given[name]}
        known = {owners[module][0].lower() for module in extra.modules}
        assert {one.replace("_", "-") for one in known} == packages


def test_what_older_pythons_need_is_imported_on_them_alone() -> None:
    """Other modules than those that an `if` guards would not be there on newer ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    older = {
        re.split(r"\W", line)[0]
        for line in project["dependencies"]
        if "python_version <" in line
    }
    assert older == {"backports"}
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in older, path


def test_without_the_window_the_doctor_looks_for_no_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(doctor.EXTRAS, "window", Extra("the window", ("nothing_here",)))
    assert main(["--doctor"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^note +window +not installed\n.*topoview\[window\]", out, re.M)
    assert "display" not in out
    assert "OpenGL" not in out


def test_half_a_window_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    half = Extra("the window", ("PySide6", "nothing_here"))
    monkeypatch.setitem(doctor.EXTRAS, "window", half)
    monkeypatch.setattr(doctor, "_probe", lambda _: ("xcb 2", ""))
    assert main(["--doctor"]) == 1
    assert "missing: nothing_here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("installer", "told"),
    [
        ("pip", "-m pip install pymetis"),
        ("uv", "uv pip install --python"),
        ("dpkg", "pipx install"),
    ],
)
def test_what_to_type_depends_on_who_has_installed(
    monkeypatch: pytest.MonkeyPatch, installer: str, told: str
) -> None:
    class Installed:
        def read_text(self, _: str) -> str:
            return f"{installer}\n"

    monkeypatch.setattr(doctor, "distribution", lambda _: Installed())
    assert told in doctor._to_install("pymetis")


def test_the_package_depends_on_what_the_doctor_looks_for() -> None:
    script = (ROOT / "packaging" / "deb").read_text("utf-8")
    (told,) = re.findall(r"^Depends: (.*?)^\w", script, re.DOTALL | re.MULTILINE)
    names = {name.strip() for name in told.split(",")}
    assert names - {"python$number"} == set(doctor.LIBRARIES.values())


def test_the_package_holds_the_parts_of_vtk_that_are_imported() -> None:
    kept = runpy.run_path(str(ROOT / "packaging" / "prune.py"))["VTK"].split()
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    used = {
        name for text in sources for name in re.findall(r"vtkmodules\.vtk(\w+)", text)
    }
    assert used
    assert used <= set(kept)


@pytest.mark.slow
def test_the_package_holds_what_of_vtk_is_loaded_with_all_sources() -> None:
    kept = runpy.run_path(str(ROOT / "packaging" / "prune.py"))["VTK"].split()
    program = (
        "import importlib, pkgutil, sys, pyvista.plotting, topoview\n"
        "for one in pkgutil.walk_packages(topoview.__path__, 'topoview.'):\n"
        "    if not one.name.endswith(('__main__', 'decoder.decoder')):\n"
        "        importlib.import_module(one.name)\n"
        "print(*(n for n in sys.modules if n.startswith('vtkmodules.vtk')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert {name.removeprefix("vtkmodules.vtk") for name in done.stdout.split()} <= {
        *kept
    }


def test_every_pinned_version_installs_on_the_python_of_debian_12() -> None:
    """Its Python is older than those that most of us, and the automatic tests, have."""
    asked = {}
    for line in (ROOT / "constraints.txt").read_text().split():
        name, _, version = line.partition("==")
        with suppress(PackageNotFoundError):
            found = distribution(name)
            if found.version == version:
                asked[line] = found.metadata.get("Requires-Python", "")
    assert len(asked) > 60
    refused = {
        line: pythons
        for line, pythons in asked.items()
        if not SpecifierSet(pythons).contains("3.11.2")
    }
    assert not refused
