"""Small files stay in memory between the passes; what is read is the same without."""

from pathlib import Path

import pytest
from same import assert_same
from traces import simulated
from writer import write_trace

from topoview.io.decoder import decoding
from topoview.io.decoder.library import COUNT_ALL
from topoview.io.decoder.threads import Readers
from topoview.model import Ints
from topoview.worker import open_trace

SMALL = 1 << 16
"""Bytes of a file up to which it may stay in memory."""


@pytest.mark.parametrize("room", [0, 700, 1 << 26])
def test_what_is_read_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    first = tmp_path / "run" / "traces" / "0.evt"
    first.write_bytes(first.read_bytes()[:-7])  # damage is told as before
    monkeypatch.setattr(decoding, "_MAX_HELD_BYTES", 0)
    expected = open_trace(tmp_path / "run")
    monkeypatch.setattr(decoding, "_MAX_HELD_BYTES", room)
    found = open_trace(tmp_path / "run")
    assert found.warnings == expected.warnings
    assert_same(found, expected)


@pytest.mark.parametrize("room", [0, 5000, 1 << 26])
def test_there_is_room_for_small_files_only_and_no_more_than_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    write_trace(simulated("grid", (3, 2), iterations=20), tmp_path / "run")
    long = simulated("grid", (3, 2), iterations=900)
    write_trace(long, tmp_path / "long")
    large = tmp_path / "run" / "traces" / "0.evt"
    large.write_bytes((tmp_path / "long" / "traces" / "0.evt").read_bytes())
    assert large.stat().st_size > SMALL
    held: list[int] = []
    work, rows = Readers.work, decoding._rows

    def watched(readers: Readers, task: int, order: Ints) -> None:
        work(readers, task, order)
        if task == COUNT_ALL:
            table = told[0]
            held.extend(table["content_size"][table["content"] != 0].tolist())
            assert table["content"][0] == 0

    told: list = []
    monkeypatch.setattr(decoding, "_rows", lambda *a: told.append(rows(*a)) or told[0])
    monkeypatch.setattr(Readers, "work", watched)
    monkeypatch.setattr(decoding, "_MAX_HELD_BYTES", room)
    open_trace(tmp_path / "run")
    assert sum(held) <= room
    assert bool(held) == (room > 0)
