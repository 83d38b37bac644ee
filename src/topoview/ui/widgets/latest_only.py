"""Work in the background, of which only the latest request counts."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

Request = TypeVar("Request")
Result = TypeVar("Result")


class LastMade:
    """Keeps what was last made under each name, until it is asked for by another key.

    It belongs to the thread that makes it.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, object]] = {}

    def __call__(self, name: str, key: object, make: Callable[[], Result]) -> Result:
        """Return what is kept, or compute it."""
        kept = self._kept.get(name)
        if kept is not None and kept[0] == key:
            return kept[1]  # type: ignore[return-value]
        value = make()
        self._kept[name] = (key, value)
        return value


class _ResultBridge(QObject):
    """Carries a finished future from the working thread to the GUI's."""

    finished = Signal(object)

    def __init__(self, receive: Callable[[Any], None]) -> None:
        super().__init__()
        self._receive: Callable[[Any], None] | None = receive
        self.finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def stop(self) -> None:
        """Deliver nothing any more."""
        self._receive = None

    @Slot(object)
    def _deliver(self, future: object) -> None:
        if self._receive is not None:
            self._receive(future)


class LatestOnly(Generic[Request, Result]):
    """Answers requests in a thread, one at a time; skips all but the latest.

    A request that is being worked on is finished when a newer one comes: its
    picture is nearer to what is wanted than any older one, and a stream of
    requests (a drag) would else starve them all.

    Parameters
    ----------
    work
        Called in the thread as ``work(request, go_on)``; must release the GIL
        in its long parts. `go_on` answers no once `stop` was called.
    answer
        Called in the GUI's thread as ``answer(request, result)``.
    """

    def __init__(
        self,
        work: Callable[[Request, Callable[[], bool]], Result],
        answer: Callable[[Request, Result], None],
    ) -> None:
        self._work = work
        self._answer = answer
        self._thread = ThreadPoolExecutor(1, "latest-only")
        self._bridge = _ResultBridge(self._finish)
        self._running: Request | None = None
        self._waiting: Request | None = None
        self._stopped = False

    @property
    def busy(self) -> bool:
        """Whether any request is yet to be answered."""
        return self._running is not None

    def ask(self, request: Request) -> None:
        """Ask for a result; it comes later, unless a newer request does."""
        if self._stopped:
            return
        if self._running is None:
            self._start(request)
        else:
            self._waiting = request

    def stop(self) -> None:
        """Answer nothing more, and end the thread."""
        self._stopped = True
        self._bridge.stop()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _start(self, request: Request) -> None:
        self._running, self._waiting = request, None
        future = self._thread.submit(self._work, request, lambda: not self._stopped)
        bridge = self._bridge
        future.add_done_callback(bridge.finished.emit)

    def _finish(self, future: Future[Result]) -> None:
        request, waiting = self._running, self._waiting
        self._running = None
        if waiting is not None:
            self._start(waiting)
        assert request is not None
        self._answer(request, future.result())
