"""What is no regular file is refused in one line, before anybody opens it."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from topoview.errors import TraceError
from topoview.worker import open_trace, read_in_process


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


MAKERS: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a socket": _bind,
}


def refused(path: Path, *words: str) -> None:
    for reader in (read_in_process, open_trace):
        with pytest.raises(TraceError) as caught:
            reader(path)
        text = str(caught.value)
        assert "\n" not in text
        for word in words:
            assert word in text


@pytest.fixture(autouse=True)
def short_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stay there: the name of a socket has 107 bytes at most."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", ["p.otf2", "p.tar", "p.zip", "p", "run/traces.otf2"])
def test_a_trace_that_is_no_file(kind: str, name: str) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    MAKERS[kind](path)
    refused(path, name, kind)
    if path.parent.name:
        refused(path.parent, name, kind)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", ["traces.def", "traces/0.evt", "traces/1.def"])
def test_a_file_of_a_trace_that_is_none(anchor: Path, kind: str, name: str) -> None:
    path = anchor.parent / name
    path.unlink()
    other = Path("other")
    MAKERS[kind](other)
    path.symlink_to(other.absolute())
    refused(anchor, path.name, kind)
    refused(anchor.parent, path.name, kind)


def test_links_to_files_are_all_right(anchor: Path) -> None:
    for path in (anchor.parent / "traces.def", anchor.parent / "traces/0.evt"):
        there = path.with_suffix(".moved")
        path.rename(there)
        path.symlink_to(there)
    assert read_in_process(anchor).ranks == 12
    Path("again.otf2").symlink_to(anchor)
    Path("run2").symlink_to(anchor.parent)
    assert read_in_process(Path("run2")).ranks == 12


def test_a_link_to_itself(tmp_path: Path) -> None:
    for name in ("loop", "loop.otf2", "loop.tar"):
        Path(name).symlink_to(name)
        refused(tmp_path / name, name, "leads back to itself")


def test_a_link_that_leads_nowhere(anchor: Path) -> None:
    Path("gone.otf2").symlink_to("nowhere")
    refused(Path("gone.otf2"), "does not exist")
    shutil.copytree(anchor.parent, "copy")
    Path("copy/old.otf2").symlink_to("nowhere")  # beside a trace it says nothing
    assert read_in_process(Path("copy")).ranks == 12


def test_a_name_that_is_too_long() -> None:
    refused(Path("x" * 300), "its name is too long")
