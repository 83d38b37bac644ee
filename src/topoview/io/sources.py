"""Source lines that calls were made from, from the definitions."""

from collections.abc import Iterable

import numpy as np

from topoview.io.columns import Meaning
from topoview.io.definitions import Definitions
from topoview.model import Indices, Sources


def find_sources(definitions: Definitions, meaning: Meaning) -> Sources:
    """Collect lines, calling contexts and call sites; regions become numbers."""
    further, text = definitions.further, definitions.string
    lines = {ref: f"{text(file)}:{line}" for ref, (file, line) in further.lines.items()}
    identifiers = sorted(lines)
    place_of = {ref: index for index, ref in enumerate(identifiers)}
    places = [lines[ref] for ref in identifiers]
    contexts = sorted(definitions.contexts)
    index_of = {ref: index for index, ref in enumerate(contexts)}
    records = [definitions.contexts[ref] for ref in contexts]
    identified = zip(meaning.identifiers.tolist(), meaning.dense.tolist(), strict=True)
    region = dict(identified)
    known = {line: index for index, line in enumerate(places)}
    site_place: list[int] = []
    for site in further.sites:
        line = f"{text(site.file)}:{site.line}"
        if line not in known:
            known[line] = len(places)
            places.append(line)
        site_place.append(known[line])
    return Sources(
        places=tuple(places),
        place_identifiers=np.array(identifiers, np.int64),
        contexts=np.array(contexts, np.int64),
        context_region=_indices(region.get(record.region, -1) for record in records),
        context_parent=_indices(index_of.get(record.parent, -1) for record in records),
        context_place=_indices(place_of.get(record.line, -1) for record in records),
        site_entered=_indices(region.get(site.entered, -1) for site in further.sites),
        site_left=_indices(region.get(site.left, -1) for site in further.sites),
        site_place=_indices(site_place),
    )


def _indices(numbers: Iterable[int]) -> Indices:
    return np.fromiter(numbers, np.int32)
