"""Films of the scene: a time interval as MP4 or GIF.

MP4 is encoded by the system's FFmpeg, a program of its own: it brings encoders that
topoview could not be given away with (H.264's is under the GPL).
"""

import errno
import html
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import numpy as np
from PIL import Image
from PySide6.QtGui import QImage

from topoview.base.progress import Report, silent
from topoview.base.text import tr
from topoview.errors import ExportError, UsageError, begin_anew
from topoview.live.moments.film_times import film_times
from topoview.live.picking.navigation import Pace, working_window
from topoview.model import Analysis, Bytes, Trace
from topoview.report.write import check_writable
from topoview.ui.export.picture import exporting, lay_out
from topoview.ui.export.picture_choice import FILM_FORMATS
from topoview.ui.export.render_spec import RenderSpec
from topoview.ui.export.renderer import OffscreenRenderer
from topoview.ui.export.vector import XMP_TEMPLATE
from topoview.version import __version__

MAX_GIF_RATE = 12.5
"""Most frames a second of a GIF: viewers show more of them slower, not faster."""

_ENCODERS: Final = {
    "libx264": ("-crf", "18", "-preset", "veryfast"),
    "libvpx-vp9": ("-crf", "24", "-b:v", "0", "-deadline", "realtime"),
    "mpeg4": ("-q:v", "2"),
}
"""Encoders of FFmpeg, best first, each with what makes it good and fast. Not every
distribution's FFmpeg has the first ones."""

_XMP_BOX: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
"""Identifier of a box of metadata in an MP4 file (XMP Specification, part 3, 2020)."""


@dataclass(frozen=True, slots=True)
class FilmSpec:
    """What a film shows, and how fast."""

    begin: int
    end: int
    """`begin` and `end`: ticks."""
    pace: Pace
    """How long it lasts, or how fast it goes."""
    rate: float = 25.0
    """Frames a second."""

    def times(self, trace: Trace) -> list[int]:
        """Time of each frame in ticks."""
        return film_times(trace, (self.begin, self.end), self.pace, self.rate)


def film_window(
    analysis: Analysis, begin: float | None, end: float | None
) -> tuple[int, int]:
    """Return the ticks between which a film plays: where ranks communicate, or as said.

    Parameters
    ----------
    begin, end
        Seconds from the trace's beginning; None: not said.

    Raises
    ------
    UsageError
        The trace has no such stretch of time.
    """
    trace = analysis.trace
    first, last = (
        usual if said is None else trace.clock.ticks(said)
        for said, usual in zip((begin, end), working_window(analysis), strict=True)
    )
    if not 0 <= first < last <= max(trace.clock.length, 1):
        raise UsageError(
            f"{trace.name} has no such stretch of time: it lasts from 0 to "
            f"{trace.clock.seconds(trace.clock.length):.6g} s"
        )
    return first, last


def render_film(
    analysis: Analysis,
    spec: RenderSpec,
    film: FilmSpec,
    path: Path,
    report: Report = silent,
) -> None:
    """Draw a film to a file.

    Nothing is left of one that fails or is cancelled.

    Parameters
    ----------
    analysis
        With its topology identified.
    spec
        How each frame is drawn; its time does not matter. Sides of an MP4 are
        made even.
    path
        Its suffix, ``.mp4`` or ``.gif``, chooses the format.

    Raises
    ------
    ExportError
        It cannot be written, drawn, or encoded.
    Cancelled
        From `report`.
    """
    check_writable(path, "films", tuple(FILM_FORMATS))
    if path.suffix.lower() == ".gif":
        film = replace(film, rate=min(film.rate, MAX_GIF_RATE))
    else:
        _find_encoder()
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    frames = _frames(analysis, spec, film, report)
    try:
        with exporting(path):
            begin_anew(part)
            _FILM_WRITERS[path.suffix.lower()](frames, spec, film, part)
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    report("drawing the film", 1.0)


def _frames(
    analysis: Analysis, spec: RenderSpec, film: FilmSpec, report: Report
) -> Iterator[Bytes]:
    """Draw each frame: uint8, shape (height, width, 3)."""
    state, content = lay_out(analysis, spec)
    times = film.times(analysis.trace)
    running = replace(state, playing=True)  # frames tell all since the one before
    with OffscreenRenderer(running, content, spec, fast=True) as offscreen:
        for number, time in enumerate(times):
            report("drawing the film", number / len(times))
            yield _pixels(offscreen.picture(time))


def _pixels(image: QImage) -> Bytes:
    converted = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(converted.constBits(), np.uint8)
    rows = rows.reshape(converted.height(), converted.bytesPerLine())
    width = converted.width()
    return rows[:, : 3 * width].reshape(converted.height(), width, 3).copy()


def _find_encoder() -> list[str]:
    """Return FFmpeg's options for the best encoder that it has here.

    Raises
    ------
    ExportError
        There is no FFmpeg, or none that encodes films.
    """
    program = shutil.which("ffmpeg")
    if program:
        command = [program, "-hide_banner", "-encoders"]
        listed = subprocess.run(command, capture_output=True, check=False, text=True)
        for name, options in _ENCODERS.items():
            if f" {name} " in listed.stdout:
                return ["-c:v", name, *options]
    raise ExportError(
        tr(
            "films as MP4 need the program ffmpeg, which is not installed here: "
            "sudo apt-get install ffmpeg, or save a GIF"
        )
    )


def _write_mp4(
    frames: Iterator[Bytes], spec: RenderSpec, film: FilmSpec, path: Path
) -> None:
    width, height = (side - side % 2 for side in spec.size)
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo"]
    command += ["-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    command += ["-r", str(round(film.rate)), "-i", "pipe:", *_find_encoder()]
    command += ["-pix_fmt", "yuv420p", "-f", "mp4", f"file:{path.absolute()}"]
    with TemporaryFile() as log:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log) as ffmpeg:
            assert ffmpeg.stdin is not None
            try:
                for pixels in frames:
                    ffmpeg.stdin.write(pixels[:height, :width].tobytes())
                ffmpeg.stdin.close()
            except BrokenPipeError:  # it has ended, and says why
                pass
        if ffmpeg.returncode:
            log.seek(0)
            lines = log.read().decode(errors="replace").splitlines()
            raise OSError(errno.EIO, lines[-1] if lines else "ffmpeg was ended")
    title = tr("topoview {version}", version=__version__)
    words = XMP_TEMPLATE.format(title=html.escape(title), spec=html.escape(spec.text))
    content = b"uuid" + _XMP_BOX + words.encode("utf-8", "replace")
    with path.open("ab") as file:
        file.write((len(content) + 4).to_bytes(4, "big") + content)


def _write_gif(
    frames: Iterator[Bytes], spec: RenderSpec, film: FilmSpec, path: Path
) -> None:
    images = (
        Image.fromarray(pixels).quantize(128, dither=Image.Dither.NONE)
        for pixels in frames
    )
    first = next(images)
    first.save(
        path,
        "GIF",
        save_all=True,
        append_images=images,
        duration=round(1000 / film.rate),
        loop=0,
        comment=spec.text.encode("utf-8", "replace"),
    )


_FILM_WRITERS = {".mp4": _write_mp4, ".gif": _write_gif}
