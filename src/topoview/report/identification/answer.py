"""An identification in words for a reader, and as values for scripts.

The answer in a line, its matches, and the page about all that was identified.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from topoview.base.text import mark, plural, share_text, tr
from topoview.model import (
    NO_MESSAGES,
    Column,
    GraphStructure,
    Identification,
    IdentifiedPart,
    Match,
    Plan,
    Schema,
    Table,
    words,
)
from topoview.report.blocks import Block, Heading, Page, Paragraph, table_block
from topoview.report.claims import most_bytes
from topoview.report.identification import parts, steps


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


TIMES_BUSIER = 2
"""How many times as many messages as others some edges of a lattice have that are told
from it: in a stencil all directions have equally many."""


def headline(identification: Identification) -> str:
    """Name the answer, where most bytes are if elsewhere, and what it cannot know.

    ``all-to-all 12; 80 % of the bytes on a 3D grid 3x2x2``. Without messages between
    ranks the collective operations of all are named. A plan that says more comes
    first: ``pipeline 4 x data 2; messages on 2 x chain 4``.
    """
    plan = identification.leading_plan
    if plan is not None:
        of_messages = _headline(identification)
        if identification.best.topology.is_named:
            of_messages = tr("messages on {name}", name=of_messages)
        return f"{plan.name}; {of_messages}"
    return _headline(identification)


def _headline(identification: Identification) -> str:
    best, heavy = identification.best, heavy_match(identification)
    name = best.topology.name
    structure = identification.structure
    if structure is not None and structure.numbers and structure.numbers.mesh:
        mesh = tr(MESHES[structure.numbers.mesh])
        name = tr("{name}, like {mesh}", name=name, mesh=mesh)
        _, by_chance = steps.apart_by_chance(identification.ranks)
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
    they have more messages, too.
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
                (match in above and _is_busier(best, match))
                or not _are_directions(best, match)
            )
        ):
            return match
    return None


def _is_busier(best: Match, match: Match) -> bool:
    """Return whether an edge has far more messages than one that only `best` has."""
    rest = best.calls_covered - match.calls_covered, best.matched - match.matched
    return match.calls_covered * rest[1] >= TIMES_BUSIER * rest[0] * match.matched


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
    listed = parts.listed_names(list(identification.collectives))
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
        *parts.plan_lines(identification),
        *parts.part_lines(identification.parts),
        *map(parts.declared_words, identification.declared),
    ]
    tables: list[list[Block]] = [
        [table_block(name, caption, matches_table(matches))] if matches else []
        for name, caption, matches in (
            ("topology", "Matches, the answer first.", identification.matches),
            ("remainder", "Remaining traffic.", identification.remainder),
        )
    ]
    structure = identification.structure
    words = [] if structure is None else [steps.structure_words(structure)]
    words += steps.like_sentences(identification)
    texts: list[list[Block]] = [
        list(map(Paragraph, some)) for some in (words, notes, identification.warnings)
    ]
    leading = identification.leading_plan is not None
    return [*texts[1:2], *tables, *texts[::2]] if leading else [*tables, *texts]


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
    also = best.also and identification.leading_plan is None
    same = f"the same graph as {', '.join(best.also)}"
    return Page(
        title=headline(identification),
        subtitle=same if also else "",
        blocks=tuple(
            block
            for section in sections
            if section
            for block in (*[Heading("")] * isinstance(section[0], Paragraph), *section)
        ),
    )
