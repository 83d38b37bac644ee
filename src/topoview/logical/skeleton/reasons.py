"""What a skeleton program cannot make again, and why."""

import numpy as np

from topoview.logical.listing import call_text
from topoview.logical.skeleton.facts import Facts
from topoview.logical.skeleton.operations import OPERATIONS
from topoview.model import Call, Trace

_PROCESSES = "the processes that it is about are not in the trace"
_OTHER_GROUP = "messages to the other group go over all ranks"

REASONS = {
    **dict.fromkeys(
        (
            *("Comm_spawn", "Comm_spawn_multiple", "Comm_get_parent", "Comm_accept"),
            *("Comm_connect", "Comm_disconnect", "Comm_join", "Open_port"),
            *("Close_port", "Publish_name", "Unpublish_name", "Lookup_name"),
        ),
        _PROCESSES,
    ),
    "Intercomm_create": _OTHER_GROUP,
    "Intercomm_create_from_groups": _OTHER_GROUP,
}
"""Operations that are not made, and why not, where that is not plain."""

NO_LATTICE = "the topology is not a plain lattice"
OWN_GRAPH = "the neighbours in the graph that the program made are not in the trace"
BOTH_GROUPS = "collective operations between two groups are made by both as one"
NO_PARTNER = "without a partner in the trace"
NO_COMMUNICATOR = "its communicator is not in the trace"
NO_MESSAGE = "Start, not made again: no message is in the trace"
NOT_BY_ALL = "made before the program begins, as not all ranks call it"


def comment(call: Call) -> str:
    """Write a call as in the listing, for a comment: names are the program's own.

    A line in them would end a comment of Python, ``*/`` one of C.
    """
    return " ".join(call_text(call).split()).replace("*/", "* /")


def unmade(operation: str) -> str:
    """Say that an operation is not made, and why not."""
    why = REASONS.get(operation, "")
    if not why and operation.endswith("_init"):
        why = "what it starts is not told from other requests in the trace"
    return f"{operation}, not made again" + (f": {why}" if why else "")


def wants_communicator(operation: str) -> bool:
    """Whether an operation is collective over a communicator that a call names."""
    kinds = OPERATIONS[operation][1].split()
    return (
        "comm" in kinds
        and not {"to", "source", "until"} & {*kinds}
        and (operation not in ("Probe", "Mprobe"))
    )


def has_own_graph(trace: Trace) -> bool:
    """Whether the program made a graph of neighbours, and no lattice."""
    made = set(trace.regions.operations)
    graphs = ("Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent")
    return "Cart_create" not in made and not made.isdisjoint(graphs)


def is_of_all(known: Facts, call: Call, ranks: int) -> bool:
    """Whether all ranks make the calls of a statement equally often."""
    begin, end = known.begins[call.index : call.index + 2].tolist()
    often = np.bincount(known.rank[begin:end], minlength=ranks)
    return bool((often == often[0]).all())
