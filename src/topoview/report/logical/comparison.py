"""Show how logical traces differ, line by line: two, or those of several sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from topoview.analysis.comparing.lines import align_listings
from topoview.analysis.comparing.sizes import facts_of, listings_across, rule_of
from topoview.base.text import plural, share_text, tr
from topoview.logical.listing import lines
from topoview.model import (
    Column,
    Ints,
    Line,
    LogicalTrace,
    Schema,
    Table,
    Topology,
    words,
)

INDENT = "    "

DIFFERING_KINDS = ("changed", "removed", "added")
"""Kinds of a `Change` whose words differ."""


@dataclass(frozen=True, slots=True)
class Change:
    """A line of one logical trace, of the other, or of both."""

    kind: str
    """``same``, ``indented`` (the same words in another depth: what is around them
    differs), ``changed`` (the same call or head with another size, count or condition),
    ``removed`` (only in the first), ``added`` (only in the second)."""
    a: int | None
    b: int | None
    """`a` and `b`: numbers of the lines, from 0; None where there is none."""
    text_a: str
    text_b: str
    """`text_a` and `text_b`: the lines, indented; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two logical traces differ."""

    changes: tuple[Change, ...]
    """All lines in order."""
    ranks: tuple[int, int]
    statements: tuple[int, int]
    """`ranks` and `statements`: of both."""

    def count(self, kind: str) -> int:
        """Count the lines of a kind."""
        return sum(change.kind == kind for change in self.changes)

    @property
    def equal(self) -> bool:
        """Whether all lines are the same, and as deep."""
        return self.count("same") == len(self.changes)

    @property
    def alike(self) -> float:
        """Share of the lines of both whose words the other has, too, in [0, 1]."""
        sides = sum(1 + (c.a is not None and c.b is not None) for c in self.changes)
        alike = sum(c.kind not in DIFFERING_KINDS for c in self.changes)
        return 2 * alike / sides if sides else 1.0


def compare(
    a: LogicalTrace, b: LogicalTrace, aligned: Ints | None = None
) -> Comparison:
    """Compare two logical traces line by line.

    Parameters
    ----------
    aligned : int64, shape (lines of a,)
        As `align_listings` finds it, which is asked where it is not given.
    """
    alignment = align_listings(a, b) if aligned is None else aligned
    ours, theirs = lines(a), lines(b)
    texts = [[_indented(line) for line in some] for some in (ours, theirs)]
    words = [[line.text for line in some] for some in (ours, theirs)]
    pairs = [(i, j) for i, j in enumerate(alignment.tolist()) if j >= 0]
    changes = _all_changes(texts, words, pairs)
    return Comparison(changes, (a.ranks, b.ranks), (a.listed, b.listed))


def _all_changes(
    texts: list[list[str]], words: list[list[str]], pairs: list[tuple[int, int]]
) -> tuple[Change, ...]:
    """Return all lines, those that are aligned together."""
    changes: list[Change] = []
    i = j = 0
    for end_i, end_j in [*pairs, (len(texts[0]), len(texts[1]))]:
        changes += [
            Change("removed", k, None, texts[0][k], "") for k in range(i, end_i)
        ]
        changes += [Change("added", None, k, "", texts[1][k]) for k in range(j, end_j)]
        if end_i < len(texts[0]) and end_j < len(texts[1]):
            one, other = texts[0][end_i], texts[1][end_j]
            kind = "same" if one == other else "changed"
            if one != other and words[0][end_i] == words[1][end_j]:
                kind = "indented"
            changes.append(Change(kind, end_i, end_j, one, other))
        i, j = end_i + 1, end_j + 1
    return tuple(changes)


def _indented(line: Line) -> str:
    return INDENT * line.depth + line.text


SIGN_OF_KIND = {
    "same": " ",
    "indented": ">",
    "changed": "~",
    "removed": "-",
    "added": "+",
}


def comparison_text(
    comparison: Comparison, names: tuple[str, str], around: int = 3
) -> str:
    """Write a comparison: ``-`` only in the first, ``+`` only in the second.

    A line that is only indented otherwise has ``>``, and stands as in the second.

    Parameters
    ----------
    around
        Lines whose words are the same to show before and after a difference;
        further ones are counted.
    """
    head = [
        f"--- {names[0]}: {plural(comparison.ranks[0], 'rank')}, "
        f"{plural(comparison.statements[0], 'statement')}",
        f"+++ {names[1]}: {plural(comparison.ranks[1], 'rank')}, "
        f"{plural(comparison.statements[1], 'statement')}",
    ]
    if comparison.equal:
        return "\n".join([*head, "the logical traces are the same"])
    rows: list[str] = []
    for row in shorten(comparison.changes, around):
        rows += [f"@@ {row} @@"] if isinstance(row, SkippedLines) else change_text(row)
    return "\n".join(
        [
            *head,
            *rows,
            f"{share_text(comparison.alike)} alike: {counts_text(comparison)}",
        ]
    )


@dataclass(frozen=True, slots=True)
class SkippedLines:
    """Lines that are not shown, as their words are the same."""

    lines: int
    indented: int

    def __str__(self) -> str:
        """Count them in words."""
        text = tr("{lines} the same", lines=plural(self.lines, "line"))
        if self.indented == self.lines:
            return tr("{text} but for the indentation", text=text)
        if self.indented:
            return tr(
                "{text}, {indented} of them indented differently",
                text=text,
                indented=self.indented,
            )
        return text


def shorten(
    changes: Sequence[Change], around: int = 3
) -> tuple[Change | SkippedLines, ...]:
    """Leave out lines of the same words that are far from differences, but count them.

    The first of those that are indented otherwise is shown: it tells where that begins.
    """
    near = bytearray(len(changes))
    before = ""
    for k, change in enumerate(changes):
        if change.kind in DIFFERING_KINDS:
            for j in range(max(k - around, 0), min(k + around + 1, len(changes))):
                near[j] = 1
        elif change.kind == "indented" != before:
            near[k] = 1
        before = change.kind
    rows: list[Change | SkippedLines] = []
    for change, kept in zip(changes, near, strict=True):
        last = rows[-1] if rows else None
        indented = int(change.kind == "indented")
        if kept:
            rows.append(change)
        elif isinstance(last, SkippedLines):
            rows[-1] = SkippedLines(last.lines + 1, last.indented + indented)
        else:
            rows.append(SkippedLines(1, indented))
    return tuple(rows)


def counts_text(comparison: Comparison) -> str:
    """Count the lines that differ, in words."""
    words = [f"{comparison.count(kind)} {kind}" for kind in DIFFERING_KINDS]
    indented = comparison.count("indented")
    if indented:
        words.append(tr("{indented} only indented differently", indented=indented))
    return ", ".join(words)


def summary_text(comparison: Comparison) -> str:
    """Describe how much is the same."""
    if comparison.equal:
        return tr(
            "The logical traces are the same: {lines}.",
            lines=plural(len(comparison.changes), "line"),
        )
    return tr(
        "{alike} of the lines are the same: {counts}.",
        alike=share_text(comparison.alike),
        counts=counts_text(comparison),
    )


def change_text(change: Change) -> list[str]:
    """Write a line, or both of its forms, as in a diff."""
    if change.kind == "changed":
        return [f"- {change.text_a}", f"+ {change.text_b}"]
    return [f"{SIGN_OF_KIND[change.kind]} {change.text_b or change.text_a}"]


def comparison_record(comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """Describe a comparison as JSON-able values; lines are numbered from 1."""
    return {
        "names": list(names),
        "ranks": list(comparison.ranks),
        "statements": list(comparison.statements),
        "equal": comparison.equal,
        "alike": comparison.alike,
        "changed": comparison.count("changed"),
        "removed": comparison.count("removed"),
        "added": comparison.count("added"),
        "indented": comparison.count("indented"),
        "changes": [
            {
                "kind": change.kind,
                "a": None if change.a is None else change.a + 1,
                "b": None if change.b is None else change.b + 1,
                "text_a": change.text_a,
                "text_b": change.text_b,
            }
            for change in comparison.changes
        ],
    }


# The listings of one program on several numbers of ranks.

SIZES: Final = Schema(
    Column("line", tip="A line that is not the same in all runs, as the first has it"),
    Column("runs", "", "on", tip="Ranks of the runs whose listing has the line"),
    Column("values", tip="A number in the line that varies, of each of these runs"),
    Column("rule", tip="What the number follows from, where that is seen"),
)


def compare_sizes(
    runs: Sequence[LogicalTrace], topologies: Sequence[Topology]
) -> tuple[str, Table]:
    """Compare the listings of runs on several numbers of ranks.

    Parameters
    ----------
    runs, topologies
        Logical traces and what was identified.

    Returns
    -------
    str
        Whether the listings are the same apart from numbers.
    Table
        What is not the same: a row a number that varies, or a line that not all have.
    """
    order = sorted(range(len(runs)), key=lambda run: runs[run].ranks)
    runs = [runs[run] for run in order]
    ranks = [logical.ranks for logical in runs]
    facts = facts_of(ranks, [topologies[run] for run in order])
    listed = listings_across(runs)
    rows: list[tuple[str, ...]] = []
    for line in listed:
        having = ", ".join(str(ranks[run]) for run in line.numbers)
        varying = list(line.varying())
        for values in varying:
            numbers = ", ".join(f"{value:.15g}" for value in values.values())
            rows.append((line.text, having, numbers, rule_of(values, facts)))
        if len(line.numbers) < len(runs) and not varying:
            rows.append((line.text, having, "", ""))
    columns = zip(*rows, strict=True) if rows else [()] * 4
    names = (column.name for column in SIZES)
    table = Table(SIZES, {n: words(c) for n, c in zip(names, columns, strict=True)})
    on = ", ".join(map(str, ranks))
    differing = sum(len(line.numbers) < len(runs) for line in listed)
    if differing:
        said = tr(
            "The listings on {ranks} ranks differ in {some} of {lines}.",
            ranks=on,
            some=differing,
            lines=plural(len(listed), "line"),
        )
    elif rows:
        said = tr(
            "The listing is the same on {ranks} ranks, apart from {numbers}.",
            ranks=on,
            numbers=plural(len(rows), "number"),
        )
    else:
        said = tr("The listing is the same on {ranks} ranks.", ranks=on)
    return said, table
