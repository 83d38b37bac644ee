"""Parts of a run and declared topologies in a few words each."""

from collections.abc import Iterable

from topoview.model import Declared, Match, Part, Structure

MOST_LISTED = 12
"""Names of parts that are listed; of more the first ones and the last."""

VERDICTS = {
    "same": "exactly these pairs communicate",
    "permuted": "a graph like it is used, but at other ranks",
    "different": "something else is used",
    "unused": "none of its pairs communicate",
}
"""What each verdict on a declared topology means."""


def part_lines(parts: Iterable[Part]) -> list[str]:
    """Tell what was found in the parts; those alike are told together.

    Returns
    -------
    list of str
        One line for all phases, and one for each kind of communicator or
        component.
    """
    groups: dict[tuple[str, str, int, str], list[Part]] = {}
    for part in parts:
        size = 0 if part.by == "phase" else len(part.ranks)
        remark = "" if part.by == "phase" else part.remark
        groups.setdefault((part.by, found_in(part), size, remark), []).append(part)
    phases = [_phases(what, g) for (by, what, *_), g in groups.items() if by == "phase"]
    lines = ["; ".join(phases)] if phases else []
    for (by, what, size, remark), group in groups.items():
        if by != "phase":
            lines.append(_others(by, what, size, remark, group))
    return lines


def found_in(part: Part) -> str:
    """Name what was found in a part, and how far it is from being exact."""
    if not part.matches:
        return "collective operations"
    return match_words(part.matches[0])


def match_words(match: Match) -> str:
    """Name a match, with the edges that differ."""
    name = match.topology.name
    if not match.missing and not match.extra:
        return name
    return f"{name} ({match.missing} missing, {match.extra} extra)"


def declared_words(declared: Declared) -> str:
    """Tell what was declared and what came of it."""
    dims = " x ".join(map(str, declared.dims))
    name = declared.name or "a Cartesian topology"
    line = f"declared {name}, {dims}, a {declared.topology}: {declared.verdict}, "
    line += VERDICTS[declared.verdict]
    if declared.verdict == "different":
        line += (
            f" ({declared.observed}; {declared.used} of {declared.edges} edges are "
            f"used, {declared.further} pairs besides)"
        )
    return line


def structure_words(known: Structure) -> str:
    """Tell what is known of a graph that is no member of the library."""
    count = len(known.sizes)
    if count == 1:
        line = "all ranks look alike"
    else:
        sizes = _listed([str(size) for size in sorted(known.sizes, reverse=True)])
        line = f"ranks fall into {count} classes that cannot change places ({sizes})"
    if known.factors:
        line = f"the product of {' and '.join(known.factors)}; {line}"
    return line


def _phases(what: str, group: list[Part]) -> str:
    names = dict.fromkeys(part.remark for part in group if part.remark)
    word = "phase" if len(group) == 1 else "phases"
    told = f"{what} in {word} {_listed([part.name for part in group])}"
    return f"{told} ({', '.join(names)})" if names else told


def _others(by: str, what: str, size: int, remark: str, group: list[Part]) -> str:
    ending = f", {remark}" if remark else ""
    if len(group) == 1:
        return f"{what} in {_called(by, group[0].name)}{ending}"
    names = _listed([part.name for part in group])
    return f"{what} in {len(group)} {by}s of {size}{ending} ({names})"


def _called(by: str, name: str) -> str:
    return name if by in name else f"{by} {name}"


def _listed(names: list[str]) -> str:
    if len(names) <= MOST_LISTED:
        return ", ".join(names)
    return ", ".join([*names[: MOST_LISTED - 2], "...", names[-1]])
