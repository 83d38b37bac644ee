"""Source lines that calls were made from."""

from dataclasses import dataclass, field

import numpy as np

from topoview.model.arrays import Indices, Ints, freeze


def _none() -> Ints:
    return np.zeros(0, np.int64)


def _nobody() -> Indices:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What the definitions say of the lines that calls were made from.

    Attributes
    ----------
    places
        Lines of source code, ``solve.c:120``.
    place_identifiers : int64, shape (n,)
        The trace's own, ascending, of the first n lines, as attributes of events
        hold them. Lines of call sites have none.
    contexts : int64, shape (contexts,)
        The trace's identifiers of calling contexts, ascending, as records of type
        ``CallingContextEnter`` and ``CallingContextSample`` hold them.
    context_region : int32, shape (contexts,)
        Region that each is in; -1 if unknown.
    context_parent : int32, shape (contexts,)
        Index of the context that it was called from, -1 for none.
    context_place : int32, shape (contexts,)
        Index of its line, -1 for none.
    site_entered, site_left, site_place : int32, shape (sites,)
        Call sites: region that is called, region that calls it, index of the line.
    """

    places: tuple[str, ...] = ()
    place_identifiers: Ints = field(default_factory=_none)
    contexts: Ints = field(default_factory=_none)
    context_region: Indices = field(default_factory=_nobody)
    context_parent: Indices = field(default_factory=_nobody)
    context_place: Indices = field(default_factory=_nobody)
    site_entered: Indices = field(default_factory=_nobody)
    site_left: Indices = field(default_factory=_nobody)
    site_place: Indices = field(default_factory=_nobody)

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count what tells of lines: contexts, call sites, lines by themselves."""
        return len(self.contexts) + len(self.site_entered) + len(self.places)
