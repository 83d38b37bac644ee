"""How results are made: found in the store, or made and kept there, step by step.

`Results` takes those of a trace from the store, or makes and keeps them; `analyse`
makes all that the window shows.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from topoview.base.progress import Report, silent
from topoview.base.scratch import error_of_files
from topoview.base.tasks import Executor, Graph, Here
from topoview.errors import NO_ROOM, RefusedError, TopoviewError
from topoview.model import Part, Trace, whole_part
from topoview.pipeline.results import RESULTS, Options, Result, events_needed
from topoview.store.integrity import DAMAGE_ERRORS
from topoview.store.keys import code_version, pattern_folder
from topoview.store.results import ResultCache, result_caches_of, share_result_caches
from topoview.store.traces import Store

if TYPE_CHECKING:
    from topoview.model import Analysis

STEPS: Final = (
    ("message_index", "outline", "hung", "waits", "account", "overview", "transfers"),
    ("one_sided", "matrix", "identification"),
    ("spectral",),
    ("profile", "profile_of_run"),
    ("parts", "symmetry"),
    ("logical", "positions", "measured", "delays"),
    ("wait_sums", "critical_path", "efficiencies"),
    ("profile_of_loop", "devices"),
)
"""What the window shows together, in order."""

_FIELDS: Final = {"parts": "identification"}
"""Fields of `Analysis` that are not called as the result that they hold."""


def options_of(name: str, table: Mapping[str, Result] = RESULTS) -> frozenset[str]:
    """Name the options that change a result of a table."""
    return frozenset().union(*(table[of].options for of in ancestry(name, table)))


def ancestry(name: str, table: Mapping[str, Result] = RESULTS) -> frozenset[str]:
    """Name a result, and all that it is made of and these are made of."""
    of = (ancestry(other, table) for other in made_of(name, table))
    return frozenset([name]).union(*of)


def made_of(name: str, table: Mapping[str, Result] = RESULTS) -> list[str]:
    """Name the results that a result of a table is made of."""
    return [other for other in table[name].of if other in table]


def make_in_order(
    names: Iterable[str],
    make: Callable[[str, list[Any]], Any],
    table: Mapping[str, Result] = RESULTS,
    is_there: Callable[[str], bool] = lambda _: False,
) -> dict[str, Any]:
    """Compute results, each after those that it is made of: the graph of the pipeline.

    Parameters
    ----------
    make
        Makes a result, or begins to: of its name, and of what it gave for those that
        it is made of, None for what is there.
    is_there
        Tells which results need not be made.

    Returns
    -------
    dict
        What `make` gave, by name, in order.
    """
    made: dict[str, Any] = {}

    def of(name: str) -> Any:  # noqa: ANN401 - as `make` gives
        if name not in made and not is_there(name):
            parts = [of(other) for other in made_of(name, table)]
            made[name] = make(name, parts)
        return made.get(name)

    for name in names:
        of(name)
    return made


def _needs_events(name: str) -> bool:
    return not {"trace", "part"}.isdisjoint(RESULTS[name].of)


class Results:
    """The results of one trace: found in the store, or made and kept there.

    Parameters
    ----------
    trace
        The trace.
    options
        What is asked of them.
    caches
        Where they are looked for, and kept: in the first that has room. None: where
        the trace is kept; nowhere, if it is not.
    table
        Which results there are.
    """

    def __init__(
        self,
        trace: Trace,
        options: Options | None = None,
        caches: Sequence[ResultCache] | None = None,
        table: Mapping[str, Result] = RESULTS,
    ) -> None:
        self.trace: Trace = trace
        self._table = table
        self.options = options or Options()
        """`trace` and `options`: as they were given."""
        self.ask: Callable[[str], object] | None = None
        """Has a result made that turns out not to be kept any more: it was damaged."""
        self._caches = caches
        self._shown: Trace | None = None
        self._results: dict[str, Any] = {
            "trace": trace,
            "part": whole_part(trace),
            "other": self._of_other,
        }
        if trace.digest is not None:  # its timeline has the account's states
            from topoview.model import Account

            self._results["account"] = Account(trace.timeline)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a result
        """Return what was found or made.

        Raises `KeyError` if unknown, or what `ask` raises.
        """
        if not self.find(name) and self.ask is not None:
            self.ask(name)
        if not self.find(name):
            raise KeyError(name)
        return self._results[name]

    def find(self, name: str) -> bool:
        """Look for a result; tells whether it is known now."""
        if name in self._results:
            return True
        result = self._table[name]
        for cache in self._places():
            kept = cache.find(name, self._made_of(name))
            if kept is not None:
                try:
                    self._results[name] = result.unpack(kept[0], self.__getitem__)
                except DAMAGE_ERRORS:  # or what it is made of has gone
                    return False
                return True
        return False

    def is_kept(self, name: str) -> bool:
        """Return whether a result is in the store, without loading it."""
        made_of = self._made_of(name)
        return any(cache.has(name, made_of) for cache in self._places())

    def make(self, name: str, report: Report = silent) -> Any:  # noqa: ANN401
        """Return a result; it is computed and kept if it is not there.

        Raises as `make_all`, and `RefusedError` if it cannot be made.
        """
        refusals: dict[str, str] = {}
        self.make_all([name], Here(), report, refusals.__setitem__)
        if refusals[name]:
            raise RefusedError(refusals[name])
        return self._results[name]

    def make_all(
        self,
        names: Sequence[str],
        executor: Executor,
        report: Report,
        settle: Callable[[str, str], object],
    ) -> None:
        """Compute and keep results that are not there, each when its parts are.

        Parameters
        ----------
        names
            What is wanted; what these are made of is made, too.
        report
            Called by the tasks: that of the executor, if it has one.
        settle
            Called with each name as soon as that is there, and why not if it is not
            made; one at a time, by the tasks.

        Raises
        ------
        PatternError
            If a file of patterns cannot be understood.
        Cancelled
            From `report`.
        """
        refused: dict[str, str] = {}
        finished: set[str] = set()
        graph, one_at_a_time = Graph(executor), threading.Lock()

        def is_settled(name: str) -> bool:
            if refusal := self._refusal(name):
                refused[name] = refusal
            return name in refused or name in self._results

        def compute(name: str, _after: object) -> None:
            why = [refused[of] for of in made_of(name, self._table) if of in refused]
            if refusal := why[0] if why else self._compute(name, report):
                refused[name] = refusal
            with one_at_a_time:
                finished.add(name)
                if name in names:
                    settle(name, refused.get(name, ""))

        def begin(name: str, after: list[Any]) -> Any:  # noqa: ANN401 - a future
            return graph.submit(name, compute, name, after)

        begun = make_in_order(names, begin, self._table, is_settled)
        with one_at_a_time:
            for name in names:
                if name not in begun:
                    settle(name, refused.get(name, ""))
        for future in begun.values():
            graph.value(future)
            self._let_go(finished.difference(names), begun.keys() - finished)

    def _let_go(self, finished: Iterable[str], left: Iterable[str]) -> None:
        """Let go of steps that those left to make do not need: they may be large."""
        needed = {of for name in left for of in made_of(name, self._table)}
        for name in finished:
            if self._table[name].is_step and name not in needed:
                self._results.pop(name, None)

    def _refusal(self, name: str) -> str:
        """Look for a result; says why it would not be made, empty if it would."""
        if self.find(name) or self.trace.digest is None or not _needs_events(name):
            return ""
        return events_needed(self.trace)

    def _compute(self, name: str, report: Report) -> str:
        """Compute and keep a result of those that are there; says why, if it is not."""
        try:
            self._results[name] = self.make_part(name, report=report)
        except RefusedError as refusal:
            return str(refusal)
        except (MemoryError, OSError) as error:
            if error_of_files(error) not in NO_ROOM:
                raise
            return _no_room(name)
        if not self._table[name].is_step:
            self.keep(name)
        return ""

    def _of_other(self, name: str, report: Report) -> Any:  # noqa: ANN401 - a result
        """Compute a result of the trace that this one is compared with."""
        folder, key = self.options.other
        store = Store(Path(folder))
        trace = store.find(key)
        if trace is None:
            raise TopoviewError(
                f"the trace to compare with has vanished from {folder}: try again"
            )
        same = replace(self.options, other=())
        return Results(trace, same, [ResultCache(store, key)]).make(name, report)

    def make_part(
        self,
        name: str,
        part: Part | None = None,
        report: Report = silent,
        shared: dict[str, object] | None = None,
    ) -> Any:  # noqa: ANN401 - as a result
        """Compute what some ranks, or all, have in a result, from results there are.

        Parameters
        ----------
        shared
            What the part made once for several results (`Result.is_shared`), by name;
            what is missing is added.

        Raises
        ------
        RefusedError
            If one of these was not made, or this would not be.
        """
        result, once = self._table[name], {} if shared is None else shared
        for other in made_of(name, self._table):
            if self._table[other].is_shared:
                if other not in once:
                    once[other] = self.make_part(other, part, report)
            elif not self.find(other):
                raise RefusedError  # it was told why that was not made
        given = self._results | once | ({} if part is None else {"part": part})
        return result.make(*(given[of] for of in result.of), self.options, report)

    def keep(self, name: str) -> bool:
        """Keep what was made where there is room; tells whether there is."""
        return self.keep_packed(name, self._table[name].pack(self._results[name]))

    def keep_packed(self, name: str, packed: object) -> bool:
        """Keep a result as it was packed; tells whether there is room."""
        made_of = self._made_of(name)
        return any(
            cache.keep(name, made_of, (packed,), others=_OTHERS)
            for cache in self._places()
        )

    def _places(self) -> Sequence[ResultCache]:
        return result_caches_of(self.trace) if self._caches is None else self._caches

    def _made_of(self, name: str) -> tuple[object, ...]:
        """Return what a result depends on beside the trace.

        Those that a digest came with cannot be made again, whatever the code is now.
        """
        came = self.trace.digest is not None and _needs_events(name)
        parts: list[object] = ["digest" if came else code_version()]
        for option in sorted(options_of(name, self._table)):
            value = getattr(self.options, option)
            parts.append(_patterns_digest(value) if option == "patterns" else value)
        return tuple(parts)

    def analysis(self) -> Analysis:
        """Gather what is known for the window."""
        from topoview.model import Analysis

        results = {
            _FIELDS.get(name, name): value for name, value in self._results.items()
        }
        if "account" in self._results:
            results["trace"] = self._accounted()
        own = {field.name for field in fields(Analysis)}
        return Analysis(**{name: results[name] for name in own & results.keys()})

    def _accounted(self) -> Trace:
        """Show the trace with the states that the account tells, always the same."""
        line = self._results["account"].timeline
        if self._shown is None or self._shown.timeline is not line:
            share_result_caches(self.trace, line)
            self._shown = replace(self.trace, timeline=line)
        return self._shown


def _no_room(name: str) -> str:
    return (
        f"The {name.replace('_', ' ')} was not made: for what it takes beyond memory "
        "there is no room on the disk. Make some, allow more memory (TOPOVIEW_MEMORY, "
        "--memory), or read some ranks or a stretch of time only."
    )


_OTHERS: Final = 3
"""Results of a name that stay, made with other options or by other code."""


def _patterns_digest(files: Sequence[Path]) -> str:
    """Digest of patterns, the remembered ones too: others may be found with others."""
    folder = pattern_folder()
    saved = sorted(folder.glob("*")) if folder.is_dir() else []
    digest = hashlib.sha256()
    for file in (*files, None, *saved):
        digest.update(f"{file and file.name}\n".encode())
        if file is not None and file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def steps(
    results: Results,
    make: Callable[[str], object],
    wanted: Sequence[str] | None = None,
) -> Iterator[Analysis]:
    """Yield what the window shows, as it is computed.

    Parameters
    ----------
    make
        Makes a result, so that it is found then.
    wanted
        Names of what is made of it; None: all.

    Yields
    ------
    Analysis
        What is known: of what was kept once, then after each step.

    Raises
    ------
    Cancelled, PatternError
        From `make`.
    """
    shown = False
    notes: dict[str, None] = {}
    if results.trace.digest is not None:
        results.find("iterations")
    for step in STEPS:
        made = False
        for name in step:
            if wanted is not None and name not in wanted:
                continue
            try:
                if results.find(name):
                    continue
                if not shown and not made and step is not STEPS[0]:
                    yield replace(results.analysis(), notes=tuple(notes))
                made = True
                make(name)
            except RefusedError as refusal:
                notes[str(refusal)] = None
        shown = made
        if shown:
            yield replace(results.analysis(), notes=tuple(notes))
    if not shown:
        yield replace(results.analysis(), notes=tuple(notes))


def analyse(
    trace: Trace, report: Report = silent, options: Options | None = None
) -> Iterator[Analysis]:
    """Analyse a trace in this process, step by step; see `steps`."""
    results = Results(trace, options)
    return steps(results, lambda name: results.make(name, report))


def first_look(trace: Trace, report: Report = silent) -> Analysis:
    """Find in this process what has to be known before anything is shown."""
    results = Results(trace)
    for name in STEPS[0]:
        results.make(name, report)
    return results.analysis()
