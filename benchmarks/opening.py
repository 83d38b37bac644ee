"""When a window that is started with a trace shows what, from start of the process.

Run: ``python benchmarks/opening.py TRACE [TIMES]`` (under xvfb-run without a display;
on Linux). The trace is opened in a process of its own, with an empty cache (``first``)
and with the one that this left (``again``), the best of several times each. Printed are
seconds from the start of the process until

- window: it is painted for the first time
- timeline: rows are painted
- scene: the ranks are painted
- logical: the logical trace is listed
- all: nothing is left to do, and all that is seen is as it stays

and what the window's process computed until then, on all cores: beside other programs,
whose load is printed too, only this can be compared.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TIMES = 3
PATIENCE = 60.0
STEPS = ("window", "timeline", "scene", "logical", "all")


def start_of_process() -> float:
    """Seconds from the machine's start until this process was started."""
    ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


START = start_of_process()


def age() -> float:
    """Seconds since this process was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - START


def child(path: str) -> None:
    """Start as the command does, and print when what was seen."""
    from topoview.ui import hasten_imports

    hasten_imports()
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QPaintEvent

    from topoview.ui.settings import MemoryStore, Settings
    from topoview.ui.shell import app

    found: dict[str, float] = {}

    class Window(app.MainWindow):  # type: ignore[name-defined]
        def __init__(self, *, draws: bool) -> None:
            super().__init__(Settings(MemoryStore()), draws=draws)
            self.timer = QTimer(self)
            self.timer.timeout.connect(self.look)
            self.timer.start(2)

        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's
            super().paintEvent(event)
            found.setdefault("window", age())

        def look(self) -> None:
            frame, state = self._frame, self.session.state
            if age() > PATIENCE:
                os._exit(1)
            if frame is None or self.pages.currentWidget() is not frame:
                return
            timeline: Any = frame._panels.get("timeline")
            scene, logical = getattr(frame, "scene", None), frame._panels.get("logical")
            seen = {
                "timeline": timeline and timeline._rows[0] and timeline._still,
                "scene": scene and scene._shown is not None,
                "logical": logical and state.analysis and state.analysis.logical,
                "all": self.workspace and state.opening is None and frame.settled,
            }
            for name, there in seen.items():
                if there and found.get("window"):
                    found.setdefault(name, age())
            if len(found) == len(STEPS):
                found["computed"] = time.process_time()
                print(json.dumps(found), flush=True)
                os._exit(0)

    app.MainWindow = Window  # type: ignore[attr-defined]
    app.run([path])


def main() -> None:
    """Print a line for each way of opening."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("times", type=int, nargs="?", default=TIMES)
    parser.add_argument("--child", action="store_true")
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.trace)
        return
    if not Path(arguments.trace).exists():
        sys.exit(f"There is no trace {arguments.trace}.")
    # Python keeps what it has compiled, as where topoview is installed.
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    columns = (*STEPS, "computed")
    print(f"{'':8}" + "".join(f"{name:>10}" for name in columns))
    for name in ("first", "again"):
        best = dict.fromkeys(columns, float("inf"))
        with tempfile.TemporaryDirectory() as cache:
            for number in range(arguments.times + (name == "again")):
                own = cache if name == "again" else f"{cache}/{number}"
                told = subprocess.run(
                    [sys.executable, __file__, arguments.trace, "--child"],
                    env={**environment, "TOPOVIEW_CACHE": own},
                    stdout=subprocess.PIPE,
                    check=True,
                ).stdout
                if name == "first" or number:
                    seen = json.loads(told)
                    best = {step: min(best[step], seen[step]) for step in columns}
        print(f"{name:8}" + "".join(f"{best[step]:10.2f}" for step in columns))
    print("load {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))


if __name__ == "__main__":
    main()
