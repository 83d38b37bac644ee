"""The window's whole state as frozen data, and the one place that changes it.

`State` holds all that the window shows, `Derived` what follows from it, computed once a
state; `Session` replaces the state and calls the views.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeVar

from topoview import model
from topoview.model.frozen.options import FreeText, OneOf

Options = TypeVar("Options")

PickedKind = Literal[
    "",
    "call",
    "collective",
    "message",
    "pair",
    "rank",
    "statement",
    "communicator",
]
ColourSpan = Literal["", "data", "window", "fixed"]
ColourSteps = Literal["", "log", "linear"]
SpeedUnit = Literal["", "calls", "whole"]
TimeUnit = Literal["", "s", "ms", "µs", "ns", "ps"]
ThemeName = Literal["light", "dark"]
MouseHabits = Literal["topoview", "vampir"]
Scope = Literal["exchange", "run", "loop", "window", "selected"]

Layout = Annotated[str, OneOf("live.layouts:LAYOUT_TEXTS", also=("",))]
Labels = Literal["", "rank", "place", "node"]
Colouring = Annotated[
    str, OneOf("live.colourings.table:COLOURINGS", also=("state",), counters=True)
]
Outline = Annotated[
    str, OneOf("live.colourings.table:COLOURINGS", also=("", "trail"), counters=True)
]
Size = Annotated[
    str, OneOf("live.colourings.table:COLOURINGS", also=("",), counters=True)
]
ColourMap = Annotated[str, OneOf("scene.palette:COLOUR_MAPS", also=("",))]
MessageColour = Annotated[
    str, OneOf("scene.palette:MESSAGE_COLOURING_TEXTS", also=("",))
]
RowOrder = Annotated[str, OneOf("live.timeline.orders:ROW_ORDERS")]
RowGrouping = Annotated[str, OneOf("live.timeline.orders:GROUPINGS", also=("",))]
RowColour = Annotated[
    str,
    OneOf(
        "live.timeline.row_colours:REGION_TEXTS live.colourings.table:COLOURINGS",
        also=("state",),
        counters=True,
    ),
]
CameraPreset = Annotated[str, OneOf("scene.camera:CAMERAS", also=("",))]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected; in every panel the same."""

    ranks: tuple[int, ...] = ()
    """Selected ranks, ascending."""
    edge: tuple[int, int] | None = None
    """A selected pair of ranks that communicate, smaller first."""
    flow: tuple[int, int] | None = None
    """Sender and receiver of messages that were selected by their mark."""
    statement: int | None = None
    """Index of a selected statement of the logical trace."""
    window: tuple[int, int] | None = None
    """Begin and end of a selected stretch of time in ticks."""
    lines: tuple[int, int] | None = None
    """A selected loop, condition, block or group of the logical trace: its first line
    and the one after its last."""
    operation: FreeText = ""
    """Name of a selected MPI operation, such as ``Isend``; empty for none."""
    call: int | None = None
    """Index of a selected MPI call of the trace."""
    query: FreeText = ""
    """Text of a query whose calls are selected, such as ``Waitall > 10 ms``; empty for
    none."""
    isolated: tuple[int, ...] = ()
    """Ranks that stand out in scene and timeline while all others stand back; empty:
    all are alike."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The one thing that was clicked last: panel and cards show all about it."""

    kind: PickedKind = ""
    """``call``, ``collective``, ``message``, ``pair``, ``rank``, ``statement`` or
    ``communicator``; empty: nothing."""
    number: int = -1
    """Index of the call, message, statement or communicator; the rank; of a pair its
    first rank; of a collective operation the index of any of its calls."""
    other: int = -1
    """The second rank of a pair, else -1."""

    def __bool__(self) -> bool:
        """Return whether anything was clicked."""
        return bool(self.kind)


def things_selected(chosen: Selection) -> tuple[Picked, ...]:
    """List what a selection holds one of, what says most first."""
    picks = []
    if chosen.call is not None:
        picks.append(Picked("call", chosen.call))
    if chosen.statement is not None:
        picks.append(Picked("statement", chosen.statement))
    if chosen.edge is not None:
        picks.append(Picked("pair", *chosen.edge))
    if len(chosen.ranks) == 1:
        picks.append(Picked("rank", chosen.ranks[0]))
    return tuple(picks)


def picked_by_selecting(old: Selection, new: Selection, picked: Picked) -> Picked:
    """Return what was clicked when the selection changed: what is new in it.

    Without anything new it is what is left; where nothing has changed but ranks in
    numbers or a stretch of time, it is what it was.
    """
    before, after = things_selected(old), things_selected(new)
    if before == after and new != Selection():
        return picked
    fresh = (thing for thing in after if thing not in before)
    return next(fresh, after[0] if after else Picked())


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRun(model.Frozen):
    """Another run that the open trace was compared with."""

    trace: model.Trace
    """The open one."""
    name: str
    path: str
    """`name` and `path`: of the other run."""
    computation: model.Floats
    """float64, shape (ranks,): what the counterparts of each rank spend on their own in
    an iteration, by what it does; NaN where it has none."""
    functions: model.Table
    """Times of both runs by MPI function, those that differ most first."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place in the run that the user wants to find again."""

    name: FreeText
    """What the user calls it."""
    time: int
    """Time cursor in ticks."""
    window: tuple[int, int]
    """Begin and end of the shown time window in ticks."""
    selection: Selection = field(default_factory=Selection)
    """What was selected."""
    picked: Picked = field(default_factory=Picked)
    """What was clicked."""


@dataclass(frozen=True, slots=True)
class Note:
    """Words that the user has pinned to a rank and a time in ticks."""

    rank: int
    time: int
    text: FreeText


@dataclass(frozen=True, slots=True)
class CallFilter:
    """MPI calls that are meant; nothing else is known of them yet."""

    statements: tuple[int, ...] = ()
    """Those of statements of the logical trace, ascending."""
    operation: str = ""
    """Those of an MPI operation, such as ``Isend``; it comes before `statements`."""
    query: str = ""
    analysis: model.Analysis | None = None
    """`query` and `known`: those that a query finds in a trace; it comes before
    both."""

    def __bool__(self) -> bool:
        """Return whether anything is meant."""
        return bool(self.statements or self.operation or self.query)


NO_CALLS = CallFilter()
"""No calls."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A trace that is being opened."""

    path: str
    """What was asked for."""
    stage: str = "starting"
    fraction: float = 0.0
    """`stage` and `fraction`: what is being done, and how far the opening is, in [0,
    1]."""
    read: bool = False
    """Whether the trace is there and shown already; its analysis goes on."""
    left: int = -1
    """Seconds that it still takes, about; -1 if unknown."""


@dataclass(frozen=True, slots=True)
class SceneOptions:
    """How the ranks, edges and messages of the scene are shown."""

    layout: Layout = ""
    """Name in the topology's table of layouts; empty: its natural one."""
    geometry: model.Geometry = field(default_factory=model.Geometry)
    """How the ranks are arranged; its placement file counts for both views."""
    cut: tuple[int, ...] = ()
    """Coordinates that a block is cut through; empty: the selected rank's."""
    labels: Labels = ""
    """What is written at the ranks: a name in `ui.panels.scene.labels.LABEL_TEXTS`;
    empty: nothing."""
    colouring: Colouring = "state"
    """What the ranks' colours mean in the scene: ``state``, or a name in
    `live.colourings.table.COLOURINGS`."""
    colour_map: ColourMap = ""
    """Name in `scene.palette.COLOUR_MAPS`; empty: the colouring's own."""
    span: ColourSpan = ""
    """What colours span: all possible numbers (empty), those that there are now
    (``data``), those of the window (``window``), or from `low` to `high`
    (``fixed``)."""
    low: float = 0.0
    high: float = 0.0
    """`low` and `high`: ends of a fixed span, in the numbers' own unit; shares are
    fractions."""
    steps: ColourSteps = ""
    """Whether colours follow the number's logarithm (``log``), the number itself
    (``linear``), or what suits the colouring (empty)."""
    outline: Outline = ""
    size: Size = ""
    """`outline` and `size`: second and third meaning: numbers that outlines and sizes
    of ranks show, of the same table; ``trail`` of an outline is the state before, for a
    while; empty: none."""
    translucent: bool = False
    """Whether ranks that compute are translucent."""
    hold_short: bool = True
    """Whether playing shows what was shorter than a frame."""
    edges: bool = True
    """Whether they are drawn."""
    messages: bool | None = None
    """Whether all messages on their way are drawn; None: where they are few enough to
    be told apart, else those of selected ranks."""
    message_colour: MessageColour = ""
    """What messages' colours mean: a name in `scene.palette.MESSAGE_COLOURING_TEXTS`;
    empty: nothing."""
    trails: bool = False
    """Whether messages trail all of the way that they have done."""
    traffic: bool = False
    """Whether edges are as wide as their traffic of the window, not of the run."""
    pulse: bool = False
    """Whether ranks in a collective operation grow as its members come."""
    chains: bool = False
    """Whether wait chains are drawn."""
    path: bool = False
    """Whether the critical path of the window is drawn, here and in the timeline."""


@dataclass(frozen=True, slots=True)
class SecondViewOptions:
    """What the second view of the ranks shows otherwise than the first."""

    layout: Layout = ""
    """As in `SceneOptions`; empty: by node, if that is known."""
    geometry: model.Geometry = field(default_factory=model.Geometry)
    labels: Labels = ""
    """`geometry` and `labels`: as in `SceneOptions`."""


GPU_BUSY: Final = "gpu-busy"
"""Name of the track of the timeline that shows how many GPUs compute."""


@dataclass(frozen=True, slots=True)
class TimelineOptions:
    """How the timeline is shown."""

    order: RowOrder = "place"
    """Order of the rows: a name in `live.timeline.orders.ROW_ORDERS`."""
    origin: tuple[int, ...] = ()
    """Ranks that distances are counted from, whatever is selected; empty: rank 0."""
    number: FreeText = ""
    """What rows are ordered by in the order ``number``: a name in
    `live.timeline.orders.profile_numbers`."""
    group: RowGrouping = ""
    """What makes groups of rows: a name in `live.timeline.orders.GROUPINGS`; empty:
    what suits the order."""
    apart: tuple[int, ...] = ()
    """Ranks that are a group in the grouping ``selection``."""
    folded: bool = False
    """Whether groups are folded into a row each."""
    turned: frozenset[int] = frozenset()
    """Groups, by their number, that are otherwise than `folded` says."""
    threads: frozenset[int] = frozenset()
    """Ranks whose threads and GPU streams are hidden where there is room for them, and
    shown where there is none."""
    only: tuple[int, ...] = ()
    """Ranks that are shown; empty: all."""
    view: tuple[float, float] = (0.0, 1.0)
    """From where to where the rows are seen, in shares of their height."""
    tracks: tuple[FreeText, ...] = ()
    """Names in `live.timeline.tracks` of what is shown below the rows, top to
    bottom."""
    messages: bool = False
    """Whether all messages of the window are drawn."""
    collectives: bool = False
    """Whether all collective operations of the window are drawn."""
    ruler: tuple[int, int, int, int] | None = None
    """Time and rank at both ends of the ruler; None: there is none."""
    colour: RowColour = "state"
    """What rows are coloured by: ``state``, or a name in
    `live.timeline.row_colours.row_colourings`."""
    overview: tuple[int, int] | None = None
    """Stretch of the run in ticks that the overview below shows; None: all of it."""

    def is_folded(self, group: int) -> bool:
        """Return whether a group is folded, by its number."""
        return self.folded != (group in self.turned)

    @property
    def elsewhere(self) -> "TimelineOptions":
        """What of it holds for another trace, too."""
        order = "place" if self.origin or self.number else self.order
        tracks = tuple(t for t in self.tracks if not t.startswith("counter-"))
        colour = "state" if self.colour.startswith("counter-") else self.colour
        return TimelineOptions(
            order,
            tracks=tracks,
            messages=self.messages,
            collectives=self.collectives,
            colour=colour,
        )


@dataclass(frozen=True, slots=True)
class Camera:
    """Where a view of the ranks is seen from."""

    preset: CameraPreset = "home"
    """Name in `scene.camera.CAMERAS`, as long as there is no `pose`."""
    pose: model.Pose | None = None
    """Where the user has turned or moved it to."""
    whole: bool = True
    """Whether everything is kept in sight: also in a window of another size."""
    turned: bool = False
    """Whether it was turned since all was fitted into the view."""
    parallel: bool = False
    """Whether the projection is orthographic."""


FilmPath = tuple[tuple[int, model.Pose], ...]
"""Key frames: poses at times in ticks, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class MatchChoice:
    """A match that can be shown, and the part of the run that it is of, if any."""

    match: model.Match
    part: model.IdentifiedPart | None = None


def choices(identification: model.Identification) -> tuple[MatchChoice, ...]:
    """Return all that can be shown: matches, what they leave, plans, then parts.

    A plan that says more than the answer comes before it.
    """
    plans = [plan.match for plan in identification.plans]
    leading = identification.leading_plan is not None
    return (
        *map(MatchChoice, plans[:leading]),
        *map(MatchChoice, identification.matches),
        *map(MatchChoice, identification.remainder),
        *map(MatchChoice, plans[leading:]),
        *(
            MatchChoice(part.matches[0], part)
            for part in identification.parts
            if part.matches
        ),
    )


class Derived:
    """What follows from a state, computed once when somebody asks for it."""

    def __init__(self, state: "State") -> None:
        self._state = state

    @cached_property
    def choice(self) -> MatchChoice | None:
        """Return what the views show of the topology, None before there is any."""
        analysis = self._state.analysis
        if analysis is None or analysis.identification is None:
            return None
        offered = choices(analysis.identification)
        return offered[min(self._state.match, len(offered) - 1)]

    @cached_property
    def match(self) -> model.Match | None:
        """Return the match that the views show, None before there is any."""
        return self.choice.match if self.choice else None

    @cached_property
    def is_page_shown(self) -> bool:
        """Return whether a page about another trace hides the one that is open."""
        opening = self._state.opening
        return bool(self._state.failure) or (opening is not None and not opening.read)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The window's whole state."""

    analysis: model.Analysis | None = None
    """What is known about the open trace so far, None before there is one."""
    opening: Opening | None = None
    """The trace that is being read or analysed, None if none is."""
    failure: str = ""
    """Why the last trace could not be opened, empty if it could."""
    time: int = 0
    """Time cursor in ticks."""
    window: tuple[int, int] = (0, 1)
    """Begin and end of the shown time window in ticks."""
    playing: bool = False
    """Whether time runs."""
    speed: float = 0.0
    """How fast playing is, in `speed_unit`; 0: all of it in 10 s."""
    repeat: bool = False
    """Whether playing begins again at its end."""
    skip: bool = False
    """Whether playing leaves out what nothing happens in."""
    speed_unit: SpeedUnit = ""
    """What `speed` counts: simulated seconds in a second (empty), MPI calls of a rank
    in a second (``calls``), or the seconds that all of it takes (``whole``)."""
    bounds: tuple[int, int] | None = None
    """Begin and end in ticks of what is played; None: the window."""
    fixed_cursor: bool = False
    """Whether the cursor stands still while the timeline moves."""
    time_zero: int | None = None
    """Time in ticks from which times are counted; None: the begin."""
    unit: TimeUnit = ""
    """Unit in which times are written; empty: as suits the run."""
    highlighted: int = -1
    """While the ranks are highlighted in order: how many are; else -1."""
    selection: Selection = field(default_factory=Selection)
    """What is selected."""
    delay: int = -1
    """Index of the delay whose front is shown; -1 for none."""
    reason: bool = True
    """Whether a line says why this moment is shown."""
    picked: Picked = field(default_factory=Picked)
    """What was clicked last; it follows the selection unless it is given with it."""
    bookmarks: tuple[Bookmark, ...] = ()
    notes: tuple[Note, ...] = ()
    """`bookmarks` and `notes`: what the user wants to find again, and has written;
    bookmarks in the order in which they were made, notes by time."""
    names: tuple[tuple[FreeText, tuple[int, ...]], ...] = ()
    """Ranks that the user has given a name, by that name."""
    compared: ComparedRun | None = None
    """The run that was compared with last; None if none was."""
    theme: ThemeName = "light"
    """``light`` or ``dark``."""
    mouse: MouseHabits = "topoview"
    """What drags and the wheel do: as in ``topoview`` or as in ``vampir``."""
    match: int = 0
    """Index of the shown match among the `choices` of the identification."""
    focus: frozenset[int] = frozenset()
    """Codes of the states that stand out; empty: all alike."""
    scope: Scope = "exchange"
    """What the matrix and the profile count: the ``exchange``, the ``run``, the shown
    ``window``, or what is ``selected``."""
    scene: SceneOptions = field(default_factory=SceneOptions)
    second: SecondViewOptions = field(default_factory=SecondViewOptions)
    timeline: TimelineOptions = field(default_factory=TimelineOptions)
    """`scene`, `second` and `timeline`: how the two views of the ranks and the timeline
    are shown."""
    camera: Camera = field(default_factory=Camera)
    second_camera: Camera = field(default_factory=Camera)
    """`camera` and `second_camera`: where the two views are seen from."""
    second_active: bool = False
    """Whether actions on the scene are about its second view."""
    film_path: FilmPath = ()
    """What films are seen from; empty: `camera`."""
    panels: Mapping[type, object] = field(default_factory=dict)
    """Options of the other panels, by their class (`of`): each panel has its own beside
    it."""
    open_panels: frozenset[str] = frozenset()
    """Names of the panels that are open."""
    derived: Derived = field(init=False, repr=False, compare=False)
    """What follows from all that."""

    def __post_init__(self) -> None:
        """Let what follows be derived anew."""
        object.__setattr__(self, "derived", Derived(self))

    @property
    def trace(self) -> model.Trace | None:
        """The open trace, None before there is one."""
        return None if self.analysis is None else self.analysis.trace

    def of(self, options: type[Options]) -> Options:
        """Return a panel's options: those that were chosen, else its first ones."""
        stored = self.panels.get(options)
        return stored if isinstance(stored, options) else options()

    def part(self, name: str | type) -> object:
        """Return a field by its name, or a panel's options by their class."""
        return getattr(self, name) if isinstance(name, str) else self.of(name)


def kept_notes(state: State, note: Note, text: str) -> tuple[Note, ...]:
    """Return the notes with one more, or other words of one; without words it goes."""
    kept = [each for each in state.notes if each != note]
    kept += [replace(note, text=text)] if text else []
    return tuple(sorted(kept, key=lambda each: (each.time, each.rank)))


def renamed_bookmarks(state: State, mark: Bookmark, name: str) -> tuple[Bookmark, ...]:
    """Return the bookmarks, one of them with another name."""
    marks = state.bookmarks
    return tuple(replace(m, name=name) if m == mark else m for m in marks)


PROGRAM_PARTS = (
    "analysis",
    "opening",
    "failure",
    "playing",
    "highlighted",
    "compared",
    "theme",
    "mouse",
    "second_active",
    "open_panels",
)
"""Parts of the state that are no view of the trace: what goes on, and how it looks."""

VIEW_PARTS = tuple(
    part.name for part in fields(State) if part.init and part.name not in PROGRAM_PARTS
)
"""Parts of the state that the user finds again when the trace is opened."""

UNDONE_PARTS = (*VIEW_PARTS, "open_panels")
"""Parts of the state whose changes the user can undo."""


def parts_of(state: State, names: Iterable[str]) -> dict[str, Any]:
    """Return parts of a state by their names."""
    return {name: getattr(state, name) for name in names}


def view_of(state: State) -> dict[str, Any]:
    """Return what of a state is the user's view of the trace, by its fields."""
    return parts_of(state, VIEW_PARTS)


def trace_notes(state: State) -> tuple[str, ...]:
    """List what the user should know about the trace and its analysis."""
    analysis = state.analysis
    if analysis is None:
        return ()
    warnings = analysis.identification.warnings if analysis.identification else ()
    return tuple(dict.fromkeys((*analysis.trace.warnings, *warnings, *analysis.notes)))


def changes_to_match(state: State, match: int) -> dict[str, Any]:
    """Return what changes in the state when another match is shown."""
    scene, second = state.scene, state.second
    return {
        "match": match,
        "scene": replace(
            scene, layout="", geometry=scene.geometry.elsewhere, cut=SceneOptions().cut
        ),
        "second": replace(second, geometry=second.geometry.elsewhere),
    }


OF_COMPARISONS = ("difference", "compared")
"""Colourings that tell how windows or runs differ."""


def _without_comparison(scene: SceneOptions) -> SceneOptions:
    """Return options that hold for another trace, which is compared with nothing."""
    usual = SceneOptions()
    gone = {
        name: getattr(usual, name)
        for name in ("colouring", "outline", "size")
        if getattr(scene, name) in OF_COMPARISONS
    }
    return replace(scene, layout="", geometry=usual.geometry, cut=usual.cut, **gone)


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
        self._subscriptions: list[tuple[Subscriber, frozenset[str | type]]] = []
        self._pending: deque[tuple[State, State, bool, set[str | type]]] = deque()
        self._telling = self._adjusting = False
        self.is_adjusted = False
        """Whether the change that is told now only follows from others: `adjust`."""

    def subscribe(
        self, view: Subscriber, to: Iterable[str | type] = ()
    ) -> Callable[[], None]:
        """Call `view` at changes; returns what ends that.

        Parameters
        ----------
        to
            Parts of the state that it follows: names of fields, and classes of
            panels' options. By default all of it.
        """
        parts = tuple(to)
        for part in parts:
            self.state.part(part)  # a wrong name fails here
        subscription = view, frozenset(parts)
        self._subscriptions.append(subscription)
        return lambda: self._subscriptions.remove(subscription)

    def update(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Replace fields of the state; nothing happens if none changes.

        What is picked follows the selection, unless it is named too.
        """
        old = self.state
        if "selection" in changes and "picked" not in changes:
            chosen = changes["selection"]
            changes["picked"] = picked_by_selecting(old.selection, chosen, old.picked)
        changed: set[str | type] = {
            name for name, value in changes.items() if getattr(old, name) != value
        }
        if not changed:
            return
        new = self.state = replace(old, **changes)
        if "panels" in changed:
            kinds = {*old.panels, *new.panels}
            changed |= {kind for kind in kinds if old.of(kind) != new.of(kind)}
        self._pending.append((old, new, self._adjusting, changed))
        if self._telling:
            return
        self._telling = True
        faults: list[Exception] = []
        while self._pending:
            before, after, self.is_adjusted, changed = self._pending.popleft()
            for view, parts in tuple(self._subscriptions):
                if parts and parts.isdisjoint(changed):
                    continue
                try:
                    view(before, after)
                except Exception as fault:  # noqa: BLE001 - raised below
                    faults.append(fault)
        self._telling = self.is_adjusted = False
        if faults:
            raise faults[0]

    def adjust(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Replace what follows from the rest of the state: no step of the user's."""
        self._adjusting = True
        try:
            self.update(**changes)
        finally:
            self._adjusting = False

    def change(self, part: str | type, **changes: Any) -> None:  # noqa: ANN401
        """Replace options: of a field of the state, or of a panel by their class."""
        now: Any = self.state.part(part)
        options = replace(now, **changes)
        if isinstance(part, str):
            self.update(**{part: options})
        elif options != now:
            self.update(panels={**self.state.panels, part: options})

    def setter(
        self,
        part: str | type,
        name: str,
        **further: Any,  # noqa: ANN401
    ) -> Callable[[Any], None]:
        """Return a function that sets an option, and changes `further` ones with it."""
        return lambda value: self.change(part, **{name: value}, **further)

    def show_match(self, match: int) -> None:
        """Show another match; ranges of the old one's dimensions go."""
        self.update(**changes_to_match(self.state, match))

    def show_layout(self, layout: str) -> None:
        """Show another layout; ranges of the old one's dimensions go."""
        geometry = self.state.scene.geometry.elsewhere
        self.change("scene", layout=layout, geometry=geometry)

    def order_rows(self, order: str, number: str = "") -> None:
        """Order the timeline's rows; distances are from the ranks selected, if any."""
        state = self.state
        chosen = state.selection.ranks if order == "distance" else ()
        origin = chosen or state.timeline.origin
        number = number or state.timeline.number
        self._show_groups(order=order, origin=origin, number=number)

    def group_rows(self, group: str) -> None:
        """Group the timeline's rows; by selection: the ranks selected, and others."""
        ranks = self.state.selection.ranks
        apart = ranks if group == "selection" else self.state.timeline.apart
        self._show_groups(group=group, apart=apart)

    def _show_groups(self, **changes: Any) -> None:  # noqa: ANN401 - of options
        """Change rows, of which groups that were folded by themselves are others."""
        old = self.state.timeline
        new = replace(old, **changes)
        if (old.order, old.origin, old.group, old.apart) != (
            new.order,
            new.origin,
            new.group,
            new.apart,
        ):
            new = replace(new, turned=frozenset())
        self.update(timeline=new)

    def show_trace(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Show another trace: all that was about the one before goes.

        So do panels' options whose class says that they are `OF_TRACE`.
        """
        state = self.state
        chosen = changes.get("selection", Selection())
        panels = {
            kind: options
            for kind, options in state.panels.items()
            if not getattr(kind, "OF_TRACE", False)
        }
        old = state.timeline
        anew: dict[str, Any] = {
            "selection": Selection(),
            "picked": picked_by_selecting(Selection(), chosen, Picked()),
            "bookmarks": (),
            "notes": (),
            "names": (),
            "delay": -1,
            "reason": True,
            "timeline": old.elsewhere,
            "match": 0,
            "focus": frozenset(),
            "scene": _without_comparison(state.scene),
            "second": replace(state.second, layout="", geometry=model.Geometry()),
            "compared": None,
            "camera": Camera(parallel=state.camera.parallel),
            "second_camera": Camera(parallel=state.second_camera.parallel),
            "film_path": (),
            "panels": panels,
        }
        self.update(**anew | changes)

    def select(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select; what is not named is deselected."""
        self.update(selection=Selection(**changes))

    def choose(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Select calls or messages; ranks and a stretch of time stay selected."""
        now = self.state.selection
        kept = Selection(ranks=now.ranks, window=now.window)
        self.update(selection=replace(kept, **changes))
