"""An identification as JSON-able values: what ``topoview identify`` prints."""

from dataclasses import asdict
from typing import Any

from topoview.model import Identification, Match, Part, Structure


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
        "matches": [_match(match, edges) for match in identification.matches],
        "remainder": [_match(match, edges) for match in identification.remainder],
        "structure": _structure(identification.structure),
        "parts": [_part(part, edges) for part in identification.parts],
        "declared": [asdict(one) for one in identification.declared],
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
        "coordinates": [
            place if vertex >= 0 else None
            for place, vertex in zip(places, match.vertex.tolist(), strict=True)
        ],
    }
    if edges:
        record["edge_list"] = match.rank_edges.tolist()
    return record


def _structure(known: Structure | None) -> dict[str, Any] | None:
    if known is None:
        return None
    return {
        "classes": list(known.sizes),
        "symmetry": known.symmetry.tolist(),
        "factors": list(known.factors),
    }


def _part(part: Part, edges: bool) -> dict[str, Any]:
    return {
        "by": part.by,
        "name": part.name,
        "begin": part.begin,
        "end": part.end,
        "ranks": part.ranks.tolist(),
        "remark": part.remark,
        "matches": [_match(match, edges) for match in part.matches],
    }
