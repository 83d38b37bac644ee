"""What can be shown of a topology: matches, what they leave, and parts of the run."""

from dataclasses import dataclass

from topoview.model import Identification, Match, Part
from topoview.session.state import State


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A match that can be shown, and the part of the run that it is of, if any."""

    match: Match
    part: Part | None = None


def choices(found: Identification) -> tuple[Choice, ...]:
    """List all that can be shown: matches, what they leave, then parts."""
    return (
        *map(Choice, found.matches),
        *map(Choice, found.remainder),
        *(Choice(part.matches[0], part) for part in found.parts if part.matches),
    )


def shown_choice(state: State) -> Choice | None:
    """Return what the views show of the topology, None before there is any."""
    found = state.analysis.identification if state.analysis else None
    if found is None:
        return None
    offered = choices(found)
    return offered[min(state.view.match, len(offered) - 1)]


def shown_match(state: State) -> Match | None:
    """Return the match that the views show, None before there is any."""
    shown = shown_choice(state)
    return shown.match if shown else None
