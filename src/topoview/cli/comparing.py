"""The subcommands that hold runs against each other: compare, scaling."""

import argparse
from typing import TYPE_CHECKING, Any

from topoview.cli.logical import find_logical
from topoview.cli.options import WrittenPath, add_pattern, count, trace_path
from topoview.cli.printing import put, results
from topoview.cli.tables import add_output, put_table, wants_table
from topoview.errors import UsageError, save_text

if TYPE_CHECKING:
    from topoview.pipeline import Results


def compare(args: argparse.Namespace) -> None:
    """Compare two runs: their logical traces, and their times."""
    from topoview.report.logical.comparison import compare as hold
    from topoview.report.logical.comparison import comparison_record, comparison_text
    from topoview.report.run_comparison import (
        compare_results,
        comparison_page,
        comparison_table,
        run_comparison_record,
    )
    from topoview.report.write import page_text
    from topoview.store.results import place_of

    windows = _windows(args.window)
    one = find_logical(args, None, *_FURTHER)
    beside = place_of(one.trace)
    other = find_logical(args, args.other, "alignment", *_FURTHER, other=beside)
    result = hold(one["logical"], other["logical"], other["alignment"])
    names = (str(args.trace), str(args.other))
    comparison = compare_results(one, other, other["alignment"], names, windows)
    if args.html is not None:
        from topoview.report.logical.as_html import side_by_side

        save_text(args.html, side_by_side(result, names, args.around, comparison))
    if wants_table(args):
        put_table(args, comparison_table(comparison, args.by), one.trace)
        return

    def record() -> dict[str, Any]:
        fields = comparison_record(result, names)
        return {**fields, "runs": run_comparison_record(comparison)}

    def text() -> str:
        lines = comparison_text(result, names, args.around)
        return f"{lines}\n\n{page_text(comparison_page(comparison, args.by))}"

    put(args, record, text, one.trace, other.trace)


_FURTHER = ("positions", "waits")


def _windows(windows: list[tuple[float, float]]) -> list[tuple[float, float] | None]:
    """Return the windows that are asked for: one for both, or one of each."""
    if len(windows) > 2:
        raise UsageError("there are two runs: give --window once, or twice")
    return [*windows, *windows, None, None][:2] if windows else [None, None]


def window_seconds(text: str) -> tuple[float, float]:
    """Turn ``1.5:2`` into seconds."""
    begin, colon, end = text.partition(":")
    try:
        result = float(begin), float(end)
    except ValueError:
        colon = ""
        result = 0.0, 0.0
    if not (colon and 0 <= result[0] < result[1] < float("inf")):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no window: write seconds such as 1.5:2"
        )
    return result


def compare_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `compare`."""
    from topoview.report.run_comparison import BY

    add = parser.add_argument
    add(
        "other",
        type=trace_path,
        metavar="OTHER",
        help="the other trace; may be the same",
    )
    add_pattern(parser)
    add(
        "--around",
        type=count,
        default=3,
        metavar="LINES",
        help="lines to show before and after a difference (3)",
    )
    add(
        "--by",
        choices=BY,
        default="statement",
        help="what times are compared by (statement)",
    )
    add(
        "--window",
        type=window_seconds,
        action="append",
        default=[],
        metavar="B:E",
        help="compare the times of this window, in seconds; give it twice for a window "
        "of each trace",
    )
    add(
        "--html",
        type=WrittenPath,
        metavar="F.html",
        help="write both side by side as a page",
    )
    add_output(parser)


def scaling(args: argparse.Namespace) -> None:
    """Show how runs on several numbers of ranks scale."""
    from topoview.analysis.comparing.scaling import scaling as scale
    from topoview.report.logical.comparison import compare_sizes
    from topoview.report.run_comparison import RUN_RESULTS, run_of_results
    from topoview.report.scaling import (
        scaling_lines,
        scaling_page,
        scaling_record,
        scaling_table,
    )
    from topoview.report.write import page_text

    computed: list[Results] = [
        results(args, RUN_RESULTS, path=path) for path in (args.trace, *args.others)
    ]
    runs = [run_of_results(one) for one in computed]
    kind, points = scale(runs, [one.trace.name for one in computed], args.kind)
    listings = compare_sizes(
        [run.logical for run in runs], [run.match.topology for run in runs]
    )
    if args.svg is not None:
        from topoview.scene.flat.charts import scaling_chart

        save_text(args.svg, scaling_chart(scaling_lines(points)))
    if wants_table(args):
        put_table(args, scaling_table(points), computed[0].trace)
        return
    put(
        args,
        lambda: scaling_record(kind, points, listings),
        lambda: page_text(scaling_page(kind, points, listings)),
        *(one.trace for one in computed),
    )


def scaling_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `scaling`."""
    add = parser.add_argument
    add("others", type=trace_path, nargs="+", metavar="OTHER", help="further traces")
    help_text = "what stays the same: the problem (strong), or that of each rank (weak)"
    add("--kind", choices=["strong", "weak"], default="", help=help_text)
    add(
        "--svg",
        type=WrittenPath,
        metavar="F.svg",
        help="draw efficiency by number of ranks",
    )
    add_output(parser)
