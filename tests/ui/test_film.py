"""Films: as many frames as asked for, the right moments, nothing left of failures."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from PIL import Image, ImageSequence
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from topoview.__main__ import main
from topoview.base.progress import Cancelled
from topoview.errors import ExportError, TopoviewError
from topoview.live.picking.navigation import Pace
from topoview.model import Analysis, Pose, Trace
from topoview.session import SceneOptions, Selection
from topoview.ui.export.film import FilmSpec, render_film
from topoview.ui.export.film_dialog import (
    FILM_SIZES,
    MAX_FILM_SECONDS,
    FilmChoice,
    FilmDialog,
    FilmJob,
    last_film_choice,
)
from topoview.ui.export.picture import lay_out, render
from topoview.ui.export.render_spec import RenderSpec, read_render_spec
from topoview.ui.panels.scene.moment import MomentFinder
from topoview.ui.shell.window import MainWindow


@pytest.fixture
def known(simulated: Callable[..., Trace]) -> Analysis:
    return traces.identified(simulated("torus", (4, 3), numbering=1))


def spec_for(known: Analysis, size: tuple[int, int] = (321, 241)) -> RenderSpec:
    window = (0, known.trace.clock.length)
    return RenderSpec(
        0, window, size, True, SceneOptions(hold_short=False), Selection(), None
    )


def test_frames_are_the_pictures_of_their_times(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    # a picture that stands still has room and a key of its own
    pose = Pose(-62.0, 40.0, 12.0, (0.0, 0.0, 0.0))
    spec, length = spec_for(known), known.trace.clock.length
    spec = replace(spec, pose=pose, key=False)
    film = FilmSpec(0, length, Pace(0.3), rate=20)
    told: list[float] = []
    render_film(
        known, spec, film, tmp_path / "f.mp4", lambda _, part: told.append(part)
    )
    command = ["ffmpeg", "-v", "error", "-i", str(tmp_path / "f.mp4")]
    command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    decoded = subprocess.run(command, check=True, capture_output=True).stdout
    frames = np.frombuffer(decoded, np.uint8).reshape(-1, 240, 320, 3)
    assert len(frames) == len(film.times(known.trace)) == 6
    assert told == sorted(told)
    assert told[-1] == 1
    for time, frame in zip(film.times(known.trace), frames, strict=True):
        render(known, replace(spec, time=time)).save(str(tmp_path / "p.png"))
        picture = np.asarray(Image.open(tmp_path / "p.png").convert("RGB"), float)
        assert np.abs(picture[:240, :320] - frame).mean() < 4
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ".png"] == ["f.mp4"]


def test_frames_tell_all_since_the_one_before(known: Analysis) -> None:
    moments = MomentFinder()
    spec = spec_for(known)
    state, content = lay_out(known, replace(spec, scene=SceneOptions()))
    length = known.trace.clock.length
    for share in (0.2, 0.6):
        at = replace(state, time=round(share * length), playing=True)
        shown = moments.at(at, content)
    assert shown.now.begin == round(0.2 * length)
    paused = moments.at(replace(at, playing=False), content)
    assert paused.now.begin is None


def test_gif(qtbot: QtBot, known: Analysis, tmp_path: Path) -> None:
    del qtbot
    assert known.overview is not None
    assert known.overview.communication is not None
    film = FilmSpec(*known.overview.communication, Pace(0.4), rate=25)
    render_film(known, spec_for(known), film, tmp_path / "f.gif")
    with Image.open(tmp_path / "f.gif") as read:
        durations = []
        for frame in range(read.n_frames):  # type: ignore[attr-defined]
            read.seek(frame)
            durations.append(read.info["duration"])
        # frames that look alike are one
        assert len(durations) > 2
        assert sum(durations) == 5 * 80
        assert read.size == (321, 241)


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_tells_how_it_was_made(
    qtbot: QtBot, known: Analysis, tmp_path: Path, suffix: str
) -> None:
    del qtbot
    path, spec = tmp_path / f"f{suffix}", spec_for(known)
    render_film(known, spec, FilmSpec(0, 100, Pace(0.2), rate=10), path)
    assert read_render_spec(path) == spec
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(TopoviewError, match="holds no settings of a picture"):
        read_render_spec(path)


def test_a_link_in_place_of_what_is_written_beside_is_not_followed(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for suffix in (".gif", ".mp4"):
        (tmp_path / f".f.part{suffix}").symlink_to(mine)
        path = tmp_path / f"f{suffix}"
        render_film(known, spec_for(known), FilmSpec(0, 9, Pace(0.2), rate=10), path)
        assert path.is_file()
        assert not path.is_symlink()
    assert mine.read_text() == "mine"


def test_a_cancelled_film_leaves_nothing(
    qtbot: QtBot, known: Analysis, tmp_path: Path
) -> None:
    del qtbot

    def report(stage: str, fraction: float) -> None:
        del stage
        if fraction > 0.4:
            raise Cancelled

    film = FilmSpec(0, known.trace.clock.length, Pace(0.2))
    with pytest.raises(Cancelled):
        render_film(known, spec_for(known), film, tmp_path / "f.mp4", report)
    assert not list(tmp_path.iterdir())


def test_without_the_program_ffmpeg_a_film_is_refused_before_it_is_drawn(
    known: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    film = FilmSpec(0, 10, Pace(1))
    with pytest.raises(ExportError, match=r"apt-get install ffmpeg, or save a GIF"):
        render_film(known, spec_for(known), film, tmp_path / "f.mp4")
    (tmp_path / "ffmpeg").write_text(
        "#!/bin/sh\necho ' V libx264 '; exec 1>&- 0<&-\n"
        "case $2 in -encoders) ;; *) echo no room left >&2; exit 1; esac\n"
    )
    (tmp_path / "ffmpeg").chmod(0o755)
    with pytest.raises(ExportError, match=r"\(no room left\)"):
        render_film(known, spec_for(known), film, tmp_path / "f.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["ffmpeg"]


def test_what_cannot_be_written_is_told(known: Analysis, tmp_path: Path) -> None:
    film = FilmSpec(0, 10, Pace(1))
    with pytest.raises(ExportError, match="MP4 or GIF"):
        render_film(known, spec_for(known), film, tmp_path / "f.avi")
    with pytest.raises(ExportError, match="no folder"):
        render_film(known, spec_for(known), film, tmp_path / "no" / "f.mp4")


def test_times_outside_of_the_run_are_refused(
    archive: Callable[[Trace], Path],
    simulated: Callable[..., Trace],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    anchor = archive(simulated("torus", (4, 3)))
    film = str(tmp_path / "f.mp4")
    assert main(["movie", str(anchor), "-o", film, "--end", "1e6"]) == 2
    assert "it lasts from 0 to" in capsys.readouterr().err


def test_the_window_saves_a_film_beside(
    load: Callable[[Path], MainWindow],
    archive: Callable[[Trace], Path],
    simulated: Callable[..., Trace],
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = load(archive(simulated("torus", (4, 3))))
    assert window.workspace is not None
    qtbot.waitUntil(lambda: window.workspace.scene.scene.ranks == 12, timeout=60_000)
    monkeypatch.setitem(FILM_SIZES, "640 by 360", (128, 128))
    length = window.session.state.analysis.trace.clock.length
    times = (length // 3, length // 3 + length // 50)
    choice = FilmChoice(".gif", "640 by 360", seconds=2.0, skip=True, key=False)
    path = tmp_path / "f.gif"
    job = FilmJob(window.context, path, times, choice)
    with qtbot.waitSignal(job.finished, timeout=120_000) as told:
        job.start()
    assert told.args == [True]
    with Image.open(path) as film:
        assert film.size == (128, 128)
        lasts = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
        assert sum(lasts) == 2000  # frames that are alike are one
    cancelled = FilmJob(window.context, tmp_path / "g.mp4", times, FilmChoice())
    with qtbot.waitSignal(cancelled.finished, timeout=60_000) as told:
        cancelled.start()
        cancelled.process.waitForStarted()
        (button,) = cancelled.dialog.findChildren(QPushButton)
        button.click()
    assert told.args == [False]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "f.gif"]


def test_the_window_asks_what_is_filmed(loaded: MainWindow, qtbot: QtBot) -> None:
    window = loaded
    session = window.session
    length = session.state.analysis.trace.clock.length
    session.select(window=(length // 3, length // 2))
    dialog = FilmDialog(session.state, window.settings, window)
    assert [dialog.stretch.itemText(n) for n in range(dialog.stretch.count())][-1] == (
        "the whole run"
    )
    assert dialog.stretch.currentText().startswith("the selected time: ")
    dialog.kind.setCurrentIndex(1)
    dialog.seconds.setValue(4.0)
    assert "50 frames" in dialog.note.text()
    with qtbot.waitSignal(dialog.chosen) as told:
        dialog.save.click()
    assert told.args is not None
    times, choice = told.args
    assert tuple(times) == (length // 3, length // 2)
    assert choice == FilmChoice(".gif", seconds=4.0)
    assert last_film_choice(window.settings) == choice


def test_the_dialog_offers_calls_and_leaves_rest_out(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    window = loaded
    dialog = FilmDialog(window.session.state, window.settings, window)
    dialog.stretch.setCurrentIndex(dialog.stretch.count() - 1)
    dialog.skip.setChecked(True)
    assert "is skipped" in dialog.note.text() or "no idle time" in dialog.note.text()
    dialog.pace.setCurrentIndex(1)
    dialog.calls.setValue(1000.0)
    assert dialog.skip.isHidden()
    assert "by the calls of rank" in dialog.note.text()
    dialog.calls.setValue(0.1)
    trace = window.session.state.analysis.trace
    calls = trace.calls.offsets[1]
    assert dialog.save.isEnabled() == (calls / 0.1 <= MAX_FILM_SECONDS)
    dialog.calls.setValue(20.0)
    with qtbot.waitSignal(dialog.chosen) as told:
        dialog.save.click()
    assert told.args is not None
    _, choice = told.args
    assert choice.through(3) == Pace(choice.seconds, 20.0, 3)
    assert last_film_choice(window.settings) == choice
