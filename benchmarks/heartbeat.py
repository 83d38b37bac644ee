"""How long the window's event loop stalls while a trace is opened.

Run: ``python benchmarks/heartbeat.py TRACE`` (under xvfb-run without a display). A
timer of 1 ms beats in the GUI's thread; the gaps between beats are collected for
reading, for analysing, and for opening from the cache. A second thread looks at what
the GUI's thread does: gaps in which it draws are told apart, and so are those in
which even that second thread stood still, because someone held Python's lock, or in
which this process had less than half of a core: other programs had it.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
import traceback
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

LONG = 0.050
DRAWING = ("render", "paint", "Render", "draw", "_make_workspace", "show")


@dataclass
class Gap:
    """A stretch without a beat."""

    begin: float
    end: float
    cpu: float
    own: float
    """Seconds of a core that the process and that the GUI's thread had."""

    @property
    def length(self) -> float:
        """Seconds."""
        return self.end - self.begin


@dataclass
class Watcher(threading.Thread):
    """Looks every 4 ms at what a thread does."""

    watched: int
    looks: list[tuple[float, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the thread."""
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        """Hash as a thread does."""
        return id(self)

    def run(self) -> None:
        """Look, for ever."""
        while True:
            frames = sys._current_frames()
            here = where(frames.pop(self.watched, None))
            frames.pop(threading.get_ident(), None)
            others = [name for name in map(where, frames.values()) if name]
            self.looks.append((time.perf_counter(), here, "; ".join(others)))
            time.sleep(0.004)


def where(frame: FrameType | None) -> str:
    """Names of the functions that a thread is in, those of topoview."""
    names = [
        f"{Path(entry.filename).stem}.{entry.name}"
        for entry in traceback.extract_stack(frame)
        if "topoview" in entry.filename
    ]
    return " > ".join(names[-3:])


def classify(gap: Gap, looks: list[tuple[float, str, str]]) -> tuple[str, str]:
    """Say why a gap was: other programs, drawing, the lock, or else; and where."""
    if gap.cpu < gap.length / 2:
        return "starved", f"{1e3 * gap.cpu:.0f} ms of CPU"
    inside = [look for look in looks if gap.begin <= look[0] <= gap.end]
    if len(inside) < gap.length / 0.004 / 4:
        after = next((look for look in looks if look[0] > gap.end), (0.0, "", ""))
        return "lock", f"{inside[-1][2] if inside else ''} | then {after[2]}"
    places = [place for _, place, _ in inside]
    place = max(set(places), key=places.count)
    if not place and gap.own > gap.length / 2:
        return "drawing", "Qt's own code"
    return ("drawing" if any(word in place for word in DRAWING) else "other"), place


def report(gaps: dict[str, list[Gap]], looks: list[tuple[float, str, str]]) -> None:
    """Print the longest gaps of each phase."""
    for name, found in gaps.items():
        kinds: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for gap in found:
            if gap.length > LONG:
                kind, place = classify(gap, looks)
                kinds[kind].append((gap.length, place))
        longest = max(gap.length for gap in found)
        print(f"{name}: longest gap {1e3 * longest:.0f} ms, {len(found)} beats")
        for kind, told in kinds.items():
            for length, place in sorted(told, reverse=True)[:3]:
                print(f"    {1e3 * length:5.0f} ms {kind:<8} {place}")


def main() -> None:
    """Open a trace twice and print the longest gaps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=Path)
    path = parser.parse_args().trace
    cache = tempfile.TemporaryDirectory()
    os.environ["TOPOVIEW_CACHE"] = cache.name

    from PySide6.QtCore import QTimer

    from topoview.ui.app import SWITCH_INTERVAL, application
    from topoview.ui.settings import Forgetful, Settings
    from topoview.ui.window import MainWindow

    sys.setswitchinterval(SWITCH_INTERVAL)
    qt = application()
    window = MainWindow(Settings(Forgetful()))
    window.resize(1280, 800)
    window.show()
    window.start()
    while window.workspace is None:
        qt.processEvents()
    end = time.perf_counter() + 2
    while time.perf_counter() < end:
        qt.processEvents()

    gaps: dict[str, list[Gap]] = defaultdict(list)
    last, phase = time.perf_counter(), "idle"
    used, own = time.process_time(), time.thread_time()

    def beat() -> None:
        nonlocal last, used, own
        now, cpu, mine = time.perf_counter(), time.process_time(), time.thread_time()
        gaps[phase].append(Gap(last, now, cpu - used, mine - own))
        last, used, own = now, cpu, mine

    watcher = Watcher(threading.get_ident())
    watcher.start()
    timer = QTimer()
    timer.timeout.connect(beat)
    timer.start(1)
    seconds = {}
    for opening in ("first", "again"):
        began = time.perf_counter()
        window.open(str(path))
        while (state := window.session.state).opening is not None:
            phase = f"{opening}: " + ("analysing" if state.opening.read else "reading")
            qt.processEvents()
        seconds[opening] = time.perf_counter() - began
        phase, settled = "idle", time.perf_counter() + 2
        while time.perf_counter() < settled:
            qt.processEvents()
    known = window.session.state.analysis
    assert known is not None, window.session.state.failure
    print(f"{known.trace.events:,d} events; seconds until all is known: {seconds}")
    report(gaps, watcher.looks)
    window.close()
    cache.cleanup()


if __name__ == "__main__":
    main()
