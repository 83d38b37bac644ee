"""How long the window's event loop stalls while a trace is opened.

Run: ``python benchmarks/heartbeat.py TRACE`` (under xvfb-run without a display; on
Linux). A timer of 1 ms beats in the GUI's thread; the gaps between beats are collected
for reading, for analysing, and for opening from the cache. Linux tells for how long a
thread ran and for how long it waited for a core that other programs had, so that a gap
has three parts: what the thread did (mostly drawing), what it waited for a core, and
the rest, in which it was blocked: by the threads that draw without a graphics card, by
the display, or by Python's lock. A second thread looks where the GUI's thread is, which
system call it waits in, and for how long the others ran and waited for a core: if who
holds the lock has no core, other programs have it. A gap is put down to its largest
part.
"""

import argparse
import bisect
import contextlib
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple

LONG = 0.050
RENDERER = "llvmpipe"
SHOWN = 3
WAITING = (0, 7, 20, 47, 232, 271, 281)
"""Numbers of the system calls (x86) in which Qt waits for the display."""
DRAWING = (
    "render",
    "paint",
    "Render",
    "draw",
    "GL",
    "_make_workspace",
    "show",
    "shape_of",
)


@dataclass
class Gap:
    """A stretch without a beat, and what the GUI's thread had of it, in seconds."""

    begin: float
    end: float
    ran: float
    waited: float
    """For a core."""

    @property
    def length(self) -> float:
        """Seconds."""
        return self.end - self.begin

    @property
    def blocked(self) -> float:
        """Seconds that the thread neither ran nor waited for a core."""
        return self.length - self.ran - self.waited


class Share(NamedTuple):
    """Seconds that a thread ran, and waited for a core."""

    ran: float
    waited: float

    def since(self, then: "Share") -> "Share":
        """Seconds since then."""
        return Share(self.ran - then.ran, self.waited - then.waited)


class Look(NamedTuple):
    """What the watcher saw."""

    time: float
    place: str
    others: str
    call: int
    """Number of the system call that the GUI's thread is in; -1: none."""
    renderer: dict[int, Share]
    threads: dict[int, Share]
    """Those of the software that draws, and the others but the GUI's."""


class Times:
    """Share of a thread so far."""

    def __init__(self, thread: int) -> None:
        task = Path(f"/proc/self/task/{thread}")
        self.draws = task.joinpath("comm").read_text().startswith(RENDERER)
        self._file = task.joinpath("schedstat").open("rb", buffering=0)

    def __call__(self) -> Share:
        """Look."""
        ran, waited, _ = os.pread(self._file.fileno(), 100, 0).split()
        return Share(int(ran) / 1e9, int(waited) / 1e9)


class Watcher(threading.Thread):
    """Looks every 4 ms at what a thread does."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.watched = threading.get_ident()
        self.native = threading.get_native_id()
        self.looks: list[Look] = []

    def run(self) -> None:
        """Look, for ever."""
        times: dict[int, Times] = {}
        tasks = Path("/proc/self/task")
        while True:
            frames = sys._current_frames()
            here = where(frames.pop(self.watched, None))
            frames.pop(threading.get_ident(), None)
            others = [name for name in map(where, frames.values()) if name]
            shares: tuple[dict[int, Share], dict[int, Share]] = {}, {}
            for thread in {int(path.name) for path in tasks.iterdir()}:
                if thread in (self.native, self.native_id):
                    continue
                with contextlib.suppress(OSError):  # it may have ended
                    if thread not in times:
                        times[thread] = Times(thread)
                    shares[not times[thread].draws][thread] = times[thread]()
            call = tasks.joinpath(str(self.native), "syscall").read_text().split()[0]
            number = int(call) if call.isdigit() else -1
            now = time.perf_counter()
            self.looks.append(Look(now, here, "; ".join(others), number, *shares))
            time.sleep(0.004)


def where(frame: FrameType | None) -> str:
    """Names of the functions that a thread is in, those of topoview."""
    names = []
    while frame is not None:
        if "topoview" in frame.f_code.co_filename:
            file = Path(frame.f_code.co_filename).stem
            names.append(f"{file}.{frame.f_code.co_name}")
        frame = frame.f_back
    return " > ".join(names[2::-1])


def busiest(now: dict[int, Share], then: dict[int, Share]) -> Share:
    """Share since then of the thread that wanted most."""
    none = Share(0.0, 0.0)
    shares = (share.since(then.get(thread, none)) for thread, share in now.items())
    return max(shares, key=sum, default=none)


def classify(gap: Gap, looks: list[Look]) -> tuple[str, str]:
    """Say what a gap was spent with, and where."""
    begin = bisect.bisect(looks, gap.begin, key=lambda look: look.time)
    end = bisect.bisect(looks, gap.end, key=lambda look: look.time)
    inside = looks[begin:end]
    places = [look.place for look in inside]
    place = max(set(places), key=places.count, default="")
    if gap.ran >= max(gap.waited, gap.blocked):
        drawing = not place or any(word in place for word in DRAWING)
        return ("drawing" if drawing else "other"), place or "Qt's own code"
    if gap.waited >= gap.blocked:
        return "starved", place
    before, after = looks[max(begin - 1, 0)], looks[min(end, len(looks) - 1)]
    draws = busiest(after.renderer, before.renderer)
    if sum(draws) > gap.blocked / 2:
        return ("drawing" if draws.ran > draws.waited else "starved"), "renderer"
    calls = [look.call for look in inside]
    if calls and sum(call in WAITING for call in calls) > len(calls) / 2:
        return "display", place
    others = max((look.others for look in (*inside, after)), key=len)
    waited = busiest(after.threads, before.threads).waited > gap.blocked / 2
    return ("starved" if waited else "lock"), f"{place} | {others}"


def report(gaps: dict[str, list[Gap]], looks: list[Look]) -> None:
    """Print the longest gaps of each phase."""
    for name, found in gaps.items():
        kinds: dict[str, list[tuple[Gap, str]]] = defaultdict(list)
        for gap in found:
            if gap.length > LONG:
                kind, place = classify(gap, looks)
                kinds[kind].append((gap, place))
        longest = max(gap.length for gap in found)
        print(f"{name}: longest gap {1e3 * longest:.0f} ms; {len(found)} beats")
        for kind, told in kinds.items():
            told.sort(key=lambda one: -one[0].length)
            for gap, place in told[:SHOWN]:
                parts = (gap.length, gap.ran, gap.waited, gap.blocked)
                row = " ".join(f"{1e3 * part:5.0f}" for part in parts)
                print(f"    {kind:<8} {row} ms  {place}")
            if len(told) > SHOWN:
                print(f"    {kind:<8} ... {len(told)} in all")


def main() -> None:
    """Open a trace twice and print the longest gaps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=Path)
    path = parser.parse_args().trace
    cache = tempfile.TemporaryDirectory()
    os.environ["TOPOVIEW_CACHE"] = cache.name

    from PySide6.QtCore import QTimer

    from topoview.ui.settings import MemoryStore, Settings
    from topoview.ui.shell.app import SWITCH_INTERVAL, application
    from topoview.ui.shell.window import MainWindow

    sys.setswitchinterval(SWITCH_INTERVAL)
    qt = application()
    window = MainWindow(Settings(MemoryStore()))
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
    times = Times(threading.get_native_id())
    share = times()

    def beat() -> None:
        nonlocal last, share
        now, then, share = time.perf_counter(), share, times()
        gaps[phase].append(Gap(last, now, *share.since(then)))
        last = now

    watcher = Watcher()
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
    print("gaps of 50 ms and more: length, ran, waited for a core, blocked; where")
    report(gaps, watcher.looks)
    window.close()
    cache.cleanup()


if __name__ == "__main__":
    main()
