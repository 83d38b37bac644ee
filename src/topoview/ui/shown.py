"""What of the analysis is shown: asked of a state."""

from functools import lru_cache

from topoview.model import Match
from topoview.session import State, shown_match


def is_covered(state: State) -> bool:
    """Tell whether a page about another trace hides what is known."""
    unread = state.opening is not None and not state.opening.read
    return bool(state.failure) or unread


def layout_names(state: State) -> tuple[str, ...]:
    """List the layouts that the shown match has, the natural one first."""
    match = shown_match(state)
    if match is None:
        return ()
    return _names(match)[0]


@lru_cache(maxsize=1)
def _names(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Layouts of a match, and further ones: asked for at every change of the state."""
    from topoview.topology import further_layouts, layout_names

    return layout_names(match), further_layouts(match)


def further_names(state: State) -> tuple[str, ...]:
    """List the layouts that any trace can have, and the shown match has not."""
    match, known = shown_match(state), state.analysis
    if match is None or known is None:
        return ()
    from topoview.analysis.machine import has_nodes
    from topoview.io.placement_file import placement_tells

    levels, places = placement_tells(state.view.geometry.placement)
    names = _names(match)[1]
    if levels or has_nodes(known.trace):
        names = (*names, "nodes")
    return (*names, "places") if places else names


def notes(state: State) -> tuple[str, ...]:
    """List what the user should know about the trace and its analysis."""
    known = state.analysis
    if known is None:
        return ()
    found = known.identification.warnings if known.identification else ()
    return tuple(dict.fromkeys((*known.trace.warnings, *found, *known.notes)))
