"""What a program's communication is: topology, logical trace, matrix, network."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from topoview.api.scope import (
    ScopeOptions,
    TrafficOptions,
    compute_results,
    find_part,
    find_scope,
    pattern_files,
    reporter,
    spelled,
)
from topoview.errors import UsageError

if TYPE_CHECKING:
    from topoview.api.scope import Pattern, Progress, Source
    from topoview.live.network import NetworkRequest
    from topoview.model import (
        CommunicationMatrix,
        Identification,
        LinkLoads,
        MachineChoice,
        Mapping,
        Table,
    )
    from topoview.report.waits.tables import LogicalProgram


@spelled()
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
    if threshold is not None and not 0 < threshold <= 1:
        raise UsageError(f"threshold={threshold:g} is no fraction above 0: 0.05 is 5 %")
    options = {"threshold": threshold, "patterns": pattern_files(patterns)}
    result: Identification = compute_results(trace, ["parts"], progress, **options)[
        "parts"
    ]
    return result


@spelled()
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
    from topoview.report.waits.tables import LogicalProgram

    options = {"functions": functions, "patterns": pattern_files(patterns)}
    results = compute_results(trace, ["identification", "logical"], progress, **options)
    return LogicalProgram(
        results.trace, results["identification"].best, results["logical"]
    )


find_logical = logical
"""Its name where ``topoview.logical`` is the room that is called so."""


@spelled(ScopeOptions)
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
    part = find_part(trace, progress, wanted, find, **scope)
    result = part.matrix(collectives=collectives, waits=waits)
    if not level:
        return result
    from topoview.topology.identification.traffic import cut_matrix

    return cut_matrix(result, level)[0]


@spelled(TrafficOptions)
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
    find, window, ranks, communicator, phase, span
        Which messages count, as for `calls`; all without any.
    machine
        A file that describes the machine, or what is assumed: ``{"torus": "4x4x4",
        "per_node": 2}``; ``mesh``, ``fat_tree`` or ``dragonfly`` as well, ``names`` (a
        regular expression that finds coordinates in names of hosts), ``counters`` (one
        of the counters that measured its traffic) and ``file``. Empty: what the trace
        says.
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


@spelled(TrafficOptions)
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
    return mappings_of(request, reporter(progress)).mappings


def _traffic(
    trace: "Source",
    find: str,
    wanted: str,
    progress: "Progress",
    traffic_options: TrafficOptions,
) -> "NetworkRequest":
    from topoview.live.network import NetworkRequest

    scope: dict[str, Any] = dict(traffic_options)
    machine = machine_choice(scope.pop("machine", None) or "")
    how = scope.pop("level", None) or 0, bool(scope.pop("collectives", None))
    part = find_scope(trace, progress, find, wanted=wanted, **scope)
    return NetworkRequest(part, machine, *how)


def machine_choice(machine: "str | Path | dict[str, Any]") -> "MachineChoice":
    """Return a machine that is described, read from a file, or made of fields."""
    from topoview.model.network import ASSUMED_NETWORKS, MachineChoice

    if not isinstance(machine, dict):
        return MachineChoice(file=str(machine))
    options = dict(machine)
    named = {kind.replace(" ", "_"): kind for kind in ASSUMED_NETWORKS}
    dims = {named[key]: str(options.pop(key)) for key in machine if key in named}
    return MachineChoice.assuming(dims, **options)


@spelled()
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
        raise UsageError(f"runs are compared by {', '.join(BY)}: not {by}")
    results = [compute_results(one, list(RUN_RESULTS), progress) for one in (a, b)]
    aligned = align_listings(results[0]["logical"], results[1]["logical"])
    names = results[0].trace.name, results[1].trace.name
    return comparison_table(compare_results(results[0], results[1], aligned, names), by)


@spelled()
def scaling(
    traces: "Iterable[Source]",
    kind: str = "",
    *,
    by: str = "run",
    progress: "Progress" = None,
) -> "Table":
    """Show how runs on several numbers of ranks scale: one row per run.

    Parameters
    ----------
    traces
        Traces, or their paths.
    kind
        ``strong`` or ``weak``; empty: what changes less, the computation of all ranks
        together or of each.
    by
        ``run``, or ``line``: what is not the same in the listings of the runs, one row
        per number that varies, or line that some lack: ``line, runs, values, rule``.
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
    from topoview.report.logical.comparison import compare_sizes
    from topoview.report.run_comparison import RUN_RESULTS, run_of_results
    from topoview.report.scaling import scaling_table

    if by not in ("run", "line"):
        raise UsageError(f"runs are listed by run or line: not {by}")
    results = [compute_results(one, list(RUN_RESULTS), progress) for one in traces]
    if by == "line":
        topologies = [one["identification"].best.topology for one in results]
        return compare_sizes([one["logical"] for one in results], topologies)[1]
    runs = [run_of_results(one) for one in results]
    return scaling_table(scale(runs, [one.trace.name for one in results], kind)[1])
