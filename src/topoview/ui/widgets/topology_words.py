"""Words that names of topologies are made of, in the language of the window.

Commands, files and reports keep them in English.
"""

import re
from typing import Final

from topoview.base.text import tr

WORDS: Final = {
    "D torus": tr("D torus"),
    "D grid": tr("D grid"),
    "chain": tr("chain"),
    "ring": tr("ring"),
    "star": tr("star"),
    "stars of": tr("stars of"),
    "all-to-all": tr("all-to-all"),
    "between": tr("between"),
    "hypercube": tr("hypercube"),
    "binary tree": tr("binary tree"),
    "binomial tree": tr("binomial tree"),
    "double binary tree": tr("double binary tree"),
    "by doubling": tr("by doubling"),
    "rows and columns": tr("rows and columns"),
    "transpose": tr("transpose"),
    "butterfly": tr("butterfly"),
    "geodesic sphere": tr("geodesic sphere"),
    "cubed sphere": tr("cubed sphere"),
    "Yin-Yang grid": tr("Yin-Yang grid"),
    "D pyramid of": tr("D pyramid of"),
    "levels": tr("levels"),
    "cube-connected cycles": tr("cube-connected cycles"),
    "groups of": tr("groups of"),
    "leaders": tr("leaders"),
    "linked pairwise": tr("linked pairwise"),
    "masters": tr("masters"),
    "periodic in": tr("periodic in"),
    "folded north": tr("folded north"),
    "twisted": tr("twisted"),
    "without": tr("without"),
    "place": tr("place"),
    "places": tr("places"),
    "-point star stencil": tr("-point star stencil"),
    "-point stencil": tr("-point stencil"),
    "of its own": tr("of its own"),
    "unknown": tr("unknown"),
    "no point-to-point messages": tr("no point-to-point messages"),
    "rows of": tr("rows of"),
    "row": tr("row"),
    "rows": tr("rows"),
    "column": tr("column"),
    "columns": tr("columns"),
    "plane": tr("plane"),
    "planes": tr("planes"),
    "phase": tr("phase"),
    "phases": tr("phases"),
    "communicator": tr("communicator"),
    "communicators of": tr("communicators of"),
    "along": tr("along"),
    "and": tr("and"),
}

_WORD: Final = re.compile(
    r"(?<![A-Za-z])(?:"
    + "|".join(re.escape(word) for word in sorted(WORDS, key=len, reverse=True))
    + r")(?![A-Za-z])"
)


def spoken_name(name: str) -> str:
    """Translate a topology's name into the language of the window."""
    return _WORD.sub(lambda word: WORDS[word[0]], name)
