"""The functions of the Python API, which `topoview` hands out.

Everything is made once, in a process of its own, and kept: it costs milliseconds the
next time, here, in the window and on the command line. Each function imports what it
needs: whoever only lists messages does not pay for drawing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar, Unpack, cast

from topoview.base.text import did_you_mean
from topoview.model import SpanName
from topoview.session import SceneOptions

if TYPE_CHECKING:
    import networkx as nx
    import pyvista
    from matplotlib.axes import Axes

    from topoview.base.progress import Report
    from topoview.live.network import NetworkRequest
    from topoview.live.tables.scope import Scope
    from topoview.model import (
        CommunicationMatrix,
        Efficiency,
        Identification,
        LinkLoads,
        MachineChoice,
        Mapping,
        Table,
        Trace,
    )
    from topoview.report.blocks import Document, Page
    from topoview.report.tables import LogicalProgram
    from topoview.session import ThemeName

    Source: TypeAlias = Trace | str | Path
    Pattern: TypeAlias = str | Path | nx.Graph
    Progress: TypeAlias = Callable[[str, float], None] | bool | None


class ScopeOptions(TypedDict, total=False):
    """Parameters that name a part of a run."""

    window: tuple[float | None, float | None] | None
    ranks: Iterable[int] | int | str | None
    communicator: str | None
    phase: str | int | None
    span: SpanName | None


class TrafficOptions(ScopeOptions, total=False):
    """Parameters of what a part of a run puts on the machine's links."""

    machine: str | Path | dict[str, Any] | None
    level: int | None
    collectives: bool | None


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _spelled(options: type) -> Callable[[_Function], _Function]:
    """Show fields of options as parameters of a function, which refuses others.

    Parameters
    ----------
    options
        A dataclass, or a TypedDict, all of which are None if they are not given.
    """
    defaults = dict.fromkeys(options.__annotations__)
    if is_dataclass(options):
        has = {one.name: one.default for one in fields(options)}
        defaults = {k: ... if v is MISSING else v for k, v in has.items()}

    def decorate(function: _Function) -> _Function:
        *before, _ = signature(function).parameters.values()
        names = [one.name for one in before]
        further = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default)
            for name, default in defaults.items()
            if name not in names
        ]
        taken = [one.name for one in (*before, *further)]

        @wraps(function)
        def checked(*args: object, **named: object) -> object:
            for name in named.keys() - set(taken):
                hint = did_you_mean(name, taken) or f": it has {', '.join(taken)}"
                raise TypeError(
                    f"topoview.{function.__name__} has no parameter {name!r}{hint}"
                )
            return function(*args, **named)

        shown = signature(function).replace(parameters=[*before, *further])
        checked.__signature__ = shown  # type: ignore[attr-defined]
        return cast("_Function", checked)

    return decorate


def open(  # noqa: A001 - topoview.open
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    ranks: Iterable[int] | int | str | None = None,
    progress: "Progress" = None,
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
    progress
        ``progress(stage, fraction)``, called every 40 ms: whatever it raises ends the
        work; or True for a bar of tqdm.

    Returns
    -------
    topoview.model.Trace
        Its columns are read-only NumPy arrays; ``to_pandas()`` and ``to_arrow()`` of
        ``timeline``, ``calls``, ``messages`` and ``collectives`` share their memory.

    Raises
    ------
    topoview.errors.TraceError
        If there is no trace, it cannot be read at all, or has no such part.

    Examples
    --------
    >>> trace = topoview.open("run/traces.otf2", ranks="0-63")  # doctest: +SKIP
    """
    from topoview.errors import TraceError
    from topoview.model import Subset
    from topoview.worker import read_in_process

    begin, end = window or (None, None)
    some = (ranks,) if isinstance(ranks, (int, str)) else () if ranks is None else ranks
    named = ",".join(f"{rank}" for rank in some)
    if ranks is not None and not named:
        raise TraceError(f"{path} cannot be read in part: no ranks are named")
    try:
        subset = Subset.parse(begin, end, named)
    except ValueError as error:
        raise TraceError(f"{path} cannot be read in part: {error}") from error
    return read_in_process(path, _reporter(progress), subset)


def identify(
    trace: "Source",
    *,
    threshold: float | None = None,
    patterns: "Sequence[Pattern]" = (),
    progress: "Progress" = None,
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
    progress
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

    Examples
    --------
    >>> topoview.identify(trace).best.topology.name
    '2D torus 24x12'
    >>> topoview.identify(trace).best.coordinates[273].tolist()
    [10, 3]
    """
    options = {"threshold": threshold, "patterns": _pattern_files(patterns)}
    result: Identification = _results(trace, ["parts"], progress, **options)["parts"]
    return result


def logical(
    trace: "Source",
    *,
    functions: bool = False,
    patterns: "Sequence[Pattern]" = (),
    progress: "Progress" = None,
) -> "LogicalProgram":
    """Find the logical trace of the whole program: print it.

    Parameters
    ----------
    trace, patterns, progress
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

    Examples
    --------
    >>> program = topoview.logical(trace)
    >>> print(program)
    # 288 ranks that all do the same; exact for 288 of 288
    # 12 statements for up to 439 MPI calls of a rank
    # rank 0 alone, as the maximal process, would stand for all
    Cart_create
    Barrier
    repeat 3:
        repeat 16:
            Irecv from EAST 12 KiB
            Irecv from WEST 12 KiB
            Irecv from SOUTH 24 KiB
            Irecv from NORTH 24 KiB
            Isend to WEST 12 KiB
            Isend to EAST 12 KiB
            Isend to NORTH 24 KiB
            Isend to SOUTH 24 KiB
            Waitall
        Allreduce 8 B
    >>> program.expand(273)[-1]
    ('Allreduce', None, 8, None)
    """
    from topoview.report.tables import LogicalProgram

    options = {"functions": functions, "patterns": _pattern_files(patterns)}
    results = _results(trace, ["identification", "logical"], progress, **options)
    return LogicalProgram(
        results.trace, results["identification"].best, results["logical"]
    )


find_logical = logical
"""The same: for the package of that name, whose import hides the function."""


@_spelled(ScopeOptions)
def account(
    trace: "Source", *, progress: "Progress" = None, **scope: Unpack[ScopeOptions]
) -> "Table":
    """Compute what the time of the ranks' main threads is spent on: it sums to 100 %.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> topoview.account(trace).head(3)
    class    group          seconds   share  most_seconds  most_rank
    compute  useful          42.1 s  89.8 %        158 ms        273
    receive  communication  80.2 ms   0.2 %        311 µs        175
    send     communication  22.3 ms  <0.1 %         92 µs         91
    [3 rows x 6 columns]
    """
    return profile(trace, "class", progress=progress, **scope)


@_spelled(ScopeOptions)
def profile(
    trace: "Source",
    by: str = "function",
    *,
    parts: int = 50,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """Summarise time and calls per MPI function, longest first.

    Parameters
    ----------
    trace, progress, scope
        As for `account`.
    by
        ``function``, ``class`` (as `account`), ``state``, ``rank`` (one row each), or
        ``rank-function``: functions of each rank apart. ``time``: states by `parts`
        of the time.
    parts
        Into how many parts ``time`` is divided.

    Returns
    -------
    topoview.model.Table
        With ``to_pandas()`` and ``to_arrow()``; times are seconds.

    Examples
    --------
    >>> topoview.profile(trace).select("name", "calls", "seconds", "share")
    name        calls  seconds   share
    Waitall    13 824   4.34 s   9.2 %
    Allreduce     864   420 ms   0.9 %
    Irecv      55 296  22.3 ms  <0.1 %
    Isend      55 296  22.3 ms  <0.1 %
    Barrier       288  5.18 ms  <0.1 %
    [5 rows x 4 columns]
    """
    from topoview.report.profile import TABLES

    if by == "time":
        return _part(trace, progress, "regions", **scope).states_over_time(parts)
    if by not in TABLES:
        raise ValueError(f"profiles are by {', '.join(TABLES)}, time: not by {by}")
    part = _part(trace, progress, "profile", **scope)
    return TABLES[by](part.analysis.trace, part.profile(), part.some_ranks)


@_spelled(ScopeOptions)
def matrix(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    find: str = "",
    *,
    collectives: bool = False,
    waits: bool = False,
    level: int = 0,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "CommunicationMatrix":
    """Count messages and bytes by pairs of ranks.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> matrix = topoview.matrix(trace)
    >>> matrix
    <CommunicationMatrix of 288 ranks: 1152 pairs, 55296 messages, 972 MiB>
    >>> int(matrix.volume.sum()), matrix.calls.shape
    (1019215872, (288, 288))
    """
    wanted = "calls" if waits else "matrix"
    part = _part(trace, progress, wanted, find, **scope)
    result = part.matrix(collectives=collectives, waits=waits)
    if not level:
        return result
    from topoview.topology.identification.traffic import cut_matrix

    return cut_matrix(result, level)[0]


@_spelled(ScopeOptions)
def calls(
    trace: "Source",
    find: str = "",
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List MPI calls of all ranks: which, when, with whom, how long, and why.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> topoview.calls(trace, "Waitall > 12 ms iteration 19").select(
    ...     "rank", "seconds", "waited_for"
    ... )
    rank  seconds  waited_for
      18    12 ms          48
     191    12 ms          48
    [2 rows x 3 columns]
    """
    return _scope(trace, progress, find, **scope).calls()


@_spelled(ScopeOptions)
def messages(
    trace: "Source",
    find: str = "",
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List messages between ranks, as `calls` lists calls: one row per message.

    Examples
    --------
    >>> topoview.messages(trace, "to EAST iteration 2", ranks="0-1").select(
    ...     "sender", "receiver", "bytes"
    ... )
    sender  receiver   bytes
         0       132  12 KiB
         1       278  12 KiB
       160         1  12 KiB
       251         0  12 KiB
    [4 rows x 3 columns]
    """
    return _scope(trace, progress, find, **scope).messages()


@_spelled(ScopeOptions)
def iterations(
    trace: "Source",
    loop: int | None = None,
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List the iterations of a loop, from 1: one row per rank and iteration.

    Parameters
    ----------
    trace, progress, scope
        As for `calls`; iterations that begin in the window.
    loop
        The n-th loop of the logical trace in order of lines, from 1; None: the
        outermost one that takes longest.

    Raises
    ------
    topoview.errors.UsageError
        If there is no such loop.

    Examples
    --------
    >>> topoview.iterations(trace).sort("seconds").select(
    ...     "rank", "iteration", "seconds"
    ... ).head(1)
    rank  iteration  seconds
     191         19  15.1 ms
    [1 rows x 3 columns]
    """
    return _scope(trace, progress, **scope).iterations(loop)


@_spelled(ScopeOptions)
def communicators(
    trace: "Source", *, progress: "Progress" = None, **scope: Unpack[ScopeOptions]
) -> "Table":
    """List communicators: members, topology, traffic, time, spread of arrivals.

    Examples
    --------
    >>> topoview.communicators(trace).select("name", "ranks", "messages")
    name            ranks  messages
    MPI_COMM_WORLD    288
    MPI_COMM_CART     288    55 296
    [2 rows x 3 columns]
    """
    return _part(trace, progress, "parts", **scope).communicators()


@_spelled(ScopeOptions)
def statistics(
    trace: "Source",
    by: str = "function",
    find: str = "",
    *,
    of: str = "compute",
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """Show how durations, sizes and times are distributed: one row per group.

    Parameters
    ----------
    trace, find, progress, scope
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

    Examples
    --------
    >>> topoview.statistics(trace, "direction").select(
    ...     "direction", "messages", "bytes"
    ... )
    direction  messages    bytes
    EAST         13 824  162 MiB
    NORTH        13 824  324 MiB
    WEST         13 824  162 MiB
    SOUTH        13 824  324 MiB
    [4 rows x 3 columns]
    """
    from topoview.live.tables.statistics import statistics_needs

    part = _part(trace, progress, statistics_needs(by, of), find, **scope)
    return part.statistics(by, of)


@_spelled(ScopeOptions)
def query(
    trace: "Source",
    sql: str,
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """Answer a question in SQL about the tables of a run.

    Parameters
    ----------
    trace, progress, scope
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

    Examples
    --------
    >>> topoview.query(
    ...     trace,
    ...     "select name, sum(seconds) as seconds from waits group by 1",
    ... )
    name       seconds
    Waitall     4.28 s
    Allreduce   405 ms
    [2 rows x 2 columns]
    """
    from topoview.live.tables.sql import answer, results_named

    return answer(sql, _part(trace, progress, results_named(sql), **scope))


def phases(trace: "Source", *, progress: "Progress" = None) -> "Table":
    """List the phases of the run: time, topology, iterations, traffic.

    Examples
    --------
    >>> topoview.phases(topoview.demo("transpose")).select(
    ...     "name", "topology", "iterations"
    ... ).head(2)
    name  topology       iterations
    1     2D torus 6x6           10
    2     transpose 6x6           5
    [2 rows x 3 columns]
    """
    return _scope(trace, progress, wanted="phases").phases()


@_spelled(ScopeOptions)
def regions(
    trace: "Source",
    *,
    tree: bool = False,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List the regions of the program besides MPI: visits, and their times.

    Parameters
    ----------
    trace, progress, scope
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

    Examples
    --------
    >>> topoview.regions(trace).select("region", "ranks", "visits", "seconds")
    region  ranks  visits  seconds
    main      288     288   46.9 s
    [1 rows x 4 columns]
    >>> topoview.regions(trace, tree=True).select("path", "seconds").head(2)
    path            seconds
    main             46.9 s
    main > MPI_Waitall   4.34 s
    [2 rows x 2 columns]
    """
    part = _part(trace, progress, "regions", **scope)
    return part.call_tree() if tree else part.regions()


@_spelled(ScopeOptions)
def waits(
    trace: "Source",
    by: str = "call",
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List the calls that waited for another rank: how long, and for whom.

    Parameters
    ----------
    trace, progress, scope
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

    Examples
    --------
    >>> topoview.waits(trace, "kind")
    kind             seconds
    late_sender       4.28 s
    late_receiver          0
    wait_at_barrier        0
    wait_at_nxn       405 ms
    late_broadcast         0
    early_reduce           0
    early_scan             0
    wait_at_fence          0
    wait_at_create         0
    wait_at_free           0
    [15 rows x 2 columns]
    """
    from topoview.report.tables import WAIT_GROUPS, wait_sums_table

    if by == "call":
        return _part(trace, progress, "wait calls", **scope).wait_calls()
    if by not in WAIT_GROUPS:
        groups = ", ".join(WAIT_GROUPS)
        raise ValueError(f"waits are listed by call, {groups}: not {by}")
    part = _part(trace, progress, "wait sums", **scope)
    return wait_sums_table(part.analysis.trace, part.waits(), by)


def delays(trace: "Source", *, progress: "Progress" = None) -> "Table":
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

    Examples
    --------
    >>> topoview.delays(trace).select("rank", "iteration", "seconds", "ranks_reached")
    rank  iteration  seconds  ranks_reached
     273         18    12 ms            287
    [1 rows x 4 columns]
    """
    from topoview.report.delays import delays_table
    from topoview.report.tables import not_aligned

    results = _results(trace, ["waits", "delays"], progress)
    if results["waits"] is None:
        raise not_aligned(results.trace)
    return delays_table(results.trace, results["delays"])


@_spelled(ScopeOptions)
def efficiency(
    trace: "Source", *, progress: "Progress" = None, **scope: Unpack[ScopeOptions]
) -> "Efficiency":
    """Find the efficiencies of POP: load balance, serialisation, transfer, and so on.

    Parameters
    ----------
    trace, progress, scope
        As for `account`.

    Returns
    -------
    topoview.model.Efficiency

    Raises
    ------
    topoview.errors.TopoviewError
        If the clocks of the ranks are not aligned.

    Examples
    --------
    >>> round(topoview.efficiency(trace).parallel, 3)
    0.898
    """
    from topoview.analysis.waits.efficiency import efficiency_of
    from topoview.report.tables import not_aligned

    part = _part(trace, progress, "profile", **scope)
    opened = part.analysis.trace
    if not opened.clock.aligned:
        raise not_aligned(opened)
    return efficiency_of(opened, part.profile(), part.ranks or None)


@_spelled(TrafficOptions)
def network(
    trace: "Source",
    find: str = "",
    *,
    progress: "Progress" = None,
    **traffic: Unpack[TrafficOptions],
) -> "LinkLoads":
    """Compute what messages put on the links of the machine's network.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> loads = topoview.network(topoview.demo("mapping"), machine={"torus": "8x8"})
    >>> round(loads.mean_hops, 2)
    2.44
    """
    from topoview.live.network import network_traffic

    return network_traffic(_traffic(trace, find, "matrix", progress, traffic)).loads


@_spelled(TrafficOptions)
def map(  # noqa: A001 - topoview.map
    trace: "Source",
    find: str = "",
    *,
    progress: "Progress" = None,
    **traffic: Unpack[TrafficOptions],
) -> "tuple[Mapping, ...]":
    """Find better mappings of ranks onto the places that the job has.

    Parameters
    ----------
    trace, find, progress, traffic
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

    Examples
    --------
    >>> run, *better = topoview.map(
    ...     topoview.demo("mapping"), machine={"torus": "8x8"}
    ... )
    >>> round(better[0].loads.hop_bytes / run.loads.hop_bytes, 3)
    0.205
    """
    from topoview.live.network import mappings_of

    request = _traffic(trace, find, "mappings", progress, traffic)
    return mappings_of(request, _reporter(progress)).mappings


def _traffic(
    trace: "Source",
    find: str,
    wanted: str,
    progress: "Progress",
    traffic_options: TrafficOptions,
) -> "NetworkRequest":
    from topoview.live.network import NetworkRequest

    scope: dict[str, Any] = dict(traffic_options)
    machine = _machine(scope.pop("machine", None) or "")
    how = scope.pop("level", None) or 0, bool(scope.pop("collectives", None))
    part = _scope(trace, progress, find, wanted=wanted, **scope)
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
    a: "Source", b: "Source", by: str = "statement", *, progress: "Progress" = None
) -> "Table":
    """Compare the timing of two runs: a row per group and measure, averaged over ranks.

    Parameters
    ----------
    a, b
        Traces, or their paths.
    by
        ``statement``, ``function``, ``direction``, ``plane``, ``iteration`` or
        ``place``.
    progress
        As for `open`.

    Returns
    -------
    topoview.model.Table
        The group, ``measure, a, b, difference, ratio, verdict``; times are seconds.
        The verdict is ``different`` beyond three standard errors, ``alike`` within
        them, ``few`` if only a few iterations differ; empty if there are too few.

    Examples
    --------
    >>> runs = trace, topoview.demo("mapping")
    >>> topoview.compare(*runs, by="direction").select(
    ...     "direction", "measure", "ratio"
    ... ).head(3)
    direction  measure     ratio
    NORTH      wait      0.00105
    NORTH      bytes        2.67
    WEST       wait     0.000159
    [3 rows x 3 columns]
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
    results = [_results(one, list(RUN_RESULTS), progress) for one in (a, b)]
    aligned = align_listings(results[0]["logical"], results[1]["logical"])
    names = results[0].trace.name, results[1].trace.name
    return comparison_table(compare_results(results[0], results[1], aligned, names), by)


def scaling(
    traces: "Iterable[Source]", kind: str = "", *, progress: "Progress" = None
) -> "Table":
    """Show how runs on several numbers of ranks scale: one row per run.

    Parameters
    ----------
    traces
        Traces, or their paths.
    kind
        ``strong`` or ``weak``; empty: what changes less, the computation of all ranks
        together or of each.
    progress
        As for `open`.

    Returns
    -------
    topoview.model.Table
        ``name, ranks, iterations, seconds, speed_up, global_efficiency,
        computation_scalability, instruction_scalability, ipc_scalability,
        frequency_scalability, load_balance, serialisation, transfer, parallel``.

    Examples
    --------
    >>> runs = trace, topoview.demo("mapping")
    >>> topoview.scaling(runs, "weak").select("name", "ranks", "parallel")
    name     ranks  parallel
    mapping    256    99.5 %
    wave       288    89.8 %
    [2 rows x 3 columns]
    """
    from topoview.analysis.comparing.scaling import scaling as scale
    from topoview.report.run_comparison import (
        RUN_RESULTS,
        run_of_results,
        scaling_table,
    )

    results = [_results(one, list(RUN_RESULTS), progress) for one in traces]
    runs = [run_of_results(one) for one in results]
    return scaling_table(scale(runs, [one.trace.name for one in results], kind)[1])


def info(trace: "Source", progress: "Progress" = None) -> "Page":
    """Summarise a trace: ranks, events, clock, and how good the recording is.

    Parameters
    ----------
    trace, progress
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        It prints itself, as ``topoview info`` does.

    Examples
    --------
    >>> print(repr(topoview.info(trace)).splitlines()[3])
    ranks         288
    """
    from topoview.report.info import info_page

    return info_page(_results(trace, [], progress).trace)


def advice(trace: "Source", progress: "Progress" = None) -> "Page":
    """Find what costs most time, and what could be done about it.

    Parameters
    ----------
    trace, progress
        As for `identify`.

    Returns
    -------
    topoview.report.blocks.Page
        Sentences with their numbers, costliest first, each with the command that shows
        it; empty where nobody waited. It prints itself.

    Examples
    --------
    >>> print(repr(topoview.advice(trace)).splitlines()[1][:43])
      1. Parallel efficiency is 89.8 % in the e
    """
    from topoview.report.advice import advice_blocks
    from topoview.report.blocks import Page

    analysis = _part(trace, progress, "waits and causes").analysis
    return Page(blocks=advice_blocks(analysis))


def export(
    trace: "Source",
    path: str | Path,
    *,
    table: str = "",
    progress: "Progress" = None,
) -> Path:
    """Write a trace, a table or a topology for other tools, by the suffix.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> topoview.export(trace, "run.perfetto-trace")  # doctest: +SKIP
    """
    from topoview.live.export import export_to

    made = export_to(Path(path), table)
    made.write(_results(trace, list(made.wanted), progress), Path(path))
    return Path(path)


def write_digest(
    trace: str | Path, path: str | Path, *, progress: "Progress" = None
) -> Path:
    """Write all results of a trace, without its events, to one file.

    Parameters
    ----------
    trace
        Path of the trace.
    path
        Where the digest is written: it opens as a trace does.
    progress
        As for `identify`.

    Raises
    ------
    topoview.errors.TopoviewError
        If the trace cannot be read, or the file not be written.

    Examples
    --------
    >>> topoview.write_digest("run/traces.otf2", "run.topoview")  # doctest: +SKIP
    """
    from topoview.worker.digest import make_digest

    make_digest(trace, path, report=_reporter(progress))
    return Path(path)


def write_report(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    path: str | Path,
    *,
    compare: str | Path = "",
    machine: "str | Path | dict[str, Any]" = "",
    span: SpanName = "exchange",
    progress: "Progress" = None,
) -> Path:
    """Write a report of a run: HTML, PDF, Markdown or text, by the suffix.

    Without Qt, HTML lacks the pictures of scene and timeline.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> topoview.write_report(trace, "run.html")  # doctest: +SKIP
    """
    from topoview.live.tables.scope import scope_of
    from topoview.scene.plain_report import Further
    from topoview.worker.results import shown_of

    save_report = report_writer(Path(path))

    further = Further(machine=_machine(machine), other=str(compare))
    known = scope_of(shown_of(trace, _reporter(progress)), span=span).of_span()
    save_report(known, Path(path), further, _reporter(progress))
    return Path(path)


def report_writer(path: Path) -> "Callable[..., Document]":
    """Return what writes a report to a file: without Qt where it is not installed.

    Raises `ExportError` if the file cannot be a report.
    """
    from topoview.base.extras import EXTRAS
    from topoview.report.write import check_writable
    from topoview.scene.plain_report import TEXT_SUFFIXES, save_plain_report

    suffix = path.suffix.lower()
    check_writable(path, "reports", (".html", ".pdf", *TEXT_SUFFIXES))
    if suffix in TEXT_SUFFIXES or (suffix == ".html" and EXTRAS["window"].missing):
        return save_plain_report
    from topoview.ui.export.report.save import save_report

    return save_report


@_spelled(SceneOptions)
def plot(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    time: float | None = None,
    *,
    colour: str = "state",
    size: tuple[int, int] = (1280, 800),
    theme: "ThemeName" = "light",
    progress: "Progress" = None,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> "pyvista.Plotter":
    """Draw the ranks in the shape of their topology.

    Parameters
    ----------
    trace, progress
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

    Examples
    --------
    >>> plotter = topoview.plot(trace, 0.06, colour="wait")
    >>> plotter.screenshot("scene.png")  # doctest: +SKIP
    """
    from topoview.ui.panels.scene.plotter import scene_plotter
    from topoview.worker.results import shown_of

    analysis = shown_of(trace, _reporter(progress))
    return scene_plotter(analysis, time, size, theme, colouring=colour, **how)


@_spelled(ScopeOptions)
def figure(
    trace: "Source",
    of: str = "timeline",
    ax: "Axes | None" = None,
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Axes":
    """Draw a figure of two dimensions on axes of matplotlib.

    Parameters
    ----------
    trace, progress, scope
        As for `account`.
    of
        ``timeline``: states of ranks over time; ``time``: how many ranks are in each;
        ``matrix``: bytes by pairs of ranks; ``profile``: time by class;
        ``iterations``: how long each takes on each rank.
    ax
        Where it is drawn; None: in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes
        In seconds and numbers of ranks; a notebook shows its figure.

    Raises
    ------
    topoview.errors.ExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> axes = topoview.figure(trace, "matrix")
    >>> axes.get_xlabel()
    'receiver'
    """
    from topoview.base.extras import need
    from topoview.errors import UsageError

    need("notebook", "matplotlib")
    from topoview.scene.figures import FIGURES

    if of not in FIGURES:
        raise UsageError(f"figures are of {', '.join(FIGURES)}: not of {of}")
    needed, draw = FIGURES[of]
    part = _part(trace, progress, needed, **scope)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained")[1]
    draw(ax, part)
    return ax


@_spelled(SceneOptions)
def write_movie(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    seconds: float = 10.0,
    colour: str = "state",
    size: tuple[int, int] = (1280, 800),
    theme: "ThemeName" = "light",
    progress: "Progress" = None,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> Path:
    """Write a film of the scene: MP4 or GIF, by the suffix.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written.
    window
        Seconds from the trace's beginning between which it plays; None: while ranks
        communicate.
    seconds
        How long it lasts.
    colour, size, theme, how
        As for `plot`.

    Raises
    ------
    topoview.errors.ExportError
        If it cannot be drawn, encoded or written there.

    Examples
    --------
    >>> topoview.write_movie(trace, "run.mp4", window=(0.05, 0.1))  # doctest: +SKIP
    """
    from topoview.live.delays import first_view
    from topoview.live.picking.navigation import Pace, busiest, working_window
    from topoview.ui.export.film import FilmSpec, render_film
    from topoview.ui.export.render_spec import RenderSpec
    from topoview.worker.results import shown_of

    analysis = shown_of(trace, _reporter(progress))
    clock = analysis.trace.clock
    begin, end = (
        usual if given is None else clock.ticks(given)
        for given, usual in zip(
            window or (None, None), working_window(analysis), strict=True
        )
    )
    spec = RenderSpec(
        first_view(analysis).time,
        (begin, end),
        size,
        scene=SceneOptions(colouring=colour, **how),
        theme=theme,
    )
    pace = Pace(seconds, 0.0, busiest(analysis.trace), skip=False)
    film = FilmSpec(begin, end, pace)
    render_film(analysis, spec, film, Path(path), _reporter(progress))
    return Path(path)


def write_skeleton(
    trace: "Source", path: str | Path, *, progress: "Progress" = None
) -> Path:
    """Write a program that makes the same MPI calls: C or Python, by the suffix.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written: ``.c``, or ``.py`` for mpi4py.

    Raises
    ------
    topoview.errors.UsageError
        If it has another suffix.

    Examples
    --------
    >>> topoview.write_skeleton(trace, "halo.c")  # doctest: +SKIP
    """
    from topoview.skeleton import language_of, write_skeleton

    language_of(Path(path))
    results = _results(trace, ["identification", "logical"], progress)
    match = results["identification"].best
    write_skeleton(results.trace, results["logical"], match, Path(path))
    return Path(path)


def demo(name: str = "wave") -> "Trace":
    """Open a sample trace.

    Parameters
    ----------
    name
        ``wave``: an idle wave on a torus; ``transpose``: a program with a hidden
        phase; ``mapping``: ranks that are badly placed on nodes.

    Raises
    ------
    topoview.errors.UsageError
        If there is no such sample.

    Examples
    --------
    >>> topoview.demo()
    <Trace wave: 288 ranks, 476928 events, 126432 calls, 55296 messages, 0.163247 s>
    """
    from topoview.base.resources import DEMOS, demo_trace
    from topoview.errors import UsageError

    if name not in DEMOS:
        raise UsageError(f"samples are {', '.join(DEMOS)}: not {name}")
    return open(demo_trace(name))


def _reporter(progress: "Progress") -> "Report":
    """Return what is called as work goes on: a bar of tqdm for True."""
    from topoview.base.progress import silent

    if callable(progress):
        return progress
    if not progress:
        return silent
    from topoview.base.extras import need

    need("notebook", "tqdm")
    from tqdm.auto import tqdm

    bar = tqdm(total=1.0, bar_format="{desc} {percentage:3.0f} %|{bar}|")

    def show(stage: str, fraction: float) -> None:
        bar.set_description(stage, refresh=False)
        bar.n = fraction
        bar.refresh()

    return show


def _scope(
    trace: "Source",
    progress: "Progress",
    find: str = "",
    wanted: str | tuple[str, ...] = "calls",
    default: SpanName | None = None,
    **scope: Unpack[ScopeOptions],
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
    return scope_of(shown_of(trace, _reporter(progress), names), find, **scope)


def _part(
    trace: "Source",
    progress: "Progress",
    wanted: str | tuple[str, ...],
    find: str = "",
    **scope: Unpack[ScopeOptions],
) -> "Scope":
    """As `_scope`, of the exchange where no time is named."""
    return _scope(trace, progress, find, wanted, "exchange", **scope)


def _results(
    trace: "Source",
    wanted: list[str],
    progress: "Progress",
    **options: Any,  # noqa: ANN401 - fields of Options
) -> Any:  # noqa: ANN401 - Results, whose import takes time
    from topoview.pipeline import Options
    from topoview.worker import results_of

    return results_of(trace, wanted, Options(**options), _reporter(progress))


def _pattern_files(patterns: "Sequence[Pattern]") -> tuple[Path, ...]:
    from topoview.worker.results import pattern_file

    return tuple(
        Path(one) if isinstance(one, (str, Path)) else pattern_file(one)
        for one in patterns
    )


def _methods() -> tuple[Callable[..., object], ...]:
    """Let traces have the functions; the model itself knows nothing above it."""
    from topoview import PUBLIC
    from topoview.model import Trace

    no_methods = {
        "__version__",
        "demo",
        "open",
        "scaling",
        *(f.name for f in fields(Trace)),
    }
    functions = tuple(globals()[name] for name in PUBLIC if name not in no_methods)
    for function in functions:
        setattr(Trace, function.__name__, function)
    return functions


METHODS = _methods()
"""Functions that are methods of traces, too: ``trace.identify()``. `calls`, `messages`,
`communicators` and `regions` are columns and definitions there."""
