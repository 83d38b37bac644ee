"""What the scene shows of a session at any time: prepared in the background, no Qt."""

from dataclasses import dataclass

from topoview import model
from topoview.errors import PlacementError
from topoview.live.layouts import awaits_places, place_ranks, shape_of_planes
from topoview.live.machine import machine_of, placement_stamp
from topoview.live.moments.messages import MessageFlights, message_flights
from topoview.live.moments.window_sums import states_of
from topoview.scene.ranks.forms import LayoutMeasure, measure_layout
from topoview.session import State


@dataclass(frozen=True, eq=False)
class SceneContent:
    """A match in a layout, and what moves in it."""

    analysis: model.Analysis
    """The analysis that it is of."""
    match: model.Match
    matrix: model.CommunicationMatrix
    layout: model.Layout
    """`match`, `matrix` and `layout`: what is drawn where."""
    layouts: tuple[str, ...]
    """Names of all layouts that the match has of its own, the natural one first."""
    flights: MessageFlights
    """Messages by time."""
    states: tuple[model.TimeState, ...]
    """States that ranks are in at any time, in order of their codes."""
    further: tuple[str, ...]
    """Names of those that any match can have."""
    machine: model.Machine
    """Where the ranks run."""
    placing: tuple[object, ...]
    """What of the chosen geometry decided where they are."""
    measure: LayoutMeasure
    """What takes long to find of the layout."""
    fault: str = ""
    """Why the user's placement file is not followed; empty if it is."""
    room: tuple[float, float] | None = None
    """Pixels that it is laid out for, as far as that matters."""
    stamp: tuple[int, int] = (0, 0)
    """When that file had changed last, and its bytes: another one is read anew."""

    def is_of(self, state: State) -> bool:
        """Return whether this is of the trace that a state has."""
        analysis = state.analysis
        return analysis is not None and analysis.trace is self.analysis.trace

    @property
    def is_sheet(self) -> bool:
        """Whether ranks are cells of planes: lines between them would cross others."""
        return self.layout.shape in ("planes", "cut")

    def fits(self, room: tuple[float, float] | None) -> bool:
        """Return whether this is as it would be in a room of some pixels."""
        if room is None or self.room is None or room == self.room:
            return True
        shape, was = (
            shape_of_planes(self.match, self.layout, each) for each in (room, self.room)
        )
        return shape == was

    def shows(self, state: State) -> bool:
        """Return whether this is what a state wants to see."""
        wanted = state.scene.layout
        natural = wanted not in (*self.layouts, *self.further)
        return (
            self.is_of(state)
            and state.derived.match is self.match
            and self.layout.name == (self.layouts[0] if natural else wanted)
            and state.scene.geometry.placing == self.placing
            and placement_stamp(state.scene.geometry.placement) == self.stamp
        )


def prepare_scene(
    state: State,
    before: SceneContent | None = None,
    room: tuple[float, float] | None = None,
) -> SceneContent | None:
    """Lay out the ranks; what `before` knows already is taken over.

    Planes beside each other fill a `room` of some pixels.

    Returns
    -------
    SceneContent or None
        None as long as the topology is not known, or where that puts the ranks.
    """
    analysis, match = state.analysis, state.derived.match
    if (
        analysis is None
        or analysis.matrix is None
        or match is None
        or awaits_places(state)
    ):
        return None
    if before is not None and before.shows(state) and before.fits(room):
        return before
    if before is None or before.analysis.trace is not analysis.trace:
        states = tuple(model.TimeState(code) for code in sorted(states_of(analysis)))
        flying = message_flights(analysis)
    else:
        states, flying = before.states, before.flights
    geometry = state.scene.geometry
    stamp = placement_stamp(geometry.placement)
    machine, fault = _machine_of(analysis, geometry.placement, before)
    name = state.scene.layout
    placed = place_ranks(
        match, analysis.matrix, name, geometry, machine, analysis.spectral, room
    )
    return SceneContent(
        analysis=analysis,
        match=match,
        matrix=analysis.matrix,
        layout=placed.layout,
        layouts=placed.own,
        flights=flying,
        states=states,
        further=placed.further,
        machine=machine,
        placing=geometry.placing,
        measure=measure_layout(placed.layout, match),
        fault=fault,
        stamp=stamp,
        room=room,
    )


def _machine_of(
    analysis: model.Analysis, placement: str, before: SceneContent | None
) -> tuple[model.Machine, str]:
    """Where ranks run; and why a placement file is not followed, if it is not."""
    if before is not None and before.analysis.trace is analysis.trace:
        old = before.placing[PLACEMENT_INDEX]
        if old == placement and before.stamp == placement_stamp(placement):
            return before.machine, before.fault
    try:
        return machine_of(analysis.trace, placement), ""
    except PlacementError as error:
        return machine_of(analysis.trace), str(error)


PLACEMENT_INDEX = model.Geometry(placement="?").placing.index("?")
"""Where the placement file is in what decides where ranks are."""
