"""What topoview is made of, and what it lacks."""

import re
from importlib.metadata import version
from pathlib import Path

import numpy
import pytest

from topoview import __version__
from topoview.__main__ import main
from topoview.cli import doctor


def test_the_version_names_parts_and_licences(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--version"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"topoview {re.escape(__version__)} +BSD-3-Clause", lines[0])
    (line,) = [line for line in lines if line.startswith("numpy ")]
    assert line.split()[1] == numpy.__version__
    assert "BSD" in line
    (line,) = [line for line in lines if line.startswith("PySide6")]
    assert line.split()[1] == version("PySide6-Essentials")
    assert "LGPL" in line


def test_here_nothing_that_is_needed_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--doctor"]) == 0
    out = capsys.readouterr().out
    assert "MISSING" not in out
    assert re.search(r"^ok +OpenGL +[1-9]", out, re.MULTILINE)
    assert re.search(r"^ok +decoder +works", out, re.MULTILINE)


def test_what_is_missing_is_named_with_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(doctor.LIBRARIES, "libnobody.so.7", "libnobody7")
    monkeypatch.setattr(doctor, "_requirements", lambda: ["numpy", "no-such-package"])
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setattr(doctor, "_DRAWING_PROBE", "import os; os.abort()")
    assert main(["--doctor"]) == 1
    out = capsys.readouterr().out
    assert "missing: libnobody.so.7\n" in out
    assert "sudo apt-get install libnobody7\n" in out
    assert "-m pip install no-such-package\n" in out
    assert ":4711 cannot be opened" in out
    assert "cannot draw: it ended by SIGABRT" in out
    assert "topoview --no-3d" in out
    assert out.endswith("4 missing\n")


def test_what_one_can_do_without_is_a_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(doctor.OPTIONAL, "no-such-package", "nothing at all")
    monkeypatch.setenv("TOPOVIEW_CACHE", "off")
    assert main(["--doctor"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^note +no-such-package", out, re.MULTILINE)
    assert re.search(r"^note +cache +switched off", out, re.MULTILINE)
    notes = len(re.findall("^note ", out, re.MULTILINE))
    assert out.endswith(f"nothing necessary is missing; notes: {notes}\n")


def test_a_probe_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MAX_PROBE_SECONDS", 0.5)
    assert doctor._probe("import time; time.sleep(60)") == ("", "no answer in 0.5 s")


def test_the_set_up_installs_what_the_doctor_looks_for() -> None:
    """The set-up is a shell script, which cannot ask it."""
    script = (Path(__file__).parents[1] / "scripts" / "setup").read_text("utf-8")
    (told,) = re.findall(r'^libraries="(.*?)"', script, re.DOTALL | re.MULTILINE)
    assert set(told.split()) - {"fonts-dejavu-core"} == set(doctor.LIBRARIES.values())
