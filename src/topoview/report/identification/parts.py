"""Parts of a run, plans and declared topologies, in a few words each."""

import re
from collections.abc import Iterable
from typing import Final

from topoview.base.text import mark, plural, tr
from topoview.model import DeclaredTopology, Identification, IdentifiedPart, Match, Plan

MAX_NAMES_LISTED = 12
"""Names of parts that are listed; of more the first ones and the last."""


DECLARED_VERDICTS = {
    mark("same"): tr("exactly these pairs communicate"),
    mark("permuted"): tr("a graph like it is used, but at other ranks"),
    mark("different"): tr("something else is used"),
    mark("unused"): tr("none of its pairs communicate"),
    mark("unrecorded"): tr("whether its pairs communicate is not recorded"),
}
"""What each verdict on a declared topology means."""


def part_name(part: IdentifiedPart) -> str:
    """Name a part with what it is: ``phase 2``, ``4 communicators of 6``."""
    return part.name if part.by in part.name else f"{part.by} {part.name}"


def part_lines(parts: Iterable[IdentifiedPart]) -> list[str]:
    """Describe what was found in the parts, those alike together.

    Returns
    -------
    list of str
        One line for each inference, one for all phases, and one for each kind of
        communicator or component.
    """
    groups: dict[tuple[str, str, int, str], list[IdentifiedPart]] = {}
    parts = list(parts)
    inferred = [inference_words(part)[1] for part in parts if part.by == "inference"]
    for part in parts:
        if part.by == "inference":
            continue
        size = 0 if part.by == "phase" else len(part.ranks)
        remark = "" if part.by == "phase" else part.remark
        if _is_family(part):  # of those alike only whether they exchange messages
            remark = remark.partition(" ")[0]
        groups.setdefault((part.by, found_in(part), size, remark), []).append(part)
    phases = [_phases(what, g) for (by, what, *_), g in groups.items() if by == "phase"]
    lines = [*inferred, *(["; ".join(phases)] if phases else [])]
    for (by, what, size, remark), group in groups.items():
        if by != "phase":
            lines.append(_others(by, what, size, remark, group))
    return lines


def axes_words(plan: Plan) -> str:
    """Describe what runs along each axis: ``pipeline 4 (point to point) x ...``."""
    return " x ".join(
        f"{axis.name} {axis.size} ({', '.join(axis.by)})" for axis in plan.axes
    )


def plan_lines(identification: Identification) -> list[str]:
    """Describe the plan, with what runs along its axes, and further, coarser ones."""
    if identification.plan is None:
        return []
    further = [plan.name for plan in identification.plans[1:]]
    return [
        tr("plan: {axes}", axes=axes_words(identification.plan)),
        *([tr("also: {plans}", plans="; ".join(further))] if further else []),
    ]


def found_in(part: IdentifiedPart) -> str:
    """Name what was found in a part, and how far it is from being exact."""
    if part.by == "inference":
        return inference_words(part)[0]
    if not part.matches:
        return tr("collective operations")
    return match_words(part.matches[0])


def inference_words(part: IdentifiedPart) -> tuple[str, str]:
    """Describe what unrecorded calls may be, in a few words and a sentence with why."""
    if not part.matches:
        few = tr("perhaps equally many partners for each rank")
        sentence = tr(
            "all ranks may have equally many partners in {name}", name=part.name
        )
    else:
        name = part.matches[0].topology.name
        few, sentence = (
            tr("perhaps {name}", name=name),
            tr(
                "{part} may go along the axes of a {topology}",
                part=part.name,
                topology=name,
            ),
        )
    return few, tr(
        "not recorded, only an inference: {text}, since {remark}",
        text=sentence,
        remark=part.remark,
    )


def match_words(match: Match) -> str:
    """Name a match, with the edges that differ."""
    name = match.topology.name
    if not match.missing and not match.extra:
        return name
    return tr(
        "{name} ({missing} missing, {extra} extra)",
        name=name,
        missing=match.missing,
        extra=match.extra,
    )


def declared_words(declared: DeclaredTopology) -> str:
    """Describe what was declared and what came of it."""
    dims = " x ".join(map(str, declared.dims))
    name = declared.name or tr("a Cartesian topology")
    line = tr(
        "declared {name}, {dims}, a {topology}: {verdict}, ",
        name=name,
        dims=dims,
        topology=declared.topology,
        verdict=tr(declared.verdict),
    )
    line += DECLARED_VERDICTS[declared.verdict]
    if declared.verdict == "different":
        line += tr(
            " ({observed}; {used} of {edges} edges are used, {further} pairs besides)",
            observed=declared.observed,
            used=declared.used,
            edges=declared.edges,
            further=declared.further,
        )
    return line


def _phases(what: str, group: list[IdentifiedPart]) -> str:
    names = dict.fromkeys(part.remark for part in group if part.remark)
    word = "phase" if len(group) == 1 else "phases"
    text = tr(
        "{what} in {word} {listed}",
        what=what,
        word=word,
        listed=listed_names([part.name for part in group]),
    )
    return f"{text} ({', '.join(names)})" if names else text


def _others(
    by: str, what: str, size: int, remark: str, group: list[IdentifiedPart]
) -> str:
    family = _is_family(group[0])
    remark = _joined_remarks(group, remark) if family else remark
    ending = f", {remark}" if remark else ""
    if len(group) == 1:
        one = by == "communicator" and not family
        of = tr(" of {ranks}", ranks=plural(size, "rank")) if one else ""
        return tr(
            "{what} in {called}{of}{ending}",
            what=what,
            called=_called(by, group[0].name),
            of=of,
            ending=ending,
        )
    if family:
        return tr(
            "{what} in each of {times} families of {called}{ending}",
            what=what,
            times=len(group),
            called=group[0].name,
            ending=ending,
        )
    given = [part.name for part in group if not HANDLE.fullmatch(part.name)]
    return tr(
        "{what} in {group} {by}s of {size}{ending}{names}",
        what=what,
        group=len(group),
        by=by,
        size=size,
        ending=ending,
        names=f" ({listed_names(given)})" * bool(given),
    )


HANDLE: Final = re.compile(r"MPI_COMM_\d+")
"""Names that tracers make of handles: they tell nothing."""


def _is_family(part: IdentifiedPart) -> bool:
    """Return whether a part is several communicators."""
    return part.by == "communicator" and " communicators of " in part.name


def _joined_remarks(group: list[IdentifiedPart], how: str) -> str:
    """Join the operations that families alike are used for; the axis comes last."""
    words = dict.fromkeys(
        word
        for part in group
        for word in part.remark.removeprefix(f"{how} ").split(", ")
    )
    along = sorted(words, key=lambda word: word.startswith("along "))
    return f"{how} {', '.join(along)}".strip()


MESSAGES_OF = {
    "tag": tr("messages with tag"),
    "size": tr("messages of"),
    "call site": tr("messages sent in"),
}
"""Words before the name of a part that messages are."""


def _called(by: str, name: str) -> str:
    return name if by in name else f"{MESSAGES_OF.get(by, by)} {name}"


def listed_names(names: list[str]) -> str:
    """Join names; of many the first ones and the last."""
    if len(names) <= MAX_NAMES_LISTED:
        return ", ".join(names)
    return ", ".join([*names[: MAX_NAMES_LISTED - 2], "...", names[-1]])
