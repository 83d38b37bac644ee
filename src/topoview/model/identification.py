"""What a topology's identification is: matches, parts, plans, and its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from topoview.base.text import html_text
from topoview.model.frozen.arrays import Frozen, Indices, Ints
from topoview.model.table import ROWS_SHOWN

if TYPE_CHECKING:
    from topoview.model.trace import UnrecordedCalls
from topoview.model.topology import AXES, LINES, MOST_PAIRS, WITHOUT_WHOLE, Match


@dataclass(frozen=True, slots=True, eq=False)
class IdentifiedPart(Frozen):
    """What was identified in a part of the run."""

    by: str
    """``phase``, ``communicator``, ``component``, ``tag``, ``size`` or ``call site``;
    ``inference`` of what may be said of calls whose partners are not recorded: `name`
    is their operation."""
    name: str
    """Its name."""
    begin: int
    end: int
    """`begin` and `end`: time window in ticks."""
    ranks: Indices
    """int32, shape (n,): world ranks of the part."""
    matches: tuple[Match, ...]
    """Best first; ranks in them are world ranks."""
    remark: str = ""
    """What else there is to say, such as the collective operations that it was
    identified by; may be empty."""


@dataclass(frozen=True, slots=True)
class PlanAxis:
    """An axis of a plan: ranks along it form groups of one size."""

    name: str
    """``pipeline``, ``experts``, ``tensor``, ``data``, ``rows``, ..., or as the program
    named its communicators."""
    size: int
    """Ranks of a group."""
    by: tuple[str, ...]
    """What runs along it, most often first: ``point to point``, ``Allreduce``, ..."""
    calls: int
    """How many calls a rank makes for it, about."""
    communicators: tuple[int, ...]
    """Indices of the groups in the trace's communicators; empty of messages alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Coordinates by the groups that ranks are in: ``pipeline 4 x data 6``."""

    axes: tuple[PlanAxis, ...]
    """The axes; their sizes multiply to the number of ranks."""
    match: Match
    """What they make: its coordinates are the places along the axes."""

    @property
    def name(self) -> str:
        """Name of all axes with their sizes."""
        return self.match.topology.name

    @property
    def spans(self) -> tuple[str, ...]:
        """Name all sets of axes, by their bits: ``data``, ``experts x data``, ..."""
        return tuple(
            " x ".join(a.name for i, a in enumerate(self.axes) if bits >> i & 1)
            for bits in range(1, 1 << len(self.axes))
        )

    def span_of(self, ranks: Ints | Indices, partners: Ints | Indices) -> Ints:
        """Find along which axes ranks differ: int64, an index into `spans` or -1."""
        places = self.coordinates
        differ = places[ranks] != places[partners]
        span: Ints = differ @ (1 << np.arange(len(self.axes))) - 1
        return span

    def span_of_group(self, ranks: Indices) -> int:
        """Find along which axes a group has all ranks; -1 if it lacks some."""
        own = self.coordinates[ranks[ranks >= 0]]
        along = (own != own[:1]).any(axis=0)
        sizes = [axis.size for axis in self.axes]
        if np.prod(np.where(along, sizes, 1)) != len(ranks):
            return -1
        return int(along @ (1 << np.arange(len(sizes)))) - 1

    def places_partners(self, match: Match) -> bool:
        """Return whether all that a match has for partners are next along a named axis.

        Parameters
        ----------
        match
            With all ranks, and no pair beside its edges.
        """
        if self.is_grid or match.extra or bool(np.any(match.vertex < 0)):
            return False
        rank = np.argsort(match.vertex)
        ends = rank[np.asarray(match.topology.edges, np.int64)]
        steps = np.abs(np.diff(self.coordinates[ends], axis=1)).sum(axis=(1, 2))
        return len(steps) > 0 and bool((steps == 1).all())

    @property
    def is_grid(self) -> bool:
        """Whether its axes have no names but those of any grid's."""
        return {axis.name for axis in self.axes} <= {*LINES, *AXES}

    @property
    def coordinates(self) -> Indices:
        """Place of each rank on each axis, int32, shape (ranks, axes)."""
        return self.match.coordinates


@dataclass(frozen=True, slots=True)
class DeclaredTopology:
    """A Cartesian topology that the program declared, and what it did in it."""

    name: str
    """Name in the trace."""
    topology: str
    observed: str
    """`topology` and `observed`: name of the lattice that was declared, and of what was
    seen."""
    dims: tuple[int, ...]
    """As declared to MPI: the last changes fastest."""
    verdict: str
    """``same``: exactly its edges were used; ``permuted``: a graph like it, at other
    ranks; ``different``; ``unused``: none of its edges was used; ``unrecorded``: none
    is seen, but partners of some calls are not recorded."""
    edges: int
    used: int
    """`edges` and `used`: undirected edges that were declared, and those that carry
    messages."""
    further: int
    """Pairs of its ranks that exchange messages without having been declared."""


@dataclass(frozen=True, slots=True)
class GraphNumbers:
    """Numbers that tell what a graph may be that is no member of the library."""

    partners: tuple[int, float, int]
    """Fewest, mean, and most partners of a rank."""
    hubs: tuple[int, ...]
    """Ranks with far more partners than others."""
    dimension: float | None
    """Spectral dimension: about 2 on a grid, 3 on one in space; None if the graph is in
    several pieces or too large."""
    planar: bool | None
    """Whether it can be drawn without crossings; None if that was not tried."""
    apart: tuple[int, int]
    """By how much the ranks of partners differ: half of them, and nine of ten, by no
    more than this."""
    groups: tuple[int, ...]
    """Ranks of groups with many pairs within, the largest first; empty if not tried."""
    modularity: tuple[float, float]
    """How far pairs lie within these groups, and in those of a graph drawn by lot."""
    mesh: str
    """``planar`` or ``mesh`` where it is like the parts of a mesh, else empty."""


@dataclass(frozen=True, slots=True, eq=False)
class GraphStructure(Frozen):
    """What is known of a graph that is no member of the library."""

    symmetry: Indices
    """int32, shape (ranks,): class of each rank, -1 for silent ones: ranks of different
    classes cannot change places. Those of one class have as many partners, triangles
    and cycles of four, and as many ranks at each distance, as far as that was counted,
    and their partners are of the same classes."""
    sizes: tuple[int, ...]
    """Ranks of each class."""
    factors: tuple[str, ...] = ()
    """Names of the factors if the graph is a Cartesian product, else empty; a factor
    that is not known is ``unknown`` and its number of vertices."""
    alike: bool = False
    """Whether any two ranks were shown to be able to change places."""
    numbers: GraphNumbers | None = None
    """Its numbers, if they were asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """What is known about the communication topology of a run."""

    ranks: int
    """Number of ranks."""
    matches: tuple[Match, ...]
    """Best first, at least one; ``matches[0]`` is the answer."""
    parts: tuple[IdentifiedPart, ...] = ()
    """Phases, communicators, components."""
    declared: tuple[DeclaredTopology, ...] = ()
    """Cartesian topologies that the program declared."""
    warnings: tuple[str, ...] = ()
    """What the user should know, a sentence each."""
    seconds: float = 0.0
    """Wall time that it took."""
    remainder: tuple[Match, ...] = ()
    """What explains the pairs that the answer leaves, in turn: the first one the pairs
    that the answer leaves, the second what the first leaves of them. Empty if nothing
    is left. The fractions covered count all traffic."""
    structure: GraphStructure | None = None
    """What is known of the graph if the answer is ``unknown``."""
    unrecorded: tuple[UnrecordedCalls, ...] = ()
    """Calls that reach other ranks, of which the trace does not tell whom."""
    collectives: tuple[str, ...] = ()
    """Collective operations of all ranks, those with most bytes first, if no two ranks
    exchange messages."""
    plans: tuple[Plan, ...] = ()
    """Coordinates by the communicators that ranks are in: that with most axes first."""

    @property
    def plan(self) -> Plan | None:
        """The plan with most axes; None if communicators give no coordinates."""
        return self.plans[0] if self.plans else None

    @property
    def leading_plan(self) -> Plan | None:
        """The plan, where it says more than the answer.

        The answer leaves apart what the plan joins: pieces, or ranks without messages;
        and messages, if there are any, go along its axes.
        """
        plan, best = self.plan, self.best
        if plan is None or best.topology.kind not in WITHOUT_WHOLE:
            return None
        pairs = np.concatenate((best.rank_edges, best.extra_edges))
        one_axis = (1 << np.arange(len(plan.axes))) - 1
        along = np.isin(plan.span_of(*pairs.T), one_axis)
        return plan if not len(pairs) or along.mean() >= MOST_PAIRS else None

    @property
    def shown_first(self) -> Match:
        """What tells the ranks' places best: the leading plan, or the answer."""
        plan = self.leading_plan
        return self.best if plan is None else plan.match

    def __repr__(self) -> str:
        """Return in a line what the answer is."""
        others = f"; {len(self.matches) - 1} more matches" * (len(self.matches) > 1)
        parts = f"; {len(self.parts)} parts" * bool(self.parts)
        answer = ", ".join(self.best.summary())
        return f"<Identification of {self.ranks} ranks: {answer}{others}{parts}>"

    def _repr_html_(self) -> str:
        """Show the matches in a notebook, the answer first, and those of parts."""
        shown = [("the run", match) for match in self.matches]
        shown += [
            (f"{part.by} {part.name}", part.matches[0])
            for part in self.parts
            if part.matches
        ]
        rows = [(of, *match.summary()) for of, match in shown]
        titles = "of", "topology", "messages", "bytes", "edges"
        more = len(rows) - ROWS_SHOWN
        cut = f"<p>{more} more</p>" if more > 0 else ""
        return html_text(titles, rows[:ROWS_SHOWN], [True] * len(titles)) + cut

    @property
    def best(self) -> Match:
        """The answer."""
        return self.matches[0]


class Directions(Protocol):
    """Names of partners as directions: ``EAST``, ``PARENT``, ``EXCHANGE 4``.

    The package `topoview.topology` makes one for each match; logical traces
    are written and expanded with it.
    """

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank.

        Parameters
        ----------
        ranks, partners : int32, shape (n,)
            World ranks; pairs need not be edges of the topology.

        Returns
        -------
        int32, shape (n,), and list of str
            Index into the list for each pair; -1 where the topology has no
            name for it.
        """

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to, None where there is none."""


@dataclass(frozen=True, slots=True)
class CandidateStep:
    """A candidate whose size and degrees fit, and what became of it."""

    candidate: str
    """Its name."""
    verdict: str
    """``shown``, or the test that excluded it: ``short cycles``, ``distances``,
    ``spectrum``, ``isomorphism``; ``not tested`` if it is too large."""
    spectrum: bool | None = None
    """Whether its spectrum is that of the graph; None if that was not asked, or would
    take too long."""


@dataclass(frozen=True, slots=True)
class LevelSteps:
    """What was tried at a level of volume."""

    level: int
    """Its number, as in `Match`."""
    least: int
    """Bytes of its pair that has fewest."""
    gap: float
    """By what factor the volumes fall below it."""
    vertices: int
    edges: int
    """`vertices` and `edges`: ranks that communicate, and pairs that do."""
    degrees: tuple[tuple[int, int], ...]
    """How many ranks have each number of partners: (partners, ranks)."""
    connected: bool
    """Whether there is a path between any two of these ranks."""
    excluded: tuple[tuple[str, int], ...]
    """Candidates with as many vertices that were excluded: by ``edges``, and by
    ``degrees``."""
    all_tried: bool
    """Whether these are all members of the library with as many vertices."""
    steps: tuple[CandidateStep, ...]
    """The others."""
