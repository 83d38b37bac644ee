"""Reports without Qt: as text, as Markdown, as HTML without scene and timeline."""

import subprocess
import sys
from pathlib import Path

import pytest

import topoview
from topoview.errors import ExportError

pytestmark = pytest.mark.usefixtures("one_store")

WITHOUT_QT = """
import importlib.util, sys

found = importlib.util.find_spec
absent = ("PySide6", "vtkmodules", "pyvista", "PIL")
importlib.util.find_spec = lambda name: None if name in absent else found(name)
sys.modules |= dict.fromkeys(absent)  # to import one is an ImportError
import topoview
trace = topoview.demo("transpose")
for path in sys.argv[1:]:
    topoview.write_report(trace, path)
"""


def test_reports_need_no_qt(tmp_path: Path) -> None:
    paths = [tmp_path / f"run{suffix}" for suffix in (".html", ".txt", ".md")]
    subprocess.run([sys.executable, "-c", WITHOUT_QT, *paths], check=True)
    for path in paths:
        text = path.read_text()
        assert "Findings" in text
        assert "2D torus 6x6" in text
        assert 'id="scene"' not in text
        assert text.count("<img") == 4 * (path.suffix == ".html")


def test_text_says_what_html_says(tmp_path: Path) -> None:
    trace = topoview.demo("transpose")
    text = topoview.write_report(trace, tmp_path / "run.txt").read_text()
    markdown = topoview.write_report(trace, tmp_path / "run.md").read_text()
    titles = [line for line in text.splitlines() if line.startswith("  1. ")]
    assert titles
    assert titles[0].strip() in markdown
    with pytest.raises(ExportError, match="reports are HTML or PDF or TXT or MD files"):
        topoview.write_report(trace, tmp_path / "run.doc")


def test_programs_are_written_and_progress_is_called(tmp_path: Path) -> None:
    trace = topoview.demo("transpose")
    stages: list[str] = []

    def progress(stage: str, fraction: float) -> None:
        assert 0 <= fraction <= 1
        stages.append(stage)

    written = topoview.write_skeleton(trace, tmp_path / "f.py", progress=progress)
    compile(written.read_text(), "f.py", "exec")
    with pytest.raises(TypeError, match=r"topoview\.calls has no parameter 'rank'"):
        topoview.calls(trace, rank="3")
    with pytest.raises(TypeError, match="did you mean layout"):
        topoview.plot(trace, layuot="flat")
