"""Names with characters that break a line."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from traces import simulated, texts
from writer import write_trace

from topoview.io.definitions.tables import text_of
from topoview.worker import open_trace


@given(texts())
def test_a_text_is_one_line_without_control_characters(text: str) -> None:
    found = text_of(text.encode(errors="replace"))
    assert len(found.splitlines()) <= 1
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in found)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"solve_\xc3\xa4 <T&>", "solve_ä <T&>"),
        (b"a\nb\tc\x1b[0m", r"a\nb\tc\x1b[0m"),
        ("\u2028\x85".encode(), r"\u2028\x85"),
        (b"\xff", "�"),
    ],
)
def test_only_what_ends_or_hides_a_line_is_spelt(raw: bytes, expected: str) -> None:
    assert text_of(raw) == expected


def test_names_of_a_trace_break_no_line(tmp_path: Path) -> None:
    trace = simulated("grid", (3, 2))
    names = tuple(f"{name}\n# two\r" for name in trace.regions.names)
    regions = replace(trace.regions, names=names)
    communicators = tuple(
        replace(c, name=f"{c.name}\nthe second") for c in trace.communicators
    )
    written = replace(trace, regions=regions, communicators=communicators)
    found = open_trace(write_trace(written, tmp_path / "made"))
    every = [*found.regions.names, *(c.name for c in found.communicators)]
    assert any(r"\n# two\r" in name for name in every)
    assert any(r"\nthe second" in name for name in every)
    assert all(len(name.splitlines()) <= 1 for name in every)
