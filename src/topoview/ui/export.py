"""Pictures of the scene without a window: drawn large off-screen, words by Qt."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QImage, QImageWriter

from topoview import __version__
from topoview.analysis import Analysis
from topoview.errors import ExportError
from topoview.session import Selection, State, View
from topoview.ui.overlay.paint import FOOTER as FOOTER
from topoview.ui.recipe import KEY, Recipe
from topoview.ui.scene.content import SceneContent, prepare
from topoview.ui.studio import Studio
from topoview.ui.vector import save_pdf, save_svg


def render_image(  # noqa: PLR0913 - what can be asked for
    analysis: Analysis,
    *,
    time: int,
    size: tuple[int, int] = (1280, 800),
    theme: str = "light",
    selection: Selection | None = None,
    view: View | None = None,
    footer: bool = True,
) -> QImage:
    """Draw the scene of an analysis.

    Parameters
    ----------
    analysis
        With its topology identified.
    time
        Ticks.
    size
        Width and height of the picture in pixels, footer included.
    theme
        ``light`` or ``dark``.
    selection, view
        What is selected, and how things are shown; `theme` holds.
    footer
        Whether a line below tells program, topology, time and program version.

    Raises
    ------
    ExportError
        The topology is not known, or nothing can be drawn on this machine.
    """
    recipe = Recipe(
        time,
        (0, analysis.trace.clock.length),
        size,
        footer,
        replace(view or View(), theme=theme),
        selection or Selection(),
        pose=None,
    )
    return make(analysis, recipe)


def make(
    analysis: Analysis, recipe: Recipe, known: SceneContent | None = None
) -> QImage:
    """Draw the scene of an analysis as a recipe says.

    Parameters
    ----------
    analysis
        With its topology identified.
    recipe
        How; the picture keeps it.
    known
        What has been laid out already.

    Raises
    ------
    ExportError
        The topology is not known, or nothing can be drawn on this machine.
    """
    state, content = stage(analysis, recipe, known)
    with Studio(state, content, recipe) as studio:
        image = studio.picture(recipe.time)
    for key, text in _facts(state, content).items():
        image.setText(key, text)
    image.setText(KEY, recipe.text)
    return image


def save(
    analysis: Analysis, recipe: Recipe, path: Path, known: SceneContent | None = None
) -> None:
    """Write the scene of an analysis to a file; its suffix chooses the format.

    Each format keeps how it was made.

    Parameters
    ----------
    analysis
        With its topology identified.
    recipe
        How.
    path
        PNG, SVG and PDF are pictures, GLB (glTF) is a model in space.
    known
        What has been laid out already.

    Raises
    ------
    ExportError
        It cannot be drawn, or written there.
    """
    check_path(path, "pictures", (".png", "", *WRITERS))
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        save_image(make(analysis, recipe, known), path)
        return
    state, content = stage(analysis, recipe, known)
    title = _facts(state, content)["Title"]
    try:
        with Studio(state, content, recipe) as studio:
            write(studio, recipe, path, title)
    except OSError as error:
        raise ExportError(
            f"{path} cannot be written ({error.strerror or error}): check that the "
            "folder may be written to and the disk is not full"
        ) from error


def _save_model(studio: Studio, recipe: Recipe, path: Path, title: str) -> None:
    from topoview.scene.solid import MOST, gltf

    found, places = studio.solid(recipe.time)
    if len(places) > MOST:
        raise ExportError(
            f"{path} is not written: models have at most {MOST} ranks, these are "
            f"{len(places)}; choose PNG, SVG or PDF"
        )
    facts = {"title": title, KEY: recipe.text}
    path.write_bytes(gltf(found, places, facts))


WRITERS = {
    ".svg": save_svg,
    ".pdf": save_pdf,
    ".glb": _save_model,
}
"""How files that are not made of dots are written, by their suffix."""


def stage(
    analysis: Analysis, recipe: Recipe, known: SceneContent | None = None
) -> tuple[State, SceneContent]:
    """Lay out what a recipe shows.

    Raises
    ------
    ExportError
        The topology is not known.
    """
    state = State(
        analysis=analysis,
        time=recipe.time,
        window=recipe.window,
        selection=recipe.selection,
        view=recipe.view,
    )
    content = prepare(state, known)
    if content is None:
        raise ExportError("there is no picture yet: the topology is not known so far")
    if content.fault:
        raise ExportError(content.fault)
    return state, content


def save_image(image: QImage, path: Path) -> None:
    """Write a picture as PNG, with what it shows in its metadata.

    Raises
    ------
    ExportError
        It cannot be written there.
    """
    check_path(path, "pictures", (".png", ""))
    writer = QImageWriter(str(path), b"png")
    if not writer.write(image):
        raise ExportError(
            f"{path} cannot be written ({writer.errorString().lower()}): check that "
            "the folder may be written to and the disk is not full"
        )


def check_path(path: Path, what: str, suffixes: tuple[str, ...]) -> None:
    """See that a file can be written under a name.

    Raises
    ------
    ExportError
        It cannot.
    """
    if path.suffix.lower() not in suffixes:
        kinds = " or ".join(suffix[1:].upper() for suffix in suffixes if suffix)
        raise ExportError(
            f"{path} cannot be written: {what} are {kinds} files; name it "
            f"{path.with_suffix(suffixes[0]).name}"
        )
    if path.is_dir():
        raise ExportError(f"{path} is a folder: name a file in it")
    if not path.absolute().parent.is_dir():
        raise ExportError(f"{path} cannot be written: there is no folder {path.parent}")


def _facts(state: State, content: SceneContent) -> dict[str, str]:
    """Metadata of the PNG (tEXt chunks)."""
    trace = content.known.trace
    return {
        "Title": f"{trace.name}: {content.match.topology.name}",
        "Software": f"topoview {__version__}",
        "Source": Path(trace.path).name,
        "Topology": content.match.topology.name,
        "Ranks": str(trace.ranks),
        "Time": f"{trace.clock.seconds(state.time):.9g} s",
    }
