"""The tables of a run, each declared once.

`OF_RUN` is what SQL asks and `export` writes, and with `OTHERS` the page about columns
and the schema of JSON: an entry makes a table part of all of them. A test asks for an
entry for each schema, and that its command, its function of Python and its tool for
assistants are there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from topoview.errors import TopoviewError, UsageError
from topoview.live.tables.call_tree import CALL_TREE
from topoview.live.tables.calls import CALLS, MESSAGES
from topoview.live.tables.iterations import ITERATIONS
from topoview.live.tables.parts.extents import EXTENTS
from topoview.live.tables.parts.parts import COMMUNICATORS, PHASES
from topoview.live.tables.parts.regions import PARAMETERS, REGIONS
from topoview.live.tables.scope import Scope
from topoview.live.tables.statistics.by_group import COORDINATES, STATISTICS
from topoview.live.tables.statistics.over_time import OVER_TIME
from topoview.model import Schema, Table
from topoview.model.network import LINKS, NODES
from topoview.model.times.devices import DeviceActivity
from topoview.report.formats.matrix import MATRIX, matrix_table
from topoview.report.identification.answer import MATCHES, matches_table
from topoview.report.logical.comparison import SIZES
from topoview.report.network import MAPPINGS
from topoview.report.profile import (
    ACCOUNT,
    BY_RANK,
    PROFILE,
    account_table,
    function_table,
    rank_function_table,
    rank_table,
)
from topoview.report.run_comparison import COMPARISON
from topoview.report.scaling import SCALING
from topoview.report.waits.delays import DELAY_GROUPS, DELAYS
from topoview.report.waits.devices import (
    DEVICES,
    GPU_WAITS,
    devices_table,
    gpu_waits_table,
)
from topoview.report.waits.hung import HUNG, hung_table
from topoview.report.waits.tables import EFFICIENCY, WAIT_SUMS, WAITS


@dataclass(frozen=True, slots=True)
class RunTable:
    """A table of a part of a run, without further choice."""

    line: str
    """The command that prints it, with its options or what it is there; a heading of
    the page about columns."""
    schema: Schema | None
    """None: the columns follow the run."""
    needs: str
    """Results that it is told of, as for `topoview.live.tables.scope.needs`."""
    make: Callable[[Scope], Table]


@dataclass(frozen=True, slots=True)
class OtherTable:
    """A table that neither SQL nor files that are exported have."""

    line: str
    """As of `RunTable`."""
    schema: Schema
    reason: str


def _refuse_part(scope: Scope, what: str) -> None:
    if not scope.of_exchange or scope.query:
        raise UsageError(
            f"{what} are those of all ranks in the exchange: name no other"
        )


def _matches(scope: Scope) -> Table:
    _refuse_part(scope, "matches")
    assert scope.analysis.identification is not None
    return matches_table(scope.analysis.identification.matches)


def _hung(scope: Scope) -> Table:
    _refuse_part(scope, "calls that hang")
    assert scope.analysis.hung is not None
    return hung_table(scope.analysis.trace, scope.analysis.hung)


def _of_profile(make: Callable[..., Table]) -> Callable[[Scope], Table]:
    return lambda scope: make(scope.analysis.trace, scope.profile(), scope.some_ranks)


def _of_devices(make: Callable[..., Table]) -> Callable[[Scope], Table]:
    def table(scope: Scope) -> Table:
        _refuse_part(scope, "devices")
        activity: DeviceActivity | None = scope.analysis.devices
        if activity is None:
            raise TopoviewError(f"{scope.analysis.trace.name} records no devices")
        return make(scope.analysis.trace, activity)

    return table


OF_RUN: Final[dict[str, RunTable]] = {
    "matches": RunTable("identify, matches", MATCHES, "identification", _matches),
    "account": RunTable(
        "profile --by class", ACCOUNT, "profile", _of_profile(account_table)
    ),
    "profile": RunTable("profile", PROFILE, "profile", _of_profile(function_table)),
    "ranks": RunTable("profile --by rank", None, "profile", _of_profile(rank_table)),
    "rank_functions": RunTable(
        "profile --by rank-function",
        BY_RANK,
        "profile",
        _of_profile(rank_function_table),
    ),
    "delays": RunTable("idle-waves", DELAYS, "delays", Scope.delays),
    "hung": RunTable("waits, what hangs", HUNG, "hung", _hung),
    "waits": RunTable("waits, one row per call", WAITS, "wait calls", Scope.wait_calls),
    "gpu_waits": RunTable(
        "efficiency --by gpu-wait",
        GPU_WAITS,
        "efficiency",
        _of_devices(gpu_waits_table),
    ),
    "devices": RunTable(
        "efficiency --by device", DEVICES, "efficiency", _of_devices(devices_table)
    ),
    "calls": RunTable("calls", CALLS, "calls", Scope.calls),
    "messages": RunTable("messages", MESSAGES, "calls", Scope.messages),
    "matrix": RunTable("matrix", MATRIX, "matrix", lambda s: matrix_table(s.matrix())),
    "iterations": RunTable("iterations", ITERATIONS, "calls", Scope.iterations),
    "communicators": RunTable(
        "communicators", COMMUNICATORS, "parts", Scope.communicators
    ),
    "phases": RunTable("phases", PHASES, "phases", Scope.phases),
    "regions": RunTable("regions", REGIONS, "regions", Scope.regions),
    "call_tree": RunTable("regions --tree", CALL_TREE, "regions", Scope.call_tree),
    "parameters": RunTable(
        "regions --parameters", PARAMETERS, "regions", Scope.parameters
    ),
}
"""By the names that SQL and `export` use. ``waits`` has a row a call that waited,
``ranks`` one a rank (calls, and the time in each class), ``matrix`` one a pair."""

_GROUPED: Final = "grouped by a choice: SQL groups calls, messages and waits itself"
_OF_MACHINE: Final = "of a machine that has to be named"
_OF_RUNS: Final = "of several runs"

OTHERS: Final = (
    OtherTable("waits --by", WAIT_SUMS, _GROUPED),
    OtherTable("idle-waves --by cause", DELAY_GROUPS, _GROUPED),
    OtherTable("profile --by time", OVER_TIME, _GROUPED),
    OtherTable("efficiency --by", EFFICIENCY, _GROUPED),
    OtherTable("statistics", STATISTICS, _GROUPED),
    OtherTable("statistics --by coordinate", COORDINATES, _GROUPED),
    OtherTable("network, links", LINKS, _OF_MACHINE),
    OtherTable("network, nodes", NODES, _OF_MACHINE),
    OtherTable("network --extents", EXTENTS, _OF_MACHINE),
    OtherTable("map", MAPPINGS, _OF_MACHINE),
    OtherTable("compare", COMPARISON, _OF_RUNS),
    OtherTable("scaling", SCALING, _OF_RUNS),
    OtherTable("scaling, listings", SIZES, _OF_RUNS),
)

PUBLISHED: Final[dict[str, Schema]] = {
    **{each.line: each.schema for each in OF_RUN.values() if each.schema is not None},
    **{each.line: each.schema for each in OTHERS},
}
"""Schemas by the headings of the page about columns."""
