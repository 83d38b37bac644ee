"""What a trace holds, in lines for a reader and as JSON: ``topoview info``."""

import re
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from topoview.base.text import duration_text, grouped, one_line, plural, tr
from topoview.model import CartesianTopology, Clock, MetricCounter, Trace
from topoview.report.blocks import Fact, Facts, Page, listed_facts

# Types of event records in plain words.

RECORD_WORDS: Final[dict[str, str]] = {
    "Enter": "regions entered",
    "Leave": "regions left",
    "CallingContextEnter": "regions entered, with their call path",
    "CallingContextLeave": "regions left, with their call path",
    "CallingContextSample": "samples of where a location was",
    "MpiSend": "blocking sends",
    "MpiIsend": "non-blocking sends",
    "MpiIsendComplete": "completions of non-blocking sends",
    "MpiRecv": "blocking receives",
    "MpiIrecvRequest": "non-blocking receives posted",
    "MpiIrecv": "non-blocking receives completed",
    "MpiProbe": "messages found before they are received (Mprobe)",
    "MpiMrecv": "found messages received",
    "MpiImrecvRequest": "non-blocking receives of found messages posted",
    "MpiImrecv": "non-blocking receives of found messages completed",
    "MpiRequestTest": "tests of requests that were not complete",
    "MpiRequestCancelled": "requests cancelled",
    "MpiCollectiveBegin": "begins of collective operations",
    "MpiCollectiveEnd": "ends of collective operations",
    "NonBlockingCollectiveRequest": "non-blocking collective operations posted",
    "NonBlockingCollectiveComplete": "non-blocking collective operations completed",
    "CommCreate": "communicators made",
    "CommDestroy": "communicators freed",
    "BufferFlush": "times that the measurement wrote its buffer",
    "MeasurementOnOff": "times that measurement was switched on or off",
    "ProgramBegin": "begins of programs",
    "ProgramEnd": "ends of programs",
    "Metric": "readings of metrics",
    "ParameterString": "texts of parameters",
    "ParameterInt": "values of parameters",
    "ParameterUnsignedInt": "values of parameters without sign",
    "RmaWinCreate": "RMA windows made",
    "RmaWinDestroy": "RMA windows freed",
    "RmaCollectiveBegin": "begins of collective RMA operations",
    "RmaCollectiveEnd": "ends of collective RMA operations",
    "RmaGroupSync": "RMA synchronisations of groups",
    "RmaRequestLock": "RMA locks asked for",
    "RmaAcquireLock": "RMA locks taken",
    "RmaTryLock": "RMA locks tried",
    "RmaReleaseLock": "RMA locks released",
    "RmaSync": "RMA synchronisations of two",
    "RmaWaitChange": "waits for a change of an RMA window",
    "RmaPut": "RMA puts",
    "RmaGet": "RMA gets",
    "RmaAtomic": "atomic RMA operations",
    "RmaOpCompleteBlocking": "blocking RMA operations completed",
    "RmaOpCompleteNonBlocking": "non-blocking RMA operations completed locally",
    "RmaOpTest": "tests of RMA operations that were not complete",
    "RmaOpCompleteRemote": "RMA operations completed at the other rank",
    "ThreadFork": "parallel regions begun",
    "ThreadJoin": "parallel regions ended",
    "ThreadTeamBegin": "threads that joined a team",
    "ThreadTeamEnd": "threads that left a team",
    "ThreadAcquireLock": "thread locks taken",
    "ThreadReleaseLock": "thread locks released",
    "ThreadTaskCreate": "tasks made",
    "ThreadTaskSwitch": "switches to a task",
    "ThreadTaskComplete": "tasks completed",
    "ThreadCreate": "threads made",
    "ThreadBegin": "begins of threads",
    "ThreadWait": "waits for a thread",
    "ThreadEnd": "ends of threads",
    "OmpFork": "OpenMP parallel regions begun (old form)",
    "OmpJoin": "OpenMP parallel regions ended (old form)",
    "OmpAcquireLock": "OpenMP locks taken (old form)",
    "OmpReleaseLock": "OpenMP locks released (old form)",
    "OmpTaskCreate": "OpenMP tasks made (old form)",
    "OmpTaskSwitch": "switches to an OpenMP task (old form)",
    "OmpTaskComplete": "OpenMP tasks completed (old form)",
    "IoCreateHandle": "files opened",
    "IoDestroyHandle": "files closed",
    "IoDuplicateHandle": "I/O handles copied",
    "IoSeek": "moves to a place in a file",
    "IoChangeStatusFlags": "changes of an I/O handle's flags",
    "IoDeleteFile": "files deleted",
    "IoOperationBegin": "reads, writes and flushes begun",
    "IoOperationTest": "tests of I/O that was not complete",
    "IoOperationIssued": "non-blocking I/O operations issued",
    "IoOperationComplete": "reads, writes and flushes completed",
    "IoOperationCancelled": "I/O operations cancelled",
    "IoAcquireLock": "locks of files taken",
    "IoReleaseLock": "locks of files released",
    "IoTryLock": "locks of files tried",
}
"""What each type counts, by OTF2's name of it."""


def count_records(name: str, count: int) -> str:
    """Describe how many records of a type there are."""
    words = RECORD_WORDS.get(name)
    return f"{name}: {count}" + (f" ({words})" if words else "")


# What a trace holds besides calls and messages, in a few lines each.

_COUNTER_MODES: Final = {
    "grows": "counts up",
    "value": "",
    "change": "change since the last reading",
}
_NAME_KINDS: Final = {
    "attribute": "attributes",
    "parameter": "parameters",
    "RMA window": "RMA windows",
    "I/O file": "files",
    "I/O handle": "I/O handles",
    "sampling": "samplers",
    "source line": "source lines",
    "call path": "call paths",
}
_MAX_NAMES_SHOWN: Final = 6
"""Names that are told of each kind."""


def counter_lines(trace: Trace) -> list[str]:
    """Describe the metrics: what they count, in which unit; like ones together.

    A metric of several definitions is a line, with what those that say most agree in;
    so are metrics whose names differ by numbers: ``hwmon[2-5]:power1 (4, counts up)``.
    """
    defined: dict[str, list[tuple[str, ...]]] = {}
    for counter in trace.counters:
        defined.setdefault(counter.name, []).append(_counter_words(counter))
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in defined or dict.fromkeys(trace.metrics):
        words = _agreed(defined.get(name, [()]))
        words = tuple(word for word in words if word != name)
        alike.setdefault((_NUMBER.sub("#", name), words), []).append(name)
    return [_counter_line(names, words) for (_, words), names in alike.items()]


def _agreed(definitions: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that all of the longest definitions have."""
    longest = max(map(len, definitions))
    first, *others = (words for words in definitions if len(words) == longest)
    return tuple(word for word in first if all(word in words for words in others))


_NUMBER: Final = re.compile(r"\d+")


def _counter_words(counter: MetricCounter) -> tuple[str, ...]:
    parts = (
        counter.words,
        _COUNTER_MODES[counter.mode],
        counter.scope,
        counter.description,
    )
    return tuple(word for word in parts if word and word != "#")


def _counter_line(names: list[str], words: tuple[str, ...]) -> str:
    text = ", ".join([f"{len(names)}"] * (len(names) > 1) + list(words))
    return f"{_joined(names)} ({text})" if text else names[0]


def _joined(names: list[str]) -> str:
    """Write names that differ by numbers as one, with the numbers' ranges."""
    columns = zip(*map(_NUMBER.findall, names), strict=True)
    numbers = [list(map(int, column)) for column in columns]
    ranges = (f"[{min(n)}-{max(n)}]" if min(n) < max(n) else "" for n in numbers)
    return _NUMBER.sub(lambda match: next(ranges) or match[0], names[0])


def name_lines(trace: Trace) -> list[str]:
    """List what identifiers in records mean: some names of each kind."""
    lines = []
    for named in trace.names:
        names = [name for name in dict.fromkeys(named.names) if name]
        shown = ", ".join(names[:_MAX_NAMES_SHOWN])
        more = len(named.names) - len(names[:_MAX_NAMES_SHOWN])
        kind = _NAME_KINDS.get(named.kind, f"{named.kind}s")
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
    for marker in trace.markers[:_MAX_NAMES_SHOWN]:
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


_GIVEN_NAME: Final = re.compile(r"(MPI_COMM_|communicator )\d+$")
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
        **event_counts(trace),
        "communicators": [
            {"name": c.name, "size": len(c.ranks)} for c in trace.communicators
        ],
        "topologies": [_topology(t) for t in trace.topologies],
        "metrics": list(trace.metrics),
        **further_record(trace),
        "health": _health(trace),
        "warnings": list(trace.warnings),
    }


def event_counts(trace: Trace) -> dict[str, int]:
    """Count what a trace holds; of a digest what the trace held that it is of."""
    digest = trace.digest
    if digest is not None:
        return {
            "calls": digest.calls,
            "messages": digest.messages,
            "messages_without_receive": digest.without_receive,
            "collective_parts": digest.collective_parts,
            "never_left": len(trace.never_left),
        }
    return {
        "calls": len(trace.calls),
        "messages": len(trace.messages),
        "messages_without_receive": int(np.sum(trace.messages.receive_time < 0)),
        "collective_parts": len(trace.collectives),
        "never_left": len(trace.never_left),
    }


def _health(trace: Trace) -> dict[str, Any]:
    health, clock = trace.health, trace.clock
    if health is None:
        return {}
    result = asdict(health)
    result["findings"] = [asdict(finding) for finding in health.findings]
    result["verdict"] = health.verdict
    done = clock.alignment
    if done is not None:
        result["clocks"] = {
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
    return result


def _topology(declared: CartesianTopology) -> dict[str, Any]:
    return {
        "name": declared.name,
        "dims": list(declared.dims),
        "periodic": [bool(p) for p in declared.periodic],
        "ranks": len(declared.ranks),
    }


def trace_facts(trace: Trace) -> dict[str, str]:
    """Return what a trace is, where it was recorded and how large it is, in words."""
    clock, counts = trace.clock, event_counts(trace)
    kinds = [place.kind for place in trace.locations[trace.ranks :]]
    further = ", ".join(
        f"{kinds.count(kind)} {word}"
        for kind, word in (
            ("thread", "other threads"),
            ("accelerator", "accelerator streams"),
            ("metric", "metric streams"),
        )
        if kind in kinds
    )
    facts = {
        "trace": one_line(trace.name),
        "producer": trace.producer,
        "recorded": _recorded_words(trace),
        "machine": _machine_words(trace),
        "ranks": grouped(trace.ranks),
        "locations": grouped(len(trace.locations)) + (f" ({further})" * bool(further)),
        "events": grouped(trace.events),
        "duration": f"{clock.seconds(clock.length):.6g} s",
        "clock": _clock_words(trace),
        "MPI calls": grouped(counts["calls"]),
        "messages": _message_words(counts),
    }
    return {name: words for name, words in facts.items() if words}


def _recorded_words(trace: Trace) -> str:
    """Describe when a trace was recorded, as it says itself; empty if it does not."""
    for table in trace.definitions:
        if table.name == "ClockProperties" and "realtime" in table.fields:
            stamp = int(table.values[0][table.fields.index("realtime")])
            if 0 < stamp < 1 << 62:
                when = datetime.fromtimestamp(stamp // 10**9, UTC)
                return f"{when:%Y-%m-%d %H:%M} UTC"
    return ""


def _machine_words(trace: Trace) -> str:
    """Count the nodes of the machine by kind, and name what there is one of."""
    names: dict[str, list[str]] = {}
    for node in trace.nodes:
        names.setdefault(node.kind, []).append(node.name)
    return ", ".join(
        plural(len(some), kind) if len(some) > 1 else " ".join({kind: 0, some[0]: 0})
        for kind, some in names.items()
    )


def info_page(trace: Trace) -> Page:
    """Describe a trace for a reader."""
    declared = [
        f"{t.name or 'Cartesian topology'}: {_dims_words(t)}" for t in trace.topologies
    ]
    health = trace.health.findings if trace.health is not None else ()
    lists = {
        "path": [one_line(trace.path)],
        "communicators": _communicator_lines(trace),
        "declared": declared,
        "metrics": counter_lines(trace),
        "named": name_lines(trace),
        "markers": marker_lines(trace),
        "records": _record_lines(trace),
        "health": [f"{finding.subject}: {finding.text}" for finding in health],
        "warnings": list(trace.warnings),
    }
    facts = [Fact(name, (words,)) for name, words in trace_facts(trace).items()]
    for name, lines in lists.items():
        facts += listed_facts(name, lines)
    return Page(blocks=(Facts(tuple(facts)),))


UNALIGNED_CLOCKS = tr("clocks not aligned between ranks")


def clock_remarks(clock: Clock, ranks: int = 2) -> tuple[str, ...]:
    """Describe how far times of different ranks can be compared, if not fully."""
    if ranks > 1 and not clock.aligned:
        return (UNALIGNED_CLOCKS,)
    if clock.alignment is None:
        return ()
    error = duration_text(clock.seconds(clock.alignment.widest))
    return (tr("clock correction error < {error}", error=error),)


def _clock_words(trace: Trace) -> str:
    remarks = clock_remarks(trace.clock, trace.ranks)
    return ", ".join((f"{trace.clock.resolution} ticks a second", *remarks))


def _message_words(counts: dict[str, int]) -> str:
    missing, words = counts["messages_without_receive"], grouped(counts["messages"])
    return f"{words}, {missing} without a recorded receive" if missing else words


def _communicator_lines(trace: Trace) -> list[str]:
    """List communicators, those of one name and size, or without names, together."""
    counts = Counter(
        ("" if _GIVEN_NAME.match(c.name) else c.name, len(c.ranks))
        for c in trace.communicators
    )
    lines = [_communicators(*kind, count) for kind, count in counts.items()]
    return _first_lines(lines, 12, "kinds")


def _first_lines(lines: list[str], most: int, what: str) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"and {len(lines) - most + 1} other {what}"]


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


def _record_lines(trace: Trace) -> list[str]:
    counts = sorted(trace.counts, key=lambda entry: (-entry[1], entry[0]))
    lines = [count_records(name, count) for name, count in counts]
    return _first_lines(lines, 30, "types")


def _dims_words(declared: CartesianTopology) -> str:
    dims = " x ".join(str(d) for d in declared.dims)
    wraps = [str(i) for i, p in enumerate(declared.periodic) if p]
    return (
        f"{dims}, periodic in dimension {', '.join(wraps)}"
        if wraps
        else f"{dims}, open"
    )
