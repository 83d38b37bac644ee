"""Which results there are of a trace, and what each is made of, in order.

`RESULTS` is the table: to add a result is to write a function and a line. Compiled code
is imported where something is made: who only looks for what is kept does not pay for
it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from topoview.base.memory import memory_budget
from topoview.base.platform import cores
from topoview.base.progress import Report

if TYPE_CHECKING:  # none of them is made here
    from topoview.analysis.account.account import AccountOfPart
    from topoview.model import (
        Account,
        CommunicationMatrix,
        DeducedEnds,
        EventRecords,
        Floats,
        Identification,
        Indices,
        Ints,
        LevelSteps,
        LogicalTrace,
        Match,
        MeasuredLines,
        MessageIndex,
        Overview,
        Part,
        PhaseFacts,
        Profile,
        Regions,
        Timeline,
        Trace,
        Transfers,
        WaitStates,
    )
    from topoview.topology.patterns.patterns import Pattern

_BYTES_A_CALL: Final = 60
"""Bytes that a result takes while it is made: delays, where one call of ten waits."""

MAX_AT_ONCE: Final = 4
"""Results that are made at the same time: of more most wait for others."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asks of results; each changes some of them."""

    threshold: float | None = None
    """Pairs with less than this fraction of the largest pair's bytes are left out."""
    patterns: tuple[Path, ...] = ()
    """Files of the user's patterns, beside those that are remembered."""
    functions: bool = False
    """Whether the logical trace tells equal calls of different call paths apart also
    where that is longer."""
    spectrum: bool = False
    """Whether the reasons for an answer compare spectra."""
    other: tuple[str, ...] = ()
    """Folder of the store and key of the trace that this one is compared with
    (`topoview.store.results.place_of`)."""
    steps: int = 512
    """Steps of time in which a digest keeps sums of states."""


def _named(function: str) -> Callable[..., Any]:
    """Name a function of topoview: it is imported when it is called."""
    module, _, name = function.rpartition(".")

    def call(*given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
        made = getattr(importlib.import_module(f"topoview.{module}"), name)
        return made(*given, **options)

    return call


def _by(function: str) -> Callable[..., Any]:
    """Name a function, of results and a report, that takes no options."""
    call = _named(function)

    def make(*given: Any) -> Any:  # noqa: ANN401 - as the function
        *parts, _options, report = given
        return call(*parts, report)

    return make


def _message_index(trace: Trace, _options: Options, report: Report) -> MessageIndex:
    from topoview.analysis.message_index import message_index

    report("looking through messages", 0.0)
    return message_index(trace.messages)


def _transfers(trace: Trace, _options: Options, report: Report) -> Transfers:
    from topoview.analysis.partners.one_sided import transfers

    report("looking through one-sided transfers", 0.0)
    return transfers(trace)


def _one_sided(
    trace: Trace, moved: Transfers, _options: Options, _report: Report
) -> CommunicationMatrix | None:
    from topoview.analysis.partners.one_sided import one_sided_matrix

    matrix = one_sided_matrix(trace.ranks, moved)
    return None if matrix is None else _with_unrecorded(matrix, trace)


def _with_unrecorded(matrix: CommunicationMatrix, trace: Trace) -> CommunicationMatrix:
    return replace(matrix, unrecorded=sum(one.calls for one in trace.unrecorded))


def _traffic(trace: Trace, _options: Options, report: Report) -> CommunicationMatrix:
    from topoview.analysis.partners.neighbourhoods import with_neighbourhoods
    from topoview.topology import communication_matrix

    return with_neighbourhoods(communication_matrix(trace, None, report), trace)


def _matrix(
    trace: Trace,
    messages: CommunicationMatrix,
    one_sided: CommunicationMatrix | None,
    _options: Options,
    _report: Report,
) -> CommunicationMatrix:
    from topoview.analysis.partners.one_sided import identified_traffic

    return identified_traffic(_with_unrecorded(messages, trace), one_sided)


def _pyramid(
    part: Part, accounted: Account, options: Options, _report: Report
) -> Timeline:
    from topoview.analysis.digest import folded

    return folded(accounted.timeline, part.trace.clock.length, options.steps)


def _pyramid_in_parts(
    part: Part, accounted: AccountOfPart, options: Options, report: Report
) -> Timeline:
    return _pyramid(part, accounted.account, options, report)


def _time_spent_in_parts(*given: Any) -> Any:  # noqa: ANN401 - as `time_spent`
    part, waits, accounted, *others = given
    make = _by("analysis.waits.efficiency.time_spent")
    return make(part, waits, accounted.account, *others)


_Span = Literal["exchange", "run", "loop"]

_IN_RUN: Final[tuple[_Span, ...]] = ("exchange", "run")
"""Spans that are counted with the account of the run."""


def _account_of(*names: _Span) -> Callable[..., AccountOfPart]:
    """Put a part's time in classes, by spans too."""

    def make(
        part: Part,
        waits: WaitStates | None,
        deduced: DeducedEnds,
        of: Overview | tuple[int, int] | None,
        _options: Options,
        report: Report,
    ) -> AccountOfPart:
        import numpy as np

        from topoview.analysis.account.account import account_and_ticks

        windows = [one for name in names if (one := _window(name, of))]
        spans = np.array(windows, np.int64).reshape(-1, 2)
        return account_and_ticks(part, waits, deduced, spans, report)

    return make


def _window(name: _Span, of: Any) -> tuple[int, int] | None:  # noqa: ANN401 - either
    """Return the ticks of a span: that of the loop, or one that an overview has."""
    window: tuple[int, int] | None = of if name == "loop" else getattr(of, name)
    return window


def _profile_of(name: _Span) -> Callable[..., Profile | None]:
    """Profile a span; None if it is that of a loop, and nothing repeats."""

    def make(
        part: Part,
        waits: WaitStates | None,
        deduced: DeducedEnds,
        of: Overview | tuple[int, int] | None,
        _options: Options,
        report: Report,
    ) -> Profile | None:
        from topoview.analysis.profile import profile
        from topoview.model import Span

        window = _window(name, of)
        return window and profile(part, waits, deduced, Span(name, *window), report)

    return make


def _profile_in_parts(name: _Span) -> Callable[..., Profile | None]:
    """Profile a span, of which a part's account has been made; see `_profile_of`."""

    def make(
        part: Part,
        accounted: AccountOfPart,
        of: Overview | tuple[int, int] | None,
        _options: Options,
        report: Report,
    ) -> Profile | None:
        from topoview.analysis.profile import profile
        from topoview.model import Span

        window = _window(name, of)
        if window is None:
            return None
        spent = accounted.ticks[_IN_RUN.index(name) if name in _IN_RUN else 0]
        return profile(part, None, None, Span(name, *window), report, spent=spent)

    return make


def _samples(trace: Trace, options: Options, report: Report) -> EventRecords | None:
    from topoview.analysis.digest import samples

    return samples(trace, options.steps, report)


def _identification(
    trace: Trace, matrix: CommunicationMatrix, options: Options, report: Report
) -> Identification:
    from topoview.analysis.partners.collectives import name_collectives
    from topoview.analysis.partners.one_sided import ONLY_ONE_SIDED
    from topoview.analysis.parts.plans import find_plans
    from topoview.analysis.torus_axes import oriented
    from topoview.topology import identify

    patterns, broken = _user_patterns(options)
    identification = identify(
        matrix, report, threshold=options.threshold, patterns=patterns
    )
    warnings = (ONLY_ONE_SIDED,) if matrix.one_sided else ()
    identification = replace(
        identification,
        warnings=(*warnings, *identification.warnings, *broken),
        unrecorded=trace.unrecorded,
    )
    identification = oriented(trace, name_collectives(trace, identification))
    return replace(identification, plans=find_plans(trace, matrix, identification))


def _user_patterns(options: Options) -> tuple[tuple[Pattern, ...], list[str]]:
    """Read the patterns of some files, and those remembered."""
    from topoview.topology import load_pattern, saved_patterns

    named = [load_pattern(path) for path in options.patterns]
    saved, broken = saved_patterns()
    return (*named, *saved), broken


def save_pattern(match: Match, name: str) -> Path:
    """Remember a topology as a pattern of the user, which later traces may have.

    Raises `PatternError`: the name will not do, or the file cannot be written.
    """
    from topoview.topology import save_pattern

    return save_pattern(match, name)


def _parts(  # noqa: PLR0913 - what it is made of
    trace: Trace,
    matrix: CommunicationMatrix,
    identification: Identification,
    facts: PhaseFacts,
    options: Options,
    report: Report,
) -> Identification:
    """Add what is found in phases, communicators and components, and declared."""
    from topoview.analysis.partners.declared_topologies import compare_declared
    from topoview.analysis.parts.identified import find_parts, phase_parts

    began = time.perf_counter()
    patterns = _user_patterns(options)[0]
    phases = phase_parts(trace, report, patterns, facts)
    return replace(
        identification,
        parts=find_parts(trace, matrix, report, patterns, identification, phases),
        declared=compare_declared(trace, identification, report),
        seconds=identification.seconds + time.perf_counter() - began,
    )


def _spectral(
    matrix: CommunicationMatrix,
    identification: Identification,
    _options: Options,
    report: Report,
) -> Floats | None:
    """Place ranks by the graph itself; None: the topology has a shape of its own."""
    from topoview.topology import layout_names
    from topoview.topology.layout.natural import spectral_places

    if layout_names(identification.shown_first)[0] != "spectral":
        return None
    report("computing layout", 0.0)
    return spectral_places(matrix)


def _symmetry(
    matrix: CommunicationMatrix, _options: Options, report: Report
) -> Indices:
    from topoview.topology.identification.structure import symmetry_classes

    report("comparing ranks", 0.0)
    return symmetry_classes(matrix)


def _why(
    matrix: CommunicationMatrix,
    identification: Identification,
    options: Options,
    report: Report,
) -> tuple[LevelSteps, ...]:
    from topoview.topology.identification.explanation import explain

    return explain(
        matrix,
        identification,
        report,
        threshold=options.threshold,
        spectrum=options.spectrum,
    )


def _program(*given: Any) -> Any:  # noqa: ANN401 - a step's
    *parts, options, report = given
    make = _named("pipeline.logical_steps.program")
    return make(*parts, report, functions=options.functions)


def _alignment(
    logical: LogicalTrace,
    other: Callable[[str, Report], LogicalTrace],
    _options: Options,
    report: Report,
) -> Ints:
    """Align the other trace's logical trace with this one's."""
    from topoview.analysis.comparing.lines import align_listings

    theirs = other("logical", report)
    report("comparing", 0.0)
    return align_listings(theirs, logical)


def results_at_once(trace: Trace) -> int:
    """Count the results that are made side by side: each may take its memory."""
    needed = max(_BYTES_A_CALL * len(trace.calls), 1)
    return max(min(cores(), MAX_AT_ONCE, memory_budget() // needed), 1)


def events_needed(trace: Trace) -> str:
    """Explain in a sentence that something is not found in a digest."""
    return (
        f"{trace.name} is a digest, without the events that this needs: open the "
        f"trace, {trace.digest.trace if trace.digest else trace.path}"
    )


Get = Callable[[str], Any]
"""Gives another result by its name."""


def _packed(value: object) -> object:
    return value


def _unpacked(value: Any, _get: Get) -> Any:  # noqa: ANN401 - as it was kept
    return value


def _matrix_columns(matrix: CommunicationMatrix | None) -> tuple[object, ...] | None:
    if matrix is None:
        return None
    return (
        matrix.ranks,
        matrix.begins,
        matrix.receiver,
        matrix.counts,
        matrix.sizes,
        matrix.one_sided,
        matrix.unrecorded,
    )


def _matrix_of_columns(
    fields: tuple[Any, ...] | None, get: Get
) -> CommunicationMatrix | None:
    from topoview.model import CommunicationMatrix

    if fields is None:
        return None
    _, begins, receiver, counts, sizes, one_sided, unrecorded = fields
    matrix = CommunicationMatrix(
        begins=begins.astype("int64", casting="safe", copy=False),
        receiver=receiver.astype("int32", casting="safe", copy=False),
        counts=counts,
        sizes=sizes,
        one_sided=one_sided,
        unrecorded=unrecorded,
    )
    if matrix.ranks != get("trace").ranks or not matrix.is_sound():
        raise ValueError("a matrix that does not fit together")
    return matrix


def _traffic_columns(matrix: CommunicationMatrix) -> tuple[object, ...] | None:
    return None if matrix.one_sided else _matrix_columns(matrix)


def _traffic_of_columns(fields: tuple[Any, ...] | None, get: Get) -> Any:  # noqa: ANN401
    return get("one_sided") if fields is None else _matrix_of_columns(fields, get)


def _measured_columns(measured: MeasuredLines) -> tuple[object, ...]:
    return (
        measured.statements,
        measured.loops,
        measured.loop_of,
        measured.shares,
        measured.metrics,
        measured.places,
    )


def _measured_of_columns(fields: tuple[Any, ...], get: Get) -> MeasuredLines:
    from topoview.logical.listing import lines
    from topoview.model import MeasuredLines

    logical = get("logical")
    return MeasuredLines(get("trace"), logical, lines(logical), *fields)


@dataclass(frozen=True, slots=True)
class Result:
    """A result of the pipeline."""

    make: Callable[..., Any]
    """Makes it: of other results, the options, and a report."""
    of: tuple[str, ...]
    """Names of the results that it is made of; ``trace`` is there from the start, and
    ``part``, some of its ranks: all of them, unless it is made in parts; ``other``
    makes results of the trace that this one is compared with."""
    options: tuple[str, ...] = ()
    """Fields of `Options` that change it, beside those of what it is made of."""
    pack: Callable[[Any], object] = _packed
    unpack: Callable[[Any, Get], Any] = _unpacked
    """`pack` and `unpack`: what is kept of it, and how it is made again."""
    combine: str = ""
    """Names the function that joins what is made of parts of the ranks, in their order:
    of `Part`, or of traces in which others did nothing (see
    `topoview.io.reading.joining.part_trace`); empty: all parts tell the same, or it is
    made of the whole trace."""
    columns: tuple[str, ...] = ()
    """Its fields that hold something of each call of the part: each part writes its
    stretch of these columns, and they are not joined. None: there is no such column in
    any part."""
    is_shared: bool = False
    """Whether each part makes it anew, once for all results that are made of it: it
    takes more to keep than to make."""
    is_step: bool = False
    """Whether it only stands between others: it is kept where these are made in parts,
    and let go of where one process makes them."""

    def joined(self, parts: Sequence[Any], regions: Regions) -> Any:  # noqa: ANN401 - a result
        """Join what was made of parts of a trace, whose regions these are."""
        if not self.combine:
            return parts[0]
        return _named(self.combine)(parts, regions)


_STEP: Final[dict[str, Any]] = {
    "pack": _named("pipeline.logical_steps.as_tuples"),
    "unpack": _named("pipeline.logical_steps.of_tuples"),
    "is_step": True,
}

RESULTS: Final = {
    "message_index": Result(_message_index, ("trace",)),
    "timeline_facts": Result(
        _by("analysis.overview.timeline_facts"),
        ("part",),
        combine="analysis.overview.joined_facts",
    ),
    "outline": Result(_by("analysis.overview.outline"), ("trace", "timeline_facts")),
    "collective_times": Result(
        _by("analysis.waits.operations.collective_times.collective_times"),
        ("part",),
        combine="analysis.waits.operations.collective_times.joined_times",
    ),
    "deduced_ends": Result(
        _by("analysis.waits.deduced.deduced_ends"),
        ("part",),
        combine="analysis.waits.deduced.joined_ends",
    ),
    "window_waits": Result(
        _by("analysis.waits.operations.windows.window_waits"), ("trace",)
    ),
    "hung": Result(_by("analysis.waits.hung.hung_calls"), ("trace",)),
    "waits": Result(
        _by("analysis.waits.states.waits_of_part"),
        ("part", "collective_times", "deduced_ends", "window_waits"),
        combine="analysis.waits.states.joined_waits",
        columns=("until", "whom", "cause", "kind", "communicator"),
    ),
    "account": Result(
        _by("analysis.account.account.account"), ("part", "waits", "deduced_ends")
    ),
    "overview": Result(
        _by("analysis.overview.with_sums"), ("trace", "account", "outline")
    ),
    "transfers": Result(_transfers, ("trace",)),
    "one_sided": Result(
        _one_sided,
        ("trace", "transfers"),
        pack=_matrix_columns,
        unpack=_matrix_of_columns,
        combine="analysis.partners.one_sided.added_one_sided",
    ),
    "traffic": Result(
        _traffic,
        ("trace",),
        pack=_matrix_columns,
        unpack=_matrix_of_columns,
        combine="topology.matrix.added_matrices",
    ),
    "matrix": Result(
        _matrix,
        ("trace", "traffic", "one_sided"),
        pack=_traffic_columns,
        unpack=_traffic_of_columns,
    ),
    "identification": Result(
        _identification, ("trace", "matrix"), ("threshold", "patterns")
    ),
    "call_sums": Result(
        _by("pipeline.logical_steps.call_sums"),
        ("part",),
        **_STEP,
        combine="logical.calls.facts.joined_sums",
    ),
    "call_facts": Result(
        _by("pipeline.logical_steps.call_facts"),
        ("trace", "identification", "call_sums"),
        **_STEP,
    ),
    "ranks_compared": Result(
        _by("pipeline.logical_steps.ranks_compared"),
        ("part", "identification", "call_facts"),
        **_STEP,
        combine="logical.merge.classes.joined_ranks",
    ),
    "program": Result(
        _program,
        ("trace", "identification", "call_facts", "ranks_compared"),
        ("functions",),
        **_STEP,
    ),
    "ranks_told": Result(
        _by("pipeline.logical_steps.ranks_told"),
        ("part", "program"),
        combine="logical.every_rank.join_told",
        columns=("of_call",),
        is_step=True,
    ),
    "logical": Result(
        _by("pipeline.logical_steps.finished"),
        ("trace", "program", "ranks_told"),
    ),
    "spectral": Result(_spectral, ("matrix", "identification")),
    "profile": Result(
        _profile_of("exchange"),
        ("part", "waits", "deduced_ends", "outline"),
        combine="analysis.profile.added_profiles",
    ),
    "profile_of_run": Result(
        _profile_of("run"),
        ("part", "waits", "deduced_ends", "outline"),
        combine="analysis.profile.added_profiles",
    ),
    "phase_facts": Result(
        _by("analysis.parts.phase_facts.phase_facts"),
        ("part",),
        combine="analysis.parts.phase_facts.joined_facts",
    ),
    "parts": Result(
        _parts,
        ("trace", "matrix", "identification", "phase_facts"),
    ),
    "symmetry": Result(_symmetry, ("matrix",)),
    "why": Result(
        _why,
        ("matrix", "identification"),
        ("spectrum",),
    ),
    "alignment": Result(_alignment, ("logical", "other"), ("other",)),
    "positions": Result(
        _by("analysis.logical.positions.call_positions"),
        ("part", "logical"),
        columns=("of_call",),
    ),
    "line_sums": Result(
        _by("analysis.logical.lines.line_sums"),
        ("part", "logical", "waits", "deduced_ends"),
        combine="analysis.logical.lines.joined_lines",
    ),
    "measured": Result(
        _by("analysis.logical.lines.measured_lines"),
        ("trace", "logical", "positions", "line_sums"),
        pack=_measured_columns,
        unpack=_measured_of_columns,
    ),
    "delays": Result(
        _by("analysis.waits.delays.delays"),
        ("trace", "waits", "identification", "logical", "positions", "outline"),
    ),
    "wait_sums": Result(
        _by("analysis.waits.sums.wait_sums"),
        (
            "part",
            "waits",
            "logical",
            "positions",
            "parts",
            "collective_times",
            "deduced_ends",
            "window_waits",
            "outline",
        ),
        combine="analysis.waits.sums.added_sums",
    ),
    "critical_path": Result(
        _by("analysis.waits.critical_path.critical_path"),
        ("trace", "waits", "logical", "line_sums"),
    ),
    "time_spent": Result(
        _by("analysis.waits.efficiency.time_spent"),
        ("part", "waits", "account", "positions", "parts", "outline"),
        combine="analysis.waits.efficiency.joined_time",
    ),
    "efficiencies": Result(
        _by("analysis.waits.efficiency.efficiencies_of"),
        ("trace", "time_spent", "parts", "outline"),
    ),
    "loop": Result(
        _by("analysis.logical.iterations.loop_window"),
        ("part", "positions"),
        combine="analysis.logical.iterations.joined_loop",
    ),
    "profile_of_loop": Result(
        _profile_of("loop"),
        ("part", "waits", "deduced_ends", "loop"),
        combine="analysis.profile.added_profiles",
    ),
    "devices": Result(_by("analysis.devices.device_activity"), ("trace", "outline")),
    "iterations": Result(
        _by("analysis.logical.iterations.iteration_sums"),
        ("part", "waits", "positions"),
        combine="analysis.logical.iterations.joined_iterations",
    ),
    "pyramid": Result(
        _pyramid,
        ("part", "account"),
        ("steps",),
        combine="analysis.digest.joined_pyramids",
    ),
    "samples": Result(
        _samples, ("trace",), ("steps",), combine="analysis.digest.joined_samples"
    ),
    "slowest": Result(
        _by("analysis.digest.slowest"),
        ("part",),
        combine="analysis.digest.joined_slowest",
    ),
}
"""All results, each behind those that it is made of.

They are made in this order, as far as they are side by side with others: what many wait
for comes early. The last are those that only digests are made of."""

IN_PARTS: Final = RESULTS | {
    "account_of_run": Result(
        _account_of(*_IN_RUN),
        ("part", "waits", "deduced_ends", "outline"),
        is_shared=True,
    ),
    "account_of_loop": Result(
        _account_of("loop"), ("part", "waits", "deduced_ends", "loop"), is_shared=True
    ),
    "profile": replace(
        RESULTS["profile"],
        make=_profile_in_parts("exchange"),
        of=("part", "account_of_run", "outline"),
    ),
    "profile_of_run": replace(
        RESULTS["profile_of_run"],
        make=_profile_in_parts("run"),
        of=("part", "account_of_run", "outline"),
    ),
    "profile_of_loop": replace(
        RESULTS["profile_of_loop"],
        make=_profile_in_parts("loop"),
        of=("part", "account_of_loop", "loop"),
    ),
    "time_spent": replace(
        RESULTS["time_spent"],
        make=_time_spent_in_parts,
        of=("part", "waits", "account_of_loop", "positions", "parts", "outline"),
    ),
    "pyramid": replace(
        RESULTS["pyramid"], make=_pyramid_in_parts, of=("part", "account_of_run")
    ),
}
"""The results as they are made in parts: what each part takes is looked at there, and
no account of all of them is kept."""
