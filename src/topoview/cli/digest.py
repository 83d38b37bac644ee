"""Subcommands digest, fetch: results without events in a file, and events for them."""

import argparse
from typing import TYPE_CHECKING, Final

from topoview.cli.options import add_written, count_of, memory_size
from topoview.cli.printing import progress, put, subset_of
from topoview.errors import UsageError

if TYPE_CHECKING:
    from topoview.worker.digest import DigestMade

MAX_WORKERS: Final = 4096
MAX_STEPS: Final = 1_000_000
"""Steps of time: each takes some bytes for each rank."""


def digest(args: argparse.Namespace) -> None:
    """Write the digest of a trace."""
    from topoview.worker.digest import make_digest

    if args.workers and args.scheduler:
        raise UsageError("give --workers or --scheduler: one cluster")
    report = progress(args)
    if args.workers or args.scheduler:
        from topoview.worker.cluster import digest_on_cluster

        made = digest_on_cluster(
            args.trace,
            args.output,
            workers=args.workers,
            scheduler=args.scheduler,
            memory=args.memory,
            steps=args.steps,
            report=report,
        )
    else:
        made = make_digest(args.trace, args.output, args.steps, report)
    _put(args, made)


def fetch(args: argparse.Namespace) -> None:
    """Write the events of a part of the trace that a digest is of."""
    from topoview.worker.fetching import fetch_window

    subset = subset_of(args)
    if subset.is_all:
        raise UsageError("say which part is wanted: --from and --to, or --ranks")
    report, where = progress(args), args.scheduler
    _put(args, fetch_window(args.trace, args.output, subset, where, report))


def _put(args: argparse.Namespace, made: "DigestMade") -> None:
    put(
        args,
        lambda: made._asdict() | {"notes": list(made.notes)},
        lambda: "\n".join([made.words, *made.notes]),
    )


def digest_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `digest`."""
    from topoview.analysis.digest import STEPS

    add = parser.add_argument
    add_written(parser, "F.topoview", "the file to write")
    here = "use N processes of this machine"
    add("--workers", type=count_of(1, MAX_WORKERS), default=0, metavar="N", help=here)
    there = "use the cluster of a Dask scheduler (tcp://node17:8786); paths are those "
    there += "that its workers see"
    add("--scheduler", default="", metavar="ADDRESS", help=there)
    share = "memory that a worker may use, such as 6G"
    add("--memory", type=memory_size, metavar="SIZE", help=share)
    steps = "steps of time in which sums of states are kept (%(default)s)"
    add("--steps", type=count_of(1, MAX_STEPS), default=STEPS, metavar="N", help=steps)


def fetch_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `fetch`."""
    add = parser.add_argument
    file = "the file to write, which opens as a trace"
    add_written(parser, "FILE.topoview", file)
    there = (
        "have a worker of a Dask scheduler (tcp://node17:8786) read the trace where "
    )
    there += "it is; the events come over the network"
    add("--scheduler", default="", metavar="ADDRESS", help=there)
