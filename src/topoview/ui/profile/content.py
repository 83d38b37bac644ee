"""What the profile lists of a state: asked for in one thread, found in another."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.analysis import Analysis
from topoview.analysis.chosen import chosen_spans
from topoview.analysis.profile_rows import ProfileRow, function_rows, state_rows
from topoview.analysis.profile_window import profile_within
from topoview.analysis.wanted import NOTHING, Wanted
from topoview.model import Ints, MPIState, Profile
from topoview.session import State
from topoview.ui.matrix.content import effective_scope
from topoview.ui.selected import wanted


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What a profile is made from; equal ones are alike.

    Attributes
    ----------
    known
        What is known.
    window
        Ticks that count, None for the whole run.
    ranks
        Ranks that count, all if empty.
    wanted
        Calls that count, all if empty.
    marked
        Calls whose lines are marked: of a selected statement or loop.
    """

    known: Analysis
    window: tuple[int, int] | None
    ranks: tuple[int, ...]
    wanted: Wanted
    marked: Wanted = NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class ProfileFound:
    """A profile and its lines.

    Attributes
    ----------
    asked
        What it is a profile of.
    profile
        All numbers.
    functions, states
        Lines, most time first.
    marked
        Numbers of the marked calls alone; None if there are none.
    """

    asked: ProfileRequest
    profile: Profile
    functions: tuple[ProfileRow, ...]
    states: tuple[ProfileRow, ...]
    marked: Profile | None = None

    def rows(self, kind: str) -> tuple[ProfileRow, ...]:
        """Lines of ``functions`` or ``states``."""
        return self.states if kind == "states" else self.functions

    def by_rank(self, kind: str, row: ProfileRow) -> tuple[Ints, Ints | None]:
        """Ticks and calls of each rank in a line; no calls for a state."""
        if kind == "states":
            return self.profile.state_ticks[:, row.column], None
        return self.profile.ticks[:, row.column], self.profile.calls[:, row.column]


def request(state: State) -> ProfileRequest | None:
    """Gather what a state wants to see; None before there is a profile."""
    known = state.analysis
    if known is None or known.profile is None:
        return None
    scope, chosen = effective_scope(state), state.selection
    window = {"window": state.window, "selected": chosen.window}.get(scope)
    # an operation is a line of the profile itself: it would be left alone
    alone = wanted(state) if not chosen.operation else NOTHING
    if scope != "selected":
        return ProfileRequest(known, window, (), NOTHING, alone)
    ranks = chosen.ranks or chosen.edge or ()
    return ProfileRequest(known, window, ranks, alone, alone)


def find(
    asked: ProfileRequest, go_on: Callable[[], bool] = lambda: True
) -> ProfileFound:
    """Make a profile; a long computation that releases the GIL."""
    del go_on
    known = asked.known
    trace = known.trace
    assert known.profile is not None
    profile, marked = known.profile, None
    window = asked.window or (0, max(trace.clock.length, 1))
    if asked.marked:
        spans = chosen_spans(trace, known.logical, asked.marked)
        marked = profile_within(trace, window, spans)
    if asked.wanted:
        assert marked is not None  # they are marked too
        profile = marked
    elif asked.window is not None:
        profile = profile_within(trace, window)
    ranks = np.array(asked.ranks, np.int64) if asked.ranks else None
    return ProfileFound(
        asked,
        profile,
        function_rows(trace, profile, ranks),
        state_rows(profile, ranks),
        marked,
    )


def chosen_names(state: State, found: ProfileFound | None) -> frozenset[str]:
    """Names of the lines that the selection is about, empty if it is about none.

    Parameters
    ----------
    found
        What is shown; of a statement or a loop its marked calls tell.
    """
    chosen, known = state.selection, state.analysis
    if state.view.profiled == "states":
        focus = sorted(state.view.focus)
        return frozenset([MPIState(focus[0]).label] if len(focus) == 1 else [])
    if chosen.operation or known is None:
        return frozenset({chosen.operation} - {""})
    if found is not None and found.marked is not None:
        return frozenset(found.marked.operations)
    if chosen.call is not None and chosen.call < len(known.trace.calls):
        regions = known.trace.regions
        operation = int(regions.operation[known.trace.calls.region[chosen.call]])
        return frozenset([regions.operations[operation]] if operation >= 0 else [])
    return frozenset()
