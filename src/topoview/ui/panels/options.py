"""Options of the panels that only the window knows; those of the others are in `State`.

Each panel's are a frozen dataclass, held in `State.panels` by its class. They are
here, and not in the panels' own modules, since actions change them before these
heavy modules are loaded.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class TopologyOptions:
    """How the matches are shown.

    Attributes
    ----------
    why
        Whether their list gives way to the reasons for them.
    turned
        Sections of the list that were folded, or unfolded, by the user.
    """

    why: bool = False
    turned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """`unfolded`: parts of the cards about shapes whose rows are shown."""

    unfolded: frozenset[str] = frozenset({"spacing", "show"})


@dataclass(frozen=True, slots=True)
class LogicalOptions:
    """How the logical trace is shown.

    Attributes
    ----------
    folded
        Whether all rows that can be are folded, or none is; None: as many as suit.
    turned
        Lines of rows that are otherwise than `folded` says.
    finding
        What is written in the field that filters lines; None: it is closed.
    """

    OF_TRACE: ClassVar[bool] = True
    folded: bool | None = None
    turned: frozenset[int] = frozenset()
    finding: str | None = None


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """How the matrix is shown.

    Attributes
    ----------
    amount
        What it shows: ``calls``, ``bytes``, or ``moved``, the bytes of one-sided
        transfers.
    order
        Order of its ranks: ``rank``, ``place`` or ``node``.
    """

    amount: str = "calls"
    order: str = "rank"


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """`kind`: what the profile lists, ``functions`` or ``states``."""

    kind: str = "functions"


@dataclass(frozen=True, slots=True)
class DelayOptions:
    """What is shown of delays.

    `column`, `descending`: what the list is sorted by; `page`: what is below it,
    ``advice``, ``states`` or ``efficiency``; `scope`: whether efficiencies are of the
    ``run`` or the ``window``.
    """

    column: int = 6  # what they caused
    descending: bool = True
    page: str = "advice"
    scope: str = "run"
