"""Words of skeleton programs in C."""

import re


def identifier(label: str) -> str:
    """Make a name of a direction: ``EAST x2`` is ``EAST_X2``; empty if it is none."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_").upper()
    return word if re.fullmatch(r"[A-Z][A-Z0-9_]*", word) else ""


def neighbour(steps: tuple[int, ...]) -> str:
    """Write the rank that a step on the lattice leads to."""
    return f"neighbour((const int[]){{{', '.join(map(str, steps))}}})"
