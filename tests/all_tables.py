"""Every result that has a table: what makes it of an analysis."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import traces

from topoview.analysis.comparing.lines import align_listings
from topoview.analysis.comparing.runs import RunComparison
from topoview.analysis.comparing.scaling import scaling
from topoview.analysis.waits.hung import hung_calls
from topoview.io.archive.finding import open_trace
from topoview.live.network import NetworkRequest, mappings_of, network_traffic
from topoview.live.tables.events import events_table
from topoview.live.tables.parts.communicator_tree import communicator_tree, tree_table
from topoview.live.tables.parts.extents import extent_table
from topoview.live.tables.parts.regions import parameter_table
from topoview.live.tables.scope import Scope, scope_of
from topoview.live.tables.search.find import Finder, FindRequest, found_table
from topoview.live.tables.search.query import parse_query
from topoview.live.tables.statistics.by_group import GROUPS
from topoview.model import Analysis, LinkLoads, MachineChoice, Mappings, Table, Trace
from topoview.pipeline import Results
from topoview.report.formats.matrix import matrix_table
from topoview.report.identification.answer import matches_table
from topoview.report.logical.comparison import compare_sizes
from topoview.report.network import mapping_table
from topoview.report.profile import (
    account_table,
    function_table,
    group_table,
    rank_function_table,
    rank_table,
    state_table,
)
from topoview.report.run_comparison import (
    BY,
    RUN_RESULTS,
    compare_results,
    comparison_table,
    run_of_results,
)
from topoview.report.scaling import scaling_table
from topoview.report.waits.delays import delay_groups_table, delays_table
from topoview.report.waits.devices import devices_table, gpu_waits_table
from topoview.report.waits.hung import hung_table
from topoview.report.waits.tables import (
    EFFICIENCY_PARTS,
    WAIT_GROUPS,
    efficiency_table,
    wait_sums_table,
    waits_table,
)

Make = Callable[[Analysis], Table]


def found(known: Analysis) -> Table:
    return found_table(Finder().step(FindRequest(known, parse_query("isend waitall"))))


def counted(known: Analysis) -> Scope:
    """Take what numbers are of by default."""
    return scope_of(known, span="exchange")


def on_machine(known: Analysis) -> NetworkRequest:
    """Ask for the links of a machine of four nodes of three ranks each."""
    machine = MachineChoice(kind="torus", dims="2x2", per_node=3)
    return NetworkRequest(Scope(known), machine, 0, False)


def mappings_by_few_moves(known: Analysis) -> Mappings:
    """Map the ranks onto that machine, annealed for a small part of the time."""
    with mock.patch("topoview.analysis.network.mappings.MOVES", 200_000):
        return mappings_of(on_machine(known))


def loads(known: Analysis) -> LinkLoads:
    return network_traffic(on_machine(known)).loads


@cache
def runs() -> tuple[Results, Results]:
    """Make what is compared of two runs of a program."""
    both = tuple(
        Results(traces.simulated("torus", (4, 3), numbering=number))
        for number in (1, 2)
    )
    for results in both:
        for name in RUN_RESULTS:
            results.make(name)
    return both


def listings() -> Table:
    """Compare the listings of two runs on different numbers of ranks."""
    sizes = [
        Results(traces.simulated("torus", dims, iterations=turns))
        for dims, turns in (((4, 3), 5), ((6, 4), 8))
    ]
    logical = [results.make("logical") for results in sizes]
    shapes = [results.make("identification").best.topology for results in sizes]
    return compare_sizes(logical, shapes)[1]


@cache
def comparison() -> RunComparison:
    one, other = runs()
    aligned = align_listings(one["logical"], other["logical"])
    return compare_results(one, other, aligned, ("one", "other"))


@cache
def case(name: str) -> Trace:
    return open_trace(Path(__file__).parent / "data" / "cases" / name)


def hung(_: Analysis) -> Table:
    trace = case("deadlock.tar.xz")
    return hung_table(trace, hung_calls(trace))


@cache
def with_devices() -> Results:
    results = Results(traces.read_real("public-casita-2_cuda_simple"))
    results.make("devices")
    return results


TABLES: dict[str, Make] = {
    "matches": lambda k: matches_table(k.identification.matches),
    "profile": lambda k: function_table(k.trace, k.profile),
    "account": lambda k: account_table(k.trace, k.profile),
    "groups of the account": lambda k: group_table(k.trace, k.profile),
    "profile by state": lambda k: state_table(k.trace, k.profile),
    "states over time": lambda k: counted(k).states_over_time(9),
    "profile of each rank": lambda k: rank_function_table(k.trace, k.profile),
    "profile by rank": lambda k: rank_table(k.trace, k.profile),
    "delays": lambda k: delays_table(k.trace, k.delays),
    "delay groups": lambda k: delay_groups_table(k.trace, k.delays),
    "waits": lambda k: waits_table(k.trace, k.waits, k.profile_of_run.span.window),
    **{
        f"waits by {by}": lambda k, by=by: wait_sums_table(k.trace, k.wait_sums, by)
        for by in WAIT_GROUPS
    },
    **{
        f"efficiency by {by}": lambda k, by=by: efficiency_table(
            k.trace, k.efficiencies, by
        )
        for by in EFFICIENCY_PARTS
    },
    "calls": lambda k: Scope(k).calls(),
    "messages": lambda k: Scope(k).messages(),
    "matrix": lambda k: matrix_table(counted(k).matrix()),
    "communicators": lambda k: counted(k).communicators(),
    "tree of communicators": lambda k: tree_table(communicator_tree(k, None)),
    "phases": lambda k: Scope(k).phases(),
    "regions": lambda k: counted(k).regions(),
    "call tree": lambda k: counted(k).call_tree(),
    "parameters": lambda k: parameter_table(k.trace),
    "iterations": lambda k: Scope(k).iterations(),
    "events": lambda k: events_table(k, 5, np.arange(*k.trace.calls.offsets[5:7])),
    "find": found,
    **{
        f"statistics by {by}": lambda k, by=by: counted(k).statistics(by)
        for by in ("coordinate", *GROUPS)
    },
    "hung": hung,
    "devices": lambda _: devices_table(with_devices().trace, with_devices()["devices"]),
    "waits for devices": lambda _: gpu_waits_table(
        with_devices().trace, with_devices()["devices"]
    ),
    "links": lambda k: loads(k).table(),
    "nodes": lambda k: loads(k).node_table(),
    "extents": lambda k: extent_table(k.trace, loads(k)),
    "mappings": lambda k: mapping_table(mappings_by_few_moves(k).mappings),
    **{
        f"comparison by {by}": lambda _, by=by: comparison_table(comparison(), by)
        for by in BY
    },
    "scaling": lambda _: scaling_table(
        scaling([run_of_results(one) for one in runs()], ["one", "other"], "strong")[1]
    ),
    "listings": lambda _: listings(),
}
