"""What pages are made of: blocks one below the other, and reports of them. No markup.

A page (`Page`) is the Selection panel, a card, ``topoview info`` or why a topology was
found; a report (`Document`) has figures and findings besides. `topoview.report.write`
writes pages as text, card, HTML or Markdown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from topoview.model import Bytes, Claim, Table

if TYPE_CHECKING:  # whoever only prints a page has no session
    from topoview.session import Picked

NBSP: Final = "\u00a0"
"""What indents the lines of tables."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to something else; `ticks` is the time to go to, if it says."""

    text: str
    to: "Picked"
    ticks: int | None = None


Words = tuple[str | Link, ...]
"""Text, some of which leads to something else."""


def plain(words: "Cell") -> str:
    """Write words without their links; a bar says nothing."""
    if isinstance(words, tuple):
        return "".join(w if isinstance(w, str) else w.text for w in words)
    return words if isinstance(words, str) else ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact and what it is called; `card` tells whether the scene's card has it."""

    name: str
    words: Words
    card: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts below each other; one without a name belongs to the one above it."""

    facts: tuple[Fact, ...]
    kind: ClassVar[str] = "facts"


def listed_facts(name: str, lines: Sequence[str]) -> tuple[Fact, ...]:
    """Return lines that have one name together."""
    return tuple(Fact(name * (not k), (line,)) for k, line in enumerate(lines))


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
class Paragraph:
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


Cell = str | Bar | Words


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
    rest: int = 0
    """Rows that are left out."""

    @property
    def titles(self) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        """Return the titles, and which columns are of words."""
        left = tuple(not k or title[:1] == " " for k, title in enumerate(self.head))
        return tuple(title.strip() for title in self.head), left

    kind: ClassVar[str] = "table"


def table_block(  # noqa: PLR0913 - what may be said of a table
    name: str,
    caption: str,
    table: Table,
    *,
    mono: bool = False,
    named: bool = False,
    rest: int = 0,
) -> TableBlock:
    """Return the block that shows all rows of a table.

    Parameters
    ----------
    named
        Whether columns have their names above them, as options and JSON do, in place
        of their titles.
    rest
        Rows that the table lacks.
    """
    head = tuple(
        " " * table.is_words(column.name) * bool(place)
        + (column.name if named else column.heading)
        for place, column in enumerate(table.columns)
    )
    return TableBlock(name, caption, head, tuple(table.texts()), mono, rest=rest)


@dataclass(frozen=True, slots=True)
class Beside:
    """Blocks beside others; `share` of the width is that of the left ones."""

    left: tuple["Block", ...]
    right: tuple["Block", ...]
    share: int = 60
    kind: ClassVar[str] = "beside"


Block = Heading | Paragraph | Command | Facts | Figure | Chart | TableBlock | Beside


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """What there is to say of a thing, without pictures.

    It prints itself as the command does, and as Markdown in a notebook.
    """

    title: str = ""
    subtitle: str = ""
    """`title` and `subtitle`: what it is, and which one of how many."""
    blocks: tuple[Block, ...] = ()
    steps: bool = False
    """Whether there can be a next and a previous one."""

    def __repr__(self) -> str:
        """Write the page as text."""
        from topoview.report.write import page_text

        return page_text(self)

    def _repr_markdown_(self) -> str:
        """Write the page for a notebook."""
        from topoview.report.write import page_markdown

        return page_markdown(self)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Return all facts, in order."""
        blocks = (block for block in self.blocks if isinstance(block, Facts))
        return tuple(fact for block in blocks for fact in block.facts)

    @property
    def tables(self) -> tuple[TableBlock, ...]:
        """Return all tables, in order."""
        return tuple(b for b in self.blocks if isinstance(b, TableBlock))

    @property
    def links(self) -> tuple[Link, ...]:
        """Return all links, in order."""
        texts: list[Cell] = []
        for block in self.blocks:
            if isinstance(block, Facts):
                texts += [fact.words for fact in block.facts]
            elif isinstance(block, TableBlock):
                texts += [cell for row in block.rows for cell in row]
        parts = (part for text in texts if isinstance(text, tuple) for part in text)
        return tuple(part for part in parts if isinstance(part, Link))


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
    """Enumerate figures and tables in the order in which they stand.

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
