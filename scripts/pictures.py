#!/usr/bin/env python3
"""Draw the pictures of the documentation: all, or those that are named.

    scripts/pictures.py [NAME ...]

A name is that of a file in docs/images, without its suffix. Traces that are not
shipped are looked for in ../shared/traces; what needs one that is not there is left as
it is. All take about eight minutes. Look at the pictures before you commit them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image

SCRIPTS = Path(__file__).resolve().parent
IMAGES = SCRIPTS.parent / "docs" / "images"

DRAWING = ("screenshots.py", "films.py", "gallery.py", "gallery_network.py")
"""Each draws those of the names that it knows."""


def times() -> dict[str, int]:
    """Tell when each picture was drawn."""
    return {path.stem: path.stat().st_mtime_ns for path in IMAGES.iterdir()}


def shrink(path: Path) -> None:
    """Write a picture with a palette, in a third of the room; nothing looks different.

    The palette covers rare colours, too: those of states that few ranks are in.
    """
    if path.suffix != ".png":
        return
    picture = Image.open(path)
    if picture.mode == "P":
        return
    few = picture.convert("RGB").quantize(
        256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
    )
    few.save(path, optimize=True)


def main() -> int:
    """Run all scripts that draw; returns the exit status."""
    names, before = sys.argv[1:], times()
    start = [sys.executable]
    if not os.environ.get("DISPLAY") and shutil.which("xvfb-run"):
        start = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24", *start]
    for script in DRAWING:
        done = subprocess.run([*start, str(SCRIPTS / script), *names], check=False)
        if done.returncode:
            return done.returncode
    drawn = {name for name, time in times().items() if before.get(name) != time}
    for path in IMAGES.iterdir():
        if path.stem in drawn:
            shrink(path)
    left = sorted(set(names or before) - drawn)
    print(f"{len(drawn)} drawn" + (f"; not drawn: {', '.join(left)}" if left else ""))
    return int(bool(names and left))


if __name__ == "__main__":
    sys.exit(main())
