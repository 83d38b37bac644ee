"""`RenderSpec`: all that decides how a picture looks, kept in its file, read back."""

import html
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImageReader

from topoview import session
from topoview.base.text import json_text
from topoview.errors import TopoviewError
from topoview.model import Pose
from topoview.model.frozen.written_down import decode, expect

METADATA_KEY = "topoview"
"""Key of the specification among a picture's texts."""

MAX_TEXT_BYTES = 1 << 20
"""Bytes of a file among which descriptions stand: the first ones, or a film's last."""

DESCRIPTION_PATTERN = re.compile(
    r"(?:<desc>|<dc:description>.*?<rdf:li[^>]*>)(.*?)<", re.DOTALL
)

MAX_SCALE = 8
TIMELINE_SHARE = 0.42
"""Share of a figure's height that the timeline below its scene takes."""

MAX_WIDTH_CM = 500.0

INVALID_SPEC_ERRORS = (ValueError, TypeError, LookupError, RecursionError)
"""What reading nonsense comes to."""


@dataclass(frozen=True, slots=True)
class RenderSpec:
    """What decides what a picture of a trace looks like."""

    time: int
    window: tuple[int, int]
    """`time` and `window`: ticks."""
    size: tuple[int, int] = (1280, 800)
    """Width and height in pixels, footer included."""
    footer: bool = True
    """Whether there is a line below the scene."""
    scene: session.SceneOptions = field(default_factory=session.SceneOptions)
    selection: session.Selection = field(default_factory=session.Selection)
    pose: Pose | None = None
    """Where it is seen from; None: the home of the layout."""
    whole: bool = False
    """Whether all is seen from that side, however large the picture is."""
    scale: int = 1
    """Pixels of the file along each side for one of `size`."""
    transparent: bool = False
    """Nothing is behind the scene."""
    key: bool = True
    """Whether it is said what colours and lines mean."""
    path: session.FilmPath = ()
    """Where a film is seen from: poses at times in ticks, ascending; `pose` is for all
    of it if there are none."""
    theme: session.ThemeName = "light"
    match: int = 0
    focus: frozenset[int] = frozenset()
    """`scene`, `selection`, `theme`, `match` and `focus`: as in the session."""
    width_cm: float = 0.0
    """Width of the file on paper; 0: as its pixels come, a point each."""
    rows: session.TimelineOptions | None = None
    """Rows of the timeline below the scene; None: there is none."""
    delay: int = -1
    """Whose front is drawn over these rows; below 0: none."""

    @property
    def text(self) -> str:
        """JSON of it."""
        return json_text(asdict(self), default=sorted)


def render_spec_of(
    state: session.State, size: tuple[int, int], pose: Pose | None, *, footer: bool
) -> RenderSpec:
    """Write down how a state is drawn."""
    return RenderSpec(
        time=state.time,
        window=state.window,
        size=size,
        footer=footer,
        scene=state.scene,
        selection=state.selection,
        pose=pose,
        theme=state.theme,
        match=state.match,
        focus=state.focus,
    )


def read_render_spec(path: Path) -> RenderSpec:
    """Find out how a picture was made.

    Raises
    ------
    TopoviewError
        It cannot be read, is no picture, or none of topoview's scene.
    """
    if not path.is_file():
        raise TopoviewError(f"{path} does not exist: check the name")
    try:
        text = TEXT_READERS.get(path.suffix.lower(), _text_of_image)(path)
        return _parse_spec(json.loads(text))
    except OSError as error:
        raise TopoviewError(
            f"{path} cannot be read ({error.strerror}): check whether you may read it"
        ) from error
    except INVALID_SPEC_ERRORS as error:
        raise TopoviewError(
            f"{path} holds no settings of a picture: it is no picture of the scene "
            "that this version of topoview saved"
        ) from error


def _text_of_image(path: Path) -> str:
    """Read the specification's text in a PNG file."""
    return QImageReader(str(path)).text(METADATA_KEY)


def _text_of_markup(path: Path) -> str:
    """Read it in the description of an SVG file, or in the XMP of a PDF or a film."""
    with path.open("rb") as file:
        if path.suffix.lower() == ".mp4":
            file.seek(max(path.stat().st_size - MAX_TEXT_BYTES, 0))
        text = file.read(MAX_TEXT_BYTES).decode("utf-8", "replace")
    match = DESCRIPTION_PATTERN.search(text)
    return html.unescape(match[1]) if match else ""


def _text_of_gif(path: Path) -> str:
    """Read it in the comment of a GIF file."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            comment = image.info.get("comment", b"")
    except UnidentifiedImageError as error:
        raise ValueError from error
    return bytes(comment).decode()


TEXT_READERS = {
    ".svg": _text_of_markup,
    ".pdf": _text_of_markup,
    ".mp4": _text_of_markup,
    ".gif": _text_of_gif,
}
"""How the specification is read from files that are no PNG, by their suffix."""


def _parse_spec(payload: Any) -> RenderSpec:  # noqa: ANN401 - what JSON gives
    spec: RenderSpec = decode(RenderSpec, payload, "settings")
    expect(all(64 <= length <= 16384 for length in spec.size), "size")
    expect(1 <= spec.scale <= MAX_SCALE, "scale")
    expect(0 <= spec.width_cm <= MAX_WIDTH_CM, "width")
    return spec
