"""Every result that has a table: what makes it of an analysis."""

from collections.abc import Callable

import numpy as np

from topoview.live.tables.communicator_tree import communicator_tree, tree_table
from topoview.live.tables.events import events_table
from topoview.live.tables.find import Finder, FindRequest, found_table
from topoview.live.tables.query import parse_query
from topoview.live.tables.regions import parameter_table
from topoview.live.tables.scope import Scope
from topoview.live.tables.statistics import GROUPS
from topoview.model import Analysis, Table
from topoview.report.delays import delays_table
from topoview.report.formats.matrix import matrix_table
from topoview.report.profile import (
    account_table,
    function_table,
    group_table,
    rank_table,
    state_table,
)
from topoview.report.tables import (
    EFFICIENCY_PARTS,
    WAIT_GROUPS,
    efficiency_table,
    wait_sums_table,
    waits_table,
)

Make = Callable[[Analysis], Table]


def found(known: Analysis) -> Table:
    return found_table(Finder().step(FindRequest(known, parse_query("isend waitall"))))


TABLES: dict[str, Make] = {
    "profile": lambda k: function_table(k.trace, k.profile),
    "account": lambda k: account_table(k.trace, k.profile),
    "groups of the account": lambda k: group_table(k.trace, k.profile),
    "profile by state": lambda k: state_table(k.trace, k.profile),
    "profile by rank": lambda k: rank_table(k.trace, k.profile),
    "delays": lambda k: delays_table(k.trace, k.delays),
    "waits": lambda k: waits_table(k.trace, k.waits),
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
    "matrix": lambda k: matrix_table(Scope(k).matrix()),
    "communicators": lambda k: Scope(k).communicators(),
    "tree of communicators": lambda k: tree_table(communicator_tree(k, None)),
    "phases": lambda k: Scope(k).phases(),
    "regions": lambda k: Scope(k).regions(),
    "parameters": lambda k: parameter_table(k.trace),
    "iterations": lambda k: Scope(k).iterations(),
    "events": lambda k: events_table(k, 5, np.arange(*k.trace.calls.offsets[5:7])),
    "find": found,
    **{
        f"statistics by {by}": lambda k, by=by: Scope(k).statistics(by)
        for by in ("coordinate", *GROUPS)
    },
}
