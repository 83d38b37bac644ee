"""Frames a second in the real window while it plays, and how long its turns are.

Run: ``xvfb-run -a -s "-screen 0 1920x1200x24" python benchmarks/scene_window.py
[RANKS | FILE ...]``. A simulated grid is opened in a window as it is at first, whatever
the user's own looks like. Played from a quarter of its time on with all panels, then
turned, at 1920 x 1080 and 1280 x 800 pixels of the window. A file (`many_ranks.py`
writes one of a million ranks) is opened as users do. Prints for each

- of a file the seconds of each stage of opening it, the longest turn in each, and the
  most memory of the window's process and of a worker so far,
- the frames a second of several rounds (the best and the median), milliseconds of a
  frame, and the processor's milliseconds that a frame takes, of the window's thread
  and of all threads (the least; other programs disturb these less), the shares of the
  window's thread that the scene's colours, VTK, what is written over it and the other
  panels' answers take (the rest is Qt's painting), and the detail that was left,
- of the first showing and of what users do: the longest turn of the event loop, in
  milliseconds that the window's thread had of a processor, beside VTK's drawing; and
  how many frames VTK drew. Other programs make turns last longer, but hardly these.
"""

import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, thread_time

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from topoview.pipeline import analyse
from topoview.scene.level_of_detail import DETAIL_STEPS, FULL_DETAIL
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.app import SWITCH_INTERVAL, application
from topoview.ui.shell.window import MainWindow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import SIDES, grid_program, simulate

SECONDS, ROUNDS = 4.0, 3
WINDOWS = (1920, 1080), (1280, 800)
PATIENCE = 300.0
MAX_OPENING_SECONDS = 3600.0
CALM = 0.5
"""Seconds without anything left to do after which an action is over."""

EVENTS = (
    QEventLoop.ProcessEventsFlag.AllEvents
    | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
)


class Watch:
    """Adds up the processor's seconds that methods take in the window's thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.frames = 0

    def over(self, owner: object, name: str, label: str) -> None:
        """Count calls of a method from now on."""
        plain = getattr(owner, name)

        def counted(*args: object, **more: object) -> object:
            begin = thread_time()
            try:
                return plain(*args, **more)
            finally:
                took = thread_time() - begin
                self.seconds[label] = self.seconds.get(label, 0.0) + took
                self.frames += label == "VTK"

        setattr(owner, name, counted)

    def turn(self) -> float:
        """Let the window work for a turn; seconds of it beside VTK's drawing."""
        begin, drawn = thread_time(), self.seconds.get("VTK", 0.0)
        QApplication.processEvents(EVENTS)
        return thread_time() - begin - (self.seconds.get("VTK", 0.0) - drawn)

    def wait(self, until: Callable[[], bool]) -> float:
        """Let the window work until something holds; its longest turn until then."""
        end, longest = perf_counter() + PATIENCE, 0.0
        while not until():
            longest = max(longest, self.turn())
            if perf_counter() > end:
                sys.exit("the window did not come to rest")
        return longest

    def act(self, name: str, scene: SceneView, do: Callable[[], object]) -> str:
        """Do something, wait until the window is calm, and tell of its turns."""
        frames, last = self.frames, perf_counter()
        QTimer.singleShot(0, do)
        longest = self.turn()
        while perf_counter() - last < CALM:
            longest = max(longest, self.turn())
            if scene.busy:
                last = perf_counter()
        return f"{name} {1e3 * longest:.0f} ({self.frames - frames})"


def shown(scene: SceneView, ranks: int) -> bool:
    """Tell whether a scene shows so many ranks, and rests."""
    return scene.scene.ranks == ranks and not scene.busy


def move(  # noqa: PLR0913
    name: str,
    window: MainWindow,
    scene: SceneView,
    watch: Watch,
    begin_round: Callable[[int], object],
    step: Callable[[float], object],
) -> None:
    """Have the scene move for a few seconds, several times, and print what that took.

    Parameters
    ----------
    begin_round
        Begins a round, of a number.
    step
        Called after each frame.
    """
    rates: list[float] = []
    rendered: list[float] = []
    turn = own = 0.0
    parts: dict[str, float] = {}
    spent = gui = float("inf")
    detail = FULL_DETAIL
    scene.canvas.rendered.connect(rendered.append)
    for number in range(ROUNDS):
        watch.wait(lambda: not scene.busy)
        rendered.clear()
        watch.seconds.clear()
        begin_round(number)
        scene.canvas.rendered.connect(step)
        begin, used, own = perf_counter(), process_time(), thread_time()
        while perf_counter() - begin < SECONDS:
            turn = max(turn, watch.turn())
        whole, own = perf_counter() - begin, thread_time() - own
        count = max(len(rendered), 1)
        spent, gui = min(spent, (process_time() - used) / count), min(gui, own / count)
        detail = scene.scene.detail
        rates.append(len(rendered) / whole)
        parts = dict(watch.seconds)
        scene.canvas.rendered.disconnect(step)
        window.session.update(playing=False)
        turn = max(turn, watch.wait(lambda: not scene.busy))
    scene.canvas.rendered.disconnect(rendered.append)
    parts["other panels"] = parts.pop("update", 0.0) - parts.get("colours", 0.0)
    shares = ", ".join(f"{part} {took / own:.0%}" for part, took in parts.items())
    print(
        f"  {name} at {scene.width()} x {scene.height()}: {max(rates):5.1f} frames a "
        f"second (median {median(rates):.1f}), {1e3 / max(rates):.1f} ms each; "
        f"processor {1e3 * gui:.1f} ms, {1e3 * spent:.1f} with all threads; {shares}; "
        f"detail step {DETAIL_STEPS.index(detail)}; longest turn {1e3 * turn:.0f} ms",
        flush=True,
    )


def play(window: MainWindow, scene: SceneView, watch: Watch) -> None:
    """Play, and turn, in windows of some sizes."""
    session = window.session
    assert session.state.analysis is not None
    length = session.state.analysis.trace.clock.length

    def begin(number: int) -> None:
        session.update(time=length // 4 + number + 1, playing=True)

    def drag(_: float) -> None:
        QTimer.singleShot(0, partial(scene.canvas.dragged.emit, "rotate", 6.0, 1.0))

    for size in WINDOWS:
        window.resize(*size)
        watch.wait(lambda: not scene.busy)
        move("playing", window, scene, watch, begin, lambda _: None)
        move("turning", window, scene, watch, drag, drag)


def change(window: MainWindow, scene: SceneView, watch: Watch) -> None:
    """Do what users do, and print its longest turns."""
    session = window.session
    ranks = scene.scene.ranks
    assert session.state.analysis is not None
    length = session.state.analysis.trace.clock.length
    told = []
    for name, do in (
        ("nothing", lambda: None),
        ("seek", partial(session.update, time=length // 2)),
        ("layout flat", partial(session.show_layout, "flat")),
        ("layout line", partial(session.show_layout, "line")),
        ("layout home", partial(session.show_layout, "")),
        ("colours wait", partial(session.change, "scene", colouring="wait")),
        ("colours state", partial(session.change, "scene", colouring="state")),
        ("chains", partial(session.change, "scene", chains=True)),
        ("no chains", partial(session.change, "scene", chains=False)),
        ("labels", partial(session.change, "scene", labels="rank")),
        ("no labels", partial(session.change, "scene", labels="")),
        ("select all", partial(session.select, ranks=tuple(range(ranks)))),
        ("select none", partial(session.select, ranks=())),
        ("dark", partial(choose_theme, "dark", window.context)),
        ("light", partial(choose_theme, "light", window.context)),
    ):
        told.append(watch.act(name, scene, do))
    print("    longest turns beside VTK, ms (frames): " + ", ".join(told))


def simulated(window: MainWindow, scene: SceneView, watch: Watch, ranks: int) -> None:
    """Show a grid that was simulated and analysed here."""
    trace = simulate(grid_program(ranks))
    *_, known = analyse(trace)
    begin, length = perf_counter(), trace.clock.length
    opened = partial(
        window.session.update, analysis=known, window=(0, length), time=length // 4
    )
    QTimer.singleShot(0, opened)
    longest = watch.wait(partial(shown, scene, ranks))
    print(
        f"{ranks:>7} ranks are shown after {perf_counter() - begin:.2f} s, "
        f"longest turn beside VTK {1e3 * longest:.0f} ms"
    )


def opened(window: MainWindow, scene: SceneView, watch: Watch, path: str) -> None:
    """Open a file as the user does, and print what each stage of that takes."""
    session, begin = window.session, perf_counter()
    stages: dict[str, float] = {}
    longest: dict[str, float] = {}
    seen = last = 0.0
    window.open(path)
    while session.state.opening is not None or scene.busy:
        opening = session.state.opening
        stage = opening.stage if opening is not None else "showing the rest"
        turn = watch.turn()
        now = perf_counter() - begin
        stages[stage] = stages.get(stage, 0.0) + now - last
        longest[stage] = max(longest.get(stage, 0.0), turn)
        last = now
        if not seen and scene.scene.ranks:
            seen = now
        if now > MAX_OPENING_SECONDS:
            sys.exit("it was not opened")
    if session.state.failure:
        sys.exit(session.state.failure)
    print(
        f"{scene.scene.ranks:>7} ranks of {path} are shown after {seen:.1f} s, all is "
        f"known after {last:.1f} s; longest turn beside VTK "
        f"{1e3 * max(longest.values()):.0f} ms"
    )
    for stage, took in stages.items():
        print(
            f"    {took:7.1f} s, longest turn {1e3 * longest[stage]:4.0f} ms: {stage}"
        )
    own, worker = (
        resource.getrusage(who).ru_maxrss / 2**20
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"    most memory: the window {own:.1f} GB, a worker {worker:.1f} GB")


def main() -> None:
    """Measure each size."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    application()
    window = MainWindow(Settings(MemoryStore()))
    choose_theme("light", window.context)
    window.resize(1280, 800)
    window.show()
    window.start()
    while window.workspace is None:
        QApplication.processEvents()
        time.sleep(0.002)
    scene = window.workspace.scene
    watch = Watch()
    watch.over(scene, "_colour", "colours")
    watch.over(scene.canvas._window, "Render", "VTK")
    watch.over(scene.written, "paint", "written")
    watch.over(window.session, "update", "update")
    beat = QTimer()  # else a turn could wait for ever
    beat.start(20)
    for told in sys.argv[1:] or map(str, SIDES):
        window.session.update(analysis=None)
        if told.isdecimal():
            simulated(window, scene, watch, int(told))
        else:
            opened(window, scene, watch, told)
        play(window, scene, watch)
        change(window, scene, watch)
    beat.stop()
    window.close()


if __name__ == "__main__":
    main()
