"""What the user should know about a trace and its repair, in sentences."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from topoview.io.decoder.paths import DEEPEST, MOST
from topoview.io.health import examine
from topoview.io.recorded import Recorded
from topoview.model import Alignment, Clock, Trace

_TOLERATED_SECONDS: Final = 1e-3
_DRIFT_SECONDS: Final = 30e-6
"""Slack that constant offsets of clocks may need, as those of Score-P do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What reading found."""

    definitions_whole: bool
    events: Recorded
    is_eztrace: bool
    marker_fault: str = ""
    snapshots: int = 0


def tell(trace: Trace, outcome: Outcome) -> Trace:
    """Add warnings and health to a trace."""
    sentences = [
        *_damage(outcome),
        *_sendrecv(trace, outcome),
        *_clock(trace, outcome),
        *_messages(trace, outcome),
    ]
    if outcome.snapshots:
        sentences.append(
            f"The trace has {outcome.snapshots} file{'s' * (outcome.snapshots > 1)} of "
            "snapshots. They repeat what the events say, and are not read."
        )
    health = examine(
        outcome.events, trace, outcome.definitions_whole, outcome.is_eztrace
    )
    return replace(trace, warnings=tuple(sentences), health=health)


def _damage(outcome: Outcome) -> list[str]:
    told = []
    if not outcome.definitions_whole:
        told.append(
            "The definitions are damaged and were read in part: names, ranks or "
            "communicators may be missing."
        )
    for (kind, fault), files in outcome.events.faults.items():
        what = "events" if kind == "evt" else "local definitions"
        if len(files) == 1:
            told.append(f"The file {files[0]} ({what}) is {fault}.")
        else:
            told.append(
                f"{len(files)} files of {what} are {fault}, {files[0]} the first."
            )
    if outcome.events.lost:
        all_events = outcome.events.lost + outcome.events.count
        told.append(f"{outcome.events.lost} of {all_events} events could not be read.")
    if outcome.events.spoilt:
        told.append(
            f"{outcome.events.spoilt} event records hold numbers that are none; they "
            "were left out."
        )
    if outcome.events.path_cut:
        told.append(
            f"Some MPI calls are told in fewer regions than they were made in: of a "
            f"call's regions {DEEPEST} levels are kept, and {MOST} different paths of "
            "a location."
        )
    if outcome.marker_fault:
        told.append(
            f"The file of markers is {outcome.marker_fault}: some may be missing."
        )
    if ("def", "missing") in outcome.events.faults:
        told.append(
            "Without local definitions names may be wrong, and clocks uncorrected."
        )
    return told


def _clock(trace: Trace, outcome: Outcome) -> list[str]:
    if not trace.clock.aligned and trace.ranks > 1:
        return [
            "The clocks of the ranks are not aligned: each rank's first event is "
            "taken as time 0, and times of different ranks cannot be compared. Too "
            "few messages and collective operations are recorded to align them."
        ]
    if trace.clock.alignment is not None:
        return _alignment(trace.clock, trace.clock.alignment)
    tally = outcome.events.tally
    worst = trace.clock.seconds(tally.worst)
    if worst > _TOLERATED_SECONDS:
        matched = len(trace.messages) - tally.no_send - tally.no_receive
        return [
            f"{tally.backwards} of {matched} messages were received before they were "
            f"sent, by up to {worst:.3g} s: the clocks of the ranks disagree."
        ]
    return []


def _alignment(clock: Clock, alignment: Alignment) -> list[str]:
    told = [
        "The clocks of the ranks were not aligned; topoview aligned them by messages "
        f"and collective operations, to within {clock.words(alignment.widest)} "
        f"({clock.words(alignment.typical)} for half of the ranks)."
    ]
    if alignment.unbounded:
        told.append(
            f"Nothing tells the clocks of {alignment.unbounded} ranks: their times "
            "cannot be compared with those of others."
        )
    if clock.seconds(alignment.slack) > _DRIFT_SECONDS:
        told.append(
            "The clocks drift: constant offsets do not fit, by "
            f"{clock.words(alignment.slack)}; {alignment.after} messages are received "
            "before they are sent."
        )
    return told


def _messages(trace: Trace, outcome: Outcome) -> list[str]:
    tally, told = outcome.events.tally, []
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
        told.append(
            f"The receives of {tally.no_receive} of {count} messages are not "
            f"recorded{why}; their sends tell who received them."
        )
    if tally.no_send:
        told.append(
            f"The sends of {tally.no_send} of {count} messages are not recorded; "
            "their receives tell who sent them."
        )
    if outcome.events.astray:
        told.append(
            f"{outcome.events.astray} records of messages and collectives are outside "
            "of any MPI call; they are taken to belong to the call before."
        )
    if tally.unknown_partners:
        told.append(
            f"{tally.unknown_partners} records of messages name a partner that is "
            "not in their communicator, or more bytes than there can be; they are "
            "left out."
        )
    if tally.unset:
        told.append(
            f"{tally.unset} records of receives hold no message: EZTrace read them "
            "from a status that the program ignores (in MPI_Waitany, MPI_Testsome and "
            "the like). They are left out; the sends tell what was received."
        )
    return told


def _sendrecv(trace: Trace, outcome: Outcome) -> list[str]:
    """EZTrace records no message for MPI_Sendrecv."""
    names = ("Sendrecv", "Sendrecv_replace")
    operations = trace.regions.operations
    wanted = [operations.index(name) for name in names if name in operations]
    if not wanted or not len(trace.calls):
        return []
    combined = np.isin(trace.regions.operation, wanted)[trace.calls.region]
    if not combined.any():
        return []
    sending = np.zeros(len(trace.calls), np.bool_)
    for column in (trace.messages.send_call, trace.messages.completion_call):
        sending[column[column >= 0]] = True
    silent = int(np.sum(combined & ~sending))
    if not silent or not (outcome.is_eztrace or not np.any(combined & sending)):
        return []
    return [
        f"{silent} calls of MPI_Sendrecv left no message in the trace: what they "
        "exchanged is missing."
    ]
