"""How long something still takes, from how far it came."""

from typing import Final

_SURE_SECONDS: Final = 2.0
_SURE_FRACTION: Final = 0.02


class TimeLeft:
    """Estimates the seconds that a stage still takes.

    Examples
    --------
    >>> left = TimeLeft()
    >>> left.after("reading", 0.0, 0.0), left.after("reading", 0.25, 10.0)
    (-1, 30)
    """

    def __init__(self) -> None:
        self._stage, self._begin, self._from = "", 0.0, 0.0

    def after(self, stage: str, fraction: float, now: float) -> int:
        """Seconds left when a stage is so far at a time; -1 if not known yet."""
        if stage != self._stage or fraction < self._from:
            self._stage, self._begin, self._from = stage, now, fraction
        passed, came = now - self._begin, fraction - self._from
        if passed < _SURE_SECONDS or came < _SURE_FRACTION:
            return -1
        return round(passed * (1 - fraction) / came)


def time_words(seconds: float) -> str:
    """Write a time that somebody waits: ``40 s``, ``3 min``."""
    if seconds >= 90:
        return f"{seconds / 60:.0f} min"
    return f"{max(round(seconds), 1)} s"
