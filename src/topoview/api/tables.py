"""Tables of calls, messages and time, and sums of them."""

from typing import TYPE_CHECKING, Unpack

from topoview.api.scope import ScopeOptions, find_part, find_scope, spelled

if TYPE_CHECKING:
    from topoview.api.scope import Progress, Source
    from topoview.model import Efficiency, SpanName, Table


@spelled(ScopeOptions)
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


@spelled(ScopeOptions)
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
    from topoview.errors import UsageError
    from topoview.report.profile import TABLES

    if by == "time":
        return find_part(trace, progress, "account", **scope).states_over_time(parts)
    if by not in TABLES:
        raise UsageError(f"profiles are by {', '.join(TABLES)}, time: not by {by}")
    part = find_part(trace, progress, "profile", **scope)
    return TABLES[by](part.analysis.trace, part.profile(), part.some_ranks)


@spelled(ScopeOptions)
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
    return find_scope(trace, progress, find, **scope).calls()


@spelled(ScopeOptions)
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
    return find_scope(trace, progress, find, **scope).messages()


@spelled(ScopeOptions)
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
    return find_scope(trace, progress, **scope).iterations(loop)


@spelled(ScopeOptions)
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
    return find_part(trace, progress, "parts", **scope).communicators()


@spelled(ScopeOptions)
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
    from topoview.live.tables.statistics.by_group import statistics_needs

    part = find_part(trace, progress, statistics_needs(by, of), find, **scope)
    return part.statistics(by, of)


@spelled(ScopeOptions)
def table(
    trace: "Source",
    name: str,
    find: str = "",
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Table":
    """List a table of a run by the name that SQL has for it.

    As a method of a trace it has those tables, too, whose names columns hold there:
    ``trace.table("calls", "Waitall > 10 ms")``.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    name
        ``calls``, ``messages``, ``communicators``, ``regions``, ``call_tree``,
        ``parameters``, ``hung``, ``devices``, ``gpu_waits``, ``matches``, ...
    find, scope
        As for `calls`. Without a time, calls, messages and iterations are all of the
        run; other tables are of the exchange.

    Returns
    -------
    topoview.model.Table

    Raises
    ------
    topoview.errors.UsageError
        If there is no such table, or the trace has no such part.

    Examples
    --------
    >>> topoview.table(trace, "calls", "Waitall > 12 ms iteration 19").select(
    ...     "rank", "seconds"
    ... )
    rank  seconds
      18    12 ms
     191    12 ms
    [2 rows x 2 columns]
    """
    from topoview.base.text import did_you_mean
    from topoview.errors import UsageError
    from topoview.live.tables.registry import OF_RUN

    if name not in OF_RUN:
        meant = did_you_mean(name, OF_RUN) or f": there are {', '.join(OF_RUN)}"
        raise UsageError(f"there is no table {name!r}{meant}")
    entry = OF_RUN[name]
    default: SpanName | None = None if entry.needs == "calls" else "exchange"
    return entry.make(find_scope(trace, progress, find, entry.needs, default, **scope))


@spelled(ScopeOptions)
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
    ...     "select function, sum(seconds) as seconds from waits group by 1",
    ... )
    function   seconds
    Waitall     4.28 s
    Allreduce   405 ms
    [2 rows x 2 columns]
    """
    from topoview.live.tables.search.sql import answer, results_named

    return answer(sql, find_part(trace, progress, results_named(sql), **scope))


@spelled()
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
    return find_scope(trace, progress, wanted="phases").phases()


@spelled(ScopeOptions)
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
    part = find_part(trace, progress, "regions", **scope)
    return part.call_tree() if tree else part.regions()


@spelled(ScopeOptions)
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
    from topoview.errors import UsageError
    from topoview.report.waits.tables import WAIT_GROUPS, wait_sums_table

    if by == "call":
        return find_part(trace, progress, "wait calls", **scope).wait_calls()
    if by not in WAIT_GROUPS:
        groups = ", ".join(WAIT_GROUPS)
        raise UsageError(f"waits are listed by call, {groups}: not {by}")
    part = find_part(trace, progress, "wait sums", **scope)
    return wait_sums_table(part.analysis.trace, part.waits(), by)


@spelled(ScopeOptions)
def delays(
    trace: "Source", *, progress: "Progress" = None, **scope: Unpack[ScopeOptions]
) -> "Table":
    """List the delays of single ranks by the waiting that they caused, most first.

    Parameters
    ----------
    trace, progress, scope
        As for `account`: delays of these ranks that last into the span. What they
        caused is of the exchange, whatever the span.

    Returns
    -------
    topoview.model.Table
        ``rank, begin, end, iteration, seconds`` (longer than usual)``, own_seconds,
        call`` (missing for a computation)``, instead`` (the function computed in)``,
        ranks_reached, hops_per_iteration, hops_per_second`` and, as they should be,
        ``predicted_hops_per_second, predicted_error_per_second;
        decay_seconds_per_hop`` and, by noise, ``noise_seconds_per_hop; caused_seconds,
        saved_seconds`` (by how much the exchange would be shorter without it; of the
        costliest)``, ended, met`` (the rank whose wave it met).

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
    return find_part(trace, progress, "delays", **scope).delays()


@spelled(ScopeOptions)
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
    from topoview.report.waits.tables import not_aligned

    part = find_part(trace, progress, "profile", **scope)
    opened = part.analysis.trace
    if not opened.clock.aligned:
        raise not_aligned(opened)
    return efficiency_of(opened, part.profile(), part.ranks or None)
