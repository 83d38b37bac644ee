"""Subcommands about waiting: waits, idle-waves, efficiency."""

import argparse
from typing import TYPE_CHECKING, Any

from topoview.cli.printing import put, results
from topoview.cli.tables import (
    add_output,
    add_ranks,
    add_window,
    put_table,
    refuse_output,
    scope_asked,
)
from topoview.errors import UsageError
from topoview.report.tables import not_aligned

if TYPE_CHECKING:
    from topoview.pipeline import Results


def waits(args: argparse.Namespace) -> None:
    """Tell who waited, how long, and who was the cause."""
    from topoview.report.advice import advice_record, advice_text
    from topoview.report.tables import wait_sums_table
    from topoview.report.waits import waits_record, waits_text

    if args.by:
        computed = results(args, ["wait_sums"])
        sums = _aligned(computed, "wait_sums")
        put_table(args, wait_sums_table(computed.trace, sums, args.by), computed.trace)
        return
    refuse_output(args)
    wanted = [
        "wait_sums",
        "delays",
        "critical_path",
        "efficiencies",
        "profile",
        "parts",
    ]
    computed = results(args, wanted)
    sums, path = _aligned(computed, "wait_sums"), computed["critical_path"]
    inputs = computed.trace, sums, computed["delays"], computed["logical"], path
    analysis = computed.analysis()
    put(
        args,
        lambda: waits_record(*inputs) | {"advice": advice_record(analysis)},
        lambda: waits_text(*inputs) + advice_text(analysis),
        computed.trace,
    )


def waits_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `waits`."""
    from topoview.model import WAIT_SUMS

    help_text = "print a table of sums by this"
    parser.add_argument("--by", choices=WAIT_SUMS, help=help_text)
    add_output(parser)


def idle_waves(args: argparse.Namespace) -> None:
    """Tell the delays of single ranks, costliest first, and how they travelled."""
    from topoview.report.delays import delays_table
    from topoview.report.waits import delays_record, delays_text

    computed = results(args, ["waits", "delays", "logical"])
    _aligned(computed, "waits")
    if args.sort or args.limit is not None or args.csv or args.parquet:
        put_table(
            args, delays_table(computed.trace, computed["delays"]), computed.trace
        )
        return
    delays = computed.trace, computed["delays"]
    put(
        args,
        lambda: delays_record(*delays, computed["logical"]),
        lambda: delays_text(*delays),
        computed.trace,
    )


def idle_waves_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `idle-waves`."""
    add_output(parser)


def efficiency(args: argparse.Namespace) -> None:
    """Tell the efficiencies of POP, of a part of the run."""
    from topoview.analysis.logical.counters import useful_work
    from topoview.analysis.waits.efficiency import efficiency_of
    from topoview.model import DIGEST_SUFFIX
    from topoview.report.tables import efficiency_table
    from topoview.report.waits import (
        efficiency_record,
        efficiency_text,
        work_record,
        work_text,
    )

    if not args.by:
        refuse_output(args)
    kept = args.by or args.trace.suffix == DIGEST_SUFFIX  # not found from waits
    scope = scope_asked(args, "efficiencies" if kept else "waits")
    if args.by:
        if scope.analysis.efficiencies is None:
            raise not_aligned(scope.analysis.trace)
        if scope.window or scope.ranks:
            raise UsageError(
                "--by is for the whole run: leave out --ranks, --from, --to, --phase"
            )
        table = efficiency_table(
            scope.analysis.trace, scope.analysis.efficiencies, args.by
        )
        put_table(args, table, scope.analysis.trace)
        return
    trace, waits = scope.analysis.trace, scope.analysis.waits
    if trace.digest and scope.analysis.efficiencies is not None:
        factors = scope.analysis.efficiencies.run[0]
    elif waits is None:
        raise not_aligned(trace)
    else:
        factors = efficiency_of(trace, waits, scope.window, scope.ranks or None)
    work = None
    if not trace.digest:
        work = useful_work(trace, scope.window, scope.ranks or None)
    put(
        args,
        lambda: efficiency_record(factors) | work_record(trace, work),
        lambda: efficiency_text(factors) + work_text(trace, work),
        trace,
    )


def efficiency_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `efficiency`."""
    from topoview.report.tables import EFFICIENCY_PARTS

    parser.add_argument("--by", choices=EFFICIENCY_PARTS, help="print a row for each")
    add_ranks(parser)
    add_window(parser)
    add_output(parser)


def _aligned(results: "Results", name: str) -> Any:  # noqa: ANN401 - of results
    """Give a result that there is only if the clocks are aligned.

    Raises `TopoviewError` if they are not.
    """
    if results[name] is None:
        raise not_aligned(results.trace)
    return results[name]
