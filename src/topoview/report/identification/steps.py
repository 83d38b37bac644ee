"""Why an answer was given, and what a graph is like that has no name."""

from dataclasses import asdict
from typing import Any

from topoview.base.text import plural, tr
from topoview.model import (
    CandidateStep,
    GraphNumbers,
    GraphStructure,
    Identification,
    Indices,
    LevelSteps,
)
from topoview.report.blocks import Block, Heading, Page, Paragraph, TableBlock
from topoview.report.identification.parts import listed_names


def structure_words(structure: GraphStructure) -> str:
    """Describe a graph that is no member of the library."""
    count = len(structure.sizes)
    if count == 1 and structure.alike:
        line = tr("all ranks look alike: any can change places with any other")
    elif count == 1:
        line = tr("all ranks have equally many partners")
    else:
        sizes = listed_names(
            [str(size) for size in sorted(structure.sizes, reverse=True)]
        )
        line = tr(
            "ranks fall into {count} classes that cannot change places ({sizes})",
            count=count,
            sizes=sizes,
        )
    if structure.factors:
        line = tr(
            "the product of {factors}; {line}",
            factors=" and ".join(structure.factors),
            line=line,
        )
    return line


MIN_MODULARITY_GAINED = 0.1
"""How far pairs must lie more within groups than by chance that these are told."""


MAX_PAIRS_LISTED = 6
"""Pairs of ranks that are listed."""


def number_sentences(numbers: GraphNumbers, ranks: int) -> list[str]:
    """Explain the numbers of a graph, in a sentence each."""
    least, mean, most = numbers.partners
    several = str(most)
    if least < most:
        several = tr("{least} to {most}", least=least, most=most)
    lines = [
        tr(
            "Ranks have {several} partners, {mean:.1f} on average; {hubs}.",
            several=several,
            mean=mean,
            hubs=tr("none has far more than others")
            if not numbers.hubs
            else tr(
                "rank {ranks} far more than others",
                ranks=listed_names([str(rank) for rank in numbers.hubs]),
            ),
        )
    ]
    if numbers.dimension is not None:
        lines.append(
            tr(
                "Its spectral dimension is {dimension:.1f}: a chain has about 1, a "
                "grid 2, a block 3, random pairs more.",
                dimension=numbers.dimension,
            )
        )
    if numbers.planar is not None:
        lines.append(
            tr("It is planar: it can be drawn without crossings.")
            if numbers.planar
            else tr("It is not planar: some of its lines cross wherever ranks stand.")
        )
    near, far = numbers.apart
    half, most_apart = apart_by_chance(ranks)
    lines.append(
        tr(
            "Half of the partners are at most {near} apart by rank, nine of ten at "
            "most {far}; with random numbers it would be {half} and {most}.",
            near=near,
            far=far,
            half=half,
            most=most_apart,
        )
    )
    modularity, by_lot = numbers.modularity
    if modularity >= by_lot + MIN_MODULARITY_GAINED:
        lines.append(
            tr(
                "Ranks fall into {count} groups of {sizes} with most pairs within: a "
                "modularity of {modularity:.2f}, by chance {by_lot:.2f}.",
                count=len(numbers.groups),
                sizes=listed_names([str(size) for size in numbers.groups]),
                modularity=modularity,
                by_lot=by_lot,
            )
        )
    return lines


def apart_by_chance(ranks: int) -> tuple[int, int]:
    """Return how far random ranks are apart at most: half of pairs, and nine of ten."""
    return round(ranks * (1 - 0.5**0.5)), round(ranks * (1 - 0.1**0.5))


def nearest_sentence(identification: Identification) -> str:
    """Describe the changes against the nearest named topology; empty if none."""
    named = [match for match in identification.matches if match.topology.is_named]
    if not named or not identification.best.topology.is_unknown:
        return ""
    nearest = min(named, key=lambda match: match.edits)
    sides = [
        tr("without {pairs}", pairs=_pairs(nearest.missing_edges)),
        tr("with {pairs}", pairs=_pairs(nearest.extra_edges)),
    ]
    counts = (nearest.missing, nearest.extra)
    changes = [side for side, count in zip(sides, counts, strict=True) if count]
    return tr(
        "Nearest is {name}, but {changes}.",
        name=nearest.topology.name,
        changes=", ".join(changes),
    )


def like_sentences(identification: Identification) -> list[str]:
    """Explain what an unknown graph is like, with numbers, a sentence each."""
    structure = identification.structure
    if structure is None or structure.numbers is None:
        return []
    nearest = nearest_sentence(identification)
    lines = number_sentences(structure.numbers, identification.ranks)
    return [*lines, nearest] if nearest else lines


def _pairs(edges: Indices) -> str:
    listed = ", ".join(f"{u}-{v}" for u, v in edges[:MAX_PAIRS_LISTED].tolist())
    more = ", ..." if len(edges) > MAX_PAIRS_LISTED else ""
    return f"{_count(len(edges), 'edge')} ({listed}{more})"


CANDIDATE_VERDICTS = {
    "found": tr("fits: all edges agree"),
    "short cycles": tr("no: other numbers of triangles and of cycles of four"),
    "distances": tr("no: other distances between ranks"),
    "spectrum": tr("no: another spectrum"),
    "isomorphism": tr("no: under no numbering that was tried do all edges agree"),
    "not tested": tr("not compared: too large"),
}
"""What each verdict on a candidate means."""


MAX_DEGREES_LISTED = 8
"""Numbers of partners that are listed."""


def steps_record(levels: "tuple[LevelSteps, ...]") -> list[dict[str, Any]]:
    """Describe the steps with the keys that scripts rely on."""
    return [
        {
            **asdict(level),
            "degrees": [list(pair) for pair in level.degrees],
            "excluded": dict(level.excluded),
            "steps": [asdict(step) for step in level.steps],
        }
        for level in levels
    ]


def steps_page(
    levels: "tuple[LevelSteps, ...]",
    identification: Identification,
    beside: bool = False,
) -> Page:
    """Describe the steps, a table for each level of volume, and what came of them.

    Parameters
    ----------
    levels, identification
        What is described.
    beside
        Whether it stands beside the page of the identification, which says what an
        unknown graph is like.
    """
    blocks: list[Block] = []
    for level in levels:
        title, *lines = head_lines(level)
        with_spectrum = any(step.spectrum is not None for step in level.steps)
        rows = tuple(_step(step, with_spectrum) for step in level.steps)
        fitting = [k for k, step in enumerate(level.steps) if step.verdict == "found"]
        blocks += [Heading(title), *map(Paragraph, lines)]
        blocks.append(
            TableBlock(
                name="",
                caption="",
                head=("", " ", " ")[: 2 + with_spectrum],
                rows=rows,
                strong=tuple(fitting),
            )
        )
    if levels:
        blocks += [Heading(""), Paragraph(conclusion(levels, identification))]
    said = [] if beside else like_sentences(identification)
    if said:
        blocks += [Heading(tr("What it is like")), *map(Paragraph, said)]
    return Page(blocks=tuple(blocks))


def conclusion(levels: "tuple[LevelSteps, ...]", identification: Identification) -> str:
    """Explain how the answer follows from the levels, in a sentence or two."""
    best = identification.best
    name = best.topology.name
    if best.topology.is_unknown:
        return tr(
            "So the answer is unknown: no topology of the library describes the "
            "traffic in less than a list of the pairs."
        )
    if not best.missing and not best.extra:
        if len(levels) == 1:
            return tr("So the answer is {name}.", name=name)
        finest = (
            tr("all pairs are")
            if not best.level
            else tr("level {level} is", level=best.level)
        )
        return tr(
            "So the answer is {name}: {finest} exactly that, and nothing else that "
            "was found describes the traffic in less.",
            name=name,
            finest=finest,
        )
    edits = []
    if best.missing:
        edits.append(tr("{count} of it not seen", count=_count(best.missing, "edge")))
    if best.extra:
        edits.append(tr("{count} besides", count=_count(best.extra, "pair")))
    return tr(
        "The answer is the topology of the library that describes the traffic in "
        "least: {name}, with {edits}.",
        name=name,
        edits=" and ".join(edits),
    )


def head_lines(level: "LevelSteps") -> list[str]:
    """Describe what a level has, and how many candidates came how far."""
    what = tr("all communicating pairs")
    if level.level:
        gap = f"{level.gap:,.0f}" if level.gap >= 100 else f"{level.gap:.3g}"
        what = tr(
            "pairs that exchange {least:,} bytes or more, "
            "{gap} times as much as the next",
            least=level.least,
            gap=gap,
        )
    apart = "" if level.connected else tr(", in several groups that do not communicate")
    pairs = _count(level.edges, "pair")
    lines = [
        tr("Level {level}: {what}", level=level.level, what=what),
        tr(
            "{vertices} ranks, {pairs}{apart}; {partners}.",
            vertices=level.vertices,
            pairs=pairs,
            apart=apart,
            partners=_partners(level),
        ),
    ]
    gone = dict(level.excluded)
    count = sum(gone.values()) + len(level.steps)
    some = f"{count}" if level.all_tried else tr("the first {count}", count=count)
    reasons = [
        f"{gone[test]} {'has' if gone[test] == 1 else 'have'} {words}"
        for test, words in REASONS.items()
        if gone.get(test)
    ]
    size = tr(
        "The library has {count} topologies of {vertices} ranks",
        count=count,
        vertices=level.vertices,
    )
    if not level.all_tried:
        size = tr(
            "Of topologies of {vertices} ranks {some} were tried",
            vertices=level.vertices,
            some=some,
        )
    lines.append(f"{size}{': ' if reasons else ''}{', '.join(reasons)}.")
    if not level.steps:
        lines.append(tr("None is left to be compared."))
        return lines
    fits = sum(step.verdict == "found" for step in level.steps)
    left = (
        tr("1 is left")
        if len(level.steps) == 1
        else tr("{count} are left", count=len(level.steps))
    )
    spectra = [step.spectrum for step in level.steps]
    if None not in spectra:
        left += tr(", {sum} with the same spectrum", sum=spectra.count(True))
    same = "" if fits < 2 else tr(", which are names of the same graph")
    verdict = (
        tr("none fits")
        if not fits
        else f"{fits} {'fits' if fits == 1 else 'fit'}{same}"
    )
    lines.append(f"{left}; {verdict}:")
    return lines


REASONS = {
    "edges": tr("another number of edges"),
    "degrees": tr("ranks with other numbers of partners"),
}
"""What excludes a candidate before it is made."""


def _partners(level: "LevelSteps") -> str:
    shown = level.degrees[:MAX_DEGREES_LISTED]
    if len(shown) == 1:
        return tr("each rank has {count}", count=_count(shown[0][0], "partner"))
    (partners, ranks), *others = shown
    listed = [
        tr("{ranks} ranks with {partners}", ranks=ranks, partners=partners),
        *(tr("{ranks} with {partners}", ranks=r, partners=p) for p, r in others),
    ]
    more = ", ..." if len(level.degrees) > len(shown) else tr(" partners")
    return f"{', '.join(listed)}{more}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {plural(number, noun).partition(' ')[2]}"


def _step(step: "CandidateStep", with_spectrum: bool) -> tuple[str, ...]:
    words = CANDIDATE_VERDICTS[step.verdict]
    if not with_spectrum:
        return step.candidate, words
    spectra = {True: tr("same spectrum "), False: tr("other spectrum"), None: " " * 14}
    return step.candidate, spectra[step.spectrum], words
