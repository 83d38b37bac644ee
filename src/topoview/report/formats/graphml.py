"""GraphML, as networkx reads and writes it, which takes longer to import than this."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Final

from topoview.errors import save_text

_TYPES: Final = {bool: "boolean", int: "long", float: "double", str: "string"}
_HEAD: Final = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">'
)

Attributes = Mapping[str, bool | float | str]


def write_graphml(
    path: Path,
    nodes: Iterable[tuple[int, Attributes]],
    edges: Iterable[tuple[int, int, Attributes]],
    attributes: Attributes,
    *,
    directed: bool,
) -> None:
    """Write a graph.

    Parameters
    ----------
    path
        The file.
    nodes, edges
        With the attributes of each; those of a name are of one type.
    attributes
        Of the graph.
    directed
        Whether edges lead from the first node to the second.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    keys: dict[tuple[str, str, str], str] = {}

    def data(of: str, attributes: Attributes) -> str:
        lines = []
        for name, value in attributes.items():
            key = keys.setdefault((of, name, _TYPES[type(value)]), f"d{len(keys)}")
            lines.append(f'\n      <data key="{key}">{escape(str(value))}</data>')
        return "".join(lines)

    whole = data("graph", attributes)
    inside = [
        f'    <node id="{node}">{data("node", own)}</node>' for node, own in nodes
    ]
    inside += [
        f'    <edge source="{one}" target="{other}">{data("edge", own)}</edge>'
        for one, other, own in edges
    ]
    told = [
        f'  <key id="{key}" for="{of}" attr.name="{escape(name)}" attr.type="{kind}"/>'
        for (of, name, kind), key in keys.items()
    ]
    way = "directed" if directed else "undirected"
    graph = f'  <graph edgedefault="{way}">{whole}'
    save_text(
        path, "\n".join([_HEAD, *told, graph, *inside, "  </graph>", "</graphml>", ""])
    )
