"""A page about what was clicked: facts, tables and links, as HTML, text and card."""

from dataclasses import dataclass
from html import escape

from topoview.base.text import tr
from topoview.session import Picked

MAX_CARD_FACTS = 4
"""Facts that a card over the scene has room for."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to something else; `ticks` is the time to go to, if it says."""

    text: str
    to: Picked
    ticks: int | None = None


Words = tuple[str | Link, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact and what it is called; `card` tells whether the scene's card has it."""

    name: str
    words: Words
    card: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a title, and below the names of its columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    rest: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """All that is told of what was clicked."""

    title: str
    subtitle: str = ""
    """`title` and `subtitle`: what it is, and which one of how many."""
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    """`facts` and `tables`: what is known of it."""
    steps: bool = True
    """Whether there can be a next and a previous one."""


def text_of(page: Page) -> str:
    """Write a page as plain text."""
    lines = [page.title, *([page.subtitle] if page.subtitle else [])]
    width = max((len(fact.name) for fact in page.facts), default=0) + 2
    lines += [f"{fact.name:<{width}}{_plain(fact.words)}" for fact in page.facts]
    for table in page.tables:
        lines += ["", table.title, "\t".join(table.columns)]
        lines += ["\t".join(map(_plain, row)) for row in table.rows]
        lines += [tr("{rest} more", rest=table.rest)] if table.rest else []
    return "\n".join(lines)


def card_lines(page: Page) -> tuple[str, ...]:
    """Give the lines of the card over the scene: what the panel begins with."""
    facts = [fact for fact in page.facts if fact.card][:MAX_CARD_FACTS]
    head = "  ".join(filter(None, (page.title, page.subtitle)))
    return (head, *(f"{fact.name} {_plain(fact.words)}" for fact in facts))


def _plain(words: Words) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in words)


def links_of(page: Page) -> list[Link]:
    """List the links of a page in the order in which `html_of` numbers them."""
    every = [fact.words for fact in page.facts]
    every += [cell for table in page.tables for row in table.rows for cell in row]
    return [part for words in every for part in words if isinstance(part, Link)]


def html_of(page: Page, dim: str, accent: str, rule: str) -> str:
    """Write the facts and tables of a page as HTML; links are their numbers.

    Parameters
    ----------
    dim, accent, rule
        Colours of names, links and lines.
    """
    number = iter(range(len(links_of(page))))

    def cell(words: Words) -> str:
        return "".join(
            escape(part)
            if isinstance(part, str)
            else f'<a href="{next(number)}" style="color:{accent}; '
            f'text-decoration:none">{escape(part.text)}</a>'
            for part in words
        )

    name = f'<td style="color:{dim}; padding:2px 14px 2px 0; white-space:nowrap">'
    rows = [
        f"<tr>{name}{escape(fact.name)}</td>"
        f'<td style="padding:2px 0">{cell(fact.words)}</td></tr>'
        for fact in page.facts
    ]
    parts = [f'<table cellspacing="0" width="100%">{"".join(rows)}</table>']
    for table in page.tables:
        parts.append(f"<hr><p><b>{escape(table.title)}</b></p>")
        sides = ["left"] + ["right"] * (len(table.columns) - 1)
        head = "".join(
            f'<td align="{side}" style="color:{dim}; padding:1px 10px 3px 0">'
            f"{escape(text)}</td>"
            for side, text in zip(sides, table.columns, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td align="{side}" style="padding:2px 10px 2px 0">{cell(words)}</td>'
                for side, words in zip(sides, row, strict=True)
            )
            + "</tr>"
            for row in table.rows
        )
        rest = (
            tr('<p style="color:{dim}">{rest} more</p>', dim=dim, rest=table.rest)
            if table.rest
            else ""
        )
        parts.append(
            f'<table cellspacing="0" width="100%"><tr>{head}</tr>{body}</table>{rest}'
        )
    return "".join(parts).replace("<hr>", f'<hr style="background:{rule}" size="1">')
