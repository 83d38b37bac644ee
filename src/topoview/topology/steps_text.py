"""Why an answer was given, in lines for a reader and as JSON-able values."""

from dataclasses import asdict
from typing import Any

from topoview.topology.steps import LevelSteps, Step

WORDS = {
    "found": "fits",
    "short cycles": "other numbers of triangles and cycles of four",
    "distances": "other distances between vertices",
    "spectrum": "another spectrum",
    "isomorphism": "no isomorphism found",
    "not tested": "not tested: too large",
}
"""What each verdict on a candidate means."""

MOST_DEGREES = 8


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


def steps_text(told: tuple[LevelSteps, ...]) -> str:
    """Describe the steps, a table for each level of volume."""
    return "\n\n".join("\n".join(_level(level)) for level in told)


def head_lines(level: LevelSteps) -> list[str]:
    """Tell what a level has, and how many candidates came how far."""
    what = "all pairs" if not level.level else f"pairs from {level.least} bytes on"
    if level.level:
        what += f", above a gap of {level.gap:.3g}"
    apart = "" if level.connected else ", not connected"
    shown = level.degrees[:MOST_DEGREES]
    listed = ", ".join(f"{many} with {degree}" for degree, many in shown)
    more = ", ..." if len(level.degrees) > len(shown) else ""
    gone = sum(count for _, count in level.excluded)
    by = ", ".join(f"{count} by {test}" for test, count in level.excluded)
    count = gone + len(level.steps)
    some = f"{count}" if level.all_tried else f"the first {count}"
    tried = f"{some} candidates of this size; excluded {by}"
    spectra = [step.spectrum for step in level.steps if step.spectrum is not None]
    left = f"left: {len(level.steps)}"
    if spectra:
        left += f", by spectrum {sum(spectra)}"
    fits = sum(step.verdict == "found" for step in level.steps)
    return [
        f"level {level.level}: {what}",
        f"{level.vertices} ranks, {level.edges} pairs{apart}",
        f"partners: {listed}{more}",
        tried,
        f"{left}, by isomorphism {fits}",
    ]


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
