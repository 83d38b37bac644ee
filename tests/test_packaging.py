"""What topoview is installed with, and what is said of what is not there."""

import ast
import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path
from typing import Final

import pathspec
import pytest
from packaging.requirements import Requirement
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
        ("report", trace, "-o", str(tmp_path / "a.pdf")),
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


def test_wheels_have_every_module() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = told["tool"]["hatch"]["build"]["targets"]["wheel"]
    left_out = pathspec.GitIgnoreSpec.from_lines(wheel["exclude"])
    files = [p.relative_to(ROOT).as_posix() for p in (ROOT / "src").rglob("*.py")]
    assert set(left_out.match_files(files)) == {"src/topoview/build.py"}


def test_extras_are_those_of_the_project() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    given = told["project"]["optional-dependencies"]
    owners = packages_distributions()
    for name, extra in EXTRAS.items():
        packages = {re.split(r"[^\w.-]", line)[0].lower() for line in given[name]}
        known = {owners[module][0].lower() for module in extra.modules}
        assert {one.replace("_", "-") for one in known} == packages - {"topoview"}


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
        text = path.read_text("utf-8")
        if not any(name in text for name in older):
            continue
        for node in ast.parse(text).body:
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


def test_the_package_keeps_the_parts_of_programs_that_it_writes(tmp_path: Path) -> None:
    """They are C, as what other packages bring for developers is."""
    of_no_use = runpy.run_path(str(ROOT / "packaging" / "prune.py"))["of_no_use"]
    parts = tmp_path / "topoview" / "resources" / "skeleton"
    shutil.copytree(ROOT / "resources" / "skeleton", parts)
    developers = tmp_path / "other" / "source.c"
    developers.parent.mkdir()
    developers.touch()
    assert list(of_no_use(tmp_path)) == [developers]


def needed_by_the_window() -> set[str]:
    """Follow what packages require, from topoview with a window on."""
    waiting, seen = ["topoview"], set()
    while waiting:
        name = waiting.pop()
        for line in distribution(name).requires or []:
            requirement = Requirement(line)
            extra = {"extra": "window" if name == "topoview" else ""}
            marker = requirement.marker
            if requirement.name not in seen and (not marker or marker.evaluate(extra)):
                seen.add(requirement.name)
                waiting.append(requirement.name)
    return seen


def test_nothing_that_the_package_holds_is_under_the_gpl_alone(tmp_path: Path) -> None:
    notices = runpy.run_path(str(ROOT / "packaging" / "notices.py"))
    names = needed_by_the_window()
    assert {"numpy", "vtk", "shiboken6", "matplotlib"} <= names
    for name in names:
        assert not notices["fault_of"](distribution(name)), name
        root = Path(str(distribution(name).locate_file("")))
        libraries = [path.name for path in root.glob(f"{name.lower()}.libs/*")]
        assert not [path for path in libraries if re.match("libx26|libmp3lame", path)]
    for name, licence, right in (
        ("free", "MIT", ""),
        ("gnu", "GPL-3.0-or-later", "is under the GPL-3.0-or-later"),
        ("both", "LGPL-3.0-only OR GPL-2.0-only", ""),
        ("none", "", "has no licence"),
    ):
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        text = f"Name: {name}\nVersion: 1\nLicense-Expression: {licence}\n"
        (info / "METADATA").write_text(text)
        assert notices["fault_of"](Distribution.at(info)) == right


def test_a_bill_of_materials_names_all_that_is_given_away(tmp_path: Path) -> None:
    notices = runpy.run_path(str(ROOT / "packaging" / "notices.py"))
    info, library = tmp_path / "pillow-13.dist-info", tmp_path / "pillow.libs/liba-1.so"
    for path, text in (
        (info / "METADATA", "Name: pillow\nVersion: 13\nLicense: MIT-CMU\n"),
        (info / "licenses" / "LICENSE", "Do as you like."),
        (library, "code"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    record = json.loads(notices["bill"]("1.0", tmp_path))
    assert (record["bomFormat"], record["specVersion"]) == ("CycloneDX", "1.6")
    *fonts, pillow = record["components"]
    assert [font["name"] for font in fonts] == ["Inter", "JetBrains Mono"]
    assert pillow["purl"] == "pkg:pypi/pillow@13"
    (inner,) = pillow["components"]
    assert inner["hashes"][0]["content"] == hashlib.sha256(b"code").hexdigest()
    text = notices["copyright_text"](tmp_path)
    for words in ("Do as you like.", "SIL OPEN FONT LICENSE", "pillow 13"):
        assert words in text


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


def test_what_is_packed_is_locked_by_version_and_hash() -> None:
    """Else run packaging/lock."""
    constraints = dict(
        line.lower().replace("_", "-").split("==")
        for line in (ROOT / "constraints.txt").read_text().split()
    )
    entries = re.split(r"\n(?=\S)", (ROOT / "packaging" / "locked.txt").read_text())
    locked = {}
    for entry in entries:
        head, *hashes = (part.strip() for part in entry.strip().split("\\\n"))
        requirement = Requirement(head)
        assert hashes, head
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", h) for h in hashes), head
        if requirement.marker is None or requirement.marker.evaluate():
            (version,) = requirement.specifier
            locked[requirement.name.replace(".", "-")] = version.version
    named = {name.replace(".", "-"): version for name, version in constraints.items()}
    assert locked == {name: named[name] for name in locked}
    window = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*window["dependencies"], *window["optional-dependencies"]["window"]]
    names = {Requirement(line).name.lower().replace(".", "-") for line in needed}
    assert names <= locked.keys()
