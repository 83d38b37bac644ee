"""Networks as graphs: GraphML, lists of edges, hwloc."""

from collections import Counter
from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as Xml

import numpy as np

from topoview.base.text import plural
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
        str(name): str(attributes.get("kind", attributes.get("type", ""))).lower()
        for name, attributes in graph.nodes(data=True)
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
    missing = () if switches else ("which vertices are switches (kind): all are nodes",)
    return MachineFacts(
        form,
        tuple(hosts),
        cables=np.array(cables, np.int32).reshape(-1, 2),
        switches=tuple(switches),
        sources=(
            f"{len(hosts)} nodes, {len(switches)} switches, {len(cables)} cables",
        ),
        missing=missing,
    )


# What hwloc (``lstopo node.xml``) tells of nodes: packages, cores, and so on.

_WORDS = {
    "Package": "package",
    "Socket": "package",
    "NUMANode": "NUMA node",
    "Core": "core",
    "PU": "processing unit",
}


def hwloc(text: str) -> MachineFacts:
    """Read the inside of nodes; hwloc knows nothing of cables between them."""
    try:
        root = Xml.fromstring(text)
    except Xml.ParseError as error:
        raise ValueError(str(error)) from error
    machines = [
        part
        for part in root.iter("object")
        if part.get("type") == "Machine"
        and not any(below.get("type") == "Machine" for below in part.iterfind("object"))
    ]
    if not machines:
        raise ValueError("it has no object of type Machine")
    hosts, remarks, cores = [], [], 0
    for number, machine in enumerate(machines):
        attributes = {
            info.get("name"): info.get("value") or "" for info in machine.iter("info")
        }
        name = attributes.get("HostName") or f"node {number}"
        counts = Counter(
            _WORDS[part.get("type", "")]
            for part in machine.iter("object")
            if part.get("type") in _WORDS
        )
        listed = (plural(counts[word], word) for word in dict.fromkeys(_WORDS.values()))
        remarks.append(
            f"{name}: {', '.join(each for each in listed if each[:2] != '0 ')}"
        )
        hosts.append(name)
        cores = max(cores, counts["core"])
    return MachineFacts(
        "hwloc XML",
        tuple(hosts) if len(hosts) > 1 else (),  # of one, others are alike
        per_node=cores,
        sources=(*remarks, f"a rank a core: {cores} on a node"),
        missing=("the network between nodes, which hwloc does not know",),
    )
