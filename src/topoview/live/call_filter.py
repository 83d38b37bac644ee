"""Which MPI calls are selected: a name for them, without the calls themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoview.model import Line


@dataclass(frozen=True, slots=True)
class CallFilter:
    """MPI calls that are meant; nothing else is known of them yet.

    Attributes
    ----------
    statements
        Those of statements of the logical trace, ascending.
    operation
        Those of an MPI operation, such as ``Isend``; it comes before `statements`.
    """

    statements: tuple[int, ...] = ()
    operation: str = ""

    def __bool__(self) -> bool:
        """Tell whether anything is meant."""
        return bool(self.statements or self.operation)


NO_CALLS = CallFilter()
"""No calls."""


def statements_of_lines(
    lines: Sequence["Line"], begin: int, end: int
) -> tuple[int, ...]:
    """List the statements of some lines, those of blocks that they use included.

    Parameters
    ----------
    lines
        All lines of a logical trace.
    begin, end
        The first of them, and the one after the last.

    Returns
    -------
    tuple of int
        Ascending; a block that is used elsewhere as well is all of it.
    """
    heads = {line.first: number for number, line in enumerate(lines) if _heads(line)}
    found: set[int] = set()
    seen: set[int] = set()
    open_ = [(begin, min(end, len(lines)))]
    while open_:
        low, high = open_.pop()
        for line in lines[low:high]:
            if line.kind == "call":
                found.add(line.first)
            elif line.kind == "use" and line.first not in seen:
                seen.add(line.first)
                head = heads.get(line.first)
                if head is not None:
                    open_.append((head, lines[head].end))
    return tuple(sorted(found))


def _heads(line: "Line") -> bool:
    return line.kind == "block"
