"""Opening a trace: a worker reads and analyses it, a thread waits for what it keeps.

Nothing here holds the GUI thread. A job that was cancelled or overtaken by a newer
one has lost its generation: whatever it still finds is dropped.
"""

import contextlib
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from topoview.base.progress import Cancelled, Report
from topoview.base.text import mark, tr
from topoview.errors import TopoviewError
from topoview.model import Analysis, Subset, TraceExtent
from topoview.session import Opening, Session, State

_MIN_SECONDS_SEEN: Final = 2.0
_MIN_FRACTION_SEEN: Final = 0.02


STAGE_WEIGHTS: Final = {
    mark("starting"): 9,
    mark("unpacking"): 4,
    mark("reading definitions"): 1,
    mark("reading"): 2,
    mark("matching messages"): 1,
    mark("saving to the cache"): 7,
    mark("looking through messages"): 9,
    mark("looking for who waits"): 6,
    mark("accounting for time"): 3,
    mark("adding up states"): 2,
    mark("looking through one-sided transfers"): 7,
    mark("counting messages"): 2,
    mark("identifying"): 3,
    mark("profiling calls"): 1,
    mark("looking for phases"): 3,
    mark("comparing ranks"): 1,
    mark("reading the ranks' calls"): 6,
    mark("merging groups of ranks"): 7,
    mark("finding loops"): 18,
    mark("naming conditions"): 1,
    mark("finding loops that vary"): 1,
    mark("verifying"): 2,
    mark("timing loops"): 2,
    mark("mapping calls to statements"): 1,
    mark("looking for delays"): 4,
}
"""Stages of an opening in order, and how long each takes: per cent of it all, the mean
of a trace of 0.07 and one of 6.1 million events. Others take next to nothing."""


CLUSTER_WEIGHTS: Final = {
    mark("starting"): 7,
    mark("reading"): 6,
    mark("laying parts side by side"): 1,
    mark("matching messages"): 3,
    mark("aligning clocks"): 1,
    mark("writing columns"): 8,
    mark("joining parts"): 2,
    mark("adding up parts"): 5,
    mark("making results"): 64,
    mark("writing the digest"): 3,
}
"""The same of a digest that is made on a cluster, by ``benchmarks/digest.py``."""


class OverallProgress:
    """Makes one fraction of those of all stages, which never goes back.

    Examples
    --------
    >>> whole = OverallProgress()
    >>> whole.after("identifying", 0.0) < whole.after("finding loops", 0.5)
    True
    >>> whole.after("finding loops", 0.0) == whole.after("finding loops", 0.5)
    True
    """

    def __init__(self, weights: Mapping[str, float] = STAGE_WEIGHTS) -> None:
        self._weights, self._fraction = weights, 0.0

    def after(self, stage: str, fraction: float) -> float:
        """Fraction of all when a stage is so far; unknown stages do not count."""
        stage, weights = stage.partition(":")[0], self._weights
        if stage in weights:
            names = list(weights)
            before = sum(weights[n] for n in names[: names.index(stage)])
            done = before + fraction * weights[stage]
            self._fraction = max(self._fraction, done / sum(weights.values()))
        return self._fraction


class TimeLeft:
    """Estimates the seconds that a stage still takes.

    Examples
    --------
    >>> left = TimeLeft()
    >>> left.after("reading", 0.0, 0.0), left.after("reading", 0.25, 10.0)
    (-1, 30)
    """

    def __init__(self) -> None:
        self._stage: str | None = None
        self._begin = self._from = 0.0

    def after(self, stage: str, fraction: float, now: float) -> int:
        """Seconds left when a stage is so far at a time; -1 if unknown yet."""
        if stage != self._stage or fraction < self._from:
            self._stage, self._begin, self._from = stage, now, fraction
        passed, came = now - self._begin, fraction - self._from
        if passed < _MIN_SECONDS_SEEN or came < _MIN_FRACTION_SEEN:
            return -1
        return round(passed * (1 - fraction) / came)


def time_left_text(seconds: float) -> str:
    """Write a time that somebody waits: ``40 s``, ``3 min``."""
    if seconds >= 90:
        return tr("{seconds:.0f} min", seconds=seconds / 60)
    return f"{max(round(seconds), 1)} s"


POLL_MILLISECONDS = 50
"""Milliseconds between two looks at how far a job is."""

UNTOUCHED = ("time", "window", "selection", "timeline", "match", "playing")
"""Parts of the state that stay as they were shown until the user does something."""

MAX_SECONDS_TO_LEAVE = 2.0
"""Seconds that leaving waits for a job to give up."""


@dataclass(eq=False)
class _OpeningJob:
    """One opening, shared by its thread and the GUI thread."""

    path: str
    progress: tuple[str, float] = ("starting", 0.0)
    cancelled: threading.Event = field(default_factory=threading.Event)
    subset: Subset | None = None
    make: Callable[[Report], None] | None = None
    answers: SimpleQueue[Subset] = field(default_factory=SimpleQueue)
    shown: State | None = None
    restored: bool = False

    def report(self, stage: str, fraction: float) -> None:
        """Note the progress; the GUI thread looks at it when it can."""
        if self.cancelled.is_set():
            raise Cancelled
        self.progress = (stage, fraction)

    def wait(self) -> Subset:
        """Wait for the user's answer."""
        while True:
            self.report("waiting for your choice", 0.0)
            with contextlib.suppress(Empty):
                return self.answers.get(timeout=POLL_MILLISECONDS / 1000)


class Opener(QObject):
    """Opens traces into a session."""

    read = Signal(str)
    """Path of a trace that has been read."""
    requested = Signal(object)
    """`TraceExtent` of a trace whose reading takes long; `answer` says what to read."""
    learned = Signal(object)
    """What is different now in the first view, where an earlier session is shown
    instead: parts of the state by their names."""
    complained = Signal(str)
    """Why the analysis of a trace that is shown could not go on."""
    _asked = Signal(object, object)
    _found = Signal(object, object)
    _failed = Signal(object, str, str)
    _done = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: _OpeningJob | None = None
        self._threads: list[threading.Thread] = []
        self.subset = Subset()
        """What was read of the trace that is shown."""
        self.details = ""
        """Traceback of the last failure that we cannot explain, else empty."""
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MILLISECONDS)
        self._timer.timeout.connect(self._show_progress)
        self._left, self._whole = TimeLeft(), OverallProgress()
        self._asked.connect(self._ask)
        self._found.connect(self._take)
        self._failed.connect(self._fail)
        self._done.connect(self._finish)

    def open(
        self,
        path: str,
        subset: Subset | None = None,
        make: Callable[[Report], None] | None = None,
    ) -> None:
        """Open a trace; an opening under way is cancelled.

        Parameters
        ----------
        path
            Anchor file, folder or archive; what is shown while it opens.
        subset
            What to read of it; None: all, or what is answered if it is long.
        make
            Makes the file on a cluster first, in another thread.
        """
        self._abandon()
        job = _OpeningJob(path, subset=subset, make=make)
        self._job = job
        weights = STAGE_WEIGHTS if make is None else CLUSTER_WEIGHTS
        self._left, self._whole = TimeLeft(), OverallProgress(weights)
        self.details = ""
        self._session.update(opening=Opening(path), failure="", playing=False)
        self._timer.start()
        thread = threading.Thread(
            target=self._work, args=(job,), name="opening", daemon=True
        )
        self._threads = [old for old in self._threads if old.is_alive()] + [thread]
        thread.start()

    def answer(self, subset: Subset) -> None:
        """Answer what is to be read of the trace."""
        if self._job is not None:
            self._job.answers.put(subset)

    def cancel(self) -> None:
        """Cancel the opening; what has been found so far stays."""
        self._abandon()
        self._session.update(opening=None)

    def leave(self) -> None:
        """Cancel the opening, and wait until its process and files are gone.

        Else the program would end first: it would take the files from under the
        process that reads, whose complaint would meet an opener that is no more.
        """
        self.cancel()
        for thread in self._threads:
            thread.join(MAX_SECONDS_TO_LEAVE)
        from topoview.worker import process as sweep

        sweep.wait_for_cleanup(MAX_SECONDS_TO_LEAVE)

    def _abandon(self) -> None:
        if self._job is not None:
            self._job.cancelled.set()
            self._job = None
        self._timer.stop()

    def _work(self, job: _OpeningJob) -> None:
        """Run in the thread of a job."""
        try:
            from topoview.worker import analyse_in_process

            def decide(extent: TraceExtent) -> Subset:
                self._asked.emit(job, extent)
                job.subset = job.wait()
                return job.subset

            if job.make is not None:
                job.make(job.report)
            analyses = analyse_in_process(job.path, job.report, job.subset, decide)
            # Compiled code takes a second to import: not before the window is shown.
            from topoview.live.timeline.orders import (
                possible_groups,
                profile_numbers,
                row_order,
            )
            from topoview.live.waits.delays import first_view
            from topoview.ui.shell.reason_bar import usual_reason

            for analysis in analyses:
                # The window's thread finds these made.
                first_view(analysis)
                state = State(analysis, match=0)
                row_order(state)
                possible_groups(state)
                profile_numbers(analysis.profile)
                usual_reason(analysis)
                self._found.emit(job, analysis)
            self._done.emit(job)
        except Cancelled:
            pass
        except TopoviewError as error:
            if not job.cancelled.is_set():
                self._failed.emit(job, str(error), error.details)
        except Exception as error:  # noqa: BLE001 - a thread must not die silently
            if job.cancelled.is_set():
                return
            line = tr(
                "{name} could not be opened because of a fault in "
                "topoview ({kind}): please report the details",
                name=Path(job.path).name,
                kind=type(error).__name__,
            )
            self._failed.emit(job, line, traceback.format_exc())

    def _show_progress(self) -> None:
        if self._job is not None:
            stage, part = self._job.progress
            fraction = self._whole.after(stage, part)
            shown = replace(
                self._session.state.opening or Opening(self._job.path),
                stage=stage,
                fraction=round(fraction, 3),
                left=self._left.after("", fraction, time.monotonic()),
            )
            self._session.update(opening=shown)

    def _ask(self, job: _OpeningJob, extent: TraceExtent) -> None:
        if job is self._job:
            self.requested.emit(extent)

    def _take(self, job: _OpeningJob, analysis: Analysis) -> None:
        """Show what is known: at the costliest delay, unless the user was elsewhere."""
        if job is not self._job:
            return
        from topoview.live.waits.delays import changes_at_first

        now, before = self._session.state, job.shown
        first = changes_at_first(State(analysis, match=0))
        if before is None:
            self.subset = job.subset or Subset()
            self._session.show_trace(
                analysis=analysis,
                opening=replace(now.opening or Opening(job.path), read=True),
                **first,
            )
            job.shown = shown = self._session.state
            job.restored = any(getattr(shown, name) != first[name] for name in first)
            self.read.emit(analysis.trace.path)
            return
        if job.restored:
            self.learned.emit(first)
        changes: dict[str, Any] = {}
        if (
            now.delay < 0
            and not job.restored
            and all(getattr(now, name) == getattr(before, name) for name in UNTOUCHED)
        ):
            changes = changes_at_first(replace(now, analysis=analysis))
        self._session.adjust(analysis=analysis, **changes)

    def _fail(self, job: _OpeningJob, line: str, details: str) -> None:
        if job is not self._job:
            return
        self._abandon()
        self.details = details
        if job.shown is not None:
            self._session.update(opening=None)
            self.complained.emit(line)
        else:
            self._session.update(opening=None, failure=line)

    def _finish(self, job: _OpeningJob) -> None:
        if job is self._job:
            self._abandon()
            self._session.update(opening=None)
