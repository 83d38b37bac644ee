"""What hwloc (``lstopo node.xml``) tells of nodes: packages, cores, and so on."""

from collections import Counter
from xml.etree import ElementTree as Xml

from topoview.model import MachineFacts
from topoview.text import plural

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
    hosts, found, cores = [], [], 0
    for number, machine in enumerate(machines):
        told = {
            info.get("name"): info.get("value") or "" for info in machine.iter("info")
        }
        name = told.get("HostName") or f"node {number}"
        counts = Counter(
            _WORDS[part.get("type", "")]
            for part in machine.iter("object")
            if part.get("type") in _WORDS
        )
        listed = (plural(counts[word], word) for word in dict.fromkeys(_WORDS.values()))
        found.append(
            f"{name}: {', '.join(each for each in listed if each[:2] != '0 ')}"
        )
        hosts.append(name)
        cores = max(cores, counts["core"])
    return MachineFacts(
        "hwloc XML",
        tuple(hosts) if len(hosts) > 1 else (),  # of one, others are alike
        per_node=cores,
        found=(*found, f"a rank a core: {cores} on a node"),
        missing=("the network between nodes, which hwloc does not know",),
    )
