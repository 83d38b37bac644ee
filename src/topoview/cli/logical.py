"""The subcommands about logical traces: logical, skeleton."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topoview.base.text import did_you_mean
from topoview.cli.options import (
    WrittenPath,
    add_flags,
    add_pattern,
    add_written,
    not_negative,
    per_cent,
    rank_number,
)
from topoview.cli.printing import put, results
from topoview.errors import UsageError, save_text

if TYPE_CHECKING:
    from topoview.model import LogicalTrace, MeasuredLines, Trace
    from topoview.pipeline import Results
    from topoview.report.waits.pages import LineWaits


def find_logical(
    args: argparse.Namespace,
    path: Path | None = None,
    *further: str,
    functions: bool = False,
    other: tuple[str, ...] = (),
) -> "Results":
    """Find the logical trace, and what else is wanted."""
    from topoview.pipeline import Options

    patterns = tuple(args.pattern)
    options = Options(patterns=patterns, functions=functions, other=other)
    return results(args, ["logical", *further], options, path)


def logical(args: argparse.Namespace) -> None:
    """Print the logical trace."""
    from topoview.logical.listing import about, listing, logical_record, spelled_out

    wanted = ["measured"] if _wants_times(args) else []
    wanted += ["wait_sums", "delays"] if args.waits else []
    computed = find_logical(args, None, *wanted, functions=args.functions)
    program = computed["logical"]
    expansions = _expansions(args, computed.trace, program)
    measured = computed["measured"] if wanted else None
    waits = _waits(computed) if args.waits else None
    for kind, path in FILE_WRITERS:
        if getattr(args, kind) is not None and measured is not None:
            save_text(getattr(args, kind), path(measured))

    def text() -> str:
        if measured is None or not (args.times or args.waits or _filtered(args)):
            lines = [listing(spelled_out(program) if args.spell else program)]
        else:
            said = [*about(program), measured.metrics.absent]
            lines = [
                *(f"# {one}" for one in said if one),
                _timed(args, measured, waits),
            ]
        for rank, calls in expansions.items():
            lines.append(f"rank {rank}:")
            lines += ["  " + " ".join(map(str, call)) for call in calls]
        return "\n".join(lines)

    def record() -> dict[str, Any]:
        from topoview.report.logical.as_json import program_record

        fields = logical_record(program, expansions)
        if measured is not None:
            fields["program"] = program_record(measured, waits)
        return fields

    put(args, record, text, computed.trace)


def _waits(results: "Results") -> "LineWaits":
    """Sum up by line what was waited and caused.

    Raises
    ------
    TopoviewError
        If the clocks of the ranks are not aligned.
    """
    from topoview.report.waits.pages import line_waits
    from topoview.report.waits.tables import not_aligned

    if results["wait_sums"] is None:
        raise not_aligned(results.trace)
    inputs = results["wait_sums"], results["delays"], results["logical"]
    return line_waits(results["measured"].lines, *inputs)


def _expansions(
    args: argparse.Namespace, trace: "Trace", program: "LogicalTrace"
) -> dict[int, Any]:
    """Expand what is asked for: only that needs compiled code."""
    for rank in args.expand:
        if not 0 <= rank < trace.ranks:
            raise UsageError(
                f"{trace.name} has no rank {rank}: its ranks are 0 to {trace.ranks - 1}"
            )
    if not args.expand:
        return {}
    from topoview.logical import expand

    return {rank: expand(program, rank) for rank in args.expand}


def skeleton(args: argparse.Namespace) -> None:
    """Write a program that makes a trace's calls again."""
    from topoview.base.text import plural
    from topoview.skeleton import language_of, write_skeleton

    language_of(args.output)  # before the trace is read
    computed = find_logical(args)
    trace, match = computed.trace, computed["identification"].shown_first
    program = write_skeleton(trace, computed["logical"], match, args.output)
    ranks = plural(program.ranks, "rank")
    put(
        args,
        lambda: {
            "path": str(args.output),
            "ranks": program.ranks,
            "other_ranks": not program.bound,
            "bound": list(program.bound),
            "assumptions": list(program.assumptions),
            "remarks": list(program.remarks),
        },
        lambda: "\n".join(
            [
                str(args.output),
                *(f"not as in the trace: {remark}" for remark in program.remarks),
                *(f"bound to {ranks}: {why}" for why in program.bound),
                *(f"taken for a rule: {what}" for what in program.assumptions),
            ]
        ),
        trace,
    )


def _page(measured: "MeasuredLines") -> str:
    from topoview.report.logical.as_html import page

    return page(measured)


def _svg(measured: "MeasuredLines") -> str:
    from topoview.report.logical.graph import svg

    return svg(measured)


def _graphviz(measured: "MeasuredLines") -> str:
    from topoview.report.logical.graph import graphviz

    return graphviz(measured)


FILE_WRITERS = (("html", _page), ("svg", _svg), ("dot", _graphviz))
"""Options that write a file, and what writes it."""


def _wants_times(args: argparse.Namespace) -> bool:
    return bool(
        args.times
        or args.waits
        or _filtered(args)
        or any(getattr(args, kind) is not None for kind, _ in FILE_WRITERS)
    )


def _filtered(args: argparse.Namespace) -> bool:
    return bool(args.find or args.loops_above or args.burst)


def _timed(
    args: argparse.Namespace, measured: "MeasuredLines", waits: "LineWaits | None"
) -> str:
    from dataclasses import replace

    from topoview.live.picking.line_filter import parse_line_filter, shown_lines
    from topoview.report.logical.lines import timed_listing

    wanted = parse_line_filter(" ".join(args.find))
    wanted = replace(wanted, loops=args.loops_above / 100)
    shown = None
    if wanted:
        parts = (
            measured.lines,
            wanted,
            measured.trace,
            measured.logical,
            measured.shares,
        )
        shown = shown_lines(*parts)
        if args.find and not (shown.any() or args.loops_above):
            partners = measured.logical.partners.names
            word, names = args.find[-1], (*measured.trace.regions.operations, *partners)
            meant = did_you_mean(word, names)
            raise UsageError(f"no line of the logical trace passes {word!r}{meant}")
    return timed_listing(
        measured, shown, waits, burst=args.burst / 1000, spell=args.spell
    )


def logical_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``topoview logical``."""
    add = parser.add_argument
    add(
        "--expand",
        type=rank_number,
        action="append",
        default=[],
        metavar="RANK",
        help="list the calls that the logical trace gives for this rank (repeatable)",
    )
    flags = {
        "--functions": "distinguish equal calls of different call paths, even if that "
        "makes the listing longer",
        "--spell": "spell out calls that share a line: one line for each partner",
        "--times": "add what each line took; in JSON the key 'program' holds all lines",
        "--waits": "beside the times, how long each line waited for late partners, and "
        "made others wait",
    }
    add_flags(add, flags)
    add(
        "--find",
        action="append",
        default=[],
        metavar="WHAT",
        help="only these lines, as in the window: words, '> 5 %%', 'rank 0-3'",
    )
    add(
        "--loops-above",
        type=per_cent,
        default=0.0,
        metavar="PERCENT",
        help="leave out loops that take less of the run's time",
    )
    add(
        "--burst",
        type=not_negative,
        default=0.0,
        metavar="MS",
        help="give computation that takes MS milliseconds or more on average a line of "
        "its own",
    )
    add_pattern(parser)
    add(
        "--html",
        type=WrittenPath,
        metavar="F.html",
        help="write a page with all figures",
    )
    add("--svg", type=WrittenPath, metavar="F.svg", help="draw the structure")
    add(
        "--dot",
        type=WrittenPath,
        metavar="F.dot",
        help="write the structure for Graphviz",
    )


def skeleton_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``topoview skeleton``."""
    add_pattern(parser)
    add_written(parser, "F.c", "C for F.c, Python with mpi4py for F.py")
