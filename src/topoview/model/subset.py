"""Which part of a trace is to be read, and how large the whole is."""

from dataclasses import dataclass
from typing import Final

DIGEST_SUFFIX: Final = ".topoview"
"""What the names of digests, and of fetched parts of traces, end in."""


@dataclass(frozen=True, slots=True)
class Subset:
    """What is to be read of a trace; all of it by default.

    Examples
    --------
    >>> Subset.parse(ranks="0-3, 8,9").ranks
    ((0, 3), (8, 9))
    """

    begin: float | None = None
    end: float | None = None
    """`begin` and `end`: seconds from the trace's beginning; None: from its begin, to
    its end."""
    ranks: tuple[tuple[int, int], ...] = ()
    """First and last rank of each stretch of ranks, ascending and apart; empty: all
    ranks."""

    def __post_init__(self) -> None:
        """Refuse what is no part.

        Raises
        ------
        ValueError
            If it ends before it begins, or names no ranks.
        """
        begin, end = self.begin or 0.0, self.end
        if not 0 <= begin < float("inf"):
            raise ValueError(f"{begin:g} s is no time in a trace: it begins at 0 s")
        if end is not None and not end > begin:
            raise ValueError(f"it cannot end at {end:g} s and begin at {begin:g} s")
        if any(first < 0 or last < first for first, last in self.ranks):
            raise ValueError("ranks are written like 0-63,70")

    @classmethod
    def parse(
        cls, begin: float | None = None, end: float | None = None, ranks: str = ""
    ) -> "Subset":
        """Parse a subset from ranks as they are written: ``0-63,70``.

        Raises
        ------
        ValueError
            If that cannot be understood.
        """
        stretches = [_parse_range(part) for part in ranks.split(",") if part.strip()]
        if ranks and not stretches:
            raise ValueError(f"{ranks!r} names no rank; ranks are written like 0-63,70")
        return cls(begin or None, end, _join_ranges(stretches))

    @property
    def is_all(self) -> bool:
        """Whether it is the whole trace."""
        return self == Subset()

    def has_rank(self, rank: int) -> bool:
        """Whether a rank is in it."""
        return not self.ranks or any(a <= rank <= b for a, b in self.ranks)

    @property
    def words(self) -> str:
        """Describe it, such as ``ranks 0-63, from 1 s to 2 s``."""
        parts = []
        if self.ranks:
            stretches = (f"{a}" if a == b else f"{a}-{b}" for a, b in self.ranks)
            parts.append(f"ranks {', '.join(stretches)}")
        if self.begin:
            parts.append(f"from {self.begin:g} s")
        if self.end is not None:
            parts.append(f"to {self.end:g} s")
        return " ".join(parts) if parts else "all"

    def options(self, prefix: str = "read-") -> tuple[str, ...]:
        """Return options of the command line that read it, as they begin there.

        Examples
        --------
        >>> Subset(0.5, None, ((0, 3), (8, 8))).options()
        ('--read-from', '0.5', '--read-ranks', '0-3,8-8')
        """
        arguments: list[str] = []
        for name, when in (("from", self.begin), ("to", self.end)):
            arguments += [] if when is None else [f"--{prefix}{name}", repr(when)]
        if self.ranks:
            stretches = ",".join(f"{first}-{last}" for first, last in self.ranks)
            arguments += [f"--{prefix}ranks", stretches]
        return tuple(arguments)


def _parse_range(text: str) -> tuple[int, int]:
    first, dash, last = text.strip().partition("-")
    try:
        result = int(first), int(last if dash else first)
    except ValueError:
        raise ValueError(
            f"{text.strip()!r} is no rank; ranks are written like 0-63,70"
        ) from None
    if result[1] < result[0]:
        raise ValueError(
            f"{text.strip()!r} ends before it begins; write {last}-{first}"
        )
    return result


def _join_ranges(stretches: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return tuple(joined)


@dataclass(frozen=True, slots=True)
class TraceExtent:
    """What reading a trace means."""

    name: str
    """Of the trace."""
    ranks: int
    locations: int
    """`ranks` and `locations`: how many there are."""
    events: int
    """Records in all files, as the chunks' headers say."""
    size: int
    """Bytes of these files."""
    length: float
    """Seconds that the trace lasts, about; 0 if not known."""
    seconds: float
    """How long reading all of it takes on this machine, about."""
    room: int
    """Bytes that the cache would take, about."""
