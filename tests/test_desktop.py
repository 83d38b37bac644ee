"""The desktop entry: registered for one user, found and started by GLib."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from topoview.base.resources import resource
from topoview.desktop import data_home, exec_argument, install_desktop, remove_desktop
from topoview.errors import DesktopError

ANCHOR = b"\x03BOTF2\x00\x03\x02\x00\x00\x00 and so on"
ID = "io.github.topoview.topoview"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up an empty data folder that the desktop's tools look into."""
    home = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return home


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Make a program that writes down its arguments; its path needs quoting."""
    folder = tmp_path / 'my "$HOME" `a\\b` programs'
    folder.mkdir()
    program = folder / "topoview"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/arguments"\n')
    program.chmod(0o755)
    return program


def needs(*tools: str) -> pytest.MarkDecorator:
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(lacking), reason=f"no {', '.join(lacking)}")


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def content_type(path: Path) -> str:
    told = run("gio", "info", "-a", "standard::content-type", path)
    return re.findall(r"standard::content-type: (\S+)", told)[0]


def test_every_file_is_installed_and_removed(home: Path, program: Path) -> None:
    lines = install_desktop(program)
    assert str(program) in lines[0]
    share = resource("share")
    files = [path.relative_to(share) for path in share.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert all((home / name).is_file() for name in files)
    remove_desktop()
    assert not any((home / name).exists() for name in files)
    assert "not registered" in remove_desktop()[0]


def test_foreign_files_survive_removal(home: Path, program: Path) -> None:
    foreign = home / "applications" / "other.desktop"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("[Desktop Entry]\nType=Application\nName=a\nExec=true\n")
    install_desktop(program)
    remove_desktop()
    assert foreign.exists()


@pytest.mark.parametrize("bad", ["/opt/100%/topoview", "/opt/a\nb/topoview"])
def test_paths_that_no_entry_can_hold_are_refused(home: Path, bad: str) -> None:
    with pytest.raises(DesktopError, match="cannot start"):
        install_desktop(Path(bad))
    assert not home.exists()


def test_exec_is_quoted_as_specified() -> None:
    # The specification's own example: a literal dollar sign is written \\$, a
    # literal backslash as four of them.
    assert exec_argument("/a $b") == r'"/a \\$b"'
    assert exec_argument("/a\\b") == r'"/a\\\\b"'


def test_relative_data_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "some/where")
    assert data_home() == Path.home() / ".local" / "share"


def test_unwritable_home_is_told(home: Path, program: Path) -> None:
    home.write_text("a file stands in the way")
    with pytest.raises(DesktopError, match="cannot write"):
        install_desktop(program)


def test_missing_tools_are_told(
    home: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    lines = install_desktop(program)
    assert any("install shared-mime-info" in line for line in lines)
    assert any("install desktop-file-utils" in line for line in lines)


@needs("desktop-file-validate")
def test_entry_is_valid(home: Path, program: Path) -> None:
    install_desktop(program)
    assert run("desktop-file-validate", home / "applications" / f"{ID}.desktop") == ""


@needs("appstreamcli")
def test_metainfo_is_valid() -> None:
    path = resource("share", "metainfo", f"{ID}.metainfo.xml")
    check = ("appstreamcli", "validate", "--no-net", str(path))
    told = subprocess.run(check, capture_output=True, text=True, timeout=60).stdout
    faults = [line for line in told.splitlines() if line.startswith(("E:", "W:"))]
    assert "Validation" in told
    assert [line for line in faults if "url-homepage-missing" not in line] == []


@pytest.mark.usefixtures("home")
@needs("gio", "update-mime-database")
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("traces.otf2", ANCHOR, "application/x-otf2"),
        ("no-suffix", ANCHOR, "application/x-otf2"),
        ("run.otf2.tar.gz", b"\x1f\x8b\x08", "application/x-otf2-archive"),
        ("run.otf2.tar.xz", b"\xfd7zXZ\x00", "application/x-otf2-archive"),
        ("run.otf2.zip", b"PK\x03\x04", "application/x-otf2-archive"),
        ("run.topoview", b"PK\x03\x04", "application/x-topoview-digest"),
    ],
)
def test_traces_are_recognised(
    program: Path, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    install_desktop(program)
    path = tmp_path / name
    path.write_bytes(content)
    assert content_type(path) == kind


@pytest.mark.usefixtures("home")
@needs("gio", "update-mime-database")
def test_other_archives_stay_what_they_are(program: Path, tmp_path: Path) -> None:
    install_desktop(program)
    path = tmp_path / "source.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08")
    assert "otf2" not in content_type(path)


@pytest.mark.usefixtures("home")
@needs("gio", "update-mime-database", "update-desktop-database")
def test_opening_a_trace_starts_the_program(program: Path, tmp_path: Path) -> None:
    install_desktop(program)
    trace = tmp_path / "a trace.otf2"
    trace.write_bytes(ANCHOR)
    run("gio", "open", trace)
    told = tmp_path / "arguments"
    patience = time.monotonic() + 30
    while not (told.exists() and told.read_text()):  # the program runs on its own
        assert time.monotonic() < patience, "the program was not started"
        time.sleep(0.02)
    assert told.read_text().splitlines() == [str(trace)]
