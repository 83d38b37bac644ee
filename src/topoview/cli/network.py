"""Subcommands about the machine: network, map."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from topoview.cli import tables
from topoview.cli.options import FileName, WrittenPath, add_flags, count
from topoview.cli.printing import progress, put
from topoview.errors import UsageError, save_text
from topoview.report.network import (
    MAPPING_FILES,
    mapping_named,
    mapping_table,
    mappings_page,
    mappings_record,
    network_blocks,
    network_record,
)

if TYPE_CHECKING:
    from topoview.live.network import NetworkRequest
    from topoview.model import MachineChoice


def network(args: argparse.Namespace) -> None:
    """Compute what goes over the links of the machine's network."""
    from topoview.live.network import network_traffic
    from topoview.live.tables.parts.extents import extent_table
    from topoview.report.blocks import Heading, Page, table_block
    from topoview.report.write import page_text
    from topoview.report.write import record as rows_of

    request = _asked(args, "matrix")
    trace = request.scope.analysis.trace
    if args.extents:
        request.scope.require_events()
    with _options_named(request.machine):
        traffic = network_traffic(request)
    extents = extent_table(trace, traffic.loads) if args.extents else None
    if tables.wants_table(args):
        table = traffic.loads.table() if extents is None else extents
        tables.put_table(args, table, trace)
        return

    def record() -> dict[str, Any]:
        modelled = traffic.matrix.modelled
        fields = network_record(traffic.loads, modelled, links=args.links)
        if extents is not None:
            fields["communicators"] = rows_of(extents)
        return fields

    def text() -> str:
        blocks = network_blocks(traffic.loads, traffic.matrix.modelled)
        if extents is not None:
            shown = extents.head(tables.MAX_ROWS_PRINTED)
            table = table_block("extents", "", shown, named=True)
            rest = len(extents) - len(shown)
            blocks = (*blocks, Heading(""), replace(table, rest=rest))
        return page_text(Page(blocks=blocks))

    put(args, record, text, trace)


def map(args: argparse.Namespace) -> None:  # noqa: A001 - topoview map
    """Find better mappings of ranks, and write one."""
    from topoview.live.network import mappings_of
    from topoview.report.write import page_text

    request = _asked(args, "mappings")
    with _options_named(request.machine):
        mappings = mappings_of(request, progress(args))
    chosen = mapping_named(mappings.mappings, args.method)
    if chosen is None:
        names = "; ".join(one.method for one in mappings.mappings)
        raise UsageError(f"there is no mapping {args.method!r}: there are {names}")
    for form, (_, text) in MAPPING_FILES.items():
        path = getattr(args, form)
        if path is not None:
            save_text(path, text(chosen))
    if tables.wants_table(args):
        table = mapping_table(mappings.mappings)
        tables.put_table(args, table, request.scope.analysis.trace)
        return
    put(
        args,
        lambda: mappings_record(mappings.mappings, mappings.notes, orders=args.orders),
        lambda: page_text(mappings_page(mappings.mappings, mappings.notes)),
        request.scope.analysis.trace,
    )


def network_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `network`."""
    flags = {
        "--links": "with --json: list all links",
        "--extents": "communicators on the machine: what they span, how long they take",
    }
    add_flags(parser.add_argument, flags)
    _add_traffic(parser)


def map_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `map`."""
    add = parser.add_argument
    add("--orders", action="store_true", help="with --json: also the ranks' new order")
    add(
        "--method",
        default="",
        metavar="NAME",
        help="which mapping is written (the best)",
    )
    for form, (what, _) in MAPPING_FILES.items():
        add(f"--{form}", type=WrittenPath, metavar="FILE", help=f"write the {what}")
    _add_traffic(parser)


def _add_traffic(parser: argparse.ArgumentParser) -> None:
    add_machine(parser)
    add = parser.add_argument_group("traffic").add_argument
    add("--level", type=count, default=0, metavar="N", help="pairs of level N only")
    model = "also count collective operations, each by a stated algorithm"
    add("--collectives", action="store_true", help=model)
    tables.add_scope(parser, "isend to EAST")
    tables.add_output(parser)


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add options that describe the machine, as `machine_choice` reads them."""
    from topoview.model.network import ASSUMED_NETWORKS

    add = parser.add_argument_group("machine").add_argument
    file = "a file that describes it: GraphML, edges, Slurm, hwloc, rank files, a table"
    add("--machine", type=FileName, default="", metavar="FILE", help=file)
    for kind, example in ASSUMED_NETWORKS.items():
        name = f"--{kind.replace(' ', '-')}"
        add(name, default="", metavar=example, help=f"assume a {kind}")
    per = "ranks on a node, one node after the other"
    add("--per-node", type=count, default=0, metavar="N", help=per)
    names = "finds coordinates in names of hosts, such as r(?P<x>\\d+)-m(?P<y>\\d+)"
    add("--names", default="", metavar="REGEX", help=names)
    counters = "counters that measured its traffic (those of nodes, by their names)"
    add("--counters", default="", metavar="REGEX", help=counters)


def _asked(args: argparse.Namespace, wanted: str) -> "NetworkRequest":
    from topoview.live.network import NetworkRequest

    choice = machine_choice(args)
    scope = tables.scope_asked(args, wanted)
    return NetworkRequest(scope, choice, args.level, args.collectives)


@contextmanager
def _options_named(choice: "MachineChoice") -> Iterator[None]:
    """Name the options that describe the machine, where none was given."""
    try:
        yield
    except UsageError as error:
        is_given = any(astuple(choice))
        more = "" if is_given else " (--machine FILE, --torus 4x4x4, --per-node N)"
        raise UsageError(f"{error}{more}") from None


def machine_choice(args: argparse.Namespace) -> "MachineChoice":
    """Return what the user says of the machine, checked before a trace is read."""
    from topoview.analysis.network.networks import assumed_network
    from topoview.analysis.network.placement import machine_facts
    from topoview.model.network import ASSUMED_NETWORKS, MachineChoice

    dims = {kind: getattr(args, kind.replace(" ", "_")) for kind in ASSUMED_NETWORKS}
    choice = MachineChoice.assuming(
        {kind: text for kind, text in dims.items() if text},
        file=args.machine,
        per_node=args.per_node,
        names=args.names,
        counters=args.counters,
    )
    if choice.kind:
        assumed_network(choice.kind, choice.dims)  # before the trace is read
    if choice.file:
        machine_facts(choice.file)  # before the trace is read, too
    return choice
