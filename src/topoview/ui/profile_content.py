"""What the profile lists of a state: asked for in one thread, found in another."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.analysis import Analysis
from topoview.analysis.chosen import chosen_spans
from topoview.analysis.profile_rows import ProfileRow, function_rows, state_rows
from topoview.analysis.profile_window import profile_within
from topoview.analysis.wanted import Wanted
from topoview.model import Ints, Profile
from topoview.session import State
from topoview.ui.matrix_content import effective_scope
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
    """

    known: Analysis
    window: tuple[int, int] | None
    ranks: tuple[int, ...]
    wanted: Wanted


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
    """

    asked: ProfileRequest
    profile: Profile
    functions: tuple[ProfileRow, ...]
    states: tuple[ProfileRow, ...]

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
    if scope != "selected":
        return ProfileRequest(known, window, (), Wanted())
    # an operation is a line of the profile itself: it would be left alone
    alone = wanted(state) if not chosen.operation else Wanted()
    ranks = chosen.ranks or chosen.edge or ()
    return ProfileRequest(known, window, ranks, alone)


def find(
    asked: ProfileRequest, go_on: Callable[[], bool] = lambda: True
) -> ProfileFound:
    """Make a profile; a long computation that releases the GIL."""
    del go_on
    known = asked.known
    trace = known.trace
    assert known.profile is not None
    profile = known.profile
    if asked.window is not None or asked.wanted:
        spans = None
        if asked.wanted:
            spans = chosen_spans(trace, known.logical, asked.wanted)
        window = asked.window or (0, max(trace.clock.length, 1))
        profile = profile_within(trace, window, spans)
    ranks = np.array(asked.ranks, np.int64) if asked.ranks else None
    return ProfileFound(
        asked,
        profile,
        function_rows(trace, profile, ranks),
        state_rows(profile, ranks),
    )
