"""What a report is made of: findings, and blocks one below the other. No markup."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from topoview.model import Bytes, Claim, Table

NBSP: Final = "\u00a0"
"""What indents the lines of tables."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an analyst would say first."""

    title: str
    text: str
    """`title` and `text`: one sentence, and what it rests on."""
    about: tuple[str, ...]
    """Names of the figures and tables that show it."""
    command: str
    """What makes it again."""
    claim: Claim
    """When it is said."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A share in [0, 1] in a table's cell; its tone is a name of the page's colours."""

    share: float
    tone: str = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    """The begin of a section; `page`: on a page of its own."""

    text: str
    page: bool = False
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str
    kind: ClassVar[str] = "words"


@dataclass(frozen=True, slots=True)
class Command:
    """The command that makes a section again."""

    text: str
    kind: ClassVar[str] = "command"


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of those that come with the document, and what it shows."""

    name: str
    caption: str
    width: int = 690
    """CSS pixels on the page, of 690."""
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with a heading instead of a caption, without a number."""

    name: str
    title: str
    width: int = 300
    kind: ClassVar[str] = "chart"


Cell = str | Bar


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table."""

    name: str
    """By which findings are about it."""
    caption: str
    head: tuple[str, ...]
    """Titles; one that begins with a blank is of a column of words, others are of
    numbers. The first column is of words."""
    rows: tuple[tuple[Cell, ...], ...]
    mono: bool = False
    """Whether the first column is of statements."""
    strong: tuple[int, ...] = ()
    """Rows that stand out."""
    kind: ClassVar[str] = "table"


def table_block(
    name: str, caption: str, table: Table, *, mono: bool = False
) -> TableBlock:
    """Return the block that shows all rows of a table."""
    head = tuple(
        " " * table.is_words(column.name) * bool(place) + column.heading
        for place, column in enumerate(table.columns)
    )
    return TableBlock(name, caption, head, tuple(table.texts()), mono)


@dataclass(frozen=True, slots=True)
class Beside:
    """Blocks beside others; `share` of the width is that of the left ones."""

    left: tuple["Block", ...]
    right: tuple["Block", ...]
    share: int = 60
    kind: ClassVar[str] = "beside"


Block = Heading | Words | Command | Figure | Chart | TableBlock | Beside


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a document."""

    data: str | bytes
    """SVG as text, or a PNG file."""
    size: tuple[float, float]
    """Width and height in CSS pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Ranks in space, that a reader can turn in place of a picture."""

    positions: NDArray[np.float32]
    """float32, shape (ranks, 3): within a ball of radius 1 around the origin; z is
    up."""
    edges: NDArray[np.uint32]
    """uint32, shape (edges, 2): pairs of ranks that are joined."""
    colours: Bytes
    """uint8, shape (ranks, 3): red, green, blue."""
    size: float
    """Radius of a rank."""
    yaw: float
    pitch: float
    """`yaw` and `pitch`: radians from where it is seen first: around z from x on, and
    above the ground."""


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    title: str
    subtitle: str
    """`title` and `subtitle`: of its first page."""
    findings: tuple[Finding, ...]
    """In order of their weight."""
    blocks: tuple[Block, ...]
    """All else."""
    command: str
    source: str
    """`command` and `source`: what makes it again, and what it is about: for the foot
    of each page."""
    pictures: dict[str, Picture] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    """`pictures` and `models`: by name; a figure with a model can be turned where pages
    have scripts."""


def numbered(blocks: Sequence[Block]) -> dict[str, str]:
    """Give numbers to figures and tables in the order in which they stand.

    Returns
    -------
    dict
        ``Figure 1`` or ``Table 2`` by name.
    """
    result: dict[str, str] = {}
    counts = {"figure": 0, "table": 0}

    def count(some: Sequence[Block]) -> None:
        for block in some:
            if isinstance(block, Beside):
                count(block.left)
                count(block.right)
            elif isinstance(block, (Figure, TableBlock)):
                counts[block.kind] += 1
                result[block.name] = f"{block.kind.capitalize()} {counts[block.kind]}"

    count(blocks)
    return result


def shown(blocks: Sequence[Block], pictures: dict[str, Picture]) -> tuple[Block, ...]:
    """Leave out figures that there is no picture of, and tables without rows."""
    present: list[Block] = []
    for block in blocks:
        if isinstance(block, Beside):
            left, right = shown(block.left, pictures), shown(block.right, pictures)
            if left and right:
                present.append(Beside(left, right, block.share))
            else:
                present += [*left, *right]
        elif isinstance(block, (Figure, Chart)):
            present += [block] if block.name in pictures else []
        elif isinstance(block, TableBlock):
            present += [block] if block.rows else []
        else:
            present.append(block)
    kept: list[Block] = []
    for number, block in enumerate(present):
        after = present[number + 1] if number + 1 < len(present) else None
        if isinstance(block, Heading) and (after is None or isinstance(after, Heading)):
            continue
        kept.append(block)
    return tuple(kept)


def costliest(costs: Sequence[float], depths: Sequence[int], limit: int) -> list[int]:
    """Choose rows that cost most, with those that they are in, as long as they fit.

    Parameters
    ----------
    depths
        How far each row is indented: it is in the last one before it with less.
    """
    around: list[int] = []
    open_rows: list[int] = []
    for row, depth in enumerate(depths):
        while open_rows and depths[open_rows[-1]] >= depth:
            open_rows.pop()
        around.append(open_rows[-1] if open_rows else -1)
        open_rows.append(row)
    chosen: set[int] = set()
    for best in np.argsort(-np.asarray(costs, float), kind="stable").tolist():
        row, wanted = best, set()
        while row >= 0:
            wanted.add(row)
            row = around[row]
        if len(chosen | wanted) > limit:
            break
        chosen |= wanted
    return sorted(chosen)
