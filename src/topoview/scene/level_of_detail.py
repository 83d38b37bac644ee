"""What is left out so that frames come in time.

While the scene moves, the time of its frames rules how much of it is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Detail:
    """What is drawn."""

    smooth: bool = True
    """Edges of shapes without steps."""
    glyphs: bool = True
    """Shapes for ranks, not dots."""
    edges: bool = True
    """Edges, and traffic on them."""
    labels: bool = True
    """Words at ranks."""
    messages: bool = True
    """Messages in flight, and chains of waiting."""
    sharp: bool = True
    """Each pixel by itself while the camera moves, of ranks that are drawn by rays."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of what is missing, not only drawn more roughly."""
        return tuple(
            name for name in ("edges", "labels", "messages") if not getattr(self, name)
        )


FULL_DETAIL = Detail()


def _decreasing_detail(full: Detail, names: Sequence[str]) -> tuple[Detail, ...]:
    """Leave out one thing after the other."""
    levels = [full]
    for name in names:
        levels.append(replace(levels[-1], **{name: False}))
    return tuple(levels)


DETAIL_STEPS = _decreasing_detail(
    FULL_DETAIL, ("smooth", "glyphs", "edges", "labels", "messages", "sharp")
)
"""From all to least: what tells least of time goes first."""

MAX_RANKS_NEVER_DOTS = 500
"""Ranks up to which dots are no faster than shapes."""

MAX_RANKS_FOLLOWED, MAX_RANKS_FAST = 2_500, 100_000
"""Ranks of whose messages in flight an eye may follow single ones; ranks up to which
frames are fast."""

QUICK_FRAME_SECONDS, FAST_FRAME_SECONDS, SLOW_FRAME_SECONDS = 0.012, 0.033, 0.05
"""Seconds of a frame above which detail is dropped: where it tells nothing that 60
frames a second do not tell better (smooth edges, messages that nobody can follow; the
window's other panels need the rest of the time), up to `MAX_RANKS_FAST`, beyond.
Sharpness goes beyond the last alone."""

SLOW_FRAMES_TO_DROP = 3
"""Slow frames in a row that drop a step."""

FAST_FRAMES_TO_RETRY = 60
"""Frames in a row within half of that time after which one step is tried again."""

MAX_RETRY_COST = 2.0
"""Times the budget that a step may have taken for it to be tried again."""

MAX_MOTIONS_REMEMBERED = 10
"""Motions after which all steps are tried again."""


class DetailRule:
    """Finds the step of `DETAIL_STEPS` whose frames are fast enough.

    Some slow frames in a row drop a step, the first frame of a step apart: it
    uploads. What a step took is remembered, so that the next motion begins with
    the richest step that is not known to be slow. In a long motion a richer one is
    tried again when frames are fast, ever more seldom if that fails.
    """

    def __init__(self) -> None:
        self.ranks = -1
        """Ranks of the scene that it counts frames of; -1 before the first."""
        self._costs: dict[int, float] = {}
        self._motions = self._calm = 0
        self._patience = FAST_FRAMES_TO_RETRY
        self._last: tuple[float, ...] = ()
        self._start(0)

    @property
    def detail(self) -> Detail:
        """What is to be drawn."""
        return DETAIL_STEPS[self._step]

    def _budget(self, step: int) -> float:
        """Seconds that a frame of a step may take."""
        detail = DETAIL_STEPS[step]
        slow = self.ranks > MAX_RANKS_FAST or not detail.messages
        if slow and not detail.smooth:
            return SLOW_FRAME_SECONDS
        if self.ranks > MAX_RANKS_FOLLOWED or detail.smooth:
            return QUICK_FRAME_SECONDS
        return FAST_FRAME_SECONDS

    def begin(self, ranks: int) -> None:
        """Begin a motion of a scene with so many ranks."""
        self._motions += 1
        if self._motions > MAX_MOTIONS_REMEMBERED:
            self._costs, self._motions = {}, 0
        self._show(ranks)
        steps = range(len(DETAIL_STEPS))
        fast = (step for step in steps if self._cost(step) <= self._budget(step))
        self._start(next(fast, steps[-1]))
        self._patience = FAST_FRAMES_TO_RETRY

    def _show(self, ranks: int) -> None:
        """Forget what another scene took."""
        if ranks != self.ranks:
            self._costs, self._motions = {}, 0
        self.ranks = ranks

    def _cost(self, step: int) -> float:
        """Seconds that a frame of a step took; 0 if it is to be tried."""
        return self._costs.get(step, 0.0)

    def took(self, seconds: float) -> None:
        """Count a frame of the motion."""
        self._last = (*self._last[-SLOW_FRAMES_TO_DROP:], seconds)
        if len(self._last) <= SLOW_FRAMES_TO_DROP:
            return
        cost = min(self._last[1:])
        self._costs[self._step] = cost
        richer = self._budget(max(self._step - 1, 0))
        self._calm = self._calm + 1 if cost < richer / 2 else 0
        if cost > self._budget(self._step) and self._step + 1 < len(DETAIL_STEPS):
            if self._tried:
                self._patience *= 2
            self._start(self._step + 1)
        elif self._calm >= self._patience and self._step > 0:
            self._calm = 0
            if self._cost(self._step - 1) <= MAX_RETRY_COST * self._budget(self._step):
                self._start(self._step - 1, tried=True)

    def _start(self, step: int, *, tried: bool = False) -> None:
        self._step, self._tried = step, tried
        self._last = ()
        self._calm = 0
