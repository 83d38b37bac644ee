"""A store that goes with its process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from topoview.store.temporary import remove_abandoned_folders, temporary_store

PROGRAM = """
import sys
from topoview.store.temporary import temporary_store
store = temporary_store()
store.folder.mkdir()
print(store.folder, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_it_is_private_and_goes_with_its_last_user(scratch: Path) -> None:
    store = temporary_store()
    (folder,) = scratch.iterdir()
    assert store.folder.parent == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "file").touch()
    remove_abandoned_folders()
    assert folder.exists()
    del store
    assert not list(scratch.iterdir())


def test_each_has_one_of_its_own(scratch: Path) -> None:
    one, other = temporary_store(), temporary_store()
    assert one.folder != other.folder
    assert len(list(scratch.iterdir())) == 2


@pytest.mark.parametrize("end", [signal.SIGKILL, None])
def test_it_goes_with_its_process(scratch: Path, end: signal.Signals | None) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert run.stdout is not None
    folder = Path(os.fsdecode(run.stdout.readline().rstrip()))
    assert folder.parent.parent == scratch
    if end is not None:
        run.send_signal(end)
    run.communicate()
    assert folder.exists() == (end is not None)
    remove_abandoned_folders()
    assert not list(scratch.iterdir())
