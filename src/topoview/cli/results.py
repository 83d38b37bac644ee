"""Subcommands that print what is known of a trace: info, identify, profile, cache."""

import argparse
from typing import Any

from topoview.base.text import size_text
from topoview.cli import tables
from topoview.cli.options import (
    add_flags,
    add_pattern,
    count_of,
    fraction,
    size_in_bytes,
)
from topoview.cli.printing import put, read, results
from topoview.errors import TopoviewError


def info(args: argparse.Namespace) -> None:
    """Print what a trace holds."""
    from topoview.report.info import info_page, info_record
    from topoview.report.write import page_text

    trace = read(args)
    put(args, lambda: info_record(trace), lambda: page_text(info_page(trace)))


def profile(args: argparse.Namespace) -> None:
    """Print where the time goes: by class of time, and by MPI function."""
    from topoview.report.profile import TABLES, profile_page, profile_record
    from topoview.report.write import page_text

    if args.by == "time":
        scope = tables.scope_asked(args, "account", "exchange")
        tables.put_scope(args, scope.states_over_time(args.parts), scope)
        return

    scope = tables.scope_asked(args, "profile", "exchange")
    trace, spent, ranks = scope.analysis.trace, scope.profile(), scope.some_ranks
    if args.by or tables.wants_table(args):
        tables.put_scope(
            args, TABLES[args.by or "function"](trace, spent, ranks), scope
        )
        return
    put(
        args,
        lambda: profile_record(trace, spent, ranks),
        lambda: page_text(profile_page(trace, spent, ranks)),
        trace,
    )


def profile_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `profile`."""
    from topoview.report.profile import TABLES

    add = parser.add_argument
    words = "print a table by this; time: of each state, by parts of the time"
    add("--by", choices=(*TABLES, "time"), help=words)
    parts = "parts of the time of --by time (50)"
    add("--parts", type=count_of(1, 100_000), default=50, metavar="N", help=parts)
    tables.add_counted(parser, "exchange")


def cache(args: argparse.Namespace) -> None:
    """Show what is kept of traces that were read, or remove it."""
    from topoview.base.text import plural
    from topoview.store.integrity import OF_SHARED
    from topoview.store.traces import cache_record, cache_text, shared_store, user_store

    store = user_store()
    if store is None:
        raise TopoviewError(
            "there is no cache: TOPOVIEW_CACHE=off is set in the environment"
        )
    if args.clear:
        count, size = store.clear()
        of_shared = user_store(OF_SHARED)
        if of_shared is not None:
            size += of_shared.clear()[1]
        put(
            args,
            lambda: {"removed": count, "bytes": size},
            lambda: f"removed {plural(count, 'trace')}, {size_text(size)}",
        )
        return
    if args.limit is not None:
        store.set_limit(args.limit)
    shared = shared_store()
    stores = [store] if shared is None else [store, shared]
    put(
        args,
        lambda: (
            cache_record(store)
            | {"shared": None if shared is None else cache_record(shared)}
        ),
        lambda: "\n".join(map(cache_text, stores)),
    )


def cache_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `cache`."""
    add = parser.add_argument
    add("--clear", action="store_true", help="remove everything")
    add(
        "--limit",
        type=size_in_bytes,
        metavar="SIZE",
        help="keep at most this, such as 20G",
    )


def identify(args: argparse.Namespace) -> None:
    """Print the communication topology."""
    from topoview.pipeline import Options
    from topoview.report.identification.answer import (
        identification_page,
        identification_record,
        matches_table,
    )
    from topoview.report.identification.steps import steps_page, steps_record
    from topoview.report.write import page_text

    options = Options(args.threshold, tuple(args.pattern), spectrum=args.spectrum)
    explained = args.why or args.spectrum
    wanted = ["parts", "why"] if explained else ["parts"]
    computed = results(args, wanted, options)
    identification = computed["parts"]
    if tables.wants_table(args):
        tables.put_table(args, matches_table(identification.matches), computed.trace)
        return

    def record() -> dict[str, Any]:
        fields = identification_record(identification, args.edges)
        return {**fields, "why": steps_record(computed["why"])} if explained else fields

    def text() -> str:
        body = page_text(identification_page(identification, args.edges))
        if not explained:
            return body
        steps = steps_page(computed["why"], identification, beside=True)
        return f"{body}\n\n{page_text(steps)}"

    put(args, record, text, computed.trace)


def identify_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `identify`."""
    add = parser.add_argument
    add("--edges", action="store_true", help="list the topology's edges too")
    few = "leave out pairs with less than this fraction of the largest pair's bytes"
    add("--threshold", type=fraction, metavar="F", help=few)
    add_pattern(parser)
    flags = {
        "--why": "list the candidates and why each was accepted or excluded",
        "--spectrum": "like --why, and compare spectra, too",
    }
    add_flags(add, flags)
    tables.add_output(parser)
