"""Networks as graphs: GraphML, and lists of edges."""

from collections.abc import Iterable, Mapping

import numpy as np

from topoview.model import MachineFacts

SWITCHES = frozenset({"switch", "router"})
"""What the attribute ``kind`` or ``type`` of a vertex says where no rank can run."""


def graphml(text: str) -> MachineFacts:
    """Read a graph whose vertices are nodes and switches."""
    import networkx as nx

    try:
        graph = nx.parse_graphml(text)
    except Exception as error:
        raise ValueError(f"networkx says {error}") from error
    kinds = {
        str(name): str(told.get("kind", told.get("type", ""))).lower()
        for name, told in graph.nodes(data=True)
    }
    ends = ((str(one), str(other)) for one, other, *_ in graph.edges)
    return _facts("GraphML", kinds, ends)


def edge_list(text: str) -> MachineFacts:
    """Read lines of two vertices each; a weight behind them does not count."""
    rows = [line.partition("#")[0].split() for line in text.splitlines()]
    ends = [(row[0], row[1]) for row in rows if row]
    kinds = dict.fromkeys((name for pair in ends for name in pair), "")
    return _facts("edge list", kinds, ends)


def _facts(
    form: str, kinds: Mapping[str, str], ends: Iterable[tuple[str, str]]
) -> MachineFacts:
    hosts = [name for name, kind in kinds.items() if kind not in SWITCHES]
    switches = [name for name, kind in kinds.items() if kind in SWITCHES]
    if not hosts:
        raise ValueError("it has no node that ranks could run on")
    place = {name: number for number, name in enumerate((*hosts, *switches))}
    cables = [(place[one], place[other]) for one, other in ends]
    told = () if switches else ("which vertices are switches (kind): all are nodes",)
    return MachineFacts(
        form,
        tuple(hosts),
        cables=np.array(cables, np.int32).reshape(-1, 2),
        switches=tuple(switches),
        found=(f"{len(hosts)} nodes, {len(switches)} switches, {len(cables)} cables",),
        missing=told,
    )
