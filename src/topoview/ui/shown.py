"""What of the analysis is shown: asked of a state."""

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
    from topoview.topology import layout_names as names_of

    return tuple(names_of(match))


def notes(state: State) -> tuple[str, ...]:
    """List what the user should know about the trace and its analysis."""
    known = state.analysis
    if known is None:
        return ()
    found = known.identification.warnings if known.identification else ()
    return tuple(dict.fromkeys((*known.trace.warnings, *found, *known.notes)))
