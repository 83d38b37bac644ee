"""Subcommands about waiting: waits, idle-waves, efficiency."""

import argparse
from typing import TYPE_CHECKING, Any, Final

from topoview.cli import tables
from topoview.cli.printing import put, results
from topoview.errors import TopoviewError
from topoview.report.waits.tables import not_aligned

if TYPE_CHECKING:
    from topoview.pipeline import Results
    from topoview.report.blocks import Block


def waits(args: argparse.Namespace) -> None:
    """Print who waited, how long, and who was the cause."""
    from topoview.report.advice import advice_blocks, advice_record
    from topoview.report.blocks import Paragraph
    from topoview.report.profile import (
        other_waits_blocks,
        other_waits_record,
        span_line,
    )
    from topoview.report.waits.hung import hung_blocks, hung_record
    from topoview.report.waits.pages import waits_blocks, waits_record
    from topoview.report.waits.tables import wait_sums_table

    if args.by or tables.wants_table(args):
        scope = tables.scope_asked(args, "wait sums", "exchange")
        table = wait_sums_table(scope.analysis.trace, scope.waits(), args.by or "kind")
        tables.put_scope(args, table, scope)
        return
    scope = tables.scope_asked(args, "waits and causes", "exchange")
    analysis, whole = scope.analysis, scope.of_exchange
    if whole and analysis.notes:
        raise TopoviewError(analysis.notes[0])  # what there was no memory for
    sums, profile = scope.waits(), scope.profile()
    trace, logical, hung = analysis.trace, analysis.logical, analysis.hung
    assert logical is not None
    assert hung is not None
    causes = (analysis.delays, analysis.critical_path) if whole else (None, None)
    inputs = trace, sums, causes[0], logical, causes[1]
    besides = trace, profile, scope.some_ranks
    put(
        args,
        lambda: (
            waits_record(*inputs)
            | other_waits_record(*besides)
            | {"hung": hung_record(trace, hung)}
            | ({"advice": advice_record(analysis)} if whole else {})
        ),
        lambda: _text(
            Paragraph(span_line(trace, profile.span)),
            *hung_blocks(trace, hung),
            *waits_blocks(*inputs, whose=_WHOSE[bool(scope.ranks)]),
            *other_waits_blocks(*besides),
            *(advice_blocks(analysis) if whole else ()),
        ),
        trace,
    )


_WHOSE: Final = ("All ranks together", "These ranks together")


def _text(*blocks: "Block") -> str:
    from topoview.report.blocks import Page
    from topoview.report.write import page_text

    return page_text(Page(blocks=blocks))


def waits_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `waits`."""
    from topoview.model import WAIT_SUMS

    help_text = "print a table of sums by this"
    parser.add_argument("--by", choices=WAIT_SUMS, help=help_text)
    tables.add_counted(parser, "exchange")


def idle_waves(args: argparse.Namespace) -> None:
    """Print the delays of single ranks, costliest first, and how they travelled."""
    from topoview.report.waits.delays import delay_groups_table
    from topoview.report.waits.pages import delays_page, delays_record
    from topoview.report.write import page_text

    if args.by:
        tables.refuse_part(args, "the exchange")
    elif tables.names_part(args) or tables.wants_table(args):
        scope = tables.scope_asked(args, "delays", "exchange")
        tables.put_scope(args, scope.delays(), scope)
        return
    computed = results(args, ["waits", "delays", "logical", "profile"])
    _aligned(computed, "waits")
    span = computed["profile"].span  # that of the delays
    if args.by:
        table = delay_groups_table(computed.trace, computed["delays"])
        tables.put_table(args, table, computed.trace, span)
        return
    delays = computed.trace, computed["delays"]
    put(
        args,
        lambda: delays_record(*delays, computed["logical"], span),
        lambda: page_text(delays_page(computed.analysis())),
        computed.trace,
    )


def idle_waves_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `idle-waves`."""
    help_text = "sum up the delays of a rank in an iteration"
    parser.add_argument("--by", choices=("cause",), help=help_text)
    tables.add_counted(parser, "exchange")


def efficiency(args: argparse.Namespace) -> None:
    """Print the efficiencies of POP, of a span of the run."""
    from topoview.analysis.devices import activity_between, device_efficiency
    from topoview.analysis.logical.counters import useful_work
    from topoview.analysis.waits.efficiency import efficiency_of
    from topoview.report.waits.devices import TABLES, devices_blocks, devices_record
    from topoview.report.waits.pages import (
        efficiency_blocks,
        efficiency_record,
        work_blocks,
        work_record,
    )
    from topoview.report.waits.tables import efficiency_of_span, efficiency_table

    if args.by and args.by not in TABLES:
        tables.refuse_part(args, "the whole run")
        computed = results(args, ["efficiencies"])
        factors = _aligned(computed, "efficiencies")
        table = efficiency_table(computed.trace, factors, args.by)
        tables.put_table(args, table, computed.trace)
        return
    scope = tables.scope_asked(args, "efficiency", "exchange")
    trace, activity, span = scope.analysis.trace, scope.analysis.devices, scope.span
    if scope.name != "exchange":  # that is what the result is of
        activity = None if trace.digest else activity_between(trace, span.window)
    if args.by:
        if activity is None:
            raise TopoviewError(f"{trace.name} records no devices")
        tables.put_scope(args, TABLES[args.by](trace, activity), scope)
        return
    if not trace.clock.aligned:
        raise not_aligned(trace)
    profile, ranks = scope.profile(), scope.ranks or None
    factors = efficiency_of(trace, profile, ranks)
    if tables.wants_table(args):
        tables.put_scope(args, efficiency_of_span(trace, factors, span), scope)
        return
    devices = device_efficiency(activity, ranks) if activity is not None else None
    work = None if trace.digest else useful_work(trace, span.window, ranks)
    put(
        args,
        lambda: (
            efficiency_record(trace, factors, span)
            | devices_record(trace, activity, devices)
            | work_record(trace, work)
        ),
        lambda: _text(
            *efficiency_blocks(trace, factors, span),
            *devices_blocks(trace, activity, devices),
            *work_blocks(trace, work),
        ),
        trace,
    )


def efficiency_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `efficiency`."""
    from topoview.report.waits.devices import TABLES
    from topoview.report.waits.tables import EFFICIENCY_PARTS

    choices = (*EFFICIENCY_PARTS, *TABLES)
    parser.add_argument("--by", choices=choices, help="print a row for each")
    tables.add_counted(parser, "exchange")


def _aligned(results: "Results", name: str) -> Any:  # noqa: ANN401 - of results
    """Return a result that exists only if the clocks are aligned.

    Raises `TopoviewError` if they are not.
    """
    if results[name] is None:
        raise not_aligned(results.trace)
    return results[name]
