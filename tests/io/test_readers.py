"""A reader for another format is a function and a line of the table."""

import tarfile
from pathlib import Path

import pytest
from same import assert_same
from traces import simulated

from topoview.errors import TraceError
from topoview.io.archive.finding import find_anchor, store_key, trace_name
from topoview.io.readers import READERS, Anchor, Reader
from topoview.model import Subset, Trace
from topoview.worker import open_trace

SIZES = {"three by two": (3, 2), "two by two": (2, 2)}


def read_dimensions(anchor: Anchor, *_more: object) -> Trace:
    """Read a format that says nothing but the dimensions of a grid."""
    return simulated("grid", SIZES[anchor.file.read_text().strip()])


@pytest.fixture
def sized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with a trace of such a format, which there is a reader for."""
    reader = Reader("Sizes", frozenset({".sizes"}), f"{__name__}:read_dimensions")
    monkeypatch.setitem(READERS, ".sizes", reader)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "small.sizes").write_text("three by two")
    (folder / "notes.txt").write_text("nothing")
    return folder


def test_a_line_of_the_table_opens_a_file_a_folder_and_an_archive(sized: Path) -> None:
    packed = sized.with_name("packed.tar.gz")
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(sized, "run")
    expected = simulated("grid", (3, 2))
    for path in (sized / "small.sizes", sized, packed):
        assert_same(open_trace(path), expected)
    assert trace_name(sized / "small.sizes", sized / "small.sizes") == "small"


def test_its_key_is_that_of_its_files(sized: Path) -> None:
    before = store_key(sized, Subset())
    assert store_key(sized / "small.sizes", Subset()) == before
    (sized / "small.sizes").write_text("two by two")
    assert store_key(sized, Subset()) != before


def test_traces_of_two_formats_in_a_folder_are_two(sized: Path, tmp_path: Path) -> None:
    (sized / "traces.otf2").write_bytes(b"")
    with pytest.raises(TraceError, match=r"2 traces: small\.sizes, traces\.otf2"):
        find_anchor(sized, tmp_path, lambda *_: None)
