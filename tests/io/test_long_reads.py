"""Before a long read it is asked what is to be read."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from writer import write_trace

from topoview.base.progress import Cancelled, silent
from topoview.io.archive.chunks import LONG_READ_SECONDS, read_seconds, survey_trace
from topoview.io.archive.finding import find_anchor
from topoview.io.otf2 import read_definitions_of
from topoview.model import Subset, Trace, TraceExtent
from topoview.store.traces import user_store
from topoview.worker import process as sweep
from topoview.worker import read_in_process


@pytest.fixture
def long_trace(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    """Write a trace one file of which seems to be large."""
    anchor = write_trace(simulated("torus", (4, 3)), tmp_path / "run")
    size = 1 << 20
    while read_seconds(size) < LONG_READ_SECONDS:
        size *= 2
    os.truncate(anchor.with_suffix("") / "11.evt", size)
    return anchor


def test_the_answer_is_read(long_trace: Path) -> None:
    asked: list[TraceExtent] = []

    def decide(extent: TraceExtent) -> Subset:
        asked.append(extent)
        return Subset.parse(ranks="0-3")

    trace = read_in_process(long_trace, decide=decide)
    (extent,) = asked
    assert extent.ranks == extent.locations == 12
    assert extent.seconds >= LONG_READ_SECONDS
    assert trace.calls.offsets[4] == trace.calls.offsets[-1] > 0
    store = user_store()
    assert store is not None
    assert [entry.part for entry in store.entries()] == ["ranks 0-3"]
    sweep.wait_for_cleanup()
    assert len(list(store.folder.iterdir())) == 1


def test_giving_up_when_asked(long_trace: Path) -> None:
    def decide(extent: TraceExtent) -> Subset:
        del extent
        raise Cancelled

    with pytest.raises(Cancelled):
        read_in_process(long_trace, decide=decide)
    sweep.wait_for_cleanup()
    store = user_store()
    assert store is not None
    assert not list(store.folder.iterdir())


def test_who_knows_what_to_read_is_not_asked(long_trace: Path) -> None:
    def decide(extent: TraceExtent) -> Subset:
        raise AssertionError(extent)

    part = Subset.parse(ranks="2")
    assert read_in_process(long_trace, subset=part, decide=decide).ranks == 12


def test_events_are_those_of_the_headers(
    simulated: Callable[..., Trace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = simulated("torus", (4, 3))
    anchor = write_trace(whole, tmp_path / "run")
    monkeypatch.setattr("topoview.io.archive.chunks.LONG_READ_SECONDS", 0.0)
    ids = [place.id for place in whole.locations]
    files = read_definitions_of(find_anchor(anchor, tmp_path, silent)).files
    found = survey_trace("run", files, ids, 12)
    assert found is not None
    assert found.events == read_in_process(anchor).events
