"""Which MPI calls are selected: a name for them, without the calls themselves."""

from dataclasses import dataclass


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
