"""Films of the scene: a time interval as MP4 or GIF."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtGui import QImage

from topoview.base.progress import Report, silent
from topoview.base.text import tr
from topoview.errors import ExportError
from topoview.live.moments.film_times import film_times
from topoview.live.picking.navigation import Pace
from topoview.model import Analysis, Bytes, Trace
from topoview.ui.export.picture import check_writable, lay_out
from topoview.ui.export.render_spec import RenderSpec
from topoview.ui.export.renderer import OffscreenRenderer
from topoview.version import __version__

FILM_SUFFIXES = (".mp4", ".gif")

MAX_GIF_RATE = 12.5
"""Most frames a second of a GIF: viewers show more of them slower, not faster."""


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
        It cannot be written, or drawn.
    Cancelled
        From `report`.
    """
    check_writable(path, "films", FILM_SUFFIXES)
    if path.suffix.lower() == ".gif":
        film = replace(film, rate=min(film.rate, MAX_GIF_RATE))
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    frames = _frames(analysis, spec, film, report)
    try:
        _FILM_WRITERS[path.suffix.lower()](frames, spec, film, part)
        part.replace(path)
    except OSError as error:
        raise ExportError(
            tr(
                "{path} cannot be written ({reason}): check that the "
                "folder may be written to and the disk is not full",
                path=path,
                reason=error.strerror or error,
            )
        ) from error
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


def _write_mp4(
    frames: Iterator[Bytes], spec: RenderSpec, film: FilmSpec, path: Path
) -> None:
    import av

    width, height = (side - side % 2 for side in spec.size)
    with av.open(str(path), "w") as container:
        container.metadata["title"] = tr("topoview {version}", version=__version__)
        container.metadata["comment"] = spec.text
        stream = container.add_stream("libx264", rate=round(film.rate))
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "18", "preset": "veryfast"}
        for pixels in frames:
            cut = np.ascontiguousarray(pixels[:height, :width])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(cut, "rgb24")))
        container.mux(stream.encode())


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
        comment=spec.text.encode(),
    )


_FILM_WRITERS = {".mp4": _write_mp4, ".gif": _write_gif}
