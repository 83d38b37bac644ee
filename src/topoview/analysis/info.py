"""What a trace holds, for the command line."""

import re
from collections import Counter
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from topoview.analysis.info_further import (
    counter_lines,
    further_record,
    marker_lines,
    name_lines,
)
from topoview.analysis.record_words import counted
from topoview.model import CartesianTopology, Trace

_NUMBERED: Final = re.compile(r"(MPI_COMM_|communicator )\d+$")
"""Names that a tracer, or reading, gave what the program did not name."""


def info_record(trace: Trace) -> dict[str, Any]:
    """Describe a trace as JSON-able values: what ``topoview info`` prints."""
    return {
        "path": trace.path,
        "name": trace.name,
        "producer": trace.producer,
        "ranks": trace.ranks,
        "locations": len(trace.locations),
        "events": trace.events,
        "records": dict(trace.counts),
        "duration_seconds": trace.clock.seconds(trace.clock.length),
        "clock": {
            "resolution": trace.clock.resolution,
            "origin": trace.clock.origin,
            "aligned": trace.clock.aligned,
        },
        "calls": len(trace.calls),
        "messages": len(trace.messages),
        "messages_without_receive": int(np.sum(trace.messages.receive_time < 0)),
        "collective_parts": len(trace.collectives),
        "communicators": [
            {"name": c.name, "size": len(c.ranks)} for c in trace.communicators
        ],
        "topologies": [_topology(t) for t in trace.topologies],
        "metrics": list(trace.metrics),
        **further_record(trace),
        "health": _health(trace),
        "warnings": list(trace.warnings),
    }


def _health(trace: Trace) -> dict[str, Any]:
    health, clock = trace.health, trace.clock
    if health is None:
        return {}
    found = asdict(health)
    found["findings"] = [asdict(finding) for finding in health.findings]
    found["verdict"] = health.verdict
    done = clock.alignment
    if done is not None:
        found["clocks"] = {
            "half_width_seconds": clock.seconds(done.widest),
            "typical_half_width_seconds": clock.seconds(done.typical),
            "half_width_seconds_of_ranks": [
                clock.seconds(n) if n >= 0 else None for n in done.half_width.tolist()
            ],
            "offset_seconds_of_ranks": [clock.seconds(n) for n in done.offset.tolist()],
            "slack_seconds": clock.seconds(done.slack),
            "violations_before": done.before,
            "violations": done.after,
            "unbounded_ranks": done.unbounded,
        }
    return found


def _topology(declared: CartesianTopology) -> dict[str, Any]:
    return {
        "name": declared.name,
        "dims": list(declared.dims),
        "periodic": [bool(p) for p in declared.periodic],
        "ranks": len(declared.ranks),
    }


def info_text(trace: Trace) -> str:
    """Describe a trace in lines for a reader."""
    clock = trace.clock
    kinds = [location.kind for location in trace.locations[trace.ranks :]]
    further = ", ".join(
        f"{kinds.count(kind)} {word}"
        for kind, word in (
            ("thread", "further threads"),
            ("accelerator", "accelerator streams"),
            ("metric", "metric streams"),
        )
        if kind in kinds
    )
    rows = [
        ("trace", trace.name),
        ("path", trace.path),
        ("producer", trace.producer),
        ("ranks", f"{trace.ranks}"),
        ("locations", f"{len(trace.locations)}" + (f" ({further})" if further else "")),
        ("events", f"{trace.events}"),
        ("duration", f"{clock.seconds(clock.length):.6g} s"),
        ("clock", _clock_words(trace)),
        ("MPI calls", f"{len(trace.calls)}"),
        ("messages", _message_words(trace)),
    ]
    lines = [f"{key:<14}{value}" for key, value in rows]
    lines += _table("communicators", _communicator_lines(trace))
    lines += _table(
        "declared",
        [
            f"{t.name or 'Cartesian topology'}: {_dims_words(t)}"
            for t in trace.topologies
        ],
    )
    lines += _table("metrics", counter_lines(trace))
    lines += _table("named", name_lines(trace))
    lines += _table("markers", marker_lines(trace))
    lines += _table("records", _record_lines(trace))
    if trace.health is not None:
        told = [f"{f.subject}: {f.text}" for f in trace.health.findings]
        lines += _table("health", told)
    lines += _table("warnings", list(trace.warnings))
    return "\n".join(lines)


def _table(title: str, entries: list[str]) -> list[str]:
    heads = [title] + [""] * (len(entries) - 1)
    return [f"{head:<14}{entry}" for head, entry in zip(heads, entries, strict=False)]


def _clock_words(trace: Trace) -> str:
    words = f"{trace.clock.resolution} ticks a second"
    if trace.clock.alignment is not None:
        return f"{words}, aligned by topoview"
    return words if trace.clock.aligned else words + ", not aligned between ranks"


def _message_words(trace: Trace) -> str:
    missing = int(np.sum(trace.messages.receive_time < 0))
    words = f"{len(trace.messages)}"
    return f"{words}, {missing} without a recorded receive" if missing else words


def _communicator_lines(trace: Trace, most: int = 12) -> list[str]:
    """List communicators, those of one name and size, or without names, together."""
    counts = Counter(
        ("" if _NUMBERED.match(c.name) else c.name, len(c.ranks))
        for c in trace.communicators
    )
    lines = [_communicators(*kind, count) for kind, count in counts.items()]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"and {len(lines) - most + 1} further kinds"]


def _communicators(name: str, size: int, count: int) -> str:
    each = _ranks(size) if size else "each alone"
    if count > 1 and size:
        each = f"{each} each"
        return (
            f"{name}: {count} of them, {each}"
            if name
            else f"{count} without a name: {each}"
        )
    return f"{name or 'one without a name'}: {each}"


def _ranks(count: int) -> str:
    return f"{count} rank" + "s" * (count != 1)


def _record_lines(trace: Trace, most: int = 30) -> list[str]:
    counts = sorted(trace.counts, key=lambda entry: (-entry[1], entry[0]))
    lines = [counted(name, count) for name, count in counts]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"and {len(lines) - most + 1} further types"]


def _dims_words(declared: CartesianTopology) -> str:
    dims = " x ".join(str(d) for d in declared.dims)
    wraps = [str(i) for i, p in enumerate(declared.periodic) if p]
    return (
        f"{dims}, periodic in dimension {', '.join(wraps)}"
        if wraps
        else f"{dims}, open"
    )
