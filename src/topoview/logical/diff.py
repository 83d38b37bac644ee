"""Two logical traces held against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from topoview.logical.alignment import align, limit_for
from topoview.logical.lines import Line, lines
from topoview.logical.words import plural, share
from topoview.model import Call, Ints, LogicalTrace

INDENT = "    "


@dataclass(frozen=True, slots=True)
class Change:
    """A line of one logical trace, of the other, or of both.

    Attributes
    ----------
    kind
        ``same``, ``changed`` (the same call or head with another size, count or
        condition, or in another depth), ``removed`` (only in the first), ``added``
        (only in the second).
    a, b
        Numbers of the lines, from 0; None where there is none.
    text_a, text_b
        The lines, indented; empty where there is none.
    """

    kind: str
    a: int | None
    b: int | None
    text_a: str
    text_b: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two logical traces differ.

    Attributes
    ----------
    changes
        All lines in order.
    ranks, statements
        Of both.
    """

    changes: tuple[Change, ...]
    ranks: tuple[int, int]
    statements: tuple[int, int]

    def count(self, kind: str) -> int:
        """Count the lines of a kind."""
        return sum(change.kind == kind for change in self.changes)

    @property
    def equal(self) -> bool:
        """Whether all lines are the same."""
        return self.count("same") == len(self.changes)

    @property
    def alike(self) -> float:
        """Share of the lines of both that are the same in the other, in [0, 1]."""
        sides = sum(1 + (c.kind in ("same", "changed")) for c in self.changes)
        return 2 * self.count("same") / sides if sides else 1.0


def compare(a: LogicalTrace, b: LogicalTrace) -> Comparison:
    """Compare two logical traces line by line.

    Lines are aligned three times (`align`): first those that are the same; what lies
    between then by its words at any depth, so that a loop around lines does not make
    others of them; and what lies between those by operation and partner only, so that
    a call of another size is told as changed.
    """
    ours, theirs = lines(a), lines(b)
    texts = [[_indented(line) for line in some] for some in (ours, theirs)]
    words = [[line.text for line in some] for some in (ours, theirs)]
    keys = [[_key(line) for line in some] for some in (ours, theirs)]
    pairs = _filled([texts, words, keys], (0, len(ours)), (0, len(theirs)))
    changes = _told(texts, pairs)
    return Comparison(changes, (a.ranks, b.ranks), (a.statements, b.statements))


def _filled(
    levels: list[list[list[str]]], here: tuple[int, int], there: tuple[int, int]
) -> list[tuple[int, int]]:
    """Align by the first level, and what lies between by the further ones."""
    if not levels or here[0] >= here[1] or there[0] >= there[1]:
        return []
    one, other = levels[0]
    found = _aligned(one[slice(*here)], other[slice(*there)])
    fixed = [(here[0] + i, there[0] + j) for i, j in found]
    pairs: list[tuple[int, int]] = []
    ends = [(here[0] - 1, there[0] - 1), *fixed, (here[1], there[1])]
    for (i, j), (next_i, next_j) in pairwise(ends):
        if i >= here[0]:
            pairs.append((i, j))
        pairs += _filled(levels[1:], (i + 1, next_i), (j + 1, next_j))
    return pairs


def _told(texts: list[list[str]], pairs: list[tuple[int, int]]) -> tuple[Change, ...]:
    """Tell all lines, those that are aligned together."""
    found: list[Change] = []
    i = j = 0
    for end_i, end_j in [*pairs, (len(texts[0]), len(texts[1]))]:
        found += [Change("removed", k, None, texts[0][k], "") for k in range(i, end_i)]
        found += [Change("added", None, k, "", texts[1][k]) for k in range(j, end_j)]
        if end_i < len(texts[0]) and end_j < len(texts[1]):
            one, other = texts[0][end_i], texts[1][end_j]
            kind = "same" if one == other else "changed"
            found.append(Change(kind, end_i, end_j, one, other))
        i, j = end_i + 1, end_j + 1
    return tuple(found)


def _indented(line: Line) -> str:
    return INDENT * line.depth + line.text


def _key(line: Line) -> str:
    statement = line.statement
    if not isinstance(statement, Call):
        return line.kind
    partners = (statement.to, statement.source, statement.awaits_to)
    return f"{statement.operation} {partners} {statement.awaits_source}"


def _aligned(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of places that are aligned, ascending."""
    numbers: dict[str, int] = {}
    sides: list[Ints] = [
        np.array([numbers.setdefault(t, len(numbers)) for t in some], np.int64)
        for some in (a, b)
    ]
    if not len(a) or not len(b):
        return []
    partner = align(sides[0], sides[1], limit_for(len(a)))
    return [(i, j) for i, j in enumerate(partner.tolist()) if j >= 0]


SIGNS = {"same": " ", "changed": "~", "removed": "-", "added": "+"}


def comparison_text(found: Comparison, names: tuple[str, str], around: int = 3) -> str:
    """Write a comparison: ``-`` only in the first, ``+`` only in the second.

    Parameters
    ----------
    around
        Lines that are the same to show before and after a difference; further
        ones are counted.
    """
    head = [
        f"--- {names[0]}: {plural(found.ranks[0], 'rank')}, "
        f"{plural(found.statements[0], 'statement')}",
        f"+++ {names[1]}: {plural(found.ranks[1], 'rank')}, "
        f"{plural(found.statements[1], 'statement')}",
    ]
    if found.equal:
        return "\n".join([*head, "the logical traces are the same"])
    differs = np.array([change.kind != "same" for change in found.changes])
    near = np.zeros(len(differs), bool)
    for k in np.flatnonzero(differs).tolist():
        near[max(k - around, 0) : k + around + 1] = True
    rows: list[str] = []
    skipped = 0
    for change, kept in zip(found.changes, near.tolist(), strict=True):
        if not kept:
            skipped += 1
            continue
        if skipped:
            rows.append(f"@@ {plural(skipped, 'line')} the same @@")
            skipped = 0
        rows += _change_text(change)
    if skipped:
        rows.append(f"@@ {plural(skipped, 'line')} the same @@")
    counts = ", ".join(
        f"{found.count(kind)} {kind}" for kind in ("changed", "removed", "added")
    )
    return "\n".join([*head, *rows, f"{share(found.alike)} alike: {counts}"])


def _change_text(change: Change) -> list[str]:
    if change.kind == "changed":
        return [f"- {change.text_a}", f"+ {change.text_b}"]
    return [f"{SIGNS[change.kind]} {change.text_a or change.text_b}"]


def comparison_record(found: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """Describe a comparison as JSON-able values; lines are numbered from 1."""
    return {
        "names": list(names),
        "ranks": list(found.ranks),
        "statements": list(found.statements),
        "equal": found.equal,
        "alike": found.alike,
        "changed": found.count("changed"),
        "removed": found.count("removed"),
        "added": found.count("added"),
        "changes": [
            {
                "kind": change.kind,
                "a": None if change.a is None else change.a + 1,
                "b": None if change.b is None else change.b + 1,
                "text_a": change.text_a,
                "text_b": change.text_b,
            }
            for change in found.changes
        ],
    }
