"""The subcommands about what a trace holds: info, profile, cache."""

import argparse

from topoview.commands.options import size_in_bytes
from topoview.commands.printing import progress, put, read
from topoview.errors import TopoviewError
from topoview.memory import size_words


def info(args: argparse.Namespace) -> None:
    """Tell what a trace holds."""
    from topoview.analysis.info import info_record, info_text

    trace = read(args)
    put(args, lambda: info_record(trace), lambda: info_text(trace))


def profile(args: argparse.Namespace) -> None:
    """Tell time and calls by MPI function and by state."""
    from topoview.analysis.profile import profile as measure
    from topoview.analysis.profile import profile_record, profile_table

    trace = read(args)
    found = measure(trace, progress())
    put(
        args,
        lambda: profile_record(trace, found),
        lambda: profile_table(trace, found),
    )


def cache(args: argparse.Namespace) -> None:
    """Show what is kept of traces that were read, or remove it."""
    from topoview.io.store.store import user_store
    from topoview.io.store.text import cache_record, cache_text
    from topoview.logical.words import plural

    store = user_store()
    if store is None:
        raise TopoviewError(
            "there is no cache: the environment says TOPOVIEW_CACHE=off"
        )
    if args.clear:
        count, size = store.clear()
        put(
            args,
            lambda: {"removed": count, "bytes": size},
            lambda: f"removed {plural(count, 'trace')}, {size_words(size)}",
        )
        return
    if args.limit is not None:
        store.set_limit(args.limit)
    put(args, lambda: cache_record(store), lambda: cache_text(store))


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
