"""The window's whole state as frozen data, and the one place that changes it.

`State` holds all that the window shows, `Session` replaces it and tells the views.
`choices` lists the matches that can be shown.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from topoview.model import Analysis, Geometry, Identification, IdentifiedPart, Match


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected; in every panel the same.

    Attributes
    ----------
    ranks
        Selected ranks, ascending.
    edge
        A selected pair of ranks that communicate, smaller first.
    statement
        Index of a selected statement of the logical trace.
    window
        Begin and end of a selected stretch of time in ticks.
    lines
        A selected loop, condition, block or group of the logical trace: its first
        line and the one after its last.
    operation
        Name of a selected MPI operation, such as ``Isend``; empty for none.
    call
        Index of a selected MPI call of the trace.
    """

    ranks: tuple[int, ...] = ()
    edge: tuple[int, int] | None = None
    statement: int | None = None
    window: tuple[int, int] | None = None
    lines: tuple[int, int] | None = None
    operation: str = ""
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """A trace that is being opened.

    Attributes
    ----------
    path
        What was asked for.
    stage, fraction
        What is being done, and how far that is, in [0, 1].
    read
        Whether the trace is there and shown already; its analysis goes on.
    left
        Seconds that the stage still takes, about; -1 if that is not known.
    """

    path: str
    stage: str = "starting"
    fraction: float = 0.0
    read: bool = False
    left: int = -1


@dataclass(frozen=True, slots=True)
class View:
    """How things are shown.

    Attributes
    ----------
    theme
        ``light`` or ``dark``.
    layout
        Name in the topology's table of layouts; empty: its natural one.
    second
        The same for the second view of the ranks; empty: by node, if that is known.
    geometry, second_geometry
        How the ranks are arranged in the one and in the other; the placement file of
        the first counts for both.
    match
        Index of the shown match among the `choices` of the identification.
    why
        Whether the list of matches gives way to the reasons for them.
    order
        Order of the timeline's rows: ``rank``, ``place`` or ``distance``.
    focus
        Codes of the MPI states that stand out; empty: all alike.
    colouring
        What the ranks' colours mean in the scene: ``state``, or a name in
        `analysis.colourings.COLOURINGS`.
    colour_map
        Name in `scene.colour_maps.MAPS`; empty: the colouring's own.
    span
        What colours span: all possible numbers (empty), those that there are now
        (``data``), those of the window (``window``), or from `low` to `high`
        (``fixed``).
    low, high
        Ends of a fixed span, in the numbers' own unit; shares are fractions.
    steps
        Whether colours follow the number's logarithm (``log``), the number itself
        (``linear``), or what suits the colouring (empty).
    rim, size
        Second and third meaning: numbers that the rims and sizes of ranks tell, of
        the same table; ``trail`` of a rim is the state before, for a while; empty:
        none.
    faded
        Whether ranks that compute are seen through.
    brief
        Whether playing shows what was shorter than a frame.
    labels, second_labels
        What is written at the ranks: a name in `ui.scene.labels.LABELS`; empty:
        nothing.
    edges, messages
        Whether they are drawn in the scene.
    scope
        What the matrix and the profile count: the ``run``, the shown ``window``, or
        what is ``selected``.
    amount
        What the matrix shows: ``calls``, ``bytes``, or ``moved``, the bytes of
        one-sided transfers.
    arrangement
        Order of the matrix's ranks: ``rank``, ``place`` or ``node``.
    profiled
        What the profile lists: ``functions`` or ``states``.
    message_colour
        What messages' colours tell: a name in `scene.message_looks.LOOKS`; empty:
        nothing.
    comets
        Whether messages trail all of the way that they have done.
    traffic
        Whether edges are as wide as their traffic of the window, not of the run.
    pulse
        Whether ranks in a collective operation swell as its members come.
    chains
        Whether it is drawn who waits for whom.
    """

    theme: str = "light"
    layout: str = ""
    second: str = ""
    geometry: Geometry = field(default_factory=Geometry)
    second_geometry: Geometry = field(default_factory=Geometry)
    match: int = 0
    why: bool = False
    order: str = "place"
    focus: frozenset[int] = frozenset()
    colouring: str = "state"
    colour_map: str = ""
    span: str = ""
    low: float = 0.0
    high: float = 0.0
    steps: str = ""
    rim: str = ""
    size: str = ""
    faded: bool = False
    brief: bool = True
    labels: str = ""
    second_labels: str = ""
    edges: bool = True
    messages: bool = True
    scope: str = "run"
    amount: str = "calls"
    arrangement: str = "rank"
    profiled: str = "functions"
    message_colour: str = ""
    comets: bool = False
    traffic: bool = False
    pulse: bool = False
    chains: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The window's whole state.

    Attributes
    ----------
    analysis
        What is known about the open trace so far, None before there is one.
    opening
        The trace that is being read or analysed, None if none is.
    failure
        Why the last trace could not be opened, empty if it could.
    time
        Time cursor in ticks.
    window
        Begin and end of the shown time window in ticks.
    playing
        Whether time runs.
    speed
        How fast playing is, as `pace` says; 0: all of it in 10 s.
    pace
        What `speed` counts: simulated seconds in a second (empty), MPI calls of a
        rank in a second (``calls``), or the seconds that all of it takes
        (``whole``).
    repeat
        Whether playing begins again at its end.
    skip
        Whether playing leaves out what nothing happens in.
    bounds
        Begin and end in ticks of what is played; None: the window.
    still
        Whether the cursor stands still while the timeline moves.
    mark
        Time in ticks from which times are counted; None: the begin.
    unit
        Unit in which times are written; empty: as suits the run.
    lit
        While the ranks are lit in order: how many are; else -1.
    selection, view
        What is selected, and how things are shown.
    """

    analysis: Analysis | None = None
    opening: Opening | None = None
    failure: str = ""
    time: int = 0
    window: tuple[int, int] = (0, 1)
    playing: bool = False
    speed: float = 0.0
    repeat: bool = False
    skip: bool = False
    pace: str = ""
    bounds: tuple[int, int] | None = None
    still: bool = False
    mark: int | None = None
    unit: str = ""
    lit: int = -1
    selection: Selection = field(default_factory=Selection)
    view: View = field(default_factory=View)


@dataclass(frozen=True, slots=True, eq=False)
class MatchChoice:
    """A match that can be shown, and the part of the run that it is of, if any."""

    match: Match
    part: IdentifiedPart | None = None


def choices(found: Identification) -> tuple[MatchChoice, ...]:
    """List all that can be shown: matches, what they leave, then parts."""
    return (
        *map(MatchChoice, found.matches),
        *map(MatchChoice, found.remainder),
        *(MatchChoice(part.matches[0], part) for part in found.parts if part.matches),
    )


def shown_choice(state: State) -> MatchChoice | None:
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


Subscriber = Callable[[State, State], None]


class Session:
    """Holds the `State`, replaces it, and tells the views.

    A view is called with the old and the new state. One that updates the
    session meanwhile has its change told after the present one has reached
    every view, so that all see the same sequence of states. One that fails does
    not keep the others from it: its exception is raised when all have been told.
    """

    def __init__(self) -> None:
        self.state = State()
        self._subscribers: list[Subscriber] = []
        self._pending: deque[tuple[State, State]] = deque()
        self._telling = False

    def subscribe(self, view: Subscriber) -> Callable[[], None]:
        """Call `view` at every change; returns what ends that."""
        self._subscribers.append(view)
        return lambda: self._subscribers.remove(view)

    def update(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Replace fields of the state; nothing happens if none changes."""
        old = self.state
        if all(getattr(old, name) == value for name, value in changes.items()):
            return
        self.state = replace(old, **changes)
        self._pending.append((old, self.state))
        if self._telling:
            return
        self._telling = True
        faults: list[Exception] = []
        while self._pending:
            before, after = self._pending.popleft()
            for view in tuple(self._subscribers):
                try:
                    view(before, after)
                except Exception as fault:  # noqa: BLE001 - raised below
                    faults.append(fault)
        self._telling = False
        if faults:
            raise faults[0]

    def view(self, **changes: Any) -> None:  # noqa: ANN401 - fields of View
        """Replace fields of the view options."""
        self.update(view=replace(self.state.view, **changes))

    def show(self, **changes: Any) -> None:  # noqa: ANN401 - fields of View
        """Show another match or layout: ranges of the old one's dimensions go."""
        view = self.state.view
        kept = {"geometry": view.geometry.elsewhere}
        if "match" in changes:
            kept["second_geometry"] = view.second_geometry.elsewhere
        self.view(**kept, **changes)

    def select(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select; what is not named is deselected."""
        self.update(selection=Selection(**changes))

    def choose(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select calls or messages; ranks and a stretch of time stay selected."""
        now = self.state.selection
        kept = Selection(ranks=now.ranks, window=now.window)
        self.update(selection=replace(kept, **changes))


__all__ = [
    "MatchChoice",
    "Opening",
    "Selection",
    "Session",
    "State",
    "View",
    "choices",
    "shown_choice",
    "shown_match",
]
