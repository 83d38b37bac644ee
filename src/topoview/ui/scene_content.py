"""What the scene shows of a session: prepared in the background, no Qt in it."""

from dataclasses import dataclass

from topoview.analysis import Analysis
from topoview.analysis.shares import states_in
from topoview.model import CommunicationMatrix, Layout, Match, MPIState
from topoview.scene.message_lines import Flights, flights
from topoview.session import State, shown_match
from topoview.topology import lay_out, layout_names


@dataclass(frozen=True, slots=True, eq=False)
class SceneContent:
    """A match in a layout, and what moves in it.

    Attributes
    ----------
    known
        The analysis that it is of.
    match, matrix, layout
        What is drawn where.
    layouts
        Names of all layouts that the match has, the natural one first.
    flights
        Messages by time.
    states
        States that ranks are in at any time, in order of their codes.
    """

    known: Analysis
    match: Match
    matrix: CommunicationMatrix
    layout: Layout
    layouts: tuple[str, ...]
    flights: Flights
    states: tuple[MPIState, ...]

    def is_of(self, state: State) -> bool:
        """Tell whether this is of the trace that a state has."""
        known = state.analysis
        return known is not None and known.trace is self.known.trace

    def shows(self, state: State) -> bool:
        """Tell whether this is what a state wants to see."""
        wanted = state.view.layout
        natural = wanted not in self.layouts
        return (
            self.is_of(state)
            and shown_match(state) is self.match
            and self.layout.name == (self.layouts[0] if natural else wanted)
        )


def prepare(state: State, before: SceneContent | None = None) -> SceneContent | None:
    """Lay out the ranks; what `before` knows already is taken over.

    Returns
    -------
    SceneContent or None
        None as long as the topology is not known.
    """
    known, match = state.analysis, shown_match(state)
    if known is None or known.matrix is None or match is None:
        return None
    if before is not None and before.shows(state):
        return before
    if before is None or before.known.trace is not known.trace:
        ranks = known.trace.ranks
        timeline = known.trace.timeline
        present = states_in(timeline.state[: timeline.offsets[ranks]])
        states = tuple(MPIState(code) for code in present)
        flying = flights(known.trace)
    else:
        states, flying = before.states, before.flights
    layout = lay_out(match, known.matrix, state.view.layout)
    return SceneContent(
        known, match, known.matrix, layout, layout_names(match), flying, states
    )
