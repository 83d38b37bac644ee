"""Progress of long functions, and how they are cancelled."""

from collections.abc import Callable

Report = Callable[[str, float], None]
"""``report(stage, fraction)``: called by a long function as it goes on.

`stage` says in a few words what is being done, `fraction` is in [0, 1] within
the stage. The callback raises `Cancelled` when the user gave up; the function
lets it pass.
"""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The user gave up; raised by a `Report`."""


def silent(stage: str, fraction: float) -> None:
    """Report nothing: the default `Report`."""
    del stage, fraction
