#!/usr/bin/env python3
"""Do something to one window again and again, and measure what it holds.

    scripts/window_trials.py opens|actions|damaged SECONDS TIMES TRACE...

It goes on until so many seconds have passed and it was done so many times. Started by
``scripts/reliability.py``, on a display. ``opens`` opens one trace after the other;
``actions`` triggers random actions, and clicks; ``damaged`` opens damaged copies of a
digest, and a trace whose session was damaged. Prints JSON: what was done, what raised,
and [MiB of memory, descriptors] now and then.
"""

import gc
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from topoview.ui.actions.table import ACTIONS
from topoview.ui.panels.table import PANELS
from topoview.ui.session_file import kept_path, save_session
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow

PATIENCE = 120.0
MEASUREMENTS = 20
AWAY = {"quit", "close", "open", "open-folder", "fullscreen", "film"}
"""Actions that leave the trace, or write films for a long time."""
INSTEAD = (
    b"-1",
    b"9223372036854775808",
    b"1e400",
    b"NaN",
    b"null",
    b'"x"',
    b"[]",
    b"{}",
)


class Trial:
    """A window, and what was seen of it."""

    def __init__(self, seconds: int, times: int) -> None:
        self.qt, self.seconds, self.times = application(), seconds, times
        self.done = 0
        self.wrong: list[str] = []
        self.measured: list[tuple[int, int]] = []
        sys.excepthook = lambda kind, error, _: self.wrong.append(
            f"{kind.__name__}: {error}"
        )
        self.window = MainWindow()
        self.window.resize(1280, 800)
        self.window.show()
        self.window.start()
        self.wait(lambda: self.window.workspace is not None)

    def turns(self) -> Iterator[int]:
        """Count, as long as time or times are left, and measure now and then."""
        begin, passed = time.monotonic(), 0.0
        while passed < 1:
            yield self.done
            self.done += 1
            lasted = (time.monotonic() - begin) / self.seconds
            passed = min(lasted, self.done / self.times)
            if passed > len(self.measured) / MEASUREMENTS:
                self.measure()

    def turn(self) -> None:
        """Let the window do what is due."""
        self.qt.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)

    def wait(self, ready: Callable[[], bool]) -> None:
        """Let the window work until something is so, or it takes too long."""
        end = time.monotonic() + PATIENCE
        while not ready() and time.monotonic() < end:
            self.turn()
        if not ready():
            self.wrong.append("hang")

    def open(self, path: str) -> str:
        """Open something, wait until it is drawn; returns why it is refused."""
        session, workspace = self.window.session, self.window.workspace
        self.window.open(path)
        self.wait(lambda: session.state.opening is None)
        if session.state.failure:
            return session.state.failure
        scene = workspace.scene if workspace else None
        if scene is not None:
            self.wait(lambda: scene.content is not None and not scene.busy)
        return ""

    def measure(self) -> None:
        """Note what the process holds."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        status = Path("/proc/self/status").read_text().split("RssAnon:")[1]
        descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        self.measured.append((int(status.split()[0]) >> 10, descriptors))


def opens(trial: Trial, paths: list[str]) -> None:
    """Open one path after the other."""
    for number in trial.turns():
        told = trial.open(paths[number % len(paths)])
        if told:
            trial.wrong.append(f"{paths[number % len(paths)]}: {told}")


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Flip a bit, cut the end off, or put something else in a number's place."""
    place = chance.randrange(len(data))
    numbers = list(re.finditer(rb"-?\b[0-9.]+\b", data))
    kind = chance.random()
    if kind < 0.3 or not numbers:
        flipped = bytes([data[place] ^ 1 << chance.randrange(8)])
        return data[:place] + flipped + data[place + 1 :]
    if kind < 0.4:
        return data[:place]
    number = chance.choice(numbers)
    return data[: number.start()] + chance.choice(INSTEAD) + data[number.end() :]


def damaged(trial: Trial, paths: list[str]) -> None:
    """Open a damaged digest, and a trace with a damaged session, in turn."""
    digest, trace = paths
    chance, whole = random.Random(1), Path(digest).read_bytes()
    copy = Path(digest).with_name("damaged.topoview")
    trial.open(trace)
    state = trial.window.session.state
    assert state.analysis is not None
    trial.window.session.update(time=state.window[1] // 2)
    session = kept_path(state.analysis.trace)
    save_session(trial.window.session.state, session)
    view = session.read_bytes()
    for number in trial.turns():
        if number % 2:
            copy.write_bytes(spoilt(whole, chance))
            told = trial.open(str(copy))
        else:
            session.write_bytes(spoilt(view, chance))
            told = trial.open(trace)
            if told:
                trial.wrong.append(f"a damaged session: {told}")
        if "\n" in told or "fault in topoview" in told:
            trial.wrong.append(f"{number}: {told}")


def actions(trial: Trial, paths: list[str]) -> None:
    """Trigger actions and click on panels at random."""

    def refuse() -> None:
        for found in (
            QApplication.activeModalWidget(),
            QApplication.activePopupWidget(),
        ):
            if found is not None:
                found.close()

    timer = QTimer()
    timer.timeout.connect(refuse)
    timer.start(20)
    chance = random.Random(trial.seconds)
    trial.open(paths[0])
    window, workspace = trial.window, trial.window.workspace
    assert workspace is not None
    shown = window.actions_shown.qt
    names = [
        action.name
        for action in ACTIONS
        if action.name not in AWAY and not action.name.startswith("demo-")
    ]
    for _ in trial.turns():
        if chance.random() < 0.7:
            enabled = [name for name in names if shown[name].isEnabled()]
            shown[chance.choice(enabled)].trigger()
        else:
            panel: QWidget = workspace.panel(chance.choice(tuple(PANELS)))
            areas = [a.viewport() for a in panel.findChildren(QAbstractScrollArea)]
            seen = [area for area in areas or [panel] if area.isVisible()]
            for area in seen[:1]:
                place = (chance.randrange(max(n, 1)) for n in area.size().toTuple())
                QTest.mouseClick(area, Qt.MouseButton.LeftButton, pos=QPoint(*place))
        trial.turn()
        if window.session.state.analysis is None:
            trial.open(chance.choice(paths))
    window.session.update(playing=False)


def main() -> None:
    """Run one trial, and tell of it."""
    kind, seconds, times, *paths = sys.argv[1:]
    trial = Trial(int(seconds), int(times))
    {"opens": opens, "actions": actions, "damaged": damaged}[kind](trial, paths)
    trial.window.close()
    record = {"done": trial.done, "wrong": trial.wrong, "measured": trial.measured}
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
