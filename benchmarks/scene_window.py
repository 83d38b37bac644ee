"""Frames a second in the real window while it plays, and what a frame's time goes to.

Run: ``xvfb-run -a -s "-screen 0 1920x1200x24" python benchmarks/scene_window.py
[RANKS ...]``. A simulated grid is opened in a window of 1280 x 800 and played from a
quarter of its time on, with all panels. Prints for each size the frames a second of
several rounds (the best and the median), milliseconds of a frame, the processor's
milliseconds that a frame takes (the least; other programs disturb these less), the
shares of the scene's colours, of VTK, of what is written over it and of the other
panels' answers (the rest is Qt's painting), the detail that was left, the longest turn
of the event loop, and the longest one when the shapes come back at rest.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time

from PySide6.QtWidgets import QApplication

from topoview.analysis.pipeline import analyse
from topoview.analysis.simulation.simulate import Program, simulate
from topoview.scene.detail import FULL, STEPS
from topoview.topology import lattice
from topoview.ui.app import application
from topoview.ui.scene.view import SceneView
from topoview.ui.window import MainWindow

SIDES = {1_000: (10, 10, 10), 10_000: (25, 20, 20), 100_000: (50, 50, 40)}
SECONDS, ROUNDS = 4.0, 3
PATIENCE = 300.0


def wait(until: Callable[[], bool]) -> None:
    """Let the window work until something holds."""
    end = perf_counter() + PATIENCE
    while not until():
        QApplication.processEvents()
        time.sleep(0.002)
        if perf_counter() > end:
            sys.exit("the window did not come to rest")


def shown(scene: SceneView, ranks: int) -> bool:
    """Tell whether a scene shows so many ranks, and rests."""
    return scene.scene.ranks == ranks and not scene.busy


class Watch:
    """Adds up the seconds that methods of an object take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def over(self, owner: object, name: str, label: str) -> None:
        """Count calls of a method from now on."""
        plain = getattr(owner, name)

        def counted(*args: object, **more: object) -> object:
            begin = perf_counter()
            try:
                return plain(*args, **more)
            finally:
                took = perf_counter() - begin
                self.seconds[label] = self.seconds.get(label, 0.0) + took

        setattr(owner, name, counted)


def resting(scene: SceneView) -> float:
    """Wait until a scene rests; the seconds of the longest turn until then."""
    longest = 0.0
    while scene.busy:
        before = perf_counter()
        QApplication.processEvents()
        longest = max(longest, perf_counter() - before)
        time.sleep(0.002)
    return longest


def play(window: MainWindow, scene: SceneView, watch: Watch) -> None:
    """Play for a few seconds, several times, and print what that took."""
    assert window.session.state.analysis is not None
    length = window.session.state.analysis.trace.clock.length
    rates: list[float] = []
    rendered: list[float] = []
    turn = whole = drawn = rest = 0.0
    spent = float("inf")
    detail = FULL
    scene.canvas.rendered.connect(rendered.append)
    for number in range(ROUNDS):
        window.session.update(time=length // 4 + number + 1)
        wait(lambda: not scene.busy and bool(rendered))
        rendered.clear()
        watch.seconds.clear()
        window.session.update(playing=True)
        begin, used = perf_counter(), process_time()
        while perf_counter() - begin < SECONDS:
            before = perf_counter()
            QApplication.processEvents()
            turn = max(turn, perf_counter() - before)
        whole = perf_counter() - begin
        spent = min(spent, (process_time() - used) / max(len(rendered), 1))
        detail = scene.scene.detail
        rates.append(len(rendered) / whole)
        drawn = sum(rendered)
        window.session.update(playing=False)
        rest = max(rest, resting(scene))
    scene.canvas.rendered.disconnect(rendered.append)
    colours = watch.seconds["colours"]
    parts = {
        "colours": colours,
        "VTK": drawn,
        "written": watch.seconds["written"],
        "other panels": watch.seconds["update"] - colours,
    }
    shares = ", ".join(f"{name} {took / whole:.0%}" for name, took in parts.items())
    print(
        f"{scene.scene.ranks:>7} ranks: {max(rates):5.1f} frames a second "
        f"(median {median(rates):.1f}), {1e3 / max(rates):.1f} ms each, "
        f"{1e3 * spent:.1f} of the processor; {shares}; "
        f"detail step {STEPS.index(detail)}; "
        f"longest turn {1e3 * turn:.0f} ms, {1e3 * rest:.0f} ms when it comes to rest"
    )


def main() -> None:
    """Measure each size."""
    application()
    window = MainWindow()
    window.choose_theme("light")
    window.resize(1280, 800)
    window.show()
    window.start()
    wait(lambda: window.workspace is not None)
    assert window.workspace is not None
    scene = window.workspace.scene
    watch = Watch()
    watch.over(scene, "_colour", "colours")
    watch.over(scene.written, "paint", "written")
    watch.over(window.session, "update", "update")
    for ranks in map(int, sys.argv[1:] or SIDES):
        dims = SIDES.get(ranks) or (ranks,)
        trace = simulate(Program(lattice(dims, (False,) * len(dims)), iterations=3))
        *_, known = analyse(trace)
        begin, length = perf_counter(), trace.clock.length
        window.session.update(analysis=known, window=(0, length), time=length // 4)
        wait(partial(shown, scene, ranks))
        print(f"{ranks:>7} ranks are shown after {perf_counter() - begin:.2f} s")
        play(window, scene, watch)
    window.close()


if __name__ == "__main__":
    main()
