"""What a trace holds besides calls and messages, in a few lines each."""

from typing import Any, Final

from topoview.model import Counter, Trace

_MODES: Final = {
    "grows": "counts up",
    "value": "",
    "change": "change since the last reading",
}
_KINDS: Final = {
    "attribute": "attributes",
    "parameter": "parameters",
    "RMA window": "RMA windows",
    "I/O file": "files",
    "I/O handle": "I/O handles",
    "sampling": "samplers",
    "source line": "source lines",
    "call path": "call paths",
}
_MOST: Final = 6
"""Names that are told of each kind."""


def counter_lines(trace: Trace) -> list[str]:
    """Describe the metrics: what they count, in which unit."""
    found: dict[str, None] = {}
    for counter in trace.counters:
        found.setdefault(_counter(counter))
    return list(found) or list(trace.metrics)


def _counter(counter: Counter) -> str:
    told = [counter.words, _MODES[counter.mode], counter.scope, counter.description]
    words = ", ".join(word for word in told if word and word != "#")
    return f"{counter.name} ({words})" if words else counter.name


def name_lines(trace: Trace) -> list[str]:
    """List what identifiers in records mean: some names of each kind."""
    lines = []
    for named in trace.names:
        names = [name for name in dict.fromkeys(named.names) if name]
        shown = ", ".join(names[:_MOST])
        more = len(named.names) - len(names[:_MOST])
        kind = _KINDS.get(named.kind, f"{named.kind}s")
        if named.kind.startswith("property of "):
            kind = f"properties of {named.kind.removeprefix('property of ')}s"
        further = f" and {more} more" if names and more else ""
        if named.kind == "call path":  # long, and one for each call in the program
            shown, further = str(len(named.names)), ""
        lines.append(f"{kind}: {shown or len(named.names)}{further}")
    contexts, sites = len(trace.sources.contexts), len(trace.sources.site_place)
    attributes = sum(len(r) for r in trace.further if r.name == "Attribute")
    if attributes:
        lines.append(f"attributes of events: {attributes}")
    if contexts:
        lines.append(f"calling contexts: {contexts}")
    if sites:
        lines.append(f"call sites: {sites}")
    return lines


def marker_lines(trace: Trace) -> list[str]:
    """Describe markers: when, how serious, about what, and their text."""
    lines = []
    for marker in trace.markers[:_MOST]:
        about = f" [{marker.scope}]" if marker.scope else ""
        kind = " ".join(word for word in (marker.group, marker.category) if word)
        severe = "" if marker.severity == "none" else f", {marker.severity}"
        when = f"{trace.clock.seconds(marker.time):.6g} s"
        lines.append(f"{when}: {marker.text}{about} ({kind or 'marker'}{severe})")
    more = len(trace.markers) - len(lines)
    return [*lines, f"and {more} more"] if more else lines


def further_record(trace: Trace) -> dict[str, Any]:
    """Describe the same as JSON-able values."""
    return {
        "counters": [
            {
                "name": counter.name,
                "unit": counter.unit,
                "scale": counter.scale,
                "mode": counter.mode,
                "kind": counter.kind,
                "scope": counter.scope,
                "description": counter.description,
            }
            for counter in trace.counters
        ],
        "names": {named.kind: list(named.names) for named in trace.names},
        "nodes": [{"name": node.name, "kind": node.kind} for node in trace.nodes],
        "calling_contexts": len(trace.sources.contexts),
        "call_sites": len(trace.sources.site_place),
        "markers": [
            {
                "seconds": trace.clock.seconds(marker.time),
                "duration_seconds": trace.clock.seconds(marker.duration),
                "group": marker.group,
                "category": marker.category,
                "severity": marker.severity,
                "scope": marker.scope,
                "text": marker.text,
            }
            for marker in trace.markers
        ],
    }
