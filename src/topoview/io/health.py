"""How completely a trace was read: counts, findings and warnings, in sentences.

Every record is accounted for: read, matched, inferred from its partner, left out for a
reason, or lost in a damaged file. The same facts are given as the model's `Health`, and
as the warnings that are shown when the trace is opened.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from topoview.base.text import duration_text, plural, size_text
from topoview.io.clocks.correction import must_align
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.library import MAX_LOCATION_PATHS, MAX_PATH_DEPTH
from topoview.io.unrecorded import find_unrecorded, unrecorded_warnings
from topoview.model import (
    Clock,
    ClockAlignment,
    FileLoss,
    Health,
    HealthFinding,
    HealthVerdict,
    Indices,
    Ints,
    LeftOutRecords,
    Location,
    Trace,
    recorded_run,
)

_MAX_FILES_LISTED: Final = 6
"""Files that are told one by one."""


def file_losses(
    events: RecordedEvents, locations: Sequence[Location]
) -> tuple[FileLoss, ...]:
    """List the files of locations in which something is wrong, by rank."""
    place = {str(location.id): location for location in locations}
    losses = [
        FileLoss(
            file,
            place[file.rpartition(".")[0]].id,
            place[file.rpartition(".")[0]].rank,
            fault,
            events.lost_in.get(file) if kind == "evt" else 0,
        )
        for (kind, fault), files in events.faults.items()
        for file in files
    ]
    return tuple(sorted(losses, key=lambda loss: (loss.rank, loss.location, loss.file)))


def loss_findings(losses: tuple[FileLoss, ...]) -> list[HealthFinding]:
    """Describe what is lost, of the first few locations."""
    texts = [_loss_text(loss) for loss in losses[:_MAX_FILES_LISTED]]
    if len(losses) > _MAX_FILES_LISTED:
        texts.append(
            f"{len(losses) - _MAX_FILES_LISTED} other files are missing or damaged."
        )
    return [
        HealthFinding("files", HealthVerdict.INCOMPLETE.value, text) for text in texts
    ]


def _loss_text(loss: FileLoss) -> str:
    what = f"{loss.file} of rank {loss.rank} is {loss.fault}"
    if loss.file.endswith(".def"):
        return f"{what}: it holds local definitions."
    if loss.lost is None:
        return f"{what}: how many events are lost is not known."
    return f"{what}: {loss.lost} event{'s are' if loss.lost != 1 else ' is'} lost."


# Sends and receives accounted for: matched, inferred, left out, and why.

_SENDS: Final = ("MpiSend", "MpiIsend")
_RECEIVES: Final = ("MpiRecv", "MpiIrecv", "MpiMrecv", "MpiImrecv")

_TO_NOBODY: Final = "to MPI_PROC_NULL"
_FROM_NOBODY: Final = "from MPI_PROC_NULL"
_CANCELLED: Final = "cancelled by the program"
_OR_DAMAGED: Final = f"{_TO_NOBODY}, or contain invalid numbers"
_UNKNOWN: Final = "with a partner that is not in their communicator"
_FROM_SELF: Final = "from the own rank, which sent none"
_STALE: Final = (
    "with the sender of another message, as EZTrace writes where some of several "
    "requests complete; they are inferred from their sends"
)
_UNSET: Final = "without a message: EZTrace read a status that the program ignores"
_NO_RECEIVES: Final = "ends of sends, as EZTrace writes for persistent ones, or damaged"

_VERDICT_BY_REASON: Final = {
    _TO_NOBODY: HealthVerdict.EXACT,
    _FROM_NOBODY: HealthVerdict.EXACT,
    _CANCELLED: HealthVerdict.EXACT,
    _FROM_SELF: HealthVerdict.REPAIRED,
    _STALE: HealthVerdict.REPAIRED,
    _UNSET: HealthVerdict.REPAIRED,
    _NO_RECEIVES: HealthVerdict.REPAIRED,
}


def left_out_records(
    events: RecordedEvents, matched: int
) -> tuple[LeftOutRecords, ...]:
    """Find which records of messages made no message, and why.

    What has no other reason is what the files hold more than that.
    """
    tally, counts = events.tally, dict(events.counts)
    unknown = tally.unknown_partners - tally.unknown_senders
    sends = sum(counts.get(name, 0) for name in _SENDS)
    receives = sum(counts.get(name, 0) for name in _RECEIVES)
    explained = (
        tally.unknown_senders
        + tally.null_receives
        + tally.from_self
        + tally.stale
        + tally.unset
    )
    nowhere = _OR_DAMAGED if events.spoilt else _TO_NOBODY
    parts = (
        ("sends", unknown, _UNKNOWN),
        ("sends", events.cancelled, _CANCELLED),
        (
            "sends",
            sends - matched - tally.no_receive - unknown - events.cancelled,
            nowhere,
        ),
        ("receives", tally.unknown_senders, _UNKNOWN),
        ("receives", tally.null_receives, _FROM_NOBODY),
        ("receives", tally.from_self, _FROM_SELF),
        ("receives", tally.stale, _STALE),
        ("receives", tally.unset, _UNSET),
        ("receives", receives - matched - tally.no_send - explained, _NO_RECEIVES),
    )
    return tuple(
        LeftOutRecords(records, count, reason)
        for records, count, reason in parts
        if count > 0
    )


def message_findings(
    events: RecordedEvents,
    matched: int,
    out: tuple[LeftOutRecords, ...],
    is_eztrace: bool,
) -> list[HealthFinding]:
    """Report which sends and receives are matched, inferred or left out, and why."""
    tally = events.tally
    if not len(events.messages) and not out:
        return []
    findings = []
    if not tally.no_receive and not tally.no_send:
        text = f"All {matched} sends and receives are matched with each other."
        findings.append(HealthFinding("messages", HealthVerdict.EXACT.value, text))
    else:
        text = (
            f"{matched} sends are matched with their receives, "
            f"{tally.no_receive} have none, {tally.no_send} receives have no send."
        )
        is_usual = (is_eztrace or events.unread > 0) and not events.lost
        verdict = HealthVerdict.REPAIRED if is_usual else HealthVerdict.INCOMPLETE
        findings.append(HealthFinding("messages", verdict.value, text))
    if tally.no_receive:
        why = _why_no_receive(events, is_eztrace)
        text = f"{tally.no_receive} receives are inferred from their sends: {why}."
        findings.append(HealthFinding("receives", HealthVerdict.REPAIRED.value, text))
    if tally.no_send:
        why = _why_no_send(events)
        text = f"{tally.no_send} sends are inferred from their receives: {why}."
        findings.append(HealthFinding("sends", HealthVerdict.REPAIRED.value, text))
    if tally.loosely:
        text = (
            f"{tally.loosely} receives name a communicator in which nothing was sent; "
            "they are matched by tag and rank in any communicator."
        )
        findings.append(HealthFinding("receives", HealthVerdict.REPAIRED.value, text))
    findings += [
        HealthFinding(
            "partners",
            _VERDICT_BY_REASON.get(part.reason, HealthVerdict.INCOMPLETE).value,
            f"{part.count} records of {part.records} are left out: they are "
            f"{part.reason}.",
        )
        for part in out
    ]
    return findings


def _why_no_receive(events: RecordedEvents, is_eztrace: bool) -> str:
    messages = events.messages
    missing = events.tally.no_receive
    alone = np.flatnonzero(messages.receive_time < 0)
    silent = _count_silent(messages.receiver[alone], events)
    off = _count_off(messages.receiver[alone], messages.send_time[alone], events)
    late = _count_before(messages.receiver[alone], messages.send_time[alone], events)
    whys = []
    if silent:
        whys.append(f"{silent} went to ranks without events")
    if off:
        whys.append(f"{off} fell into times in which the receiver was not recorded")
    if late:
        whys.append(f"{late} were sent before the recording of the receiver began")
    if silent + off + late < missing:
        if events.unread:
            whys.append("they may complete behind what was read")
        elif events.lost:
            or_so = ", or EZTrace recorded none" if is_eztrace else ""
            whys.append(f"events were lost{or_so}")
        elif is_eztrace:
            whys.append("EZTrace records none in programs in C that wait for them")
        else:
            whys.append("they did not complete before the recording ended")
    return ", ".join(whys)


def _why_no_send(events: RecordedEvents) -> str:
    messages = events.messages
    alone = np.flatnonzero(messages.send_time < 0)
    silent = _count_silent(messages.sender[alone], events)
    off = _count_off(messages.sender[alone], messages.receive_time[alone], events)
    whys = []
    if silent:
        whys.append(f"{silent} came from ranks without events")
    if off:
        whys.append(f"{off} fell into times in which the sender was not recorded")
    if silent + off < events.tally.no_send:
        if events.lost:
            whys.append("events were lost")
        elif events.unread:
            whys.append("the rest was not read")
        else:
            whys.append("the trace was cut, or begins later")
    return ", ".join(whys)


def _count_off(ranks: Indices, times: Ints, events: RecordedEvents) -> int:
    """Count messages whose other end may lie in a gap of its rank.

    That is one that ends behind the time of the end that is recorded, or began before.
    """
    gaps = events.gaps[events.gaps[:, 1] >= 0]
    return int(np.count_nonzero(np.isin(ranks, gaps[:, 0]) & (times >= 0)))


def _count_before(ranks: Indices, times: Ints, events: RecordedEvents) -> int:
    """Count messages whose recorded end lies before the recording of the other rank.

    Of ranks that begin late, and of which nothing else is missing.
    """
    late = events.gaps[events.gaps[:, 1] < 0]
    others = events.gaps[events.gaps[:, 1] >= 0]
    late = late[~np.isin(late[:, 0], others[:, 0])]
    begins = np.full(len(events.last), -1, np.int64)
    begins[late[:, 0]] = late[:, 2]
    return int(np.count_nonzero((times >= 0) & (times < begins[ranks])))


def _count_silent(ranks: Indices, events: RecordedEvents) -> int:
    """Count messages of which the other end is a rank of which nothing was read."""
    # Rows of main threads are numbered as ranks.
    return int((events.last[ranks] < 0).sum())


def account_for(outcome: "ReadOutcome", trace: Trace) -> Health:
    """Account for what was read."""
    events, is_eztrace = outcome.events, outcome.is_eztrace
    definitions_whole = outcome.definitions_whole
    tally, messages, clock = events.tally, events.messages, trace.clock
    lost = file_losses(events, trace.locations)
    matched = len(messages) - tally.no_receive - tally.no_send
    out = left_out_records(events, matched)
    files = sum(len(names) for names in events.faults.values())
    worst = clock.seconds(tally.worst)
    findings = (
        _files_finding(files + (not definitions_whole), definitions_whole),
        *loss_findings(lost),
        _events_finding(events),
        *message_findings(events, matched, out, is_eztrace),
        *_call_findings(outcome, trace),
        *_clock_findings(events, clock, matched) * (trace.ranks > 1),
    )
    return Health(
        events=events.count,
        events_lost=events.lost,
        damaged_files=files + (not definitions_whole),
        sends=matched + tally.no_receive,
        receives=matched + tally.no_send,
        matched=matched,
        loosely=tally.loosely,
        inferred_receives=tally.no_receive,
        inferred_sends=tally.no_send,
        dropped=tally.unknown_partners,
        violations=tally.backwards,
        worst_seconds=worst,
        findings=findings,
        send_records=_count_records(matched, tally.no_receive, out, "sends"),
        receive_records=_count_records(matched, tally.no_send, out, "receives"),
        left_out=out,
        losses=lost,
    )


def _call_findings(outcome: "ReadOutcome", trace: Trace) -> list[HealthFinding]:
    """Report calls, operations and regions that are not as in a whole recording."""
    events, texts = outcome.events, []
    if len(events.never_left):
        row = np.searchsorted(trace.calls.offsets, events.never_left, side="right") - 1
        ranks = len(np.unique(trace.rank_of_location[row]))
        texts.append(
            (
                "calls",
                f"{plural(len(row), 'call')} on {plural(ranks, 'rank')} "
                f"{'was' if len(row) == 1 else 'were'} never left: the program hung or "
                "was ended there; they are shown to the end of the trace.",
            )
        )
    if outcome.incomplete_operations and not events.unread:
        why = _why_incomplete(events)
        texts.append(
            (
                "collectives",
                f"{plural(outcome.incomplete_operations, 'collective operation')} "
                f"without some of the members: {why}.",
            )
        )
    if events.overlaps:
        texts.append(
            (
                "regions",
                f"{plural(events.overlaps, 'region')} not nested: left while others "
                "that were entered later stayed open; each lasts to its own end.",
            )
        )
    verdict = HealthVerdict.INCOMPLETE.value
    return [HealthFinding(subject, verdict, text) for subject, text in texts]


def _why_incomplete(events: RecordedEvents) -> str:
    if len(events.gaps) and (events.gaps[:, 1] >= 0).any():
        return "their recording was switched off"
    if events.lost or events.faults:
        return "events were lost"
    if len(events.never_left):
        return "they never came, or never left"
    if (events.last < 0).any():
        return "some ranks have no events"
    return "the trace does not say why"


def _count_records(
    matched: int, alone: int, out: tuple[LeftOutRecords, ...], records: str
) -> int:
    return matched + alone + sum(part.count for part in out if part.records == records)


def _files_finding(damaged: int, definitions_whole: bool) -> HealthFinding:
    if not damaged:
        return HealthFinding("files", HealthVerdict.EXACT.value, "All files are whole.")
    which = "" if definitions_whole else "; the definitions were read in part"
    are = "1 file is" if damaged == 1 else f"{damaged} files are"
    return HealthFinding(
        "files", HealthVerdict.INCOMPLETE.value, f"{are} missing or damaged{which}."
    )


def _events_finding(events: RecordedEvents) -> HealthFinding:
    if events.lost:
        return HealthFinding(
            "events",
            HealthVerdict.INCOMPLETE.value,
            f"{events.count} of {events.count + events.lost} events that the files "
            "announce were read; the others cannot be.",
        )
    bad = sum(len(files) for (kind, _), files in events.faults.items() if kind == "evt")
    if bad:
        return HealthFinding(
            "events",
            HealthVerdict.INCOMPLETE.value,
            f"{events.count} events were read; how many the missing or damaged files "
            "held besides is not known.",
        )
    if events.spoilt or events.astray:
        return HealthFinding(
            "events",
            HealthVerdict.REPAIRED.value,
            f"All {events.count} events were read; {events.spoilt} contain "
            f"invalid numbers and are left out, {events.astray} are outside of any MPI "
            "call and belong to the call before.",
        )
    if events.unread:
        return HealthFinding(
            "events",
            HealthVerdict.EXACT.value,
            f"{events.count} events were read: as many as the files' chunks announce, "
            f"for every location. The rest of the files, {size_text(events.unread)}, "
            "is before or behind the stretch of time that was asked for.",
        )
    return HealthFinding(
        "events",
        HealthVerdict.EXACT.value,
        f"All {events.count} events were read: as many as the files' chunks announce, "
        "for every location.",
    )


_UNALIGNED: Final = (
    "The clocks of the ranks are not aligned: each rank's first event is taken as time "
    "0, and times of different ranks cannot be compared. Too few messages and "
    "collective operations are recorded to align them."
)


def _clock_findings(
    events: RecordedEvents, clock: Clock, matched: int
) -> list[HealthFinding]:
    tally, done = events.tally, events.alignment
    if not events.aligned:
        verdict = HealthVerdict.INCOMPLETE
        return [HealthFinding("clocks", verdict.value, _UNALIGNED)]
    if done is not None:
        sentences = _alignment_warnings(clock, done)
        if matched:
            sentences.append(
                f"{done.before} of {matched} messages were received before they were "
                f"sent, now {done.after}."
            )
        text = " ".join(sentences)
        return [HealthFinding("clocks", HealthVerdict.REPAIRED.value, text)]
    if not matched:
        return []
    if not tally.backwards:
        text = "No message was received before it was sent."
        return [HealthFinding("clocks", HealthVerdict.EXACT.value, text)]
    text = (
        f"{tally.backwards} of {matched} messages were received before they were "
        f"sent, by up to {_took(clock, tally.worst)}, by the producer's clocks."
    )
    is_sound = not must_align(True, tally.worst, clock.resolution)
    verdict = HealthVerdict.EXACT if is_sound else HealthVerdict.INCOMPLETE
    return [HealthFinding("clocks", verdict.value, text)]


_MAX_UNWARNED_VIOLATION_SECONDS: Final = 1e-3
_MAX_UNWARNED_DRIFT_SECONDS: Final = 30e-6
"""Slack that constant offsets of clocks may need, as those of Score-P do."""


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """What reading found."""

    definitions_whole: bool
    events: RecordedEvents
    is_eztrace: bool
    marker_fault: str = ""
    snapshots: int = 0
    incomplete_operations: int = 0
    """Collective operations in which some members' parts are not recorded."""


def add_warnings_and_health(trace: Trace, outcome: ReadOutcome) -> Trace:
    """Add warnings and health to a trace."""
    unrecorded = find_unrecorded(trace, outcome.is_eztrace)
    sentences = [
        *_damage_warnings(outcome),
        *unrecorded_warnings(unrecorded),
        *_far_warnings(trace, outcome.events),
        *_clock_warnings(trace, outcome),
        *_message_warnings(trace, outcome),
    ]
    if outcome.snapshots:
        sentences.append(
            f"The trace has {outcome.snapshots} file{'s' * (outcome.snapshots > 1)} of "
            "snapshots. They repeat what the events say, and are not read."
        )
    health = account_for(outcome, trace)
    warnings = tuple(sentences)
    return replace(trace, warnings=warnings, unrecorded=unrecorded, health=health)


def _damage_warnings(outcome: ReadOutcome) -> list[str]:
    sentences = []
    if not outcome.definitions_whole:
        sentences.append(
            "The definitions are damaged and were read in part: names, ranks or "
            "communicators may be missing."
        )
    for (kind, fault), files in outcome.events.faults.items():
        what = "events" if kind == "evt" else "local definitions"
        if len(files) == 1:
            sentences.append(f"The file {files[0]} ({what}) is {fault}.")
        else:
            sentences.append(
                f"{len(files)} files of {what} are {fault}, {files[0]} the first."
            )
    if outcome.events.lost:
        all_events = outcome.events.lost + outcome.events.count
        sentences.append(
            f"{outcome.events.lost} of {all_events} events could not be read."
        )
    if outcome.events.spoilt:
        sentences.append(
            f"{outcome.events.spoilt} event records contain invalid numbers; they "
            "were left out."
        )
    if outcome.events.path_cut:
        sentences.append(
            "Some call paths are cut off: at most "
            f"{MAX_PATH_DEPTH} levels are kept, and {MAX_LOCATION_PATHS} different "
            "paths per location."
        )
    if outcome.marker_fault:
        sentences.append(
            f"The file of markers is {outcome.marker_fault}: some may be missing."
        )
    if ("def", "missing") in outcome.events.faults:
        sentences.append(
            "Without local definitions names may be wrong, and clocks uncorrected."
        )
    return sentences


def _far_warnings(trace: Trace, events: RecordedEvents) -> list[str]:
    """Warn of a location that begins, or ends, far from all others."""
    rows = np.flatnonzero(events.last >= 0)
    first, last = events.first[rows], events.last[rows]
    begin, end = recorded_run(first, last, hangs=len(events.never_left) > 0)
    took = _took(trace.clock, max(end - begin, 1))
    return [
        f"Rank {trace.locations[row].rank}'s {which} event lies "
        f"{duration_text(trace.clock.seconds(ticks))} {side} those of all others, "
        f"which take {took}: that time cannot be right."
        for is_far, ticks, which, side in (
            (last > end, int(last.max(initial=0)) - end, "last", "behind"),
            (first < begin, begin - int(first.min(initial=0)), "first", "before"),
        )
        for row in rows[is_far].tolist()
    ]


def _clock_warnings(trace: Trace, outcome: ReadOutcome) -> list[str]:
    if not trace.clock.aligned and trace.ranks > 1:
        return [_UNALIGNED]
    if trace.clock.alignment is not None:
        return _alignment_warnings(trace.clock, trace.clock.alignment)
    tally = outcome.events.tally
    worst = trace.clock.seconds(tally.worst)
    if worst > _MAX_UNWARNED_VIOLATION_SECONDS:
        matched = len(trace.messages) - tally.no_send - tally.no_receive
        return [
            f"{tally.backwards} of {matched} messages were received before they were "
            f"sent, by up to {worst:.3g} s: the clocks of the ranks disagree."
        ]
    return []


def _took(clock: Clock, ticks: float) -> str:
    return duration_text(clock.seconds(ticks))


def _alignment_warnings(clock: Clock, alignment: ClockAlignment) -> list[str]:
    sentences = [
        "The clocks of the ranks were not aligned; topoview aligned them by messages "
        f"and collective operations, to within {_took(clock, alignment.widest)} "
        f"({_took(clock, alignment.typical)} for half of the ranks)."
    ]
    if alignment.unbounded:
        sentences.append(
            f"The clocks of {alignment.unbounded} ranks are not synchronised with the "
            "others: their times cannot be compared."
        )
    if clock.seconds(alignment.slack) > _MAX_UNWARNED_DRIFT_SECONDS:
        sentences.append(
            "The clocks drift: constant offsets do not fit, by "
            f"{_took(clock, alignment.slack)}; {alignment.after} messages are received "
            "before they are sent."
        )
    return sentences


def _message_warnings(trace: Trace, outcome: ReadOutcome) -> list[str]:
    tally, sentences = outcome.events.tally, []
    count = len(trace.messages)
    if tally.no_receive:
        spoilt = any(kind == "evt" for kind, _ in outcome.events.faults)
        why = (
            ": EZTrace does not record them for programs in C that wait for them"
            if outcome.is_eztrace and not spoilt
            else ", in the part of the trace that was read"
            if outcome.events.unread
            else ""
        )
        sentences.append(
            f"The receives of {tally.no_receive} of {count} messages are not "
            f"recorded{why}; the receivers are taken from their sends."
        )
    if tally.no_send:
        sentences.append(
            f"The sends of {tally.no_send} of {count} messages are not recorded; "
            "the senders are taken from their receives."
        )
    if outcome.events.astray:
        sentences.append(
            f"{outcome.events.astray} records of messages and collectives are outside "
            "of any MPI call; they are taken to belong to the call before."
        )
    if tally.unknown_partners:
        sentences.append(
            f"{tally.unknown_partners} records of messages name a partner that is "
            "not in their communicator, or more bytes than there can be; they are "
            "left out."
        )
    if tally.unset:
        sentences.append(
            f"{tally.unset} receive records hold no message: EZTrace read them from a "
            "status that the program ignores (in MPI_Waitany, MPI_Testsome and the "
            "like). They are left out; received messages are taken from their sends."
        )
    return sentences
