"""The rows of the topology panel: matches, plans, parts, and what is declared."""

from dataclasses import dataclass

from topoview.base.text import grouped, mark, plural, tr
from topoview.model import (
    Analysis,
    DeclaredTopology,
    Identification,
    IdentifiedPart,
    Match,
)
from topoview.report.identification import parts
from topoview.report.identification.answer import (
    collectives_words,
    heavy_match,
    heavy_words,
    unrecorded_words,
)
from topoview.report.identification.steps import structure_words
from topoview.session import choices
from topoview.ui.widgets.formats import name_text

REMAINDER_SECTION, PLANS_SECTION, DECLARED_SECTION, OTHERS_SECTION = (
    mark("Remaining traffic"),
    mark("Plans"),
    mark("Declared"),
    mark("Other topologies"),
)

MAX_ROWS_UNFOLDED = 8
"""Rows up to which a section is unfolded at first."""


@dataclass(frozen=True, slots=True, eq=False)
class MatchRow:
    """A row."""

    name: str
    """What stands in the first column."""
    remark: str
    """Second line, may be empty."""
    tip: str
    """All names of the topology, one a line, and what else there is to say."""
    edges: float | None = None
    bytes: float | None = None
    """`edges` and `bytes`: shares covered, in [0, 1]; None if that says nothing."""
    missing: int | None = None
    """Edges of the topology that were not seen; None if that says nothing."""
    match: int = -1
    """Index among the session's `choices`, -1 if there is nothing to be shown."""
    part: IdentifiedPart | None = None
    """The part of the run that the row stands for."""
    section: str = ""
    """Of a heading: the section that it folds and unfolds."""
    folded: bool = False
    """Whether that section is folded."""


def match_rows(
    analysis: Analysis | None, turned: frozenset[str] = frozenset()
) -> list[MatchRow]:
    """List what was identified; long sections are folded unless they are turned.

    A plan that says more than the answer, the answer, what it leaves, the parts of the
    run, and the other matches.
    """
    identification = analysis.identification if analysis else None
    if identification is None:
        return []
    sections = match_sections(identification)
    rows = sections.pop("")
    if list(sections) == [OTHERS_SECTION]:  # nothing stands between
        return [*rows, *sections[OTHERS_SECTION]]
    for section, lines in sections.items():
        folded = (len(lines) > MAX_ROWS_UNFOLDED) != (section in turned)
        rows.append(_heading_row(section, lines, identification, folded=folded))
        rows += [] if folded else lines
    return rows


def match_sections(identification: Identification) -> dict[str, list[MatchRow]]:
    """Rows by section, those of the answer first, under no name; no empty ones."""
    offered = enumerate(choices(identification))
    number = {id(one.part or one.match): i for i, one in offered}
    answer, *others = (
        _match_row(match, number[id(match)], _remarks(match, identification))
        for match in identification.matches
    )
    plans = [
        MatchRow(
            name_text(plan.name),
            remark := parts.axes_words(plan),
            f"{name_text(plan.name)}\n{remark}",
            match=number[id(plan.match)],
        )
        for plan in identification.plans
    ]
    leading = int(identification.leading_plan is not None)
    left = (tr("among the pairs that the answer leaves"),)
    sections: dict[str, list[MatchRow]] = {
        "": [*plans[:leading], answer],
        PLANS_SECTION: plans[leading:],
        REMAINDER_SECTION: [
            _match_row(match, number[id(match)], left)
            for match in identification.remainder
        ],
        DECLARED_SECTION: [
            _declared_row(declared) for declared in identification.declared
        ],
    }
    for part in identification.parts:
        rows = sections.setdefault(f"{part.by.capitalize()}s", [])
        rows.append(_part_row(part, number.get(id(part), -1)))
    sections[OTHERS_SECTION] = others
    return {section: rows for section, rows in sections.items() if rows}


def edge_share(match: Match) -> float:
    """Share of the pairs that communicate which are edges of the topology."""
    seen = match.matched + match.extra
    return match.matched / seen if seen else 1.0


def _remarks(match: Match, identification: Identification) -> tuple[str, ...]:
    """Describe a match: other names, or why there is none."""
    if match.topology.is_unknown:
        if match is not identification.best:
            return (tr("the communication as it was seen"),)
        near = tr("; the nearest are below") if len(identification.matches) > 1 else ""
        structure = (
            ()
            if identification.structure is None
            else (structure_words(identification.structure),)
        )
        return (tr("no topology of the library fits{near}", near=near), *structure)
    if match.by:
        return (tr("of the collective operations of all ranks"),)
    strong: tuple[str, ...] = (tr("high-volume pairs only"),) if match.level else ()
    if match is identification.best:
        unseen = unrecorded_words(identification)
        strong += (
            (tr("partners not recorded: {unseen}", unseen=unseen),) if unseen else ()
        )
        strong += (
            (collectives_words(identification),) if identification.collectives else ()
        )
        heavy = heavy_match(identification)
        strong += () if heavy is None else (name_text(heavy_words(heavy)),)
    differing = match.edits
    if not differing:
        return strong
    words = tr("edit distance {differing}", differing=grouped(differing))
    if match.extra:
        words += f", {plural(match.extra, 'extra edge')}"
    return (*strong, words)


def _match_row(match: Match, index: int, remarks: tuple[str, ...]) -> MatchRow:
    also = ["= " + name_text(name) for name in match.also]
    if also:
        other = "= " + ", ".join(name[2:] for name in also)
        line = "; ".join((other, *remarks))
    else:
        line = "; ".join(remarks)
    tip = "\n".join((name_text(match.topology.name), *also, *_counts(match)))
    return _rated_row(match, line, tip, index)


def _counts(match: Match) -> tuple[str, ...]:
    """Count in a tooltip what the row's shares are of."""
    if not match.topology.is_named:
        return ()
    seen, own = match.matched + match.extra, match.matched + match.missing
    return (
        tr(
            "{matched} of {communicating_pairs} are edges",
            matched=grouped(match.matched),
            communicating_pairs=plural(seen, "communicating pair"),
        ),
        tr(
            "{missing} of its {edges} carry no message",
            missing=grouped(match.missing),
            edges=plural(own, "edge"),
        ),
        tr("{pairs} communicate without an edge", pairs=plural(match.extra, "pair")),
    )


def _part_row(part: IdentifiedPart, index: int) -> MatchRow:
    remark = f"{parts.part_name(part)}, {plural(len(part.ranks), 'rank')}"
    if part.by == "inference":
        remark = parts.inference_words(part)[1]
    elif part.remark:
        remark += f", {part.remark}"
    if not part.matches:
        return MatchRow(parts.found_in(part), remark, remark, part=part)
    if part.by == "inference":
        name = name_text(parts.found_in(part))
        return MatchRow(name, remark, remark, match=index, part=part)
    best = part.matches[0]
    also = (f"= {name_text(name)}" for name in best.also)
    tip = "\n".join((name_text(best.topology.name), *also, remark))
    return _rated_row(best, remark, tip, index, part)


def _declared_row(declared: DeclaredTopology) -> MatchRow:
    name = name_text(declared.topology)
    remark = f"{tr(declared.verdict)}: {parts.DECLARED_VERDICTS[declared.verdict]}"
    return MatchRow(name, remark, name_text(parts.declared_words(declared)))


def _heading_row(
    section: str, rows: list[MatchRow], identification: Identification, *, folded: bool
) -> MatchRow:
    by = section.removesuffix("s").lower()
    lines = parts.part_lines(part for part in identification.parts if part.by == by)
    remark = name_text("; ".join(lines))
    tip = "\n".join(map(name_text, lines))
    name = f"{tr(section)}  {len(rows)}"
    return MatchRow(name, remark, tip, section=section, folded=folded)


def _rated_row(
    match: Match,
    remark: str,
    tip: str,
    index: int = -1,
    part: IdentifiedPart | None = None,
) -> MatchRow:
    """Build a row with numbers, or dashes where a match is so by definition."""
    name = name_text(match.topology.name.replace(", periodic in ", ", periodic "))
    if not match.topology.is_named:
        return MatchRow(name, remark, tip, match=index, part=part)
    return MatchRow(
        name,
        remark,
        tip,
        edges=edge_share(match),
        bytes=match.bytes_covered,
        missing=match.missing,
        match=index,
        part=part,
    )
