"""What damaged files cost is told of each location."""

import shutil
from pathlib import Path

import pytest
from traces import simulated
from writer import write_trace

from topoview.model import Health
from topoview.worker import open_trace


@pytest.fixture
def run(tmp_path: Path) -> Path:
    write_trace(simulated("grid", (4, 3)), tmp_path / "run")
    return tmp_path / "run"


def events_of(folder: Path) -> Path:
    return next(folder.glob("*/0.evt")).parent


def health_of(folder: Path) -> Health:
    health = open_trace(folder).health
    assert health is not None
    return health


def test_a_whole_trace_lost_nothing(run: Path) -> None:
    assert health_of(run).losses == ()


def test_losses_of_each_location(run: Path, tmp_path: Path) -> None:
    whole = health_of(run).events
    cut = Path(shutil.copytree(run, tmp_path / "cut"))
    for rank in (7, 2):
        path = events_of(cut) / f"{rank}.evt"
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2)
    (events_of(cut) / "5.evt").unlink()
    health = health_of(cut)
    assert [(loss.rank, loss.file, loss.fault) for loss in health.losses] == [
        (2, "2.evt", "cut short"),
        (5, "5.evt", "missing"),
        (7, "7.evt", "cut short"),
    ]
    lost = [loss.lost for loss in health.losses]
    assert lost[1] is None
    assert sum(n for n in lost if n is not None) == health.events_lost > 0
    assert health.events + health.events_lost < whole
    texts = [f.text for f in health.findings if f.subject == "files"]
    assert texts[1].startswith("2.evt of rank 2 is cut short")
    assert (
        texts[2] == "5.evt of rank 5 is missing: how many events are lost is not known."
    )


def test_many_losses_are_counted(run: Path) -> None:
    for path in events_of(run).glob("*.evt"):
        if path.name != "0.evt":
            path.unlink()
    health = health_of(run)
    texts = [f.text for f in health.findings if f.subject == "files"]
    assert texts[0] == "11 files are missing or damaged."
    assert texts[-1] == "5 other files are missing or damaged."
    assert len(texts) == 8


def test_why_an_end_is_missing(run: Path) -> None:
    (events_of(run) / "5.evt").unlink()
    texts = {f.subject: f.text for f in health_of(run).findings}
    assert "went to ranks without events." in texts["receives"]
    assert "came from ranks without events." in texts["sends"]
