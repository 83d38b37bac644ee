#!/usr/bin/env python3
"""Make the films of the documentation from the demo: all, or those that are named.

``film-wave`` is what ``topoview movie`` writes; ``film-report`` shows the window from
the first look at a trace to the report. Needs a display, as ``screenshots.py`` does.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from PySide6.QtGui import QImage
from screenshots import IMAGES, cause, front, show_the_wave, tab

from topoview.base.resources import demo_trace
from topoview.ui.export.report.pdf import page_image
from topoview.ui.export.report.save import make_document
from topoview.ui.panels.options import DelayOptions
from topoview.ui.shell.screenshots import complete_window, settle
from topoview.ui.shell.window import MainWindow

TREE = Path(__file__).resolve().parents[1]
FONT = TREE / "resources" / "fonts" / "Inter-Medium.otf"

WAVE = ("--begin=0.053", "--end=0.135", "--seconds=5", "--rate=5", "--size=640x440")
SIZE = (1440, 860)
"""Of the window that is filmed."""

WORDS = 52
"""Height of the line of words below the window, in pixels."""

SHARE = 0.6
"""How much of that size the film has."""


def wave(path: Path) -> None:
    """Film the idle wave of the demo."""
    command = [sys.executable, "-m", "topoview", "movie", str(demo_trace())]
    subprocess.run([*command, "-o", str(path), *WAVE], check=True)


def steps(window: MainWindow) -> Iterator[tuple[str, float]]:
    """Show the window step by step: the words below it, and for how many seconds."""
    show_the_wave(window)
    yield "topoview demo: a torus, and one rank that was late", 3
    for share in (0.1, 0.25, 0.45, 0.7, 0.95):
        front(share, window)
        yield "Space: the wait travels around the torus", 0.7
    cause(window)
    yield "Delays: what that rank cost, and how far it went", 3
    window.session.change(DelayOptions, page="advice")
    yield "Advice: what costs most, each with its numbers", 3
    tab("logical", window)
    yield "Logical trace: one program for all ranks", 3


def to_report(path: Path) -> None:
    """Film the way from the trace to the first page of its report."""
    frames: list[Image.Image] = []
    seconds: list[float] = []
    with complete_window(demo_trace(), SIZE, "light") as window:
        for words, lasting in steps(window):
            settle(window)
            frames.append(captioned(window.grab().toImage(), words))
            seconds.append(lasting)
        page = first_page(window)
        frames.append(captioned(page, "File, Save report…: HTML or PDF"))
        seconds.append(5)
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=[round(1000 * lasting) for lasting in seconds],
        loop=0,
    )


def first_page(window: MainWindow) -> QImage:
    """Return the upper part of the first page of the report."""
    analysis = window.session.state.analysis
    assert analysis is not None
    return page_image(make_document(analysis), 0, SIZE[0]).copy(0, 0, *SIZE)


def captioned(image: QImage, words: str) -> Image.Image:
    """Return a picture of the window with a line of words below it."""
    converted = image.convertToFormat(QImage.Format.Format_RGBA8888)
    shape = (converted.width(), converted.height())
    picture = Image.frombytes("RGBA", shape, bytes(converted.constBits()))
    whole = Image.new("RGB", (SIZE[0], SIZE[1] + WORDS), "white")
    whole.paste(picture.resize(SIZE), (0, 0), picture.resize(SIZE))
    font = ImageFont.truetype(FONT, 30)
    ImageDraw.Draw(whole).text((24, SIZE[1] + 8), words, "black", font)
    small = whole.resize([round(SHARE * side) for side in whole.size])
    return small.quantize(64, dither=Image.Dither.NONE)


FILMS: dict[str, Callable[[Path], None]] = {
    "film-wave": wave,
    "film-report": to_report,
}


def main() -> None:
    """Make the films that the arguments name, else all."""
    for name, make in FILMS.items():
        if name in (sys.argv[1:] or FILMS):
            make(IMAGES / f"{name}.gif")
            print(IMAGES / f"{name}.gif")


if __name__ == "__main__":
    main()
