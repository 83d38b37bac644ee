"""Small files stay in memory between the passes; what is read is the same without."""

from pathlib import Path

import pytest
from same import assert_same
from traces import simulated
from writer import write_trace

from topoview.io.decoder.held import LARGEST, Held
from topoview.worker import open_trace


def test_there_is_room_for_small_files_only() -> None:
    held = Held()
    small, large = b"x" * 10, b"x" * (LARGEST + 1)
    assert held.hold(None) is None
    assert held.hold(small) is small
    assert held.hold(large) is None


def test_there_is_no_more_room_than_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topoview.io.decoder.held._ROOM", 25)
    monkeypatch.setattr("topoview.io.decoder.held.cores", lambda: 1)
    held = Held()
    one, other, third = (bytes([n]) * 10 for n in range(3))
    assert held.hold(one) is one
    assert held.hold(one) is one  # once more takes no room
    assert held.hold(other) is other
    assert held.hold(third) is None


@pytest.mark.parametrize("room", [0, 700, 1 << 26])
def test_what_is_read_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    first = tmp_path / "run" / "traces" / "0.evt"
    first.write_bytes(first.read_bytes()[:-7])  # damage is told as before
    monkeypatch.setattr("topoview.io.decoder.held._ROOM", 0)
    expected = open_trace(tmp_path / "run")
    monkeypatch.setattr("topoview.io.decoder.held._ROOM", room)
    found = open_trace(tmp_path / "run")
    assert found.warnings == expected.warnings
    assert_same(found, expected)
