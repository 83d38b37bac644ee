"""An identification in words for a reader, and as values for scripts.

The answer and its matches, the parts of the run, declared topologies, and why the
answer was given.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from topoview.base.text import mark, plural, share_text, tr
from topoview.model import (
    NO_MESSAGES,
    Column,
    DeclaredTopology,
    GraphNumbers,
    GraphStructure,
    Identification,
    IdentifiedPart,
    Indices,
    Match,
    Plan,
    Schema,
    Table,
    words,
)
from topoview.report.blocks import (
    Block,
    Heading,
    Page,
    Paragraph,
    TableBlock,
    table_block,
)
from topoview.report.claims import most_bytes

if TYPE_CHECKING:
    from topoview.model import CandidateStep, LevelSteps


def identification_record(
    identification: Identification, edges: bool = False
) -> dict[str, Any]:
    """Describe an identification with the keys that scripts rely on.

    Parameters
    ----------
    identification
        What was found.
    edges
        Whether each match also lists the topology's edges as pairs of ranks.
    """
    return {
        "ranks": identification.ranks,
        "headline": headline(identification),
        "matches": [_match(match, edges) for match in identification.matches],
        "remainder": [_match(match, edges) for match in identification.remainder],
        "plan": _plan(identification.plan),
        "coarser_plans": list(map(_plan, identification.plans[1:])),
        "structure": _structure(identification.structure),
        "parts": [_part(part, edges) for part in identification.parts],
        "declared": [asdict(one) for one in identification.declared],
        "collectives": list(identification.collectives),
        "unrecorded": [
            {"operation": one.operation, "calls": one.calls}
            for one in identification.unrecorded
        ],
        "warnings": list(identification.warnings),
        "seconds": identification.seconds,
    }


def _match(match: Match, edges: bool) -> dict[str, Any]:
    topology = match.topology
    places = match.coordinates.tolist()
    record: dict[str, Any] = {
        "kind": topology.kind,
        "name": topology.name,
        "also": list(match.also),
        "dims": list(topology.dims),
        "periodic": list(topology.periodic),
        "offsets": [list(offset) for offset in topology.offsets],
        "edges": len(topology.edges),
        "matched": match.matched,
        "missing": match.missing,
        "extra": match.extra,
        "calls_covered": match.calls_covered,
        "bytes_covered": match.bytes_covered,
        "level": match.level,
        "by": list(match.by),
        "coordinates": [
            place if vertex >= 0 else None
            for place, vertex in zip(places, match.vertex.tolist(), strict=True)
        ],
    }
    if edges:
        record["edge_list"] = match.rank_edges.tolist()
    return record


def _plan(plan: Plan | None) -> dict[str, Any] | None:
    if plan is None:
        return None
    return {
        "name": plan.name,
        "axes": [
            {"size": axis.size, "name": axis.name, "by": ", ".join(axis.by)}
            for axis in plan.axes
        ],
        "coordinates": plan.coordinates.tolist(),
    }


def _structure(structure: GraphStructure | None) -> dict[str, Any] | None:
    if structure is None:
        return None
    numbers = structure.numbers
    return {
        "numbers": None if numbers is None else asdict(numbers),
        "classes": list(structure.sizes),
        "symmetry": structure.symmetry.tolist(),
        "factors": list(structure.factors),
        "alike": structure.alike,
    }


def _part(part: IdentifiedPart, edges: bool) -> dict[str, Any]:
    return {
        "by": part.by,
        "name": part.name,
        "begin": part.begin,
        "end": part.end,
        "ranks": part.ranks.tolist(),
        "remark": part.remark,
        "matches": [_match(match, edges) for match in part.matches],
    }


# The answer in a line.

MOST_CALLS = 0.9
"""Share of the messages from which on they are most of them: in a stencil all
directions have equally many."""


def headline(identification: Identification) -> str:
    """Name the answer, where most bytes are if elsewhere, and what it cannot know.

    ``all-to-all 12; 80 % of the bytes on a 3D grid 3x2x2``. Without messages between
    ranks the collective operations of all are named.
    """
    best, heavy = identification.best, heavy_match(identification)
    name = best.topology.name
    structure = identification.structure
    if structure is not None and structure.numbers and structure.numbers.mesh:
        mesh = tr(MESHES[structure.numbers.mesh])
        name = tr("{name}, like {mesh}", name=name, mesh=mesh)
        _, by_chance = _apart_by_chance(identification.ranks)
        if TIMES_NEARER * structure.numbers.apart[1] <= by_chance:
            name = tr("{name}, partners close in rank", name=name)
    if heavy is not None:
        name = f"{name}; {heavy_words(heavy)}"
    if identification.unrecorded:
        if best.topology.is_empty:
            return f"{name}: {unrecorded_words(identification)}"
        return tr(
            "{name}; partners not recorded: {unrecorded}",
            name=name,
            unrecorded=unrecorded_words(identification),
        )
    if not identification.collectives:
        return name
    collective_name = next(
        (m.topology.name for m in identification.matches if m.by), ""
    )
    if collective_name and name == NO_MESSAGES:
        return collective_name
    return f"{name}; {collective_name or collectives_words(identification)}"


TIMES_NEARER = 2
"""How many times nearer by rank than by chance partners are that are called close."""

MESHES = {
    "planar": mark("parts of a planar mesh"),
    "mesh": mark("parts of a mesh"),
}
"""What a graph is like that is no member of the library."""


def heavy_words(heavy: Match) -> str:
    """Describe that most bytes are on the edges of a match."""
    name = heavy.topology.name
    template = tr("{share} of the bytes on a {name}")
    if " x " in name or name.startswith("rows"):
        template = tr("{share} of the bytes on {name}")
    elif name.startswith("all"):
        template = tr("{share} of the bytes on an {name}")
    return template.format(share=share_text(heavy.bytes_covered, 0), name=name)


def heavy_match(identification: Identification) -> Match | None:
    """Find the match that has most bytes, where the answer does not tell them.

    It is exactly a level above the answer's, or explains what the answer leaves; but
    not some directions of a lattice, such as the faces of a 27-point stencil, unless
    they have most messages, too.
    """
    best = identification.best
    above = [match for match in identification.matches[1:] if match.level > best.level]
    left = [
        match
        for match in identification.remainder
        if match.bytes_covered > best.bytes_covered
    ]
    for match in (*above, *left):
        is_named = match.topology.kind not in ("unknown", "strides")
        if (
            is_named
            and (match in left or not match.extra)
            and most_bytes(match).holds
            and (
                (match in above and match.calls_covered >= MOST_CALLS)
                or not _are_directions(best, match)
            )
        ):
            return match
    return None


def _are_directions(best: Match, other: Match) -> bool:
    """Return whether edges are all those of a lattice along some of its offsets."""
    whole = best.topology
    lattice = whole.factors[0] if whole.kind == "copies" else whole
    if not lattice.is_on_lattice:
        return False
    dims = np.array(lattice.dims)
    ends = whole.coordinates[whole.edges, : len(dims)].astype(np.int64)
    apart = ends[:, 1] - ends[:, 0]
    wraps = np.array(lattice.periodic) & (2 * np.abs(apart) > dims)
    apart -= np.where(wraps, np.sign(apart) * dims, 0)
    first = np.take_along_axis(apart, (apart != 0).argmax(1)[:, None], 1)
    _, along = np.unique(apart * np.sign(first), axis=0, return_inverse=True)
    placed = np.flatnonzero(best.vertex >= 0)
    rank = np.full(whole.vertices, -1, np.int64)
    rank[best.vertex[placed]] = placed
    pairs = np.sort(rank[whole.edges], axis=1) @ [len(best.vertex), 1]
    others = other.rank_edges.astype(np.int64) @ [len(best.vertex), 1]
    edges, used = (
        np.bincount(along.ravel(), weights)
        for weights in (None, np.isin(pairs, others).astype(float))
    )
    return bool(((used == 0) | (used == edges)).all())


def unrecorded_words(identification: Identification) -> str:
    """Count the calls whose partners are not recorded; empty if there are none."""
    return ", ".join(one.words for one in identification.unrecorded)


def collectives_words(identification: Identification) -> str:
    """Name the collective operations of all ranks; empty if none are told."""
    if not identification.collectives:
        return ""
    listed = _listed(list(identification.collectives))
    return tr(
        "{listed} over all {ranks}",
        listed=listed,
        ranks=plural(identification.ranks, "rank"),
    )


def title_of(identification: Identification | None, match: Match) -> str:
    """Name a match that is shown; the answer of a run without messages as it is."""
    if (
        identification is None
        or match is not identification.best
        or not match.topology.is_empty
    ):
        return match.topology.name
    return headline(identification)


# Parts of a run and declared topologies in a few words each.

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


def structure_words(structure: GraphStructure) -> str:
    """Describe a graph that is no member of the library."""
    count = len(structure.sizes)
    if count == 1 and structure.alike:
        line = tr("all ranks look alike: any can change places with any other")
    elif count == 1:
        line = tr("all ranks have equally many partners")
    else:
        sizes = _listed([str(size) for size in sorted(structure.sizes, reverse=True)])
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
                ranks=_listed([str(rank) for rank in numbers.hubs]),
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
    half, most_apart = _apart_by_chance(ranks)
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
                sizes=_listed([str(size) for size in numbers.groups]),
                modularity=modularity,
                by_lot=by_lot,
            )
        )
    return lines


def _apart_by_chance(ranks: int) -> tuple[int, int]:
    """Return how far random ranks are apart at most: half of pairs, and nine of ten."""
    return round(ranks * (1 - 0.5**0.5)), round(ranks * (1 - 0.1**0.5))


def nearest_sentence(identification: Identification) -> str:
    """Describe the changes against the nearest named topology; empty if none."""
    named = [match for match in identification.matches if match.topology.is_named]
    if not named or not identification.best.topology.is_unknown:
        return ""
    nearest = min(named, key=lambda match: match.missing + match.extra)
    sides = [
        tr("without {pairs}", pairs=_pairs(nearest.missing_edges)),
        tr("with {pairs}", pairs=_pairs(nearest.extra_edges)),
    ]
    counts = (nearest.missing, nearest.extra)
    told = [side for side, count in zip(sides, counts, strict=True) if count]
    return tr(
        "Nearest is {name}, but {changes}; choose it to see them drawn.",
        name=nearest.topology.name,
        changes=", ".join(told),
    )


def _pairs(edges: Indices) -> str:
    listed = ", ".join(f"{u}-{v}" for u, v in edges[:MAX_PAIRS_LISTED].tolist())
    more = ", ..." if len(edges) > MAX_PAIRS_LISTED else ""
    return f"{_count(len(edges), 'edge')} ({listed}{more})"


def _phases(what: str, group: list[IdentifiedPart]) -> str:
    names = dict.fromkeys(part.remark for part in group if part.remark)
    word = "phase" if len(group) == 1 else "phases"
    text = tr(
        "{what} in {word} {listed}",
        what=what,
        word=word,
        listed=_listed([part.name for part in group]),
    )
    return f"{text} ({', '.join(names)})" if names else text


def _others(
    by: str, what: str, size: int, remark: str, group: list[IdentifiedPart]
) -> str:
    ending = f", {remark}" if remark else ""
    if len(group) == 1:
        one = by == "communicator" and "communicators" not in group[0].name
        of = tr(" of {ranks}", ranks=plural(size, "rank")) if one else ""
        return tr(
            "{what} in {called}{of}{ending}",
            what=what,
            called=_called(by, group[0].name),
            of=of,
            ending=ending,
        )
    if "communicators" in group[0].name:
        return tr(
            "{what} in {times} times {called}{ending}",
            what=what,
            times=len(group),
            called=group[0].name,
            ending=ending,
        )
    names = _listed([part.name for part in group])
    return tr(
        "{what} in {group} {by}s of {size}{ending} ({names})",
        what=what,
        group=len(group),
        by=by,
        size=size,
        ending=ending,
        names=names,
    )


MESSAGES_OF = {
    "tag": tr("messages with tag"),
    "size": tr("messages of"),
    "call site": tr("messages sent in"),
}
"""Words before the name of a part that messages are."""


def _called(by: str, name: str) -> str:
    return name if by in name else f"{MESSAGES_OF.get(by, by)} {name}"


def _listed(names: list[str]) -> str:
    if len(names) <= MAX_NAMES_LISTED:
        return ", ".join(names)
    return ", ".join([*names[: MAX_NAMES_LISTED - 2], "...", names[-1]])


MATCHES: Final = Schema(
    Column("topology", "", "topology"),
    Column("edges", "", "edges", "Edges of the topology"),
    Column("matched", "", "matched", "Edges that were seen"),
    Column("missing", "", "missing", "Edges that were not seen"),
    Column("extra", "", "extra", "Pairs seen that are no edges of it"),
    Column("calls", "share", "calls", "Share of the messages that it carries"),
    Column("bytes", "share", "bytes", "Share of the bytes that it carries"),
    Column("level", "#", "level", "Level of volume; 0 is all pairs"),
)


def matches_table(matches: Sequence[Match]) -> Table:
    """Return what each match has of the traffic, a row each."""
    return Table(
        MATCHES,
        {
            "topology": words([match.topology.name for match in matches]),
            "edges": np.array([len(match.topology.edges) for match in matches]),
            **{
                name: np.array([getattr(match, name) for match in matches])
                for name in ("matched", "missing", "extra")
            },
            "calls": np.array([match.calls_covered for match in matches]),
            "bytes": np.array([match.bytes_covered for match in matches]),
            "level": np.array([match.level for match in matches]),
        },
    )


def identification_sections(identification: Identification) -> list[list[Block]]:
    """Return an identification as blocks: matches, structure, remainder, parts."""
    notes = [
        *plan_lines(identification),
        *part_lines(identification.parts),
        *map(declared_words, identification.declared),
    ]
    tables: list[list[Block]] = [
        [table_block(name, caption, matches_table(matches))] if matches else []
        for name, caption, matches in (
            ("topology", "Matches, the answer first.", identification.matches),
            ("remainder", "What the answer leaves.", identification.remainder),
        )
    ]
    structure = identification.structure
    words = [] if structure is None else [structure_words(structure)]
    texts: list[list[Block]] = [
        list(map(Paragraph, some)) for some in (words, notes, identification.warnings)
    ]
    return [*tables, *texts]


def identification_page(identification: Identification, edges: bool = False) -> Page:
    """Describe an identification, the answer first.

    Parameters
    ----------
    edges
        Whether to list the answer's edges as pairs of ranks, too.
    """
    best = identification.best
    sections = identification_sections(identification)
    if edges:
        pairs = [f"{u} {v}" for u, v in best.rank_edges.tolist()]
        sections.append(list(map(Paragraph, ("edges", *pairs))))
    also = f"the same graph as {', '.join(best.also)}"
    return Page(
        title=headline(identification),
        subtitle=also if best.also else "",
        blocks=tuple(
            block
            for section in sections
            if section
            for block in (*[Heading("")] * isinstance(section[0], Paragraph), *section)
        ),
    )


# Why an answer was given, in lines for a reader and as JSON-able values.

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
    levels: "tuple[LevelSteps, ...]", identification: Identification
) -> Page:
    """Describe the steps, a table for each level of volume, and what came of them."""
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
    structure = identification.structure
    if structure is not None and structure.numbers is not None:
        said = [
            *number_sentences(structure.numbers, identification.ranks),
            nearest_sentence(identification),
        ]
        blocks += [Heading(tr("What it is like")), *map(Paragraph, filter(None, said))]
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
    spectra = [step.spectrum for step in level.steps if step.spectrum is not None]
    if spectra:
        left += tr(", {sum} with the same spectrum", sum=sum(spectra))
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
