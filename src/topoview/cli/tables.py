"""Subcommands that print tables: matrix, messages, calls, iterations and the like.

They take a window of the run: unlike reading a subset, it changes nothing about what is
known of the trace.
"""

import argparse
from typing import TYPE_CHECKING

from topoview.base.text import did_you_mean
from topoview.cli.options import (
    WrittenPath,
    add_flags,
    count,
    csv_path,
    fraction,
    seconds,
)
from topoview.cli.printing import analysis, put, results
from topoview.errors import UsageError

if TYPE_CHECKING:
    from topoview.live.tables.scope import Scope
    from topoview.model import Span, SpanName, Table, Trace

MAX_ROWS_PRINTED = 40
"""Rows of a table as text; files and JSON hold all unless --limit says otherwise."""


def calls(args: argparse.Namespace) -> None:
    """List MPI calls."""
    scope = scope_asked(args)
    put_scope(args, scope.calls(), scope)


def messages(args: argparse.Namespace) -> None:
    """List messages."""
    scope = scope_asked(args)
    put_scope(args, scope.messages(), scope)


def communicators(args: argparse.Namespace) -> None:
    """List communicators."""
    scope = scope_asked(args, "parts", "exchange")
    put_scope(args, scope.communicators(), scope)


def phases(args: argparse.Namespace) -> None:
    """List phases."""
    from topoview.live.tables.scope import NEEDED, Scope

    computed = results(args, NEEDED["phases"])
    put_table(args, Scope(computed.analysis()).phases(), computed.trace)


def regions(args: argparse.Namespace) -> None:
    """List regions of the program, or its parameters."""
    scope = scope_asked(args, "regions", "exchange")
    if args.parameters:
        put_table(args, scope.parameters(), scope.analysis.trace)
        return
    table = scope.call_tree() if args.tree else scope.regions()
    put_scope(args, table, scope)


def iterations(args: argparse.Namespace) -> None:
    """List the iterations of a loop on every rank."""
    scope = scope_asked(args)
    put_scope(args, scope.iterations(args.loop), scope)


def statistics(args: argparse.Namespace) -> None:
    """Sum up messages, calls, collective operations or ranks by groups."""
    from topoview.live.tables.statistics.by_group import statistics_needs

    scope = scope_asked(args, statistics_needs(args.by, args.amount), "exchange")
    put_scope(args, scope.statistics(args.by, args.amount), scope)


def query(args: argparse.Namespace) -> None:
    """Answer a question in SQL, or list the tables that can be asked."""
    from topoview.live.tables.search.sql import answer, results_named

    scope = scope_asked(args, results_named(args.sql), "exchange")
    put_scope(args, answer(args.sql, scope), scope)


def query_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `query`."""
    parser.add_argument(
        "sql", metavar="SQL", help="a SELECT from tables called as the commands"
    )
    add_counted(parser, "exchange")


def matrix(args: argparse.Namespace) -> None:
    """Print who sends how much to whom."""
    from topoview.report.formats.matrix import (
        cut_words,
        matrix_record,
        matrix_table,
        square_text,
        write_graph,
        write_sparse,
    )
    from topoview.report.profile import span_line, span_record
    from topoview.topology.identification.traffic import cut_matrix

    waits = args.waits or args.full == "wait"
    wanted = "mappings" if args.binary else "matrix"
    scope = scope_asked(args, "calls" if waits else wanted, "exchange")
    whole = scope.matrix(collectives=args.collectives, waits=waits)
    best = scope.analysis.identification
    level = best.best.level if args.binary and best is not None else 0
    level = level if args.level is None else args.level
    reduced, cut = cut_matrix(whole, level, args.threshold)
    if args.graphml:
        write_graph(reduced, args.graphml)
    if args.npz:
        write_sparse(reduced, args.npz)
    table = ordered(args, matrix_table(reduced))
    trace, span = scope.analysis.trace, scope.span
    if args.json:
        record = {"span": span_record(trace, span), **matrix_record(whole, table, cut)}
        put(args, lambda: record, str, trace)
    square = "binary" if args.binary else args.full
    if square and not args.json:
        notes = [cut_words(whole, cut), *reduced.modelled, square_text(reduced, square)]
        put(args, dict, lambda: "\n".join(filter(None, notes)))
    quiet = args.graphml or args.npz or args.json or square
    write_table(args, table, quiet=bool(quiet), head=span_line(trace, span))


def calls_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `calls`."""
    _add_scope(parser, "Waitall > 10 ms")


def messages_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `messages`."""
    _add_scope(parser, "to EAST > 1 MiB")


def communicators_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `communicators`."""
    add_window(parser, "exchange")
    add_output(parser)


def phases_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `phases`."""
    add_output(parser)


def regions_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `regions`."""
    flags = {
        "--parameters": "list the values of the program's parameters instead",
        "--tree": "list functions below their callers, with inclusive and exclusive "
        "time",
    }
    add_flags(parser.add_argument, flags)
    add_counted(parser, "exchange")


def statistics_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `statistics`."""
    from topoview.live.tables.statistics.by_group import AMOUNTS, GROUPS

    by, of = (*GROUPS, "coordinate"), tuple(AMOUNTS)
    add = parser.add_argument
    help_text = (
        "what a row is: messages by size, direction, communicator or tag; calls by"
    )
    help_text = (
        f"{help_text} function or rank; collective operations; or times of ranks"
    )
    add("--by", choices=by, default=by[0], help=f"{help_text} (function)")
    help_text = f"which time of ranks ({of[0]})"
    add("--of", dest="amount", choices=of, default=of[0], help=help_text)
    _add_scope(parser, "Waitall > 10 ms", "exchange")


def iterations_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `iterations`."""
    parser.add_argument(
        "--loop",
        type=count,
        metavar="N",
        help="the N-th loop of the logical trace in order of lines (default: the "
        "outermost one that takes longest)",
    )
    add_counted(parser)


def matrix_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `matrix`."""
    _add_scope(parser, "> 1 KiB tag 7", "exchange")
    add = parser.add_argument
    add(
        "--graphml",
        type=WrittenPath,
        metavar="FILE",
        help="write a graph whose nodes are the ranks",
    )
    add("--npz", type=WrittenPath, metavar="FILE", help="write sparse arrays for SciPy")
    flags = {
        "--collectives": "also count collective operations, each by the messages of an "
        "algorithm",
        "--waits": "add up how long the receiver waited for the sender",
    }
    add_flags(add, flags)
    shown = parser.add_argument_group(
        "full and binary matrix"
    ).add_mutually_exclusive_group()
    shown.add_argument(
        "--full",
        nargs="?",
        const="bytes",
        choices=("calls", "bytes", "calls/s", "bytes/s", "mean", "wait"),
        help="print all rows and columns: bytes, or what is named",
    )
    shown.add_argument(
        "--binary",
        action="store_true",
        help="print which pairs communicate: those above the cut that the topology "
        "was identified at, or of --level or --threshold",
    )
    cut = parser.add_argument_group("pairs above a cut").add_mutually_exclusive_group()
    cut.add_argument(
        "--level", type=count, metavar="N", help="pairs of level N (0: all) only"
    )
    cut.add_argument(
        "--threshold",
        type=fraction,
        metavar="F",
        help="pairs with at least this fraction of the largest pair's bytes only",
    )


def _add_scope(
    parser: argparse.ArgumentParser, example: str, default: str = "all events"
) -> None:
    add_scope(parser, example, default)
    add_output(parser)


def add_scope(
    parser: argparse.ArgumentParser, example: str, default: str = "all events"
) -> None:
    """Add the options for the part of a run that is meant."""
    add = parser.add_argument
    add(
        "--find",
        default="",
        metavar="TEXT",
        help=f'only what matches, such as "{example}"',
    )
    add(
        "--communicator",
        metavar="NAME",
        help="only communicators whose names contain this",
    )
    add_ranks(parser)
    add_window(parser, default)


def add_ranks(parser: argparse.ArgumentParser) -> None:
    """Add the option for ranks that are meant."""
    parser.add_argument(
        "--ranks", dest="of", metavar="0-63,70", help="count only these ranks"
    )


def add_window(parser: argparse.ArgumentParser, default: str = "all events") -> None:
    """Add the options for the time that is counted, and say what is by default."""
    add = parser.add_argument
    add(
        "--span",
        choices=("exchange", "run", "loop"),
        help="exchange: from the first call that communicates to the last; run: all "
        "events; loop: the iterations of the loop with most time (default: "
        f"{default})",
    )
    add(
        "--from", dest="since", type=seconds, metavar="S", help="count from second S on"
    )
    add("--to", dest="until", type=seconds, metavar="S", help="count up to S")
    add(
        "--phase",
        metavar="NAME",
        help="count this phase (see topoview phases)",
    )


def add_counted(parser: argparse.ArgumentParser, default: str = "all events") -> None:
    """Add the options for ranks and time, and for how their table is written."""
    add_ranks(parser)
    add_window(parser, default)
    add_output(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options for how a table is written."""
    add = parser.add_argument_group("output").add_argument
    add("--sort", metavar="COLUMN", help="largest first; -COLUMN: smallest first")
    add("--limit", type=count, metavar="N", help="at most N rows")
    help_text = "write a CSV file (- for stdout)"
    add("--csv", type=csv_path, metavar="FILE", help=help_text)
    add("--parquet", type=WrittenPath, metavar="FILE", help="write a Parquet file")


def wants_table(args: argparse.Namespace) -> bool:
    """Return whether options say how a table is written: no page has them."""
    return any(
        getattr(args, name) is not None for name in ("sort", "limit", "csv", "parquet")
    )


def names_part(args: argparse.Namespace) -> bool:
    """Return whether options name ranks or a time."""
    named = (args.of, args.since, args.until, args.phase, args.span)
    return any(value is not None for value in named)


def refuse_part(args: argparse.Namespace, what: str) -> None:
    """Raise `UsageError` if options name a part of what ``--by`` is for."""
    if names_part(args):
        raise UsageError(
            f"--by is for {what}: leave out --ranks, --from, --to, --phase and --span"
        )


def scope_asked(
    args: argparse.Namespace,
    wanted: str | tuple[str, ...] = "calls",
    default: "SpanName | None" = None,
) -> "Scope":
    """Find what part of a trace is asked for, and have made what is told of it.

    Parameters
    ----------
    wanted
        As for `topoview.live.tables.scope.needs`.
    default
        The span that is meant where no time is named; None: all events.
    """
    from topoview.live.tables.scope import needs, scope_of
    from topoview.pipeline import Options

    options = vars(args)
    find, phase, span = options.get("find", ""), options.get("phase"), options["span"]
    window = options.get("since"), options.get("until")
    if window == (None, None) and phase is None:
        span = span or default
    part = span != default or options.get("of") is not None
    names = needs(wanted, find, phase, span, part=part)  # before the trace is read
    return scope_of(
        analysis=analysis(args, Options(), names),
        find=find,
        window=window,
        ranks=options.get("of"),
        communicator=options.get("communicator"),
        phase=phase,
        span=span,
    )


def put_scope(args: argparse.Namespace, table: "Table", scope: "Scope") -> None:
    """Print or write a table of a part of a trace, beside the span that is counted."""
    put_table(
        args,
        table,
        scope.analysis.trace,
        None if scope.window is None else scope.span,
    )


def put_table(
    args: argparse.Namespace,
    table: "Table",
    trace: "Trace",
    span: "Span | None" = None,
) -> None:
    """Print or write a table of a trace; the span that its numbers are of beside it."""
    from topoview.report.profile import span_line, span_record
    from topoview.report.write import record

    shown = ordered(args, table)
    if args.json:
        payload = {"count": len(table), args.command: record(shown)}
        payload |= {} if span is None else {"span": span_record(trace, span)}
        put(args, lambda: payload, str, trace)
    head = "" if span is None else span_line(trace, span)
    write_table(args, shown, quiet=args.json, head=head)


def ordered(args: argparse.Namespace, table: "Table") -> "Table":
    """Return the rows that options ask for, in the order that they ask for."""
    if args.sort:
        column = args.sort.removeprefix("-")
        if column not in table.names:
            meant = did_you_mean(column, table.names)
            names = meant or f": there are {', '.join(table.names)}"
            raise UsageError(f"there is no column {column!r}{names}")
        table = table.sort(column, descending=column == args.sort)
    return table if args.limit is None else table.head(args.limit)


def write_table(
    args: argparse.Namespace, table: "Table", *, quiet: bool, head: str = ""
) -> None:
    """Write the files that are asked for; without any print the table."""
    from topoview.report.write import text, write_csv, write_parquet

    if args.csv:
        write_csv(table, args.csv)
    if args.parquet:
        write_parquet(table, args.parquet)
    if not (quiet or args.csv or args.parquet):
        rows = MAX_ROWS_PRINTED if args.limit is None else args.limit
        put(args, dict, lambda: "\n".join(filter(None, (head, text(table, rows)))))
