"""Why an answer was given, in lines for a reader and as JSON-able values."""

from dataclasses import asdict
from typing import Any

from topoview.model import Identification
from topoview.topology.partners.steps import LevelSteps, Step

WORDS = {
    "found": "fits: all edges agree",
    "short cycles": "no: other numbers of triangles and of cycles of four",
    "distances": "no: other distances between ranks",
    "spectrum": "no: another spectrum",
    "isomorphism": "no: under no numbering that was tried do all edges agree",
    "not tested": "not compared: too large",
}
"""What each verdict on a candidate means."""

MOST_DEGREES = 8
"""Numbers of partners that are listed."""


def steps_record(told: tuple[LevelSteps, ...]) -> list[dict[str, Any]]:
    """Describe the steps with the keys that scripts rely on."""
    return [
        {
            **asdict(level),
            "degrees": [list(pair) for pair in level.degrees],
            "excluded": dict(level.excluded),
            "steps": [asdict(step) for step in level.steps],
        }
        for level in told
    ]


def steps_text(told: tuple[LevelSteps, ...], found: Identification) -> str:
    """Describe the steps, a table for each level of volume, and what came of them."""
    if not told:
        return ""
    tables = ["\n".join(_level(level)) for level in told]
    return "\n\n".join([*tables, conclusion(told, found)])


def conclusion(told: tuple[LevelSteps, ...], found: Identification) -> str:
    """Tell how the answer follows from the levels, in a sentence or two."""
    best = found.best
    name = best.topology.name
    if best.topology.kind == "unknown":
        return (
            "So the answer is unknown: no level is exactly a topology of the library, "
            "nor nearly one."
        )
    if not best.missing and not best.extra:
        if len(told) == 1:
            return f"So the answer is {name}."
        finest = "all pairs are" if not best.level else f"level {best.level} is"
        return (
            f"So the answer is {name}: {finest} exactly that, and the finest level "
            "that is a topology of the library."
        )
    edits = []
    if best.missing:
        edits.append(f"{_count(best.missing, 'edge')} of it not seen")
    if best.extra:
        edits.append(f"{_count(best.extra, 'pair')} besides")
    return (
        "No level is exactly a topology of the library. The answer is the one that is "
        f"nearest to explaining it: {name}, with {' and '.join(edits)}."
    )


def head_lines(level: LevelSteps) -> list[str]:
    """Tell what a level has, and how many candidates came how far."""
    what = "all pairs that communicate"
    if level.level:
        gap = f"{level.gap:,.0f}" if level.gap >= 100 else f"{level.gap:.3g}"
        what = (
            f"pairs that exchange {level.least:,} bytes or more, "
            f"{gap} times as much as the next"
        )
    apart = "" if level.connected else ", in several groups that do not communicate"
    pairs = _count(level.edges, "pair")
    lines = [
        f"Level {level.level}: {what}",
        f"{level.vertices} ranks, {pairs}{apart}; {_partners(level)}.",
    ]
    gone = dict(level.excluded)
    count = sum(gone.values()) + len(level.steps)
    some = f"{count}" if level.all_tried else f"the first {count}"
    reasons = [
        f"{gone[test]} {'has' if gone[test] == 1 else 'have'} {words}"
        for test, words in REASONS.items()
        if gone.get(test)
    ]
    size = f"The library has {count} topologies of {level.vertices} ranks"
    if not level.all_tried:
        size = f"Of topologies of {level.vertices} ranks {some} were tried"
    lines.append(f"{size}{': ' if reasons else ''}{', '.join(reasons)}.")
    if not level.steps:
        lines.append("None is left to be compared.")
        return lines
    fits = sum(step.verdict == "found" for step in level.steps)
    left = f"{len(level.steps)} {'is' if len(level.steps) == 1 else 'are'} left"
    spectra = [step.spectrum for step in level.steps if step.spectrum is not None]
    if spectra:
        left += f", {sum(spectra)} with the same spectrum"
    same = "" if fits < 2 else ", which are names of the same graph"
    verdict = (
        "none fits" if not fits else f"{fits} {'fits' if fits == 1 else 'fit'}{same}"
    )
    lines.append(f"{left}; {verdict}:")
    return lines


REASONS = {
    "edges": "another number of edges",
    "degrees": "ranks with other numbers of partners",
}
"""What excludes a candidate before it is made."""


def _partners(level: LevelSteps) -> str:
    shown = level.degrees[:MOST_DEGREES]
    if len(shown) == 1:
        return f"each rank has {_count(shown[0][0], 'partner')}"
    listed = [f"{ranks} with {partners}" for partners, ranks in shown]
    listed[0] = listed[0].replace(" with ", " ranks with ")
    more = ", ..." if len(level.degrees) > len(shown) else " partners"
    return f"{', '.join(listed)}{more}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _level(level: LevelSteps) -> list[str]:
    title, *lines = head_lines(level)
    with_spectrum = any(step.spectrum is not None for step in level.steps)
    rows = [_step(step, with_spectrum) for step in level.steps]
    width = max((len(row[0]) for row in rows), default=0)
    return [
        title,
        *(f"  {line}" for line in lines),
        *(f"    {name.ljust(width)}  {'  '.join(rest)}" for name, *rest in rows),
    ]


def _step(step: Step, with_spectrum: bool) -> tuple[str, ...]:
    words = WORDS[step.verdict]
    if not with_spectrum:
        return step.candidate, words
    told = {True: "same spectrum ", False: "other spectrum", None: " " * 14}
    return step.candidate, told[step.spectrum], words
