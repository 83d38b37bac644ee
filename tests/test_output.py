"""What is printed: no terminal obeys it, any encoding takes it, no fault is a fault."""

import base64
import csv
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from simulation import Program, simulate
from traces import shape
from writer import write_trace

import topoview
from topoview.__main__ import main
from topoview.base.resources import resource
from topoview.base.text import csv_text, json_text, one_line, printable
from topoview.report.logical.as_html import fill_template

EVIL = "b\x1b[31m\x9b\u202e\u2066\n\x00".rstrip("\x00")
SPELT = r"b\x1b[31m\x9b\u202e\u2066\n"
CONTROLS = [*map(chr, (*range(10), *range(11, 32), *range(127, 160)))]
CONTROLS += [*"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"]
CONTROLS += [*"\u2066\u2067\u2068\u2069"]


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """Write a trace to a folder whose name a terminal would obey."""
    program = Program(shape("torus", (3, 2)), iterations=2)
    return write_trace(simulate(program), tmp_path / EVIL)


def test_controls_are_spelt() -> None:
    assert one_line(EVIL) == SPELT
    assert printable("a\tb\nµ é 漢\n") == "a\tb\nµ é 漢\n"
    for control in CONTROLS:
        assert one_line(f"a{control}b") != f"a{control}b"
        assert control not in printable(control) or control == "\t"


def assert_tame(text: str) -> None:
    for control in CONTROLS:
        assert control == "\t" or control not in text


def test_no_name_of_a_file_reaches_the_terminal(
    evil: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (["info", str(evil)], ["info", str(evil), "--json"], ["cache"])
    for line in (*lines, ["info", str(evil) + "nowhere"]):
        main(line)
        told = capsys.readouterr()
        assert_tame(told.out + told.err)
        assert SPELT in told.out + told.err or "--json" in line
        if "--json" in line:
            assert json.loads(told.out)["path"] == str(evil)
    (tmp_path / "notes\x1b[2J.txt").write_text("no trace")
    assert main(["info", str(tmp_path / "notes\x1b[2J.txt")]) == 1
    assert_tame(capsys.readouterr().err)


def run(*line: str | Path, **options: object) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "topoview", *map(os.fspath, line)]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("command", ["info", "identify"])
def test_a_full_disk_behind_the_output_is_told(evil: Path, command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(command, evil, stdout=full)
    assert done.returncode == 1
    lines = [x for x in done.stderr.decode().splitlines() if x.startswith("topoview:")]
    assert len(lines) == 1
    assert "No space left on device" in lines[0]
    assert b"Traceback" not in done.stderr


def test_narrow_encodings_take_everything(tmp_path: Path) -> None:
    program = Program(shape("torus", (3, 2)), iterations=2)
    anchor = write_trace(simulate(program), tmp_path / "µ漢")
    broken = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.rename(os.fsencode(anchor.parent), broken)  # noqa: PTH104 - of bytes
    path = os.fsdecode(broken)
    narrow = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    for further in (narrow, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C.UTF-8"}):
        for where in (path, path + "µ漢"):
            done = run(
                "info", where, stdout=subprocess.PIPE, env={**os.environ, **further}
            )
            assert b"Traceback" not in done.stderr, done.stderr
            assert done.returncode == (where != path)


def test_too_little_memory_is_one_sentence(
    evil: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_little(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("topoview.cli.results.put", too_little)
    assert main(["info", str(evil)]) == 1
    told = capsys.readouterr().err
    assert "not enough memory" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("line", "suffix"),
    [
        *(("skeleton -o", suffix) for suffix in (".c", ".py")),
        *(("report -o", suffix) for suffix in (".html", ".pdf", ".md", ".txt")),
        *(("render -o", suffix) for suffix in (".png", ".svg", ".pdf")),
        *(("logical --html", ".html"), ("logical --svg", ".svg")),
        *(("regions --csv", ".csv"), ("regions --parquet", ".parquet")),
        *(("export -o", suffix) for suffix in (".json", ".graphml")),
    ],
)
def test_names_of_files_need_not_be_in_utf_8(
    tmp_path: Path, line: str, suffix: str
) -> None:
    program = Program(shape("torus", (3, 2)), iterations=2)
    trace = write_trace(simulate(program), tmp_path / "run").parent
    odd = trace.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe\n*"))
    out = os.fsdecode(os.fsencode(tmp_path) + b"/\xfd" + os.fsencode(suffix))
    command, option = line.split()
    assert main([command, str(odd), option, out, "-q"]) == 0
    assert {*tmp_path.iterdir()} == {odd, Path(out)}
    made = Path(out).read_bytes()
    assert made
    if suffix in (".c", ".py", ".html", ".md", ".txt", ".svg", ".csv", ".json"):
        made.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk")
@pytest.mark.parametrize("suffix", [".pdf", ".png", ".svg"])
def test_a_full_disk_behind_a_picture_is_told(
    evil: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"picture{suffix}"
    out.symlink_to("/dev/full")
    assert main(["render", str(evil), "-o", str(out), "-q"]) == 1
    assert "No space left" in capsys.readouterr().err


def test_an_empty_name_is_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_trace(simulate(Program(shape("torus", (3, 2)))), tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    for line in (["info", ""], ["compare", "run", ""], [""]):
        assert main(line) == 2
        assert "no trace is named" in capsys.readouterr().err


def test_labels_for_graphviz_hold_no_markup() -> None:
    from topoview.report.logical.graph import _quoted

    assert _quoted('a <script> & "b" \\') == '"a &lt;script&gt; &amp; \\"b\\" \\\\"'


DEAD_DISPLAYS = {
    "none": {},
    "gone": {"DISPLAY": ":4242"},
    "nonsense": {"DISPLAY": "no such display"},
    "wayland": {"WAYLAND_DISPLAY": "wayland-4242"},
}


@pytest.mark.parametrize("name", DEAD_DISPLAYS)
def test_a_display_that_is_not_there_is_told(name: str) -> None:
    known = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    known.pop("QT_QPA_PLATFORM", None)
    done = run(stdout=subprocess.PIPE, env={**known, **DEAD_DISPLAYS[name]})
    assert done.returncode == 1
    assert done.stderr.startswith(b"topoview: there is no display")
    assert done.stderr.count(b"\n") == 1


def test_the_display_of_these_tests_is_one() -> None:
    from topoview.desktop import has_display

    assert has_display() == bool(os.environ.get("DISPLAY"))


def test_no_spreadsheet_computes_a_cell() -> None:
    formulas = ["=cmd|'/C calc'!A0", "@SUM(A1)", "+1", "-1", "\t=1"]
    text = csv_text(["name", "=n"], [[formula, -1] for formula in formulas])
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["name", "'=n"]
    assert rows == [[f"'{formula}", "-1"] for formula in formulas]  # a number is none
    lines = ["\r=1", "a\n=1", '"\r\n=1']
    (only,) = csv.reader(io.StringIO(csv_text(lines, []), newline=""))
    assert only == [r"\r=1", "a\n=1", r'"\r\n=1']


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_is_what_every_reader_takes(number: float) -> None:
    value = {"a": [1, number, (number, {"b": number})], "text": "NaN"}
    strict = json.loads(json_text(value), parse_constant=pytest.fail)
    assert strict == {"a": [1, None, [None, {"b": None}]], "text": "NaN"}


def test_json_is_written_in_one_place() -> None:
    sources = Path(topoview.__file__).parent
    writers = {
        file.relative_to(sources).as_posix()
        for file in sources.rglob("*.py")
        if re.search(r"\bjson\.dumps?\(", file.read_text("utf-8"))
    }
    assert writers == {"base/text.py"}


def test_pages_run_only_their_own_script() -> None:
    """Browsers are told so by the content policy of each page."""
    for template in resource("html").glob("*.html"):
        text = template.read_text("utf-8")
        if "<head>" not in text or "print" in template.name:
            continue
        assert 'http-equiv="Content-Security-Policy"' in text
        assert "default-src 'none'" in text
        assert (
            text.count("<script>") == text.count("<script>{{ script }}</script>") == 1
        )
    page = fill_template(
        "page.html", "logical.js", title="</title><script>evil()</script>"
    )
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "script-src" not in fill_template("page.html", title="none")
