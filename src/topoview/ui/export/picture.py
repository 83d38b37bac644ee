"""Pictures of the scene as PNG, SVG or PDF files, drawn off-screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QImage, QImageWriter

from topoview.base.text import tr
from topoview.errors import ExportError
from topoview.model import Analysis
from topoview.report.identification.answer import title_of
from topoview.report.write import check_writable
from topoview.scene.camera import SceneCamera
from topoview.session import State
from topoview.ui.export.render_spec import METADATA_KEY, RenderSpec
from topoview.ui.export.renderer import OffscreenRenderer, room_below_scene
from topoview.ui.export.vector import save_pdf, save_svg
from topoview.ui.panels.scene.content import SceneContent, prepare_scene
from topoview.version import __version__


def render(
    analysis: Analysis, spec: RenderSpec, laid_out: SceneContent | None = None
) -> QImage:
    """Draw the scene of an analysis as a specification says.

    Parameters
    ----------
    analysis
        With its topology identified.
    spec
        How; the picture keeps it.
    laid_out
        What has been laid out already.

    Raises
    ------
    ExportError
        The topology is not known, or nothing can be drawn on this machine.
    """
    state, content = lay_out(analysis, spec, laid_out)
    with OffscreenRenderer(state, content, spec) as offscreen:
        image = offscreen.picture(spec.time)
    for key, text in _png_metadata(state, content).items():
        image.setText(key, text)
    image.setText(METADATA_KEY, spec.text)
    set_paper_width(image, spec.width_cm)
    return image


def set_paper_width(image: QImage, width_cm: float) -> None:
    """Write into a picture how wide it is on paper; 0 writes nothing."""
    if width_cm:
        per_metre = round(image.width() / (width_cm / 100))
        image.setDotsPerMeterX(per_metre)
        image.setDotsPerMeterY(per_metre)


def save_scene(
    analysis: Analysis,
    spec: RenderSpec,
    path: Path,
    laid_out: SceneContent | None = None,
) -> None:
    """Write the scene of an analysis to a file; its suffix chooses the format.

    Each format keeps how it was made.

    Parameters
    ----------
    analysis
        With its topology identified.
    spec
        How.
    path
        PNG, SVG or PDF, by its suffix.
    laid_out
        What has been laid out already.

    Raises
    ------
    ExportError
        It cannot be drawn, or written there.
    """
    check_writable(path, "pictures", (".png", "", *PICTURE_WRITERS))
    write = PICTURE_WRITERS.get(path.suffix.lower())
    if write is None:
        save_image(render(analysis, spec, laid_out), path)
        return
    state, content = lay_out(analysis, spec, laid_out)
    title = _png_metadata(state, content)["Title"]
    with exporting(path), OffscreenRenderer(state, content, spec) as offscreen:
        write(offscreen, spec, path, title)


PICTURE_WRITERS = {
    ".svg": save_svg,
    ".pdf": save_pdf,
}
"""How files that are not made of dots are written, by their suffix."""


def lay_out(
    analysis: Analysis, spec: RenderSpec, laid_out: SceneContent | None = None
) -> tuple[State, SceneContent]:
    """Lay out what a specification shows.

    Raises
    ------
    ExportError
        The topology is not known.
    """
    state = State(
        analysis=analysis,
        time=spec.time,
        window=spec.window,
        selection=spec.selection,
        theme=spec.theme,
        match=spec.match,
        focus=spec.focus,
        scene=spec.scene,
    )
    if spec.rows is not None:
        state = replace(state, timeline=spec.rows, delay=spec.delay)
    content = prepare_scene(state, laid_out, _room_of_planes(spec))
    if content is None:
        raise ExportError(
            tr("there is no picture yet: the topology is not known so far")
        )
    if content.fault:
        raise ExportError(content.fault)
    return state, content


def _room_of_planes(spec: RenderSpec) -> tuple[float, float]:
    """Return how many pixels planes beside each other can fill, above a key."""
    camera = SceneCamera(None, (float(spec.size[0]), float(spec.size[1])))
    camera.below = float(room_below_scene(spec))
    return camera.room_of_planes


def save_image(image: QImage, path: Path) -> None:
    """Write a picture as PNG, with what it shows in its metadata.

    Raises
    ------
    ExportError
        It cannot be written there.
    """
    check_writable(path, "pictures", (".png", ""))
    packed = QBuffer()
    writer = QImageWriter(packed, b"png")
    with exporting(path):
        if not writer.write(image):
            raise OSError(0, writer.errorString().lower())
        path.write_bytes(packed.data().data())


@contextmanager
def exporting(path: Path) -> Iterator[None]:
    """Turn what goes wrong while a file is written into an `ExportError`."""
    try:
        yield
    except OSError as error:
        raise ExportError(
            tr(
                "{path} cannot be written ({reason}): check that the "
                "folder may be written to and the disk is not full",
                path=path,
                reason=error.strerror or error,
            )
        ) from error


def _png_metadata(state: State, content: SceneContent) -> dict[str, str]:
    """Metadata of the PNG (tEXt chunks)."""
    trace = content.analysis.trace
    topology = title_of(content.analysis.identification, content.match)
    return {
        "Title": f"{trace.name}: {topology}",
        "Software": tr("topoview {version}", version=__version__),
        "Source": Path(trace.path).name,
        "Topology": topology,
        "Ranks": str(trace.ranks),
        "Time": f"{trace.clock.seconds(state.time):.9g} s",
    }
