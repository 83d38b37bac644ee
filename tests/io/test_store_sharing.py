"""The store between processes: at once, one after the other, ended in the middle."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from same import assert_same

from topoview.base.progress import silent
from topoview.io.archive import finding as archive
from topoview.model import Subset
from topoview.store import traces as store
from topoview.store import writer as store_draft
from topoview.store.traces import Store
from topoview.worker import open_trace, read_in_process
from topoview.worker import process as sweep

KEY = "0" * 32

READER = """
import sys
from pathlib import Path
from topoview.worker import read_in_process
trace = read_in_process(sys.argv[1], lambda stage, fraction: (
    print(stage, flush=True)))
print("end", trace.ranks, len(trace.warnings), flush=True)
"""


def start(anchor: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", READER, str(anchor)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_at_once_read_once(anchor: Path, kept: Store) -> None:
    readers = [start(anchor) for _ in range(2)]
    told = [reader.communicate(timeout=100)[0] for reader in readers]
    assert [lines.splitlines()[-1] for lines in told] == ["end 12 0"] * 2
    assert sum("reading definitions" in lines.splitlines() for lines in told) == 1
    assert [entry.key for entry in kept.entries()] == [
        archive.store_key(anchor, Subset())
    ]


def test_who_is_killed_leaves_nothing_that_is_used(anchor: Path, kept: Store) -> None:
    reader = start(anchor)
    assert reader.stdout is not None
    for line in reader.stdout:
        if line.startswith("reading"):
            break
    reader.send_signal(signal.SIGKILL)
    reader.communicate()
    assert read_in_process(anchor).ranks == 12
    sweep.wait_for_cleanup()
    left = [path.name for path in kept.folder.iterdir()]
    assert left == [entry.key for entry in kept.entries()]


def test_leftovers_are_removed(anchor: Path, kept: Store) -> None:
    for name in (f"{KEY}{store.PARTIAL}", "trash-1"):
        (kept.folder / name).mkdir(parents=True)
        (kept.folder / name / "timeline.time.npy").write_bytes(b"x")
    read_in_process(anchor)
    sweep.wait_for_cleanup()
    assert len(list(kept.folder.iterdir())) == len(kept.entries()) == 1


def test_who_tells_nothing_is_not_waited_for(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = store_draft.begin_writing(kept, KEY, silent)
    assert other is not None
    other.tell("reading", 0.5)
    told = []

    def report(stage: str, fraction: float) -> None:
        told.append((stage, fraction))
        monkeypatch.setattr(store_draft, "PATIENCE_SECONDS", -1.0)

    draft = store_draft.begin_writing(kept, KEY, report)
    assert told == [("another window reads it: reading", 0.5)]
    assert draft is not None
    assert draft.fault
    assert draft.folder is None
    other.close()
    assert_same(open_trace(anchor), open_trace(anchor))
