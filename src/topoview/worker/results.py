"""Results of traces, made behind the wall where they are not kept.

What is in the store is mapped from there, and no worker is started. What has no room
there goes to a store that this process has for itself, and that goes with it.
"""

import atexit
import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from topoview.base.progress import Report, silent
from topoview.base.text import json_text
from topoview.errors import PatternError, RefusedError, TopoviewError, TraceError
from topoview.io.archive.finding import (
    is_unpacked,
    locate_anchor,
    store_key,
    trace_name,
)
from topoview.model import Ints, Subset, Trace, TraceExtent
from topoview.pipeline import RESULTS, STEPS, Options, Results, steps
from topoview.store.integrity import OF_SHARED
from topoview.store.results import attach_result_cache, place_of, result_caches_of
from topoview.store.traces import NO_LIMIT, Store, shared_store, user_store
from topoview.worker.task import Task, Worker, error_of

if TYPE_CHECKING:
    import networkx as nx

    from topoview.model import Analysis

_MAX_ATTEMPTS: Final = 3
_SHOWN: Final = tuple(name for step in STEPS for name in step)

Decide = Callable[[TraceExtent], Subset]
"""Decides what is read of a long trace. May take its time, and raise `Cancelled`."""


def _start_process(task: Task) -> Worker:
    from topoview.worker.process import ProcessWorker

    return ProcessWorker(task)


start: Callable[[Task], Worker] = _start_process
"""Starts a worker."""


def read_in_process(
    path: str | Path,
    report: Report = silent,
    subset: Subset | None = None,
    decide: Decide | None = None,
) -> Trace:
    """Return a trace: from the store, or read by a worker.

    Parameters
    ----------
    path
        As for `open_trace`.
    report
        Called every 40 ms at least, in the calling thread. When it raises anything the
        worker is ended at once; `topoview.worker.process` sees to what it leaves.
    subset
        What to read of it; None: all.
    decide
        Asked before all of a trace is read whose reading takes long.

    Raises
    ------
    TraceError
        Also if the worker crashes or is killed.
    Cancelled
        From `report`.
    """
    return results_of(path, (), None, report, subset, decide).trace


def results_of(  # noqa: PLR0913 - as read_in_process
    source: str | Path | Trace,
    wanted: Iterable[str],
    options: Options | None = None,
    report: Report = silent,
    subset: Subset | None = None,
    decide: Decide | None = None,
) -> Results:
    """Return results, computing those that are not kept.

    Parameters
    ----------
    source
        Path of a trace, or the trace. One that is not in a store (it was made or
        changed in this process) is analysed here.
    wanted
        Names in `RESULTS`.
    options
        What is asked of them.
    report, subset, decide
        As for `read_in_process`.

    Returns
    -------
    Results
        With all that is wanted.

    Raises
    ------
    TraceError, PatternError, RefusedError, Cancelled
        As for `read_in_process` and `Results.make`.
    """
    names = tuple(wanted)
    with _Wall(
        source, names, options=options, report=report, subset=subset, decide=decide
    ) as wall:
        for name in names:
            wall.make(name)
        return wall.finished()


def granted_results_of(
    source: str | Path,
    wanted: Iterable[str],
    options: Options | None = None,
    report: Report = silent,
) -> Results:
    """Return results as `results_of`, without those that are refused.

    Raises `TraceError`, `Cancelled` as `results_of`.
    """
    names = tuple(wanted)
    with _Wall(source, names, options=options, report=report) as wall:
        for name in names:
            with contextlib.suppress(RefusedError):
                wall.make(name)
        return wall.finished()


def analyse_in_process(  # noqa: PLR0913 - as read_in_process
    path: str | Path,
    report: Report = silent,
    subset: Subset | None = None,
    decide: Decide | None = None,
    options: Options | None = None,
    wanted: Sequence[str] | None = None,
) -> Iterator["Analysis"]:
    """Compute by a worker what the window shows, as far as it is not kept.

    Parameters
    ----------
    path, report, subset, decide, options
        As for `results_of`.
    wanted
        As for `topoview.pipeline.steps`.

    Yields
    ------
    Analysis
        What is known, as `topoview.pipeline.steps` tells.

    Raises
    ------
    TraceError, PatternError, Cancelled
        As for `results_of`.
    """
    names = _SHOWN if wanted is None else tuple(wanted)
    with _Wall(
        path, names, options=options, report=report, subset=subset, decide=decide
    ) as wall:
        yield from steps(wall.results, wall.make, names)


def shown_of(
    source: str | Path | Trace,
    report: Report | None = None,
    wanted: Sequence[str] | None = None,
) -> "Analysis":
    """Return what the window shows of a trace, or of its path: all, or some."""
    names = _SHOWN if wanted is None else tuple(wanted)
    with _Wall(source, names, report=report or silent) as wall:
        *_, result = steps(wall.results, wall.make, names)
    return result


def aligned_with(
    trace: Trace,
    path: str | Path,
    report: Report = silent,
    further: Iterable[str] = (),
) -> tuple[Results, Ints | None]:
    """Compute by a worker how the logical traces of two traces align.

    Parameters
    ----------
    further
        Other results of the other trace that are wanted.

    Returns
    -------
    Results
        Of the other trace, with its logical trace.
    int64, shape (lines,), or None
        As `topoview.analysis.comparing.lines.align_listings`; None if the one is in no
        store, where a worker would find it.

    Raises
    ------
    TraceError, RefusedError, Cancelled
        As for `results_of`.
    """
    place = place_of(trace)
    wanted = ["logical", *further, *(["alignment"] if place else [])]
    results = results_of(path, wanted, Options(other=place), report)
    return results, results["alignment"] if place else None


def pattern_file(graph: "nx.Graph[Any]") -> Path:
    """Write a graph as a file of a pattern, for as long as this process lives.

    Raises `PatternError` if it is directed, or has no edges.
    """
    if graph.is_directed() or not graph.number_of_edges():
        raise PatternError("A pattern is an undirected graph that has edges.")
    place = {node: number for number, node in enumerate(graph)}
    edges = [[place[one], place[other]] for one, other in graph.edges]
    name = json_text(str(graph.name or "graph"), ensure_ascii=False)
    text = f"name = {name}\nranks = {len(place)}\nedges = {edges}\n"
    folder = private_store().folder.parent / "patterns"
    folder.mkdir(exist_ok=True)
    file = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.toml"
    file.write_text(text, "utf-8")
    return file


class _Wall:
    """Results of a trace, and the worker that makes them if one is needed."""

    def __init__(  # noqa: PLR0913 - as results_of
        self,
        source: str | Path | Trace,
        wanted: tuple[str, ...],
        options: Options | None = None,
        *,
        report: Report,
        subset: Subset | None = None,
        decide: Decide | None = None,
    ) -> None:
        report("starting", 0.0)
        self._options = options or Options()
        self._report, self._subset = report, subset or Subset()
        self._decide = decide if self._subset.is_all else None
        self._wanted = tuple(name for name in RESULTS if name in wanted)
        self._worker: Worker | None = None
        self._messages: Iterator[list[object] | None] = iter(())
        # of results that the worker has settled: why each is not made, if nobody was
        # told so yet
        self._refusals: dict[str, str] = {}
        self._found = set[str]()
        self._stage, self._fraction = "starting", 0.0
        self._store = user_store() or private_store()
        self._later: list[Callable[[], None]] = []
        try:
            trace = source if isinstance(source, Trace) else self._open(Path(source))
        except BaseException:
            self.__exit__()
            raise
        self.results = Results(trace, self._options)

    def __enter__(self) -> Self:
        """End the worker in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the worker."""
        self._begin_later()
        if self._worker is not None:
            self._worker.end(self._found)
            self._worker = None

    def _open(self, path: Path) -> Trace:
        """Find the trace in the store, or have it read."""
        self._path = path
        for _ in range(_MAX_ATTEMPTS):
            try:
                key = store_key(path, self._subset)
            except OSError as error:
                raise TraceError(
                    f"{path} cannot be read ({error.strerror}): check its rights"
                ) from error
            trace = self._take(self._store, key) or self._take_shared(key)
            if trace is None:
                self._start("")
                trace = self._wait_for_trace()
            if trace is not None:
                return trace
            self.__exit__()
        raise TraceError(
            f"{path} could not be read: what was kept of it in {self._store.folder} "
            "vanished; try again, or set TOPOVIEW_CACHE=off"
        )

    def _take_shared(self, key: str) -> Trace | None:
        """Map a trace of the shared store; what is found of it goes to this user's."""
        store = shared_store()
        trace = None if store is None else self._take(store, key)
        if trace is not None:
            attach_result_cache(trace, _store_of_shared(), key)
        return trace

    def _take(self, store: Store, key: str) -> Trace | None:
        """Map a trace that is in a store; it is made safe against a crash behind us."""
        stored = store.find(key)
        if stored is None:
            return None
        trace = _renamed(stored, self._path)
        attach_result_cache(trace, store, key)
        if _private:
            attach_result_cache(trace, private_store(), key)
        if store.limit < NO_LIMIT and not store.read_only:
            self._later.append(partial(store.secure, key))
        return trace

    def _begin_later(self) -> None:
        """Start threads for what nobody waits for: no worker is forked beside them."""
        for work in self._later:
            threading.Thread(target=work, name="tidying", daemon=True).start()
        self._later.clear()

    def _start(self, key: str) -> None:
        self._refusals.clear()
        self._found.clear()
        beside = (
            _store_of_shared() if self._store.read_only else next(iter(_private), None)
        )
        self._worker = start(
            Task(
                path=str(self._path),
                store=str(self._store.folder),
                private=self._store.limit >= NO_LIMIT,
                subset=self._subset,
                key=key,
                asks=self._decide is not None,
                wanted=self._wanted,
                options=self._options,
                beside="" if beside is None else str(beside.folder),
            )
        )
        self._messages = self._worker.messages()
        _clean_up_once()
        self._begin_later()

    def _wait_for_trace(self) -> Trace | None:
        message = self._wait_for("trace")
        folder, key, fault = map(str, message[1:])
        private = folder != str(self._store.folder)
        store = private_store() if private else self._store
        trace = self._take(store, key)
        if trace is None or not fault:
            return trace
        if not private:  # larger than the store may be
            atexit.register(store.discard, key)
        note = (
            f"The trace was not kept in the cache, {self._store.folder}: {fault}. It "
            "has to be read again when it is opened again."
        )
        return replace(trace, warnings=(*trace.warnings, note))

    def _wait_for(self, *kinds: str) -> list[object]:
        """Report what the worker tells, up to a message of some kind.

        Raises `TopoviewError`: the worker has ended before.
        """
        for message in self._messages:
            match message:
                case ["progress", str(stage), float(fraction) | int(fraction)]:
                    self._stage, self._fraction = stage, fraction
                case ["ask", dict(extent)] if self._decide and self._worker:
                    self._subset = self._decide(TraceExtent(**extent))
                    self._worker.answer(asdict(self._subset))
                case ["place"] if self._worker:
                    self._worker.answer(str(private_store().folder))
                case ["error", str(kind), str(text), str(details)]:
                    error = error_of(kind, text)
                    error.details = details
                    raise error
                case [kind, *_] if kind in kinds:
                    return message
            self._report(self._stage, self._fraction)
        raise TraceError(f"{self._path}: nothing more was found")

    def finished(self) -> Results:
        """Return the results; what is damaged when it is looked at is computed anew."""
        self.results.ask = self._make_anew
        return self.results

    def _make_anew(self, name: str) -> None:
        self.results.ask, self._wanted = None, (name,)
        with self:
            self.make(name)
        self.finished()

    def make(self, name: str) -> None:
        """Compute a result if it is not kept.

        Raises `RefusedError` if it cannot be made.
        """
        results = self.results
        for _ in range(_MAX_ATTEMPTS):
            if results.find(name):
                self._found.add(name)
                return
            caches = result_caches_of(results.trace)
            if not caches:
                results.make(name, self._report)
                return
            if self._worker is None or self._refusals.get(name) == "":
                self.__exit__()
                self._path = Path(results.trace.path)
                self._store = caches[0].store
                self._start(caches[0].key)
            while name not in self._refusals:
                _, finished, *reason = map(str, self._wait_for("kept", "refused"))
                self._refusals[finished] = "".join(reason)
            if refusal := self._refusals[name]:
                self._refusals[name] = ""  # whoever asks again has it tried again
                raise RefusedError(refusal)
            if _private:
                attach_result_cache(results.trace, private_store(), caches[0].key)
        raise TopoviewError(
            f"what was found in {results.trace.path} vanished from "
            f"{self._store.folder}: try again, start topoview anew if it was updated, "
            "or set TOPOVIEW_CACHE=off"
        )


_cleaned_up: list[bool] = []
_private: list[Store] = []


def _clean_up_once() -> None:
    """Remove what others left; once is enough, and nobody waits for it."""
    if not _cleaned_up:
        from topoview.worker.process import clean_up

        _cleaned_up.append(True)
        threading.Thread(
            target=clean_up, args=(user_store(),), name="tidying", daemon=True
        ).start()


def _store_of_shared() -> Store:
    """Return this user's store of results of shared traces."""
    return user_store(OF_SHARED) or private_store()


def private_store() -> Store:
    """Return the store that this process has for itself, and that goes with it."""
    if not _private:
        from topoview.store.temporary import temporary_store

        _private.append(temporary_store())
    return _private[0]


def _renamed(trace: Trace, path: Path) -> Trace:
    """Call a trace as what the user opened."""
    name = trace_name(path, locate_anchor(path)) if is_unpacked(path) else trace.name
    return replace(trace, path=str(path), name=name)
