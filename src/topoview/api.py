"""The functions of the Python API, which `topoview` hands out.

Everything is made once, in a process of its own, and kept: it costs milliseconds the
next time, here, in the window and on the command line. Each function imports what it
needs: whoever only lists messages does not pay for drawing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

if TYPE_CHECKING:
    import networkx as nx
    import pyvista

    from topoview.base.progress import Report
    from topoview.live.network import NetworkRequest, TrafficOptions
    from topoview.live.tables.scope import Scope, ScopeOptions
    from topoview.model import (
        CommunicationMatrix,
        Efficiency,
        Identification,
        LinkLoads,
        MachineChoice,
        Mapping,
        SpanName,
        Table,
        Trace,
    )
    from topoview.report.blocks import Page
    from topoview.report.tables import LogicalProgram
    from topoview.session import ThemeName

    Source: TypeAlias = Trace | str | Path
    Pattern: TypeAlias = str | Path | nx.Graph


def open(  # noqa: A001 - topoview.open
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    ranks: Iterable[int] | int | str | None = None,
    report: "Report | None" = None,
) -> "Trace":
    """Open a trace.

    It is read in a separate process and kept in the user's cache; opening it again
    maps the columns to memory and takes milliseconds.

    Parameters
    ----------
    path
        An anchor file, the folder that holds it, or an archive (``.tar.*``,
        ``.zip``) of one.
    window
        Seconds from the trace's beginning between which it is to be read; None for
        the beginning or the end. Times in the result stay those of the trace.
    ranks
        World ranks that are to be read, as numbers or like ``"0-63,70"``; None: all.
        The others stay in the trace, without anything that they did.
    report
        ``report(stage, fraction)``, called every 40 ms; whatever it raises ends the
        reading.

    Returns
    -------
    topoview.model.Trace
        Its columns are read-only NumPy arrays; ``to_pandas()`` and ``to_arrow()`` of
        ``timeline``, ``calls``, ``messages`` and ``collectives`` share their memory.

    Raises
    ------
    topoview.errors.TraceError
        If there is no trace, it cannot be read at all, or has no such part.
    """
    from topoview.base.progress import silent
    from topoview.errors import TraceError
    from topoview.model import Subset
    from topoview.worker import read_in_process

    begin, end = window or (None, None)
    some = (ranks,) if isinstance(ranks, (int, str)) else () if ranks is None else ranks
    named = ",".join(map(str, some))
    if ranks is not None and not named:
        raise TraceError(f"{path} cannot be read in part: no ranks are named")
    try:
        subset = Subset.parse(begin, end, named)
    except ValueError as error:
        raise TraceError(f"{path} cannot be read in part: {error}") from error
    return read_in_process(path, report or silent, subset)


def identify(
    trace: "Source",
    *,
    threshold: float | None = None,
    patterns: "Sequence[Pattern]" = (),
    report: "Report | None" = None,
) -> "Identification":
    """Identify the communication topology of a run and of its parts.

    Parameters
    ----------
    trace
        A trace, or its path.
    threshold
        Leave out pairs with less than this fraction of the largest pair's bytes.
    patterns
        Further patterns to look for: ``.toml`` or ``.py`` files, or graphs of networkx.
    report
        As for `open`.

    Returns
    -------
    topoview.model.Identification
        ``best.topology`` is the answer; it and `best` itself, in ranks, have
        ``to_networkx()``.

    Raises
    ------
    topoview.errors.TraceError, topoview.errors.PatternError
        If the trace cannot be read or a pattern is invalid.
    """
    options = {"threshold": threshold, "patterns": _pattern_files(patterns)}
    result: Identification = _results(trace, ["parts"], report, **options)["parts"]
    return result


def logical(
    trace: "Source",
    *,
    functions: bool = False,
    patterns: "Sequence[Pattern]" = (),
    report: "Report | None" = None,
) -> "LogicalProgram":
    """Find the logical trace of the whole program: print it.

    Parameters
    ----------
    trace, patterns, report
        As for `identify`.
    functions
        Whether equal calls of different call paths are told apart also where that is
        longer.

    Raises
    ------
    topoview.errors.TraceError, topoview.errors.PatternError
        As from `identify`.
    topoview.errors.TopoviewError
        If it would not fit into memory.
    """
    from topoview.report.tables import LogicalProgram

    options = {"functions": functions, "patterns": _pattern_files(patterns)}
    results = _results(trace, ["identification", "logical"], report, **options)
    return LogicalProgram(
        results.trace, results["identification"].best, results["logical"]
    )


find_logical = logical
"""The same: for the package of that name, whose import hides the function."""


def account(
    trace: "Source", *, report: "Report | None" = None, **scope: Unpack["ScopeOptions"]
) -> "Table":
    """Compute what the time of the ranks' main threads is spent on: it sums to 100 %.

    Parameters
    ----------
    trace, report
        As for `identify`.
    scope
        ``span="exchange"`` (default): from the first call that communicates to the
        last; ``"run"``: from the first event to the last; ``"loop"``: from the begin
        of the first iteration of the loop with most time to the end of the last; or a
        window or a phase instead. And ranks: as for `calls`.

    Returns
    -------
    topoview.model.Table
        Time by class, useful first, and the rank with most of each.
    """
    return profile(trace, "class", report=report, **scope)


def profile(
    trace: "Source",
    by: str = "function",
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """Summarise time and calls per MPI function, longest first.

    Parameters
    ----------
    trace, report, scope
        As for `account`.
    by
        ``function``, ``class`` (as `account`), ``state``, ``rank`` (one row each), or
        ``rank-function``: functions of each rank apart.

    Returns
    -------
    topoview.model.Table
        With ``to_pandas()`` and ``to_arrow()``; times are seconds.
    """
    from topoview.report.profile import TABLES

    if by not in TABLES:
        raise ValueError(f"profiles are by {', '.join(TABLES)}: not by {by}")
    part = _part(trace, report, "profile", **scope)
    return TABLES[by](part.analysis.trace, part.profile(), part.some_ranks)


def matrix(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    find: str = "",
    *,
    collectives: bool = False,
    waits: bool = False,
    level: int = 0,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "CommunicationMatrix":
    """Count messages and bytes by pairs of ranks.

    Parameters
    ----------
    trace, report
        As for `identify`.
    find, scope
        Which messages, as for `calls`; all without any. Messages are in a window if
        they were sent in it. Rates are those of the span (the exchange).
    collectives
        Whether collective operations count, too, each by a stated algorithm.
    waits
        Whether `waits` holds how long ranks waited for each other.
    level
        Pairs of that level of volume only, of those that count; 0: all.

    Returns
    -------
    topoview.model.CommunicationMatrix
        ``calls`` and ``volume`` are sparse arrays of SciPy; ``to_pandas()`` and
        ``to_arrow()`` give one row per pair, with its rates.
    """
    wanted = "calls" if waits else "matrix"
    part = _part(trace, report, wanted, find, **scope)
    result = part.matrix(collectives=collectives, waits=waits)
    if not level:
        return result
    from topoview.topology.identification.traffic import cut_matrix

    return cut_matrix(result, level)[0]


def calls(
    trace: "Source",
    find: str = "",
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """List MPI calls of all ranks: which, when, with whom, how long, and why.

    Parameters
    ----------
    trace, report
        As for `identify`.
    find
        What to look for: ``"Waitall > 10 ms"``, ``"to EAST > 1 MiB"``,
        ``"isend tag 7 iteration 31"``.
    scope
        What is counted: ``window=(begin, end)`` in seconds, ``phase="2"`` or
        ``span="loop"`` (all events); ``ranks="0-63"``, ``communicator="row"``.

    Returns
    -------
    topoview.model.Table
        With ``to_pandas()`` and ``to_arrow()``; one row per call.

    Raises
    ------
    topoview.errors.UsageError
        If the trace has no such part, or `find` is not understood.
    """
    return _scope(trace, report, find, **scope).calls()


def messages(
    trace: "Source",
    find: str = "",
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """List messages between ranks, as `calls` lists calls: one row per message."""
    return _scope(trace, report, find, **scope).messages()


def iterations(
    trace: "Source",
    loop: int | None = None,
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """List the iterations of a loop, from 1: one row per rank and iteration.

    Parameters
    ----------
    trace, report, scope
        As for `calls`; iterations that begin in the window.
    loop
        The n-th loop of the logical trace in order of lines, from 1; None: the
        outermost one that takes longest.

    Raises
    ------
    topoview.errors.UsageError
        If there is no such loop.
    """
    return _scope(trace, report, **scope).iterations(loop)


def communicators(
    trace: "Source", *, report: "Report | None" = None, **scope: Unpack["ScopeOptions"]
) -> "Table":
    """List communicators: members, topology, traffic, time, spread of arrivals."""
    return _part(trace, report, "parts", **scope).communicators()


def statistics(
    trace: "Source",
    by: str = "function",
    find: str = "",
    *,
    of: str = "compute",
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """Show how durations, sizes and times are distributed: one row per group.

    Parameters
    ----------
    trace, find, report, scope
        As for `calls`; the exchange where no time is named.
    by
        ``function`` or ``rank`` (of MPI calls); ``size``, ``direction``,
        ``communicator`` or ``tag`` (of messages); ``collective`` (operations, with the
        spread of arrivals); ``state``, ``row``, ``plane`` or ``node`` (times of ranks);
        ``coordinate`` (how these depend on each).
    of
        Which time of ranks: ``compute``, ``mpi`` or ``wait``.

    Returns
    -------
    topoview.model.Table
        Count, sum, mean, ``min``, ``median``, ``p95`` (95 % are not above it) and
        ``max`` of each number; with ``to_pandas()`` and ``to_arrow()``.

    Raises
    ------
    topoview.errors.UsageError
        If the trace has no such part, or no such groups.
    """
    from topoview.live.tables.statistics import statistics_needs

    part = _part(trace, report, statistics_needs(by, of), find, **scope)
    return part.statistics(by, of)


def query(
    trace: "Source",
    sql: str,
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """Answer a question in SQL about the tables of a run.

    Parameters
    ----------
    trace, report, scope
        As for `account`: all tables are of that time, and of these ranks.
    sql
        A SELECT in DuckDB's SQL from ``calls``, ``messages``, ``waits`` (one per call
        that waited), ``iterations``, ``regions``, ``communicators``, ``phases``,
        ``delays``, ``matrix``, ``account``, ``profile``, ``ranks`` (one row each), and
        others: a table that there is not is answered with their names.

    Returns
    -------
    topoview.model.Table
        Columns that are called as those of the tables have their units.

    Raises
    ------
    topoview.errors.UsageError
        If the question cannot be answered: says why.
    topoview.errors.ExtraError
        If DuckDB is not installed.
    """
    from topoview.live.tables.sql import answer, results_named

    return answer(sql, _part(trace, report, results_named(sql), **scope))


def phases(trace: "Source", *, report: "Report | None" = None) -> "Table":
    """List the phases of the run: time, topology, iterations, traffic."""
    return _scope(trace, report, wanted="phases").phases()


def regions(
    trace: "Source",
    *,
    tree: bool = False,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """List the regions of the program besides MPI: visits, and their times.

    Parameters
    ----------
    trace, report, scope
        As for `account`: visits count as far as they are in the span.
    tree
        Whether to list regions and MPI functions below their callers instead.

    Returns
    -------
    topoview.model.Table
        ``region, ranks, visits, seconds, share``, the spread of single visits,
        ``begin`` and ``end``; as a tree ``function, visits``, inclusive ``seconds`` and
        exclusive ``own_seconds``, ``share``, ``most_rank``, ``most_seconds``, ``depth``
        and ``path``.
    """
    part = _part(trace, report, "regions", **scope)
    return part.call_tree() if tree else part.regions()


def waits(
    trace: "Source",
    by: str = "call",
    *,
    report: "Report | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Table":
    """List the calls that waited for another rank: how long, and for whom.

    Parameters
    ----------
    trace, report, scope
        As for `account`: waits count as far as they are in the span.
    by
        ``call``, or what waiting is to be summed up by: ``kind``, ``rank`` (that
        waited), ``waited_for`` (a rank), ``pair``, ``direction``,
        ``statement``, ``communicator``, ``phase`` or ``iteration``.

    Returns
    -------
    topoview.model.Table
        ``call, rank, function, begin, seconds, waited_for``, or the sums, with
        ``to_pandas()`` and ``to_arrow()``.

    Raises
    ------
    topoview.errors.TopoviewError
        If the clocks of the ranks are not aligned.
    """
    from topoview.report.tables import WAIT_GROUPS, wait_sums_table

    if by == "call":
        return _part(trace, report, "wait calls", **scope).wait_calls()
    if by not in WAIT_GROUPS:
        groups = ", ".join(WAIT_GROUPS)
        raise ValueError(f"waits are listed by call, {groups}: not {by}")
    part = _part(trace, report, "wait sums", **scope)
    return wait_sums_table(part.analysis.trace, part.waits(), by)


def delays(trace: "Source", *, report: "Report | None" = None) -> "Table":
    """List the delays of single ranks by the waiting that they caused, most first.

    All are of the exchange.

    Returns
    -------
    topoview.model.Table
        ``rank, begin, end, iteration, seconds`` (longer than usual)``, own_seconds,
        call`` (missing for a computation)``, instead`` (the function computed in)``,
        ranks_reached, hops_per_iteration, hops_per_second, decay_seconds_per_hop,
        caused_seconds, ended, met`` (the rank whose wave it met).

    Raises
    ------
    topoview.errors.TopoviewError
        If the clocks of the ranks are not aligned.
    """
    from topoview.report.delays import delays_table
    from topoview.report.tables import not_aligned

    results = _results(trace, ["waits", "delays"], report)
    if results["waits"] is None:
        raise not_aligned(results.trace)
    return delays_table(results.trace, results["delays"])


def efficiency(
    trace: "Source", *, report: "Report | None" = None, **scope: Unpack["ScopeOptions"]
) -> "Efficiency":
    """Find the efficiencies of POP: load balance, serialisation, transfer, and so on.

    Parameters
    ----------
    trace, report, scope
        As for `account`.

    Returns
    -------
    topoview.model.Efficiency

    Raises
    ------
    topoview.errors.TopoviewError
        If the clocks of the ranks are not aligned.
    """
    from topoview.analysis.waits.efficiency import efficiency_of
    from topoview.report.tables import not_aligned

    part = _part(trace, report, "profile", **scope)
    opened = part.analysis.trace
    if not opened.clock.aligned:
        raise not_aligned(opened)
    return efficiency_of(opened, part.profile(), part.ranks or None)


def network(
    trace: "Source",
    find: str = "",
    *,
    report: "Report | None" = None,
    **traffic: Unpack["TrafficOptions"],
) -> "LinkLoads":
    """Compute what messages put on the links of the machine's network.

    Parameters
    ----------
    trace, report
        As for `identify`.
    find, traffic
        Which messages, as for `calls`; all without any. And:

        machine
            A file that describes the machine, or what is assumed:
            ``{"torus": "4x4x4", "per_node": 2}``, with ``mesh``, ``fat_tree`` or
            ``dragonfly`` as well, ``names`` (a regular expression that finds
            coordinates in names of hosts), ``counters`` (one of the counters that
            measured its traffic) and ``file``. Empty: what the trace says.
        level
            Pairs of that level of volume only, of those that count.
        collectives
            Whether collective operations count, too, each by a stated algorithm.

    Returns
    -------
    topoview.model.LinkLoads
        ``hop_bytes``, ``hottest``, ``mean_bytes``, ``idle_links``; ``table()`` has a
        row per link, ``node_table()`` one per node, with ``to_pandas()`` and
        ``to_arrow()``; ``measured``, if the trace has counters.

    Raises
    ------
    topoview.errors.UsageError, topoview.errors.PlacementError
        If nothing describes the machine, or what is said of it does not fit.
    """
    from topoview.live.network import network_traffic

    return network_traffic(_traffic(trace, find, "matrix", report, traffic)).loads


def map_ranks(
    trace: "Source",
    find: str = "",
    *,
    report: "Report | None" = None,
    **traffic: Unpack["TrafficOptions"],
) -> "tuple[Mapping, ...]":
    """Find better mappings of ranks onto the places that the job has.

    Parameters
    ----------
    trace, find, report, traffic
        As for `network`.

    Returns
    -------
    tuple of topoview.model.Mapping
        That of the run first, then the others by hop-bytes: ``method``, ``order`` (the
        rank that goes to the place of each rank) and ``loads``.

    Raises
    ------
    topoview.errors.UsageError, topoview.errors.PlacementError
        As from `network`; or if the node of a rank is not known.
    """
    from topoview.base.progress import silent
    from topoview.live.network import mappings_of

    request = _traffic(trace, find, "mappings", report, traffic)
    return mappings_of(request, report or silent).mappings


def _traffic(
    trace: "Source",
    find: str,
    wanted: str,
    report: "Report | None",
    traffic_options: "TrafficOptions",
) -> "NetworkRequest":
    from topoview.live.network import NetworkRequest

    scope: dict[str, Any] = dict(traffic_options)
    machine = _machine(scope.pop("machine", ""))
    how = scope.pop("level", 0), scope.pop("collectives", False)
    part = _scope(trace, report, find, wanted=wanted, **scope)
    return NetworkRequest(part, machine, *how)


def _machine(machine: "str | Path | dict[str, Any]") -> "MachineChoice":
    from topoview.model import MachineChoice

    if not isinstance(machine, dict):
        return MachineChoice(file=str(machine))
    options = dict(machine)
    kinds = ("torus", "mesh", "fat_tree", "dragonfly")
    given = {kind: str(options.pop(kind)) for kind in kinds if kind in options}
    if len(given) > 1:
        raise ValueError(f"only one network can be assumed, not {', '.join(given)}")
    kind, dims = next(iter(given.items()), ("", ""))
    return MachineChoice(kind=kind.replace("_", " "), dims=dims, **options)


def compare(
    a: "Source", b: "Source", by: str = "statement", *, report: "Report | None" = None
) -> "Table":
    """Compare the timing of two runs: a row per group and measure, averaged over ranks.

    Parameters
    ----------
    a, b
        Traces, or their paths.
    by
        ``statement``, ``function``, ``direction``, ``plane``, ``iteration`` or
        ``place``.
    report
        As for `open`.

    Returns
    -------
    topoview.model.Table
        The group, ``measure, a, b, difference, ratio, verdict``; times are seconds.
        The verdict is ``different`` beyond three standard errors, ``alike`` within
        them, ``few`` if only a few iterations differ; empty if there are too few.
    """
    from topoview.analysis.comparing.lines import align_listings
    from topoview.report.run_comparison import (
        BY,
        RUN_RESULTS,
        compare_results,
        comparison_table,
    )

    if by not in BY:
        raise ValueError(f"runs are compared by {', '.join(BY)}: not {by}")
    results = [_results(one, list(RUN_RESULTS), report) for one in (a, b)]
    aligned = align_listings(results[0]["logical"], results[1]["logical"])
    names = results[0].trace.name, results[1].trace.name
    return comparison_table(compare_results(results[0], results[1], aligned, names), by)


def scaling(
    traces: "Iterable[Source]", kind: str = "", *, report: "Report | None" = None
) -> "Table":
    """Show how runs on several numbers of ranks scale: one row per run.

    Parameters
    ----------
    traces
        Traces, or their paths.
    kind
        ``strong`` or ``weak``; empty: what changes less, the computation of all ranks
        together or of each.
    report
        As for `open`.

    Returns
    -------
    topoview.model.Table
        ``name, ranks, iterations, seconds, speed_up, global_efficiency,
        computation_scalability, instruction_scalability, ipc_scalability,
        frequency_scalability, load_balance, serialisation, transfer, parallel``.
    """
    from topoview.analysis.comparing.scaling import scaling as scale
    from topoview.report.run_comparison import (
        RUN_RESULTS,
        run_of_results,
        scaling_table,
    )

    results = [_results(one, list(RUN_RESULTS), report) for one in traces]
    runs = [run_of_results(one) for one in results]
    return scaling_table(scale(runs, [one.trace.name for one in results], kind)[1])


def info(trace: "Source", report: "Report | None" = None) -> "Page":
    """Summarise a trace: ranks, events, clock, and how good the recording is.

    Parameters
    ----------
    trace, report
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        It prints itself, as ``topoview info`` does.
    """
    from topoview.report.info import info_page

    return info_page(_results(trace, [], report).trace)


def advice(trace: "Source", report: "Report | None" = None) -> "Page":
    """Find what costs most time, and what could be done about it.

    Parameters
    ----------
    trace, report
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        Sentences with their numbers, costliest first, each with the command that shows
        it; empty where nobody waited. It prints itself.
    """
    from topoview.report.advice import advice_blocks
    from topoview.report.blocks import Page

    return Page(blocks=advice_blocks(_part(trace, report, "waits and causes").analysis))


def export(
    trace: "Source",
    path: str | Path,
    *,
    table: str = "",
    report: "Report | None" = None,
) -> Path:
    """Write a trace, a table or a topology for other tools, by the suffix.

    Parameters
    ----------
    trace, report
        As for `identify`.
    path
        Where it is written: ``.perfetto-trace``, ``.json`` and others, as
        ``topoview export`` takes them.
    table
        What a CSV or Parquet file holds; empty: the calls.

    Raises
    ------
    topoview.errors.UsageError
        If the suffix is none of these, or there is no such table.
    topoview.errors.ExportError
        If it cannot be written there.
    """
    from topoview.live.export import export_to

    made = export_to(Path(path), table)
    made.write(_results(trace, list(made.wanted), report), Path(path))
    return Path(path)


def write_digest(
    trace: str | Path, path: str | Path, *, report: "Report | None" = None
) -> Path:
    """Write all results of a trace, without its events, to one file.

    Parameters
    ----------
    trace
        Path of the trace.
    path
        Where the digest is written: it opens as a trace does.
    report
        As for `identify`.

    Raises
    ------
    topoview.errors.TopoviewError
        If the trace cannot be read, or the file not be written.
    """
    from topoview.base.progress import silent
    from topoview.worker.digest import make_digest

    make_digest(trace, path, report=report or silent)
    return Path(path)


def write_report(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    path: str | Path,
    *,
    compare: str | Path = "",
    machine: "str | Path | dict[str, Any]" = "",
    span: "SpanName" = "exchange",
    report: "Report | None" = None,
) -> Path:
    """Write a report of a run: HTML or PDF, by the suffix.

    Parameters
    ----------
    trace, report
        As for `identify`.
    path
        Where it is written.
    compare
        Path of another trace, which the run is compared with.
    machine
        As for `network`.
    span
        ``exchange``, ``run`` or ``loop``: the time that numbers are of.

    Raises
    ------
    topoview.errors.ExportError
        If it cannot be written there.
    topoview.errors.UsageError
        If there is no such span.
    """
    from topoview.base.progress import silent
    from topoview.live.tables.scope import scope_of
    from topoview.ui.export.report.save import Further, save_report
    from topoview.worker.results import shown_of

    further = Further(machine=_machine(machine), other=str(compare))
    known = scope_of(shown_of(trace, report), span=span).of_span()
    save_report(known, Path(path), further, report or silent)
    return Path(path)


def plot(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    time: float | None = None,
    *,
    colour: str = "state",
    size: tuple[int, int] = (1280, 800),
    theme: "ThemeName" = "light",
    report: "Report | None" = None,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> "pyvista.Plotter":
    """Draw the ranks in the shape of their topology.

    Parameters
    ----------
    trace, report
        As for `identify`.
    time
        Seconds from the trace's beginning; None: within a rank's longest wait.
    colour
        What colours mean, as ``topoview render --colour`` takes it.
    size
        Width and height in pixels.
    theme
        ``light`` or ``dark``.
    how
        Fields of `topoview.session.SceneOptions`, such as ``layout="flat"``,
        ``messages=False`` or ``chains=True``.

    Returns
    -------
    pyvista.Plotter
        To show, change and save: ``plot(trace).show()``, ``.screenshot("f.png")``,
        ``.export_html("f.html")``.

    Raises
    ------
    topoview.errors.ExtraError
        If topoview is installed without its window.
    """
    from topoview.ui.panels.scene.plotter import scene_plotter
    from topoview.worker.results import shown_of

    analysis = shown_of(trace, report)
    return scene_plotter(analysis, time, size, theme, colouring=colour, **how)


def _scope(
    trace: "Source",
    report: "Report | None",
    find: str = "",
    wanted: str | tuple[str, ...] = "calls",
    default: "SpanName | None" = None,
    **scope: Unpack["ScopeOptions"],
) -> "Scope":
    """Find a part of a run, and compute the results of it: see `needs`.

    `default` is the span that is meant where no time is named; None: all events.
    """
    from topoview.live.tables.scope import needs, scope_of
    from topoview.worker.results import shown_of

    phase, span = scope.get("phase"), scope.get("span")
    if scope.get("window") is None and phase is None:
        span = span or default
    part = span != default or scope.get("ranks") is not None
    names = needs(wanted, find, phase, span, part=part)
    scope["span"] = span
    return scope_of(shown_of(trace, report, names), find, **scope)


def _part(
    trace: "Source",
    report: "Report | None",
    wanted: str | tuple[str, ...],
    find: str = "",
    **scope: Unpack["ScopeOptions"],
) -> "Scope":
    """As `_scope`, of the exchange where no time is named."""
    return _scope(trace, report, find, wanted, "exchange", **scope)


def _results(
    trace: "Source",
    wanted: list[str],
    report: "Report | None",
    **options: Any,  # noqa: ANN401 - fields of Options
) -> Any:  # noqa: ANN401 - Results, whose import takes time
    from topoview.base.progress import silent
    from topoview.pipeline import Options
    from topoview.worker import results_of

    return results_of(trace, wanted, Options(**options), report or silent)


def _pattern_files(patterns: "Sequence[Pattern]") -> tuple[Path, ...]:
    from topoview.worker.results import pattern_file

    return tuple(
        Path(one) if isinstance(one, (str, Path)) else pattern_file(one)
        for one in patterns
    )


def _methods() -> tuple[Callable[..., object], ...]:
    """Let traces have the functions; the model itself knows nothing above it."""
    from topoview import __all__ as names
    from topoview.model import Trace

    no_methods = {"__version__", "open", "scaling", *(f.name for f in fields(Trace))}
    functions = tuple(globals()[name] for name in names if name not in no_methods)
    for function in functions:
        setattr(Trace, function.__name__, function)
    return functions


METHODS = _methods()
"""Functions that are methods of traces, too: ``trace.identify()``. `calls`, `messages`,
`communicators` and `regions` are columns and definitions there."""
